"""Read what a contract charges: tariff periods with demand, controlled load, discounts, fees, metering."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from toolkit.analytics.energy.rates.contract import (
    Order,
    PlanMessages,
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
    title,
    window,
)
from toolkit.analytics.energy.rates.dates import (
    coverage,
    dated_parts,
    day_order,
    note_order,
    span_of,
    span_text,
    spans_in_force,
    with_leap_day,
)
from toolkit.analytics.energy.rates.model import (
    ALL_DAY,
    DAY,
    MONTH,
    WEEK,
    YEAR,
    BandRate,
    Bands,
    Block,
    DemandCharge,
    Discount,
    Duration,
    RecurringCharge,
    Span,
    Supply,
    Tariff,
    Window,
    read_duration,
)
from toolkit.tables.rows.contracts import (
    Band,
    Contract,
    ControlledLoad,
    Fee,
    MeteringCharge,
    TariffPeriod,
    WrittenDemand,
    WrittenDiscount,
)

MONTHLY_ABOVE = Decimal(2)
"""AUD per kW: published charges are 0.01 to 0.83 a day and 2.6 to 20 a month, whatever `charge_period` states."""

_USAGE = Terms(single=DAY, varying=MONTH, gst="added")
_LAST_TWELVE = re.compile(r"(12|twelve)\W+months|annual(ly)? max|rolling", re.IGNORECASE)


def order_of_dates(contract: Contract) -> Order:
    """Return how the contract writes dates without a year: as its seasons show, else as its other dates do."""
    return day_order(_energy_and_overlays(contract), dated_parts(contract))


def read_periods(contract: Contract, reading: Reading) -> tuple[list[Tariff], list[DemandCharge]]:
    """Read the energy tariffs, in listed order, and the demand charges of a contract."""
    written = contract["tariff_period"]
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


def _energy_and_overlays(contract: Contract) -> tuple[list[TariffPeriod], list[TariffPeriod]]:
    """Return the periods that price energy, and those with demand charges only, which lie over them (rule 5)."""
    written = contract["tariff_period"]
    return [p for p in written if not _demand_only(p)], [p for p in written if _demand_only(p)]


def _demand_only(period: TariffPeriod) -> bool:
    """Return whether a period has demand charges and no energy prices."""
    return bool(period["demand_charges"]) and not period["single_rate"] and not period["time_of_use_rates"]


def _seasoned(pairs: Sequence[tuple[TariffPeriod, Span]]) -> list[tuple[TariffPeriod, Span]]:
    """Return the pairs with 29 February in the season of 28 February."""
    spans = with_leap_day([span for _, span in pairs])
    return [(period, span) for (period, _), span in zip(pairs, spans, strict=True)]


def _report_unreadable(written: Sequence[TariffPeriod], spans: dict[int, Span | None], reading: Reading) -> None:
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


def _name(period: TariffPeriod) -> str:
    return text(period.get("display_name")) or "tariff period"


def _name_with_season(period: TariffPeriod, span: Span) -> str:
    """Return the period's name with its dates, which several periods of one name need."""
    name, season = _name(period), span_text(span)
    return f"{name} ({season})" if season and season not in name else name


def _tariff(period: TariffPeriod, span: Span, reading: Reading) -> Tariff:
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


def _energy(period: TariffPeriod, label: str, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read single or time-of-use prices; nothing, with a problem, where a period has neither."""
    single, varying = period["single_rate"], period["time_of_use_rates"]
    # Some periods carry both; then `rateBlockUType` names the one that counts.
    if single and not (varying and "time" in text(period.get("rate_block_u_type")).lower()):
        return _single(single, text(single.get("display_name")) or label, reading)
    if varying:
        return timed(varying, "", _USAGE, reading)
    reading.messages.problem(label, "the plan has neither a single rate nor time-of-use rates")
    return (), ()


def _single(single: Band, label: str, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Read a single rate, or a quota with its price above."""
    # `generalUnitPrice` counts under the pricing model QUOTA; elsewhere only where no rates are published (rule 1).
    general = number(single.get("general_unit_price")) if reading.quota or not single["rates"] else None
    if general is None:
        return all_day(single, label, _USAGE, reading)
    return _quota(single, label, general * reading.scale, reading)


def _quota(single: Band, label: str, general: Decimal, reading: Reading) -> tuple[Bands, tuple[BandRate, ...]]:
    """Included energy at its own price, all above it at `general_unit_price`, which includes GST (pricing rule 1)."""
    bands, rates = all_day(single, label, replace(_USAGE, open_ended=False), reading) if single["rates"] else ((), ())
    within = tuple(block for block in rates[0].blocks if block.width is not None) if rates else ()
    reading.messages.note("above_quota", label=label, price=general, unit=reading.unit)
    rate = BandRate(label, (*within, Block(general, gst="included")), rates[0].period if rates else DAY)
    return bands or ((ALL_DAY,),), (rate,)


def _supply(period: TariffPeriod, label: str, reading: Reading) -> Supply | None:
    """Read the daily supply charge, banded by the year's energy where the period's type asks for it (rule 5)."""
    bands = period["banded_daily_supply_charges"]
    if bands and (text(period.get("daily_supply_charge_type")).upper() == "BAND" or not period["daily_supply_charge"]):
        return banded_daily(bands, label, reading)
    return daily(period["daily_supply_charge"], label, reading)


def demand_charge(written: WrittenDemand, period: TariffPeriod, span: Span, reading: Reading) -> DemandCharge | None:
    """Return one demand charge of a tariff period (pricing rule 7); None, with a problem, if it cannot be priced."""
    label = title(written) or "Demand"
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


def _demand_window(written: WrittenDemand) -> Window | str:
    """Read the window; midnight to midnight is the whole day with days, and nothing without (pricing rule 7)."""
    given = [written.get("start_time"), written.get("end_time")]
    absent = all(time is None or minute_of_day(time) == 0 for time in given)
    if absent and not written.get("days"):
        return "no window is published for this demand charge"
    return window({"start_time": "0", "end_time": "0", "days": written["days"]}) if absent else window(written)


def _note_demand(written: WrittenDemand, charge: DemandCharge, reading: Reading) -> None:
    """Note what is read into a demand charge: limits, units, the month and the last twelve months (pricing rule 7)."""
    for name in ("min_demand", "max_demand"):
        limit = written.get(name)
        if limit not in (None, "") and number(limit) is None:
            reading.messages.problem(charge.label, f"its {name} {limit!r} is not a number, so it is ignored")
    if text(written.get("measure_unit")).upper() in {"KVA", "KVAR", "KVARH"}:
        reading.messages.note("demand_unit", label=charge.label, unit=text(written.get("measure_unit")))
    if charge.monthly:
        reading.messages.note("demand_monthly", label=charge.label, price=charge.price)
    if _LAST_TWELVE.search(f"{text(written.get('display_name'))} {text(written.get('description'))}"):
        reading.messages.note("demand_rolling", label=charge.label)
    note_unusual_demand(charge, reading.messages)


_CONTROLLED_LOAD = Terms(single=MONTH, varying=MONTH, gst="added")
_FEE_TERMS = {"ANNUAL": YEAR, "MONTHLY": MONTH, "WEEKLY": WEEK, "DAILY": DAY}


def read_controlled_loads(contract: Contract, reading: Reading) -> list[Tariff]:
    """Read controlled loads in listed order; on each day the first that covers it counts (pricing rule 8)."""
    named = []
    for n, written in enumerate(contract["controlled_load"], start=1):
        single = written["single_rate"] or Band()
        label = text(written.get("display_name"), single.get("display_name")) or f"Controlled load {n}"
        named.append((label, written))
    spans = spans_in_force(named, "Controlled load", reading)
    offered = [(label, written, span) for (label, written), span in zip(named, spans, strict=True) if span is not None]
    loads = [_load(label, written, span, reading) for label, written, span in offered]
    if len(loads) > 1:
        if len({load.span for load in loads}) == 1:
            reading.messages.note("controlled_loads_first", count=len(loads), label=loads[0].label)
        else:
            reading.messages.note("controlled_loads_by_day", count=len(loads))
    return loads


def _load(label: str, written: ControlledLoad, span: Span, reading: Reading) -> Tariff:
    """Read the energy and daily prices of one controlled load."""
    if written["time_of_use_rates"] and not written["single_rate"]:
        bands, rates = timed(written["time_of_use_rates"], label, _CONTROLLED_LOAD, reading)
        supply = _one_supply(written["time_of_use_rates"], label, reading)
    else:
        single: Band = written["single_rate"] or {"rates": []}
        bands, rates = all_day(single, label, _CONTROLLED_LOAD, reading)
        supply = daily(single.get("daily_supply_charge"), label, reading)
    return Tariff(label, span, reading.other_time_zone, bands, rates, supply)


def _one_supply(bands: Sequence[Band], label: str, reading: Reading) -> Supply | None:
    """Return one charge a day for the circuit: retailers repeat it on each time-of-use band (pricing rule 8)."""
    charges = [s for band in bands if (s := daily(band.get("daily_supply_charge"), label, reading)) is not None]
    if len(set(charges)) > 1:
        reading.messages.note("several_daily_charges", label=label)
    return charges[0] if charges else None


def read_discounts(contract: Contract, reading: Reading) -> list[Discount]:
    """Read the percentage discounts; fixed amounts are notes (pricing rule 10)."""
    named = [(title(written) or "Discount", written) for written in contract["discounts"]]
    spans = spans_in_force(named, "Discount", reading)
    read = [_discount(label, written, reading.messages) for label, written in named]
    pairs = zip(read, spans, strict=True)
    return [replace(discount, span=span) for discount, span in pairs if discount is not None and span is not None]


_METHODS: dict[str, Literal["bill", "use", "over"]] = {
    "percent_of_bill": "bill",
    "percent_of_use": "use",
    "percent_over_threshold": "over",
}


def _discount(label: str, written: WrittenDiscount, messages: PlanMessages) -> Discount | None:
    """Return the discount without its days; None, with a note or a problem, where it is not a percentage."""
    for key, base in _METHODS.items():
        terms = written.get(key)
        if isinstance(terms, dict):
            figures = number(terms.get("rate")), number(terms.get("usage_amount"))
            return _percentage(written, figures, label, base, messages)
    fixed = written.get("fixed_amount")
    amount = number(fixed.get("amount")) if isinstance(fixed, dict) else None
    if amount is None:
        messages.problem(label, "the form of the discount is unknown")
    else:
        messages.note("fixed_discount", label=label, amount=amount)
    return None


def _percentage(
    written: WrittenDiscount,
    figures: tuple[Decimal | None, Decimal | None],
    label: str,
    base: Literal["bill", "use", "over"],
    messages: PlanMessages,
) -> Discount | None:
    """Return a discount of (rate, threshold); None, with a problem, where its figures are unreadable."""
    rate, threshold = figures
    if rate is None or (base == "over" and threshold is None):
        messages.problem(label, "the discount has no readable percentage or threshold")
        return None
    return Discount(
        label=label,
        base=base,
        share=share_of(rate),
        guaranteed=text(written.get("type")).upper() == "GUARANTEED",
        threshold=threshold or Decimal(0),
    )


def share_of(rate: Decimal) -> Decimal:
    """Return a percentage as a share: retailers write `0.05` and `5` for five per cent (pricing rule 10)."""
    return rate / 100 if rate >= 1 else rate


def read_recurring(contract: Contract, metering: Sequence[MeteringCharge], reading: Reading) -> list[RecurringCharge]:
    """Read recurring fees (GST included) and metering charges with a period (GST added); others are notes."""
    fees = [fee for written in contract["fees"] if (fee := _fee(written, reading.messages)) is not None]
    left = len(contract["fees"]) - len(fees)
    if left:
        reading.messages.note("occasional_fees", count=left)
    charges = [charge for written in metering if (charge := _metering(written, reading)) is not None]
    return [fee for fee in (*fees, *charges) if fee.price != 0]


def _fee(written: Fee, messages: PlanMessages) -> RecurringCharge | None:
    """Return a recurring fee; None for another one, or, with a problem, where its amount cannot be read."""
    term, kind = text(written.get("term")).upper(), text(written.get("type")).upper()
    # Membership without a term is by the year (pricing rule 11).
    every = _FEE_TERMS.get(term) or (YEAR if kind == "MEMBERSHIP" and term in {"", "FIXED"} else None)
    if every is None:
        return None
    label = text(written.get("description")) or f"{kind or 'Fee'}".capitalize()
    amount = number(written.get("amount"))
    if amount is None:
        if written.get("amount") not in (None, ""):
            messages.problem(label, f"its amount {written['amount']!r} is not a number, so the fee is not billed")
        return None
    return RecurringCharge("fee", label, amount, every, "included")


def _metering(written: MeteringCharge, reading: Reading) -> RecurringCharge | None:
    """Read a metering charge; None, with a note, without a period (pricing rule 11)."""
    label = title(written) or "Metering"
    every: Duration | None = read_duration(written.get("period"))
    least, most = number(written.get("minimum_value")), number(written.get("maximum_value"))
    if every is None or least is None:
        reading.messages.note("metering_not_billed", label=label)
        return None
    if most is not None and most != least:
        reading.messages.note("metering_range", label=label, least=least, most=most, period=str(every))
    return RecurringCharge("metering", label, least * reading.scale, every, "added")


def note_offers(contract: Contract, messages: PlanMessages) -> None:
    """Note green power and incentives: they are the customer's choice and not billed (pricing rule 11)."""
    offers = (
        (contract["green_power_charges"], "green_power_not_billed"),
        (contract["incentives"], "incentives_not_billed"),
    )
    for listed, code in offers:
        names = [title(written) or "unnamed" for written in listed]
        if names:
            messages.note(code, names="; ".join(dict.fromkeys(names)))
