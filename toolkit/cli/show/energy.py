"""Energy as text."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from toolkit.cli.output import Answer, aud, day, kwh, percent, printable, sentence, show_notes, show_problems, table
from toolkit.flows.wording import counted


def usage(answer: Answer) -> Iterator[str]:
    for point in answer["service_points"]:
        yield f"Service point {printable(point['service_point_id'])}: {_asked_span(point)}"
        if point["registers"]:
            yield from _totals(point)
        yield from _shape(point)
        yield from table(("register", "direction", "total", "unit", "days"), _registers(point), right=(2, 4))
        yield from (f"  {note}" for note in show_notes(point))
    if not answer["service_points"]:
        yield "No meter data yet. Import a meter file (`toolkit import FILE`), or `toolkit connect` and `toolkit sync`."
    yield from show_problems(answer)


def _asked_span(point: dict[str, Any]) -> str:
    """The days of the answer; of days that were not read, only the end that was asked for is known."""
    spans = {"from": point["from"], "to": point["to"]}
    both = None not in spans.values()
    return f"{day(spans['from'])} to {day(spans['to'])}" if both else _one_end(spans)


def _one_end(spans: dict[str, Any]) -> str:
    return " ".join(f"{word} {day(moment)}" for word, moment in spans.items() if moment) or "no reads"


def _totals(point: dict[str, Any]) -> Iterator[str]:
    coverage = f"coverage {percent(point['coverage'])}"
    if point["import_mj"] is not None:
        yield f"  used {point['import_mj']:,.1f} MJ; {coverage}"
    else:
        load = point["controlled_load_kwh"]
        including = f" (including {kwh(load)} of controlled load)" if load else ""
        yield f"  used {kwh(point['import_kwh'])}{including}"
        yield f"  exported {kwh(point['export_kwh'])}; {coverage}"


def _shape(point: dict[str, Any]) -> Iterator[str]:
    if point["base_load_kw"] is not None:
        yield f"  base load {point['base_load_kw']:.2f} kW"
    if point["peak"]:
        yield f"  highest half-hour {point['peak']['kw']:.2f} kW on {day(point['peak']['at'])}"


def _registers(point: dict[str, Any]) -> list[tuple[object, ...]]:
    return [
        (entry["register_suffix"], entry["direction"], f"{entry['total']:,.3f}", entry["unit"], entry["days"])
        for entry in point["registers"]
    ]


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


def forecast(answer: Answer) -> Iterator[str]:
    period = answer["period"]
    if answer["p50"] is None:
        yield f"Not enough data to forecast the next bill. {sentence(answer['reason'])}"
    else:
        span = f"{day(period['from'])} to {day(period['to'])}"
        yield f"The bill for {span} will be about {aud(answer['p50'])}.{_range(answer)}"
        yield f"So far: {aud(answer['certain'])} (meter data to {day(answer['metered_through'])})."
    yield from _track_record(answer["backtest"])
    yield from show_notes({"notes": [note for note in answer["notes"] if note != answer["reason"]]})


def _range(answer: Answer) -> str:
    if answer["p10"] is None:
        return ""
    return f" Likely {aud(answer['p10'])}–{aud(answer['p90'])} (8 in 10)."


def _track_record(backtest: dict[str, Any] | None) -> Iterator[str]:
    if backtest and backtest.get("origins"):
        mae = backtest.get("mae")
        yield f"Tested on {counted(backtest['origins'], 'past bill')}, the forecast was {aud(mae)} off on average."


def solar(answer: Answer) -> Iterator[str]:
    for point in answer["service_points"]:
        yield f"Service point {printable(point['service_point_id'])}: {_asked_span(point)}"
        yield f"  exported {kwh(point['export_kwh'])}"
        if point["panels_kw"] is not None:
            yield f"  panels {point['panels_kw']:.1f} kW ({printable(point['panels_source'])})"
        yield from _band("generated", point["generation_kwh"], kwh)
        yield from _band("used at home", point["self_consumption"], percent)
        yield from _band("share of power from solar", point["self_sufficiency"], percent)
        yield f"  feed-in {aud(point['feed_in_value'])}; grid power avoided {aud(point['avoided_import_value'])}"
        if point["reason"]:
            yield f"  {sentence(point['reason'])}"
        yield from (f"  {note}" for note in show_notes(point))
    if not answer["service_points"]:
        yield "No meter data yet. Import a meter file (`toolkit import FILE`)."
    yield from show_problems(answer)


def _band(what: str, band: dict[str, float | None] | None, show: Any) -> Iterator[str]:
    if band and band.get("mid") is not None:
        yield f"  {what} {show(band['mid'])} ({show(band['low'])} to {show(band['high'])})"
