"""The page to hand over: every answer that the stored data gives, in one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from toolkit.charts import spending as spending_charts
from toolkit.charts import usage as usage_charts
from toolkit.charts.forecast import Range, next_bill
from toolkit.charts.solar import Generation, where_it_goes
from toolkit.charts.style import aud, day, kwh
from toolkit.errors import StoreError, ToolkitError
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context, nothing_stored, open_home
from toolkit.flows.money.spending import spending
from toolkit.flows.wording import with_local_dates
from toolkit.report import Section, is_page, render
from toolkit.store.files import replace_private
from toolkit.tables.reference.category_names import category_name

MOST_CATEGORIES = 15


def report(ctx: Context, out: Path) -> dict[str, Any]:
    """`report`: write one HTML file that needs no network. A section without data gives the reason.

    An earlier report is replaced whole, nothing else (UsageError). The file is readable by its owner alone. It has no
    account numbers.
    """
    if not ctx.db.exists():
        raise StoreError(nothing_stored(ctx.db))
    refuse_to_replace(out, ctx.db, earlier="an earlier report", is_earlier=_is_report)
    with open_home(ctx) as (_store, household):
        name = household.name
    sections = [_answered(title, make, ctx) for title, make in SECTIONS]
    page = render(f"Money and energy of {name}", f"As of {day(ctx.today)}", sections)
    replace_private(out, lambda path: path.write_text(page, encoding="utf-8"))
    return {"out": str(out), "bytes": out.stat().st_size, "sections": [section.title for section in sections]}


def _is_report(path: Path) -> bool:
    return is_page(path.read_text(encoding="utf-8", errors="replace"))


def _answered(title: str, make: Callable[[Context], Section], ctx: Context) -> Section:
    try:
        made = make(ctx)
        return replace(made, title=title, notes=[with_local_dates(note) for note in made.notes])
    except ToolkitError as error:
        return Section(title, notes=[str(error)])


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
    if answer["p50"] is None:
        return Section("", notes=answer["notes"])
    low, high = answer["p10"], answer["p90"]
    span = "not known yet" if low is None or high is None else f"{aud(low)} to {aud(high)}"
    expected = Range(_float(answer["certain"]), _float(low), float(answer["p50"]), _float(high))
    return Section(
        "",
        facts=[
            ("Best guess", aud(answer["p50"])),
            ("Eight times in ten between", span),
            ("For the period to", day(answer["period"]["to"])),
            ("Meter data to", day(answer["metered_through"])),
        ],
        figures=[next_bill(expected)],
        notes=answer["notes"],
    )


def _float(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _usage(ctx: Context) -> Section:
    points = [point for point in usage(ctx)["service_points"] if point["from"] is not None]
    if not points:
        return Section("", notes=["No meter data is stored."])
    facts, figures = [], []
    for point in points:
        unit = "MJ" if point["import_kwh"] is None else "kWh"
        used = point["import_mj"] if point["import_kwh"] is None else point["import_kwh"]
        span = f"{day(point['from'])} to {day(point['to'])}"
        facts += [(f"Used, {span}", kwh(used or 0.0, unit)), ("Measured", f"{point['coverage'] or 0:.1%}")]
        figures.append(usage_charts.by_month(pl.DataFrame(point["by_month"], infer_schema_length=None), unit=unit))
        if point["average_day"]:
            figures.append(usage_charts.average_day(pl.DataFrame(point["average_day"]), day_type="weekday"))
    return Section("", facts=facts, figures=figures, notes=[note for point in points for note in point["notes"]])


def _solar(ctx: Context) -> Section:
    points = [point for point in solar(ctx)["service_points"] if point["generation_kwh"]["mid"] is not None]
    if not points:
        return Section("", notes=["No solar is known of."])
    facts, figures = [], []
    for point in points:
        made = point["generation_kwh"]
        facts += [("From", day(point["from"])), ("To", day(point["to"]))]
        facts += [("Panels", f"{point['panels_kw']:.1f} kW"), ("Made, about", kwh(made["mid"]))]
        facts += [("Sold", kwh(point["export_kwh"] or 0.0)), *_earned(point["feed_in_value"], aud)]
        figures.append(where_it_goes(Generation(made["low"], made["mid"], made["high"], point["export_kwh"] or 0.0)))
    return Section("", facts=facts, figures=figures, notes=[note for point in points for note in point["notes"]])


def _earned(value: Any, shown: Callable[[Any], str]) -> Sequence[tuple[str, str]]:
    return [] if value is None else [("Earned by selling", shown(value))]


SECTIONS: tuple[tuple[str, Callable[[Context], Section]], ...] = (
    ("Where does the money go?", _spending),
    ("What will the next power bill be?", _next_bill),
    ("When is energy used?", _usage),
    ("What does the solar do and earn?", _solar),
)
