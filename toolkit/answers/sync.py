"""The answer of `sync`: what was fetched and stored."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer
from toolkit.problems import Problem


class ResourceCounts(msgspec.Struct, frozen=True):
    """Records of one resource: fetched = added + updated + unchanged + rejected."""

    resource: str
    """Such as `banking.transactions`."""
    fetched: int
    added: int
    updated: int
    unchanged: int
    removed: int
    """Stored rows that the service no longer gives; not part of `fetched`."""
    rejected: int


class FailedList(msgspec.Struct, frozen=True):
    """A list that was not read to its end; its earlier pages are kept."""

    resource: str
    part: str
    """Account, service point or institution; empty where the list has no parts."""
    error: str


class Sync(Answer, frozen=True, kw_only=True):
    """What a sync fetched. With `--listen`: the last sync, and what was heard."""

    run: str | None
    """Id of the run; null where none was made."""
    resources: tuple[ResourceCounts, ...] = ()
    problems: tuple[Problem, ...] = ()
    failed: tuple[FailedList, ...] = ()
    events: dict[str, int] | UnsetType = UNSET
    """With `--listen`: verdict on a message → number of messages."""
    syncs: int | UnsetType = UNSET
    """With `--listen`: number of syncs."""
