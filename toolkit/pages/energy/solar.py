"""What the panels make, and what it is worth."""

from __future__ import annotations

import polars as pl
import streamlit as st

from toolkit.charts import solar as charts
from toolkit.charts import style
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import Answer, ask, holdings
from toolkit.pages.text import sentence
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Your meter records what you export to the grid. Import your *interval meter data* (a NEM12 file) or connect your "
    "energy account, and enter the size of your panels and your postcode on the Data page."
)
NO_SOLAR = (
    "This home exports nothing to the grid, and the size of its panels is not set. If there are panels on the roof, "
    "enter their size on the Data page."
)
RANGES = (
    "Estimated: the ranges cover a home that is empty by day and one with people in, and a roof that faces anywhere "
    "from east through north to west."
)
SAID = ("as given", "household", "device register")


def render(ctx: Context) -> None:
    if not holdings(ctx).meter:
        widgets.empty("No meter data yet", HOW_TO_START)
        return
    stored = [point for point in ask(usage, ctx)["service_points"] if point["from"] is not None]
    if not stored:
        st.info("The meter data contains no energy that can be shown.")
        return
    chosen = widgets.period(Period(min(p["from"] for p in stored), max(p["to"] for p in stored)))
    answer = ask(solar, ctx, from_=chosen.first, to=chosen.last)
    if not answer["service_points"]:
        st.info("No meter of this home measures electricity.")
    for point in answer["service_points"]:
        _point(ctx, point, chosen)
    widgets.problems(answer["problems"], key="solar")


def _point(ctx: Context, point: Answer, chosen: Period) -> None:
    if point["panels_kw"] is None and not point["export_kwh"]:
        widgets.empty("No solar found", NO_SOLAR)
        return
    widgets.metrics(_figures(point))
    share = point["self_consumption"]
    if _known(share) and share["low"] < share["high"]:
        st.caption(RANGES)
    if point["reason"]:
        st.info(sentence(point["reason"]))
    if point["panels_source"] not in SAID:
        st.page_link(widgets.PAGES["data"], label="**Enter the size of your panels on Data →**")
    made, export = point["generation_kwh"], point["export_kwh"]
    if _known(point["self_consumption"]) and _known(made) and export is not None:
        drawn = charts.Generation(made["low"], made["mid"], made["high"], export)
        widgets.chart(charts.where_it_goes(drawn, look=widgets.look()), key=f"goes-{point['service_point_id']}")
    widgets.notes(point["notes"])
    _export(Context(ctx.db, ctx.today, ctx.household, point["service_point_id"]), chosen)


def _known(span: Answer | None) -> bool:
    return span is not None and span["mid"] is not None


def _figures(point: Answer) -> list[Metric]:
    made = point["generation_kwh"]
    shown = []
    if point["panels_kw"] is not None:
        shown.append(Metric("Panels", f"{point['panels_kw']:g} kW", "Their rated size.", _source(point)))
    if _known(made):
        both = f"{made['low']:,.0f} to {made['high']:,.0f}"
        shown.append(Metric("Generated", style.kwh(made["mid"]), "Estimated from the sunshine where you live.", both))
    if point["export_kwh"] is not None:
        shown.append(Metric("Exported", style.kwh(point["export_kwh"]), "Measured by the meter."))
    for name, label, what in (
        ("self_consumption", "Used at home", "Share of the solar power you generated that you used yourself."),
        (
            "self_sufficiency",
            "Share of your power from solar",
            "Share of all the power you used that came from the panels.",
        ),
    ):
        share = point[name]
        if _known(share):
            shown.append(Metric(label, _range(share), what, f"middle estimate {share['mid']:.0%}"))
    return shown + _worth(point)


def _range(share: Answer) -> str:
    low, high = f"{share['low']:.0%}", f"{share['high']:.0%}"
    return low if low == high else f"{low} to {high}"


def _worth(point: Answer) -> list[Metric]:
    shown = []
    if point["feed_in_value"] is not None:
        shown.append(Metric("Earned from exports", style.aud(point["feed_in_value"]), "At your plan's feed-in price."))
    saved = point["avoided_import_value"]
    if saved is not None:
        mid = saved["mid"] if isinstance(saved, dict) else saved
        if mid is not None:
            shown.append(
                Metric(
                    "Grid power avoided",
                    style.aud(mid),
                    "What you would have paid for the solar power you used yourself. An estimate.",
                )
            )
    return shown


def _source(point: Answer) -> str | None:
    return None if point["panels_source"] in SAID else point["panels_source"]


def _export(ctx: Context, chosen: Period) -> None:
    points = ask(usage, ctx, from_=chosen.first, to=chosen.last)["service_points"]
    rows = [row for point in points for row in point["by_month"] if row["export_kwh"] is not None]
    if not any(row["export_kwh"] for row in rows):
        return
    frame = pl.DataFrame(rows, infer_schema_length=None)
    widgets.chart(charts.export_by_month(frame, look=widgets.look()), key=f"export-{ctx.service_point}")
    columns = {"month": widgets.month("Month"), "export_kwh": widgets.number("Exported, kWh")}
    rows = [{**row, "month": widgets.first_of(row["month"])} for row in rows]
    widgets.table(rows, columns, name=f"export-{ctx.service_point}")
