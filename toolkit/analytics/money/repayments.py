"""Repayments of own loans and cards of which one leg is stored, or of which the two legs do not meet.

A repayment of a loan with a stored account is a transfer, and the interest that the loan charges is spending; counted
as spending too, the repayment would count its interest twice. So an outgoing row without a partner is a transfer

- where it names the number of an own loan or card, or continues the series (same account, same words) of repayments
  that have met their other leg there,
- and what it pays is known: the loan's own rows have an interest charge within `INTEREST_DAYS`, the card's a purchase
  within `STATEMENT_DAYS`; or the other leg came later than transfers do.

A payment into an own loan or card without a partner is a transfer too, as nothing is refunded; unless an outgoing row
of the same amount within `LATE_DAYS` may be its other leg (it hints at a transfer, or no category is known for it and
the pair is suggested): then both stay as they are and cancel out, until a person decides. A file seldom states the
kind of its account: one that owes money by every balance is taken for a loan, or a card, until a person sets it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

from toolkit.analytics.money.accounts import CARDS, LOANS
from toolkit.tables.reference.categories import INTEREST_CHARGE, TRANSFERS
from toolkit.tables.reference.categories import LOANS as LOAN_PAYMENTS

INTEREST_DAYS = 45
"""Interest is charged monthly; a repayment lies within this of the nearest charge."""
STATEMENT_DAYS = 62
"""A card's payment is for purchases of up to two months before."""
LATE_DAYS = 10
"""Days between two legs that are further apart than those of a transfer."""
_RETURNED = r"\b(?:refund|reversal|reversed|cash ?back|interest|voucher|rebate)\b"


@dataclass(frozen=True, slots=True)
class _Leg:
    """A row that may be a repayment, without a partner."""

    id: str
    account: str
    day: date
    amount_minor: int
    currency: str
    words: str
    names: str | None


_COLUMNS = ("id", "account", "day", "amount_minor", "currency", "words", "names")


def repaid_accounts(
    rows: pl.DataFrame,
    pairs: pl.DataFrame,
    suggestions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    apart: Collection[str] = (),
) -> tuple[dict[str, str], set[str]]:
    """Return (outgoing row id → the own loan or card that it repays, ids of rows that are transfers without a partner).

    rows: with `words` and the columns of `transfers.EVIDENCE`. pairs, suggestions: transfers found and likely ones,
    as `transfers.PAIRS`. accounts: table `accounts` with `account`. apart: ids of rows that a person decided are no
    transfers.
    """
    products = dict(accounts.select("account", "product_category").iter_rows())
    debts = {account for account, product in products.items() if product in (*LOANS, *CARDS)}
    legs = rows.select("id", "account", "words")
    met = pairs.join(legs, left_on="out_id", right_on="id").join(legs, left_on="in_id", right_on="id", suffix="_in")
    met = met.filter(pl.col("account_in").is_in(sorted(debts)))
    repaid: dict[str, str] = dict(met.select("out_id", "account_in").iter_rows())
    series = {(account, words): to for account, words, to in met.select("account", "words", "account_in").iter_rows()}
    paired = pl.concat([pairs["out_id"], pairs["in_id"]]).implode()
    left = rows.filter(
        pl.col("day").is_not_null(),
        ~pl.col("never_transfer"),
        ~pl.col("is_spending_hint"),
        ~pl.col("id").is_in(paired),
        ~pl.col("id").is_in(list(apart)),
    )
    moving = pl.col("primary_category").is_in([*TRANSFERS, LOAN_PAYMENTS]).fill_null(value=False)
    outs = list(_legs(left.filter(pl.col("amount_minor") < 0, moving | pl.col("is_transfer_hint"))))
    is_payment = pl.col("is_transfer_hint") & (moving | pl.col("primary_category").is_null())
    returned = pl.col("description").str.to_lowercase().str.contains(_RETURNED).fill_null(value=False)
    into = left.filter(pl.col("amount_minor") > 0, pl.col("account").is_in(sorted(debts)), is_payment, ~returned)
    ins = list(_legs(into))
    known = _Known(rows, products)
    alone: set[str] = set()
    for out in outs:
        target = out.names if out.names in debts else series.get((out.account, out.words))
        if target is None or target == out.account or out.account in debts:
            continue
        late = [leg for leg in ins if leg.account == target and _may_be_other_leg(out, leg) and leg.id not in alone]
        if late or known.covers(target, out.day):
            repaid[out.id] = target
            alone |= {out.id, *(leg.id for leg in late[:1])}
    suggested = pl.col("id").is_in(suggestions["out_id"].implode())
    unnamed = left.filter(pl.col("amount_minor") < 0, suggested, pl.col("primary_category").is_null())
    doubtful = [out for out in (*outs, *_legs(unnamed)) if out.id not in alone]
    alone |= {leg.id for leg in ins if not any(_may_be_other_leg(out, leg) for out in doubtful)}
    return repaid, alone


def _legs(rows: pl.DataFrame) -> Iterator[_Leg]:
    return (_Leg(*row) for row in rows.sort("day", "id").select(_COLUMNS).iter_rows())


def _may_be_other_leg(out: _Leg, into: _Leg) -> bool:
    same = (out.currency, -out.amount_minor) == (into.currency, into.amount_minor)
    return same and out.account != into.account and abs((into.day - out.day).days) <= LATE_DAYS


class _Known:
    """The days on which loans charged interest, and cards purchases."""

    def __init__(self, rows: pl.DataFrame, products: Mapping[str, str | None]) -> None:
        self._products = products
        charged = rows.filter(pl.col("amount_minor") < 0, pl.col("day").is_not_null())
        words = pl.col("description").str.to_lowercase().str.contains(r"\binterest\b").fill_null(value=False)
        interest = (pl.col("secondary_category") == INTEREST_CHARGE).fill_null(value=False) | words
        self._interest = _days_by_account(charged.filter(interest))
        self._purchases = _days_by_account(charged)

    def covers(self, account: str, day: date) -> bool:
        """Whether what a repayment of that day pays, interest or purchases, is among the account's own rows."""
        if self._products.get(account) in CARDS:
            return any(0 <= (day - bought).days <= STATEMENT_DAYS for bought in self._purchases.get(account, ()))
        return any(abs((day - charged).days) <= INTEREST_DAYS for charged in self._interest.get(account, ()))


def _days_by_account(rows: pl.DataFrame) -> dict[str, list[date]]:
    days: Iterable[tuple[str, list[date]]] = rows.group_by("account").agg(pl.col("day").unique()).iter_rows()
    return dict(days)
