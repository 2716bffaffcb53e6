"""Answers about income and expenses: lines that a person states, and the statement in the report."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted

StatedKind = Literal["income", "expense", "debt", "people"]
StatedPer = Literal["week", "fortnight", "month", "quarter", "year"]
StatementPer = Literal["week", "fortnight", "month", "year"]
ExpenseSection = Literal["housing", "energy", "bills", "food", "transport", "gambling", "other"]
Section = Literal[
    "pay", "centrelink", "other_income", "housing", "energy", "bills", "food", "transport", "debts", "gambling", "other"
]
INCOME_SECTIONS: tuple[Section, ...] = ("pay", "centrelink", "other_income")
EXPENSE_SECTIONS: tuple[Section, ...] = (
    "housing",
    "energy",
    "bills",
    "food",
    "transport",
    "debts",
    "other",
    "gambling",
)
GAS_PAID = "gas_paid_only"
"""Code of the note that gas is known from bank payments alone."""


class AsToldLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line as the person stated it. Amounts in AUD."""

    id: str
    kind: StatedKind
    name: str
    amount: Decimal | None = None
    """What comes in or goes out each `per`; of a debt its repayment; null for people."""
    per: StatedPer | None = None
    balance: Decimal | None = None
    """Of a debt: owed."""
    arrears: Decimal | None = None
    """Of a debt: overdue."""
    section: ExpenseSection | None = None
    """Of an expense: where the report lists it."""


class AsTold(Answer, frozen=True, kw_only=True):
    """Lines stated by the person, kept with the household: what `as-told` answers."""

    lines: tuple[AsToldLine, ...]
    """By kind, then name."""


class StatementLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of income or expenses. Amounts in AUD, positive; an expense is negative where more came back."""

    section: Section
    name: str
    amount: Decimal
    """Average for each `per` of the statement."""
    total: Decimal | None
    """Sum over the days of the statement; null where the person stated the line."""
    payments: int | None
    """Payments behind the average; null where the person stated the line."""
    is_stated: bool
    """Whether the person stated it; else it is from transactions."""
    balance: Decimal | None = None
    """Of a debt that the person stated: owed."""
    arrears: Decimal | None = None
    """Of a debt that the person stated: overdue."""
    days: int | None = None
    """Days that the average is over: of the accounts it was paid from, those that are known for the most of them."""


class SpendingDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Why the expenses differ from `spending` on the same days. AUD; `expenses` = `spending` + the five others."""

    expenses: Decimal
    """Expenses from transactions, over the days of the statement."""
    spending: Decimal
    """What `spending` answers for these days."""
    repayments: Decimal
    """Added: repayments of own loans and cards, which `spending` counts as transfers."""
    card_purchases: Decimal
    """Taken away, so not positive: purchases and fees on accounts with repayments that are counted whole."""
    interest: Decimal
    """Taken away, so not positive: interest on accounts with repayments that are counted whole."""
    uncategorised_income: Decimal
    """Added: money in without a category, which `spending` takes off what is spent; the statement has it as income."""
    own_moves: Decimal = Decimal("0.00")
    """What came from accounts elsewhere in a name of the household's people, less what went there: neither counts."""


class WithoutCategory(msgspec.Struct, frozen=True, kw_only=True):
    """Transactions of the statement's days that are in no category yet. AUD, positive."""

    spent: Decimal = Decimal("0.00")
    payments: int = 0
    """Transactions that `spent` is the sum of."""
    received: Decimal = Decimal("0.00")
    deposits: int = 0
    """Transactions that `received` is the sum of."""


class MonthOfSection(msgspec.Struct, frozen=True):
    """What was spent in a month, by section. AUD."""

    month: str
    """`YYYY-MM`."""
    section: Section
    spent: Decimal
    """Without repayments of own loans and cards; with what was bought on cards."""


class IncomeExpenses(Answer, Noted, frozen=True, kw_only=True):
    """Income and expenses of a household for each week, fortnight, month or year. AUD."""

    from_: date | None = msgspec.field(name="from")
    """First day of the transactions; null without any."""
    to: date | None
    """Last day, inclusive."""
    per: StatementPer
    lines: tuple[StatementLine, ...]
    """By section, income first; the largest first in each."""
    by_card: tuple[StatementLine, ...]
    """What was paid from own cards and loans whose repayments are among `lines`; in none of the sums."""
    income: Decimal
    """Sum of the income lines, each `per`."""
    expenses: Decimal
    """Sum of the other lines."""
    left: Decimal
    """Income less expenses; negative where they exceed it."""
    largest_payment: Decimal
    """What is left and what goes to energy now: the largest regular payment for energy; at least 0.

    Energy paid from a card counts too, unless that card's debt grew.
    """
    even_payment: Decimal | None
    """What covers the next twelve months of energy in even payments, enough in one year of two; null: not known."""
    even_payment_p90: Decimal | None
    """The same, enough in nine years of ten."""
    difference: SpendingDifference
    people: tuple[str, ...]
    """People in the home, as stated."""
    without_category: WithoutCategory = WithoutCategory()
    """What the lines named “No category” are made of, also those paid by card."""
    by_month: tuple[MonthOfSection, ...] = ()
    """Their sum is `spending` of these days and what `difference` says of own names."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
