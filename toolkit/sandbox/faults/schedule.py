"""Faults drawn from a seed: the same seed and rate give the same list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from toolkit.errors import UsageError
from toolkit.sandbox.faults.fault import Fault, Schedule
from toolkit.sandbox.world.chance import dice
from toolkit.wire.endpoints import ENDPOINTS

MOST_OF_A_PATH = 4
PATHS = tuple(row.path for row in ENDPOINTS if row.method == "GET" and row.array)
_Draw = Callable[[Random], dict[str, Any]]

PASSING: dict[str, _Draw] = {
    "late": lambda chance: {"delay": round(chance.uniform(0.01, 0.1), 3)},
    "too_many": lambda chance: {"status": 429, "retry_after": chance.randint(0, 2)},
    "too_many_until": lambda chance: {"status": 429, "retry_after": chance.randint(0, 2), "retry_after_as": "date"},
    "broken": lambda chance: {"status": chance.choice((500, 502, 503, 504))},
    "cut": lambda chance: {"truncate": chance.randint(0, 400)},
    "reset": lambda _: {"reset": True},
    "malformed": lambda _: {"change": ("malformed",)},
    "html": lambda _: {"change": ("html",)},
    "not_packed": lambda _: {"headers": {"content-encoding": "gzip"}},
}
"""Faults that a retry overcomes. not_packed: an answer that says it is gzip and is not."""

LASTING: dict[str, _Draw] = {
    "doubled": lambda _: {"change": ("doubled",)},
    "hollow": lambda _: {"change": ("hollow",)},
    "moving": lambda chance: {"change": ("moving",), "page_size": chance.randint(3, 40)},
    "vanishing": lambda chance: {"change": ("vanishing",), "page_size": chance.randint(3, 40)},
    "looping": lambda chance: {"change": ("looping",), "page_size": chance.randint(3, 40)},
    "self_link": lambda chance: {"change": ("self_link",), "page_size": chance.randint(3, 40)},
    "endless": lambda _: {"change": ("endless", "empty")},
    "foreign_next": lambda chance: {"change": ("foreign_next",), "page_size": chance.randint(3, 40)},
    "small_pages": lambda chance: {"page_size": chance.randint(3, 40)},
    "unknown_values": lambda _: {"change": ("unknown_values",)},
    "unknown_fields": lambda _: {"change": ("unknown_fields",)},
    "missing_optionals": lambda _: {"change": ("missing_optionals",)},
    "null_lists": lambda _: {"change": ("null_lists",)},
    "camel_case": lambda _: {"change": ("camel_case",)},
    "wrong_types": lambda _: {"change": ("wrong_types",)},
    "unreadable": lambda _: {"change": ("unreadable",)},
}
"""What trying again does not mend while it lasts: all requests of the list are struck."""

KINDS: dict[str, _Draw] = {**PASSING, **LASTING}


def schedule(
    seed: int, rate: float = 0.3, *, paths: Sequence[str] = PATHS, kinds: Sequence[str] = tuple(KINDS)
) -> list[Fault]:
    """For every path up to four faults of these kinds, each further one with probability `rate`.

    Passing faults strike once or twice after up to three spared requests; of the lasting ones a path has at most one,
    which stays until the faults are replaced.
    """
    chance = dice(seed, "faults")
    return [fault for path in paths for fault in _of_path(chance, path, rate, kinds)]


def _of_path(chance: Random, path: str, rate: float, kinds: Sequence[str]) -> list[Fault]:
    drawn: list[str] = []
    while len(drawn) < MOST_OF_A_PATH and chance.random() < rate:
        drawn.append(chance.choice(tuple(kinds)))
    lasting = next((kind for kind in drawn if kind in LASTING), None)
    passing = [kind for kind in drawn if kind in PASSING]
    found = [_passing(chance, path, kind) for kind in passing]
    return found + ([Fault(path=path, **LASTING[lasting](chance))] if lasting else [])


def _passing(chance: Random, path: str, kind: str) -> Fault:
    return Fault(path=path, after=chance.randint(0, 3), times=chance.randint(1, 2), **PASSING[kind](chance))


def settled(given: Sequence[Fault] | Schedule | Path | None) -> list[Fault]:
    """The faults meant: a list, a seeded schedule, or a file with either. Raises UsageError for a file with neither."""
    if isinstance(given, Path):
        given = _read(given)
    if isinstance(given, Schedule):
        return schedule(given.seed, given.rate)
    return list(given or ())


def _read(path: Path) -> Sequence[Fault] | Schedule:
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Fault] | Schedule)
    except OSError as error:
        raise UsageError(f"{path}: the faults cannot be read ({error.strerror}).") from None
    except msgspec.MsgspecError as error:
        found = re.search(r"`(\$.*)`", str(error))
        where = f" at {found[1]}" if found else ""
        raise UsageError(f"{path}: is not a list of faults{where}: see `toolkit sandbox --help`.") from None
