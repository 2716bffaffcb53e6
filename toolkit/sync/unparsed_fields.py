"""Fields that could not be parsed and stay empty: one warning per field of a resource, with a count of records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from toolkit.errors import Problem
from toolkit.wire.decoding.pages import Unread
from toolkit.wire.decoding.short_lists import Listing

_NUMBER_IN_LIST = re.compile(r"\[\d+\]")


class UnparsedFields:
    """Fields that a run left empty. All entries of a list count as one field."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], Unread] = {}
        self._records: dict[tuple[str, str], set[str]] = {}

    def add(self, resource: str, found: Iterable[Unread]) -> None:
        for unread in found:
            key = resource, _NUMBER_IN_LIST.sub("[]", unread.field)
            self._first.setdefault(key, unread)
            self._records.setdefault(key, set()).add(unread.id)

    @property
    def problems(self) -> list[Problem]:
        """Return a warning per field, with the id of its first record."""
        return [
            Problem(
                first.id, f"{resource}: {_reason(first)}{_more(len(self._records[resource, field]) - 1)}", "warning"
            )
            for (resource, field), first in sorted(self._first.items(), key=lambda found: found[0])
        ]


def problems_of(resource: str, given: Listing[Any]) -> list[Problem]:
    """Return what could not be read of a list: records left out, then fields left empty."""
    unread = UnparsedFields()
    for found in given.unread.values():
        unread.add(resource, found)
    return [*(Problem(one.id, f"{resource}: {one.reason}") for one in given.rejected), *unread.problems]


def _reason(unread: Unread) -> str:
    done = "out" if unread.field.endswith("]") else "empty"
    return f"{unread.reason}; `{unread.field}` is left {done}, and kept in the record as given"


def _more(others: int) -> str:
    return f" (and in {others} more record{'s' if others > 1 else ''})" if others else ""
