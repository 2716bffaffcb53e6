"""The page to hand over: every answer that the stored data gives, in one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from toolkit.answers.data import WrittenReport
from toolkit.charts import spending as spending_charts
from toolkit.charts import usage as usage_charts
from toolkit.charts.forecast import next_bill
from toolkit.charts.solar import where_it_goes
from toolkit.charts.style import aud, day, kwh
from toolkit.errors import NothingStoredError, ToolkitError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context, nothing_stored, open_home
from toolkit.flows.money.spending import spending
from toolkit.flows.wording import with_local_dates
from toolkit.remedies import page_wording
from toolkit.report import Section, is_page, render
from toolkit.store.connection import replace_private
from toolkit.tables.reference.categories import category_name

MOST_CATEGORIES = 15


def report(ctx: Context, out: Path) -> WrittenReport:
    """Write the report: one HTML file that needs no network. A section without data gives the reason.

    An earlier report is replaced whole, nothing else (UsageError). The file is readable by its owner alone. It has no
    account numbers.
    """
    if not ctx.db.exists():
        raise NothingStoredError(nothing_stored(ctx.db), "data")
    refuse_to_replace(out, ctx.db, earlier="an earlier report", is_earlier=_is_report)
    with open_home(ctx) as (_store, household):
        name = household.name
    sections = [_answered(title, make, ctx) for title, make in SECTIONS]
    page = render(f"Money and energy of {name}", f"As of {day(ctx.today)}", sections)
    replace_private(out, lambda path: path.write_text(page, encoding="utf-8"))
    return WrittenReport(out=str(out), bytes=out.stat().st_size, sections=tuple(section.title for section in sections))


def _is_report(path: Path) -> bool:
    return is_page(path.read_text(encoding="utf-8", errors="replace"))


def _answered(title: str, make: Callable[[Context], Section], ctx: Context) -> Section:
    try:
        made = make(ctx)
        return replace(made, title=title, notes=[with_local_dates(page_wording(note)) for note in made.notes])
    except ToolkitError as error:
        return Section(title, notes=[page_wording(error)])


def _spending(ctx: Context) -> Section:
    answer = spending(ctx)
    if not answer.rows:
        return Section("", notes=["No transactions are stored."])
    months = spending(ctx, months=True)
    lines = [
        [category_name(row.secondary_category or row.primary_category or "No category"), aud(row.spent)]
        for row in answer.rows[:MOST_CATEGORIES]
    ]
    return Section(
        "",
        facts=[
            ("Spent", aud(answer.spent)),
            ("Income", aud(answer.income)),
            ("Moved between own accounts", aud(answer.transfers)),
            *((name, day(end)) for name, end in (("From", answer.from_), ("To", answer.to)) if end is not None),
        ],
        figures=[spending_charts.by_category(answer.rows.frame()), spending_charts.by_month(months.rows.frame())],
        rows=[["Category", "Spent"], *lines],
        numbers=frozenset({1}),
    )


def _next_bill(ctx: Context) -> Section:
    answer = forecast(ctx)
    if answer.p50 is None or answer.metered_through is None:
        return Section("", notes=answer.notes)
    likely = "not known yet"
    if answer.p10 is not None and answer.p90 is not None:
        likely = f"{aud(answer.p10)} to {aud(answer.p90)}"
    return Section(
        "",
        facts=[
            ("Best guess", aud(answer.p50)),
            ("Likely (8 in 10)", likely),
            ("For the period to", day(answer.period.to)),
            ("Meter data to", day(answer.metered_through)),
        ],
        figures=[next_bill(answer)],
        notes=answer.notes,
    )


def _usage(ctx: Context) -> Section:
    points = [point for point in usage(ctx).service_points if point.from_ is not None]
    if not points:
        return Section("", notes=["No meter data is stored."])
    facts, figures = [], []
    for point in points:
        span = " to ".join(day(end) for end in (point.from_, point.to) if end)
        facts += [
            (f"Used, {span}", kwh(point.used or 0.0, point.energy_unit)),
            ("Measured", f"{point.coverage or 0:.1%}"),
        ]
        figures.append(usage_charts.by_month(point.by_month.frame(), unit=point.energy_unit))
        if point.average_day:
            figures.append(usage_charts.average_day(point.average_day.frame(), day_type="weekday"))
    return Section("", facts=facts, figures=figures, notes=[note for point in points for note in point.notes])


def _solar(ctx: Context) -> Section:
    points = [point for point in solar(ctx).service_points if point.generation_kwh.values is not None]
    if not points:
        return Section("", notes=["No solar is recorded."])
    facts: list[tuple[str, str]] = []
    figures = []
    for point in points:
        made, export = point.generation_kwh, point.export_kwh or 0.0
        facts += [(name, day(end)) for name, end in (("From", point.from_), ("To", point.to)) if end]
        facts += [("Panels", f"{point.panels_kw:.1f} kW"), ("Generated, about", kwh(made.mid or 0.0))]
        facts.append(("Exported", kwh(export)))
        if point.feed_in_value is not None:
            facts.append(("Earned from exports", aud(point.feed_in_value)))
        if made.values:
            figures.append(where_it_goes(made.values, export))
    return Section("", facts=facts, figures=figures, notes=[note for point in points for note in point.notes])


SECTIONS: tuple[tuple[str, Callable[[Context], Section]], ...] = (
    ("Where does the money go?", _spending),
    ("What will the next power bill be?", _next_bill),
    ("When is energy used?", _usage),
    ("What does the solar do and earn?", _solar),
)
