"""State of a list sync: ids, days and reads of the pages read so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from msgspec import DecodeError, json

from toolkit.errors import Problem
from toolkit.tables.rows.records import PageRows, Refusal
from toolkit.tables.transaction_days import latest_day

Row = Mapping[str, Any]
ReadKey = tuple[str, ...]
ReadSource = tuple[str, str]
"""A record's id and its consent (arrangement)."""

_ID_COLUMNS = ("id", "account_id", "service_point_id", "arrangement_id", "institution_id")
READS = {
    "register_days": ("meter_id", "register_suffix", "date"),
    "meter_reads": ("meter_id", "register_suffix", "start_date", "end_date"),
}
"""Tables of meter reads → key columns of a read within a service point."""


@dataclass(slots=True)
class ListState:
    """What the pages of a list sync have contained so far.

    pages: number of pages.
    first: whether nothing of the list was stored before the list sync.
    newest: latest day, by the dates that the service's filters use.
    reads: keys of meter reads → record and consent.
    repeated: keys that two records of one consent give; the later record has replaced the earlier.
    columns: values of the id columns, by column.
    refused: possible ids of records that cannot be read, which the service still gives.
    """

    pages: int = 0
    first: bool = True
    newest: date | None = None
    reads: dict[ReadKey, ReadSource] = field(default_factory=dict)
    repeated: set[ReadKey] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: set[str] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        return self.columns["id"]

    def add(self, page: PageRows, zone: str) -> None:
        """Add a page. zone: the household's time zone, which decides the dates of transactions."""
        for rows in page.counted.values():
            self._columns(rows, zone)
        for rows_by_table in (page.counted, page.further):
            for table in READS.keys() & rows_by_table.keys():
                self._reads(table, rows_by_table[table])

    def refuse(self, refused: Iterable[Refusal]) -> None:
        """Add the possible ids of records that cannot be read."""
        for refusal in refused:
            self.refused |= possible_ids(refusal)

    def _reads(self, table: str, rows: Sequence[Row]) -> None:
        for row in rows:
            key, source = read_key(table, row), source_of(row)
            earlier = self.reads.get(key, source)
            if earlier != source and earlier[1] == source[1]:
                self.repeated.add(key)
            self.reads[key] = source

    def _columns(self, rows: Sequence[Row], zone: str) -> None:
        """Collect ids and the latest day, column by column for speed; all rows of a table have the same columns."""
        for name in _ID_COLUMNS:
            if name in rows[0]:
                self.columns[name].update(row[name] for row in rows if row[name])
        newest = _last_meter_day(rows) if "register_suffix" in rows[0] else _last_dated(rows, zone)
        if newest is not None and (self.newest is None or newest > self.newest):
            self.newest = newest


def repeated_read_problems(service_point_id: str, keys: Collection[ReadKey]) -> list[Problem]:
    """Return a warning for each read of a service point that more than one record gives."""
    return [
        Problem(service_point_id, f"energy.usage: {_read(key)} is given by more than one record: the later one counts",
                "warning")
        for key in sorted(keys)
    ]  # fmt: skip


def _read(key: ReadKey) -> str:
    _, meter, suffix, first, *last = key
    days = first if last in ([], [first]) else f"{first} to {last[0]}"
    return f"the read of register {suffix}{f' of meter {meter}' if meter else ''} for {days}"


def read_key(table: str, row: Row) -> ReadKey:
    """Return the key of a meter read: its table and key columns within a service point."""
    return (table, *(str(row[name]) for name in READS[table]))


def source_of(row: Row) -> ReadSource:
    """Return the record and the consent that gave a read."""
    return row["id"], row["arrangement_id"]


def possible_ids(refused: Refusal) -> set[str]:
    """Return the ids that an unreadable record may have: its id, any text in it, or account and text."""
    try:
        record = json.decode(refused.raw)
    except (DecodeError, RecursionError):
        record = None
    own = {text for text in record.values() if isinstance(text, str)} if isinstance(record, dict) else set()
    return {refused.id, *own, *(f"{refused.account_id}:{text}" for text in own)}


def _last_dated(rows: Sequence[Row], zone: str) -> date | None:
    return latest_day(rows, zone) if "execution_date_time" in rows[0] else None


def _last_meter_day(rows: Sequence[Row]) -> date | None:
    days = [str(day) for row in rows if (day := row.get("date") or row.get("end_date"))]
    return date.fromisoformat(max(days)) if days else None
