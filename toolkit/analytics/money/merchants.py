"""Who was paid: the merchant's name as the bank gives it, else cleaned from the description."""

from __future__ import annotations

import re

import polars as pl

from toolkit.analytics.money.categorise import each
from toolkit.tables.reference.categories import localities, merchants


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
