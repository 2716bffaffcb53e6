"""`spending`: answered from the monthly roll-ups without reading a transaction, where these hold the exact answer.

What needs frames is imported where it is used: a cold command that the roll-ups answer loads no polars.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from msgspec.structs import replace

from toolkit.analytics.money.basis import (
    ACCOUNT,
    CATEGORY,
    OVERRIDE,
    CategorySettings,
    basis,
    merged_settings,
    names_set,
)
from toolkit.analytics.money.sums.months import MonthSum, Question, spending_of_months
from toolkit.answers.base import Note, Period
from toolkit.answers.money import COMPARED_WITHOUT_ACCOUNT, Against, By, Spending, SpendingRows
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.store import Aggregate, Store
from toolkit.tables.reference import places
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow
from toolkit.units import DEFAULT_ZONE

ROLLUP = "spending_months"
_FEW_DAYS = timedelta(3)
"""An account may begin so many days into a period: it need not have a transaction each day."""
_KEYS = ("kind", "primary_category", "secondary_category", "currency", "pending")
_SUMS: dict[str, Aggregate] = {
    "amount_minor": "sum", "out_minor": "sum", "count": "sum", "first_day": "min", "last_day": "max",
}  # fmt: skip


def spending(  # noqa: PLR0913  # the command's options, each by name
    ctx: Context,
    *,
    by: By = "category",
    months: bool = False,
    pending: bool = False,
    from_: date | None = None,
    to: date | None = None,
    against: Against | None = None,
) -> Spending:
    """Answer spending of the household by category, merchant, account, tag or person; amounts in AUD.

    Refunds reduce their category and may make it negative; transfers between own accounts are in no row. Days are local
    days of the household's zone, both ends inclusive. against: also answer for the period before, or a year before.
    Of a period in which the transactions end, the same days of the other one are compared. Raises UsageError where
    these are asked for without a first and last day.
    """
    asked = Period(from_, to) if from_ is not None and to is not None else None
    if against is not None and asked is None:
        raise UsageError(Message("A comparison needs a first and a last day", Remedy.COMPARED_DAYS, "."))
    with open_home(ctx) as (store, household):
        spans, notes = [(from_, to)], list[Note]()
        if against is not None and asked is not None:
            other, notes = _compared(store, household, asked, against)
            spans.append((other.first, other.last))
        questions = [Question(first, last, by, months, pending) for first, last in spans]
        answers = spending_of(store, household, questions)
        if by == "account":
            answers = [_with_account_names(store, household, answer) for answer in answers]
        names = _category_names(store, household)
    answer, *earlier = (replace(each, category_names=names) for each in answers)
    return replace(answer, against=earlier[0], notes=(*answer.notes, *notes)) if earlier else answer


def _compared(store: Store, household: HouseholdRow, asked: Period, against: Against) -> tuple[Period, list[Note]]:
    """Return the period to compare with, and notes on what the comparison lacks."""
    from toolkit.analytics.money.years.periods import compared_notes, compared_with

    stored = stored_days(store, household)
    other = compared_with(asked, against, stored.last if stored else None)
    if stored is None:
        return other, []
    notes = [*compared_notes(asked, other, stored)]
    begun = {} if stored.first > other.first else _accounts_begun(store, household, asked, other)
    return other, [*notes, *(Note(COMPARED_WITHOUT_ACCOUNT, account=name, first=day) for name, day in begun.items())]


def _accounts_begun(store: Store, household: HouseholdRow, asked: Period, other: Period) -> dict[str, date]:
    """Return name → first day of the accounts of a period that begin after the one it is compared with has begun."""
    from toolkit.flows.money.spending import account_names

    days: dict[str, list[date]] = {}
    for account, *both in store.tuples(ROLLUP, ("account_id", "first_day", "last_day"), household.household_id):
        days.setdefault(account, []).extend(date.fromisoformat(day) for day in both if day)
    late = {
        account: min(known)
        for account, known in days.items()
        if known and min(known) > other.first + _FEW_DAYS and any(asked.first <= day <= asked.last for day in known)
    }
    names = account_names(store, household.household_id) if late else {}
    return {names.get(account) or account: day for account, day in late.items()}


def transaction_days(ctx: Context) -> Period | None:
    """Return `stored_days` of the household."""
    with open_home(ctx) as (store, household):
        return stored_days(store, household)


def stored_days(store: Store, household: HouseholdRow) -> Period | None:
    """Return the local days of the household's first and last transaction; None where none has a date."""
    if not is_current(store, household):
        (answer,) = spending_of(store, household, [Question()])
        return Period(answer.from_, answer.to) if answer.from_ and answer.to else None
    days = store.tuples(ROLLUP, ("first_day", "last_day"), household.household_id)
    dated = [(first, last) for first, last in days if first and last]
    if not dated:
        return None
    first, last = min(first for first, _ in dated), max(last for _, last in dated)
    return Period(date.fromisoformat(first), date.fromisoformat(last))


def _category_names(store: Store, household: HouseholdRow) -> dict[str, str]:
    """Return category code → the household's own name for it."""
    decided = store.load(OverrideRow, household.household_id, where={"active": True, "kind": CATEGORY})
    return names_set(merged_settings(decided, CategorySettings))


def _with_account_names(store: Store, household: HouseholdRow, answer: Spending) -> Spending:
    """Add the name of each row's account; null where it has none."""
    from toolkit.flows.money.spending import account_names

    names, columns = account_names(store, household.household_id), answer.rows.columns
    place = columns.index("account_id")
    rows = [(*row[:-2], names.get(row[place]), *row[-2:]) for row in answer.rows.tuples()]
    return replace(answer, rows=SpendingRows.of((*columns[:-2], "account_name", *columns[-2:]), rows))


def spending_of(store: Store, household: HouseholdRow, questions: Sequence[Question]) -> list[Spending]:
    """Answer questions that differ in their days alone, from the roll-ups where these hold the exact answers, else
    from the rows."""
    if not all(can_use_rollups(store, household, question) for question in questions):
        from toolkit.flows.money.spending import spending_from_rows

        return spending_from_rows(store, household, questions)
    warnings = tuple(problem for _, problem in account_suggestions(store, household.household_id))
    return [replace(_from_months(store, household, question), problems=warnings) for question in questions]


def _from_months(store: Store, household: HouseholdRow, question: Question) -> Spending:
    sums = _month_sums(store, household.household_id, question)
    if question.by == "person":
        from toolkit.flows.money.spending import account_owners

        owners = account_owners(store, household.household_id)
        sums = (entry._replace(person=owners.get(entry.account_id or "")) for entry in sums)

    def waiting(asked: Question) -> int:
        from toolkit.flows.money.spending import kept_waiting

        return kept_waiting(store, household.household_id, asked)

    return spending_of_months(sums, question, waiting)


def _month_sums(store: Store, household_id: str, question: Question) -> Iterator[MonthSum]:
    """Read the sums of the question's months, each month and account apart only where the question asks for it."""
    first = question.from_.strftime("%Y-%m") if question.from_ else "0000-00"
    last = question.to.strftime("%Y-%m") if question.to else "9999-99"
    by_account = question.by in ("account", "person")
    keys = [*(["month"] if question.months else []), *(["account_id"] if by_account else []), *_KEYS]
    within = {"month": ("between", first, last)}
    for row in store.summed(ROLLUP, keys, _SUMS, household_id, where=within):
        rest = list(row)
        month = rest.pop(0) if question.months else None
        account = rest.pop(0) if by_account else None
        kind, primary, secondary, currency, pending, *sums = rest
        yield MonthSum(month or None, account, kind, primary or None, secondary or None, currency, bool(pending), *sums)


def account_suggestions(store: Store, household_id: str) -> list[tuple[list[str], Problem]]:
    """Return the stored suggestions: ids of accounts that may be one, and the warning about them."""
    rows = store.tuples("account_suggestions", ("account_ids", "reason"), household_id)
    if not rows:
        return []
    from toolkit.analytics.money.account_summary import link_warning
    from toolkit.flows.money.spending import account_names

    names = account_names(store, household_id)
    stored = [(json.loads(accounts), reason) for accounts, reason in rows]
    return [(accounts, link_warning(accounts, reason, names)) for accounts, reason in stored]


def can_use_rollups(store: Store, household: HouseholdRow, question: Question) -> bool:
    """Return whether roll-ups have the exact answer: whole months, no payees or tags, every row dated, up to date."""
    first, last = question.from_, question.to
    whole = (first is None or first.day == 1) and (last is None or last == date.max or (last + timedelta(1)).day == 1)
    if question.by in ("merchant", "tag") or not whole or not is_current(store, household):
        return False
    return not store.count(ROLLUP, household.household_id, where={"month": ""})


# ---- whether what is stored was made from what is there today


def is_current(store: Store, household: HouseholdRow) -> bool:
    """Return whether the roll-ups were made from today's rows, time zone, accounts, overrides and method."""
    home = household.household_id
    made_from = [basis for (basis,) in store.tuples("rollups", ("basis",), home)]
    return made_from == [basis_of(store, household)]


def basis_of(store: Store, household: HouseholdRow, kinds: Sequence[str] = ()) -> str:
    """Return a hash of everything but the rows that classified ones depend on. kinds: of the overrides; all without."""
    home = household.household_id
    accounts = store.tuples("accounts", ACCOUNT, home)
    overrides = store.tuples("choices", OVERRIDE, home, where={"active": True})
    return basis(accounts, overrides, zone=zone_of(household), people=own_people(store, home), kinds=kinds)


def own_people(store: Store, household_id: str) -> list[str]:
    """Return the names of the household's end users, and of the people added to it by name."""
    named = [name for table in ("end_users", "persons") for (name,) in store.tuples(table, ("name",), household_id)]
    return sorted({name for name in named if name})


def zone_of(household: HouseholdRow) -> str:
    """Return the household's time zone: as set, else of its state or postcode, else Sydney's."""
    if household.timezone:
        return household.timezone
    located = places.zone(household.state, household.postcode) if household.state or household.postcode else None
    return located or DEFAULT_ZONE


def household_zone(store: Store, household_id: str) -> str:
    """Return the time zone of the household with this id; Sydney's for records that belong to none."""
    household = store.first(HouseholdRow, household_id)
    return zone_of(household) if household else DEFAULT_ZONE
