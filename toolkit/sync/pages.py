"""What the pages of a list contain: ids, days and reads, and fields that could not be parsed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from msgspec import DecodeError, json

from toolkit.problems import Problem
from toolkit.remedies import Message, Remedy
from toolkit.tables.rows.records import PageRows, Refusal
from toolkit.tables.rows.values import RecordRow, column
from toolkit.tables.transaction_days import DATE_TIMES, latest_day
from toolkit.wire.decoding.lenient import Spelling, possible_words
from toolkit.wire.decoding.pages import Listing, Page, UnparsedField
from toolkit.wire.records import EndUserRecord

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
    date_times: date-times of transactions as written, each combination once.
    """

    pages: int = 0
    first: bool = True
    newest: date | None = None
    reads: dict[ReadKey, ReadSource] = field(default_factory=dict)
    repeated: set[ReadKey] = field(default_factory=set)
    columns: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    refused: set[str] = field(default_factory=set)
    date_times: set[tuple[str | None, ...]] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        """Return the ids of the rows so far."""
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

    def _reads(self, table: str, rows: Sequence[RecordRow]) -> None:
        for row in rows:
            key, source = read_key(table, row), source_of(row)
            earlier = self.reads.get(key, source)
            if earlier != source and earlier[1] == source[1]:
                self.repeated.add(key)
            self.reads[key] = source

    def _columns(self, rows: Sequence[RecordRow], zone: str) -> None:
        """Collect ids and the latest day, column by column for speed; all rows of a table have the same columns."""
        for name in _ID_COLUMNS:
            if name in rows[0]:
                self.columns[name] |= set(column(rows, name)) - {None, ""}
        newest: list[date | None] = [self.newest]
        if "register_suffix" in rows[0]:
            days = [str(day) for row in rows if (day := row.get("date") or row.get("end_date"))]
            newest += [date.fromisoformat(max(days))] if days else []
        elif "execution_date_time" in rows[0]:
            written = set(zip(*(column(rows, name) for name in DATE_TIMES), strict=True)) - self.date_times
            self.date_times |= written
            # Few date-times are new on a later page, or later than what is known, and a day is costly to work out.
            if later := [texts for texts in written if self._may_be_later(texts)]:
                newest.append(latest_day([dict(zip(DATE_TIMES, texts, strict=True)) for texts in later], zone))
        self.newest = max((day for day in newest if day is not None), default=None)

    def _may_be_later(self, texts: Sequence[str | None]) -> bool:
        """Return whether one of the date-times may have a local day after `newest`, by the date written in it."""
        if self.newest is None:
            return True
        margin = 2  # a local day is at most one day from the date written
        since = date.fromordinal(max(self.newest.toordinal() - margin, 1)).isoformat()
        return any(text is not None and text.strip() >= since for text in texts)


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


def read_key(table: str, row: RecordRow) -> ReadKey:
    """Return the key of a meter read: its table and key columns within a service point."""
    return (table, *(str(row[name]) for name in READS[table]))


def source_of(row: RecordRow) -> ReadSource:
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


_NUMBER_IN_LIST = re.compile(r"\[\d+\]")


class UnparsedFields:
    """Fields that a run left empty. All entries of a list count as one field."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], UnparsedField] = {}
        self._records: dict[tuple[str, str], set[str]] = {}

    def add(self, resource: str, fields: Iterable[UnparsedField]) -> None:
        """Add the fields that records of a resource were left without."""
        for unparsed in fields:
            key = resource, _NUMBER_IN_LIST.sub("[]", unparsed.field)
            self._first.setdefault(key, unparsed)
            self._records.setdefault(key, set()).add(unparsed.id)

    @property
    def problems(self) -> list[Problem]:
        """Return a warning per field, with the id of its first record."""
        problems = []
        for (resource, name), first in sorted(self._first.items(), key=lambda item: item[0]):
            done = "out" if first.field.endswith("]") else "empty"
            others = len(self._records[resource, name]) - 1
            more = f" (and in {others} more record{'s' if others > 1 else ''})" if others else ""
            reason = f"{first.reason}; `{first.field}` is left {done}, and kept in the record as given"
            problems.append(Problem(first.id, f"{resource}: {reason}{more}", "warning"))
        return problems


def problems_of(resource: str, given: Listing[Any]) -> list[Problem]:
    """Return what could not be read of a list: records left out, then fields left empty."""
    unparsed = UnparsedFields()
    for fields in given.unparsed.values():
        unparsed.add(resource, fields)
    return [*(Problem(one.id, f"{resource}: {one.reason}") for one in given.rejected), *unparsed.problems]


def other_word(where: str, page: Page, spelling: Spelling) -> list[Problem]:
    """Return a warning if a record lacks the id of `spelling` but carries another; it names the setting to change."""
    lacking = (
        raw
        for record, raw in zip(page.records, page.raws, strict=True)
        if isinstance(record, EndUserRecord) and not record.platform_id
    )
    raw = next(lacking, None)
    words = [word for word in possible_words(raw) if word != spelling.word] if raw is not None else []
    return [Problem(where, which_word(words, spelling.word), "warning")] if words else []


def which_word(words: list[str], word: str) -> str:
    """Say which setting to change. words: prefixes of ids in the records. word: the prefix that is set."""
    if len(words) == 1:
        return Message(f"Records carry {words[0]}_id, not {word}_id: ", Remedy.SET_PLATFORM.with_(word=words[0]), ".")
    others = f"{' and '.join(f'{found}_id' for found in words)}, but " if words else ""
    return Message(f"Records carry {others}no {word}_id: ", Remedy.FIND_PLATFORM, ".")
