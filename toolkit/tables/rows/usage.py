"""Usage records as register-days and meter reads.

Signs: the data standard counts consumption positive and export negative, and names export registers B (NMI suffix);
retailers keep to one, the other or both. So a value counts as export if its suffix is an export suffix or if it is
negative, never twice: magnitudes ≥ 0 are stored with a direction. A register of both signs (a net register) becomes
two: its consumption under its own suffix, and its export under the suffix followed by `-`, each 0 where the other is
not; their difference is exactly what was given. Values of both signs in a register with an export suffix are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from toolkit.tables.registers import ACTUAL, MISSING, QualityRun, direction, nano, pack, quality_runs, unit_and_factor
from toolkit.tables.rows.values import RecordRow, Scope, UnreadableValueError, required_day
from toolkit.units import DAY_MINUTES
from toolkit.wire.records.energy import ReadQuality, UsageRecord

_USUAL_LENGTHS = {288: 5, 96: 15, 48: 30}
Values = Sequence[Decimal | None]


@dataclass(frozen=True, slots=True)
class _Register:
    """What all rows of one record share."""

    columns: RecordRow
    factor: Decimal


def day_rows(record: UsageRecord, scope: Scope, raw: str) -> list[RecordRow]:
    """Return rows of `register_days`, one or two a day. Empty where the record holds no interval values.

    Values that a stated interval length leaves to be given for the last day are missing. Raises UnreadableValueError
    where the number of values otherwise contradicts the days and the interval length.
    """
    interval = record.interval_read
    if interval is None or not interval.interval_reads:
        return []
    reads = interval.interval_reads
    register = _register(record, scope, raw)
    start, days, minutes = _shape(record, len(reads))
    per_day = DAY_MINUTES // minutes
    scaled = [None if value is None else value * register.factor for value in reads] if register.factor != 1 else reads
    values = [*scaled, *[None] * (days * per_day - len(reads))]
    runs = _runs_by_day(interval.read_qualities or [], values, per_day)
    rows: list[RecordRow] = []
    for number in range(days):
        chunk = values[number * per_day : (number + 1) * per_day]
        basis = {"date": (start + timedelta(number)).isoformat(), "interval_minutes": minutes}
        rows += _signed_rows({**register.columns, **basis}, chunk, runs[number])
    return rows


def read_rows(record: UsageRecord, scope: Scope, raw: str) -> list[RecordRow]:
    """Return rows of `meter_reads`: a basic read, or the sum of an interval read that came without its values."""
    value, quality = _single_value(record)
    register = _register(record, scope, raw)
    written, magnitude = _counted(value, register.factor)
    start = required_day("read_start_date", record.read_start_date)
    end = required_day("read_end_date", record.read_end_date) if record.read_end_date else start
    if end < start:
        raise UnreadableValueError(f"read_end_date {end} is before read_start_date {start}")
    columns = register.columns
    if written < 0 and columns["direction"] == "import":
        columns = {**columns, "direction": "export"}
    return [
        {
            **columns,
            "start_date": start.isoformat(),
            "end_date": end.isoformat(),
            "value": format(abs(written), "f"),
            "value_nano": magnitude,
            "quality": quality,
        }
    ]


def _single_value(record: UsageRecord) -> tuple[Decimal, str]:
    basic, intervals = record.basic_read, record.interval_read
    if basic is not None and basic.value is not None:
        return basic.value, (basic.quality or "ACTUAL").upper()
    if intervals is not None and intervals.aggregate_value is not None:
        listed = {(q.quality or "ACTUAL").upper() for q in intervals.read_qualities or []}
        return intervals.aggregate_value, next(iter(sorted(listed)), "ACTUAL")
    raise UnreadableValueError("it has neither values nor a sum")


def _counted(value: Decimal, factor: Decimal) -> tuple[Decimal, int]:
    """Return a value in the stored unit, and in 10^-9 of that. Raises UnreadableValueError for what no meter shows."""
    try:
        nano(value.copy_abs())
        return value * factor, nano((value * factor).copy_abs())
    except ValueError as error:
        raise UnreadableValueError(f"its value cannot be stored: {error}") from None


def _register(record: UsageRecord, scope: Scope, raw: str) -> _Register:
    unit, factor = unit_and_factor(record.unit_of_measure)
    suffix = record.register_suffix or record.register_id or ""
    is_controlled = record.controlled_load
    if is_controlled is None:  # the read does not say: its register may
        is_controlled = (record.service_point_id, suffix) in scope.controlled
    columns: RecordRow = {
        "household_id": scope.household_id,
        "service_point_id": record.service_point_id,
        "meter_id": record.meter_id or "",
        "register_suffix": suffix,
        "unit": unit,
        "direction": direction(suffix, unit),
        "controlled_load": is_controlled,
        "source": "service",
        "id": record.platform_id,
        "arrangement_id": record.arrangement_id,
        "raw": raw,
    }
    return _Register(columns, factor)


def too_few_values(record: UsageRecord, rows: Sequence[RecordRow]) -> str | None:
    """Describe on which of a record's days its values end, and how many there are; None if every day is complete.

    rows: what `day_rows` made of the record.
    """
    given = len(record.interval_read.interval_reads or []) if record.interval_read else 0
    last, per_day = max(row["date"] for row in rows), rows[0]["intervals"]
    if not given % per_day:
        return None
    suffix = record.register_suffix or record.register_id or ""
    return f"register {suffix} has {given % per_day} of {per_day} values for {last}: the rest of that day is missing"


def _shape(record: UsageRecord, count: int) -> tuple[date, int, int]:
    """Return first day, number of days that have values, and interval length.

    An end date may be the last day or the day after it. Where the interval length is stated, values may be fewer than
    the days have room for: they are the first ones.
    """
    start = required_day("read_start_date", record.read_start_date)
    end = required_day("read_end_date", record.read_end_date) if record.read_end_date else start
    stated = record.interval_read.read_interval_length if record.interval_read else None
    minutes = stated or _USUAL_LENGTHS.get(count)
    if not minutes or minutes < 1 or DAY_MINUTES % minutes:
        raise UnreadableValueError(f"{count} values with an interval length of {minutes} minutes do not make a day")
    per_day, days = DAY_MINUTES // minutes, (end - start).days + 1
    if count in (days * per_day, (days - 1) * per_day) or (stated and count < days * per_day):
        return start, -(-count // per_day), minutes
    finer = next((of for full, of in _USUAL_LENGTHS.items() if of < minutes and count == days * full), None)
    as_finer = f", as many as of {finer} minutes" if finer else ""
    raise UnreadableValueError(
        f"{start} to {end} needs {days * per_day} values of {minutes} minutes, but {count} were given{as_finer}"
    )


def _signed_rows(columns: RecordRow, values: Values, runs: Sequence[QualityRun]) -> list[RecordRow]:
    """Return one row of magnitudes with a direction, or two where both signs occur."""
    present = [value for value in values if value is not None]
    if min(present, default=0) >= 0 or columns["direction"] in ("reactive", "other"):
        return [_packed(columns, [None if v is None else abs(v) for v in values], runs)]
    if max(present) <= 0:
        return [_packed({**columns, "direction": "export"}, [None if v is None else -v for v in values], runs)]
    if columns["direction"] == "export":
        raise UnreadableValueError(f"export register {columns['register_suffix']} holds values of both signs")
    export = {**columns, "direction": "export", "register_suffix": columns["register_suffix"] + "-"}
    return [
        _packed(columns, [None if v is None else max(v, Decimal(0)) for v in values], runs),
        _packed(export, [None if v is None else max(-v, Decimal(0)) for v in values], runs),
    ]


def _packed(columns: RecordRow, values: Values, runs: Sequence[QualityRun]) -> RecordRow:
    try:
        return {**columns, **pack(values).columns(runs)}
    except ValueError as error:
        raise UnreadableValueError(f"{columns['date']}: {error}") from None


def _runs_by_day(listed: Sequence[ReadQuality], values: Values, per_day: int) -> list[list[QualityRun]]:
    """Return the quality runs of each day, counted from the day's own first interval.

    A value that is null is MISSING, whatever the ranges say. Raises UnreadableValueError for a range outside the
    values.
    """
    qualities = [ACTUAL] * len(values)
    for entry in listed:
        first = entry.start_interval or 1
        last = entry.end_interval or (entry.start_interval or len(values))
        if not 1 <= first <= last <= len(values):
            raise UnreadableValueError(f"quality range {first} to {last} lies outside its {len(values)} values")
        qualities[first - 1 : last] = [(entry.quality or ACTUAL).upper()] * (last - first + 1)
    qualities = [MISSING if value is None else quality for quality, value in zip(qualities, values, strict=True)]
    return [quality_runs(qualities[start : start + per_day]) for start in range(0, len(qualities), per_day)]
