"""Faults: what they do, how a file or the control address states them, and how a seed draws a list of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from toolkit.errors import UsageError
from toolkit.sandbox.world.chance import random_stream
from toolkit.wire import JsonObject
from toolkit.wire.endpoints import ENDPOINTS

ResponseChange = Literal["malformed", "html"]
"""malformed: half of the JSON, sent as a complete response. html: a proxy's error page instead of JSON."""

ListChange = Literal[
    "doubled", "empty", "hollow", "moving", "vanishing", "looping", "self_link", "endless", "foreign_next"
]
"""doubled: every row twice. empty: no rows, links unchanged. hollow: an empty page before the first.

moving: rows are inserted at the head of the list while it is paged by offset: the first page lacks its first row, and
each later page begins with the last row of the page before. vanishing: rows are deleted meanwhile: each later page
lacks its first row.
looping: page A leads to B, B to A. self_link: a page leads to itself. endless: always one more page, with new cursors
and the same rows. foreign_next: the link to the next page points to another origin.
"""

RowChange = Literal[
    "unknown_values",
    "unknown_fields",
    "missing_optionals",
    "null_lists",
    "camel_case",
    "wrong_types",
    "unreadable",
]
"""Changes every second row, so that intact rows remain.

wrong_types: numbers as text, numeric text as numbers. unreadable: the identifier is an object.
"""

Change = ResponseChange | ListChange | RowChange


class Fault(Struct, forbid_unknown_fields=True, kw_only=True):
    """One failure that the sandbox injects on a path."""

    path: str
    """Exact path, or a pattern with `*`; a leading `/v1` makes no difference."""
    status: int | None = None
    """Status of an error sent instead of the real response."""
    headers: dict[str, str] = field(default_factory=dict)
    """Headers added to the response."""
    times: int | None = None
    """How many requests fail; None for all."""
    after: int = 0
    """Requests that succeed first."""
    delay: float = 0.0
    """Seconds to wait before anything else."""
    retry_after: int | None = None
    """Seconds, sent as a `Retry-After` header."""
    retry_after_as: Literal["seconds", "date"] = "seconds"
    """Form of that header; a date is by the machine's clock."""
    truncate: bool | Annotated[int, Meta(ge=0)] | None = None
    """Bytes of the body after which the connection closes; true is half of the body, false and null none."""
    reset: bool = False
    """Whether the connection is reset without a response."""
    page_size: int | None = None
    """Rows per page, whatever the request asks; at most 1000."""
    change: tuple[Change, ...] = ()
    """Changes made to a successful response, in this order."""


class Schedule(Struct, forbid_unknown_fields=True):
    """A request for faults drawn from a seed; see `schedule`."""

    seed: int
    rate: float = 0.3


MOST_OF_A_PATH = 4
PATHS = tuple(row.path for row in ENDPOINTS if row.method == "GET" and row.array)
_Draw = Callable[[Random], JsonObject]

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
"""Faults that a retry overcomes. not_packed: a response declared as gzip that is not."""

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
"""Faults that affect every request of a list, so that a retry does not help."""

KINDS: dict[str, _Draw] = {**PASSING, **LASTING}


def schedule(
    seed: int, rate: float = 0.3, *, paths: Sequence[str] = PATHS, kinds: Sequence[str] = tuple(KINDS)
) -> list[Fault]:
    """Draw up to four faults of these kinds for every path, each further one with probability `rate`.

    Passing faults affect one or two requests after up to three good ones; a path has at most one lasting fault, which
    stays until the faults are replaced. The same arguments give the same list.
    """
    chance = random_stream(seed, "faults")
    faults: list[Fault] = []
    for path in paths:
        drawn: list[str] = []
        while len(drawn) < MOST_OF_A_PATH and chance.random() < rate:
            drawn.append(chance.choice(tuple(kinds)))
        for kind in (kind for kind in drawn if kind in PASSING):
            after, times = chance.randint(0, 3), chance.randint(1, 2)
            faults.append(Fault(path=path, after=after, times=times, **PASSING[kind](chance)))
        if lasting := next((kind for kind in drawn if kind in LASTING), None):
            faults.append(Fault(path=path, **LASTING[lasting](chance)))
    return faults


def resolve_faults(given: Sequence[Fault] | Schedule | Path | None) -> list[Fault]:
    """Return the faults of a list, a seeded schedule, or a file with either.

    Raises UsageError for a file that cannot be read or contains neither.
    """
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
        position = re.search(r"`(\$.*)`", str(error))
        where = f" at {position[1]}" if position else ""
        raise UsageError(f"{path}: is not a list of faults{where}: see `toolkit sandbox --help`.") from None
