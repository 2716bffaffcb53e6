"""Check one invoice against the recomputed bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from toolkit.analytics.energy.pricing.model import Bill
from toolkit.analytics.energy.reconcile.billed_invoice import BilledInvoice
from toolkit.analytics.energy.reconcile.conventions import PER_LINE, Conventions
from toolkit.analytics.energy.reconcile.line_matching import Pair, pairs_of
from toolkit.analytics.energy.reconcile.named_charges import named_reasons
from toolkit.analytics.energy.reconcile.reasons import MOST_OF_MISSING, Case, Reason, on_meter_days, reasons_for
from toolkit.analytics.energy.reconcile.recomputed import Metered, Recomputed
from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import Verdict
from toolkit.remedies import Message

LEAST_TOLERANCE = 5
"""Cents. Beyond it a cent a line: retailers round lines before or after GST."""

MOST_MISSING = 0.5
"""Share of the time without reads above which a difference does not count against the invoice."""


@dataclass(frozen=True, slots=True)
class Checked:
    """billed, recomputed: cents with GST. difference: billed − recomputed; both None where either is unknown."""

    verdict: Verdict
    billed: int | None
    recomputed: int | None
    tolerance: int
    reasons: tuple[Reason, ...] = ()
    pairs: tuple[Pair, ...] = ()
    bills: tuple[Bill, ...] = ()
    prices_agree: bool = False

    @property
    def difference(self) -> int | None:
        return None if self.billed is None or self.recomputed is None else self.billed - self.recomputed


def tolerance_of(lines: int) -> int:
    """Return the cents by which a bill of so many lines may differ and still agree."""
    return max(LEAST_TOLERANCE, PER_LINE * lines)


def judge(done: Recomputed, conventions: Conventions) -> Checked:
    """Return the verdict on an invoice. conventions: of its account."""
    if done.reason is not None:
        pairs = tuple(pairs_of(done.invoice, (), conventions))
        why = Reason("unexplained", Message("We can't work it out. ", done.reason))
        return Checked("cannot check", conventions.billed(done.invoice), None, LEAST_TOLERANCE, (why,), pairs)
    return check(done.invoice, done.metered, done.bills, conventions, unknown=done.unknown)


def check(
    invoice: BilledInvoice,
    metered: Sequence[Metered],
    bills: Sequence[Bill],
    conventions: Conventions,
    *,
    unknown: Note | None = None,
) -> Checked:
    """Compare an invoice with the recomputed bills.

    bills: of `metered`, in the same order, at least one. conventions: of the invoice's account.

    A bill that agrees only by the meter's days has that as a reason: the plan's days may follow daylight saving, and
    those of the market's meter data do not, so that the hours at the ends of a summer's bill differ.

    Where reads of a dial cross the bill's ends, and what of them belongs to it could explain what nothing else does,
    the bill cannot be checked; nor where the energy of missing reads could. Where the plan's prices give the amount
    with the energy that the bill states, a reason says so.

    Where lines of the bill that have an amount alone, and that the plan does not price, are the difference, these are
    the reasons, by their names.

    unknown: why plan and prices are not known for every day, where they are not: then a bill that the assumed prices
    explain agrees, and any other cannot be checked (docs/commands.md).
    """
    case = Case(tuple(metered), tuple(bills))
    lines = [line for bill in bills for line in bill.lines]
    pairs = tuple(pairs_of(invoice, lines, conventions))
    billed = conventions.billed(invoice)
    tolerance = tolerance_of(max(len(invoice.lines), len(lines)))
    if billed is None:
        return Checked("cannot check", None, case.total, tolerance, (_NO_AMOUNT,), pairs, case.bills)
    difference = billed - case.total
    if abs(difference) <= tolerance:
        return Checked("agrees", billed, case.total, tolerance, (), pairs, case.bills)
    meter_days = on_meter_days(case)
    if abs(difference - (meter_days.minor or 0)) <= tolerance:
        return Checked("agrees", billed, case.total, tolerance, (meter_days,), pairs, case.bills)
    if unknown is not None:
        return Checked("cannot check", billed, None, tolerance, (Reason("prices not known", Message(unknown)),))
    by_name = named_reasons(invoice.named, difference, tolerance, bills)
    reasons = tuple(by_name or reasons_for(difference, tolerance, pairs, case))
    known = all((bill.quality.missing_share or 0) <= MOST_MISSING for bill in bills)
    rest = difference - sum(reason.minor or 0 for reason in reasons if reason.cause != "unexplained")
    unread = difference - sum(reason.minor or 0 for reason in reasons if reason.cause not in _NOT_MEASURED)
    is_open = (abs(rest) > tolerance and case.leaves_open(rest, tolerance)) or (
        tolerance < unread <= MOST_OF_MISSING * case.missing_cents + tolerance
    )
    verdict: Verdict = "differs" if known and not is_open else "cannot check"
    stated = _at_stated_energy(invoice, case)
    prices_agree = (
        verdict == "cannot check"
        and bool(case.missing_cents)
        and stated is not None
        and abs(billed - stated) <= tolerance
    )
    if prices_agree:
        reasons = (*reasons, _PRICES_AGREE)
    return Checked(verdict, billed, case.total, tolerance, reasons, pairs, case.bills, prices_agree)


def _at_stated_energy(invoice: BilledInvoice, case: Case) -> int | None:
    """Return the total [cents] with the general use that the bill states, at the average price of what was read.

    None where the bill states none, or nothing was read.
    """
    used = [line for bill in case.bills for line in bill.lines if line.component == "usage"]
    read = sum(line.quantity for line in used)
    if invoice.energy is None or not read:
        return None
    usage = sum(line.amount_minor for line in used)
    return at_stated_energy(case.total, usage, read=read, stated=Fraction(invoice.energy))


def at_stated_energy(total: int, usage: int, *, read: Fraction, stated: Fraction) -> int:
    """Return a bill's total [cents] for the energy that it states, at the average price of what was read.

    usage: cents of `total` that are energy. read, stated: kWh, or MJ.
    """
    return total + round(usage * (stated / read - 1))


_NOT_MEASURED = ("missing reads", "unexplained")
_PRICES_AGREE = Reason(
    "missing reads",
    "With the energy that the bill states, the plan's prices give the amount billed: only the energy of the missing "
    "reads cannot be checked.",
)
_NO_AMOUNT = Reason("unexplained", "The invoice gives no amount.")
