"""What the panels make, and what it is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial

import polars as pl
import streamlit as st

from toolkit.answers.base import percent
from toolkit.answers.energy.solar import Range, ServicePointSolar, Solar
from toolkit.answers.energy.usage import MonthUsage, ServicePointUsage
from toolkit.charts import solar as charts
from toolkit.charts import style
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.pages import widgets
from toolkit.pages.answers import ask, holdings
from toolkit.pages.data import STORED_DATA, YOUR_HOME
from toolkit.pages.energy import whatif
from toolkit.pages.energy.meters import NO_METER_DATA, OF_THE_METER, choose_meter, days_of, known_shares, months
from toolkit.pages.text import sentence
from toolkit.pages.usage import days
from toolkit.pages.widgets import Metric, Period

HOW_TO_START = (
    "Your meter records what you export to the grid. Import your *interval meter data* (a NEM12 file) or connect your "
    "energy account, and enter the size of your panels and your postcode on the Data page."
)
NO_SOLAR = (
    "Your data has no solar exports, and the size of your panels is not set. If there are panels on the roof, enter "
    "their size on the Data page."
)
RANGES = (
    "The power that you use straight from the panels is not measured. It is estimated from the shape of your exports: "
    "the ranges hold the truth for about nine homes in ten. A file of your inverter's app measures it: add it on the "
    "Data page."
)
FROM_EXPORTS = "Estimated from the shape of your exports."
FROM_SIZE = "What panels of this size usually generate at this place: neither measured nor read from your exports."
MEASURED = {"inverter": "Measured by your inverter.", "meter": "Measured by the meter."}
CAUSES = {
    "none": "Nothing generated: the inverter may be off",
    "part": "A part of the panels may be out",
    "shade": "Something may shade the panels before or after noon",
    "limit": "The output is limited",
}
WHERE_IT_GOES, IS_IT_WORKING, EXPORTS = "Where it goes", "Is it working?", "Exports"
"""Tabs of the page next to that of the days."""
CLEAR = 0.8
"""Share of the generation under a clear sky from which a day counts as clear."""
_FEWEST_SKIES = 14
OPENED_BY = {
    "Generated": IS_IT_WORKING,
    "Exported": EXPORTS,
    "Used at home": WHERE_IT_GOES,
    "Earned from exports": EXPORTS,
    "Grid power avoided": WHERE_IT_GOES,
    "Share of your power from solar": WHERE_IT_GOES,
    **dict.fromkeys(("Meter data", "Estimated reads"), EXPORTS),  # by month there
}
"""The tab that shows what a figure is made of; where there is none, the days and reads do."""
LESS_ASKED = ("Panels", "Share of your power from solar", "Meter data", "Estimated reads")
"""Figures that come last."""
DOUBTS = (
    *("energy_too_much", "energy_too_little", "generation_too_much", "generation_too_little"),
    *("clock_off", "clock_in_summer"),
    *("generation_clock_off", "generation_clock_in_summer", "generation_unlike_export"),
)
"""Notes that say that the data are probably not what they look like."""
ESTIMATED = "solar_used_estimated"
"""The note that `RANGES` words on the page."""
ON_RECORD = "device register"
STATED = ("as given", "household", ON_RECORD)


def render(ctx: Context) -> None:
    """Show the Solar page."""
    if not holdings(ctx).meter:
        widgets.empty(NO_METER_DATA, HOW_TO_START)
        return
    metered = [point for point in ask(usage, ctx).service_points if point.from_ is not None]
    if not metered:
        st.info("There is no energy that can be shown.")
        return
    if not any(point.export_kwh for point in metered) and not _with_solar(everything := ask(solar, ctx)):
        if everything.service_points:
            widgets.empty("No solar found", NO_SOLAR, tab=YOUR_HOME)
            invite(plans=holdings(ctx).plans)
        else:
            widgets.empty("No electricity meter", HOW_TO_START)
        widgets.problems(everything.problems, key="solar")
        return
    stored = [days_of(point) for point in metered]
    above = st.container()  # the meter stands above its days, as on Usage; which meters have solar the days decide
    chosen = widgets.period(Period(min(each.first for each in stored), max(each.last for each in stored)))
    answer = ask(solar, ctx, from_=chosen.first, to=chosen.last)
    if with_solar := _with_solar(answer):
        with above:
            point = _chosen(ctx, with_solar)
        _point(ctx, point, chosen)
    else:
        st.info(f"Nothing was exported from {chosen}. Choose a longer period above.")
    widgets.problems(answer.problems, key="solar")


def invite(*, plans: bool) -> None:
    """Lead a home without solar to what panels would save it; without plans, first to these."""
    st.caption("No solar exports and no panels are known here.")
    widgets.link("plans", "**Would panels pay? →**", tab=whatif.TAB if plans else None, change="solar")


def _with_solar(answer: Solar) -> list[ServicePointSolar]:
    """Return the meters that export, or whose panels are known."""
    return [each for each in answer.service_points if each.panels_kw is not None or each.export_kwh]


def _chosen(ctx: Context, points: Sequence[ServicePointSolar]) -> ServicePointSolar:
    """Return the meter to show, chosen on the page where several have solar."""
    if len(points) == 1:
        return points[0]
    chosen = choose_meter(ctx, [point.service_point_id for point in points])
    return next(point for point in points if point.service_point_id == chosen)


def _point(ctx: Context, point: ServicePointSolar, chosen: Period) -> None:
    """Show one meter."""
    key = f"solar-tab-{point.service_point_id}"
    drawn = _tabs(ctx, point, chosen, key)
    figures = [*_energy(point), *_shares(point), *_worth(point), *_known(point)]
    figures.sort(key=lambda figure: figure.label in LESS_ASKED)
    opened = {label: tab if tab in drawn else days.TAB for label, tab in OPENED_BY.items()}
    linked = [
        replace(figure, opens=(tab, partial(widgets.open_tab, tab, key=key)))
        if (tab := opened.get(figure.label)) in drawn and not figure.is_linked
        else figure
        for figure in figures
    ]
    others = widgets.metrics_in_a_row(linked, key=key)
    if point.reason:
        st.info(sentence(point.reason))
    doubts = [note for note in point.notes if note.code in DOUBTS]
    for note in doubts:
        st.warning(sentence(note))
    if doubts:
        widgets.link("data", "**See the files on Data →**", tab=STORED_DATA)
    elif point.battery_suspected:
        widgets.link("data", "**Enter the size of your battery on Data →**", tab=YOUR_HOME)
    elif point.panels_source not in STATED:
        why = " to see what they should make" if point.generation_source in MEASURED else ""
        widgets.link("data", f"**Enter the size of your panels on Data{why} →**", tab=YOUR_HOME)
    if drawn:
        widgets.draw_open_tab(drawn, key=key)
    widgets.metrics(others, key=key)
    if any(note.code == ESTIMATED for note in point.notes):
        st.caption(RANGES)
    widgets.notes([note for note in point.notes if note not in doubts and note.code != ESTIMATED])


def _tabs(ctx: Context, point: ServicePointSolar, chosen: Period, key: str) -> dict[str, Callable[[], None]]:
    """Return the tabs of a meter by name, each with what draws it."""
    mine = Context(ctx.db, ctx.today, ctx.household, point.service_point_id)
    metered = ask(usage, mine, from_=chosen.first, to=chosen.last).service_points[0]
    is_exporting = any(row.export_kwh for row in metered.by_month)
    has_reads = metered.from_ is not None and (is_exporting or point.generation_source in MEASURED)
    made = point.generation_kwh.values
    drawn: dict[str, Callable[[], None]] = {}
    exported = point.exported_of_generation
    if point.self_consumption and point.self_consumption.values and made and exported is not None:
        drawn[WHERE_IT_GOES] = partial(_where_it_goes, point, made, exported)
    if _expected(point) or point.days_to_check:
        drawn[IS_IT_WORKING] = partial(_working, point, key if has_reads else None)
    if has_reads:
        drawn = {tab: days.with_way_to_reads(draw, key=key) for tab, draw in drawn.items()}
    if is_exporting:
        drawn[EXPORTS] = partial(_export, mine, metered, key)
    if has_reads:
        drawn[days.TAB] = partial(days.show, mine, metered, days_of(metered))
    return drawn


def _where_it_goes(point: ServicePointSolar, made: tuple[float, float, float], export_kwh: float) -> None:
    figure = charts.where_it_goes(made, export_kwh, look=widgets.look())
    widgets.chart(figure, key=f"goes-{point.service_point_id}")


def _expected(point: ServicePointSolar) -> list[tuple[str, float, float | None, float | None, float | None]]:
    """Return the months with what was generated and expected in each."""
    return [
        (month.month, month.generation_kwh, *(month.expected.values or (None, None, None)))
        for month in point.months
        if month.expected is not None and month.generation_kwh is not None
    ]


def _working(point: ServicePointSolar, tabs_key: str | None) -> None:
    """Show what was expected by month, days on which something seems wrong, and the change from year to year.

    tabs_key: of the tabs in which a day can be opened; None where none can.
    """
    rows = _expected(point)
    if point.days_to_check:
        missing = style.kwh(sum(day.kwh for day in point.days_to_check))
        worth = sum((day.value or Decimal(0) for day in point.days_to_check), Decimal(0))
        cost = f", worth about {style.aud(worth)}" if worth else ""
        count = len(point.days_to_check)
        st.warning(f"{count} {'day' if count == 1 else 'days'} to check: about {missing} missing{cost}.")
        named = [(day.date, CAUSES[day.cause], day.kwh) for day in point.days_to_check]
        shown = pl.DataFrame(named, schema=["date", "cause", "kwh"], orient="row")
        columns = {
            "date": widgets.day("Day"),
            "cause": widgets.words("What it looks like"),
            "kwh": widgets.number("Missing, kWh"),
        }
        widgets.table(
            shown,
            columns,
            name=f"check-{point.service_point_id}",
            on_pick=(lambda place: days.open_tab(named[place][0], "Day", key=tabs_key)) if tabs_key else None,
        )
        if tabs_key:
            st.caption("Select a day to see its half-hours and reads.")
    elif rows:
        st.write("No days look wrong.")
    if rows:
        frame = pl.DataFrame(rows, schema=["month", "kwh", "low", "mid", "high"], orient="row")
        figure = charts.expected_by_month(frame, look=widgets.look())
        on_pick = days.open_picked("Month", key=tabs_key) if tabs_key else None
        widgets.chart(figure, key=f"expected-{point.service_point_id}", on_pick=on_pick)
    clearness = point.days.frame()["clearness"].drop_nulls()
    if len(clearness) >= _FEWEST_SKIES:
        clear = int((clearness >= CLEAR).sum())
        st.caption(f"The sky over your roof was clear, or nearly so, on {clear} of {len(clearness)} days.")
    if point.year_change and point.year_change.ratio.values:
        low, mid, high = (value - 1 for value in point.year_change.ratio.values)
        st.caption(f"On clear days, output changed by {mid:+z.0%} on the year before ({low:+z.0%} to {high:+z.0%}).")


def _energy(point: ServicePointSolar) -> list[Metric]:
    shown = []
    if point.panels_kw is not None:
        source = None if point.panels_source in STATED else point.panels_source
        panels = Metric("Panels", f"{point.panels_kw:g} kW", "Their rated size.", source, page="data", tab=YOUR_HOME)
        if point.panels_source == ON_RECORD:
            panels = replace(panels, note="as on record", page="usage", tab=OF_THE_METER)
        shown.append(panels)
    if made := point.generation_kwh.values:
        both = f"{made[0]:,.0f} to {made[2]:,.0f}"
        if source := MEASURED.get(point.generation_source or ""):
            shown.append(Metric("Generated", style.kwh(made[1]), source))
        else:
            figure = Metric("Generated", style.kwh(made[1]), FROM_EXPORTS, both)
            if not point.self_consumption:  # no read shows it
                figure = replace(figure, help=FROM_SIZE, page="data", tab=YOUR_HOME)
            shown.append(figure)
    if point.export_kwh is not None:
        shown.append(Metric("Exported", style.kwh(point.export_kwh), "Measured by the meter."))
    return shown


def _known(point: ServicePointSolar) -> list[Metric]:
    """Return how much of the days the meter data cover, and how much of it is estimated."""
    if point.coverage is None or point.from_ is None or point.to is None:
        return []
    shown = Period(point.from_, point.to)
    return known_shares(point.coverage, point.substituted_share, shown, "your meter data")


def _shares(point: ServicePointSolar) -> Iterator[Metric]:
    what = "Share of the solar power you generated that you used yourself."
    yield from _share("Used at home", point.self_consumption, what)
    what = "Share of all the power you used that came from the panels."
    yield from _share("Share of your power from solar", point.self_sufficiency, what)


def _share(label: str, share: Range | None, what: str) -> Iterator[Metric]:
    if share and share.values:
        low, mid, high = map(percent, share.values)
        if low == high:
            yield Metric(label, mid, what)
        else:
            yield Metric(label, f"{low} to {high}", what, f"middle estimate {mid}")


def _worth(point: ServicePointSolar) -> Iterator[Metric]:
    if point.feed_in_value is not None:
        yield Metric("Earned from exports", style.aud(point.feed_in_value), "At your plan's feed-in price.")
    if point.avoided_import_value is not None:
        what = "What you would have paid for the solar power you used yourself, at the prices of those days."
        money = point.avoided_import_range
        both = (
            None if money is None or money.low == money.high else f"{style.aud(money.low)} to {style.aud(money.high)}"
        )
        yield Metric("Grid power avoided", style.aud(point.avoided_import_value), what, both)


def _export(ctx: Context, point: ServicePointUsage, tabs_key: str) -> None:
    """Show the export by month. tabs_key: of the tabs in which a month can be opened."""
    rows = MonthUsage(point.by_month.frame().filter(pl.col("export_kwh").is_not_null()))
    figure = charts.export_by_month(rows.frame(), look=widgets.look())
    on_pick = days.open_picked("Month", key=tabs_key)
    widgets.chart(figure, key=f"export-{ctx.service_point}", on_pick=on_pick)
    columns = {
        "month": widgets.month("Month"),
        "export_kwh": widgets.number("Exported, kWh"),
        "coverage": st.column_config.NumberColumn("Known", format="percent"),
        "substituted_share": st.column_config.NumberColumn("Estimated", format="percent"),
    }
    by_month = months(rows)
    widgets.table(
        by_month,
        columns,
        name=f"export-{ctx.service_point}",
        on_pick=lambda place: days.open_tab(by_month["month"][place], "Month", key=tabs_key),
    )
    st.caption(days.PICK_A_MONTH)
