"""Read tariff periods: seasons, usage, supply and demand charges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from toolkit.analytics.energy.rates.contract import (
    Order,
    Reading,
    Terms,
    all_day,
    banded_daily,
    daily,
    minute_of_day,
    note_unusual_demand,
    number,
    text,
    time_zone_of,
    timed,
    window,
)
from toolkit.analytics.energy.rates.dates_and_windows import (
    DATED,
    coverage,
    day_order,
    note_order,
    span_of,
    span_text,
    with_leap_day,
)
from toolkit.analytics.energy.rates.model import (
    ALL_DAY,
    DAY,
    MONTH,
    BandRate,
    Bands,
    Block,
    DemandCharge,
    Span,
    Supply,
    Tariff,
    Window,
)
from toolkit.tables.plans import JsonObject

MONTHLY_ABOVE = Decimal(2)
"""AUD per kW: published charges are 0.01 to 0.83 a day and 2.6 to 20 a month, whatever `charge_period` states."""

_USAGE = Terms(single=DAY, varying=MONTH, gst="added")
_LAST_TWELVE = re.compile(r"(12|twelve)\W+months|annual(ly)? max|rolling", re.IGNORECASE)


def order_of_dates(contract: JsonObject) -> Order:
    """Return how the contract writes dates without a year: as its seasons show, else as its other dates do."""
    return day_order(_energy_and_overlays(contract), [contract[key] for key in DATED])


def read_periods(contract: JsonObject, reading: Reading) -> tuple[list[Tariff], list[DemandCharge]]:
    """Read the energy tariffs, in listed order, and the demand charges of a contract."""
    written: list[JsonObject] = contract["tariff_period"]
    energy, overlays = _energy_and_overlays(contract)
    spans = {id(period): span_of(period, reading.order) for period in written}
    note_order("Season", [(reading.order, span) for span in spans.values() if span is not None], reading)
    _report_unreadable(written, spans, reading)
    tariffs = _seasoned([(p, s) for p in energy if (s := spans[id(p)]) is not None])
    lying_over = _seasoned([(p, s) for p in overlays if (s := spans[id(p)]) is not None])
    _report_coverage([span for _, span in tariffs], reading)
    charges = [
        charge
        for period, span in (*tariffs, *lying_over)
        for written_charge in period["demand_charges"]
        if (charge := demand_charge(written_charge, period, span, reading)) is not None
    ]
    read = [_tariff(period, span, reading) for period, span in tariffs]
    # The first that covers a day counts: one without readable prices must not take days from one that has some.
    return sorted(read, key=lambda tariff: not tariff.rates), charges


def _energy_and_overlays(contract: JsonObject) -> tuple[list[JsonObject], list[JsonObject]]:
    """Return the periods that price energy, and those with demand charges only, which lie over them (rule 5)."""
    written: list[JsonObject] = contract["tariff_period"]
    return [p for p in written if not _demand_only(p)], [p for p in written if _demand_only(p)]


def _demand_only(period: JsonObject) -> bool:
    """Return whether a period has demand charges and no energy prices."""
    return bool(period["demand_charges"]) and not period["single_rate"] and not period["time_of_use_rates"]


def _seasoned(pairs: Sequence[tuple[JsonObject, Span]]) -> list[tuple[JsonObject, Span]]:
    """Return the pairs with 29 February in the season of 28 February."""
    spans = with_leap_day([span for _, span in pairs])
    return [(period, span) for (period, _), span in zip(pairs, spans, strict=True)]


def _report_unreadable(written: Sequence[JsonObject], spans: dict[int, Span | None], reading: Reading) -> None:
    """Report unreadable dates: a lone period then applies all year, another is left out (pricing rule 5)."""
    for period in written:
        if spans[id(period)] is not None:
            continue
        first, last = repr(period.get("start_date")), repr(period.get("end_date"))
        if len(written) == 1:
            reading.messages.note("only_season_unreadable", label=_name(period), first=first, last=last)
            spans[id(period)] = Span()
        else:
            reading.messages.problem(_name(period), f"dates {first} to {last} are unreadable")


def _report_coverage(spans: Sequence[Span], reading: Reading) -> None:
    """Note days of the year without a season, or in several; spans with a year cannot be counted so."""
    if not spans or any(not isinstance(end, (tuple, type(None))) for s in spans for end in (s.first, s.last)):
        return
    days = coverage(tuple(spans))
    if 0 in days:
        reading.messages.note("seasons_leave_gaps", days=days.count(0))
    if max(days) > 1:
        reading.messages.note("seasons_overlap")


def _name(period: JsonObject) -> str:
    return text(period, "display_name") or "tariff period"


def _name_with_season(period: JsonObject, span: Span) -> str:
    """Return the period's name with its dates, which several periods of one name need."""
    name, season = _name(period), span_text(span)
    return f"{name} ({season})" if season and season not in name else name


def _tariff(period: JsonObject, span: Span, reading: Reading) -> Tariff:
    """Read the energy and daily supply prices of one tariff period."""
    label = _name(period)
    bands, rates = _energy(period, label, reading)
    return Tariff(
        label=_name_with_season(period, span),
        span=span,
        time_zone=time_zone_of(period, reading.time_zone),
        bands=bands,
        rates=rates,
        supply=_supply(period, label, reading),
    )


def _energy(period: JsonObject, label: str, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read single or time-of-use prices; nothing, with a problem, where a period has neither."""
    single, varying = period["single_rate"], period["time_of_use_rates"]
    # Some periods carry both; then `rateBlockUType` names the one that counts.
    if single and not (varying and "time" in text(period, "rate_block_u_type").lower()):
        return _single(single, text(single, "display_name") or label, reading)
    if varying:
        return timed(varying, "", _USAGE, reading)
    reading.messages.problem(label, "it has neither a single rate nor time-of-use rates")
    return (), ()


def _single(single: JsonObject, label: str, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read a single rate, or a quota with its price above."""
    # `generalUnitPrice` counts under the pricing model QUOTA; elsewhere only where no rates are published (rule 1).
    general = number(single.get("general_unit_price")) if reading.quota or not single["rates"] else None
    if general is None:
        return all_day(single, label, _USAGE, reading)
    return _quota(single, label, general * reading.scale, reading)


def _quota(single: JsonObject, label: str, general: Decimal, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Included energy at its own price, all above it at `general_unit_price`, which includes GST (pricing rule 1)."""
    bands, rates = all_day(single, label, replace(_USAGE, open_ended=False), reading) if single["rates"] else ((), ())
    within = tuple(block for block in rates[0].blocks if block.width is not None) if rates else ()
    reading.messages.note("above_quota", label=label, price=general, unit=reading.unit)
    rate = BandRate(label, (*within, Block(general, gst="included")), rates[0].period if rates else DAY)
    return bands or ((ALL_DAY,),), (rate,)


def _supply(period: JsonObject, label: str, reading: Reading) -> Supply | None:
    """Read the daily supply charge, banded by the year's energy where the period's type asks for it (rule 5)."""
    bands: list[JsonObject] = period["banded_daily_supply_charges"]
    if bands and (text(period, "daily_supply_charge_type").upper() == "BAND" or not period["daily_supply_charge"]):
        return banded_daily(bands, label, reading)
    return daily(period["daily_supply_charge"], label, reading)


def demand_charge(written: JsonObject, period: JsonObject, span: Span, reading: Reading) -> DemandCharge | None:
    """Return one demand charge of a tariff period (pricing rule 7); None, with a problem, if it cannot be priced."""
    label = text(written, "display_name", "description") or "Demand"
    amount, when = number(written.get("amount")), _demand_window(written)
    if amount is None or isinstance(when, str):
        reading.messages.problem(label, when if isinstance(when, str) else "the demand charge has no readable amount")
        return None
    price = amount * reading.scale
    charge = DemandCharge(
        label=label,
        span=span,
        time_zone=time_zone_of(period, reading.time_zone),
        bands=((when,),),
        price=price,
        monthly=price > MONTHLY_ABOVE,
        least=number(written.get("min_demand")),
        most=number(written.get("max_demand")),
        tariff_period=_name_with_season(period, span),
    )
    _note_demand(written, charge, reading)
    return charge


def _demand_window(written: JsonObject) -> Window | str:
    """Read the window; midnight to midnight is the whole day with days, and nothing without (pricing rule 7)."""
    given = [written.get("start_time"), written.get("end_time")]
    absent = all(time is None or minute_of_day(time) == 0 for time in given)
    if absent and not written.get("days"):
        return "no window is published for this demand charge"
    return window({"start_time": "0", "end_time": "0", "days": written["days"]}) if absent else window(written)


def _note_demand(written: JsonObject, charge: DemandCharge, reading: Reading) -> None:
    """Note what is read into a demand charge: limits, units, the month and the last twelve months (pricing rule 7)."""
    for name in ("min_demand", "max_demand"):
        if written.get(name) not in (None, "") and number(written[name]) is None:
            reading.messages.problem(charge.label, f"its {name} {written[name]!r} is not a number, so it is ignored")
    if text(written, "measure_unit").upper() in {"KVA", "KVAR", "KVARH"}:
        reading.messages.note("demand_unit", label=charge.label, unit=text(written, "measure_unit"))
    if charge.monthly:
        reading.messages.note("demand_monthly", label=charge.label, price=charge.price)
    if _LAST_TWELVE.search(" ".join(text(written, key) for key in ("display_name", "description"))):
        reading.messages.note("demand_rolling", label=charge.label)
    note_unusual_demand(charge, reading.messages)
