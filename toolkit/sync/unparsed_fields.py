"""Fields that could not be parsed and stay empty: one warning per field of a resource, with a count of records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from toolkit.errors import Problem
from toolkit.wire.decoding.pages import UnparsedField
from toolkit.wire.decoding.short_lists import Listing

_NUMBER_IN_LIST = re.compile(r"\[\d+\]")


class UnparsedFields:
    """Fields that a run left empty. All entries of a list count as one field."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], UnparsedField] = {}
        self._records: dict[tuple[str, str], set[str]] = {}

    def add(self, resource: str, found: Iterable[UnparsedField]) -> None:
        for unparsed in found:
            key = resource, _NUMBER_IN_LIST.sub("[]", unparsed.field)
            self._first.setdefault(key, unparsed)
            self._records.setdefault(key, set()).add(unparsed.id)

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
    unparsed = UnparsedFields()
    for found in given.unparsed.values():
        unparsed.add(resource, found)
    return [*(Problem(one.id, f"{resource}: {one.reason}") for one in given.rejected), *unparsed.problems]


def _reason(unparsed: UnparsedField) -> str:
    done = "out" if unparsed.field.endswith("]") else "empty"
    return f"{unparsed.reason}; `{unparsed.field}` is left {done}, and kept in the record as given"


def _more(others: int) -> str:
    return f" (and in {others} more record{'s' if others > 1 else ''})" if others else ""
