"""A household's classified transactions: made, kept column by column, and the monthly roll-ups made from them.

A million rows that are stored one by one take seconds to read; a column of them takes milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace as replaced
from decimal import Decimal
from functools import partial

import polars as pl
import polars.selectors as cs
from msgspec.structs import asdict, replace

from toolkit.analytics.money.account_summary import link_warning, name_of
from toolkit.analytics.money.accounts import AccountLinks, Suggestion, account_rows, owners_of, with_settings
from toolkit.analytics.money.basis import classification_version
from toolkit.analytics.money.categorise import searchable
from toolkit.analytics.money.classify import (
    ADDED,
    NEEDED,
    Classified,
    classify,
    newest_first,
    problems_without_date,
)
from toolkit.analytics.money.edits.renamed import ABOUT_PAYEES, COMPARED, decided_payees, new_names, with_new_names
from toolkit.analytics.money.parties import NAMED_BY
from toolkit.analytics.money.sums.months import Question, buckets
from toolkit.analytics.money.sums.rows import WAITING, spending_of_rows, summed_columns, waiting_in, with_person
from toolkit.analytics.money.transactions import SEARCHED
from toolkit.analytics.money.transfers import PAIRS
from toolkit.answers.money import Spending
from toolkit.errors import UsageError
from toolkit.flows.money.summary import ROLLUP, account_suggestions, basis_of, is_current, own_people, zone_of
from toolkit.remedies import Message, field_of
from toolkit.store import Store
from toolkit.store.frames import drop_frames, keep_columns, keep_frame, kept_frame
from toolkit.tables.money import minor_units
from toolkit.tables.schema import table
from toolkit.tables.schema.banking import AccountRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow, RollupRow
from toolkit.tables.written_amount import written_amount
from toolkit.units import HOME_CURRENCY

LINKING = ("link", "unlink")
"""Kinds of the overrides on which depends which accounts count as one."""
_EMPTY_FOR_NULL = ("month", "primary_category", "secondary_category")
"""Parts of the roll-up's key that are stored as empty text where they are null."""


def classified(
    store: Store, household: HouseholdRow, columns: Sequence[str] = (), *, enums: bool = False
) -> Classified:
    """Return the household's transactions with day, merchant, category and kind, as stored, newest first.

    columns: the only ones wanted, which is quicker; texts that repeat are then Categorical, or Enum (see
    `kept_columns`). Without any, all columns of `Classified` and `text`, in which words are searched. Where what is
    stored is out of date the transactions are classified again.
    """
    wanted = columns or (*NEEDED, *ADDED, SEARCHED)
    current = is_current(store, household)
    money = kept_classified(store, household.household_id, wanted, enums=enums) if current else None
    if money is None:
        return classified_now(store, household)
    return money if columns else replaced(money, rows=money.rows.cast({cs.categorical(): pl.String}))


def classified_now(
    store: Store, household: HouseholdRow, links: AccountLinks | None = None, ids: Collection[str] | None = None
) -> Classified:
    """Classify the household's transactions, or only those of `ids`, newest first.

    links: which accounts count as one, where it is known.
    """
    home = household.household_id
    transactions = store.read("transactions", home, columns=NEEDED, where={"id": sorted(ids)} if ids else None)
    accounts, overrides = store.read("accounts", home), store.read("choices", home)
    people = own_people(store, home)
    money = classify(transactions, accounts, zone=zone_of(household), overrides=overrides, people=people, links=links)
    return replaced(money, rows=newest_first(money.rows.with_columns(searchable().alias(SEARCHED))))


def accounts_as_set(store: Store, household_id: str) -> list[AccountRow]:
    """Return the household's accounts, each once, with the names and kinds that people set.

    An account that two consents give has a row of each: of these the one that the service still gives counts.
    """
    rows = account_rows(with_settings(store.read("accounts", household_id), store.read("choices", household_id)))
    current = {row.account_id: row for row in sorted(rows, key=lambda row: row.vanished_at is None)}
    return [row for row in rows if row is current[row.account_id]]


def account_names(store: Store, household_id: str) -> dict[str, str]:
    """Return account id → the name a person set, else the bank's; accounts without a name are left out."""
    return {row.account_id: name for row in accounts_as_set(store, household_id) if (name := name_of(row))}


def account_owners(store: Store, household_id: str) -> dict[str, str]:
    """Return account id → its owner: as people set it, else who gave the consent that it came under.

    An account counts under its own id and the one it is linked to; accounts of nobody known are left out.
    """
    people = dict(store.tuples("end_users", ("end_user_id", "name"), household_id))
    consents = store.tuples("consents", ("arrangement_id", "end_user_id"), household_id)
    by_consent = {arrangement: people.get(person) for arrangement, person in consents}
    chosen = owners_of(store.read("choices", household_id))
    owners = {}
    for row in store.load(AccountRow, household_id):
        person = chosen.get(row.account_id) or by_consent.get(row.arrangement_id)
        for account in (row.account_id, row.linked_account_id):
            if person and account and (account not in owners or row.account_id in chosen):
                owners[account] = person
    return owners


def account_numbers(store: Store, household_id: str) -> set[str]:
    """Return the account numbers of the household, as far as they are known in full, to be masked."""
    return {number for (number,) in store.tuples("accounts", ("account_number",), household_id) if number}


def typed_cents(option: str, given: Decimal | str | float) -> int:
    """Parse an amount as a person types it, `1250.4` or `$1,250.40`, to cents. Raises UsageError if it is invalid."""
    return typed_minor(option, given, HOME_CURRENCY)


def typed_minor(option: str, given: Decimal | str | float, currency: str) -> int:
    """Parse an amount as a person types it to minor units of its currency. Raises UsageError if it is invalid."""
    text = str(given).strip()
    if not text:
        raise UsageError(Message(field_of(option), ": type an amount, for example 400."), option=option)
    amount = written_amount(text)
    if amount is None:
        raise UsageError(
            Message(field_of(option), f": {text!r} is not an amount of money. Write it as 1250.40 or $1,250.40."),
            option=option,
        )
    try:
        return minor_units(f"{amount:f}", currency)
    except ValueError as error:
        raise UsageError(Message(field_of(option), f": {error}."), option=option) from None


def spending_from_rows(store: Store, household: HouseholdRow, questions: Sequence[Question]) -> list[Spending]:
    """Answer questions that differ in their days alone from the transactions themselves."""
    home = household.household_id
    by_person = questions[0].by == "person"
    current = is_current(store, household) and not by_person
    waiting = partial(kept_waiting, store, home)
    rows = kept_columns(store, home, summed_columns(questions[0]), enums=True) if current else None
    if rows is not None and not rows["day"].null_count():
        problems = tuple(problem for _, problem in account_suggestions(store, home))
    else:
        money = classified(store, household)
        names = account_names(store, home)
        rows = with_person(money.rows, account_owners(store, home)) if by_person else money.rows
        suggested = [link_warning(maybe.account_ids, maybe.reason, names) for maybe in money.links.suggestions]
        problems = (*suggested, *problems_without_date(money.rows))
        waiting = partial(waiting_in, money.rows, money.suggestions)
    return [replace(spending_of_rows(rows, question, waiting), problems=problems) for question in questions]


def kept_waiting(store: Store, household_id: str, question: Question) -> int:
    """Return how much of the deposits without a category [cents] is of likely transfers; see `waiting_in`."""
    pairs = kept_frame(store, household_id, POSSIBLE_TRANSFERS, ["in_id"])
    rows = kept_columns(store, household_id, WAITING) if pairs is not None and pairs.height else None
    if pairs is None or rows is None:
        return 0
    return waiting_in(rows, pairs.cast({cs.categorical(): pl.String}), question)


# ---- roll-ups


def refresh(store: Store, household_id: str) -> int:
    """Recompute the household's roll-ups if they are out of date; returns the sums written.

    All rows are classified, whatever the months: the other leg of a transfer may be in the neighbouring month. Only
    sums that differ are written. Runs in the caller's transaction where there is one.
    """
    with store.transaction():
        household = store.load(HouseholdRow, household_id)[0]
        if is_current(store, household):
            return 0
        if not (store.count("transactions", household_id) or store.count("accounts", household_id)):
            return _refresh_without_accounts(store, household)
        _rename_decided_payees(store, household_id)
        as_linked = [(basis_of(store, household, LINKING),)]
        unchanged = store.tuples("rollups", ("links_basis",), household_id) == as_linked
        money = classified_now(store, household, kept_links(store, household_id) if unchanged else None)
        _store_links(store, household_id, money.links)
        keep_classified(store, household_id, money)
        written = replace_rollups(store, household_id, buckets(money.rows))
        mark_current(store, household)
    return written


def _refresh_without_accounts(store: Store, household: HouseholdRow) -> int:
    """Delete the roll-ups of a household that has meter data alone, or nothing: classifying no rows takes as long."""
    home = household.household_id
    drop_frames(store, home)
    store.delete("account_suggestions", {"household_id": home})
    deleted = store.delete(ROLLUP, {"household_id": home})
    mark_current(store, household)
    return deleted


def mark_current(store: Store, household: HouseholdRow) -> None:
    """Store that the roll-ups are made from today's rows, accounts, overrides and method."""
    bases = basis_of(store, household), classification_version(), basis_of(store, household, LINKING)
    store.upsert("rollups", [RollupRow(household.household_id, *bases)])


def mark_all(store: Store, household_id: str) -> None:
    """Mark the household's roll-ups as out of date, and delete what is stored of its classified transactions."""
    _rename_decided_payees(store, household_id)  # what is deleted may have the names of an earlier version
    store.delete("rollups", {"household_id": household_id})
    drop_frames(store, household_id)


def _rename_decided_payees(store: Store, household_id: str) -> None:
    """Let decisions about payees follow the names of this version, where another one classified what is kept."""
    if store.tuples("rollups", ("version",), household_id) in ([], [(classification_version(),)]):
        return
    decisions = store.load(OverrideRow, household_id, where={"kind": list(ABOUT_PAYEES)})
    payees = decided_payees(decisions)
    kept = kept_columns(store, household_id, COMPARED) if payees else None
    if kept is None:
        return
    transactions = store.read("transactions", household_id, columns=("id", *NAMED_BY))
    names = new_names(kept, transactions, payees, store.read("choices", household_id))
    renamed = [with_new_names(decision, names) for decision in decisions]
    store.upsert("choices", [asdict(row) for row, before in zip(renamed, decisions, strict=True) if row != before])


def stale_households(store: Store) -> list[str]:
    """Return the households with roll-ups that were marked as out of date, or never made."""
    made = set(store.tuples("rollups", ("household_id",)))
    return [home for (home,) in store.tuples("households", ("household_id",)) if (home,) not in made]


def stored_categories(store: Store, household: HouseholdRow) -> set[str]:
    """Return the categories that the household's transactions have."""
    names = ("primary_category", "secondary_category")
    if is_current(store, household):
        return {code for codes in store.tuples(ROLLUP, names, household.household_id) for code in codes if code}
    rows = classified(store, household).rows
    return {code for name in names for code in rows[name].unique() if code}


def _store_links(store: Store, household_id: str, links: AccountLinks) -> None:
    """Store which account each counts under, and which may be one."""
    for account, before in store.tuples("accounts", ("account_id", "linked_account_id"), household_id):
        under = links.main.get(account, account)
        linked = under if under != account else None
        if linked != before:
            where = {"household_id": household_id, "account_id": account}
            store.update("accounts", {"linked_account_id": linked}, where)
    store.delete("account_suggestions", {"household_id": household_id})
    rows = [(household_id, json.dumps(maybe.account_ids), maybe.reason) for maybe in links.suggestions]
    store.upsert("account_suggestions", rows)


def replace_rollups(store: Store, household_id: str, sums: pl.DataFrame, months: Collection[str] | None = None) -> int:
    """Replace the household's stored sums by these; returns how many were added, changed or deleted.

    months: the only ones that the sums are of, as stored; without them the sums are of all.
    """
    named = sums.with_columns(pl.col(name).fill_null("") for name in _EMPTY_FOR_NULL)
    fresh = named.with_columns(household_id=pl.lit(household_id))
    key = list(table(ROLLUP).key)
    where = None if months is None else {"month": sorted(months)}
    gone = store.read(ROLLUP, household_id, columns=key, where=where).join(fresh, on=key, how="anti")
    for row in gone.iter_rows(named=True):
        store.delete(ROLLUP, row)
    counts = store.upsert(ROLLUP, fresh.select(table(ROLLUP).names).to_dicts())
    return counts.added + counts.updated + gone.height


# ---- classified transactions as kept

ROWS, POSSIBLE_TRANSFERS, COPIES, MAIN, OWING = "transactions", "possible_transfers", "copies", "main", "owing"
"""Names of the frames that are kept of a household."""
_LINKS = {"id": pl.String, "counts_as": pl.String}


def keep_classified(store: Store, household_id: str, money: Classified) -> None:
    """Keep what was classified, in place of what was kept before; account suggestions are kept elsewhere."""
    keep_frame(store, household_id, ROWS, money.rows)
    keep_frame(store, household_id, POSSIBLE_TRANSFERS, money.suggestions)
    for name, links in ((COPIES, money.links.copies), (MAIN, money.links.main), (OWING, money.links.owing)):
        keep_frame(store, household_id, name, pl.DataFrame(list(links.items()), schema=_LINKS, orient="row"))


def replace_classified(store: Store, household_id: str, rows: pl.DataFrame, suggestions: pl.DataFrame) -> None:
    """Keep columns of the transactions, in the order in which they are kept, and the possible transfers."""
    keep_columns(store, household_id, ROWS, rows)
    keep_frame(store, household_id, POSSIBLE_TRANSFERS, suggestions)


def kept_columns(
    store: Store, household_id: str, columns: Sequence[str], *, enums: bool = False, rows: list[int] | None = None
) -> pl.DataFrame | None:
    """Return columns of the transactions as kept, newest first; None where they were not.

    Texts with values that repeat are Categorical, or Enum; rows: numbers of the only ones wanted (see `kept_frame`).
    """
    return kept_frame(store, household_id, ROWS, columns, enums=enums, rows=rows)


def kept_classified(
    store: Store, household_id: str, columns: Sequence[str], *, enums: bool = False
) -> Classified | None:
    """Return what was kept, with these columns of the transactions; None where it was not.

    Texts of the transactions with values that repeat are Categorical, or Enum (see `kept_columns`).
    """
    rows = kept_columns(store, household_id, columns, enums=enums)
    pairs = kept_frame(store, household_id, POSSIBLE_TRANSFERS, list(PAIRS))
    links = kept_links(store, household_id)
    if rows is None or pairs is None or links is None:
        return None
    return Classified(rows, pairs.cast({cs.categorical(): pl.String}), links)


def kept_links(store: Store, household_id: str) -> AccountLinks | None:
    """Return which accounts count as one, as kept; None where it was not."""
    copies, main, owing = (kept_frame(store, household_id, name, list(_LINKS)) for name in (COPIES, MAIN, OWING))
    if copies is None or main is None or owing is None:
        return None
    stored = store.tuples("account_suggestions", ("account_ids", "reason"), household_id)
    suggestions = tuple(Suggestion(tuple(json.loads(ids)), reason) for ids, reason in stored)
    return AccountLinks(dict(main.iter_rows()), dict(copies.iter_rows()), suggestions, dict(owing.iter_rows()))
