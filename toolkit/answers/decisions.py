"""Answers about decisions: rules, categories, and what each transaction is."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.money import Transaction
from toolkit.problems import Problem


class Override(msgspec.Struct, frozen=True):
    """A decision of a person of the household."""

    number: int
    """Its name in `rules remove`."""
    kind: str
    """`rule`, `payee`, `category`, `own_category`, `transaction`, `transfer`, `not_transfer`, `no_such_transfers`,
    `link`, `unlink`, `account`, `budget`, `columns`, `reviewed`, `invoice` or `removal`."""
    subject: str
    """Id of the transaction, account or typed bill, pattern of a rule, code of a category, or payee; where the toolkit
    has come to tell apart what was one payee, a line for each."""
    value: str
    """The category or the other transaction; JSON for accounts, transactions and own categories; version of a typed
    bill, empty where it is removed."""


class TransferSuggestion(msgspec.Struct, frozen=True):
    """Two transactions that may be a transfer between own accounts."""

    outgoing: str
    """Id of the transaction with money out."""
    incoming: str
    date: date
    """Day of the outgoing one."""
    amount: Decimal
    """Above 0, in `currency`."""
    currency: str


class Rules(Answer, Noted, frozen=True, kw_only=True):
    """Decisions in force, oldest first, and possible transfers: what `rules list` answers."""

    rules: tuple[Override, ...]
    suggestions: tuple[TransferSuggestion, ...]
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""


class RuleAdded(Answer, Noted, frozen=True, kw_only=True):
    """The decision recorded by `rules add|category|transfer|not-transfer`, or the equal one that is in force."""

    added: Override
    notes: tuple[Note, ...] | UnsetType = UNSET
    note_codes: tuple[str, ...] | UnsetType = UNSET
    """The code of each note."""


class RuleRemoved(Answer, frozen=True, kw_only=True):
    """The decision that `rules remove` took back."""

    removed: Override


class Undone(Answer, frozen=True, kw_only=True):
    """The decision, or removal, that `undo` took back."""

    undone: Override


class RuleMatch(msgspec.Struct, frozen=True):
    """A transaction that a rule would change, with its present category."""

    date: date | None
    amount: Decimal
    """In the currency of the transaction; money out is negative."""
    id: str
    description: str | None
    merchant: str | None
    primary_category: str | None
    secondary_category: str | None
    category_source: str | None


class RuleTest(Answer, frozen=True, kw_only=True):
    """The transactions that a rule would change, newest first: what `rules test` answers."""

    pattern: str
    """Words, a regular expression, or the name of a payee."""
    category: str | None
    """Code of the category that they would get; null where none was given."""
    transactions: tuple[RuleMatch, ...]
    count: int = 0
    spent: Decimal = Decimal("0.00")
    """Minus the sum of those in AUD."""
    months: tuple[str, ...] = ()
    """Months in which they are, `2026-07`."""


class RulesFile(Answer, frozen=True, kw_only=True):
    """Rules written to, or read from, a file: what `rules export|import` answer."""

    path: str
    rules: int
    """Rules in the file."""
    added: int = 0
    """Of them, those that were not in force already."""
    new_categories: tuple[str, ...] = ()
    """Categories of the added rules that nobody has used before, as the file writes them: the household's own now."""
    problems: tuple[Problem, ...] = ()


class Category(msgspec.Struct, frozen=True):
    """A category that transactions can be put in."""

    code: str
    name: str
    """The household's own name, else the usual one."""
    group: str
    """Code of its primary category; its own code for a primary one."""
    own: bool
    """Whether the household added it."""


class Categories(Answer, frozen=True, kw_only=True):
    """Every category, by group: what `rules categories` answers."""

    categories: tuple[Category, ...]


class ReviewItem(msgspec.Struct, frozen=True, kw_only=True):
    """Something to look at: what looks like pay, a payee, one that may be an own account, a likely transfer, a
    transaction without payee and category, or an unusual amount."""

    kind: str
    """`pay`, `payee`, `own_account`, `transfer`, `unnamed` or `unusual`."""
    name: str | None
    """The payee."""
    amount: Decimal
    """Money that it is about, AUD, positive: of a payee that of the last twelve months, refunds taken off, and what
    came in before without a category; of a likely own account what went either way."""
    since: date
    """Day of its oldest transaction."""
    date: date
    """Of its newest transaction."""
    count: int
    """Transactions."""
    category: str | None
    """Code of the category that it has."""
    category_source: str | None
    usual: Decimal | None
    """Median of the payee's earlier amounts, for unusual ones; of what looks like pay its median."""
    transactions: tuple[Transaction, ...]
    """The two legs of a transfer, else the newest, at most five."""
    cadence: str | None = None
    """How often it comes, where it looks like pay."""
    own_person: bool = False
    """Whether the payee is one of the household's own people, by name."""
    left: bool = False
    """Whether somebody left it as it is."""


class ToReview(Answer, frozen=True, kw_only=True):
    """What to look at after new data, what looks like pay first, then most money: what `rules review` answers."""

    items: tuple[ReviewItem, ...]
    """At most 30."""
    more: bool = False
    """Whether others follow when these are decided."""
    left: tuple[ReviewItem, ...] = ()
    """What would be listed too, had nobody left it as it is."""
    category_names: dict[str, str] = msgspec.field(default_factory=dict)
    """Category code → the household's own name for it."""
