"""Records as the service gave them, one a line; usage gets the values back that its register-days hold."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal

from msgspec import json as wire_json

from toolkit.store import Condition, Store
from toolkit.tables.registers import unit_and_factor, unpack_exact
from toolkit.tables.schema import STORED
from toolkit.tables.schema.meters import RegisterDayRow

_TABLES = {table.resource: table for table in STORED if table.resource and table.resource != "energy.usage"}


def records_of(store: Store, resource: str, households: list[str]) -> list[str]:
    """Return the last version of every record of a resource, as JSON text, in key order."""
    if resource == "energy.usage":
        return _usage(store, households)
    table = _TABLES[resource]
    where: dict[str, Condition] = {"household_id": households} if "household_id" in table.names else {}
    if "source" in table.names:
        where["source"] = "service"
    return [_on_one_line(raw) for (raw,) in store.tuples(table.name, ("raw",), where=where) if raw is not None]


def _on_one_line(raw: str) -> str:
    """JSON has line breaks between its words only: those within a text are written `\\n`."""
    return raw.replace("\r", " ").replace("\n", " ")


def _usage(store: Store, households: list[str]) -> list[str]:
    where: dict[str, Condition] = {"household_id": households, "source": "service"}
    records: dict[tuple[str, str], list[RegisterDayRow]] = defaultdict(list)
    for day in store.load(RegisterDayRow, where=where):
        if day.raw is not None:
            records[day.household_id, day.raw].append(day)
    reads = [_on_one_line(raw) for (raw,) in store.tuples("meter_reads", ("raw",), where=where)]
    return [_with_values(raw, days) for (_, raw), days in records.items()] + reads


def _with_values(raw: str, days: list[RegisterDayRow]) -> str:
    """Return the record with its array of values: signs, unit and nulls as they were given."""
    record = wire_json.decode(raw)
    inner = "interval_read" if "interval_read" in record else "intervalRead"
    name = "interval_reads" if inner == "interval_read" else "intervalReads"
    _, factor = unit_and_factor(record.get("unit_of_measure") or record.get("unitOfMeasure"))
    given = Decimal(str(record[inner].get("aggregate_value", record[inner].get("aggregateValue")) or 0))
    values: list[Decimal | None] = []
    for date in sorted({day.date for day in days}):
        values += _signed([day for day in days if day.date == date], negative=given < 0)
    record[inner][name] = [None if value is None else float(value / factor) for value in values]
    return wire_json.encode(record).decode()


def _signed(rows: list[RegisterDayRow], *, negative: bool) -> list[Decimal | None]:
    """Return the values of one day; of a net register that was split, import minus export."""
    signs = [-1 if (row.register_suffix.endswith("-") if len(rows) > 1 else negative) else 1 for row in rows]
    opened = [unpack_exact(row.reads, exponent=row.exponent, width=row.width) for row in rows]
    signed = [
        sum((sign * value for sign, value in zip(signs, column, strict=True)), Decimal(0))
        for column in zip(*opened, strict=True)
    ]
    missing = _missing(rows[0])
    return [None if number in missing else value for number, value in enumerate(signed, 1)]


def _missing(row: RegisterDayRow) -> set[int]:
    listed = wire_json.decode(row.qualities) if row.qualities else []
    return {n for first, last, quality in listed if quality == "MISSING" for n in range(first, last + 1)}
