"""Spending categories, and the words and patterns of Australian bank descriptions, lower case, that mark one.

Categories are an open vocabulary of codes `PRIMARY` and `PRIMARY_LEAF`: codes that are not in the table are kept as
they come. Codes stand in data and JSON; people are shown names. Banks have words for categories and merchant category
codes of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged

if TYPE_CHECKING:  # commands that load no frame know categories too
    import polars as pl

INCOME = "INCOME"
SALARY = "INCOME_SALARY"
TRANSFERS = ("TRANSFER_IN", "TRANSFER_OUT")
LOANS = "LOAN_PAYMENTS"
CARD_PAYMENT = "LOAN_PAYMENTS_CREDIT_CARD_PAYMENT"
ENERGY = "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"
"""Payments to energy retailers."""
INTEREST_CHARGE = "BANK_FEES_INTEREST_CHARGE"
INTEREST_EARNED = "INCOME_INTEREST_EARNED"
OWN_ACCOUNT = "OWN_ACCOUNT"
"""What people choose for moves to and from an account of their own that is not among the data: these are transfers."""
CASH = ("TRANSFER_OUT_WITHDRAWAL", "TRANSFER_IN_CASH_ADVANCES_AND_LOANS")
"""Categories below a transfer's that say cash or borrowed money: no move between own accounts."""


class _Categories(PackagedTable, frozen=True):
    primaries: dict[str, str]
    """Primary code → name."""
    leaves: dict[str, dict[str, str]]
    """Primary code → last part of the code → name."""
    words: dict[str, tuple[str, ...]]
    """Code → what people call it."""


class _BankCategories(PackagedTable, frozen=True):
    uninformative: tuple[str, ...]
    """Words that name a kind of movement and no purpose."""
    categories: dict[str, tuple[str, ...]]
    """Code → words of banks."""


class _MerchantCodes(PackagedTable, frozen=True):
    categories: dict[str, str]
    """Merchant category code, or first and last of a range (`5511-5533`) → code."""


@cache
def category_names() -> dict[str, str]:
    """Return code → name of every known category, each primary one before its leaves."""
    table = packaged("categories", _Categories)
    names = {}
    for primary, name in table.primaries.items():
        names[primary] = name
        names |= {f"{primary}_{leaf}": leaf_name for leaf, leaf_name in table.leaves[primary].items()}
    return names


def everyday_words(code: str) -> tuple[str, ...]:
    """Return what people call a category, besides its name."""
    return packaged("categories", _Categories).words.get(code, ())


def categories_in(text: str) -> list[str]:
    """Return the codes of categories that a text such as a payee's name says, by name or by an everyday word, whole."""
    padded = f" {' '.join(re.findall(r'[a-z0-9-]+', text.casefold()))} "
    called = {code: (name, *everyday_words(code)) for name, code in _codes_by_name().items()}
    return [code for code, words in called.items() if any(f" {word} " in padded for word in words)]


@cache
def primaries() -> tuple[str, ...]:
    """Return the codes of the primary categories."""
    return tuple(packaged("categories", _Categories).primaries)


def primary_of(code: str) -> str:
    """Return the primary category of a code: the longest known one that it begins with, else the code itself."""
    begun = [primary for primary in primaries() if code == primary or code.startswith(f"{primary}_")]
    return max(begun, key=len, default=code)


def category_name(code: str) -> str:
    """Return the name to show for a category's code; a category in a bank's own words stays as it is written."""
    if name := category_names().get(code):
        return name
    if code.upper() != code and "_" not in code:
        return code
    return code.removeprefix(f"{primary_of(code)}_").replace("_", " ").strip().capitalize()


def shown_as_one(code: str) -> tuple[str, ...]:
    """Return the codes shown under the same name as this one, itself included: what is set of it is set of all.

    The service's GENERAL_SERVICES has the leaves of SERVICES.
    """
    name = category_names().get(code)
    return (code,) if name is None else tuple(other for other, called in category_names().items() if called == name)


def names_of(codes: pl.Series, own: Mapping[str, str]) -> pl.Series:
    """Return the names to show for a column of codes; null stays null. own: code → the household's own name."""
    names = {code: own.get(code) or category_name(code) for code in codes.drop_nulls().unique()}
    return codes.replace_strict(names, default=None, return_dtype=codes.dtype)


def code_named(name: str) -> str | None:
    """Return the code of a shown name, whatever its case; None where no category has that name."""
    return _codes_by_name().get(" ".join(name.split()).casefold())


@cache
def _codes_by_name() -> dict[str, str]:
    """Return name → code; of two codes with one name the one that is listed first (`SERVICES`)."""
    return {name.casefold(): code for code, name in reversed(category_names().items())}


# ---- category words of banks


@cache
def bank_words() -> dict[str, str | None]:
    """Return the category words of banks' exports, lower case, → code; None for those that name no purpose."""
    table = packaged("bank_categories", _BankCategories)
    known = {word: code for code, words in table.categories.items() for word in words}
    return known | dict.fromkeys(table.uninformative)


def category_of(words: str) -> str | None:
    """Return the category code for a bank's own word; None where the word is unknown or names no purpose.

    `Food:Groceries` (QIF) is looked up whole, then by its last part, then by its first.
    """
    code = words.strip().upper()
    if primary_of(code) in primaries():
        return code
    parts = (words, *reversed(words.split(":")))
    return next((known for part in parts if (known := bank_words().get(_folded(part)))), None)


def is_uninformative(words: str) -> bool:
    """Whether a bank's word names a kind of movement instead of a purpose."""
    return bank_words().get(_folded(words), words) is None


def _folded(words: str) -> str:
    return " ".join(words.lower().split()).replace(" and ", " & ")


# ---- merchant category codes


@cache
def merchant_codes() -> dict[str, str]:
    """Return four-digit merchant category code (ISO 18245) → category code."""
    codes = dict[str, str]()
    for written, category in packaged("merchant_codes", _MerchantCodes).categories.items():
        first, _, last = written.partition("-")
        codes |= {f"{code:04}": category for code in range(int(first), int(last or first) + 1)}
    return codes


class Keywords(PackagedTable, frozen=True):
    """Words that say what a payment was for, when nothing better does."""

    spending: dict[str, tuple[str, ...]]
    """Category code → words."""
    income: dict[str, tuple[str, ...]]
    """Category code → words that mean income on money that came in; on money that went out they mean nothing."""
    types: dict[str, str]
    """The bank's own kind of movement → category code. On money that went out, interest is a charge."""
    transfer_types: tuple[str, ...]
    """Patterns for the beginning of a bank's kind of movement, upper case, that mean a transfer."""
    transfer_words: tuple[str, ...]
    """Patterns of what banks write about moves between a customer's own accounts."""
    organisations: tuple[str, ...]
    """Words in the names of companies and offices."""
    employers: tuple[str, ...]
    """Patterns of words in the names of employers, and of others."""
    pay_phrases: tuple[str, ...]
    """Patterns in which the word pay is no wage."""
    not_pay: tuple[str, ...]
    """Patterns of words on money from an organisation that is no wage."""


class Merchants(PackagedTable, frozen=True):
    """How banks wrap a merchant's name. The patterns need no look-around."""

    operations: tuple[str, ...]
    """Patterns for the kind of movement, before the payee's name."""
    pay_kept: str
    """Pattern of names with the word pay at their beginning or end, where it is else such a kind."""
    processors: tuple[str, ...]
    """Payment processors that put themselves before the merchant, with a star."""
    noise: tuple[str, ...]
    """Patterns of text around a name that is not part of it."""
    numbers: tuple[str, ...]
    """Patterns of numbers of accounts, cards and telephones."""
    numbered: str
    """Pattern of texts that name nobody else than the account with their number."""
    states: tuple[str, ...]
    """States and countries, as they stand at the end."""
    directions: tuple[str, ...]
    """Words before a place that belong to it."""
    persons: str
    """Pattern of payments to people and accounts by name, where no place is behind the name."""
    comments: tuple[str, ...]
    """Words that payers write behind a person's name: of a shop they are a part ("Dark Horse Coffee")."""
    billed: tuple[str, ...]
    """Words behind any name that say what is paid for."""
    generic: tuple[str, ...]
    """Words behind a name that only some terminals add."""
    short_forms: tuple[str, ...]
    """Words that keep their capitals."""
    aliases: dict[str, str]
    """Beginning of a cleaned name → merchant."""


class _Retailers(PackagedTable, frozen=True):
    brands: dict[str, str]


class _Localities(PackagedTable, frozen=True):
    names: str
    """Separated by commas and line breaks."""


class TransferWords(PackagedTable, frozen=True):
    """Words of a description that do not name the other party."""

    payments: tuple[str, ...]
    """Kinds of payment and channels, and the small words between them."""
    accounts: tuple[str, ...]
    """Accounts, banks' products, and what people save for."""
    institutions: tuple[str, ...]
    """Where a household may have another account, and products with words that alone mean something else."""
    titles: tuple[str, ...]
    """Words before a person's name."""
    channels: tuple[str, ...]
    """What comes after one of these is the payer's own comment."""


@cache
def keywords() -> Keywords:
    """Return the words that say what a payment was for."""
    found = packaged("keywords", Keywords)
    # an energy retailer's whole name says more than the brand in it, such as a fuel station's ("Ampol Energy")
    retailers = [brand.casefold() for brand in packaged("retailers", _Retailers).brands.values() if " " in brand]
    energy = *found.spending.get(ENERGY, ()), *retailers
    return msgspec.structs.replace(found, spending={**found.spending, ENERGY: energy})


@cache
def merchants() -> Merchants:
    """Return the patterns around merchants' names, and their aliases."""
    return packaged("merchants", Merchants)


@cache
def localities() -> frozenset[str]:
    """Return the towns and suburbs of Australia, lower case."""
    return frozenset(
        " ".join(packaged("localities", _Localities).names.split()).replace(", ", ",").strip(",").split(",")
    )


@cache
def _sorted_localities() -> tuple[str, ...]:
    return tuple(sorted(localities()))


def begins_locality(text: str) -> bool:
    """Whether a town or suburb begins with a text."""
    place = bisect_left(_sorted_localities(), text)
    return place < len(_sorted_localities()) and _sorted_localities()[place].startswith(text)


@cache
def transfer_words() -> TransferWords:
    """Return the words that do not name the other party of a transfer."""
    return packaged("transfer_words", TransferWords)


def by_word(table: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return word → category; longer words first, so that `uber eats` is met before `uber`."""
    pairs = [(word, category) for category, words in table.items() for word in words]
    return dict(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])))
