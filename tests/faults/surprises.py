"""Records as no document announces them: every field unknown, missing, null, of another type, too deep, too long."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

Json = Any
DEEPEST = 20
DEEP: Json = {"deep": "end"}
for _ in range(200):
    DEEP = {"deep": [DEEP]}

VALUES: tuple[Json, ...] = (
    None, True, False, 0, -1, 10**30, 1e308, -0.0, "", " ", "null", "NaN", "1e3", "-0.00", "1,000.00", "१२", "0x1F",
    "9" * 40, "2026-02-30", "0000-00-00", "2026-03-01T25:00:00Z", "99999-01-01", "a\x00b", "\u202etxet", "=1+1",
    "x" * 5000, "cut inside \ud83d", "-1e400", 2**63, -(10**400),
    [], [None], [[]], {}, {"": None}, {"odd": {"er": [1, "two", None]}}, [1, 2, 3], ["text"], DEEP,
)  # fmt: skip


def places(value: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands, at any depth that records have; long lists count with their first entries."""
    found = [path] if path else []
    if len(path) > DEEPEST:
        return found
    if isinstance(value, dict):
        found += [place for key, inner in value.items() for place in places(inner, (*path, key))]
    elif isinstance(value, list):
        found += [place for nth, inner in enumerate(value[:3]) for place in places(inner, (*path, nth))]
    return found


def _parent(record: Json, place: tuple[Any, ...]) -> Json:
    for step in place[:-1]:
        record = record[step]
    return record


def _replaced(record: Json, place: tuple[Any, ...], chance: random.Random) -> None:
    _parent(record, place)[place[-1]] = copy.deepcopy(chance.choice(VALUES))


def _removed(record: Json, place: tuple[Any, ...], chance: random.Random) -> None:
    del _parent(record, place)[place[-1]]


def _as_text(record: Json, place: tuple[Any, ...], chance: random.Random) -> None:
    parent = _parent(record, place)
    parent[place[-1]] = str(parent[place[-1]])


def _wrapped(record: Json, place: tuple[Any, ...], chance: random.Random) -> None:
    parent = _parent(record, place)
    parent[place[-1]] = chance.choice(([parent[place[-1]]], {"value": parent[place[-1]]}))


def _unknown(record: Json, place: tuple[Any, ...], chance: random.Random) -> None:
    parent = _parent(record, place)
    if isinstance(parent, dict):
        parent[chance.choice(("of_tomorrow", "", "platform", "__class__"))] = copy.deepcopy(chance.choice(VALUES))


CHANGES: tuple[Callable[[Json, tuple[Any, ...], random.Random], None], ...] = (
    *(_replaced, _replaced, _replaced),
    *(_removed, _as_text, _wrapped, _unknown),
)


def surprising(record: Json, chance: random.Random) -> Json:
    """A copy of the record with one to three changes."""
    made = copy.deepcopy(record)
    for _ in range(chance.randint(1, 3)):
        known = places(made)
        if known:
            chance.choice(CHANGES)(made, chance.choice(known), chance)
    return made
