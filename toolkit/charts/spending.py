"""Where the money goes. Amounts in AUD, positive is money out (refunds may make a bar negative)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import plotly.graph_objects as go
import polars as pl

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look
from toolkit.tables.reference.categories import names_of

UNKNOWN = "Without a category"
OTHER = "All others"
_ROOM = 0.3
"""The share of the longest bar that holds an amount at the width of a phone; of shorter ones it stands outside."""
_LEFT_OF_CREDITS = 0.24
"""The share of the longest bar that an amount to the left of a credit takes on a phone, where names stand beside it."""


def by_category(
    rows: pl.DataFrame,
    *,
    name: str = "primary_category",
    most: int = 12,
    look: Look = LIGHT,
    names: Mapping[str, str] = MappingProxyType({}),
) -> go.Figure:
    """Draw one bar per category, largest on top; what comes after the first `most` is one bar.

    rows: `name` (text, null allowed) and `spent` [AUD]. names: category code → the household's own name for it.
    """
    bars = _largest(_totals(rows, [name], names), name, most)
    labels = [style.safe(label) for label in bars[name]]
    spent = bars["spent"].to_list()
    longest = max(map(abs, spent), default=0.0)
    made = style.figure("Spending by category", look, height=max(220, 80 + 20 * len(labels)))
    made.add_bar(
        x=spent,
        y=labels,
        orientation="h",
        marker_color=style.BLUE,
        text=[style.aud(value, cents=False) for value in spent],
        textposition=["inside" if abs(value) > _ROOM * longest else "outside" for value in spent],
        textfont_size=11,
        constraintext="none",
        hovertemplate="%{y}<br>%{x:$,.2f}<extra></extra>",
        name="",
    )
    if (least := min(spent, default=0.0)) < 0:
        made.update_xaxes(range=[least - _LEFT_OF_CREDITS * longest, 1.05 * max(*spent, 0.0)])
    made.update_xaxes(title_text="AUD", tickformat=style.MONEY_AXIS)
    made.update_yaxes(autorange="reversed", showgrid=False)
    made.update_layout(showlegend=False)
    return style.described(made, [(label, style.aud(value)) for label, value in zip(labels, spent, strict=True)])


def by_month(
    rows: pl.DataFrame,
    *,
    name: str = "primary_category",
    most: int = 7,
    look: Look = LIGHT,
    names: Mapping[str, str] = MappingProxyType({}),
) -> go.Figure:
    """Draw a stacked bar per month; a category always has the same colour.

    rows: `month` (`YYYY-MM`), `name` and `spent` [AUD]; rows without a month are left out. names: category code → the
    household's own name for it.
    """
    dated = rows.filter(pl.col("month").is_not_null())
    kept = _largest(_totals(dated, [name], names), name, most)[name].to_list()
    monthly = _totals(dated, ["month", name], names).with_columns(
        pl.when(pl.col(name).is_in(kept)).then(name).otherwise(pl.lit(OTHER)).alias(name)
    )
    made = style.figure("Spending by month", look, height=400)
    colors = iter(color for color in style.PALETTE if color != style.GREY)
    for label in kept:
        # Grey for what has no category (hatched) and for the others, so that the palette lasts for the named ones.
        color = style.GREY if label in (OTHER, UNKNOWN) else next(colors)
        mine = monthly.filter(pl.col(name) == label).group_by("month").agg(pl.col("spent").sum()).sort("month")
        made.add_bar(
            x=[f"{month}-01" for month in mine["month"]],
            y=mine["spent"].to_list(),
            name=style.safe(label),
            marker_color=color,
            marker_pattern_shape="/" if label == UNKNOWN else "",
            hovertemplate="%{x|%b %Y}<br>%{y:$,.2f}<extra>%{fullData.name}</extra>",
        )
    made.update_layout(barmode="relative")
    style.month_axis(made, monthly["month"].n_unique())
    made.update_yaxes(title_text="AUD a month", tickformat=style.MONEY_AXIS)
    totals = monthly.group_by("month").agg(pl.col("spent").sum()).sort("month")
    return style.described(made, [(month, style.aud(spent)) for month, spent in totals.iter_rows()])


def _totals(rows: pl.DataFrame, keys: list[str], names: Mapping[str, str]) -> pl.DataFrame:
    """Return `spent` [AUD] by the keys; the last key is the category, which gets its name for people."""
    name = keys[-1]
    label = names_of(rows[name], names).fill_null(UNKNOWN)
    return rows.with_columns(label.alias(name)).group_by(keys).agg(pl.col("spent").cast(pl.Float64).sum())


def _largest(totals: pl.DataFrame, name: str, most: int) -> pl.DataFrame:
    """Return the largest categories and one row for the others; a single other is shown by its own name."""
    ranked = totals.sort(["spent", name], descending=[True, False])
    if ranked.height <= most + 1:
        return ranked
    rest = ranked.slice(most).select(pl.lit(OTHER).alias(name), pl.col("spent").sum())
    return pl.concat([ranked.head(most), rest])
