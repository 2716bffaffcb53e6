"""Each transaction's day, merchant and category, and whether it is spending, income or a transfer; and sums of them.

Sums are by category, merchant or account, to the cent; money out is positive.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from zlib import crc32

import polars as pl
import polars.selectors as cs

from toolkit.analytics.money.accounts import AccountLinks, account_links, with_settings
from toolkit.analytics.money.categorise import each, in_force, with_categories
from toolkit.analytics.money.edits.settings import (
    EXCLUDED,
    TRANSACTION,
    split_ids,
    with_groups,
    with_transaction_settings,
)
from toolkit.analytics.money.repayments import repaid_accounts
from toolkit.analytics.money.transfers import (
    EVIDENCE,
    OwnNames,
    pair_transfers,
    people_called,
    series_words,
    with_evidence,
)
from toolkit.answers.base import Note
from toolkit.answers.money import By, OtherCurrency, Spending, SpendingRows
from toolkit.errors import Problem
from toolkit.tables.classification import classification_version
from toolkit.tables.money import amount, aud
from toolkit.tables.reference.categories import CARD_PAYMENT, INCOME, LOANS, localities, merchants
from toolkit.tables.transaction_days import with_days

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
SUMMED = (
    *("day", "month", "account", "kind", "primary_category", "secondary_category", "merchant"),
    *("account_id", "tag", "currency", "status", "amount_minor"),
)
"""The columns that `buckets` needs."""

_ACCOUNT = ("account_id", "linked_account_id", "account_number", "masked_number", "product_category", "bsb", "layout")
_NAMES = ("nickname", "display_name", "product_name")
_OVERRIDE = ("number", "kind", "subject", "value")


@dataclass(frozen=True, slots=True)
class Classified:
    """The transactions of a household, classified."""

    rows: pl.DataFrame
    """The transactions that count, in the order given: without vanished ones and without copies in linked accounts;
    parts `ID#1`, `ID#2` … in place of split ones.

    The columns of table `transactions` with
    day, month      local day [Date] and `YYYY-MM`; null where the row has no readable date-time
    account_id      the account; a linked one under the id that it counts under
    account         the same
    merchant        who was paid or who paid
    primary_category, secondary_category, category_source   null for transfers between own accounts
    kind            `transfer`, `income`, `expense`, or `excluded` where a person left the row out of sums
    tag, note       as people set them
    partner         id of the other leg of a transfer; null also for repayments of which only one leg is stored
    repays          of money out: the own loan or card account that it pays off
    """
    suggestions: pl.DataFrame
    """Pairs that may be transfers, for a person to accept or reject; columns as `transfers.PAIRS`."""
    links: AccountLinks
    """Which accounts count as one."""


def classify(
    transactions: pl.DataFrame,
    accounts: pl.DataFrame,
    *,
    zone: str,
    overrides: pl.DataFrame | None = None,
    people: Sequence[str] = (),
    links: AccountLinks | None = None,
) -> Classified:
    """Classify tables `transactions` and `accounts` of one household.

    zone: time zone of the household, for local days. overrides: table `choices`, the household's own
    decisions. people: names of the household's own people; a transfer to or from anybody else is not a transfer
    between own accounts. links: which accounts count as one, where it is known; else it is found out.

    An income category makes income, whatever the sign. A transfer needs evidence (see `transfers`). A row whose
    category is transfer but that has no partner among the own accounts is money from, or to, somebody else: it stays
    in its category and counts as spending (or less spending), as does a refund.
    """
    stored = transactions.filter(pl.col("vanished_at").is_null())
    links = links or account_links(accounts, stored, overrides, zone=zone)
    own = with_settings(accounts, overrides).with_columns(account=pl.col("account_id").replace(dict(links.main)))
    once = stored.filter(~pl.col("id").is_in(list(links.copies)))
    overrides = _about_originals(overrides, links)
    rows = with_days(once.with_columns(pl.col("account_id").replace(dict(links.main))).lazy(), zone)
    rows = with_categories(with_merchants(rows), overrides).with_columns(month=pl.col("day").dt.strftime("%Y-%m"))
    account_names = pl.concat([own[name].drop_nulls() for name in _NAMES]).unique().sort()
    names = OwnNames(people_called(people), tuple(account_names))
    collected = with_evidence(rows.with_columns(account="account_id"), own, names.people).collect()
    pairs, suggestions = pair_transfers(collected, _with_splits_apart(overrides), names)
    apart = {id_ for override in in_force(overrides, "not_transfer") for id_ in (override.subject, override.value)}
    apart |= set(split_ids(overrides))
    repaid, alone = repaid_accounts(collected.with_columns(words=series_words()), pairs, own, apart=apart)
    suggestions = suggestions.filter(~pl.col("out_id").is_in(sorted(alone)), ~pl.col("in_id").is_in(sorted(alone)))
    repays = pl.col("id").replace_strict(repaid, default=None, return_dtype=pl.String)
    known = _with_kind(collected, pairs, alone, overrides).with_columns(repays=repays)
    return Classified(with_transaction_settings(known.drop(EVIDENCE), overrides), suggestions, links)


def _with_splits_apart(overrides: pl.DataFrame | None) -> pl.DataFrame | None:
    """Replace decisions that split transactions are legs of transfers: they are not, as their parts have categories."""
    ids = split_ids(overrides)
    if overrides is None or not ids:
        return overrides
    about = pl.col("subject").is_in(ids) | pl.col("value").is_in(ids)
    others = overrides.filter(~((pl.col("kind") == "transfer") & about))
    apart = pl.DataFrame({"subject": ids}).with_columns(
        kind=pl.lit("not_transfer"), value=pl.lit(""), active=pl.lit(value=True)
    )
    return pl.concat([others, apart], how="diagonal")


def _about_originals(overrides: pl.DataFrame | None, links: AccountLinks) -> pl.DataFrame | None:
    """Let overrides on a copy of a transaction in a linked account apply to the transaction that counts."""
    if overrides is None or not links.copies:
        return overrides
    about_rows = pl.col("kind").is_in(["category", "transfer", "not_transfer", TRANSACTION])
    return overrides.with_columns(
        pl.when(about_rows).then(pl.col(name).replace(dict(links.copies))).otherwise(name).alias(name)
        for name in ("subject", "value")
    )


def _with_kind(
    rows: pl.DataFrame, pairs: pl.DataFrame, alone: Collection[str], overrides: pl.DataFrame | None
) -> pl.DataFrame:
    rows = with_groups(rows, overrides)
    partners = dict(pairs.select("out_id", "in_id").iter_rows())
    partners |= {into: out for out, into in partners.items()}
    partner = pl.col("id").replace_strict(partners, default=None, return_dtype=pl.String)
    income = (pl.col("primary_category") == INCOME).fill_null(False)
    transfer = pl.col("partner").is_not_null() | pl.col("id").is_in(sorted(alone))
    kind = pl.when(transfer).then(pl.lit("transfer")).when(income).then(pl.lit("income")).otherwise(pl.lit("expense"))
    typed = rows.with_columns(partner=partner).with_columns(kind=kind)
    return typed.with_columns(
        pl.when(~transfer).then(name).alias(name)
        for name in ("primary_category", "secondary_category", "category_source")
    )


def problems_without_date(rows: pl.DataFrame) -> tuple[Problem, ...]:
    """Return one warning for each classified row without a known day."""
    reason = "no readable execution, posting or value date-time: in no month, left out of every range"
    return tuple(Problem(id_, reason, "warning") for id_ in rows.filter(pl.col("day").is_null())["id"].sort())


def basis(
    accounts: pl.DataFrame, overrides: pl.DataFrame, *, zone: str, people: Sequence[str] = (), kinds: Sequence[str] = ()
) -> str:
    """Return a hash of everything but the rows that a classification depends on; it differs when the answer may.

    That is the household's time zone, people, accounts and overrides in force, and the version of the rules. kinds: of
    the overrides that count; all of them without any.
    """
    columns = (*_ACCOUNT, *_NAMES)
    own = accounts.select(columns).sort(columns).rows()
    counting = pl.col("kind").is_in(kinds) if kinds else pl.lit(value=True)
    chosen = overrides.filter("active", counting).select(_OVERRIDE).sort("number").rows()
    return f"{crc32(repr((classification_version(), zone, own, sorted(people), chosen)).encode()):08x}"


# ---- merchants


def with_merchants(transactions: pl.LazyFrame) -> pl.LazyFrame:
    """Add `merchant`: merchant or biller as given, else the other party, else the cleaned description.

    Null where the row names nobody. The spelling of a given name is kept; account numbers are removed.
    """
    names = with_cleaned_names(transactions.select(pl.col("description").unique()))
    party = pl.when(pl.col("amount_minor") < 0).then("payee").otherwise("payer")
    party = _tidy(party.str.replace_all(r"\b\d[\d -]{3,}\d\b", " "))  # banks put the account number behind the name
    given = [_text_or_null(pl.col("merchant_name")), _text_or_null(pl.col("biller_name")), _text_or_null(party)]
    joined = transactions.join(names, on="description", how="left", maintain_order="left")
    return joined.with_columns(merchant=pl.coalesce(*given, "_cleaned")).drop("_cleaned")


def with_cleaned_names(descriptions: pl.LazyFrame) -> pl.LazyFrame:
    """Add `_cleaned`: the merchant's name in `description`, an Australian bank's; null where nothing is left of it.

    A column at a time, because the Python functions would else run for every expression that uses their result.
    """
    texts = merchants()
    operation = rf"^(?:{'|'.join(texts.operations)})(?:\s+|[:\-]+\s*|$)"
    processor = rf"^(?:{'|'.join(texts.processors)})\s*\*\s*"
    aliases = "|".join(re.escape(name) for name in sorted(texts.aliases, key=len, reverse=True))
    name = plain = pl.col("_plain")
    for _ in range(3):  # "visa purchase eftpos …": operations are stacked up to three deep
        name = name.str.replace(operation, "")
    name = _tidy(name.str.replace(processor, "").str.replace_all("|".join(texts.noise), " "))
    name = _tidy(name.str.replace(r"^(?:to|from)\s+", ""))
    to_person, place, person = pl.col("_to_person"), pl.when(~pl.col("_to_person")), pl.when("_to_person")
    brand = pl.col("_name").str.extract(rf"^({aliases})(?:'?s)?(?:\W|$)", 1)
    return (
        descriptions.with_columns(_plain=_tidy(pl.col("description").str.to_lowercase()))
        .with_columns(_name=name, _to_person=plain.str.contains(texts.persons))
        .with_columns(
            _person=each(person.then("_name"), _without_comments), _shop=each(place.then("_name"), _without_place)
        )
        .with_columns(_name=pl.when(to_person).then("_person").otherwise("_shop"))
        .with_columns(_name=pl.when(pl.col("_name").str.len_chars() >= 2).then("_name").otherwise("_plain"))
        .with_columns(
            _brand=brand.replace_strict(texts.aliases, default=None, return_dtype=pl.String),
            _capitals=each(pl.col("_name"), _capitalised),
        )
        .select("description", _cleaned=_text_or_null(pl.coalesce("_brand", "_capitals")))
    )


def _without_place(name: str) -> str:
    """Remove what stands behind a merchant's name: comments, state, town or suburb (also cut short), generic words."""
    texts, words = merchants(), name.split()
    for _ in range(2):  # "STRATHF STRATHFIELD NS"
        while len(words) > 1 and words[-1] in texts.states:
            words.pop()
        length = next((n for n in (3, 2, 1) if len(words) > n and " ".join(words[-n:]) in localities()), 0)
        place = words[len(words) - length :] if length else []
        words = words[: len(words) - length]
        if place and len(words) > 1 and (words[-1] in texts.directions or _is_cut(words[-1], place[0])):
            words.pop()
    while len(words) > 2 and words[-1] in texts.generic:
        words.pop()
    return _without_comments(" ".join(words))


def _is_cut(word: str, whole: str) -> bool:
    return len(word) >= 5 and word != whole and whole.startswith(word)


def _without_comments(name: str) -> str:
    words = name.split()
    while len(words) > 1 and words[-1] in merchants().comments:
        words.pop()
    return " ".join(words)


def _capitalised(name: str) -> str:
    """Return a lower-case name with capitals; short forms (ATO, NSW) stay all capitals."""
    words = [re.sub(r"[a-z]", lambda letter: letter[0].upper(), word, count=1) for word in name.split()]
    kept = {word.casefold(): word for word in merchants().short_forms}
    return " ".join(kept.get(word.casefold(), word) for word in words)


def _tidy(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(r"\s+", " ").str.strip_chars(" -,.:/*#")


def _text_or_null(text: pl.Expr) -> pl.Expr:
    stripped = text.str.strip_chars()
    return pl.when(stripped.str.len_chars() > 0).then(stripped)


COLUMNS: dict[str, tuple[str, ...]] = {
    "category": ("primary_category", "secondary_category"),
    "merchant": ("merchant",),
    "account": ("account_id",),
    "tag": ("tag",),
    "person": ("person",),
}
ROLLUP_KEY = ("month", "account_id", "kind", "primary_category", "secondary_category", "currency", "pending")
HOME = "AUD"


@dataclass(frozen=True, slots=True)
class Question:
    """What spending is asked for."""

    from_: date | None = None
    """First day; None: from the first transaction on."""
    to: date | None = None
    """Last day, inclusive; None: up to the last transaction."""
    by: By = "category"
    """What a row of the answer groups."""
    months: bool = False
    """One row a month."""
    pending: bool = False
    """Whether pending transactions count."""

    @property
    def columns(self) -> list[str]:
        """Columns that a row of the answer is identified by."""
        return [*(["month"] if self.months else []), *COLUMNS[self.by]]


def buckets(rows: pl.DataFrame, keys: tuple[str, ...] = ROLLUP_KEY) -> pl.DataFrame:
    """Sum classified rows by `keys`.

    The sums are `amount_minor` (signed), `out_minor` (of negative amounts alone), `count`, `first_day` and `last_day`.
    """
    amount = pl.col("amount_minor")
    grouped = rows.lazy().with_columns(pending=pl.col("status") == "PENDING", account_id="account").group_by(keys)
    summed = grouped.agg(
        amount.sum(),
        out_minor=amount.filter(amount < 0).sum(),
        count=pl.len().cast(pl.Int64),
        first_day=pl.col("day").min(),
        last_day=pl.col("day").max(),
    )
    return summed.collect().cast({cs.categorical(): pl.String})


def within(rows: pl.DataFrame, question: Question) -> pl.DataFrame:
    """Select the rows of the question's days; rows without a day are in no range."""
    bounds = []
    if question.from_ is not None:
        bounds.append(pl.col("day") >= question.from_)
    if question.to is not None:
        bounds.append(pl.col("day") <= question.to)
    return rows.filter(*bounds) if bounds else rows


def spending_of_rows(rows: pl.DataFrame, question: Question) -> Spending:
    """Answer from classified rows."""
    keys = (*ROLLUP_KEY, *(name for name in COLUMNS[question.by] if name not in ROLLUP_KEY))
    return spending_of_buckets(buckets(within(rows, question), keys), question)


def with_person(rows: pl.DataFrame, owners: Mapping[str, str]) -> pl.DataFrame:
    """Add `person`, the owner of the account; null where nobody is known. owners: account id → name."""
    return rows.with_columns(
        person=pl.col("account_id").replace_strict(dict(owners), default=None, return_dtype=pl.String)
    )


def spending_of_buckets(summed: pl.DataFrame, question: Question) -> Spending:
    """Answer from sums that are no coarser than the question (see `buckets`); by person from sums with `person`."""
    home = summed.filter(pl.col("currency") == HOME)
    included = home.filter(_expense(posted_only=not question.pending))
    rows = _rows(included, question)
    totals = home.select(**_sums(posted_only=True)).row(0, named=True)
    days = summed.select(pl.col("first_day").min(), pl.col("last_day").max()).row(0, named=True)
    return Spending(
        from_=question.from_ or days["first_day"],
        to=question.to or days["last_day"],
        by=question.by,
        rows=SpendingRows(rows.select(*question.columns, aud(pl.col("spent_minor")).alias("spent"), "count")),
        spent=amount(int(rows["spent_minor"].sum())),
        income=amount(totals["income_minor"]),
        transfers=amount(totals["transfers_minor"]),
        excluded=amount(totals["excluded_minor"]),
        pending=amount(totals["pending_minor"]),
        other_currencies=_other_currencies(summed.filter(pl.col("currency") != HOME), question),
        notes=tuple(_notes(included)),
    )


def _notes(included: pl.DataFrame) -> Iterator[Note]:
    """Yield that repayments of loans hold principal, where some count as spending."""
    repaid = (pl.col("primary_category") == LOANS) & (pl.col("secondary_category") != CARD_PAYMENT).fill_null(
        value=True
    )
    if spent := -int(included.filter(repaid)["amount_minor"].sum()):
        yield Note("repayments_hold_principal", spent=amount(spent))


def _expense(*, posted_only: bool) -> pl.Expr:
    expense = pl.col("kind") == "expense"
    return expense & ~pl.col("pending") if posted_only else expense


def _rows(included: pl.DataFrame, question: Question) -> pl.DataFrame:
    if question.by == "merchant":
        # one spelling for names that differ in case only, the same whatever the order of the rows
        included = included.with_columns(pl.col("merchant").max().over(pl.col("merchant").str.to_lowercase()))
    grouped = included.group_by(question.columns).agg(
        spent_minor=-pl.col("amount_minor").sum(), count=pl.col("count").sum()
    )
    most_first = [*(["month"] if question.months else []), "spent_minor", *COLUMNS[question.by]]
    return grouped.sort(most_first, descending=[name == "spent_minor" for name in most_first], nulls_last=True)


def _sums(*, posted_only: bool) -> dict[str, pl.Expr]:
    amount, posted = pl.col("amount_minor"), ~pl.col("pending")
    return {
        "spent_minor": -amount.filter(_expense(posted_only=posted_only)).sum(),
        "income_minor": amount.filter(posted & (pl.col("kind") == "income")).sum(),
        "transfers_minor": -pl.col("out_minor").filter(posted & (pl.col("kind") == "transfer")).sum(),
        "excluded_minor": -amount.filter(posted & (pl.col("kind") == EXCLUDED)).sum(),
        "pending_minor": -amount.filter(pl.col("pending") & (pl.col("kind") == "expense")).sum(),
    }


def _other_currencies(summed: pl.DataFrame, question: Question) -> tuple[OtherCurrency, ...]:
    sums = _sums(posted_only=not question.pending)
    table = summed.group_by("currency").agg(**sums, count=pl.col("count").sum()).sort("currency")
    return tuple(
        OtherCurrency(
            currency=currency,
            spent=amount(row["spent_minor"], currency),
            income=amount(row["income_minor"], currency),
            transfers=amount(row["transfers_minor"], currency),
            pending=amount(row["pending_minor"], currency),
            count=row["count"],
        )
        for row in table.iter_rows(named=True)
        for currency in (row["currency"],)
    )
