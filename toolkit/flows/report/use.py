"""Sections about the energy used and what the panels make."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from toolkit.analytics.energy.solar.estimated_answer import INFERRED
from toolkit.answers.base import Note, percent
from toolkit.answers.energy.solar import ServicePointSolar, Solar
from toolkit.charts import solar as solar_charts
from toolkit.charts import usage as usage_charts
from toolkit.charts.style import about, aud, kwh
from toolkit.errors import ToolkitError
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage, usage_map
from toolkit.flows.household.context import Context
from toolkit.flows.report.energy import about_meter, is_from_bills
from toolkit.flows.report.material import Material, plain_notes, span, worded
from toolkit.report import Section


def use(material: Material) -> Section:
    """Show when energy is used."""
    names = {id_: name for id_, _, name in material.meters}
    points = [
        point
        for point in usage(material.ctx, from_=material.from_, to=material.to).service_points
        if point.from_ is not None and point.by_month  # which is empty where the days asked for have no reads
    ]
    if not points:
        return Section("Energy use", text=["No meter data is stored for these days."])
    maps = usage_map(material.ctx, from_=material.from_, to=material.to)
    facts = []
    figures: list[go.Figure] = []
    notes: list[Note] = []
    for point in points:
        name, unit = names[point.service_point_id], point.energy_unit
        what = "from the grid" if unit == "kWh" else "used"
        facts.append((f"{name}: {what}, {span(point.from_, point.to)}", kwh(point.used or 0.0, unit)))
        if not is_from_bills(point.notes):
            facts.append((f"{name}: share of the time with meter data", percent(point.coverage or 0, 1)))
        notes += [*point.notes, *(row.reason for row in point.basis if row.reason and row.figure != "load_factor")]
        enough = [row.figure for row in point.basis if row.is_enough]
        if point.base_load_kw is not None and "base_load_kw" in enough:
            facts.append((f"{name}: always on", f"{point.base_load_kw:.2f} kW"))
        drawn = [usage_charts.by_month(point.by_month.frame(), unit=unit)]
        kind = pl.concat_str("season", "day_type", separator=" ")
        average = point.average_day.frame().filter(kind.is_in(enough)) if point.average_day else pl.DataFrame()
        if not average.is_empty():
            drawn.append(_average_weekday(average))
        if not maps[point.service_point_id].heat_map.is_empty() and unit == "kWh":
            drawn.append(usage_charts.heat_map(maps[point.service_point_id].heat_map))
        figures += [about_meter(material, figure, name) for figure in drawn]
    return Section(
        "Energy use",
        facts=facts,
        parts=figures,
        notes=list(dict.fromkeys(plain_notes(notes))),
    )


def _average_weekday(average: pl.DataFrame) -> go.Figure:
    """Draw mean power through a weekday; a line alone has no legend, so the title names its season."""
    seasons = average.filter(day_type="weekday")["season"].unique().to_list()
    title = f"An average weekday in {seasons[0]}" if len(seasons) == 1 else "An average weekday, by season"
    return usage_charts.average_day(average, day_type="weekday", title=title)


def has_panels(ctx: Context) -> bool:
    """Return whether any meter of the home exports, or it is known what its panels make."""
    try:
        return bool(_with_panels(solar(ctx)))
    except ToolkitError:  # no meter data
        return False


def _with_panels(answer: Solar) -> list[ServicePointSolar]:
    return [point for point in answer.service_points if point.export_kwh or point.generation_kwh.values is not None]


def panels(material: Material) -> Section:
    """Show what the panels make and earn; where that cannot be estimated, what is exported and why not more."""
    points = _with_panels(solar(material.ctx, from_=material.from_, to=material.to))
    if not points:
        return Section("Solar", text=["No solar is recorded for these days."])
    facts: list[tuple[str, str]] = []
    text, figures = list[str](), []
    names = {id_: name for id_, _, name in material.meters}
    for point in points:
        made, export = point.generation_kwh, point.export_kwh or 0.0
        name = names.get(point.service_point_id, "Days")
        facts.append((name if len(points) > 1 else "Days", span(point.from_, point.to)))
        if point.panels_kw is not None:
            source = "Panels, estimated" if point.panels_source == INFERRED else "Panels"
            facts.append((source, f"{point.panels_kw:.1f} kW"))
        if made.values:
            low, high = kwh(made.values[0]), kwh(made.values[-1])
            facts.append(("Generated", low) if low == high else ("Generated, estimated", f"{low} to {high}"))
            drawn = solar_charts.where_it_goes(made.values, point.exported_of_generation or 0.0)
            figures.append(about(drawn, name) if len(points) > 1 else drawn)
        else:
            text.append(f"How much the panels generated is not known. {worded(point.reason or '')}".strip())
        facts.append(("Exported", kwh(export)))
        if point.feed_in_value is not None:
            facts.append(("Earned from exports", aud(point.feed_in_value)))
        if point.avoided_import_value is not None:
            facts.append(("Grid power avoided, about", aud(point.avoided_import_value)))
    return Section(
        "Solar",
        text=list(dict.fromkeys(text)),
        facts=facts,
        parts=figures,
        notes=list(dict.fromkeys(note for point in points for note in plain_notes(point.notes))),
    )
