"""Energy as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from toolkit.answers.forecast import Forecast
from toolkit.answers.solar import Range, Solar
from toolkit.answers.usage import ServicePointUsage, Usage
from toolkit.cli.output import Answer, aud, day, kwh, percent, printable, sentence, show_notes, show_problems, table
from toolkit.flows.wording import counted


def usage(answer: Usage) -> Iterator[str]:
    for point in answer.service_points:
        yield f"Service point {printable(point.service_point_id)}: {_days(point.from_, point.to)}"
        if point.registers:
            yield from _totals(point)
        if point.base_load_kw is not None:
            yield f"  base load {point.base_load_kw:.2f} kW"
        if point.peak:
            yield f"  highest half-hour {point.peak.kw:.2f} kW on {day(point.peak.at)}"
        registers = [(r.register_suffix, r.direction, f"{r.total:,.3f}", r.unit, r.days) for r in point.registers]
        yield from table(("register", "direction", "total", "unit", "days"), registers, right=(2, 4))
        yield from (f"  {note}" for note in show_notes(point))
    if not answer.service_points:
        yield "No meter data yet. Import a meter file (`toolkit import FILE`), or `toolkit connect` and `toolkit sync`."
    yield from show_problems(answer)


def _days(first: date | None, last: date | None) -> str:
    """The days of the answer; of days that were not read, only the end that was asked for is known."""
    if first and last:
        return f"{day(first)} to {day(last)}"
    return " ".join(f"{word} {day(end)}" for word, end in (("from", first), ("to", last)) if end) or "no reads"


def _totals(point: ServicePointUsage) -> Iterator[str]:
    coverage = f"coverage {percent(point.coverage)}"
    if point.import_mj is not None:
        yield f"  used {point.import_mj:,.1f} MJ; {coverage}"
    else:
        load = point.controlled_load_kwh
        including = f" (including {kwh(load)} of controlled load)" if load else ""
        yield f"  used {kwh(point.import_kwh)}{including}"
        yield f"  exported {kwh(point.export_kwh)}; {coverage}"


def bill(answer: Answer) -> Iterator[str]:
    for plan in answer["plans"]:
        yield f"Plan {printable(plan['plan_id'])}, {_span(plan)}"
    if len(answer["plans"]) > 1:
        yield f"{_span(answer)} in all"
    several = len({(line["from"], line["to"]) for line in answer["lines"]}) > 1
    rows = [_billed(line, dated=several) for line in answer["lines"]]
    heads = ("part", "what", *(("days",) if several else ()), "quantity", "price", "GST", "amount")
    width = len(heads)
    yield from table(heads, rows, right=(width - 4, width - 3, width - 1))
    measured = percent(answer["measured_share"])
    yield f"Total {aud(answer['total'])} (includes {aud(answer['gst'])} GST); {measured} from actual reads."
    yield from _followed(answer)
    yield from show_notes(answer)
    yield from show_problems(answer)


def _span(of: dict[str, Any]) -> str:
    return f"{day(of['from'])} to {day(of['to'])} ({counted((of['to'] - of['from']).days + 1, 'day')})"


_TAX = {"added": "+10%", "included": "incl.", "none": "none"}
"""What lies between quantity x price and the amount."""


def _billed(line: dict[str, Any], *, dated: bool) -> tuple[object, ...]:
    days = (f"{day(line['from'])} to {day(line['to'])}",) if dated else ()
    priced = (f"{_number(line['quantity'])} {line['unit'] or ''}", line["unit_price"] or "", _TAX[line["gst"]])
    return line["component"], line["label"], *days, *priced, aud(line["amount"])


def _followed(answer: Answer) -> Iterator[str]:
    """The days under each price, and the reads of one day, where they were asked for."""
    if answer.get("by_day"):
        days = [(r["component"], r["label"], day(r["date"]), _measure(r)) for r in answer["by_day"] if r["quantity"]]
        yield from table(("part", "what", "day", "quantity"), days, right=(3,))
    if answer.get("reads"):
        reads = map(_read, answer["reads"])
        yield from table(("time", "register", "energy", "quality", "price"), reads, right=(2,))


def _read(row: dict[str, Any]) -> tuple[object, ...]:
    start = f"{day(row['time'])} {row['time'][11:]}"
    return start, row["register_suffix"], _measure(row), row["quality"], row["label"]


def _measure(row: dict[str, Any]) -> str:
    return f"{_number(row['quantity'])} {row['unit']}" if row["quantity"] is not None else "no value"


def _number(quantity: float | Decimal | None) -> str:
    return "" if quantity is None else f"{quantity:,.3f}".rstrip("0").rstrip(".")


def forecast(answer: Forecast) -> Iterator[str]:
    if answer.p50 is None:
        yield f"Not enough data to forecast the next bill. {sentence(answer.reason)}"
    else:
        likely = "" if answer.p10 is None else f" Likely {aud(answer.p10)}–{aud(answer.p90)} (8 in 10)."
        span = f"{day(answer.period.from_)} to {day(answer.period.to)}"
        yield f"The bill for {span} will be about {aud(answer.p50)}.{likely}"
        yield f"So far: {aud(answer.certain)} (meter data to {day(answer.metered_through)})."
    if answer.backtest.origins:
        tested = counted(answer.backtest.origins, "past bill")
        yield f"Tested on {tested}, the forecast was {aud(answer.backtest.mae)} off on average."
    yield from (f"note: {sentence(note)}" for note in answer.notes if note != answer.reason)


def solar(answer: Solar) -> Iterator[str]:
    for point in answer.service_points:
        yield f"Service point {printable(point.service_point_id)}: {_days(point.from_, point.to)}"
        yield f"  exported {kwh(point.export_kwh)}"
        if point.panels_kw is not None:
            yield f"  panels {point.panels_kw:.1f} kW ({printable(point.panels_source)})"
        yield from _range("generated", point.generation_kwh, kwh)
        yield from _range("used at home", point.self_consumption, percent)
        yield from _range("share of power from solar", point.self_sufficiency, percent)
        yield f"  feed-in {aud(point.feed_in_value)}; grid power avoided {aud(point.avoided_import_value)}"
        if point.reason:
            yield f"  {sentence(point.reason)}"
        yield from (f"  {note}" for note in show_notes(point))
    if not answer.service_points:
        yield "No meter data yet. Import a meter file (`toolkit import FILE`)."
    yield from show_problems(answer)


def _range(what: str, estimate: Range | None, show: Callable[[float], str]) -> Iterator[str]:
    if estimate and estimate.values:
        low, mid, high = estimate.values
        yield f"  {what} {show(mid)} ({show(low)} to {show(high)})"
