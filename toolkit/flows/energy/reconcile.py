"""Are the invoices right? Each recomputed from its reads and the plan in force then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.reconcile import (
    BilledInvoice,
    Conventions,
    Recomputed,
    account_conventions,
    checked_invoice,
    conventions_of,
    judge,
)
from toolkit.answers.energy.invoices import Reconciliation
from toolkit.errors import UsageError
from toolkit.flows.energy.invoices import Billed, Entry, payments_of, stored_invoices
from toolkit.flows.energy.recompute import Recomputer
from toolkit.flows.energy.switch import since_switch
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import billed_point
from toolkit.flows.money.spending import typed_cents
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

CONVENTION_INVOICES = 24
"""Invoices of an account that are recomputed to determine whether its amounts include GST: two years of months."""


def reconcile(
    ctx: Context,
    *,
    from_: date | None = None,
    to: date | None = None,
    billed: Decimal | str | None = None,
    old_plan: str | None = None,
) -> Reconciliation:
    """Check invoices against the reads and the plan in force (docs/commands.md), newest last.

    from_, to: only invoices that reach into these days; with `billed` (AUD with GST) the period of a paper bill.
    old_plan: the plan before the last change, where no account shows it (id or file).

    Each account's conventions about GST and credits follow from all its stored invoices, whatever was asked for, so
    that an invoice's verdict is the same in every range: those of lines from all of them, those of amounts from the
    newest CONVENTION_INVOICES with GST, which are recomputed for that. A paper bill has no account: its amount is
    taken as typed.

    Raises UsageError where a paper bill lacks a date or the days are not in order, StoreError where there is nothing to
    check.
    """
    with open_home(ctx) as (store, household):
        if billed is None:
            question = _stored(store, household, ctx, (from_, to))
        else:
            question = _typed(store, household, ctx, (from_, to, billed))
        telling = _latest_of_accounts(question.known)
        recomputer, done = _recomputed(store, household, dict.fromkeys([*question.asked, *telling]))
        stated = _conventions(question.known, {entry: done[entry].total for entry in telling})
        # a payment may settle invoices that were not asked for together with one that was
        due = [Billed(entry, stated[entry.invoice.account_id].billed(entry.invoice)) for entry in question.known]
        payments = dict(zip(question.known, payments_of(store, household, due), strict=True))
        checked = {entry: judge(done[entry], stated[entry.invoice.account_id]) for entry in question.asked}
        amounts = {entry: each.billed for entry, each in checked.items()}
        switched = since_switch(store, household, amounts, done, recomputer, old_plan)
    invoices = [
        checked_invoice(
            done[entry],
            [point.id for point in entry.points],
            each,
            payments[entry],
            [other.invoice for other in question.known if other is not entry and other.is_of_same_supply(entry)],
            switched.bills.get(entry),
        )
        for entry, each in checked.items()
    ]
    verdicts = Counter(invoice.verdict for invoice in invoices)
    accounts = dict.fromkeys(invoice.account_id for invoice in invoices)
    return Reconciliation(
        invoices=tuple(invoices),
        accounts=tuple(account_conventions(account, stated[account]) for account in accounts if account is not None),
        switches=switched.switches,
        agrees=verdicts["agrees"],
        differs=verdicts["differs"],
        cannot_check=verdicts["cannot check"],
        problems=(*question.problems, *dict.fromkeys(recomputer.problems)),
    )


@dataclass(frozen=True, slots=True)
class _Question:
    """known: all invoices there are; asked: those to be judged. problems: of what was left out."""

    known: Sequence[Entry]
    asked: Sequence[Entry]
    problems: Sequence[Problem] = ()


def _stored(store: Store, household: HouseholdRow, ctx: Context, days: tuple[date | None, date | None]) -> _Question:
    first, last = days
    if first and last and first > last:
        raise UsageError(f"The first day {first} is after the last day {last}.")
    stored = stored_invoices(store, household, ctx.service_point)
    asked = [entry for entry in stored.concerned if _reaches(entry, first, last)]
    return _Question(stored.entries, asked, stored.undated)


def _typed(
    store: Store,
    household: HouseholdRow,
    ctx: Context,
    asked: tuple[date | None, date | None, Decimal | str],
) -> _Question:
    first, last, billed = asked
    if first is None or last is None or first > last:
        raise UsageError(Message("A paper bill needs its first and last day, in order", Remedy.PAPER_BILL_FIELDS, "."))
    total = typed_cents("--billed", billed)
    paper = Entry(
        BilledInvoice(None, None, Period(first, last), total), (billed_point(store, household, ctx.service_point),)
    )
    return _Question([paper], [paper])


def _reaches(entry: Entry, first: date | None, last: date | None) -> bool:
    period = entry.invoice.period
    return (first is None or period.last >= first) and (last is None or period.first <= last)


def _latest_of_accounts(known: Sequence[Entry]) -> list[Entry]:
    """Return of each account the newest invoices that, recomputed, can show whether amounts include GST."""
    by_account: dict[str | None, list[Entry]] = {}
    for entry in known:
        if entry.reason is None and entry.invoice.minor is not None and entry.invoice.gst_minor:
            by_account.setdefault(entry.invoice.account_id, []).append(entry)
    return [entry for own in by_account.values() for entry in own[-CONVENTION_INVOICES:]]


def _recomputed(
    store: Store, household: HouseholdRow, entries: Iterable[Entry]
) -> tuple[Recomputer, dict[Entry, Recomputed]]:
    """Return each with what its reads come to, or the reason why that is not known."""
    clear = [entry for entry in entries if entry.reason is None]
    recomputer = Recomputer(store, household, [entry.span for entry in clear])
    done = {entry: recomputer.recomputed(entry.points, entry.invoice) for entry in clear}
    return recomputer, done | {
        entry: Recomputed(entry.invoice, reason=entry.reason) for entry in entries if entry.reason is not None
    }


def _conventions(known: Sequence[Entry], totals: Mapping[Entry, int | None]) -> Mapping[str | None, Conventions]:
    """Return by account how it states amounts. totals: recomputed cents of the invoices that can show it."""
    accounts: dict[str | None, list[Entry]] = {}
    for entry in known:
        accounts.setdefault(entry.invoice.account_id, []).append(entry)
    return {
        account: conventions_of([entry.invoice for entry in own], [totals.get(entry) for entry in own])
        for account, own in accounts.items()
    }
