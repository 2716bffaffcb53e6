"""Why an invoice differs from what its reads and its plan give: by its lines, else by what would give its total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from toolkit.analytics.energy.pricing.model import Bill, aud
from toolkit.analytics.energy.reconcile.billed_invoice import NamedCharge
from toolkit.analytics.energy.reconcile.line_matching import Pair, unmatched
from toolkit.analytics.energy.reconcile.recomputed import Metered
from toolkit.answers.base import percent, quoted
from toolkit.answers.energy.invoices import Cause
from toolkit.units import NANO

_CENT = 1
_TENTH = Fraction(11, 10)

USED = ("usage", "controlled_load")
"""Components of a bill that are energy from the grid."""
MOST_OF_MISSING = 2
"""The energy of missing reads may be as much as this many times the average of the others, or none."""
_MOST_RUNS = 3
"""Days without reads, consecutive ones counted once, that a reason names."""
_MANY = 0.01
"""Share of estimated or substituted energy from which on it counts as a reason: a half hour now and then is usual."""


@dataclass(frozen=True, slots=True)
class Reason:
    """minor: cents of the difference (billed − recomputed) that it accounts for; None where that is not known.

    worth: cents of energy that was not measured, where such reads are the reason. named: the lines of the bill that are
    the reason; is_of_no_plan: whether no plan would price them.
    """

    cause: Cause
    sentence: str
    minor: int | None = None
    worth: int = 0
    named: tuple[NamedCharge, ...] = ()
    is_of_no_plan: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One invoice: what its service points recompute to. bills: of `metered`, in the same order."""

    metered: tuple[Metered, ...]
    bills: tuple[Bill, ...]

    @property
    def total(self) -> int:
        return sum(bill.total_minor for bill in self.bills)

    @property
    def open_cents(self) -> tuple[int, int]:
        """Return by how many cents the energy of dial reads that cross the bill's ends can lower and raise it."""
        lower = raised = Fraction(0)
        for metered, bill in zip(self.metered, self.bills, strict=True):
            lines = [line for line in bill.lines if line.component in USED]
            quantity = sum(line.quantity for line in lines)
            if quantity:
                price = sum(line.amount_minor for line in lines) / (quantity * NANO)
                lower, raised = lower + metered.open_reads.within * price, raised + metered.open_reads.beyond * price
        return round(lower), round(raised)

    def leaves_open(self, difference: int, tolerance: int) -> bool:
        """Return whether another sharing of those reads would explain a difference in cents (billed − recomputed)."""
        lower, raised = self.open_cents
        return bool(lower or raised) and -lower - tolerance <= difference <= raised + tolerance

    @property
    def missing_cents(self) -> int:
        """Return what the energy of missing reads comes to, at the average of those that are there."""
        return sum(map(missing_cents_of, self.bills))

    def component(self, name: str) -> int:
        return sum(line.amount_minor for bill in self.bills for line in bill.lines if line.component == name)


def missing_cents_of(bill: Bill) -> int:
    """Return what the energy of a bill's missing reads comes to, at the average of those that are there."""
    missing = bill.quality.missing_share or 0
    return round(_energy_of(bill) * missing / (1 - missing)) if missing < 1 else 0


def _energy_of(bill: Bill) -> int:
    return sum(line.amount_minor for line in bill.lines if line.component in USED)


def reasons_for(difference: int, tolerance: int, pairs: Sequence[Pair], case: Case) -> list[Reason]:
    """Return the reasons of a difference, the certain ones first.

    difference: billed − recomputed in cents, beyond the tolerance.
    """
    by_lines = list(_of_lines(pairs, case))
    if sum(reason.cause in _OF_THE_WHOLE for reason in by_lines) > 1 and (one := _at_once(difference, tolerance, case)):
        return one
    rest = difference - sum(reason.minor or 0 for reason in by_lines)
    reasons = by_lines if abs(rest) <= tolerance and by_lines else [*by_lines, *_explaining(rest, tolerance, case)]
    rest = difference - sum(reason.minor or 0 for reason in reasons)
    if abs(rest) > tolerance:
        reasons += [*_reads(rest, case), *_price_changes(case, reasons)]
        doubtful = sum(abs(reason.worth) for reason in reasons)
        if abs(rest) > 2 * doubtful:
            reasons.append(Reason("unexplained", _unexplained(rest, pairs), rest))
    return reasons


def _unexplained(rest: int, pairs: Sequence[Pair]) -> str:
    """Say what is left; of a bill whose lines are not known, what to look for on it."""
    sentence = f"We can't explain {_money(rest)} of the difference."
    if any(pair.billed_lines for pair in pairs):
        return sentence
    return f"{sentence} {_EXTRA_CHARGE if rest > 0 else _MISSING_CHARGE}"


_EXTRA_CHARGE = (
    "Look on the bill for a charge that is not on the plan (late payment, card, connection), an amount from an earlier "
    "bill, another price, or a discount that was left out."
)
_MISSING_CHARGE = "Look on the bill for a discount, a concession, a credit from an earlier bill, or another price."
_OF_THE_WHOLE = {"other reads", "prices", "price change", "period", "missing reads", "estimated reads"}
"""Causes that, on several lines together, may come from one: other days, or another version of the plan."""


METER_DAYS = (
    "The bill counts the meter's days, from midnight eastern standard time (AEST), in place of the plan's local days: "
    "what was used in the hours around its first and last midnight is counted in the bill before or after."
)


def on_meter_days(case: Case) -> Reason:
    """Return what counting from midnight AEST to midnight AEST, as meters do, changes."""
    total = sum(metered.bill(metered.on_meter_days()).total_minor for metered in case.metered)
    return Reason("period", METER_DAYS, total - case.total)


def _at_once(difference: int, tolerance: int, case: Case) -> list[Reason]:
    possible = [*_of_versions(case), *_of_periods(case), *_of_options(case)]
    return [reason for reason in possible if abs((reason.minor or 0) - difference) <= tolerance][:1]


def _of_lines(pairs: Sequence[Pair], case: Case) -> Iterator[Reason]:
    """Reasons that single lines show."""
    for pair in pairs:
        if pair.billed_lines and pair.lines and abs(pair.difference) > _CENT * max(1, len(pair.lines)):
            yield _of_pair(pair, case)
    for pair in unmatched(pairs):
        if pair.billed_lines:
            sentence = f"The invoice charges {quoted(pair.label)}, {_money(pair.billed)}, which is not on the plan."
            yield Reason("unnamed charge", sentence, pair.billed)
        elif any(other.billed_lines for other in pairs):
            yield _not_billed(pair)


def _not_billed(pair: Pair) -> Reason:
    what, amount = pair.label, pair.recomputed or 0
    if pair.component == "discount":
        return Reason(
            "discount", f"The plan's discount {quoted(what)}, {_money(amount)}, is not on the invoice.", -amount
        )
    if pair.component == "concession":
        return Reason("concession", f"The concession {quoted(what)}, {_money(amount)}, is not on the invoice.", -amount)
    return Reason("not billed", f"The plan's {quoted(what)}, {_money(amount)}, is not on the invoice.", -amount)


def _of_pair(pair: Pair, case: Case) -> Reason:
    billed, ours, diff = pair.billed or 0, pair.recomputed or 0, pair.difference
    if _near(billed, -ours):
        sentence = f"{pair.label}: {_money(billed)} has the wrong sign on the invoice; it should be {_money(ours)}."
        return Reason("sign", sentence, diff)
    if not pair.same_quantity:
        return _of_quantity(pair, case)
    if _near(billed * _TENTH, ours) or _near(billed, ours * _TENTH):
        how = "without its GST" if abs(billed) < abs(ours) else "with GST a second time, or where none is due"
        return Reason("gst", f"{pair.label}: GST treatment: {_money(billed)} is stated {how}.", diff)
    return _of_price(pair, case)


def _of_quantity(pair: Pair, case: Case) -> Reason:
    unit = pair.lines[0].unit
    amounts = f"{float(abs(pair.billed_quantity or 0)):.3f} {unit} billed, {float(pair.quantity or 0):.3f} {unit} read"
    cause, why = _why_other_quantity(pair, case)
    return Reason(cause, f"{pair.label}: {why}: {amounts}.", pair.difference)


def _why_other_quantity(pair: Pair, case: Case) -> tuple[Cause, str]:
    missing = max(bill.quality.missing_share or 0 for bill in case.bills)
    doubtful = max(bill.quality.substituted_share or 0 for bill in case.bills)
    if pair.lines[0].unit == "day":
        return "period", "the invoice counts other days"
    if any(line.estimate for line in pair.billed_lines):
        return "estimated reads", "the retailer billed an estimated read"
    more = abs(pair.billed_quantity or Fraction(0)) - (pair.quantity or Fraction(0))
    if missing < 1 and 0 < more <= MOST_OF_MISSING * missing / (1 - missing) * float(pair.quantity or 0):
        return "missing reads", f"reads are missing for {percent(missing, 1)} of the time"
    first, last = pair.lines[0].first, pair.lines[-1].last
    other_days = any(
        (line.first is not None and line.first < first) or (line.last is not None and line.last > last)
        for line in pair.billed_lines
    )
    if other_days:
        return "period", "the invoice's line covers another period"
    if doubtful > _MANY:
        return "estimated reads", f"{percent(doubtful, 1)} of the stored energy are estimated or substituted reads"
    return "other reads", "the invoice counts other energy than the meter's reads"


def _of_price(pair: Pair, case: Case) -> Reason:
    amounts = f"{pair.label}: {_money(pair.billed)} billed, {_money(pair.recomputed)} by the plan"
    if any(_as_in(pair, metered) for metered in case.metered):
        return Reason("price change", f"{amounts}: at the price of another version of the plan.", pair.difference)
    if any(len(metered.segments) > 1 for metered in case.metered):
        return Reason("prices", f"{amounts}; a price change falls inside the period.", pair.difference)
    what = "another price or number of days" if pair.billed_quantity is None else "another price for the same quantity"
    return Reason("prices", f"{amounts}: {what}.", pair.difference)


def _as_in(pair: Pair, metered: Metered) -> bool:
    """Whether another version of the plan gives the billed amount for that quantity."""
    versions = [*(segment.rates for segment in metered.segments if len(metered.segments) > 1), *metered.others]
    lines = [line for rates in versions if rates.priceable for line in metered.bill(metered.wholly(rates)).lines]
    alike = (line for line in lines if line.component == pair.component and line.quantity == pair.quantity)
    return any(_near(line.amount_minor, pair.billed or 0) for line in alike)


def _near(one: Fraction | int, other: Fraction | int) -> bool:
    return one != 0 and abs(Fraction(one) - other) <= _CENT


def _explaining(rest: int, tolerance: int, case: Case) -> list[Reason]:
    """The one thing that would account for the rest; else two that together would."""
    possible = [reason for reason in _possible(case) if abs(reason.minor or 0) > tolerance]
    single = [reason for reason in possible if abs((reason.minor or 0) - rest) <= tolerance]
    if single:
        return single[:1]
    together = (pair for pair in combinations(possible, 2) if pair[0].cause != pair[1].cause)
    return list(
        next((p for p in together if abs(sum(reason.minor or 0 for reason in p) - rest) <= _CENT), ()),
    )


def _possible(case: Case) -> Iterator[Reason]:
    """What could be done otherwise with the same reads, and what it would change."""
    yield from _of_tax_and_sign(case)
    yield from _of_options(case)
    yield from _of_versions(case)
    yield from _of_periods(case)


def _of_tax_and_sign(case: Case) -> Iterator[Reason]:
    fed_in, gst = case.component("feed_in"), sum(bill.gst_minor for bill in case.bills)
    yield Reason("gst", "GST treatment: the amount is stated without its GST.", -gst)
    yield Reason("gst", "GST treatment: GST was added to amounts that already include it.", gst)
    if fed_in:
        tax = round(Fraction(fed_in, 10))
        yield Reason("gst", "GST treatment: GST was applied to the feed-in credit, which carries none.", tax)
        yield Reason("sign", "The feed-in credit was charged instead of credited: wrong sign.", -2 * fed_in)
        yield Reason("not billed", f"The feed-in credit of {_money(fed_in)} is missing.", -fed_in)
    if concession := case.component("concession"):
        yield Reason("concession", f"The concession of {_money(concession)} is not on the invoice.", -concession)
        yield Reason("sign", "The concession was charged instead of credited: wrong sign.", -2 * concession)


CONDITION_MET = "A conditional discount was given: its condition was met, and it is not counted here."
NOT_EARNED = "No discount was given: the plan's discount was not earned."


def _of_options(case: Case) -> Iterator[Reason]:
    other = "daily" if case.metered[0].options.blocks == "pooled" else "pooled"
    ways = {"daily": "separately for each day (daily)", "pooled": "over the whole bill (pooled)"}
    yield _changed(case, "blocks", f"Blocks: the retailer counts them {ways[other]}, pooled or daily.", blocks=other)
    yield _changed(case, "discount", CONDITION_MET, discounts="all")
    yield _changed(case, "discount", NOT_EARNED, discounts="none")


def _changed(case: Case, cause: Cause, sentence: str, **options: Any) -> Reason:
    total = sum(metered.bill(**options).total_minor for metered in case.metered)
    return Reason(cause, sentence, total - case.total)


def _of_versions(case: Case) -> Iterator[Reason]:
    for metered, bill in zip(case.metered, case.bills, strict=True):
        if len(metered.segments) > 1:
            for segment, which in ((metered.segments[0], "old"), (metered.segments[-1], "new")):
                total = metered.bill(metered.wholly(segment.rates)).total_minor
                on = metered.segments[-1].period.first
                sentence = f"Prices changed on {on}, inside the period; all of it was billed at the {which} prices."
                yield Reason("price change", sentence, total - bill.total_minor)
        for rates in (rates for rates in metered.others if rates.priceable):
            total = metered.bill(metered.wholly(rates)).total_minor
            sentence = "It was billed at the prices of another version of the plan, not in force in this period."
            yield Reason("price change", sentence, total - bill.total_minor)


_SHIFTS = ((-1, 0), (0, 1), (1, 0), (0, -1), (-1, -1), (1, 1))


def _of_periods(case: Case) -> Iterator[Reason]:
    for before, after in _SHIFTS:
        moved = [metered.moved(before, after) for metered in case.metered]
        if all(moved):
            total = sum(m.bill(segments).total_minor for m, segments in zip(case.metered, moved, strict=True))
            first, last = moved[0][0].period.first, moved[0][-1].period.last
            sentence = f"It was billed for another period, {first} to {last}."
            yield Reason("period", sentence, total - case.total)


def _reads(rest: int, case: Case) -> Iterator[Reason]:
    """What the reads themselves leave open; missing ones only ever make an invoice seem too high."""
    lower, raised = case.open_cents
    if lower or raised:
        sentence = (
            f"The meter was not read on the days on which the bill begins and ends: {_money(lower)} of its energy is "
            "spread evenly over the days between two readings."
        )
        yield Reason("estimated reads", sentence, worth=max(lower, raised))
    for bill in case.bills:
        missing, estimated = bill.quality.missing_share or 0, bill.quality.substituted_share or 0
        if missing and missing < 1 and rest > 0:
            worth = missing_cents_of(bill)
            may = ", which may be the difference" if rest <= MOST_OF_MISSING * worth else ""
            average = f"about {_money(worth)} at the average{may}"
            days = f" ({_listed(bill.quality.runs_of_gaps)})" if bill.quality.gaps else ""
            sentence = f"Reads are missing for {percent(missing, 1)} of the time{days}, {average}."
            yield Reason("missing reads", sentence, worth=worth)
        if estimated:
            worth = round(_energy_of(bill) * estimated)
            share = percent(estimated, 1).capitalize()
            sentence = f"{share} of the energy, {_money(worth)}, are estimated or substituted reads."
            yield Reason("estimated reads", sentence, worth=worth)


def _listed(days: Sequence[str]) -> str:
    shown = ", ".join(days[:_MOST_RUNS])
    return shown if len(days) <= _MOST_RUNS else f"{shown} and others"


def _price_changes(case: Case, reasons: Sequence[Reason]) -> Iterator[Reason]:
    if any(reason.cause == "price change" for reason in reasons):
        return
    for metered in case.metered:
        for segment in metered.segments[1:]:
            sentence = f"The prices changed on {segment.period.first}, inside the period; it is recomputed in parts."
            yield Reason("price change", sentence)


def _money(minor: int | None) -> str:
    amount = aud(minor or 0)
    return f"-${-amount:,.2f}" if amount < 0 else f"${amount:,.2f}"
