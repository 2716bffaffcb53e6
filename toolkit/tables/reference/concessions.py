"""Energy concessions of states and territories, to choose from in place of typing one from a bill."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import cache
from typing import Literal

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged

Shape = Literal["yearly", "percent_above", "percent_of_usage"]
"""How a concession is worked out (docs/pricing-rules.md)."""


class ListedConcession(msgspec.Struct, frozen=True, kw_only=True):
    """One concession as its source states it."""

    id: str
    state: str
    fuel: Literal["ELECTRICITY", "GAS"]
    name: str
    who: str
    """Who may hold it."""
    shape: Shape
    amount: Decimal | None = None
    """AUD a year: the credit of `yearly`, what `percent_above` starts at."""
    percent: Decimal | None = None
    source: str
    secondary: bool = False
    """Whether the source is somebody else's account of the figures, not a page of the government."""
    first: date | None = msgspec.field(name="from", default=None)
    last: date | None = msgspec.field(name="to", default=None)
    """Last day, inclusive; None where the source names none."""


class _Concessions(PackagedTable, frozen=True):
    concessions: tuple[ListedConcession, ...]


@cache
def _table() -> _Concessions:
    return packaged("concessions", _Concessions)


def listed_concessions(state: str | None = None) -> tuple[ListedConcession, ...]:
    """Return the concessions of a state or territory, such as `NSW`; of all where it is None."""
    return tuple(each for each in _table().concessions if state in (None, each.state))


def concessions_read() -> date:
    """Return the day on which their sources were read."""
    return _table().read
