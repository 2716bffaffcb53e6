"""Interval reads from a frame of one's own: wide or long, in any unit of energy and any time zone."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from toolkit.errors import FrameError, InputWarning
from toolkit.frames.checks import FrameLike, check_fuel, checked, column, polars_frame, refuse_where, texts
from toolkit.tables.registers import ACTUAL, LARGEST, MISSING, QUALITIES, direction
from toolkit.tables.rows.plans import Fuel
from toolkit.tables.schema.meters import ReadRow
from toolkit.units import AEST_NAME, AEST_OFFSET, DAY_MINUTES, DEFAULT_ZONE, NANO, NANO_DECIMALS, zone_key

Stamp = Literal["start", "end"]

_UNITS: dict[Fuel, dict[str, int]] = {"ELECTRICITY": {"kWh": 0, "Wh": -3, "MWh": 3}, "GAS": {"MJ": 0, "GJ": 3}}
"""Fuel → units it may be given in, the stored one first, and the power of ten between them."""

_USES: dict[str, tuple[str, bool]] = {
    "import": ("import", False),
    "export": ("export", False),
    "generation": ("generation", False),
    "controlled load": ("import", True),
}
"""Register in a word → direction, and whether it is controlled load."""
_SUFFIX = re.compile(r"[A-Z][0-9A-Z]")

_SMALLEST_A_DAY, _LARGEST_A_DAY = 0.02, 1_000
"""Mean import [kWh a day] outside of which another unit is likely: a fridge needs 0.5, a small business 440."""
_LARGEST_KW = 10_000
"""A connection of 10 MW, ten times what the low-voltage network gives: beyond it the unit is wrong for certain."""

_KEYS = ("service_point_id", "register_suffix")


@dataclass(frozen=True, slots=True)
class _Named:
    """The columns of a frame, as its owner names them; the arguments are explained at `reads`."""

    time: str
    energy: str | None
    registers: Mapping[str, str] | None
    register: str | None
    home: str | None
    quality: str | None


@checked
def reads(  # noqa: PLR0913 - what may be known of a frame
    frame: FrameLike,
    *,
    time: str,
    energy: str | None = None,
    registers: Mapping[str, str] | None = None,
    register: str | None = None,
    home: str | None = None,
    quality: str | None = None,
    fuel: Fuel = "ELECTRICITY",
    unit: str | None = None,
    zone: str | None = None,
    interval: int | None = None,
    stamp: Stamp = "start",
) -> pl.DataFrame:
    """Make frame `reads`, which every function on meter data takes, from a frame with times and energy.

    Args:
        frame: A polars or pandas DataFrame, an Arrow table or a DuckDB result; a pandas index counts as a column.
        time: Column of times (with a zone, or local times of `zone`), or of dates for daily totals by meter day.
        energy: Column of energy, 0 or more, null where nothing was read.
        registers: In place of `energy`, for a frame with a column for each register: register → column. A register is
            an NMI suffix (E1 and E2 import, B1 export) or one of import, export, generation, controlled load. A home
            without any value in one of these columns, but with values in others, has no such register.
        register: Column that names the register of each row of `energy`. Default: all rows are import.
        home: Column of the home that a row is of. Default: the frame is one home's.
        quality: Column of ACTUAL, SUBSTITUTE, FINAL_SUBSTITUTE, ESTIMATED or MISSING. Default: reads are ACTUAL.
        fuel: Fuel of the reads.
        unit: kWh, Wh or MWh; of gas MJ or GJ. Default: kWh, of gas MJ.
        zone: IANA time zone of times without one, for example Australia/Sydney, or AEST for UTC+10 all year. The hour
            that comes twice where clocks go back is read in the order of its rows.
        interval: Minutes of an interval. Default: the usual gap between the times of each register and day.
        stamp: Whether a time is the start or the end of its interval.

    Returns:
        Frame `reads`, sorted. Energy is whole 10^-9 kWh (gas: MJ), exact to nine decimals.

    Raises:
        FrameError: Intervals come twice or overlap, energy is negative or infinite, times are text, have no zone or are
            skipped by it, or the unit cannot be right; the message names column and row.

    Warns:
        InputWarning: Amounts look like another unit.

    Examples:
        >>> from datetime import datetime
        >>> hours = pl.datetime_range(datetime(2026, 1, 1), datetime(2026, 1, 1, 23), "1h", eager=True)
        >>> hourly = pl.DataFrame({"when": hours, "wh": [500] * 24})
        >>> own = toolkit.reads(hourly, time="when", energy="wh", unit="Wh", zone="Australia/Sydney")
        >>> own["energy_nano"].sum() / 10**9  # 24 × 500 Wh in kWh
        12.0

        Midnight in Sydney in summer (UTC+11), and the meter day of that hour, which starts at midnight AEST (UTC+10):

        >>> own["starts_at"][0].isoformat(), own["date"][0].isoformat()
        ('2025-12-31T13:00:00+00:00', '2025-12-31')
    """
    check_fuel(fuel)
    named = _Named(time, energy, registers, register, home, quality)
    long = _long(polars_frame(frame), named, NANO_DECIMALS + _power(unit, fuel))
    if long.is_empty():
        raise FrameError("The frame has no rows.")
    daily = long.schema["time"] == pl.Date
    placed = _intervals(_instants(long, zone), DAY_MINUTES if daily else interval, "start" if daily else stamp)
    _refuse_clashes(placed, named)
    stored = "MJ" if fuel == "GAS" else "KWH"
    answer = _finished(placed, stored)
    _check_plausible(answer, stored)
    return answer


def _power(unit: str | None, fuel: Fuel) -> int:
    units = _UNITS[fuel]
    if unit is None:
        return 0
    powers = {name.upper(): power for name, power in units.items()}
    if unit.upper() not in powers:
        raise FrameError(f"unit={unit!r} is not a unit of {fuel.lower()}: use {' or '.join(units)}.")
    return powers[unit.upper()]


def _long(frame: pl.DataFrame, named: _Named, decimals: int) -> pl.DataFrame:
    """Return a row for each row of the frame and register: row number, home, register, time, energy and quality."""
    if (named.energy is None) == (named.registers is None):
        raise FrameError("Name the column of energy with energy=, or those of several registers with registers=.")
    base = pl.DataFrame(
        {
            "service_point_id": texts(frame, named.home, "home", "home"),
            "time": _times(column(frame, named.time, "time")),
            "quality": texts(frame, named.quality, "quality", ACTUAL).str.to_uppercase(),
        }
    ).with_row_index("row")
    qualities = base["quality"].rename(named.quality or "quality")
    refuse_where(~qualities.is_in(QUALITIES), qualities, f"is not one of {', '.join(QUALITIES)}")
    if named.energy is not None:
        values = _energy_nano(column(frame, named.energy, "energy"), decimals)
        suffixes = texts(frame, named.register, "register", "import")
        return base.with_columns(values.alias("energy_nano"), suffixes.alias("register_suffix"))
    columns = {
        name: _energy_nano(column(frame, source, f"registers[{name!r}]"), decimals)
        for name, source in (named.registers or {}).items()
    }
    if not columns:
        raise FrameError("registers= names no column.")
    parts = [
        base.with_columns(values.alias("energy_nano"), pl.lit(name).alias("register_suffix"))
        for name, values in columns.items()
    ]
    # A register without any value, at a home that has values of others, is one that the home does not have.
    has_values = pl.col("energy_nano").is_not_null().any()
    return pl.concat(parts).filter(has_values.over(_KEYS) | ~has_values.over("service_point_id"))


def _times(values: pl.Series) -> pl.Series:
    refuse_where(values.is_null(), values, "where a time is needed")
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.cast_time_unit("us")
    if values.dtype == pl.Date:
        return values
    example = f" ({str(values[0])[:40]!r})" if len(values) else ""
    raise FrameError(
        f"Column {values.name!r} holds {'text' if values.dtype == pl.String else values.dtype}{example}, and times are "
        "needed. Turn it into times first: in polars with .str.to_datetime(), in pandas with pandas.to_datetime()."
    )


def _energy_nano(values: pl.Series, decimals: int) -> pl.Series:
    """Return energy in whole 10^-9 of the stored unit; null where the value is null or NaN (a gap, never a zero)."""
    if values.dtype == pl.Null:
        return values.cast(pl.Int64)
    if not values.dtype.is_numeric():
        raise FrameError(f"Column {values.name!r} holds {values.dtype}, and numbers are needed.")
    if values.dtype.is_float():
        values = values.cast(pl.Float64).fill_nan(None)
    refuse_where(values < 0, values, "is below zero. Pass import and export as two columns, with registers=")
    refuse_where(values > LARGEST / 10**decimals, values, "is beyond any meter. Pass the unit= it is in")
    if values.dtype.is_decimal():
        exact: pl.Series = values.cast(pl.Decimal(38, 12)) * pl.Series([10**decimals], dtype=pl.Decimal(38, 0))
        return exact.round(0).cast(pl.Int64)
    if values.dtype.is_float():
        # The double nearest to a decimal of up to nine places gives back its digits when rounded.
        return (values * 10.0**decimals).round(0).cast(pl.Int64)
    whole: pl.Series = values.cast(pl.Int64) * 10**decimals
    return whole


def _instants(long: pl.DataFrame, zone: str | None) -> pl.DataFrame:
    """Add `stamp`, the instant in UTC that each time is; a date is the start of that meter day (AEST)."""
    kind = long.schema["time"]
    if kind == pl.Date:
        midnight = pl.col("time").cast(pl.Datetime("us")) - AEST_OFFSET
        return long.with_columns(midnight.dt.replace_time_zone("UTC").alias("stamp"))
    if isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        return long.with_columns(pl.col("time").dt.convert_time_zone("UTC").alias("stamp"))
    if zone is None:
        raise FrameError(
            'The times have no time zone. Pass zone="Australia/Sydney" (or another IANA zone) for local times, or '
            'zone="AEST" for meter time, which has no daylight saving.'
        )
    name = AEST_NAME if zone == "AEST" else zone
    if zone_key(name) is None:
        raise FrameError(f"zone={zone!r} is neither an IANA time zone, for example {DEFAULT_ZONE}, nor AEST.")
    instants = long.with_columns(_utc(name, "earliest").alias("stamp"), _utc(name, "latest").alias("latest"))
    skipped = instants.filter(pl.col("stamp").is_null())
    refuse_where(
        skipped["stamp"].is_null(),
        skipped["time"],
        f'does not exist in {zone}, where clocks went forward over it. Meter time is zone="AEST"',
        rows=skipped["row"],
    )
    once = pl.col("stamp") == pl.col("latest")
    twice = instants.filter(~once)
    # The hour that comes twice: of a register's equal local times the first row is the earlier one.
    again = pl.int_range(pl.len()).over(*_KEYS, "time") > 0
    twice = twice.with_columns(pl.when(again).then("latest").otherwise("stamp").alias("stamp"))
    return pl.concat([instants.filter(once), twice])


def _utc(zone: str, ambiguous: Literal["earliest", "latest"]) -> pl.Expr:
    local = pl.col("time").dt.replace_time_zone(zone, ambiguous=ambiguous, non_existent="null")
    return local.dt.convert_time_zone("UTC")


def _intervals(stamped: pl.DataFrame, minutes: int | None, stamp: Stamp) -> pl.DataFrame:
    """Add `interval_minutes` and `starts_at`, sorted by home, register and start."""
    rows = stamped.sort(*_KEYS, "stamp", maintain_order=True)
    if minutes is not None:
        rows = rows.with_columns(pl.lit(minutes, pl.Int64).alias("interval_minutes"))
    else:
        step = pl.col("stamp").diff() if stamp == "end" else -pl.col("stamp").diff(-1)
        # An interval that ends at midnight is the last one of the day before.
        inside = pl.col("stamp") + AEST_OFFSET - pl.duration(microseconds=int(stamp == "end"))
        rows = rows.with_columns(step.over(_KEYS).dt.total_minutes().alias("gap"), inside.dt.date().alias("day"))
        rows = rows.join(_usual_gap(rows, (*_KEYS, "day")), on=[*_KEYS, "day"], how="left", maintain_order="left")
        rows = rows.join(_usual_gap(rows, _KEYS), on=_KEYS, how="left", suffix="_register", maintain_order="left")
        rows = rows.with_columns(pl.coalesce("usual", "usual_register").alias("interval_minutes"))
        if rows["interval_minutes"].null_count():
            raise FrameError("A register with one row has no usual interval: pass interval= in minutes.")
    lengths = rows["interval_minutes"]
    odd = rows.filter((lengths <= 0) | (DAY_MINUTES % lengths.replace(0, 7) != 0))
    refuse_where(
        odd["interval_minutes"].is_not_null(),
        odd["time"],
        f"has an interval of {0 if odd.is_empty() else odd['interval_minutes'][0]} minutes, which does not fill a day "
        "evenly. Pass interval= in minutes",
        rows=odd["row"],
    )
    back = pl.duration(minutes=pl.col("interval_minutes") if stamp == "end" else pl.lit(0))
    return rows.with_columns((pl.col("stamp") - back).alias("starts_at")).sort(*_KEYS, "starts_at", maintain_order=True)


def _usual_gap(rows: pl.DataFrame, keys: tuple[str, ...]) -> pl.DataFrame:
    """Return the most common gap [minutes] of each group as `usual`; of several equally common ones the shortest."""
    counted = rows.filter(pl.col("gap") > 0).group_by(*keys, "gap").len()
    best = counted.sort("len", "gap", descending=[True, False]).group_by(*keys, maintain_order=True).first()
    return best.select(*keys, pl.col("gap").alias("usual"))


def _refuse_clashes(rows: pl.DataFrame, named: _Named) -> None:
    """Refuse intervals that begin before the one before them has ended."""
    ends = pl.col("starts_at") + pl.duration(minutes="interval_minutes")
    clashing = rows.with_columns(
        ends.shift(1).over(_KEYS).alias("until"), pl.col("starts_at").shift(1).over(_KEYS).alias("before")
    )
    clashing = clashing.filter(pl.col("starts_at") < pl.col("until"))
    if clashing.is_empty():
        return
    twice = clashing["starts_at"][0] == clashing["before"][0]
    problem = "is given more than once" if twice else "lies inside the interval before it"
    homes = "" if named.home else ". Where the frame holds several homes, name their column with home="
    registers = "" if named.register or named.registers else "; of several registers, with register="
    refuse_where(
        clashing["until"].is_not_null(),
        clashing["time"].rename(named.time),
        f"{problem} (register {clashing['register_suffix'][0]}){homes}{registers if homes else ''}",
        rows=clashing["row"],
    )


def _finished(rows: pl.DataFrame, stored: str) -> pl.DataFrame:
    names = rows["register_suffix"].unique().to_list()
    for name in names:
        if name not in _USES and not _SUFFIX.fullmatch(name):
            raise FrameError(
                f"Register {name!r} is neither an NMI suffix such as E1 or B1 nor one of {', '.join(_USES)}."
            )
    uses = {name: _USES.get(name) or (direction(name, stored), False) for name in names}
    missing = pl.col("energy_nano").is_null() | (pl.col("quality") == MISSING)
    whole_days = pl.col("interval_minutes") == DAY_MINUTES
    meter_day = (pl.col("starts_at") + AEST_OFFSET).dt.date()
    # A local day may start before midnight of the meter day of the same date, and is that day's energy all the same.
    day = pl.when(whole_days).then(pl.col("time").dt.date()).otherwise(meter_day)
    start = (pl.col("date").cast(pl.Datetime("us")) - AEST_OFFSET).dt.replace_time_zone("UTC")
    return (
        rows.with_columns(
            pl.lit("").alias("meter_id"),
            pl.lit(stored).alias("unit"),
            pl.col("register_suffix").replace_strict({name: use[0] for name, use in uses.items()}).alias("direction"),
            pl.col("register_suffix")
            .replace_strict({name: use[1] for name, use in uses.items()}, return_dtype=pl.Boolean)
            .alias("controlled_load"),
            day.alias("date"),
            pl.when(~missing).then("energy_nano").alias("energy_nano"),
            pl.when(missing).then(pl.lit(MISSING)).otherwise("quality").alias("quality"),
        )
        .with_columns(pl.when(whole_days).then(start).otherwise("starts_at").alias("starts_at"))
        .select(ReadRow.table.names)
    )


def _check_plausible(rows: pl.DataFrame, stored: str) -> None:
    """Refuse power that no connection carries; warn of daily import that another unit would explain."""
    if stored != "KWH":
        return
    power = (rows["energy_nano"] / NANO * 60 / rows["interval_minutes"]).drop_nulls().to_numpy().max(initial=0.0)
    if power > _LARGEST_KW:
        raise FrameError(
            f"The highest mean power is {power:,.0f} kW, more than any home or shop can draw. "
            'Pass the unit of the column, for example unit="Wh".'
        )
    general = rows.filter((pl.col("direction") == "import") & pl.col("energy_nano").is_not_null())
    by_home = general.group_by("service_point_id").agg(
        (pl.col("energy_nano").sum() / NANO / (pl.col("interval_minutes").sum() / DAY_MINUTES)).alias("kwh")
    )
    odd = by_home.filter((pl.col("kwh") > _LARGEST_A_DAY) | pl.col("kwh").is_between(0, _SMALLEST_A_DAY, "none"))
    if not odd.is_empty():
        first = odd.sort("kwh", descending=True).row(0, named=True)
        warnings.warn(
            f"{first['service_point_id']} imports {first['kwh']:,.3g} kWh a day on average"
            f"{'' if odd.height == 1 else f' ({odd.height:,} homes alike)'}: is unit= the unit of the column?",
            InputWarning,
            stacklevel=4,
        )
