"""Energy as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal

from toolkit.answers.energy.bills import PART_LABELS, Bill, BillAgainst, DayQuantity, PlanDays, PricedRead
from toolkit.answers.energy.forecast import EvenPayments, Forecast
from toolkit.answers.energy.solar import Range, ServicePointSolar, Solar
from toolkit.answers.energy.usage import FigureBasis, ServicePointUsage, Usage
from toolkit.answers.energy.usage_costs import PART_NAMES, UsageCosts
from toolkit.answers.wording.ranges import likely_between
from toolkit.cli.output import aud, day, kwh, percent, printable, sentence, show_notes, show_problems, table
from toolkit.flows.household.service_points import NO_METER
from toolkit.flows.wording import counted


def usage(answer: Usage) -> Iterator[str]:
    """Show totals, base load, peak and registers of each service point."""
    for point in answer.service_points:
        yield f"Service point {printable(point.service_point_id)}: {_days(point.from_, point.to)}"
        if point.registers:
            yield from _totals(point)
        rests = {row.figure: row for row in point.basis}
        if point.base_load_kw is not None and rests["base_load_kw"].is_enough:
            yield f"  base load {point.base_load_kw:.2f} kW{_resting_on(rests['base_load_kw'], 'night')}"
        if point.peak and rests["peak"].is_enough:
            when = f"{day(point.peak.at)}, {point.peak.at:%H:%M}"
            yield f"  highest half-hour {point.peak.kw:.2f} kW on {when}{_resting_on(rests['peak'], 'day')}"
        if point.year_on_year:
            yield f"  {sentence(point.year_on_year.sentence.local())}"
        if point.costs:
            yield from _costs(point.costs)
        yield from (f"  {row.reason.local()}" for row in point.basis if row.reason)
        registers = [(r.register_suffix, r.direction, f"{r.total:,.3f}", r.unit, r.days) for r in point.registers]
        yield from table(("register", "direction", "total", "unit", "days"), registers, right=(2, 4))
        yield from (f"  {note}" for note in show_notes(point))
    if not answer.service_points:
        yield NO_METER
    yield from show_problems(answer)


def _resting_on(basis: FigureBasis, noun: str) -> str:
    """Word the days behind a figure."""
    substituted = f", {percent(basis.substituted_share, 1)} substituted" if basis.substituted_share else ""
    return f" ({counted(basis.days, noun)}, {percent(basis.coverage, 1)} metered{substituted})"


def _costs(costs: UsageCosts) -> Iterator[str]:
    """Show what the parts of usage and each hour of the day cost, and what has no hour."""
    days = f"{day(costs.from_)} to {day(costs.to)}"
    yield f"  {kwh(costs.energy_kwh)} from the grid cost {aud(costs.energy_cost)} from {days}, by time of day:"
    parts = [(PART_NAMES[part.name], kwh(part.kwh), aud(part.cost), percent(part.cost_share)) for part in costs.parts]
    yield from table(("part", "energy", "cost", "share"), parts, right=(1, 2, 3))
    hours = [(f"{row.hour:02d}:00", kwh(row.kwh + row.controlled_load_kwh), aud(row.cost)) for row in costs.hours]
    yield from table(("hour", "energy", "cost"), hours, right=(1, 2))
    rest = ", ".join(f"{name.replace('_', ' ')} {aud(amount)}" for name, amount in costs.other.items())
    yield f"  without a time of day: {rest or 'nothing'}; all together {aud(costs.total)}"
    yield from (f"  {note}" for note in show_notes(costs))


def _days(first: date | None, last: date | None) -> str:
    """Return the days of the answer; where nothing was read, only the requested end is known."""
    if first and last:
        return f"{day(first)} to {day(last)}"
    return " ".join(f"{word} {day(end)}" for word, end in (("from", first), ("to", last)) if end) or "no reads"


def _totals(point: ServicePointUsage) -> Iterator[str]:
    coverage = f"coverage {percent(point.coverage, 1)}"
    if point.import_mj is not None:
        yield f"  used {point.import_mj:,.1f} MJ; {coverage}"
    else:
        load = point.controlled_load_kwh
        including = f" (including {kwh(load)} of controlled load)" if load else ""
        exports = any(register.direction == "export" for register in point.registers)
        used = f"  used {kwh(point.import_kwh)}{including}"
        yield from (used, f"  exported {kwh(point.export_kwh)}; {coverage}") if exports else (f"{used}; {coverage}",)


def bill(answer: Bill) -> Iterator[str]:
    """Show the lines of a bill, its total, and what was followed to its reads."""
    for plan in answer.plans:
        yield f"Plan {printable(plan.plan_id)}, {_span(plan)}"
    if len(answer.plans) > 1:
        yield f"{_span(answer)} in all"
    several = len({(line.from_, line.to) for line in answer.lines}) > 1
    heads = ("part", "what", *(("days",) if several else ()), "quantity", "price", "GST", "amount")
    rows = [
        (
            line.component,
            line.label,
            *((f"{day(line.from_)} to {day(line.to)}",) if several else ()),
            f"{_number(line.quantity)} {line.unit}",
            line.unit_price,
            _TAX[line.gst],
            aud(line.amount),
        )
        for line in answer.lines
    ]
    yield from table(heads, rows, right=(len(heads) - 4, len(heads) - 3, len(heads) - 1))
    from_bills = any(note.code == "energy_from_bills" for note in answer.notes)
    read = "energy from your bills" if from_bills else f"{percent(answer.measured_share, 1)} from actual reads"
    yield f"Total {aud(answer.total)} (includes {aud(answer.gst)} GST); {read}."
    if answer.by_day:
        days = [(row.component, row.label, day(row.date), _measure(row)) for row in answer.by_day if row.quantity]
        yield from table(("part", "what", "day", "quantity"), days, right=(3,))
    if answer.reads:
        reads = [
            (f"{day(read.time)} {read.time[11:]}", read.register_suffix, _measure(read), read.quality, read.label)
            for read in answer.reads
        ]
        yield from table(("time", "register", "energy", "quality", "price"), reads, right=(2,))
    if answer.against:
        yield from _against(answer, answer.against)
    yield from show_notes(answer)
    yield from show_problems(answer)


def _against(answer: Bill, other: BillAgainst) -> Iterator[str]:
    """Show how the bill differs from another, and the parts that the difference is made of."""
    more = answer.total - other.total
    how = "as much as" if not more else f"{aud(abs(more))} {'more' if more > 0 else 'less'} than"
    yield f"That is {how} the {aud(other.total)} of {_span(other)}{':' if other.parts else '.'}"
    if other.parts:
        rows = [(PART_LABELS[part.name], aud(part.amount)) for part in other.parts]
        yield from table(("why", "amount"), rows, right=(1,))
    yield from show_notes(other)


def _span(days: Bill | PlanDays | BillAgainst) -> str:
    return f"{day(days.from_)} to {day(days.to)} ({counted((days.to - days.from_).days + 1, 'day')})"


_TAX = {"added": "+10%", "included": "incl.", "none": "none"}
"""What lies between quantity x price and the amount."""


def _measure(row: DayQuantity | PricedRead) -> str:
    return "no value" if row.quantity is None else f"{_number(row.quantity)} {row.unit}"


def _number(quantity: float) -> str:
    return f"{quantity:,.3f}".rstrip("0").rstrip(".")


def forecast(answer: Forecast) -> Iterator[str]:
    """Show the next bill with its range and track record, the months ahead, and the even payments."""
    if answer.p50 is None:
        yield f"Not enough data to forecast the next bill. {sentence(answer.reason)}"
    else:
        likely = "" if answer.p10 is None else f", {likely_between(aud(answer.p10), aud(answer.p90))}"
        span = f"{day(answer.period.from_)} to {day(answer.period.to)}"
        yield f"The bill for {span} will be about {aud(answer.p50)}{likely}."
        yield f"So far: {aud(answer.certain)} (meter data to {day(answer.metered_through)})."
    if answer.due:
        yield f"It is likely due on {day(answer.due)}."
    if answer.backtest.origins:
        periods = "past billing period" if answer.is_tested_on_bills else "overlapping past period"
        tested = counted(answer.backtest.origins, periods)
        yield f"Tested on {tested}, the forecast was {aud(answer.backtest.mae)} off on average."
    if answer.months:
        rows = [(f"{day(m.from_)} to {day(m.to)}", aud(m.p10), aud(m.p50), aud(m.p90)) for m in answer.months]
        yield from table(("month", "low", "likely", "high"), rows, right=(1, 2, 3))
    if answer.even_payments:
        yield from _even_payments(answer.even_payments)
    yield from (f"note: {sentence(note)}" for note in answer.notes if note != answer.reason)


def _even_payments(even: EvenPayments) -> Iterator[str]:
    """Show the payments that cover twelve months."""
    rows = [
        (enough, aud(each.weekly), aud(each.fortnightly), aud(each.monthly))
        for enough, each in (("a usual year", even.p50), ("all but about 1 year in 10", even.p90))
    ]
    yield from table(("even payments that cover", "weekly", "fortnightly", "monthly"), rows, right=(1, 2, 3))
    if even.arrears is not None and even.over_months is not None:
        yield f"This includes {aud(even.arrears)} owed, paid off over {counted(even.over_months, 'month')}."


def solar(answer: Solar) -> Iterator[str]:
    """Show generation, self-use and value at each service point."""
    for point in answer.service_points:
        yield f"Service point {printable(point.service_point_id)}: {_days(point.from_, point.to)}"
        yield f"  exported {kwh(point.export_kwh)}{_metered(point)}"
        if point.panels_kw is not None:
            yield f"  panels {point.panels_kw:.1f} kW ({printable(point.panels_source)})"
        yield from _range(_GENERATED.get(point.generation_source or "", "generated"), point.generation_kwh, kwh)
        yield from _range("used at home", point.self_consumption, percent)
        yield from _range("share of power from solar", point.self_sufficiency, percent)
        money = point.avoided_import_range
        both = "" if money is None or money.low == money.high else f" ({aud(money.low)} to {aud(money.high)})"
        yield f"  feed-in {aud(point.feed_in_value)}; grid power avoided {aud(point.avoided_import_value)}{both}"
        yield from _working(point)
        if point.reason:
            yield f"  {sentence(point.reason)}"
        yield from (f"  {note}" for note in show_notes(point))
    if not answer.service_points:
        yield NO_METER
    yield from show_problems(answer)


def _metered(point: ServicePointSolar) -> str:
    """Word how much of the days is metered; nothing where there are no reads."""
    if point.coverage is None:
        return ""
    substituted = f", {percent(point.substituted_share, 1)} substituted" if point.substituted_share else ""
    return f"; coverage {percent(point.coverage, 1)}{substituted}"


_GENERATED = {"inverter": "generated (by the inverter)", "meter": "generated (metered)", "estimate": "generated, about"}


def _working(point: ServicePointSolar) -> Iterator[str]:
    """Show days on which something seems wrong, and the change from year to year."""
    if days := point.days_to_check:
        missing = kwh(sum(each.kwh for each in days))
        value = sum((each.value or Decimal(0) for each in days), Decimal(0))
        worth = f", worth {aud(value)}" if value else ""
        first, last = day(days[0].date), day(days[-1].date)
        yield f"  {counted(len(days), 'day')} to check from {first} to {last}: {missing} missing{worth}"
        yield from (f"    {sentence(reason)}" for reason in dict.fromkeys(each.reason for each in days))
    if point.year_change and point.year_change.ratio.values:
        low, mid, high = point.year_change.ratio.values
        yield f"  output against the year before: {mid - 1:+z.1%} ({low - 1:+z.1%} to {high - 1:+z.1%})"


def _range(what: str, estimate: Range | None, show: Callable[[float], str]) -> Iterator[str]:
    if estimate and estimate.values:
        low, mid, high = estimate.values
        yield f"  {what} {show(mid)}" + (f" ({show(low)} to {show(high)})" if low < high else "")
