"""Small plans and reads for tests, visible where they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import polars as pl

from toolkit.analytics.energy.bills import Bill, Options, Period, price
from toolkit.analytics.energy.rates import compile_plan
from toolkit.answers.base import Note
from toolkit.tables.data_types import frame_schema
from toolkit.tables.rows.plans import read_plan
from toolkit.tables.schema.meters import ReadRow

AEST = timedelta(hours=10)
REGISTERS = {
    "general": ("E1", "import", False),
    "controlled": ("E2", "import", True),
    "export": ("B1", "export", False),
}

Row = tuple[datetime, int, str, Decimal | None]


def reads_frame(rows: Iterable[Row], *, unit: str = "KWH", quality: str = "ACTUAL") -> pl.DataFrame:
    """Frame `reads` of (start in UTC, minutes, role, energy)."""
    starts, minutes, roles, energies = map(list, zip(*rows, strict=True)) if (rows := list(rows)) else ([], [], [], [])
    registers = [REGISTERS[role] for role in roles]
    columns = {
        "service_point_id": "SP",
        "meter_id": "M",
        "register_suffix": [suffix for suffix, _, _ in registers],
        "unit": unit,
        "direction": [direction for _, direction, _ in registers],
        "controlled_load": [controlled for _, _, controlled in registers],
        "date": [(start + AEST).date() for start in starts],
        "interval_minutes": minutes,
        "starts_at": starts,
        "energy_nano": [None if energy is None else int(energy * 10**9) for energy in energies],
        "quality": ["MISSING" if energy is None else quality for energy in energies],
    }
    given = {name: values if isinstance(values, list) else [values] * len(starts) for name, values in columns.items()}
    return pl.DataFrame({name: given.get(name, [None] * len(starts)) for name in SCHEMA}, schema=SCHEMA)


SCHEMA = frame_schema(ReadRow.table)


def meter_days(
    first: date, days: int, kwh: str | Callable[[datetime], str], *, role: str = "general", minutes: int = 30
) -> list[Row]:
    """Intervals of whole meter days (AEST). kwh: of each interval, or a function of its start in AEST."""
    midnight = datetime(first.year, first.month, first.day, tzinfo=UTC) - AEST
    starts = [midnight + timedelta(minutes=minutes * n) for n in range(days * 1440 // minutes)]
    return [(at, minutes, role, Decimal(kwh if isinstance(kwh, str) else kwh(at + AEST))) for at in starts]


def contract(**parts: object) -> dict[str, object]:
    return {"time_zone": "AEST", **parts}


def flat(price_kwh: str, *, supply: str | None = None, **more: object) -> dict[str, object]:
    """An electricity contract with one rate all year."""
    period = {"daily_supply_charge": supply, "single_rate": {"rates": [{"unit_price": price_kwh}]}}
    return contract(tariff_period=[period], **more)


def bill(
    given: dict[str, object],
    rows: Iterable[Row] | pl.DataFrame,
    *periods: tuple[date, date],
    options: Options | None = None,
    fuel: str = "electricity",
    zone: str = "Australia/Sydney",
    **plan: object,
) -> Bill:
    """Price a contract in the service's shape."""
    read = read_plan({"plan_id": "P", f"{fuel}_contract": given, **plan})
    frame = rows if isinstance(rows, pl.DataFrame) else reads_frame(rows)
    rates = compile_plan(read, "GAS" if fuel == "gas" else "ELECTRICITY")
    return price(frame, rates, [Period(*p) for p in periods], zone=zone, options=options)


def codes(notes: Iterable[Note]) -> list[str]:
    """The codes of notes, in order."""
    return [note.code for note in notes]


def amounts(priced: Bill) -> list[tuple[str, str]]:
    """(component, AUD) of each line."""
    return [(line.component, f"{line.amount:.2f}") for line in priced.lines]
