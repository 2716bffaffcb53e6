"""When energy is used. Energy in kWh (gas in MJ), power in kW, times in the home's time zone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import plotly.graph_objects as go
import polars as pl

from toolkit.answers.base import percent
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.answers.wording.ranges import LIKELY_RANGE
from toolkit.charts import style
from toolkit.charts import values as values_of
from toolkit.charts.style import LIGHT, Look

SEASON_COLORS = {
    "summer": style.VERMILION,
    "autumn": style.OLIVE,
    "winter": style.BLUE,
    "spring": style.GREEN,
}
DASHES = {"weekday": "solid", "weekend": "dot"}
EVERY_THREE_HOURS = list(range(0, 1441, 180))


def average_day(
    rows: pl.DataFrame,
    *,
    day_type: str | None = None,
    season: str | None = None,
    title: str = "An average day, by season",
    look: Look = LIGHT,
) -> go.Figure:
    """Draw mean power through the day, a line per season (dotted at the weekend).

    rows: `season`, `day_type` (weekday or weekend), `minute` (of the day), `kw`. day_type, season: only that one; of
    one season the range of eight days in ten is drawn as well, from `kw_p10` and `kw_p90`.
    """
    wanted = rows if day_type is None else rows.filter(pl.col("day_type") == day_type)
    wanted = wanted if season is None else wanted.filter(pl.col("season") == season)
    made = style.figure(title, look, height=320)
    peaks = []
    for name_of_season, kind, line in _season_days(wanted):
        season_name = name_of_season.capitalize()
        name = f"{season_name}, {kind}s" if day_type is None else season_name
        if season is not None:
            _spread(made, line, SEASON_COLORS[name_of_season])
        made.add_scatter(
            x=line["minute"].to_list(),
            y=line["kw"].to_list(),
            customdata=[style.time_of_day(minute) for minute in line["minute"]],
            mode="lines",
            name=name,
            line={
                "color": SEASON_COLORS[name_of_season],
                "dash": "solid" if day_type else DASHES[kind],
                "width": 2,
            },
            hovertemplate="%{customdata}<br>%{y:.2f} kW<extra>%{fullData.name}</extra>",
        )
        peaks.append((f"{name}, highest", f"{_highest(line['kw']):.2f} kW"))
    made.update_xaxes(tickvals=EVERY_THREE_HOURS, ticktext=[style.time_of_day(minute) for minute in EVERY_THREE_HOURS])
    made.update_xaxes(title_text="time of day", range=[0, 1440])
    made.update_yaxes(title_text="kW, mean", rangemode="tozero")
    return style.described(made, peaks)


def _spread(made: go.Figure, line: pl.DataFrame, color: str) -> None:
    """Draw the range between `kw_p10` and `kw_p90`."""
    for column, name, fill in (("kw_p10", f"{LIKELY_RANGE}, from", None), ("kw_p90", f"{LIKELY_RANGE}, to", "tonexty")):
        made.add_scatter(
            x=line["minute"].to_list(),
            y=line[column].to_list(),
            mode="lines",
            name=name,
            line={"color": color, "width": 1, "dash": "dot"},
            fill=fill,
            opacity=0.4,
            hovertemplate="%{y:.2f} kW<extra>%{fullData.name}</extra>",
        )


def _season_days(rows: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Yield season, day type and rows of each line that has some."""
    for season, kind in product(SEASON_COLORS, DASHES):
        line = rows.filter((pl.col("season") == season) & (pl.col("day_type") == kind)).sort("minute")
        if not line.is_empty():
            yield season, kind, line


def _highest(values: pl.Series) -> float:
    """Return the highest known value; 0 without one."""
    return max((float(value) for value in values if value is not None), default=0.0)


def heat_map(rows: pl.DataFrame, *, pick_days: bool = False, look: Look = LIGHT) -> go.Figure:
    """Draw a heat map of every day by time of day; a gap stays blank.

    rows: `date`, `minute` (of the local day), `value` [kW]. pick_days: a click anywhere on a day picks it, and what
    stands by the pointer is about the day.
    """
    grid = rows.pivot("date", index="minute", values="value", aggregate_function="mean", sort_columns=True)
    grid = grid.sort("minute")
    days = [name for name in grid.columns if name != "minute"]
    minutes = grid["minute"].to_list()
    made = style.figure("Every day, hour by hour", look, height=360)
    made.add_heatmap(
        x=days,
        y=minutes,
        z=[list(row) for row in grid.select(days).iter_rows()],
        customdata=[[style.time_of_day(minute)] * len(days) for minute in minutes],
        colorscale=style.color_stops(look),
        colorbar={"title": {"text": "kW"}, "thickness": 12, "tickfont": {"color": look.muted}},
        hoverongaps=False,
        hovertemplate="%{x|%-d %b %Y}, %{customdata}<br>%{z:.2f} kW<extra></extra>",
    )
    made.update_xaxes(type="date", tickformat="%-d %b<br>%Y", showgrid=False)
    made.update_yaxes(
        tickvals=EVERY_THREE_HOURS[:-1], ticktext=[style.time_of_day(minute) for minute in EVERY_THREE_HOURS[:-1]]
    )
    made.update_yaxes(title_text="time of day", autorange="reversed", showgrid=False)
    if pick_days:
        made.add_trace(_day_bars(rows))
        made.update_yaxes(autorange=False, range=[_LAST_MINUTE, _FIRST_MINUTE])
        made.update_layout(bargap=0, showlegend=False)
    return style.described(made, [("days", str(len(days))), ("highest", f"{_highest(rows['value']):.2f} kW")])


_FIRST_MINUTE, _LAST_MINUTE = -15, 1425
"""Where the cells of the first and last half-hour of a day end: each lies around its minute."""


def _day_bars(rows: pl.DataFrame) -> go.Bar:
    """Return a bar over each day of a heat map that cannot be seen: plotly picks bars, and no cells of a heat map."""
    known = rows.drop_nulls("value").sort("date", "value", "minute", descending=[False, True, False])
    days = known.group_by("date", maintain_order=True).agg(
        kwh=pl.col("value").sum() / 2, minute=pl.col("minute").first(), kw=pl.col("value").first()
    )
    texts = [[style.kwh(kwh), f"{kw:.2f} kW at {style.time_of_day(minute)}"] for _, kwh, minute, kw in days.iter_rows()]
    return go.Bar(
        x=days["date"].cast(pl.String).to_list(),
        y=[_LAST_MINUTE - _FIRST_MINUTE] * days.height,
        base=_FIRST_MINUTE,
        marker_color="rgba(0,0,0,0)",
        marker_line_width=0,
        customdata=texts,
        hovertemplate="%{x|%a %-d %b %Y}<br>%{customdata[0]}, highest %{customdata[1]}<extra></extra>",
        meta=values_of.NO_VALUES,
    )


def by_month(rows: pl.DataFrame, *, unit: str = "kWh", look: Look = LIGHT) -> go.Figure:
    """Draw energy taken from the grid for each month, and energy exported below the line.

    rows: `month` (`YYYY-MM`), `import_kwh` (`import_mj` where `unit` is MJ), `export_kwh` (null or absent where there
    is none), `coverage` (0 to 1).
    """
    used = f"import_{unit.lower()}"
    made = style.figure("Energy by month", look)
    made.add_trace(_month_bars(rows, used, unit, sold=False))
    if "export_kwh" in rows.columns and (rows["export_kwh"].fill_null(0) > 0).any():
        made.add_trace(_month_bars(rows, "export_kwh", unit, sold=True))
    made.update_layout(barmode="relative")
    style.month_axis(made, rows.height)
    made.update_yaxes(title_text=f"{unit} a month", tickformat=",.0f")
    values: Sequence[float | None] = rows[used].to_list()
    known = [(m, style.kwh(v, unit)) for m, v in zip(rows["month"], values, strict=True) if v is not None]
    return style.described(made, known)


def _month_bars(rows: pl.DataFrame, column: str, unit: str, *, sold: bool) -> go.Bar:
    """Return the bars of one column; sold energy goes below the line."""
    values = rows[column].cast(pl.Float64)
    coverage = rows["coverage"].cast(pl.Float64) if "coverage" in rows.columns else pl.Series([None] * rows.height)
    known = ["not known" if share is None else f"{percent(share)} of the month" for share in coverage]
    return go.Bar(
        x=[f"{month}-01" for month in rows["month"]],
        y=(values * (-1 if sold else 1)).to_list(),
        name="Exported" if sold else "From the grid",
        marker_color=style.EXPORT if sold else style.IMPORT,
        customdata=list(zip(values.to_list(), known, strict=True)),
        hovertemplate=f"%{{x|%b %Y}}<br>%{{customdata[0]:,.1f}} {style.safe(unit)}"
        "<br>meter data: %{customdata[1]}<extra>%{fullData.name}</extra>",
        meta=values_of.BELOW_ZERO if sold else None,
    )


def hour_costs(costs: UsageCosts, *, look: Look = LIGHT) -> go.Figure:
    """Draw what each hour costs on an average day of those priced."""
    made = style.figure("What each hour of the day costs, on average", look, height=300)
    hours = [style.time_of_day(row.hour * 60) for row in costs.hours]
    dollars = [float(row.cost) / costs.days for row in costs.hours]
    made.add_bar(
        x=hours,
        y=dollars,
        name="Power from the grid",
        marker_color=style.CHARGE,
        customdata=[(row.kwh + row.controlled_load_kwh) / costs.days for row in costs.hours],
        hovertemplate="from %{x}<br>$%{y:.2f} a day, %{customdata:.2f} kWh<extra></extra>",
    )
    made.update_xaxes(title_text="hour that starts at", tickvals=hours[::3], type="category")
    made.update_yaxes(title_text="$ a day", tickformat="$.2f", rangemode="tozero")
    dearest = sorted(zip(dollars, hours, strict=True), key=lambda each: -each[0])[:3]
    return style.described(made, [(hour, style.aud(cost)) for cost, hour in dearest])


def half_hours(rows: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Draw the half-hours of some days: from the grid above zero, controlled load apart, export below it.

    What was generated is a line over them. rows: `time` (local), `general_kwh`, `controlled_kwh`, `export_kwh`,
    `generation_kwh`; a gap stays blank.
    """
    made = style.figure("Half-hour by half-hour", look, height=320)
    kinds = (
        ("general_kwh", "From the grid", style.IMPORT, 2),
        ("controlled_kwh", "Controlled load", style.CONTROLLED, 2),
        ("export_kwh", "Exported", style.EXPORT, -2),
    )
    highest = []
    for column, name, color, kw in kinds:
        power = rows[column] * kw
        if power.null_count() == rows.height or not power.abs().sum():
            continue
        made.add_bar(
            x=rows["time"].to_list(),
            y=power.to_list(),
            name=name,
            marker_color=color,
            customdata=(power.abs()).to_list(),
            hovertemplate="%{x|%-d %b, %H:%M}<br>%{customdata:.2f} kW<extra>%{fullData.name}</extra>",
            meta=values_of.BELOW_ZERO if kw < 0 else None,
        )
        highest.append((f"{name}, highest", f"{_highest(power.abs()):.2f} kW"))
    generated = rows["generation_kwh"] * 2
    if generated.sum():
        made.add_scatter(
            x=rows["time"].to_list(),
            y=generated.to_list(),
            name="Generated",
            mode="lines",
            line={"color": style.GREEN, "width": 1.5, "shape": "hvh"},
            hovertemplate="%{x|%-d %b, %H:%M}<br>%{y:.2f} kW<extra>%{fullData.name}</extra>",
        )
        highest.append(("Generated, highest", f"{_highest(generated):.2f} kW"))
    made.update_layout(barmode="relative", bargap=0)
    made.update_xaxes(type="date", tickformat="%-d %b<br>%H:%M", title_text="local time")
    made.update_yaxes(title_text="kW")
    return style.described(made, highest)


def by_day(rows: pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:
    """Draw gas by day. rows: `date`, `import_mj`; a gap stays blank."""
    made = style.figure("Gas by day", look, height=320)
    made.add_bar(
        x=rows["date"].to_list(),
        y=rows["import_mj"].to_list(),
        name="Used",
        marker_color=style.IMPORT,
        hovertemplate="%{x|%-d %b %Y}<br>%{y:,.1f} MJ<extra></extra>",
    )
    made.update_layout(bargap=0.05)
    made.update_xaxes(type="date", title_text="day")
    made.update_yaxes(title_text="MJ a day", rangemode="tozero")
    return style.described(made, [("highest day", f"{_highest(rows['import_mj']):,.1f} MJ")])
