"""What a walk has brought so far, as far as what follows from it depends on that."""

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
Giver = tuple[str, str]
"""A record's id, and the consent that it came under."""

_TOLD = ("id", "account_id", "service_point_id", "arrangement_id", "institution_id")
READS = {
    "register_days": ("meter_id", "register_suffix", "date"),
    "meter_reads": ("meter_id", "register_suffix", "start_date", "end_date"),
}
"""Tables of meters' reads → what a read is known by within a service point."""


@dataclass(slots=True)
class Seen:
    """newest: latest day by which the service's windows go. reads: keys of meters' reads → record and consent.

    twice: those of them that two records of one consent give: the later record has replaced the earlier.
    first: whether nothing of its list was stored before the walk. refused: names of records that cannot be read: the
    service gives them all the same.
    """

    pages: int = 0
    first: bool = True
    newest: date | None = None
    reads: dict[ReadKey, Giver] = field(default_factory=dict)
    twice: set[ReadKey] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: set[str] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        return self.columns["id"]

    def add(self, page: PageRows, zone: str) -> None:
        """Take in a page. zone: the household's time zone, in which transactions have their dates."""
        for rows in page.counted.values():
            self._columns(rows, zone)
        for brought in (page.counted, page.further):
            for table in READS.keys() & brought.keys():
                self._reads(table, brought[table])

    def refuse(self, refused: Iterable[Refusal]) -> None:
        for found in refused:
            self.refused |= possible_ids(found)

    def _reads(self, table: str, rows: Sequence[Row]) -> None:
        for row in rows:
            key, giver = read_key(table, row), giver_of(row)
            earlier = self.reads.get(key, giver)
            if earlier != giver and earlier[1] == giver[1]:
                self.twice.add(key)
            self.reads[key] = giver

    def _columns(self, rows: Sequence[Row], zone: str) -> None:
        """Column by column, for there may be a thousand rows; those of a table have the same columns."""
        for name in _TOLD:
            if name in rows[0]:
                self.columns[name].update(row[name] for row in rows if row[name])
        newest = _last_meter_day(rows) if "register_suffix" in rows[0] else _last_dated(rows, zone)
        if newest is not None and (self.newest is None or newest > self.newest):
            self.newest = newest


def given_twice(service_point_id: str, keys: Collection[ReadKey]) -> list[Problem]:
    """A warning for each read of a service point that more than one record gives: its register and its days."""
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
    """What a meter's read is known by in its table, within a service point."""
    return (table, *(str(row[name]) for name in READS[table]))


def giver_of(row: Row) -> Giver:
    return row["id"], row["arrangement_id"]


def possible_ids(refused: Refusal) -> set[str]:
    """Ids that the record may have in its table: its name, a text of its own, or its account and that."""
    try:
        given = json.decode(refused.raw)
    except (DecodeError, RecursionError):
        given = None
    own = {text for text in given.values() if isinstance(text, str)} if isinstance(given, dict) else set()
    return {refused.id, *own, *(f"{refused.account_id}:{text}" for text in own)}


def _last_dated(rows: Sequence[Row], zone: str) -> date | None:
    return latest_day(rows, zone) if "execution_date_time" in rows[0] else None


def _last_meter_day(rows: Sequence[Row]) -> date | None:
    days = [str(day) for row in rows if (day := row.get("date") or row.get("end_date"))]
    return date.fromisoformat(max(days)) if days else None
