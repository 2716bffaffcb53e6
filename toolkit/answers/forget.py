"""The answers of `forget`: what was deleted, and what remains elsewhere."""

from __future__ import annotations

from typing import Literal

import msgspec

from toolkit.answers.base import Answer


class WithdrawalFailure(msgspec.Struct, frozen=True):
    """A consent that was not ended at the service."""

    consent: str
    reason: str


class LostRows(msgspec.Struct, frozen=True):
    """Rows that another file gave too, with other values, and that were deleted; importing it restores them."""

    file: str
    rows: int


class CleanedCopy(msgspec.Struct, frozen=True):
    """A backup or another copy of the database."""

    path: str
    done: str
    """What was done with it."""


class RemainingFile(msgspec.Struct, frozen=True):
    """A file of the data folder that still names what was deleted."""

    path: str
    kind: Literal["backup", "database", "file"]
    """`backup`: another household in it has such rows. `database`: a separate store."""
    names: tuple[str, ...]
    """Names as they are spelled there."""


class Forgotten(Answer, frozen=True, kw_only=True):
    """What `forget` deleted."""

    forgotten: dict[str, str]
    """Kind (consent, household, file, account, service_point) → id."""
    way_back: str
    """How to bring it back."""
    deleted: dict[str, int]
    """Table → rows deleted."""
    withdrawn: tuple[str, ...]
    """Consents ended at the service."""
    not_withdrawn: tuple[WithdrawalFailure, ...]
    lost_with_it: tuple[LostRows, ...]
    copies: tuple[CleanedCopy, ...]
    left: tuple[str, ...]
    """Paths of `remains`."""
    remains: tuple[RemainingFile, ...]
    record: str | None
    """HTML page that was written."""
    removed_bills: int = 0
    """Of the rows of `typed_invoices`, those of bills that had been removed before, kept for undo until now."""
    earlier_bills: int = 0
    """Of the same, those of bills as they were before a correction."""


class AllowedAgain(Answer, frozen=True, kw_only=True):
    """What `forget --allow-again` lets the next sync fetch."""

    allowed_again: dict[str, str]
    """Kind (consent, account, service_point) → id."""
    next: str
    """The command to run."""
