"""Faults, as read from a file or from the control address."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

AnswerChange = Literal["malformed", "html"]
"""malformed: half of the JSON, as a whole answer. html: a proxy's page in place of JSON."""

ListChange = Literal[
    "doubled", "empty", "hollow", "moving", "vanishing", "looping", "self_link", "endless", "foreign_next"
]
"""doubled: every row twice. empty: no rows, links as they are. hollow: an empty page before the first.

moving: rows come in at the head of the list while it is paged by counting: the first row is not there yet on the first
page, and each later page begins with the row that ended the one before. vanishing: rows go meanwhile: each later page
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
"""Of every second row, so that intact rows remain.

wrong_types: numbers as text, numeric text as numbers. unreadable: the identity is an object.
"""

Change = AnswerChange | ListChange | RowChange


class Fault(Struct, forbid_unknown_fields=True, kw_only=True):
    """One failure. path: exact, or with `*`; `/v1` before it makes no difference.

    times: how often, None for always. after: requests spared first.
    status: answered in place of the real answer. headers: added to it. delay: seconds before anything happens.
    retry_after: seconds, as the header of that name, in seconds or as a date by the machine's clock.
    truncate: bytes of the body after which the connection closes; true is half of the body, false and null none.
    reset: the connection breaks without an answer.
    page_size: rows on a page whatever is asked, at most 1000. change: what becomes of a good answer, in that order.
    """

    path: str
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    times: int | None = None
    after: int = 0
    delay: float = 0.0
    retry_after: int | None = None
    retry_after_as: Literal["seconds", "date"] = "seconds"
    truncate: bool | Annotated[int, Meta(ge=0)] | None = None
    reset: bool = False
    page_size: int | None = None
    change: tuple[Change, ...] = ()


class Schedule(Struct, forbid_unknown_fields=True):
    """Faults drawn from a seed, see `schedule`."""

    seed: int
    rate: float = 0.3
