"""What was paid for: the category of each transaction, and its source.

The first that is known counts: the person's override for this row (`manual`), their newest rule that matches (`rule`),
the service's category (`provider`) unless its confidence is low, the bank's own category word where known (`bank`), the
merchant category code (`mcc`), the service's category of low confidence (`provider`), the bank's transaction type
(`type`), words of the description (`keyword`), a bank's word that is not in the table, as written (`bank`). Else the
category is null; of an employer who pays regularly `classify` sets it (`employer`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import polars as pl

from toolkit.analytics.money.basis import S, merged_settings
from toolkit.tables.reference.categories import (
    ENERGY,
    INTEREST_CHARGE,
    INTEREST_EARNED,
    OWN_ACCOUNT,
    SALARY,
    by_word,
    category_of,
    is_uninformative,
    keywords,
    merchant_codes,
    merchants,
    primary_of,
)
from toolkit.tables.schema.journal import OverrideRow

TEXTS = ("description", "merchant_name", "reference", "biller_name", "payee", "payer")
"""The columns that rules and keywords are searched in."""

BY_PERSON = ("manual", "rule")
"""The sources of a category that a person decided."""
_SOURCES = {
    **{f"_{source}": source for source in ("manual", "rule", "provider", "bank", "mcc")},
    "_unsure": "provider",
    **{f"_{source}": source for source in ("type", "keyword")},
    "_words": "bank",
}
_ENERGY_NAME = r"\w energy$"
"""Names of energy companies; a fuel station's or shop's brand is known by its own words before."""
UNSURE = "LOW"
"""The service's word for a category that it is not sure of."""


def with_categories(transactions: pl.DataFrame, overrides: pl.DataFrame | None = None) -> pl.DataFrame:
    """Set `primary_category`, `secondary_category` and `category_source` of each row.

    transactions: with `merchant`. overrides: table `choices`; kinds `category` (subject: transaction id), `rule`
    (subject: a pattern) and `payee` (subject: a merchant) count.
    """
    given = [pl.col(name).str.strip_chars() for name in ("primary_category", "secondary_category")]
    rows = transactions.with_columns(*(pl.when(name != "").then(name) for name in given), _text=searchable())
    manual = {override.subject: override.value for override in in_force(overrides, "category")}
    rows = rows.with_columns(
        _manual=pl.col("id").replace_strict(manual, default=None, return_dtype=pl.String),
        _given=pl.coalesce("secondary_category", "primary_category"),
    )
    code = pl.col("merchant_category_code").str.strip_chars().str.zfill(4)
    mcc = code.replace_strict(merchant_codes(), default=None, return_dtype=pl.String)
    rows = rows.with_columns(_mcc=mcc, _type=_type(), **_from_record(rows))
    known = [pl.when(pl.col(column).is_not_null()).then(pl.lit(source)) for column, source in _SOURCES.items()]
    ruled = _with_keywords(_with_rules(rows.lazy(), overrides))
    decided = ruled.with_columns(_code=pl.coalesce(list(_SOURCES)), category_source=pl.coalesce(known))
    return _with_parts(decided.collect()).drop("_text", "_given", "_code", *_SOURCES)


def searchable() -> pl.Expr:
    """Join the `TEXTS` of a row into one, lower case."""
    return pl.concat_str([pl.col(name) for name in TEXTS], separator=" ", ignore_nulls=True).str.to_lowercase()


def matches(text: pl.Expr, pattern: str) -> pl.Expr:
    """Whether a rule's pattern occurs in the text, whatever the case; `/…/` is a regular expression."""
    return text.str.contains(expression(pattern))


def is_valid_pattern(pattern: str) -> bool:
    """Whether a rule's pattern is not empty and, as `/…/`, a valid regular expression."""
    if _phrase(pattern) is not None:
        return bool(pattern.strip())
    try:
        pl.Series([""]).str.contains(expression(pattern))
    except pl.exceptions.ComputeError:
        return False
    return bool(pattern.strip())


def expression(pattern: str) -> str:
    """Return the regular expression of a rule's pattern, for lower-case text."""
    phrase = _phrase(pattern)
    if phrase is None:
        return f"(?i){pattern[1:-1]}"
    return r"\s+".join(re.escape(word) for word in phrase.split())


def _phrase(pattern: str) -> str | None:
    """Return the words of a rule's pattern, lower case, a space between them; None for a regular expression."""
    if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/"):
        return None
    return " ".join(pattern.lower().split())


def _with_rules(rows: pl.LazyFrame, overrides: pl.DataFrame | None) -> pl.LazyFrame:
    """Add `_rule`, the category of the newest rule that matches `_text`, or the payee in `merchant`.

    Words are searched for all rules at once, in each text once; only regular expressions are tried one by one.
    """
    rules = list(enumerate(newest_rules(overrides)[::-1]))
    if not rules:
        return rows.with_columns(_rule=pl.lit(None, pl.String))
    payees = {name: nth for nth, rule in rules if rule.kind == "payee" for name in payees_in(rule.subject)}
    patterns = [(nth, rule.subject) for nth, rule in rules if rule.kind != "payee"]
    words = {phrase: nth for nth, pattern in patterns if (phrase := _phrase(pattern)) is not None}
    newest: list[pl.Expr] = [
        pl.when(matches(pl.col("_text"), pattern)).then(nth) for nth, pattern in patterns if _phrase(pattern) is None
    ]
    if words:
        found = pl.col("_text").str.replace_all(r"\s+", " ").str.extract_many(list(words), overlapping=True)
        numbers = found.list.eval(pl.element().replace_strict(words, default=None, return_dtype=pl.Int64))
        newest.append(numbers.list.max())
    by_text = pl.max_horizontal(newest) if newest else pl.lit(None, pl.Int64)
    by_payee = pl.col("merchant").str.to_lowercase().replace_strict(payees, default=None, return_dtype=pl.Int64)
    values = {nth: rule.value for nth, rule in rules}
    joined = rows.join(
        rows.select(pl.col("_text").unique()).with_columns(_nth=by_text), on="_text", how="left", maintain_order="left"
    )
    rule = pl.max_horizontal("_nth", by_payee).replace_strict(values, default=None, return_dtype=pl.String)
    return joined.with_columns(_rule=rule).drop("_nth")


def newest_rules(overrides: pl.DataFrame | None) -> list[OverrideRow]:
    """Return the rules in force, by pattern and by payee, newest first. overrides: table `choices`."""
    return in_force(overrides, "rule", "payee")[::-1]


def is_about(rule: OverrideRow) -> pl.Expr:
    """Whether a rule matches a row: a payee's its `merchant`, whatever the case, a pattern its `_text`."""
    if rule.kind == "payee":
        return pl.col("merchant").str.to_lowercase().is_in(payees_in(rule.subject))
    return matches(pl.col("_text"), rule.subject)


def payees_in(subject: str) -> list[str]:
    """Return the payees, lower case, that the subject of a payee's rule names: one a line."""
    return subject.lower().split("\n")


def is_own_account() -> pl.Expr:
    """Whether a person decided that the other side of a row is an own account, among the data or not."""
    chosen = (pl.col("primary_category") == OWN_ACCOUNT) & pl.col("category_source").is_in(BY_PERSON)
    return chosen.fill_null(value=False)


_DECIDED = [name for name in OverrideRow.__struct_fields__ if name != "entered_at"]
"""What was decided: when, no answer depends on."""


def in_force(overrides: pl.DataFrame | None, *kinds: str) -> list[OverrideRow]:
    """Return the overrides of some kinds that are in force, oldest first. overrides: table `choices`."""
    if overrides is None or overrides.is_empty():
        return []
    rows = overrides.filter(pl.col("active") & pl.col("kind").is_in(kinds)).sort("number")
    return [OverrideRow(*row) for row in rows.select(_DECIDED).iter_rows()]


def latest_settings(overrides: pl.DataFrame | None, kind: str, settings: type[S]) -> dict[str, S]:
    """Return subject → what the overrides of a kind set of it, each field as last set. Their values are JSON objects.

    overrides: table `choices`.
    """
    return merged_settings(in_force(overrides, kind), settings)


def _from_record(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    """Return the service's category; for a file's row the bank's own word: as a code where known, else as written."""
    from_file = pl.col("source") == "file"
    finer, coarser = rows.select(pl.when(from_file).then(pl.col("secondary_category", "primary_category")))
    known = pl.coalesce([pl.lit(converted(words, category_of)) for words in (finer, coarser)])
    other = [pl.lit(converted(words, _informative)) for words in (coarser, finer)]
    is_sure = (pl.col("category_confidence") != UNSURE).fill_null(value=True)
    # a bank's word for transfers covers both directions
    is_in = (known == "TRANSFER_OUT") & (pl.col("amount_minor") > 0)
    return {
        "_provider": pl.when(~from_file & is_sure).then("_given"),
        "_unsure": pl.when(~from_file & ~is_sure).then("_given"),
        "_bank": pl.when(is_in).then(pl.lit("TRANSFER_IN")).otherwise(known),
        "_words": pl.coalesce(other),
    }


def converted(texts: pl.Series, convert: Callable[[str], str | None]) -> pl.Series:
    """Convert each text; equal texts are converted once, null stays null.

    A series, no expression (`map_elements`), in which a thread of polars calls Python: it waits for ever where Python
    waits for that thread meanwhile, as `DataFrame.to_pandas` does, with which Streamlit draws tables (polars 2.1).
    """
    table = {text: convert(text) for text in texts.drop_nulls().unique()}
    return texts.replace_strict(table, default=None, return_dtype=pl.String)


def _informative(word: str) -> str | None:
    return None if is_uninformative(word) else word


def _type() -> pl.Expr:
    written = pl.col("type").str.strip_chars().str.to_uppercase().str.replace_all(" ", "_")
    code = written.replace_strict(keywords().types, default=None, return_dtype=pl.String)
    charged = (pl.col("amount_minor") < 0) & (code == INTEREST_EARNED)
    return pl.when(charged).then(pl.lit(INTEREST_CHARGE)).otherwise(code)


def _with_keywords(rows: pl.LazyFrame) -> pl.LazyFrame:
    text = pl.col("_text")
    pay = pl.when(names_pay(text)).then(pl.lit(SALARY))
    texts = rows.select(pl.col("_text").unique()).with_columns(
        _spent=_by_keyword(keywords().spending, text), _earned=pl.coalesce(_by_keyword(keywords().income, text), pay)
    )
    joined = rows.join(texts, on="_text", how="left", maintain_order="left")
    earned = pl.when(pl.col("amount_minor") > 0).then("_earned")
    by_name = pl.when(pl.col("merchant").str.to_lowercase().str.contains(_ENERGY_NAME)).then(pl.lit(ENERGY))
    return joined.with_columns(_keyword=pl.coalesce(earned, "_spent", by_name)).drop("_spent", "_earned")


def names_pay(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, of money in says pay and names the organisation that it is from."""
    named = names_organisation(text) | (_has(text, keywords().employers) & ~names_person(text))
    return _says_pay(text) & named & ~is_not_pay(text)


def may_be_pay(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, of money in is pay if it comes regularly: from an organisation, or a shop's "pay"."""
    of_shop = _says_pay(text) & _by_keyword(keywords().spending, text).is_not_null()
    named = (of_shop | _has(text, keywords().employers)) & ~names_person(text)
    moved = _has(text, keywords().transfer_words)
    return names_pay(text) | ((named | names_organisation(text)) & ~moved & ~is_not_pay(text))


def is_from_shop(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, of money in names a shop, and neither a person nor what else than pay it is."""
    return _by_keyword(keywords().spending, text).is_not_null() & ~names_person(text) & ~is_not_pay(text)


def is_not_pay(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, says that money in is something else: a refund, rent, a benefit, a loan."""
    return _has(text, keywords().not_pay)


def names_person(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, is of a payment between people."""
    return text.str.contains(merchants().persons)


def names_organisation(text: pl.Expr) -> pl.Expr:
    """Whether a text, lower case, names a company or an office."""
    return _has(text, keywords().organisations)


def _says_pay(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(rf"\b(?:{'|'.join(keywords().pay_phrases)})\b", " ").str.contains(r"\bpay\b")


def _has(text: pl.Expr, patterns: Iterable[str]) -> pl.Expr:
    return text.str.contains(rf"\b(?:{'|'.join(patterns)})\b")


def _by_keyword(table: Mapping[str, tuple[str, ...]], text: pl.Expr) -> pl.Expr:
    """Return the category of the first word of a table in a text, lower case."""
    words = by_word(table)
    either = "|".join(re.escape(word) for word in words if not word[-1].isdigit())
    begun = "|".join(re.escape(word) for word in words if word[-1].isdigit())  # `ato00`: the rest is a reference
    pattern = rf"(?:^|[^a-z0-9])(?:({either})|({begun or '$'})[0-9]*)(?:[^a-z0-9]|$)"
    word = pl.coalesce(text.str.extract(pattern, 1), text.str.extract(pattern, 2))
    return word.replace_strict(words, default=None, return_dtype=pl.String)


def _with_parts(rows: pl.DataFrame) -> pl.DataFrame:
    """Split the code into primary and secondary; where the service's category counts, both stay as given."""
    as_given = (pl.col("category_source") == "provider") & pl.col("primary_category").is_not_null()
    own = converted(rows["_code"], primary_of)
    finer = pl.when(pl.col("_code") != own).then("_code")
    return rows.with_columns(
        primary_category=pl.when(as_given).then("primary_category").otherwise(own),
        secondary_category=pl.when(as_given).then("secondary_category").otherwise(finer),
    )
