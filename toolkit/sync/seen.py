"""What a walk has brought so far, as far as what follows from it depends on that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from toolkit.sync.months import last_booked_day
from toolkit.tables.rows import PageRows

Row = Mapping[str, Any]

_TOLD = ("id", "account_id", "service_point_id", "arrangement_id", "institution_id")
READS = {
    "register_days": ("meter_id", "register_suffix", "date"),
    "meter_reads": ("meter_id", "register_suffix", "start_date", "end_date"),
}
"""Tables of meters' reads → what a read is known by within a service point."""


@dataclass(slots=True)
class Seen:
    """newest: latest day by which the service's windows go. reads: keys of meters' reads.

    first: whether nothing of its list was stored before the walk.
    """

    pages: int = 0
    first: bool = True
    newest: date | None = None
    reads: set[tuple[str, ...]] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def ids(self) -> set[str]:
        return self.columns["id"]

    def add(self, page: PageRows) -> None:
        for rows in page.counted.values():
            self._columns(rows)
        for brought in (page.counted, page.further):
            for table in READS.keys() & brought.keys():
                self.reads |= {read_key(table, row) for row in brought[table]}

    def _columns(self, rows: Sequence[Row]) -> None:
        """Column by column, for there may be a thousand rows; those of a table have the same columns."""
        for name in _TOLD:
            if name in rows[0]:
                self.columns[name].update(row[name] for row in rows if row[name])
        newest = _last_meter_day(rows) if "register_suffix" in rows[0] else last_booked_day(rows)
        if newest is not None and (self.newest is None or newest > self.newest):
            self.newest = newest


def read_key(table: str, row: Row) -> tuple[str, ...]:
    """What a meter's read is known by in its table, within a service point."""
    return (table, *(str(row[name]) for name in READS[table]))


def _last_meter_day(rows: Sequence[Row]) -> date | None:
    days = [str(day) for row in rows if (day := row.get("date") or row.get("end_date"))]
    return date.fromisoformat(max(days)) if days else None
