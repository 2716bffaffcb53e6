"""A household's accounts: as people set them, and which of them are one and the same, so that rows count once.

Accounts are linked without asking only where full BSB and number are equal, or the masked number is equal and the rows
overlap: in the days both cover at least 20 rows on each side, 95 % of each side's with a partner of the same day and
amount, and no running balance that contradicts. Accounts of files that name none are also linked where rows or running
balance of one continue the other's. What a person decided (overrides of kind `link` and `unlink`) comes first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations, pairwise
from typing import Literal

import msgspec
import polars as pl

from toolkit.analytics.money.account_evidence import (
    AccountRows,
    Overlap,
    balance_continues,
    movements_of,
    numbers_contradict,
    overlap,
    paired,
    same_full_number,
    same_masked_number,
)
from toolkit.analytics.money.categorise import in_force, latest_settings
from toolkit.tables.schema.banking import AccountRow

OWING = ("account", "month", "amount_minor", "balance_minor")
"""The columns that `owing_accounts` needs."""
MOST_CHARGES = 3
"""A loan's interest and fees, a month; a card has more rows of money out."""
FEWEST_ROWS = 20
SHARE = 0.95
SUGGESTED_SHARE = 0.5
"""Of the rows of the side with fewer: from here on two accounts may be one."""
CONTINUED_ROWS = 3
"""Rows with equal words that two files of one layout need in common, where there are no balances."""

KINDS = {
    "everyday": "TRANS_AND_SAVINGS_ACCOUNTS",
    "savings": "TRANS_AND_SAVINGS_ACCOUNTS",
    "offset": "TRANS_AND_SAVINGS_ACCOUNTS",
    "card": "CRED_AND_CHRG_CARDS",
    "loan": "PERS_LOANS",
    "term-deposit": "TERM_DEPOSITS",
}
"""Kind as a person names it → its product category."""
LOANS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "OVERDRAFTS")
"""Product categories that are kind `loan`."""
CARDS = ("CRED_AND_CHRG_CARDS", "TRAVEL_CARDS", "BUY_NOW_PAY_LATER")
"""Product categories that are kind `card`."""

Pair = frozenset[str]


class AccountSettings(msgspec.Struct, frozen=True):
    """What people of the household set of an account; None where they set nothing."""

    name: str | None = None
    kind: str | None = None
    """One of `KINDS`."""
    balance_minor: int | None = None
    """Cents of AUD at the end of the day `at`; negative is owed."""
    at: date | None = None
    person: str | None = None
    """Its owner."""


def settings_of(overrides: pl.DataFrame | None) -> dict[str, AccountSettings]:
    """Return account id → its settings, each as last set. overrides: table `choices`."""
    return latest_settings(overrides, "account", AccountSettings)


def owners_of(overrides: pl.DataFrame | None) -> dict[str, str]:
    """Return account id → its owner, where people set one. overrides: table `choices`."""
    return {account: own.person for account, own in settings_of(overrides).items() if own.person}


def with_settings(accounts: pl.DataFrame, overrides: pl.DataFrame | None) -> pl.DataFrame:
    """Return table `accounts` with `nickname` and `product_category` as the household set them.

    Accounts of files that are called alike, as after a merge of households, have their id behind the name unless one
    is set.
    """
    settings = settings_of(overrides)
    names = {account: own.name for account, own in settings.items() if own.name is not None}
    products = {account: KINDS[own.kind] for account, own in settings.items() if own.kind is not None}
    loan = pl.col("account_id").is_in([account for account, own in settings.items() if own.kind == "loan"])
    name, product = (
        pl.col("account_id").replace_strict(given, default=None, return_dtype=pl.String) for given in (names, products)
    )
    called_alike = (pl.col("source") == "file") & pl.col("display_name").is_duplicated()
    with_id = pl.when(called_alike).then(pl.format("{} ({})", "display_name", "account_id"))
    return accounts.with_columns(
        nickname=pl.coalesce(name, "nickname", with_id),
        # a mortgage that a person calls a loan stays a mortgage
        product_category=pl.when(loan & pl.col("product_category").is_in(LOANS))
        .then("product_category")
        .otherwise(pl.coalesce(product, "product_category")),
    )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Accounts that may be one: their ids, and the reason as the end of a sentence."""

    account_ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class AccountLinks:
    """Which accounts count as one, and what those of an unknown kind are like.

    main: account id → the id it counts under; an account that is alone is missing.
    copies: id of a transaction that counts no more → the one that counts in its place.
    suggestions: accounts that may be one and count apart until somebody decides.
    owing: account that owes money by every balance of its rows → the product that it is like; `classify` adds them.
    """

    main: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)
    suggestions: tuple[Suggestion, ...] = ()
    owing: Mapping[str, str] = field(default_factory=dict)


def account_links(
    accounts: pl.DataFrame, transactions: pl.DataFrame, overrides: pl.DataFrame | None, *, zone: str
) -> AccountLinks:
    """Find links among one household's accounts, from tables `accounts`, `transactions` and `choices`.

    zone: the household's time zone. The order in which accounts and rows were stored does not matter.
    """
    stored = accounts.filter(pl.col("account_id").is_not_null()).sort("vanished_at", "id", nulls_last=False)
    known = {row.account_id: row for row in reversed(account_rows(stored))}
    pairs = [pair for pair in combinations(sorted(known), 2) if _may_be_one(known[pair[0]], known[pair[1]])]
    decided = _decided(overrides)
    if not pairs and not decided:
        return AccountLinks()
    concerned = sorted({account for pair in (*pairs, *decided) for account in pair} & known.keys())
    dated = movements_of(transactions.filter(pl.col("account_id").is_in(concerned)), zone)
    rows = {account: AccountRows(known[account], dated.get(account, ())) for account in concerned}
    relations = {frozenset(pair): relation(rows[pair[0]], rows[pair[1]]) for pair in pairs}
    groups = _grouped(rows, relations, decided)
    main = {account: group[0] for group in groups for account in group}
    copies = {copy: kept for group in groups for copy, kept in _copies([rows[account] for account in group]).items()}
    return AccountLinks(main, copies, tuple(_suggestions(rows, relations, decided, main)))


def account_rows(accounts: pl.DataFrame) -> list[AccountRow]:
    """Return the rows of table `accounts`, typed."""
    return [AccountRow(*row) for row in accounts.select(AccountRow.__struct_fields__).iter_rows()]


def _may_be_one(one: AccountRow, two: AccountRow) -> bool:
    """Whether nothing known of two accounts keeps them apart; a consent gives each account once, so its own are two."""
    if one.source == two.source == "service" and one.arrangement_id == two.arrangement_id:
        return False
    return not numbers_contradict(one, two)


@dataclass(frozen=True, slots=True)
class Relation:
    """How two accounts stand to each other without a person's decision."""

    state: Literal["same", "maybe", "unknown", "different"]
    reason: str = ""


def relation(one: AccountRows, two: AccountRows) -> Relation:
    """Whether the evidence makes two accounts one, makes it likely, or is inconclusive."""
    if same_full_number(one.account, two.account):
        return Relation("same", "BSB and account number are equal")
    shared = overlap(one, two)
    if continues(one, two, shared):
        return Relation("same", "the files continue each other")
    same_end = same_masked_number(one.account, two.account)
    if shared is not None and shared.pairs:
        alike = f"{len(shared.pairs)} of {min(shared.rows)} transactions have the same day and amount"
        if same_end and _is_certain(shared):
            return Relation("same", f"the numbers end alike and {alike}")
        # A single common row proves little, unless its words are the same or nothing else is there to compare.
        fewer = min(shared.rows)
        enough = len(shared.pairs) > 1 or fewer == 1
        if enough and len(shared.pairs) >= SUGGESTED_SHARE * fewer:
            return Relation("maybe", alike)
    if same_end and (shared is None or min(shared.rows) < FEWEST_ROWS):
        return Relation("maybe", "their numbers end alike")
    return Relation("unknown" if shared is None or 0 in shared.rows else "different")


def continues(one: AccountRows, two: AccountRows, shared: Overlap | None) -> bool:
    """Whether two accounts of files of one layout, which name none, are parts of one.

    Either a running balance continues from one to the other, or in the days both cover one has every row of the other,
    word for word, with balances that agree or at least `CONTINUED_ROWS` of them. Fewer will do for files of one name,
    where one has everything that the other has: a later export of the same account.
    """
    layout = one.account.layout
    if layout is None or layout != two.account.layout:
        return False
    if shared is None or not shared.pairs:
        return balance_continues(one, two)
    equal = sum(1 for ours, theirs in shared.pairs if ours.description == theirs.description)
    whole = equal == min(shared.rows) or min(shared.shares) >= SHARE <= equal / max(shared.rows)
    everything = equal == min(len(one.posted), len(two.posted)) and _file_name(one) == _file_name(two)
    enough = shared.balances_agree > 0 or equal >= CONTINUED_ROWS or everything
    return whole and enough and not shared.balances_differ


def _file_name(rows: AccountRows) -> str:
    """The name of the file that the account is named after, without the number that distinguishes equal names."""
    return re.sub(r" (\d+|\(\d+\))$", "", rows.account_id)


def _is_certain(shared: Overlap) -> bool:
    return min(shared.rows) >= FEWEST_ROWS and min(shared.shares) >= SHARE and not shared.balances_differ


def separated(overrides: pl.DataFrame | None, account: str) -> tuple[str, ...]:
    """Return ids of the accounts that a person separated the account from. overrides: table `choices`."""
    apart = [pair for pair, linked in _decided(overrides).items() if not linked and account in pair]
    return tuple(sorted(two if one == account else one for one, two in apart))


def _decided(overrides: pl.DataFrame | None) -> dict[tuple[str, str], bool]:
    """Return pairs of accounts that a person linked (True) or unlinked (False), latest override last."""
    decided: dict[tuple[str, str], bool] = {}
    for override in in_force(overrides, "link", "unlink"):
        for ends in json.loads(override.value):
            pair = (min(ends), max(ends))
            decided.pop(pair, None)
            decided[pair] = override.kind == "link"
    return decided


def _grouped(
    rows: Mapping[str, AccountRows], relations: Mapping[Pair, Relation], decided: Mapping[tuple[str, str], bool]
) -> list[list[str]]:
    """Return groups of two or more accounts that are one, the account that they count under first.

    What a person linked last comes first. Nothing joins accounts that a person unlinked, and no evidence joins accounts
    that other evidence keeps apart.
    """
    unlinked = {frozenset(pair) for pair, linked in decided.items() if not linked}
    possible = {pair for pair, evidence in relations.items() if evidence.state != "different"}
    linked = [pair for pair, together in reversed(list(decided.items())) if together and set(pair) <= rows.keys()]
    same = sorted(tuple(sorted(pair)) for pair, evidence in relations.items() if evidence.state == "same")
    group_of = {account: {account} for account in rows}
    for pairs, allowed in ((linked, None), (same, possible)):
        for one, two in pairs:
            across = {frozenset((a, b)) for a in group_of[one] for b in group_of[two] if a != b}
            if not across & unlinked and (allowed is None or across <= allowed or group_of[one] is group_of[two]):
                together = group_of[one] | group_of[two]
                group_of.update(dict.fromkeys(together, together))
    groups = {frozenset(group) for group in group_of.values() if len(group) > 1}
    return sorted(sorted(group, key=lambda account: _rank(rows[account])) for group in groups)


def _rank(rows: AccountRows) -> tuple[object, ...]:
    """The service's account before files', those with a number before those without, then the oldest."""
    account = rows.account
    first = str(rows.first or "9999")
    return (
        account.vanished_at is not None,
        account.source != "service",
        not account.account_number,
        first,
        rows.account_id,
    )


def _copies(group: Sequence[AccountRows]) -> dict[str, str]:
    """Transactions that an account before it in the group has too → the one that counts.

    Rows are matched one to one, so that two equal purchases of a day stay two.
    """
    kept = list(group[0].movements)
    copies: dict[str, str] = {}
    for account in group[1:]:
        pairs = {copy.id: original.id for copy, original in paired(account.movements, kept)}
        copies |= pairs
        kept += [movement for movement in account.movements if movement.id not in pairs]
    return copies


def _suggestions(
    rows: Mapping[str, AccountRows],
    relations: Mapping[Pair, Relation],
    decided: Mapping[tuple[str, str], bool],
    main: Mapping[str, str],
) -> Iterator[Suggestion]:
    """Pairs that are likely, one for each two groups, and the accounts of files of one layout that may be parts."""
    unlinked = {frozenset(pair) for pair, linked in decided.items() if not linked}
    named: set[Pair] = {frozenset((main.get(one, one), main.get(two, two))) for one, two in map(tuple, unlinked)}
    for pair in sorted(relations, key=sorted):
        one, two = sorted(pair)
        ends = frozenset((main.get(one, one), main.get(two, two)))
        if relations[pair].state == "maybe" and len(ends) > 1 and ends not in named:
            named.add(ends)
            yield Suggestion((one, two), relations[pair].reason)
    yield from _parts_of_one(rows, main, unlinked)


def _parts_of_one(
    rows: Mapping[str, AccountRows], main: Mapping[str, str], unlinked: Iterable[Pair]
) -> Iterator[Suggestion]:
    """Accounts of files of one layout, without balances and overlapping days: one suggestion for all of them."""
    layouts: dict[str, list[AccountRows]] = {}
    for account in rows.values():
        if account.account.layout is not None and account.posted:
            layouts.setdefault(account.account.layout, []).append(account)
    for layout in sorted(layouts):
        parts = sorted(layouts[layout], key=lambda part: (str(part.first), part.account_id))
        ids = tuple(part.account_id for part in parts)
        apart = len({main.get(account, account) for account in ids}) > 1 and _follow_each_other(parts)
        if apart and not any(pair <= set(ids) for pair in unlinked):
            yield Suggestion(ids, "their files have one layout and follow each other without overlapping")


def _follow_each_other(parts: Sequence[AccountRows]) -> bool:
    """Whether no balances are known and each part begins on or after the last day of the one before."""
    bare = all(row.balance_minor is None for part in parts for row in part.posted)
    days = [(part.first, part.last) for part in parts]
    return bare and all(str(last) <= str(first) for (_, last), (first, _) in pairwise(days))


def owing_accounts(rows: pl.DataFrame) -> dict[str, str]:
    """Return the accounts that owe money by every balance of their rows → the kind of product that they are like.

    That is a card where money goes out more often than a loan charges interest and fees. rows: columns `OWING`, each
    account under the one that it counts as.
    """
    out = pl.col("amount_minor") < 0
    by_account = rows.group_by("account").agg(
        highest=pl.col("balance_minor").max(),
        latest=pl.col("balance_minor").min(),
        charges=out.sum(),
        months=pl.col("month").filter(out).n_unique(),
    )
    owing = by_account.filter(pl.col("highest") <= 0, pl.col("latest") < 0, pl.col("account").is_not_null())
    is_card = pl.col("charges") > MOST_CHARGES * pl.col("months")
    kinds = owing.select("account", pl.when(is_card).then(pl.lit(KINDS["card"])).otherwise(pl.lit(KINDS["loan"])))
    return dict(kinds.cast({"account": pl.String}).iter_rows())


def with_owing(accounts: pl.DataFrame, owing: Mapping[str, str]) -> pl.DataFrame:
    """Return table `accounts`, with `account`, with the product of accounts of an unknown kind that owe money."""
    assumed = pl.col("account").replace_strict(dict(owing), default=None, return_dtype=pl.String)
    return accounts.with_columns(product_category=pl.coalesce("product_category", assumed))
