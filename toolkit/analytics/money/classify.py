"""Each transaction's day, merchant and category, and whether it is spending, income or a transfer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from statistics import median

import polars as pl

from toolkit.analytics.money.accounts import (
    CARDS,
    LOANS,
    OWING,
    AccountLinks,
    account_links,
    owing_accounts,
    with_owing,
    with_settings,
)
from toolkit.analytics.money.basis import NAMES
from toolkit.analytics.money.cash.habits import Payment, habit_of
from toolkit.analytics.money.categorise import (
    in_force,
    is_from_shop,
    is_own_account,
    may_be_pay,
    searchable,
    with_categories,
)
from toolkit.analytics.money.edits.settings import (
    TRANSACTION,
    split_ids,
    with_groups,
    with_transaction_settings,
)
from toolkit.analytics.money.parties import OwnNames, people_called, with_merchants
from toolkit.analytics.money.repayments import repaid_accounts
from toolkit.analytics.money.transfers import (
    EVIDENCE,
    NOT_TRANSFER,
    REJECTIONS,
    pair_transfers,
    series_words,
    with_evidence,
)
from toolkit.problems import Problem
from toolkit.tables.cadences import Cadence
from toolkit.tables.reference.categories import INCOME, SALARY
from toolkit.tables.transaction_days import with_days
from toolkit.units import DEFAULT_ZONE

NEEDED = (
    *("id", "source", "account_id", "status", "amount_minor", "currency", "type"),
    *("execution_date_time", "posting_date_time", "value_date_time"),
    *("description", "reference", "extended_description", "merchant_name", "merchant_category_code"),
    *("primary_category", "secondary_category", "category_confidence"),
    *("biller_name", "biller_code", "payer", "payee", "end_to_end_id", "balance_minor", "vanished_at"),
)
"""The columns of table `transactions` that classifying reads."""
ADDED = ("day", "month", "account", "merchant", "category_source", "kind", "partner", "repays", "tag", "note")
"""The columns that it adds."""
_FEWEST_PAYS, _LEAST_PAY, _LEAST_SHARE = 12, 100_00, 0.5
"""A year; cents; of the usual amount. What is less is a refund, or not known to be pay."""
_LEAST_FULL_PAY, _WEEKS = 400_00, 52
"""Cents a week, from which on regular money is pay where no word says so; what a housemate pays is mostly less."""
_NO_EMPLOYER = (
    *("INCOME", "TRANSFER_IN", "TRANSFER_OUT", "LOAN_PAYMENTS", "BANK_FEES", "RENT_AND_UTILITIES"),
    *("SERVICES_INSURANCE", "ENTERTAINMENT_CASINOS_AND_GAMBLING"),
)
"""Categories of which money in is a refund, a claim or rent, however often it comes."""


@dataclass(frozen=True, slots=True)
class Classified:
    """The transactions of a household, classified."""

    rows: pl.DataFrame
    """The transactions that count, in the order given: without vanished ones and without copies in linked accounts;
    parts `ID#1`, `ID#2` … in place of split ones.

    They have the columns of table `transactions`, and these: `day` and `month`, the local day and `YYYY-MM`, null where
    the row has no readable date-time; `account`, as `account_id`, a linked account under the id that it counts under;
    `merchant`, who was paid or who paid; `category_source`, null as the categories are for transfers between own
    accounts, unless a person decided this of the row alone; `kind`, transfer, income, expense, or excluded where
    a person left the row out of sums; `tag` and `note`, as people set them; `partner`, id of the other leg of a
    transfer, null where only one leg is stored; `repays`, of money out the own loan or card account that it pays off.
    """
    suggestions: pl.DataFrame
    """Pairs that may be transfers, for a person to accept or reject: `out_id` and `in_id` of the two rows, `day`,
    `amount_minor` [cents] and `currency`."""
    links: AccountLinks
    """Which accounts count as one."""


def classify(
    transactions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    zone: str = DEFAULT_ZONE,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
    links: AccountLinks | None = None,
) -> Classified:
    """Classify transactions: day, merchant and category, and whether each is spending, income or a transfer.

    The public function `toolkit.classify` explains the rules and arguments.
    """
    stored = transactions.filter(pl.col("vanished_at").is_null())
    known = links or account_links(accounts, stored, overrides, zone=zone)
    own = with_settings(accounts, overrides).with_columns(account=pl.col("account_id").replace(dict(known.main)))
    once = stored.filter(~pl.col("id").is_in(list(known.copies)))
    overrides = _about_originals(overrides, known)
    dated = with_days(once.with_columns(pl.col("account_id").replace(dict(known.main))).lazy(), zone)
    placed = {"month": pl.col("day").dt.strftime("%Y-%m"), "account": pl.col("account_id")}
    if not links:
        known = replace(known, owing=owing_accounts(dated.with_columns(**placed).select(OWING).collect()))
    rows = with_categories(with_merchants(dated).collect(), overrides).lazy().with_columns(**placed)
    own = with_owing(own, known.owing)
    account_names = pl.concat([own[name].drop_nulls() for name in NAMES]).unique().sort()
    names = OwnNames(people_called(people), tuple(account_names))
    collected = _with_regular_pay(with_evidence(rows, own, names.people).collect())
    pairs, suggestions = pair_transfers(collected, _with_splits_apart(overrides), names)
    apart = {id_ for override in in_force(overrides, *REJECTIONS) for id_ in (override.subject, override.value)}
    apart |= set(split_ids(overrides))
    repaid: dict[str, str] = {}
    alone: set[str] = set()
    if own["product_category"].is_in([*LOANS, *CARDS]).any():
        worded = collected.with_columns(words=series_words())
        repaid, alone = repaid_accounts(worded, pairs, suggestions, own, apart=apart)
    suggestions = suggestions.filter(~pl.col("out_id").is_in(sorted(alone)), ~pl.col("in_id").is_in(sorted(alone)))
    repays = pl.col("id").replace_strict(repaid, default=None, return_dtype=pl.String)
    typed = _with_kind(collected, pairs, alone, overrides).with_columns(repays=repays)
    return Classified(with_transaction_settings(typed.drop(EVIDENCE), overrides), suggestions, known)


def _with_regular_pay(rows: pl.DataFrame) -> pl.DataFrame:
    """Put what an employer pays regularly into salaries, where nothing or only a word of a shop names a category.

    Whether it comes regularly shows in all that it paid into the account, whatever people decided about these rows. A
    shop is an employer by its words, or by as much as somebody earns.
    """
    primary, finer = pl.col("primary_category"), pl.col("secondary_category")
    by_shop = (pl.col("category_source") == "keyword") & ~primary.is_in(_NO_EMPLOYER) & ~finer.is_in(_NO_EMPLOYER)
    is_open = primary.is_null() | by_shop.fill_null(value=False)
    payer = pl.col("account"), pl.col("currency"), pl.col("merchant").str.to_lowercase()
    came_in = rows.filter(
        pl.col("amount_minor") > 0, pl.col("day").is_not_null(), pl.col("merchant").is_not_null()
    ).filter(is_open.any().over(payer))
    text = searchable()
    likely = came_in.with_columns(_named=may_be_pay(text)).filter(pl.col("_named") | is_from_shop(text))
    payers: dict[tuple[str, ...], list[tuple[str, Payment]]] = {}
    for id_, day, cents, is_named, *who in likely.select("id", "day", "amount_minor", "_named", *payer).iter_rows():
        payers.setdefault((*who, is_named), []).append((id_, Payment(day, cents)))
    paid = [id_ for (*_, is_named), payments in payers.items() for id_ in _pay_among(payments, is_full=not is_named)]
    is_pay = pl.col("id").is_in(paid) & is_open
    values = {"primary_category": INCOME, "secondary_category": SALARY, "category_source": "employer"}
    return rows.with_columns(
        pl.when(is_pay).then(pl.lit(value)).otherwise(name).alias(name) for name, value in values.items()
    )


def _pay_among(payments: list[tuple[str, Payment]], *, is_full: bool) -> list[str]:
    """Return the ids of what is pay among payments by one employer: nothing unless most come regularly.

    is_full: nothing either unless it is as much as somebody earns.
    """
    ordered = sorted((payment for _, payment in payments), key=lambda payment: payment.day)
    habit, usual = habit_of(ordered, hint=False), median(payment.amount_minor for payment in ordered)
    if habit is None or habit.cadence.per_year < _FEWEST_PAYS or usual < _LEAST_PAY:
        return []
    if is_full and not is_full_pay(ordered, habit.cadence):
        return []
    return [id_ for id_, payment in payments if payment.amount_minor >= _LEAST_SHARE * usual]


def is_full_pay(payments: Sequence[Payment], cadence: Cadence) -> bool:
    """Return whether what comes each week, fortnight or month is as much as somebody earns."""
    a_year = median(payment.amount_minor for payment in payments) * cadence.per_year
    return cadence.per_year >= _FEWEST_PAYS and a_year >= _LEAST_FULL_PAY * _WEEKS


def _with_splits_apart(overrides: pl.DataFrame | None) -> pl.DataFrame | None:
    """Replace decisions that split transactions are legs of transfers: they are not, as their parts have categories."""
    ids = split_ids(overrides)
    if overrides is None or not ids:
        return overrides
    about = pl.col("subject").is_in(ids) | pl.col("value").is_in(ids)
    others = overrides.filter(~((pl.col("kind") == "transfer") & about))
    apart = pl.DataFrame({"subject": ids}).with_columns(
        kind=pl.lit(NOT_TRANSFER),
        value=pl.lit(""),
        active=pl.lit(value=True),
        number=pl.lit(overrides["number"].max()),
    )
    return pl.concat([others, apart], how="diagonal_relaxed")


def _about_originals(overrides: pl.DataFrame | None, links: AccountLinks) -> pl.DataFrame | None:
    """Let overrides on a copy of a transaction in a linked account apply to the transaction that counts."""
    if overrides is None or not links.copies:
        return overrides
    about_rows = pl.col("kind").is_in(["category", "transfer", *REJECTIONS, TRANSACTION])
    return overrides.with_columns(
        pl.when(about_rows).then(pl.col(name).replace(dict(links.copies))).otherwise(name).alias(name)
        for name in ("subject", "value")
    )


def _with_kind(
    rows: pl.DataFrame, pairs: pl.DataFrame, alone: Collection[str], overrides: pl.DataFrame | None
) -> pl.DataFrame:
    rows = with_groups(rows.with_columns(_own=is_own_account()), overrides)
    partners = dict(pairs.select("out_id", "in_id").iter_rows())
    partners |= {into: out for out, into in partners.items()}
    partner = pl.col("id").replace_strict(partners, default=None, return_dtype=pl.String)
    income = (pl.col("primary_category") == INCOME).fill_null(False)
    transfer = pl.col("partner").is_not_null() | pl.col("id").is_in(sorted(alone)) | pl.col("_own")
    kind = pl.when(transfer).then(pl.lit("transfer")).when(income).then(pl.lit("income")).otherwise(pl.lit("expense"))
    typed = rows.with_columns(partner=partner).with_columns(kind=kind)
    decided = pl.col("_own") & pl.col("partner").is_null()
    return typed.with_columns(
        pl.when(~transfer).then("primary_category").alias("primary_category"),
        pl.when(~transfer).then("secondary_category").alias("secondary_category"),
        pl.when(~transfer | decided).then("category_source").alias("category_source"),
    ).drop("_own")


def problems_without_date(rows: pl.DataFrame) -> tuple[Problem, ...]:
    """Return one warning for each classified row without a known day."""
    reason = "no readable execution, posting or value date-time: in no month, left out of every range"
    return tuple(Problem(id_, reason, "warning") for id_ in rows.filter(pl.col("day").is_null())["id"].sort())


def newest_first(rows: pl.DataFrame) -> pl.DataFrame:
    """Sort classified rows by day, newest first, then by id; those without a day come last."""
    return rows.sort("day", "id", descending=[True, False], nulls_last=True)
