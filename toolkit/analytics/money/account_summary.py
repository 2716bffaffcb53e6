"""Each account's kind, latest known balance, days and links: what `accounts list` answers; and accounts by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, groupby
from shlex import quote
from zoneinfo import ZoneInfo

import polars as pl
from msgspec.structs import asdict, replace

from toolkit.analytics.money.account_evidence import Activity, opening_and_closing
from toolkit.analytics.money.accounts import CARDS, LOANS, AccountSettings
from toolkit.answers.base import quoted
from toolkit.answers.money import Account
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.tables.money import amount
from toolkit.tables.schema.banking import AccountRow, BalanceRow
from toolkit.units import HOME_CURRENCY

LOCKED = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "TERM_DEPOSITS")
"""Product categories of accounts with a balance that cannot be spent."""

PAYMENT_RECEIVED = r"(?i)\bpayments? ?(?:received|-? ?thank ?you)|thank ?you for your payment"
"""In a card's rows: that it was paid."""
FEWEST_PURCHASES = 3
"""For each payment: a loan has its interest and fees only."""


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of an account at the end of a day."""

    account_id: str
    minor: int
    """Cents of AUD, negative is owed."""
    at: date


def known_balances(
    stored: Iterable[BalanceRow],
    settings: Mapping[str, AccountSettings],
    activity: Mapping[str, Activity],
    *,
    zone: str,
) -> list[Balance]:
    """Return all known balances in AUD, oldest first; of equal days the one that outranks the others comes last.

    stored: as the service gave them. settings: as people set them; these outrank others of the same day. activity:
    each account's own, for its running balances. zone: time zone of the household.
    """
    known = list(_of_files(activity))
    for row in stored:
        if row.currency == HOME_CURRENCY and row.current_balance_minor is not None:
            day = row.as_of.astimezone(ZoneInfo(zone)).date()
            known.append(Balance(row.account_id, row.current_balance_minor, day))
    for account, own in settings.items():
        if own.balance_minor is not None and own.at is not None:
            known.append(Balance(account, own.balance_minor, own.at))
    return sorted(known, key=lambda balance: balance.at)


def latest_by_account(known: Iterable[Balance]) -> dict[str, Balance]:
    """Return account id → its latest known balance. known: oldest first."""
    return {balance.account_id: balance for balance in known}


def debts(known: Iterable[Balance], in_credit: Collection[str]) -> set[str]:
    """Return the accounts that owe money now and never had any. known: oldest first. in_credit: those that once had."""
    owing = {account for account, balance in latest_by_account(known).items() if balance.minor < 0}
    return owing.difference(in_credit)


def _of_files(activity: Mapping[str, Activity]) -> Iterable[Balance]:
    """Yield the balance at the end of each account's latest day with running balances that agree."""
    for account, active in activity.items():
        days = groupby(reversed(active.latest), key=lambda row: row.day)
        closings = ((day, opening_and_closing(list(of_day))[1]) for day, of_day in days)
        if known := next(((day, closing) for day, closing in closings if closing is not None), None):
            yield Balance(account, known[1], known[0])


def kind_of(account: AccountRow, settings: AccountSettings) -> str | None:
    """Return the kind of an account: as a person set it, else by the bank's product; None where neither is known."""
    product = account.product_category
    if settings.kind is not None or product is None:
        return settings.kind
    if product in LOANS:
        return "loan"
    if product in CARDS:
        return "card"
    if product == "TERM_DEPOSITS":
        return "term-deposit"
    names = f"{account.display_name or ''} {account.product_name or ''}".casefold()
    return next((kind for word, kind in (("offset", "offset"), ("sav", "savings")) if word in names), "everyday")


def likely_cards(
    accounts: Iterable[Account], transactions: pl.DataFrame, activity: Mapping[str, Activity]
) -> list[str]:
    """Return ids of accounts of unknown kind that look like a credit card, for a person to say.

    Their money in is mostly payments received, they have several purchases for each, and no running balance was ever
    above zero. A bank's CSV does not say what kind of account it is. transactions: with `account_id`, `amount_minor`
    and `description`.
    """
    unknown = [
        each.id for each in accounts if each.kind is None and not (each.id in activity and activity[each.id].in_credit)
    ]
    came_in = pl.col("amount_minor") > 0
    is_payment = pl.col("description").str.contains(PAYMENT_RECEIVED).fill_null(value=False)
    counted = transactions.filter(pl.col("account_id").is_in(unknown)).group_by("account_id")
    sums = counted.agg(came_in.sum().alias("in"), (came_in & is_payment).sum().alias("paid"), pl.len().alias("rows"))
    enough = (pl.col("paid") > 0) & (2 * pl.col("paid") > pl.col("in"))
    several = pl.col("rows") - pl.col("in") >= FEWEST_PURCHASES * pl.col("paid")
    return sorted(sums.filter(enough & several)["account_id"])


def account_summary(  # noqa: PLR0913  # what is known of an account, each by name
    account: AccountRow,
    active: Activity | None,
    *,
    settings: AccountSettings,
    balance: Balance | None,
    linked: Sequence[str],
    apart: tuple[str, ...],
    institution: str | None,
    transactions: int,
) -> Account:
    """Return an account as `accounts list` shows it.

    active: None where it has no dated transaction. linked: ids of the accounts that count as one with it. apart: ids of
    those that a person separated it from.
    """
    return Account(
        id=account.account_id,
        name=name_of(account),
        number=account.masked_number,
        institution=institution,
        kind=kind_of(account, settings),
        source=account.source,
        balance=amount(balance.minor) if balance else None,
        balance_at=balance.at if balance else None,
        linked_to=tuple(other for other in linked if other != account.account_id),
        from_=active.first if active else None,
        to=active.last if active else None,
        transactions=transactions,
        person=settings.person,
        different_from=apart,
    )


def name_of(account: AccountRow) -> str | None:
    """Return the name a person gave the account, else the bank's; None where it has none."""
    return account.nickname or account.display_name or account.product_name


def linked_groups(accounts: Iterable[AccountRow]) -> dict[str, list[str]]:
    """Return account id → ids of all accounts that count as one with it, the one that they count under first.

    Its own id is included; accounts without links are left out.
    """
    under = {row.account_id: row.linked_account_id or row.account_id for row in accounts}
    members: dict[str, list[str]] = {}
    for account, main in sorted(under.items(), key=lambda pair: (pair[0] != pair[1], pair[0])):
        members.setdefault(main, []).append(account)
    return {account: members[main] for account, main in under.items() if len(members[main]) > 1}


def merged_accounts(accounts: Iterable[AccountRow], main: Mapping[str, str]) -> list[AccountRow]:
    """Return the accounts that count, under their own id; what one lacks comes from those linked to it.

    main: account id → the id that it counts under (`AccountLinks.main`).
    """
    merged: dict[str, AccountRow] = {}
    for row in sorted(accounts, key=lambda row: (row.account_id in main.keys() - main.values(), row.id)):
        account = main.get(row.account_id, row.account_id)
        first = merged.setdefault(account, replace(row, account_id=account))
        missing = {name: value for name, value in asdict(row).items() if getattr(first, name) is None}
        merged[account] = replace(first, **missing)
    return list(merged.values())


def accounts_called(accounts: Iterable[AccountRow], wanted: str) -> set[str]:
    """Return ids of the accounts with that id, else of those with that name, whatever the case."""
    rows = list(accounts)
    if wanted in {row.account_id for row in rows}:
        return {wanted}
    name = " ".join(wanted.split()).casefold()
    called = {}
    for row in rows:
        names = (row.account_id, row.nickname, row.display_name, row.product_name)
        called[row.account_id] = {given.casefold() for given in names if given}
    return {account for account, names in called.items() if name in names}


def account_called(accounts: Sequence[AccountRow], wanted: str) -> str:
    """Return the id of the only account with that id or name. Raises ChoiceRequiredError unless exactly one has it."""
    ids = accounts_called(accounts, wanted)
    if len(ids) != 1:
        count = "No account" if not ids else "More than one account"
        known = sorted(row.account_id for row in accounts)
        raise ChoiceRequiredError(f"{count} is called {wanted!r}. Name one by its id.", known)
    return ids.pop()


def pairs_to_link(chosen: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs to link so that all accounts are one. Raises UsageError for fewer than two accounts."""
    first, *others = chosen
    if not others:
        raise UsageError("Name two accounts, or more.")
    return [(first, other) for other in others]


def pairs_to_unlink(chosen: Sequence[str], groups: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the pairs to unlink: each two of the accounts; of a single one those with all that it is linked to.

    groups: see `linked_groups`. Raises UsageError where a single account has no links.
    """
    first, *others = chosen
    linked = [other for other in groups.get(first, ()) if other != first]
    if not others and not linked:
        raise UsageError("That account is linked to no other.")
    return list(combinations(chosen, 2)) if others else [(first, other) for other in linked]


def link_warning(accounts: Sequence[str], reason: str, names: Mapping[str, str]) -> Problem:
    """Return the warning that accounts may be one. names: account id → what it is called."""
    called = [quoted(id_) if names.get(id_) in (None, id_) else f"{quoted(names[id_])} ({id_})" for id_ in accounts]
    ids = " ".join(quote(account) for account in accounts)
    message = Message(
        f"{', '.join(called[:-1])} and {called[-1]} may be one account: {reason}. ",
        "Each of them counts until you decide.",
        Remedy.LINK_ACCOUNTS.with_(accounts=ids),
    )
    return Problem(accounts[0], message, "warning")
