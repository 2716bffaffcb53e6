"""Words and patterns in Australian bank descriptions: purposes, merchants, transfers. All are lower case."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from toolkit.tables.reference.packaged import PackagedTable, packaged


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


class Merchants(PackagedTable, frozen=True):
    """How banks wrap a merchant's name. The patterns need no look-around."""

    operations: tuple[str, ...]
    """Patterns for the kind of movement, before the payee's name."""
    processors: tuple[str, ...]
    """Payment processors that put themselves before the merchant, with a star."""
    noise: tuple[str, ...]
    """Patterns of text around a name that is not part of it."""
    places: tuple[tuple[str, ...], ...]
    """What may stand at the end, one after the other: direction, capital or suburb, state, country."""
    aliases: dict[str, str]
    """Beginning of a cleaned name → merchant."""


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
    return packaged("keywords", Keywords)


@cache
def merchants() -> Merchants:
    """Return the patterns around merchants' names, and their aliases."""
    return packaged("merchants", Merchants)


@cache
def transfer_words() -> TransferWords:
    """Return the words that do not name the other party of a transfer."""
    return packaged("transfer_words", TransferWords)


def by_word(table: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return word → category; longer words first, so that `uber eats` is met before `uber`."""
    pairs = [(word, category) for category, words in table.items() for word in words]
    return dict(sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])))
