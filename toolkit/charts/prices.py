"""What energy costs through a week, in cents with GST, on the plan's clock."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from toolkit.charts import style
from toolkit.charts.style import LIGHT, Look
from toolkit.charts.usage import EVERY_THREE_HOURS, clock

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def price_map(
    rows: pl.DataFrame, *, unit: str = "kWh", title: str = "Price through the week", look: Look = LIGHT
) -> go.Figure:
    """Every half hour of a week; what no window of the plan holds stays blank.

    rows: `weekday` (0 is Monday), `minute` (of the day), `cents` (per `unit`, with GST), `label`, `stepped` (whether
    dearer or cheaper steps follow the price shown).
    """
    grid = rows.sort("weekday", "minute")
    minutes = grid["minute"].unique().sort().to_list()
    made = style.figure(style.safe(title), look, height=420)
    made.add_heatmap(
        x=list(DAYS),
        y=minutes,
        z=_by_minute(grid, minutes, grid["cents"].to_list()),
        customdata=_by_minute(grid, minutes, _said(grid, unit)),
        colorscale=[list(stop) for stop in style.color_stops(look)],
        colorbar={"title": {"text": f"c/{unit}"}, "thickness": 12, "tickfont": {"color": look.muted}},
        hoverongaps=False,
        hovertemplate="%{customdata}<extra></extra>",
        xgap=2,
    )
    made.update_xaxes(type="category", showgrid=False, side="top")
    made.update_yaxes(tickvals=EVERY_THREE_HOURS[:-1], ticktext=[clock(minute) for minute in EVERY_THREE_HOURS[:-1]])
    made.update_yaxes(title_text="time of day", autorange="reversed", showgrid=False)
    return style.described(made, _prices(grid, unit))


def _by_minute(grid: pl.DataFrame, minutes: list[int], values: list[object]) -> list[list[object]]:
    held = dict(zip(zip(grid["minute"], grid["weekday"], strict=True), values, strict=True))
    return [[held.get((minute, day)) for day in range(len(DAYS))] for minute in minutes]


def _said(grid: pl.DataFrame, unit: str) -> list[object]:
    return [
        f"{DAYS[row['weekday']]} {clock(row['minute'])}<br>{_price(row, unit)}" for row in grid.iter_rows(named=True)
    ]


def _price(row: dict[str, object], unit: str) -> str:
    if row["cents"] is None:
        return "no price"
    more = ", first step" if row["stepped"] else ""
    return f"{row['cents']:.2f} c/{style.safe(unit)}{more}<br>{style.safe(row['label'] or '')}"


def _prices(grid: pl.DataFrame, unit: str) -> list[tuple[str, str]]:
    bands = grid.drop_nulls("cents").unique(["label", "cents"], maintain_order=True)
    return [(str(row["label"]), f"{row['cents']:.2f} c/{unit}") for row in bands.iter_rows(named=True)]
