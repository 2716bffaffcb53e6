"""What each register measured, and how much of the time: totals, qualities, coverage by day and month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.energy.usage.reads import IDENTITY, MEASURED_OR_MISSING, RegisterReads
from toolkit.answers.energy.usage import RegisterTotal
from toolkit.tables.registers import ACTUAL, MISSING, QUALITIES
from toolkit.units import DAY_MINUTES, NANO

__all__ = [
    "by_period",
    "coverage",
    "day_sums",
    "expected_days",
    "known_shares",
    "register_totals",
    "substituted_share",
    "sum_of",
]

_DAY_SUMS = pl.Schema(
    {
        "meter_id": pl.String(),
        "register_suffix": pl.String(),
        "direction": pl.String(),
        "controlled_load": pl.Boolean(),
        "unit": pl.String(),
        "date": pl.Date(),
        "interval_minutes": pl.Int64(),
        "nano": pl.Int64(),
        "present": pl.Int64(),
    }
)
_METERED = pl.col("unit").is_in(["KWH", "MJ"]) & pl.col("direction").is_in(["import", "export"])


def day_sums(registers: Sequence[RegisterReads]) -> pl.DataFrame:
    """Return a row per register, meter day and interval length: `nano`, `present`, and a count for every quality seen.

    A read without a value counts as MISSING whatever its flag.
    """
    parts = [_of_register(register) for register in registers]
    if not parts:
        return pl.DataFrame(schema=_DAY_SUMS)
    together = pl.concat(parts, how="diagonal")
    counts = [name for name in together.columns if name.isupper()]
    return together.with_columns(pl.col(counts).fill_null(0))


def _of_register(register: RegisterReads) -> pl.DataFrame:
    rows = register.rows
    if rows["energy_nano"].null_count() or (rows["quality"] != ACTUAL).any():
        quality = pl.when(pl.col("energy_nano").is_null()).then(pl.lit(MISSING)).otherwise(pl.col("quality"))
        rows = rows.with_columns(quality=quality)
        seen = rows["quality"].unique().to_list()
        counts = [(pl.col("quality") == name).sum().cast(pl.Int64).alias(name) for name in seen]
    else:
        counts = [pl.len().cast(pl.Int64).alias(ACTUAL)]
    qualities = [count.meta.output_name() for count in counts]
    identity = [pl.lit(value).alias(name) for name, value in zip(IDENTITY, register.identity, strict=True)]
    if (lengths := rows["interval_minutes"].unique().to_list()) == lengths[:1]:
        # Days in order, as one key, are grouped ten times faster than two keys.
        day = pl.col("date").set_sorted() if rows["date"].is_sorted() else pl.col("date")
        groups = rows.with_columns(day).group_by("date")
        counts.append(pl.lit(lengths[0], pl.Int64).alias("interval_minutes"))
    else:
        groups = rows.group_by("date", "interval_minutes")
    return (
        groups.agg(*counts, nano=pl.col("energy_nano").sum(), present=pl.col("energy_nano").count().cast(pl.Int64))
        .sort("date", "interval_minutes")
        .select(*identity, "date", "interval_minutes", *qualities, "nano", "present")
    )


def register_totals(days: pl.DataFrame) -> tuple[RegisterTotal, ...]:
    """Sum each register's reads in its unit, from `day_sums`.

    Days and intervals without a value are counted in `quality` as MISSING only.
    """
    seen = [name for name in days.columns if name.isupper()]
    totals = days.group_by(*IDENTITY, maintain_order=True).agg(
        pl.col("nano", "present", *seen).sum(),
        days=pl.col("date").filter(pl.col("present") > 0).n_unique(),
        interval_minutes=pl.col("interval_minutes").unique().sort(),
    )
    qualities = (*QUALITIES, *sorted(set(seen) - set(QUALITIES)))
    return tuple(
        RegisterTotal(
            **{name: row[name] for name in IDENTITY},
            total=row["nano"] / NANO,
            intervals=row["present"],
            days=row["days"],
            interval_minutes=tuple(row["interval_minutes"]),
            quality={name: int(row.get(name) or 0) for name in qualities},
        )
        for row in totals.iter_rows(named=True)
    )


def expected_days(days: pl.DataFrame, first: date, last: date) -> pl.DataFrame:
    """Per energy register and day from `first` to `last`: `date`, `present` and `expected` intervals.

    A day without reads expects as many as the day before (else after) had. A register is expected for the whole range,
    but where it came later or went earlier than the others (solar added, meter exchanged): then from or to that day.
    """
    energy = days.filter(_METERED)
    if energy.is_empty():
        return pl.DataFrame(schema={"date": pl.Date, "present": pl.Int64, "expected": pl.Int64})
    began, ended = _ends(energy)
    parts = []
    for stream in _streams(energy):
        own_began, own_ended = _ends(stream)
        start = min(first, own_began) if own_began == began else own_began
        end = max(last, own_ended) if own_ended == ended else own_ended
        parts.append(_filled(stream, max(start, first), min(end, last)))
    return pl.concat(parts)


def _ends(days: pl.DataFrame) -> tuple[date, date]:
    return days.select(pl.col("date").min(), pl.col("date").max().alias("last")).row(0)


def _streams(energy: pl.DataFrame) -> list[pl.DataFrame]:
    """Registers, those of exchanged meters joined: same suffix and use, one beginning as the other ends."""
    chains: list[pl.DataFrame] = []
    for same in energy.partition_by("register_suffix", "direction", "controlled_load"):
        ends: list[pl.DataFrame] = []
        for register in sorted(same.partition_by("meter_id"), key=_ends):
            before = next((n for n, chain in enumerate(ends) if _ends(chain)[1] <= _ends(register)[0]), None)
            if before is None:
                ends.append(register)
            else:
                ends[before] = pl.concat([ends[before], register])
        chains += ends
    return chains


def _filled(stream: pl.DataFrame, first: date, last: date) -> pl.DataFrame:
    by_day = stream.group_by("date").agg(pl.col("present").sum(), pl.col("interval_minutes").min()).sort("date")
    every_day = pl.DataFrame({"date": pl.date_range(first, last, eager=True)})
    length = pl.col("interval_minutes").forward_fill().backward_fill()
    expected = DAY_MINUTES // length
    return every_day.join(by_day, on="date", how="left", maintain_order="left").select(
        "date", pl.min_horizontal(pl.col("present").fill_null(0), expected).alias("present"), expected.alias("expected")
    )


def coverage(expected: pl.DataFrame) -> float | None:
    """Return intervals present ÷ intervals expected, 0 to 1; None where nothing is expected."""
    present, due = expected.select(pl.col("present").sum(), pl.col("expected").sum()).row(0)
    return round(present / due, 6) if due else None


def by_period(days: pl.DataFrame, expected: pl.DataFrame, period: pl.Expr) -> pl.DataFrame:
    """Return the energy and coverage by a period of meter days (AEST), in order; they add up to the registers' totals.

    Columns: the period's own name, `import_kwh`, `controlled_load_kwh`, `export_kwh`, `import_mj`, `coverage`,
    `substituted_share`. Null where no register of the kind has a value in the period.
    """
    name = period.meta.output_name()
    substituted = [column for column in days.columns if column.isupper() and column not in MEASURED_OR_MISSING]
    metered = pl.when(_METERED).then
    sums = (
        days.filter(pl.col("present") > 0)
        .group_by(period)
        .agg(
            import_kwh=_sum("import", "KWH"),
            controlled_load_kwh=_sum("import", "KWH", controlled_load=True),
            export_kwh=_sum("export", "KWH"),
            import_mj=_sum("import", "MJ"),
            present=metered("present").otherwise(0).sum(),
            substituted=metered(pl.sum_horizontal(*substituted, pl.lit(0, pl.Int64))).otherwise(0).sum(),
        )
    )
    covered = expected.group_by(period).agg(coverage=(pl.col("present").sum() / pl.col("expected").sum()).round(6))
    share = pl.when(pl.col("present") > 0).then((pl.col("substituted") / pl.col("present")).round(6))
    return (
        covered.join(sums, on=name, how="left")
        .sort(name)
        .select(
            *(name, "import_kwh", "controlled_load_kwh", "export_kwh", "import_mj", "coverage"), substituted_share=share
        )
    )


def _sum(direction: str, unit: str, *, controlled_load: bool | None = None) -> pl.Expr:
    kind = (pl.col("direction") == direction) & (pl.col("unit") == unit)
    if controlled_load is not None:
        kind &= pl.col("controlled_load") == controlled_load
    wanted = pl.col("nano").filter(kind)
    return pl.when(wanted.len() > 0).then((wanted.sum() / NANO).round(9))


def substituted_share(totals: Sequence[RegisterTotal]) -> float | None:
    """Return the share of import and export intervals with a value that were substituted or estimated, 0 to 1."""
    energy = [entry for entry in totals if entry.unit in ("KWH", "MJ") and entry.direction in ("import", "export")]
    present = sum(entry.intervals for entry in energy)
    counted = sum(count for entry in energy for name, count in entry.quality.items() if name not in MEASURED_OR_MISSING)
    return round(counted / present, 6) if present else None


def known_shares(registers: Sequence[RegisterReads], first: date, last: date) -> tuple[float | None, float | None]:
    """Return coverage and substituted share of the registers' reads from `first` to `last`, as usage states them."""
    days = day_sums(registers)
    return coverage(expected_days(days, first, last)), substituted_share(register_totals(days))


def sum_of(days: pl.DataFrame, direction: str, unit: str, *, controlled_load: bool | None = None) -> float | None:
    """Return the total of the registers of a kind, in `unit`; None where none of them has a value.

    controlled_load: only those so flagged, or only the others.
    """
    kind = (pl.col("direction") == direction) & (pl.col("unit") == unit) & (pl.col("present") > 0)
    if controlled_load is not None:
        kind &= pl.col("controlled_load") == controlled_load
    wanted = days.filter(kind)
    return None if wanted.is_empty() else int(wanted["nano"].sum()) / NANO
