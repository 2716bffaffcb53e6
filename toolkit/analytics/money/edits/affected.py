"""Which classified transactions decisions can change, so that only these are classified again.

A decision changes the rows that it is about. One of them may become a leg of a transfer or cease to be one, and then
rows of the same amount may find or lose their partner. Repayments of own loans and cards also depend on the pairs that
end there and on the days of interest and purchases: these rows are looked at, too, and where such a pair comes or goes
everything has to be classified.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl

from toolkit.analytics.money.accounts import CARDS, LOANS, with_settings
from toolkit.analytics.money.basis import CATEGORY
from toolkit.analytics.money.categorise import in_force, is_about
from toolkit.analytics.money.classify import Classified, newest_first
from toolkit.analytics.money.edits.settings import PAYEE_RULE, TRANSACTION, split_ids
from toolkit.analytics.money.transactions import SEARCHED
from toolkit.analytics.money.transfers import NO_SUCH_TRANSFERS, NOT_TRANSFER
from toolkit.tables.schema.journal import OverrideRow

LOOKED_AT = ("id", "day", "account_id", "amount_minor", "merchant", SEARCHED, "repays", "partner")
"""The columns of classified transactions that `affected_by` needs."""
DECIDED = (
    *("primary_category", "secondary_category", "category_source"),
    *("kind", "partner", "repays", "tag", "note"),
)
"""The columns that decisions change while no transaction is split or made whole again."""
MOST_SHARE = 0.3
"""Of all transactions; where decisions may change more, classifying all of them is about as quick."""
MOST_RULES = 100
"""That are each tried on all transactions; classifying everything, which tries them at once, is quicker with more."""
_ROW, _RULE = ("category", TRANSACTION, NOT_TRANSFER), ("rule", PAYEE_RULE)
_EVERYTHING = ("transfer", NO_SUCH_TRANSFERS, CATEGORY, "link", "unlink", "account")
"""A transfer that a person accepts brings its whole series, and `NO_SUCH_TRANSFERS` is about one; the others are about
accounts and groups of categories."""


@dataclass(frozen=True, slots=True)
class Affected:
    """Ids of transactions. A split transaction counts as a whole."""

    ids: frozenset[str]
    """Those that decisions can change."""
    needed: frozenset[str]
    """These, and those that have to be classified with them for the answer to be the same."""


def affected_by(
    kept: Classified, decisions: Sequence[OverrideRow], accounts: pl.DataFrame, overrides: pl.DataFrame
) -> Affected | None:
    """Return what decisions that came into force, or went out of it, can change; None where that is open.

    kept: as classified before, with `LOOKED_AT`. accounts, overrides: tables `accounts` and `choices` of today.
    """
    counting = [row for row in decisions if row.kind in (*_ROW, *_RULE, *_EVERYTHING)]
    accepted = {id_ for row in in_force(overrides, "transfer") for id_ in (row.subject, row.value)}
    if any(row.kind in _EVERYTHING or (accepted and _may_part(row)) for row in counting):
        return None
    if sum(row.kind in _RULE for row in counting) > MOST_RULES:
        return None
    rows = with_wholes(kept.rows, {*split_ids(overrides), *(row.subject for row in counting)})
    about = _about(rows, counting, kept)
    if not about:
        return Affected(frozenset(), frozenset())
    products = dict(
        with_settings(accounts, overrides)
        .select(pl.col("account_id").replace(dict(kept.links.main)), "product_category")
        .iter_rows()
    )
    loans = {account for account, product in products.items() if product in LOANS}
    own = pl.col("whole").is_in(sorted(about))
    if rows.filter(own, pl.col("account_id").is_in(sorted(loans))).height:
        return None  # it may be the interest that decides whether repayments are known
    ids = _of_same_amounts(rows, own)
    if len(ids) > MOST_SHARE * rows.height:
        return None
    debts = loans | {account for account, product in products.items() if product in CARDS}
    owed = rows.filter(pl.col("account_id").is_in(sorted(debts)))
    paid = _of_same_amounts(rows, pl.col("account_id").is_in(sorted(debts)) & (pl.col("amount_minor") > 0))
    charged = owed.filter(pl.col("amount_minor") < 0)
    on_cards = charged.filter(~pl.col("account_id").is_in(sorted(loans))).unique(["account_id", "day"])
    on_loans = charged.filter(pl.col("account_id").is_in(sorted(loans)))
    unlike = {id_ for row in in_force(overrides, NO_SUCH_TRANSFERS) for id_ in (row.subject, row.value)}
    series = _of_same_amounts(rows, pl.col("whole").is_in(sorted(accepted | unlike)))
    needed = {*ids, *paid, *series, *on_cards["whole"], *on_loans["whole"]}
    return Affected(frozenset(ids), frozenset(needed | _of_same_payers(rows, ids)))


def with_wholes(rows: pl.DataFrame, split: Collection[str]) -> pl.DataFrame:
    """Add `whole`: the id of the transaction, also of the parts of those in `split`."""
    own = pl.col("id").cast(pl.String)  # without any transaction the column is categorical
    if not rows.select(own.str.contains("#", literal=True).any()).item():
        return rows.with_columns(whole=own)
    whole = own.str.replace(r"#\d+$", "")
    return rows.with_columns(whole=pl.when(whole.is_in(sorted(split))).then(whole).otherwise(own))


def repayments(rows: pl.DataFrame) -> set[tuple[str, str]]:
    """Return (id, own loan or card) of the repayments that have met their other leg."""
    met = rows.filter(pl.col("repays").is_not_null(), pl.col("partner").is_not_null())
    return set(met.select("id", pl.col("repays").cast(pl.String)).iter_rows())


def with_rows_replaced(rows: pl.DataFrame, fresh: pl.DataFrame, ids: Collection[str]) -> pl.DataFrame:
    """Return classified rows, newest first, with those of the transactions `ids` replaced by `fresh`.

    Both have the same columns, and `whole`, which is left out of the answer.
    """
    kept = rows.filter(~pl.col("whole").is_in(sorted(ids)))
    return newest_first(pl.concat([kept, fresh.select(rows.columns)]).drop("whole"))


def _may_part(row: OverrideRow) -> bool:
    """Whether a decision may end a transfer that a person accepted: it is none, or one leg of it is split."""
    return row.kind == NOT_TRANSFER or (row.kind == TRANSACTION and '"parts"' in row.value)


def _about(rows: pl.DataFrame, decisions: Sequence[OverrideRow], kept: Classified) -> set[str]:
    """Return the transactions that decisions are about; those that count, in place of copies of them."""
    named = {id_ for row in decisions if row.kind in _ROW for id_ in _ids_of(row)}
    found = {kept.links.copies.get(id_, id_) for id_ in named} | named
    if rules := [row for row in decisions if row.kind in _RULE]:
        texts = rows.select("whole", pl.col("merchant").cast(pl.String), _text=pl.col(SEARCHED).cast(pl.String))
        found |= set(texts.filter(pl.any_horizontal(map(is_about, rules)))["whole"])
    return found


def _ids_of(row: OverrideRow) -> tuple[str, ...]:
    return (row.subject, row.value) if row.kind == NOT_TRANSFER else (row.subject,)


def _of_same_payers(rows: pl.DataFrame, ids: Collection[str]) -> set[str]:
    """Return what came in from the payers of transactions: whether one is pay shows in all of them."""
    came_in = rows.filter(pl.col("amount_minor") > 0).with_columns(pl.col("merchant").cast(pl.String))
    payers = came_in.filter(pl.col("whole").is_in(sorted(ids)))["merchant"].unique()
    return set(came_in.filter(pl.col("merchant").is_in(payers.implode()))["whole"])


def _of_same_amounts(rows: pl.DataFrame, chosen: pl.Expr) -> set[str]:
    """Return the transactions with the amount, whatever its sign, of one of the chosen."""
    wholes = rows.with_columns(_chosen=chosen).group_by("whole").agg(
        pl.col("amount_minor").sum().abs(), pl.col("_chosen").any()
    )  # fmt: skip
    amounts = wholes.filter("_chosen")["amount_minor"].unique()
    return set(wholes.filter(pl.col("amount_minor").is_in(amounts.implode()))["whole"])
