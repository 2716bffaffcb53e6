"""Names of Centrelink payments and of lenders, as banks write them: patterns, lower case."""

from __future__ import annotations

from functools import cache

from toolkit.tables.reference.packaged import PackagedTable, packaged


class StatementWords(PackagedTable, frozen=True):
    """Patterns of payers and payees that the statement of income and expenses lists by name."""

    centrelink_payer: tuple[str, ...]
    """Words of payments by Centrelink."""
    child_support: tuple[str, ...]
    """Words of child support, which Services Australia passes on: not a payment by Centrelink."""
    buy_now_pay_later: tuple[str, ...]
    """Beginnings of the names of buy now pay later lenders."""
    lenders: tuple[str, ...]
    """Beginnings of the names of other lenders, for repayments that banks put into no category."""
    gas: tuple[str, ...]
    """Words that say that energy is gas."""
    power: tuple[str, ...]
    """Words that say that it is electricity; with both it may be either."""
    centrelink: dict[str, tuple[str, ...]]
    """Name of a payment → what banks write."""


@cache
def statement_words() -> StatementWords:
    """Return the patterns."""
    return packaged("statement_words", StatementWords)
