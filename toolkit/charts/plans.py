"""Plans side by side and hour by hour. Amounts in AUD with GST, prices in AUD a unit, times in the plan's time zone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import plotly.graph_objects as go
import polars as pl

from toolkit.answers.energy.plans import PriceRun
from toolkit.charts import style
from toolkit.charts.bills import COMPONENTS, component_label
from toolkit.charts.style import LIGHT, Look

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
HALF_HOURS = tuple(range(0, 1440, 30))
COLORS = dict(
    zip(COMPONENTS, (*style.PALETTE[:2], *style.PALETTE[3:8], style.GREY, style.GREEN, style.BROWN), strict=True)
)


_AROUND_BARS, _LEGEND_LINE, _TWO_LINES = 105, 20, 30
"""Pixels of title and axis, of a line of the legend, and of a name in two lines."""


@dataclass(frozen=True, slots=True)
class PlanBar:
    """A plan as a bar of `comparison`."""

    name: str
    """As it is shown; may come from outside."""
    total: Decimal
    """AUD with GST."""
    components: Mapping[str, Decimal]
    """Component → AUD with GST, credits negative."""


def comparison(plans: Sequence[PlanBar] | pl.DataFrame, *, most: int = 12, look: Look = LIGHT) -> go.Figure:
    """Draw a bar per plan, in the order given, made of its components; credits to the left of zero.

    plans: bars, or what `toolkit.price_all` gave for one meter; plans without a total are left out.
    """
    shown = (_bars(plans) if isinstance(plans, pl.DataFrame) else plans)[:most]
    places = [f"{number}. {style.safe(plan.name, length=64)}" for number, plan in enumerate(shown, 1)]
    amounts = {name: [float(plan.components.get(name, 0)) for plan in shown] for name in COMPONENTS}
    drawn = {name: values for name, values in amounts.items() if any(values)}
    # a name takes two lines; on a phone the legend below takes a line for each component
    height = _AROUND_BARS + _LEGEND_LINE * len(drawn) + _TWO_LINES * len(shown)
    made = style.figure("What each plan costs, and why", look, height=max(300, height))
    for name, values in drawn.items():
        made.add_bar(
            x=values,
            y=places,
            orientation="h",
            name=component_label(name),
            marker_color=COLORS[name],
            hovertemplate="%{y}<br>%{x:$,.2f}<extra>%{fullData.name}</extra>",
        )
    made.update_layout(barmode="relative")
    made.update_xaxes(title_text="AUD including GST", tickformat=style.MONEY_AXIS)
    made.update_yaxes(autorange="reversed", showgrid=False, type="category")
    made.update_yaxes(tickvals=places, ticktext=[style.wrapped(plan.name) for plan in shown])
    return style.described(made, [(style.safe(plan.name), style.aud(plan.total)) for plan in shown])


def _bars(priced: pl.DataFrame) -> list[PlanBar]:
    rows = priced.drop_nulls("total").iter_rows(named=True)
    return [
        PlanBar(row["name"] or row["plan_id"], row["total"], {name: row[name] for name in COMPONENTS}) for row in rows
    ]


def price_week(week: Sequence[PriceRun], *, unit: str = "kWh", look: Look = LIGHT) -> go.Figure:
    """Draw the price of every half hour of a week; half hours without a price stay blank."""
    grid: list[list[float | None]] = [[None] * 7 for _ in HALF_HOURS]
    names = [[""] * 7 for _ in HALF_HOURS]
    for run in week:
        for row in range(_minute(run.from_) // 30, _minute(run.to) // 30):
            grid[row][run.weekday] = None if run.price is None else 100 * float(run.price)
            names[row][run.weekday] = style.safe(run.label or "")
    return _week("Price, hour by hour", grid, names, f"c/{unit}", look)


def use_week(days: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Draw mean use in every half hour of a week. days: `date`, `minute` (of the day), `value` [kW]."""
    half_hours = days.group_by(pl.col("date").dt.weekday() - 1, pl.col("minute") // 30 * 30).agg(pl.col("value").mean())
    known = {(weekday, minute): value for weekday, minute, value in half_hours.iter_rows()}
    grid = [[known.get((weekday, minute)) for weekday in range(7)] for minute in HALF_HOURS]
    return _week("Your use, hour by hour", grid, [[""] * 7 for _ in HALF_HOURS], "kW", look)


def _minute(text: str) -> int:
    """Read `HH:MM` as minutes of the day; `24:00` is 1440."""
    hours, minutes = text.split(":")
    return 60 * int(hours) + int(minutes)


def _week(title: str, grid: list[list[float | None]], names: list[list[str]], unit: str, look: Look) -> go.Figure:
    """Draw values of a week as a heat map. grid, names: [half hour, weekday]."""
    made = style.figure(title, look)
    times = [style.time_of_day(minute) for minute in HALF_HOURS]
    hover = [[f"{time} {name}".strip() for name in row] for time, row in zip(times, names, strict=True)]
    made.add_heatmap(
        x=list(WEEKDAYS),
        y=list(HALF_HOURS),
        z=grid,
        customdata=hover,
        colorscale=style.color_stops(look),
        colorbar={"title": {"text": unit}, "thickness": 12, "tickfont": {"color": look.muted}},
        hoverongaps=False,
        hovertemplate=f"%{{x}}, %{{customdata}}<br>%{{z:.2f}} {style.safe(unit)}<extra></extra>",
    )
    ticks = list(range(0, 1440, 180))
    made.update_yaxes(
        tickvals=ticks, ticktext=[style.time_of_day(minute) for minute in ticks], autorange="reversed", showgrid=False
    )
    made.update_xaxes(showgrid=False)
    made.update_yaxes(title_text="time of day")
    values = [value for row in grid for value in row if value is not None]
    ends = [("lowest", f"{min(values):.2f} {unit}"), ("highest", f"{max(values):.2f} {unit}")] if values else []
    return style.described(made, ends)
