"""Compile a plan to its terms and flat rates, and keep compiled plans as bytes, so that one is compiled only once."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal

import msgspec

from toolkit.analytics.energy.rates.charges import (
    note_offers,
    order_of_dates,
    read_controlled_loads,
    read_discounts,
    read_periods,
    read_recurring,
)
from toolkit.analytics.energy.rates.contract import (
    PlanMessages,
    Reading,
    note_unusual,
    number,
    scale_of,
    text,
    time_zone_of,
)
from toolkit.analytics.energy.rates.dates import change_days, dated_parts
from toolkit.analytics.energy.rates.feed_in import read_feed_ins
from toolkit.analytics.energy.rates.model import PlanTimeZone, Rates, Tariff, overlapping, unclaimed_minutes
from toolkit.answers.base import Note
from toolkit.errors import PricingError
from toolkit.tables.rows.contracts import Contract, TariffPeriod
from toolkit.tables.rows.plans import Fuel, Plan

Equipment = Literal["solar", "controlled_load"]

STANDING = {"STANDING", "REGULATED"}
"""Plan types with prices set by law or a regulator: the benchmark of an area."""

_NOT_SOLAR = r"\b(?:non|no|not|without)[- ](?:solar|pv)\b|\bsolar[- ](?:sharer|soak\w*|sponge)\b"
_NAMES_SOLAR = re.compile(r"\bsolar\b", re.IGNORECASE)
_NAMES_NO_SOLAR = re.compile(_NOT_SOLAR, re.IGNORECASE)
_NAMES_LOAD = re.compile(
    r"\bcontrolled loads?\b|\bdedicated circuit\b|\+ ?CL ?\d?\b|\bCL ?\d? ?\+|\b(?:with|and) CL ?\d?\b|CTL\b",
    re.IGNORECASE,
)
_NAMES_NO_LOAD = re.compile(
    r"\b(?:no|without|excl\w*\.?) (?:a )?(?:controlled load|CL\b|dedicated circuit)", re.IGNORECASE
)
_DEMANDS_SOLAR = re.compile(
    r"\bnet[- ]metered|\byour solar|\b(?:have|own|with|purchase|buy) (?:an? )?(?:\w+ )?(?:eligible |existing )?solar\b"
    r"|\bexisting solar|\bsolar customers",
    re.IGNORECASE,
)
_DEMANDS_LOAD = re.compile(
    r"\b(?:must|need to) have (?:an? )?(?:existing )?(?:controlled load|dedicated circuit)"
    r"|\b(?:requires|customers with) (?:an? )?(?:controlled load|dedicated circuit)|\band controlled load\.",
    re.IGNORECASE,
)
_EXCLUDES_SOLAR = re.compile(
    r"\b(?:non|without|not have)[- ](?:a |any )?(?:rooftop )?(?:solar|pv)\b"
    r"|\bnot available (?:to|for) (?:\w+ ){0,3}solar",
    re.IGNORECASE,
)
_NO_OTHER = r"(?!(?:new|all|any|every|existing|eligible|residential|business|small|domestic|move)\b)"
"""Not before the name of another company in a text about its customers."""
_ASKS_IN_TEXT = {
    "SENIOR_CARD": re.compile(r"\bseniors? card", re.IGNORECASE),
    "EXISTING_BATTERY": re.compile(
        r"\b(?:have|own|with) an? (?:\w+ )?battery\b|\bbattery installed|\bvirtual power plant\b|\bVPP\b", re.IGNORECASE
    ),
    "ELECTRIC_VEHICLE": re.compile(
        r"\b(?:have|own|lease|with|drive|charg(?:e|ing)) (?:an?|your) (?:[\w-]+ ){0,3}(?:electric (?:vehicle|car)|EV)\b"
        r"|\b(?:electric (?:vehicle|car)|EV) (?:owners?|drivers?)\b",
        re.IGNORECASE,
    ),
    "OTHER_CUSTOMER": re.compile(
        r"\b(?:also|existing) customers of [A-Z]"
        rf"|\byou['’]re an? {_NO_OTHER}[\w.]+ customer\b|\({_NO_OTHER}[\w.]+(?: \w+)? customers?\)"
        rf"|\bavailable to {_NO_OTHER}[\w.]+ (?:credit or debit )?customers (?:in \w+ areas )?where\b",
        re.IGNORECASE,
    ),
    "CONCESSION_CARD": re.compile(r"\bconcession card (?:holders?\b|only)|\bconcessions? only\b", re.IGNORECASE),
    "LOYALTY_MEMBER": re.compile(r"\brewards? member|\bregistered .{1,40} membership", re.IGNORECASE),
    "ORG_MEMBER": re.compile(r"\bmember(?:ship)? number\b|\bmust be an? (?:\w+ )?member\b", re.IGNORECASE),
    "REQ_EQUIP_SUPPLIER": re.compile(r"\bmust purchase an? (?:\w+ )?(?:solar|battery)\b", re.IGNORECASE),
    "CONTINGENT_PLAN": re.compile(r"\bcontingent (?:product|plan)\b", re.IGNORECASE),
    "THIRD_PARTY_ONLY": re.compile(
        r"\bonly available (?:(?:when|by) signing[- ]up )?(?:through|via) "
        r"(?!(?:the |our |its |an? )*(?:[\w.]+ )?(?:web ?site|web|online|internet|app|e-?mail|direct debit)\b)\w"
        r"|\bcomparators? only\b|- comparator\b|\b(?:3rd|third)[- ]party\b|\bpartners? saver\b",
        re.IGNORECASE,
    ),
    "AGENT_ONLY": re.compile(r"\bsigning[- ]up with an authori[sz]ed \w+ representative\b", re.IGNORECASE),
    "INVITATION_ONLY": re.compile(r"\binvit(?:e|ation)[- ]only\b|\bby invitation\b", re.IGNORECASE),
    "EXISTING_CUST": re.compile(r"\bonly available to customers already on\b", re.IGNORECASE),
    "NEW_CUSTOMER": re.compile(
        r"\bnew (?:\w+ )?customers? only\b|\b(?:only available to|strictly for) new \w+ (?:and|or|customers)\b"
        r"|\bnew to \w+ or move-in\b",
        re.IGNORECASE,
    ),
}
"""Conditions that retailers publish as text, under the type `OTHER`; the words are those of October 2024."""
_NAMED_WITHOUT = r"(?<!\bnon[- ])(?<!\bno[- ])(?<!\bwithout )"
_ASKS_IN_NAME = {
    "EXISTING_BATTERY": re.compile(rf"{_NAMED_WITHOUT}\bbatter(?:y|ies)\b", re.IGNORECASE),
    "ELECTRIC_VEHICLE": re.compile(rf"{_NAMED_WITHOUT}\b(?:EVs?|electric (?:vehicle|car)s?)\b", re.IGNORECASE),
}
"""What a plan is named after: `EV Night Saver` publishes no eligibility, and its prices are made for charging a car."""

_VARIES_BY_NAME = re.compile(r"\bwholesale|\bspot\b|\bestimate|\bvariable prices", re.IGNORECASE)
_VARIES_BY_TEXT = re.compile(
    r"\bspot price|\bestimates? only"
    r"|\bwholesale (?:electricity |energy )?(?:price|cost)s?\b.{0,40}\b(?:charged to us|directly)"
    r"|\b(?:passes|passed|pass)[- ](?:through|on)\b.{0,30}\bwholesale",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """Whom a plan is for and how its prices are made."""

    eligibility: tuple[str, ...] = ()
    """Types (`SENIOR_CARD` …), `OTHER` left out."""
    asked: tuple[str, ...] = ()
    """Types that only a text states; some are our own, such as `ELECTRIC_VEHICLE` or `OTHER_CUSTOMER`: see `offers`."""
    demands: tuple[Equipment, ...] = ()
    """Equipment that a home must have."""
    excludes_solar: str = ""
    """The text that closes the plan to homes with solar; empty without one."""
    variable: bool = False
    """Whether prices follow the wholesale market, or are estimates."""
    exit_fee: Decimal | None = None
    """AUD as stated, with GST; None where none is published."""
    term: str | None = None
    """How long it is agreed for, such as `1 year` or `ongoing`; None where none is published."""


def plan_terms(plan: Plan, fuel: Fuel) -> PlanTerms:
    """Read the terms of a plan for one fuel from its name, its eligibility entries, its fees and its texts."""
    contract: Contract = plan.contract(fuel) or {}
    entries = contract.get("eligibility") or []
    kinds = dict.fromkeys(str(entry.get("type") or "").upper() for entry in entries)
    texts = [
        " ".join(written for key in ("information", "description") if isinstance(written := entry.get(key), str))
        for entry in entries
    ]
    name = plan.name or ""
    fees = contract.get("fees") or []
    exit_fees = [_amount(fee.get("amount")) for fee in fees if str(fee.get("type") or "").upper() == "EXIT"]
    return PlanTerms(
        eligibility=tuple(kind for kind in kinds if kind and kind != "OTHER"),
        # Conditions of type OTHER are published as text only: patterns recognise the frequent ones.
        asked=tuple(
            kind
            for kind, words in _ASKS_IN_TEXT.items()
            if kind not in kinds
            if any(map(words.search, (name, *texts))) or (kind in _ASKS_IN_NAME and _ASKS_IN_NAME[kind].search(name))
        ),
        demands=tuple(_demands(name, texts, "EXISTING_SOLAR" in kinds)),
        excludes_solar=next((text for text in (name, *texts) if _EXCLUDES_SOLAR.search(text)), ""),
        variable=plan.plan_type not in STANDING and _varies(name, contract),
        exit_fee=max((amount for amount in exit_fees if amount is not None), default=None),
        term=_term(contract.get("term_type")),
    )


ONGOING = "ongoing"


def _term(code: object) -> str | None:
    """Word a code of the Consumer Data Standards: `ONGOING`, `1_YEAR` … `5_YEAR`; None for `OTHER` and any more."""
    count, _, unit = str(code or "").upper().partition("_")
    if count == "ONGOING":
        return ONGOING
    return f"{count} year{'s' if count != '1' else ''}" if unit == "YEAR" and count.isdigit() else None


def _demands(name: str, texts: list[str], existing_solar: bool) -> Iterator[Equipment]:
    """Yield the equipment that a home must have, by the plan's name or its eligibility."""
    # Retailers name plans `Solar Boost`, but also `No Solar` and `Solar Soak` (cheap midday prices for anyone).
    by_name = bool(_NAMES_SOLAR.search(name)) and not _NAMES_NO_SOLAR.search(name)
    if existing_solar or by_name or any(map(_DEMANDS_SOLAR.search, texts)):
        yield "solar"
    by_name = bool(_NAMES_LOAD.search(name)) and not _NAMES_NO_LOAD.search(name)
    if by_name or any(map(_DEMANDS_LOAD.search, texts)):
        yield "controlled_load"


def _varies(name: str, contract: Contract) -> bool:
    """Return whether the plan's name, or its texts on price changes, follow the wholesale market."""
    # Texts of ordinary plans mention wholesale costs, too; only these patterns mean prices that follow them.
    texts = (contract.get(key) for key in ("variation", "terms"))
    return bool(_VARIES_BY_NAME.search(name)) or any(
        isinstance(text, str) and _VARIES_BY_TEXT.search(text) for text in texts
    )


def _amount(value: object) -> Decimal | None:
    """Read an amount in AUD, to the cent; None where it is not a plausible one."""
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount.quantize(Decimal("0.01")) if amount.is_finite() and 0 <= amount < 1_000_000 else None


def compile_plan(plan: Plan, fuel: Fuel, *, feed_in: str | None = None, on: date | None = None) -> Rates:
    """Read all prices of a plan for one fuel, in AUD, by the pricing rules.

    Args:
        plan: The plan, from `toolkit.read_plans`.
        fuel: Which of its contracts.
        feed_in: Display name of the feed-in tariff that the account is on, where it is known (premium schemes
            included).
        on: The day that the plan is priced for: controlled load, feed-in and discounts dated with a year are then on
            offer for all reads or not at all (pricing rule 8). None: the household's own plan, where they apply from
            first to last date.

    Returns:
        The prices, in AUD without GST where `gst` is `added`. What cannot be priced is in `problems` with its
        reason; the rest is priced (pricing rule 13).

    Raises:
        PricingError: The plan has no contract for the fuel.

    Source:
        The rules by which published prices are read: toolkit/docs/pricing-rules.md

    Examples:
        >>> rates = toolkit.compile_plan(plan, "ELECTRICITY")
        >>> rates.name, rates.unit, rates.time_zone, rates.priceable
        ('Lyrebird Saver', 'kWh', 'LOCAL', True)
        >>> for component, tariff in rates.tariffs():
        ...     for rate in tariff.rates:
        ...         print(component, rate.label, [(str(block.price), block.width) for block in rate.blocks])
        usage Anytime [('0.3101', None)]
        feed_in Feed-in [('0.1200', Decimal('10')), ('0.0630', None)]

        The first 10 kWh exported each day earn $0.12 each, the rest $0.063.
    """
    contract = plan.contract(fuel)
    if contract is None:
        raise PricingError(plan.plan_id, f"it does not cover {fuel.lower()}")
    messages = PlanMessages(plan.plan_id)
    reading = _reading(contract, fuel, messages, on)
    periods, demands = read_periods(contract, reading)
    loads = read_controlled_loads(contract, reading)
    electric = fuel == "ELECTRICITY"
    feed_ins = read_feed_ins(contract, feed_in, reading) if electric and contract["solar_feed_in_tariff"] else []
    recurring = read_recurring(contract, plan.metering_charges, reading)
    discounts = read_discounts(contract, reading)
    note_offers(contract, messages)
    if not periods:
        messages.problem("", "no tariff period with prices is published")
    rates = Rates(
        plan_id=plan.plan_id,
        name=plan.name or plan.plan_id,
        fuel=fuel,
        unit="kWh" if electric else "MJ",
        time_zone=_plan_time_zone(periods, reading),
        periods=tuple(periods),
        demands=tuple(demands),
        controlled_loads=tuple(loads),
        feed_ins=tuple(feed_ins),
        recurring=tuple(recurring),
        discounts=tuple(discounts),
    )
    _note_windows(rates, messages)
    return replace(rates, notes=messages.notes, problems=(*plan.problems, *messages.problems))


def _reading(contract: Contract, fuel: Fuel, messages: PlanMessages, on: date | None) -> Reading:
    """Return how the contract is to be read: its unit, its scale and, for what names none, its time zone and dates."""
    unit = "kWh" if fuel == "ELECTRICITY" else "MJ"
    periods = contract["tariff_period"]
    # Retailers that leave `timeZone` out of the contract give it on the tariff periods (pricing rule 3).
    named = next((period for period in periods if text(period.get("time_zone"))), TariffPeriod())
    return Reading(
        messages=messages,
        unit=unit,
        scale=scale_of(contract, unit, messages),
        time_zone=time_zone_of(contract),
        other_time_zone=time_zone_of(contract, time_zone_of(named)),
        order=order_of_dates(contract),
        quota=text(contract.get("pricing_model")).upper() == "QUOTA",
        on=on,
    )


def _plan_time_zone(periods: list[Tariff], reading: Reading) -> PlanTimeZone:
    """Return the time zone in which the plan's days are counted: that of the first tariff period (pricing rule 3)."""
    time_zones = {period.time_zone for period in periods}
    if len(time_zones) > 1:
        reading.messages.note("several_time_zones")
    return periods[0].time_zone if periods else reading.other_time_zone


def _note_windows(rates: Rates, messages: PlanMessages) -> None:
    """Note prices out of the usual range, and windows that overlap or leave gaps (pricing rules 4 and 12)."""
    for component, tariff in rates.tariffs():
        note_unusual(component, tariff, rates.unit, messages)
        # One window alone covers what it covers; only several can be meant to fill the week.
        if len(tariff.bands) < 2 and not any(len(windows) > 1 for windows in tariff.bands):
            continue
        if overlapping(tariff.bands):
            messages.note("windows_overlap", label=tariff.label)
        if missing := unclaimed_minutes(tariff.bands):
            messages.note("windows_leave_gaps", label=tariff.label, minutes=missing)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A plan's rates for one fuel, ready for the cache."""

    version: str
    """Content hash of the plan."""
    rates: Rates
    """As they are before the first day of `later`."""
    later: tuple[tuple[date, Rates], ...] = ()
    """(first day, rates) where the day that the plan is priced for makes a difference."""
    terms: PlanTerms = field(default_factory=PlanTerms)
    """Whom the plan is for."""
    green_share: float | None = None
    """Green share of the energy, 0 to 1, without paying more; None where the plan does not say."""

    @property
    def by_day(self) -> tuple[Rates, ...]:
        """Return all rates of the plan, in the order of the days that it is priced for."""
        return (self.rates, *(rates for _, rates in self.later))

    def number_on(self, day: date) -> int:
        """Return the number in `by_day` of the rates of the plan priced for that day (pricing rule 8)."""
        return sum(first <= day for first, _ in self.later)

    def rates_on(self, day: date) -> Rates:
        """Return the rates of the plan priced for that day: dated components are then on offer, or not."""
        return self.by_day[self.number_on(day)]


def compile_for_store(plan: Plan, fuel: Fuel) -> Compiled:
    """Compile the plan as any household pays it that is not on it, for every day.

    Raises PricingError where the plan has no contract for the fuel.
    """
    first, *later = _by_day(plan, fuel)
    return Compiled(plan.version, first[1], tuple(later), plan_terms(plan, fuel), _green_share(plan, fuel))


def compile_for_home(plan: Plan, fuel: Fuel, *, feed_in: str | None, on: date | None) -> Compiled:
    """Compile the plan as a household pays it that is on it, for one day. Arguments and errors as `compile_plan`."""
    rates = compile_plan(plan, fuel, feed_in=feed_in, on=on)
    return Compiled(plan.version, rates, (), plan_terms(plan, fuel), _green_share(plan, fuel))


def _green_share(plan: Plan, fuel: Fuel) -> float | None:
    """Return the share of green energy without paying more, 0 to 1; None where the plan does not say."""
    contract: Contract = plan.contract(fuel) or {}
    power = contract.get("intrinsic_green_power")
    share = number(power.get("green_percentage")) if isinstance(power, dict) else None
    # Plans write the share as 0 to 1 or as 0 to 100.
    return None if share is None or not 0 <= share <= 100 else float(share if share <= 1 else share / 100)


def _by_day(plan: Plan, fuel: Fuel) -> list[tuple[date, Rates]]:
    """Return (first day, rates) for all days that the plan can be priced for, cut where the rates change (rule 8)."""
    contract = plan.contract(fuel)
    days = [
        date.min,
        *change_days([written for part in (dated_parts(contract) if contract else ()) for written in part]),
    ]
    by_day: list[tuple[date, Rates]] = []
    for day in days:
        rates = compile_plan(plan, fuel, on=day)
        if not by_day or by_day[-1][1] != rates:
            by_day.append((day, rates))
    return by_day


def to_bytes(plans: Sequence[Compiled]) -> bytes:
    """Encode compiled plans for the cache."""
    return msgspec.msgpack.Encoder(enc_hook=_packed).encode(plans)


def from_bytes(data: bytes) -> list[Compiled]:
    """Decode what `to_bytes` wrote; empty where the bytes are damaged or of another version."""
    try:
        with collector_paused():
            return _DECODER.decode(data)
    except msgspec.DecodeError:
        return []


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while thousands of plans are read and priced.

    They are half a million small objects, none of them garbage: the collector would take most of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _packed(value: Fraction | Note) -> Sequence[object]:
    """Return a fraction as numerator and denominator; a note as its code, then names and figures in turn."""
    if isinstance(value, Fraction):
        return value.numerator, value.denominator
    return value.packed()


def _unpacked(kind: type, parts: Sequence[Any]) -> Fraction | Note:
    """Return what `_packed` made a list of."""
    return Fraction(*parts) if kind is Fraction else Note.unpacked(parts)


_DECODER = msgspec.msgpack.Decoder(list[Compiled], dec_hook=_unpacked)
