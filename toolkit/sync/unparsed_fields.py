"""Fields that could not be read and stay empty: a line for each of a resource, however many records have it so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from toolkit.errors import Problem
from toolkit.wire.decoding.pages import Unread
from toolkit.wire.decoding.short_lists import Listing

_NUMBER_IN_LIST = re.compile(r"\[\d+\]")


class UnreadFields:
    """What a run left empty. An entry of a list counts as the list's, whichever it is."""

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
        """A warning for each field, which names the first record that has it so."""
        return [
            Problem(first.id, f"{resource}: {_said(first)}{_more(len(self._records[resource, field]) - 1)}", "warning")
            for (resource, field), first in sorted(self._first.items(), key=lambda found: found[0])
        ]


def problems_of(resource: str, given: Listing[Any]) -> list[Problem]:
    """What of a list cannot be read: records left out, then fields left empty."""
    unread = UnreadFields()
    for found in given.unread.values():
        unread.add(resource, found)
    return [*(Problem(one.id, f"{resource}: {one.reason}") for one in given.rejected), *unread.problems]


def _said(unread: Unread) -> str:
    done = "out" if unread.field.endswith("]") else "empty"
    return f"{unread.reason}; `{unread.field}` is left {done}, and kept in the record as given"


def _more(others: int) -> str:
    return f" (and in {others} more record{'s' if others > 1 else ''})" if others else ""
