"""What is worth a look after new data: likely pay and transfers, new payees, own accounts, unusual amounts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from statistics import median

import msgspec
import polars as pl

from toolkit.analytics.money.cash.habits import Payment, habit_of
from toolkit.analytics.money.categorise import (
    BY_PERSON,
    UNSURE,
    in_force,
    is_not_pay,
    names_organisation,
    names_person,
)
from toolkit.analytics.money.classify import Classified, is_full_pay, newest_first
from toolkit.analytics.money.overrides import REVIEWED
from toolkit.analytics.money.parties import is_own_name, people_called, words_of
from toolkit.analytics.money.sums.months import EXCLUDED
from toolkit.analytics.money.transactions import SEARCHED, transactions_of, with_masked_numbers
from toolkit.analytics.money.transfers import names_transfer, other_end
from toolkit.answers.decisions import ReviewItem
from toolkit.tables.cadences import Cadence
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import CASH, TRANSFERS, transfer_words
from toolkit.units import HOME_CURRENCY

MOST = 30
OF_PAYEES = ("pay", "payee", "own_account")
"""The kinds of items about all rows of a payee."""
SHOWN_ROWS = 5
_OF_SHOPS = ("eftpos", "purchase", "pos", "cheque")
"""What banks call payments, beside the words of transfers."""
_NEW_DAYS, _HISTORY_DAYS, _UNUSUAL_DAYS, _YEAR = 31, 90, 60, 365
_FEWEST_EARLIER = 4
_TIMES, _MORE_CENTS, _DEVIATIONS = 2, 5_000, 3


class Reviewed(msgspec.Struct, frozen=True):
    """What somebody looked at and left as it is. payees: lower case; transactions: ids, those of a pair together."""

    payees: tuple[str, ...] = ()
    transactions: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Household:
    """What the lists are made from.

    rows: posted AUD rows with a day, transfers and excluded ones left out. payees, transactions: left as they are.
    """

    money: Classified
    rows: pl.DataFrame
    payees: set[str]
    transactions: set[str]
    numbers: Collection[str]

    def item(
        self,
        kind: str,
        cents: int,
        rows: pl.DataFrame,
        usual: int | None = None,
        *,
        own_person: bool = False,
        cadence: Cadence | None = None,
    ) -> ReviewItem:
        """Return an item about rows: of several the newest are shown."""
        newest = newest_first(rows)
        first, last = newest.row(0, named=True), newest.row(-1, named=True)
        shown = with_masked_numbers(newest.head(SHOWN_ROWS), self.numbers)
        return ReviewItem(
            kind=kind,
            name=None if kind == "unnamed" else first["merchant"],
            amount=amount(cents),
            date=first["day"],
            since=last["day"],
            count=rows.height,
            category=first["secondary_category"] or first["primary_category"],
            category_source=first["category_source"],
            usual=None if usual is None else amount(usual),
            own_person=own_person,
            cadence=cadence.name if cadence else None,
            transactions=transactions_of(shown, self.money.suggestions),
        )


def to_review(
    money: Classified,
    overrides: pl.DataFrame | None,
    numbers: Collection[str] = (),
    people: Sequence[str] = (),
    *,
    again: bool = False,
) -> tuple[tuple[ReviewItem, ...], bool]:
    """Return what to look at, at most `MOST` items, and whether there is more: what looks like pay, then most money.

    Looking like pay are payers without a category who pay regularly, and as much as somebody earns. New payees are
    those of the last 31 days, where there are 90 days of history, and payees without a category or with one that the
    service is not sure of; nobody decided about them yet. Their rows are those of the last year, and of any day what
    came in without a category: it counts as money back. What names no payee either is an item of its own. Likely
    accounts elsewhere are payees named like one of the household's people, or with transfers of which no account here
    has the other side. Unusual amounts are of the last 60 days, at least twice the payee's median, $50 and three median
    deviations above it. overrides: table `choices`. numbers: the household's account numbers, to be masked. people:
    names of the household's own people.
    again: also what somebody left as it is. Likely transfers count twice, as spending and as money in, so they are
    listed until somebody says what they are.
    """
    done = [] if again else [msgspec.json.decode(row.value, type=Reviewed) for row in in_force(overrides, REVIEWED)]
    legs = pl.concat([money.suggestions["out_id"], money.suggestions["in_id"]])
    household = _Household(
        money,
        money.rows.filter(
            ~pl.col("id").is_in(legs.implode()),
            ~pl.col("kind").is_in(["transfer", EXCLUDED]),
            pl.col("status") != "PENDING",
            pl.col("currency") == HOME_CURRENCY,
            pl.col("day").is_not_null(),
        ),
        {payee for one in done for payee in one.payees},
        {ids[0] for one in done for ids in one.transactions if len(ids) == 1},
        numbers,
    )
    items = [*_transfers(household)]
    days: list[date] = household.rows["day"].unique().sort().to_list()
    if days:
        elsewhere = list(_accounts_elsewhere(household, days[-1], people))
        asked = {(item.name or "").lower() for item in elsewhere}
        open_ = _open_rows(household, days[-1])
        payers = {(item.name or "").lower(): item for item in _pay(household, open_)}
        payees = {(item.name or "").lower(): item for item in _payees(household, open_, days[0], days[-1])}
        items += [*elsewhere, *(item for who, item in {**payees, **payers}.items() if who not in asked)]
        whole = pl.col("_who").is_in(sorted({*payers, *asked})).fill_null(value=False)
        items += [*_unnamed(household, open_.filter(~whole))]
        items += [*_unusual(household, days[-1])]
    ordered = sorted(items, key=lambda item: (item.kind != "pay", -item.amount, item.kind, item.name or ""))
    return tuple(ordered[:MOST]), len(ordered) > MOST


def payees_of_same_account(rows: pl.DataFrame, payee: str) -> tuple[str, ...]:
    """Return the payees without a category whose rows all name the account, by its last digits, that a payee's name.

    There are none where the rows of that payee name no account, or several. rows: as classified.
    """
    named = rows.filter(pl.col("merchant").is_not_null()).select(
        "merchant",
        who=pl.col("merchant").str.to_lowercase(),
        end=other_end(pl.col(SEARCHED).cast(pl.String)),
        is_open=pl.col("primary_category").is_null() & pl.col("category_source").is_null(),
        is_counted=pl.col("kind") != "transfer",
    )
    ends = named.filter(pl.col("who") == payee.lower())["end"].unique().to_list()
    if len(ends) != 1 or ends[0] is None:
        return ()
    same = pl.col("is_open") & (pl.col("end") == ends[0]).fill_null(value=False)
    payees = named.group_by("who").agg(pl.col("merchant").first(), same=same.all(), counts=pl.col("is_counted").any())
    others = payees.filter("same", "counts", pl.col("who") != payee.lower())
    return tuple(others.sort("who")["merchant"].cast(pl.String))


def _open_rows(household: _Household, last: date) -> pl.DataFrame:
    """Return the rows of the last year, and of any day those that came in without a category.

    They have `_who`, the payee in lower case, `_nobody`, whether that is none or only the bank's word for what was
    done, `_unknown`, whether there is no category, and `_unsure`, whether there is none that is sure.
    """
    nobody = _nobody(household.rows["merchant"].unique().drop_nulls())
    unknown = pl.col("primary_category").is_null()
    unsure = (pl.col("category_source") == "provider") & (pl.col("category_confidence") == UNSURE)
    in_year = pl.col("day") > last - timedelta(days=_YEAR)
    return household.rows.filter(in_year | (unknown & (pl.col("amount_minor") > 0))).with_columns(
        _who=pl.col("merchant").str.to_lowercase(),
        _nobody=pl.col("merchant").is_in(nobody).fill_null(value=True),
        _unknown=unknown,
        _unsure=unknown | unsure.fill_null(value=False),
    )


def _nobody(payees: Iterable[str]) -> list[str]:
    """Return the payees whose name is only a bank's words for what was done: Deposit, Eftpos; not `Transfer …1234`."""
    words = {*transfer_words().payments, *_OF_SHOPS}
    return [payee for payee in payees if words.issuperset(payee.casefold().split())]


def _pay(household: _Household, rows: pl.DataFrame) -> Iterator[ReviewItem]:
    """Yield payers whose money comes regularly and is as much as somebody earns, unless a text says what else it is."""
    came_in = rows.filter(
        pl.col("amount_minor") > 0,
        "_unsure",
        pl.col("_who").is_not_null(),
        ~pl.col("_who").is_in(sorted(household.payees)),
        ~is_not_pay(pl.col(SEARCHED)),
        ~names_person(pl.col(SEARCHED)),
    )
    for _, paid in came_in.group_by("_who", maintain_order=True):
        payments = [Payment(*row) for row in paid.sort("day").select("day", "amount_minor").iter_rows()]
        habit = habit_of(payments, hint=True)
        if habit is not None and is_full_pay(payments, habit.cadence):
            usual = round(median(payment.amount_minor for payment in payments))
            yield household.item("pay", sum(paid["amount_minor"]), paid, usual, cadence=habit.cadence)


def _payees(household: _Household, rows: pl.DataFrame, first: date, last: date) -> Iterator[ReviewItem]:
    decided = pl.col("category_source").is_in(BY_PERSON).fill_null(value=False)
    groups = (
        rows.filter(~pl.col("_nobody"))
        .group_by("_who")
        .agg(
            unknown=pl.col("_unknown").any(),
            unsure=pl.col("_unsure").any() & ~decided.any(),
            decided=decided.any(),
            cents=pl.col("amount_minor").sum().abs(),
        )
    )
    seen = household.rows.group_by(_who=pl.col("merchant").str.to_lowercase()).agg(first=pl.col("day").min())
    is_new = (pl.col("first") > last - timedelta(days=_NEW_DAYS)) & pl.lit(
        value=first <= last - timedelta(days=_HISTORY_DAYS)
    )
    open_ = groups.join(seen, on="_who").filter(
        pl.col("unknown") | pl.col("unsure") | (is_new & ~pl.col("decided")),
        ~pl.col("_who").is_in(sorted(household.payees)),
    )
    for who, cents in _with_most_money(open_):
        yield household.item("payee", cents, rows.filter(pl.col("_who") == who))


def _unnamed(household: _Household, rows: pl.DataFrame) -> Iterator[ReviewItem]:
    """Yield transactions with neither a category nor a payee, or with one that is only the bank's word: Deposit."""
    unnamed = rows.filter(
        "_unknown",
        "_nobody",
        ~pl.col("id").is_in(sorted(household.transactions)),
        ~pl.col("_who").is_in(sorted(household.payees)).fill_null(value=False),
    )
    cents = pl.col("amount_minor").abs()
    for row in unnamed.sort(cents, "id", descending=[True, False]).head(MOST + 1).iter_slices(1):
        yield household.item("unnamed", abs(row["amount_minor"].item()), row)


def _with_most_money(payees: pl.DataFrame) -> list[tuple[str, int]]:
    """Return (payee, cents) of as many as may be listed, and one more to show that there is more."""
    ordered = payees.sort("cents", "_who", descending=[True, False]).head(MOST + 1)
    return ordered.select("_who", "cents").rows()


def _accounts_elsewhere(household: _Household, last: date, people: Sequence[str]) -> Iterator[ReviewItem]:
    """Yield payees that may be accounts of the household's own which are not among the data, and own people by name."""
    who = pl.col("merchant").str.to_lowercase()
    year = household.rows.filter(pl.col("day") > last - timedelta(days=_YEAR), who.is_not_null()).with_columns(_who=who)
    primary, cash = pl.col("primary_category"), pl.col("secondary_category").is_in(CASH).fill_null(value=False)
    by_text = primary.is_null() & names_transfer(pl.col(SEARCHED)) & ~names_organisation(pl.col(SEARCHED))
    moved = (primary.is_in(TRANSFERS) & ~cash) | by_text
    known = people_called(people)
    named = [name for name in year["_who"].unique() if is_own_name(words_of(name), known)]
    own = pl.col("_who").is_in(named)
    decided = pl.col("category_source").is_in(BY_PERSON).fill_null(value=False)
    groups = year.group_by("_who").agg(
        likely=(moved.fill_null(value=False) | own).any(),
        decided=decided.any(),
        cents=pl.col("amount_minor").abs().sum(),
    )
    open_ = groups.filter("likely", ~pl.col("decided"), ~pl.col("_who").is_in(sorted(household.payees)))
    for name, cents in _with_most_money(open_):
        rows = year.filter(pl.col("_who") == name).drop("_who")
        yield household.item("own_account", cents, rows, own_person=name in named)


def _transfers(household: _Household) -> Iterator[ReviewItem]:
    pairs = household.money.suggestions.filter(pl.col("currency") == HOME_CURRENCY)
    pairs = pairs.sort("amount_minor", "day", "out_id", "in_id", descending=[True, True, False, False])
    for out_id, in_id, cents in pairs.select("out_id", "in_id", "amount_minor").head(MOST + 1).rows():
        yield household.item("transfer", cents, household.money.rows.filter(pl.col("id").is_in([out_id, in_id])))


def _unusual(household: _Household, last: date) -> Iterator[ReviewItem]:
    who = pl.col("merchant").str.to_lowercase()
    spent = household.rows.filter(pl.col("kind") == "expense", pl.col("amount_minor") < 0).with_columns(
        _who=who, _cents=-pl.col("amount_minor")
    )
    recent = pl.col("day") > last - timedelta(days=_UNUSUAL_DAYS)
    earlier = spent.filter(~recent).with_columns(_middle=pl.col("_cents").median().over("_who"))
    usual = earlier.group_by("_who").agg(
        _middle=pl.col("_middle").first(), _spread=(pl.col("_cents") - pl.col("_middle")).abs().median(), _n=pl.len()
    )
    above = pl.col("_cents") - pl.col("_middle")
    found = (
        spent.filter(recent)
        .join(usual.filter(pl.col("_n") >= _FEWEST_EARLIER), on="_who")
        .filter(
            pl.col("_cents") >= _TIMES * pl.col("_middle"),
            above >= _MORE_CENTS,
            above >= _DEVIATIONS * pl.col("_spread"),
            ~pl.col("id").is_in(sorted(household.transactions)),
        )
    )
    largest = found.sort("_cents", "id", descending=[True, False]).head(MOST + 1)
    for id_, cents, middle in largest.select("id", "_cents", "_middle").rows():
        yield household.item("unusual", cents, household.rows.filter(pl.col("id") == id_), round(middle))
