"""Are the invoices right? Each recomputed from its reads and the plan in force then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.reconcile import BilledInvoice, Checked, Conventions, conventions_of
from toolkit.errors import Problem, UsageError
from toolkit.flows.energy.bill import billed_point
from toolkit.flows.energy.reconciliation.answer import account_json, invoice_json
from toolkit.flows.energy.reconciliation.invoices import Entry, stored_invoices
from toolkit.flows.energy.reconciliation.payments import Billed, payments_of
from toolkit.flows.energy.reconciliation.reads import Recomputed, Recomputer
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.classified import typed_cents
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow

MOST_TELLING = 24
"""Invoices of an account that are recomputed to tell whether its amounts include GST: two years of months."""

_Ways = Mapping[str | None, "Conventions"]


def reconcile(
    ctx: Context, *, from_: date | None = None, to: date | None = None, billed: Decimal | str | None = None
) -> dict[str, Any]:
    """`reconcile`: see docs/commands.md. Invoices newest last.

    from_, to: only invoices that reach into these days; with `billed` (AUD with GST) the period of a paper bill. An
    invoice agrees where its amount is within `tolerance` of the recomputed; `reasons` are sentences, `causes` their
    kinds. One that does not say which meter it bills cannot be checked; one without a period is a problem.

    `accounts` says how each account states GST and credits: as all its stored invoices tell, whatever was asked for, so
    that an invoice's verdict is the same in every range. Of amounts tell the newest MOST_TELLING with GST, recomputed
    for that; of lines all. A paper bill has no account: its amount is taken as typed.

    Raises UsageError where a paper bill lacks a date or the days are not in order, StoreError where there is nothing to
    check.
    """
    with open_home(ctx) as (store, household):
        if billed is None:
            question = _stored(store, household, ctx, (from_, to))
        else:
            question = _typed(store, household, ctx, (from_, to, billed))
        telling = _telling(question.known)
        recomputer, done = _recomputed(store, household, dict.fromkeys([*question.asked, *telling]))
        ways = _ways(question.known, {entry: done[entry].total for entry in telling})
        paid = payments_of(store, household, [_billed(entry, ways) for entry in question.known])
        payments = dict(zip(question.known, paid, strict=True))
        checks = [_Check(entry, done[entry], _judged(done[entry], recomputer, ways)) for entry in question.asked]
        problems = [*(problem.as_json() for problem in question.problems), *recomputer.problems_json()]
    return _answer(checks, payments, ways) | {"problems": problems}


@dataclass(frozen=True, slots=True)
class _Question:
    """known: all invoices there are; asked: those to be judged. problems: of what was left out."""

    known: Sequence[Entry]
    asked: Sequence[Entry]
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class _Check:
    entry: Entry
    done: Recomputed
    found: Checked


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
        raise UsageError("A paper bill needs its first and last day, in order: --from D --to D --billed AMOUNT.")
    total = typed_cents("--billed", billed)
    paper = Entry(
        BilledInvoice(None, None, Period(first, last), total), (billed_point(store, household, ctx.service_point),)
    )
    return _Question([paper], [paper])


def _reaches(entry: Entry, first: date | None, last: date | None) -> bool:
    period = entry.invoice.period
    return (first is None or period.last >= first) and (last is None or period.first <= last)


def _telling(known: Sequence[Entry]) -> list[Entry]:
    """Of each account the newest invoices that, recomputed, can tell whether amounts include GST."""
    found: dict[str | None, list[Entry]] = {}
    for entry in known:
        if entry.reason is None and entry.invoice.minor is not None and entry.invoice.gst_minor:
            found.setdefault(entry.invoice.account_id, []).append(entry)
    return [entry for own in found.values() for entry in own[-MOST_TELLING:]]


def _recomputed(
    store: Store, household: HouseholdRow, entries: Iterable[Entry]
) -> tuple[Recomputer, dict[Entry, Recomputed]]:
    """Each with what its reads come to, or the reason why that is not known."""
    clear = [entry for entry in entries if entry.reason is None]
    recomputer = Recomputer(store, household, [entry.span for entry in clear])
    done = {entry: recomputer.recomputed(entry.points, entry.invoice) for entry in clear}
    return recomputer, done | {
        entry: Recomputed(entry.invoice, reason=entry.reason) for entry in entries if entry.reason is not None
    }


def _ways(known: Sequence[Entry], totals: Mapping[Entry, int | None]) -> _Ways:
    """How each account states its amounts, as its invoices tell together. totals: recomputed, of those that can."""
    accounts: dict[str | None, list[Entry]] = {}
    for entry in known:
        accounts.setdefault(entry.invoice.account_id, []).append(entry)
    return {
        account: conventions_of([entry.invoice for entry in own], [totals.get(entry) for entry in own])
        for account, own in accounts.items()
    }


def _judged(done: Recomputed, recomputer: Recomputer, ways: _Ways) -> Checked:
    return recomputer.checked(done, ways[done.invoice.account_id])


def _billed(entry: Entry, ways: _Ways) -> Billed:
    """Invoices that were not asked for count as well: a payment may settle them together with one that was."""
    return Billed(entry.invoice, ways[entry.invoice.account_id].billed(entry.invoice), entry.institution_id)


def _answer(checks: Sequence[_Check], payments: Mapping[Entry, dict[str, Any] | None], ways: _Ways) -> dict[str, Any]:
    verdicts = Counter(check.found.verdict for check in checks)
    accounts = dict.fromkeys(check.entry.invoice.account_id for check in checks)
    return {
        "invoices": [
            invoice_json(check.done, check.entry.points, check.found, payments[check.entry]) for check in checks
        ],
        "accounts": [account_json(account, ways[account]) for account in accounts if account is not None],
        "agrees": verdicts["agrees"],
        "differs": verdicts["differs"],
        "cannot_check": verdicts["cannot check"],
    }
