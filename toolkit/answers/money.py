"""Answers about money."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Rows
from toolkit.errors import Problem

By = Literal["category", "merchant", "account"]


class SpendingRow(msgspec.Struct, frozen=True):
    """Spending of one category, merchant or account, in one month where months were asked for."""

    spent: Decimal
    """Money out less refunds; negative where more came back."""
    count: int
    """Transactions."""
    month: str | UnsetType | None = UNSET
    """`2026-07`; null for transactions without a date."""
    primary_category: str | UnsetType | None = UNSET
    """Code of the service's list, or a category of the household's own; null where none is known."""
    secondary_category: str | UnsetType | None = UNSET
    merchant: str | UnsetType | None = UNSET
    account_id: str | UnsetType = UNSET
    account_name: str | UnsetType | None = UNSET


class SpendingRows(Rows[SpendingRow]):
    """The rows of `spending`, most money first (in each month)."""

    row_type = SpendingRow


class OtherCurrency(msgspec.Struct, frozen=True):
    """Sums in a currency other than AUD, in that currency; they are in no other figure."""

    currency: str
    spent: Decimal
    income: Decimal
    transfers: Decimal
    pending: Decimal
    count: int


class Spending(Answer, frozen=True, kw_only=True):
    """Where the money went: what `spending` answers. Amounts in AUD."""

    from_: date | None = msgspec.field(name="from")
    """First day: the one asked for, else that of the first transaction; null without any."""
    to: date | None
    """Last day, inclusive."""
    by: By
    rows: SpendingRows
    spent: Decimal
    """Sum of the rows."""
    income: Decimal
    transfers: Decimal
    """Outgoing legs of transfers between the household's own accounts; they are in no row."""
    pending: Decimal
    """Pending expenses, whether they are included in `spent` or not."""
    other_currencies: tuple[OtherCurrency, ...]
    problems: tuple[Problem, ...] = ()
