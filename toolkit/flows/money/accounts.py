"""The household's accounts: `accounts list|link|unlink|set`. Each change is an override that `undo` takes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from datetime import date
from decimal import Decimal

import polars as pl

from toolkit.analytics.money.account_evidence import COLUMNS, activity_of
from toolkit.analytics.money.account_summary import (
    account_called,
    account_summary,
    accounts_called,
    known_balances,
    latest_by_account,
    likely_cards,
    linked_groups,
    pairs_to_link,
    pairs_to_unlink,
)
from toolkit.analytics.money.accounts import KINDS, AccountSettings, separated, settings_of
from toolkit.answers.money import Account, Accounts
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.moved_accounts import move_account
from toolkit.flows.money.overrides import record
from toolkit.flows.money.spending import accounts_as_set, typed_cents
from toolkit.flows.money.summary import account_suggestions, zone_of
from toolkit.flows.typed_days import check_day
from toolkit.flows.wording import refuse_changed
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.schema.banking import AccountRow, BalanceRow
from toolkit.tables.schema.identity import HouseholdRow

LEAST_FAR = Decimal(1000)
"""AUD: a typed balance is asked about from this difference to the known one."""


def list_accounts(ctx: Context) -> Accounts:
    """List every stored account with its balance, the days that it covers and the accounts it is linked to."""
    with open_home(ctx) as (store, household):
        return _listed(store, household)


def link(ctx: Context, accounts: Sequence[str], *, shown: Accounts | None = None) -> Accounts:
    """Make two or more accounts (id or name) one; a transaction in several of them counts once.

    shown: the accounts as a page showed them. Raises ChoiceRequiredError where one of them is not known, UsageError
    where fewer than two are named, or one has been joined or separated since it was shown.
    """
    return _decide(ctx, "link", accounts, lambda chosen, _: pairs_to_link(chosen), shown)


def unlink(ctx: Context, accounts: Sequence[str], *, shown: Accounts | None = None) -> Accounts:
    """Separate accounts. A single one leaves the accounts that it is linked to.

    Also the answer to a suggestion: it is not made again. shown: as for `link`. Raises ChoiceRequiredError where one of
    them is not known, UsageError where a single account has no links, or as `link`.
    """
    return _decide(ctx, "unlink", accounts, lambda chosen, known: pairs_to_unlink(chosen, linked_groups(known)), shown)


def set_account(  # noqa: PLR0913  # the command's options, each by name
    ctx: Context,
    account: str,
    *,
    name: str | None = None,
    kind: str | None = None,
    balance: Decimal | str | None = None,
    is_owed: bool = False,
    at: date | None = None,
    person: str | None = None,
    shown: Account | None = None,
) -> Accounts:
    """Set the household's own name for an account, its kind, its owner, or its balance [AUD] at the end of a day.

    Without `at` the balance is that of today. is_owed: the amount is what the household owes, as on a card's statement;
    a negative one is in credit. Where the household named by `ctx` has no such account, or nothing else
    is given, the account moves there from the household that has it (see `move_account`). shown: the account as a form
    showed it. Raises UsageError where nothing is set, for an unknown kind, or where name, kind, owner or the balance of
    that day has changed since it was shown.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"{kind!r} is not a kind of account. The kinds are {', '.join(KINDS)}.")
    if at is not None and balance is None:
        raise UsageError(Message(Remedy.BALANCE_OF_DAY, "."))
    settings: dict[str, str | int | None] = {"name": name, "kind": kind, "person": person}
    if balance is not None:
        check_day(at, "--at")
        cents = typed_cents("--balance", balance)
        settings |= {"balance_minor": -cents if is_owed else cents, "at": str(at or ctx.today)}
    given = {key: value for key, value in settings.items() if value is not None}
    if not given and ctx.household is None:
        raise UsageError(Message(Remedy.NOTHING_SET, "."))
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        known = accounts_as_set(store, home)
        if shown is not None and not accounts_called(known, account):
            raise UsageError(Message(Remedy.NO_SUCH_ACCOUNT.with_(wanted=account), "."))
        if ctx.household is not None and not (given and accounts_called(known, account)):
            account = move_account(store, account, home)
            known = accounts_as_set(store, home)
        if shown is not None:
            now = next((each for each in _listed(store, household).accounts if each.id == shown.id), shown)
            _check_unchanged(shown, now, given, at or ctx.today)
        if given:
            record(store, home, "account", account_called(known, account), json.dumps(given))
        return _listed(store, household)


def far_from_known(account: Account, balance: str, *, is_owed: bool) -> Decimal | None:
    """Return how much more a typed balance [AUD] is than the known one, where that is too much to be likely.

    That is $1,000 and a quarter of the larger one. None where it is near, or none is known. balance, is_owed: as of
    `set_account`. Raises UsageError where it is not an amount.
    """
    cents = typed_cents("--balance", balance)
    if account.balance is None:
        return None
    typed = Decimal(-cents if is_owed else cents) / 100
    more = typed - account.balance
    is_far = abs(more) > max(LEAST_FAR, max(abs(typed), abs(account.balance)) / 4)
    return more if is_far else None


def _check_unchanged(shown: Account, now: Account, given: Collection[str], at: date) -> None:
    """Raise UsageError where a field that is given has changed, or another balance of the same day was set."""
    words = {"name": "name", "kind": "kind", "person": "owner", "balance_minor": "balance"}
    fields = {"balance" if key == "balance_minor" else key: word for key, word in words.items() if key in given}
    if now.balance_at != at:
        fields.pop("balance", None)
    before, after = ({word: getattr(row, field) for field, word in fields.items()} for row in (shown, now))
    refuse_changed("account", before, after)


def _decide(
    ctx: Context,
    kind: str,
    wanted: Sequence[str],
    pairs: Callable[[list[str], list[AccountRow]], list[tuple[str, str]]],
    shown: Accounts | None,
) -> Accounts:
    """Record the pairs of accounts as one override, so that one undo takes them all back; list all accounts."""
    with open_home(ctx) as (store, household), store.transaction():
        known = accounts_as_set(store, household.household_id)
        chosen = list(dict.fromkeys(account_called(known, name) for name in wanted))
        if shown is not None:
            before, now = _linked(shown, chosen), _linked(_listed(store, household), chosen)
            refuse_changed("account", before, now, repeat="Select it again")
        record(store, household.household_id, kind, chosen[0], json.dumps(pairs(chosen, known)))
        return _listed(store, household)


def _linked(accounts: Accounts, chosen: Collection[str]) -> dict[str, str]:
    """Return the name of each chosen account → those that it is one account with, and those it was separated from."""
    names = {account.id: account.name or account.id for account in accounts.accounts}
    linked: dict[str, str] = {}
    for account in accounts.accounts:
        if account.id in chosen:
            others = ", ".join(names.get(other, other) for other in account.linked_to) or "by itself"
            if account.different_from:
                others += f", different from {', '.join(names.get(other, other) for other in account.different_from)}"
            alike = linked.get(names[account.id])
            linked[names[account.id]] = f"{alike}; {others}" if alike else others
    return linked


def _listed(store: Store, household: HouseholdRow) -> Accounts:
    home, zone = household.household_id, zone_of(household)
    rows = store.read("transactions", home, columns=(*COLUMNS, "vanished_at")).filter(pl.col("vanished_at").is_null())
    activity = activity_of(rows, zone)
    counts = dict(rows.group_by("account_id").len().iter_rows())
    known = [row for row in accounts_as_set(store, home) if row.vanished_at is None or row.account_id in counts]
    overrides = store.read("choices", home)
    groups, settings = linked_groups(known), settings_of(overrides)
    latest = latest_by_account(known_balances(store.load(BalanceRow, home), settings, activity, zone=zone))
    institutions = dict(store.tuples("institutions", ("institution_id", "name")))
    listed = tuple(
        account_summary(
            row,
            activity.get(row.account_id),
            settings=settings.get(row.account_id, AccountSettings()),
            balance=latest.get(row.account_id),
            linked=groups.get(row.account_id, ()),
            apart=separated(overrides, row.account_id),
            institution=institutions.get(row.institution_id),
            transactions=counts.get(row.account_id, 0),
        )
        for row in sorted(known, key=lambda row: row.account_id)
    )
    suggested = account_suggestions(store, home)
    return Accounts(
        accounts=listed,
        problems=tuple(problem for _, problem in suggested),
        may_be_one=tuple(tuple(accounts) for accounts, _ in suggested),
        likely_cards=tuple(likely_cards(listed, rows, activity)),
    )
