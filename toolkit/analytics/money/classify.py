"""Every movement with its day, merchant, category, and whether it is spending, income or an own transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from toolkit.analytics.money.account_links import AccountLinks, account_links
from toolkit.analytics.money.account_settings import with_settings
from toolkit.analytics.money.categorise import with_categories
from toolkit.analytics.money.counterparties import OwnNames
from toolkit.analytics.money.evidence import EVIDENCE, with_evidence
from toolkit.analytics.money.payees import with_merchants
from toolkit.analytics.money.people import people_called
from toolkit.analytics.money.transfers import pair_transfers
from toolkit.tables.reference.categories import INCOME
from toolkit.tables.transaction_days import with_days


@dataclass(frozen=True, slots=True)
class Classified:
    """rows: the transactions that count, in the order given: no vanished ones, none that a linked account has too; with

    day, month      local day [Date] and `YYYY-MM`; null where the row has no readable date-time
    account_id      the account; a linked one under the id it counts under
    account         the same
    merchant        who was paid or who paid
    primary_category, secondary_category, category_source   as decided; null for moves between own accounts
    kind            `transfer`, `income` or `expense`
    partner         the other leg of a transfer

    suggestions: pairs that may be transfers, for a person to decide. links: which accounts count as one.
    """

    rows: pl.DataFrame
    suggestions: pl.DataFrame
    links: AccountLinks


def classify(
    transactions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    zone: str,
    choices: pl.DataFrame | None = None,
    people: Sequence[str] = (),
) -> Classified:
    """Tables `transactions` and `accounts` of one household, understood. zone: the household's.

    people: names of the household's own people; a transfer to or from anybody else is no move between own accounts.

    An income category makes income, whatever the sign. A transfer needs evidence (see `transfers`); a row whose
    category says transfer but that has no partner among the own accounts is money that came from, or went to, somebody
    else: it stays in its category and counts as spending (or less spending), as does a refund.
    """
    there = transactions.filter(pl.col("vanished_at").is_null())
    links = account_links(accounts, there, choices, zone=zone)
    own = with_settings(accounts, choices).with_columns(account=pl.col("account_id").replace(dict(links.main)))
    once = there.filter(~pl.col("id").is_in(list(links.copies)))
    chosen = _about_kept_rows(choices, links)
    rows = with_days(once.with_columns(pl.col("account_id").replace(dict(links.main))).lazy(), zone)
    rows = with_categories(with_merchants(rows), chosen).with_columns(month=pl.col("day").dt.strftime("%Y-%m"))
    names = OwnNames(people_called(people), _names_of(own))
    collected = with_evidence(rows.with_columns(account="account_id"), own, names.people).collect()
    pairs, suggestions = pair_transfers(collected, chosen, names)
    return Classified(_with_kind(collected, pairs).drop(EVIDENCE), suggestions, links)


def _names_of(accounts: pl.DataFrame) -> tuple[str, ...]:
    named = [accounts[name].drop_nulls() for name in ("nickname", "display_name", "product_name")]
    return tuple(pl.concat(named).unique().sort())


def _about_kept_rows(choices: pl.DataFrame | None, links: AccountLinks) -> pl.DataFrame | None:
    """Decisions about a transaction that another one stands for are about that one."""
    if choices is None or not links.copies:
        return choices
    about_rows = pl.col("kind").is_in(["category", "transfer", "not_transfer"])
    return choices.with_columns(
        pl.when(about_rows).then(pl.col(name).replace(dict(links.copies))).otherwise(name).alias(name)
        for name in ("subject", "value")
    )


def _with_kind(rows: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    partners = dict(pairs.select("out_id", "in_id").iter_rows())
    partners |= {into: out for out, into in partners.items()}
    partner = pl.col("id").replace_strict(partners, default=None, return_dtype=pl.String)
    income = (pl.col("primary_category") == INCOME).fill_null(False)
    moved = pl.col("partner").is_not_null()
    kind = pl.when(moved).then(pl.lit("transfer")).when(income).then(pl.lit("income")).otherwise(pl.lit("expense"))
    typed = rows.with_columns(partner=partner).with_columns(kind=kind)
    return typed.with_columns(
        pl.when(~moved).then(name).alias(name) for name in ("primary_category", "secondary_category", "category_source")
    )
