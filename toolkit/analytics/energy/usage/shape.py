"""When energy is used, in the home's time zone: average day, base load, peak, load factor, map and duration curve.

All take the frame of `half_hours` and an IANA zone. Seasons: summer is December to February, and so on; a weekday is
Monday to Friday, public holidays included.
"""

from __future__ import annotations

import polars as pl

from toolkit.analytics.energy.usage.half_hours import SLOT_MINUTES
from toolkit.answers.energy.usage import HighestHalfHour
from toolkit.units import NANO

__all__ = [
    "average_day",
    "base_load_kw",
    "day_type_of",
    "heat_map",
    "load_duration",
    "load_factor",
    "peak",
    "with_local_time",
]

_PER_HOUR = 60 // SLOT_MINUTES
_DIGITS = 6
"""Of means: beyond a milliwatt their last digits hang on the order of adding."""

_NIGHT = (60, 300)
"""Minutes of the local day between which only what never sleeps is on: 01:00 to 05:00."""

_SEASON_OF_MONTH = {
    month: season
    for season, months in {
        "summer": (12, 1, 2),
        "autumn": (3, 4, 5),
        "winter": (6, 7, 8),
        "spring": (9, 10, 11),
    }.items()
    for month in months
}
SEASONS = ("summer", "autumn", "winter", "spring")
DAY_TYPES = ("weekday", "weekend")


def with_local_time(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    """`frame` with `local` (aware date-time), `date` and `minute` of the local day, from its `starts_at`."""
    local = pl.col("starts_at").dt.convert_time_zone(zone)
    return frame.with_columns(local=local).with_columns(
        date=pl.col("local").dt.date(),
        minute=pl.col("local").dt.hour().cast(pl.Int64) * 60 + pl.col("local").dt.minute(),
    )


def season_of(date: str) -> pl.Expr:
    """The season of the date in column `date`, as an enumeration in the year's order from summer."""
    month = pl.col(date).dt.month()
    return month.replace_strict(_SEASON_OF_MONTH, return_dtype=pl.Enum(SEASONS))


def day_type_of(date: str) -> pl.Expr:
    """weekday or weekend, of the date in column `date`."""
    weekend = pl.col(date).dt.weekday() >= 6
    return pl.when(weekend).then(pl.lit("weekend")).otherwise(pl.lit("weekday")).cast(pl.Enum(DAY_TYPES))


def average_day(slots: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Mean power by `season`, `day_type` and `minute` of the local day (every 30).

    Columns: `kw` (import), `export_kw` (null where nothing is exported), `days` behind the mean. Half hours that were
    not measured whole are left out.
    """
    return (
        with_local_time(slots.filter(pl.col("import_kwh").is_not_null()), zone)
        .with_columns(season=season_of("date"), day_type=day_type_of("date"))
        .group_by("season", "day_type", "minute")
        .agg(
            kw=(pl.col("import_kwh").mean() * _PER_HOUR).round(_DIGITS),
            export_kw=(pl.col("export_kwh").mean() * _PER_HOUR).round(_DIGITS),
            days=pl.col("import_kwh").len().cast(pl.Int64),
        )
        .sort("season", "day_type", "minute")
        .with_columns(pl.col("season", "day_type").cast(pl.String))
    )


def base_load_kw(reads: pl.DataFrame, slots: pl.DataFrame, zone: str) -> float | None:
    """5th percentile of general import between 01:00 and 05:00 local, kW; None where no night was measured.

    At the meter's own resolution, or by half hour where registers of different lengths have to be added up.
    """
    general = reads.filter(
        (pl.col("direction") == "import") & (pl.col("unit") == "KWH") & ~pl.col("controlled_load")
    ).select("starts_at", "interval_minutes", "energy_nano")
    night = _at_night(general.filter(pl.col("interval_minutes") <= SLOT_MINUTES), zone)
    together = night.group_by("starts_at").agg(
        pl.col("interval_minutes").first(), pl.col("energy_nano").sum(), lacking=pl.col("energy_nano").null_count()
    )
    lengths_meet = night["interval_minutes"].n_unique() > 1 and together.height < night.height
    if night.is_empty() or lengths_meet:
        return _percentile(_at_night(slots, zone)["general_kwh"] * _PER_HOUR)
    whole = together.filter(pl.col("lacking") == 0)
    return _percentile(whole["energy_nano"] / NANO * 60 / whole["interval_minutes"])


def _at_night(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    return with_local_time(frame, zone).filter(pl.col("minute").is_between(*_NIGHT, closed="left"))


def _percentile(kw: pl.Series) -> float | None:
    value = kw.drop_nulls().quantile(0.05, "linear")
    return None if value is None else round(float(value), _DIGITS)


def peak(slots: pl.DataFrame, zone: str) -> HighestHalfHour | None:
    """Return the half hour of highest mean import; None where none was measured whole."""
    known = slots.filter(pl.col("import_kwh").is_not_null())
    if known.is_empty():
        return None
    row = with_local_time(known.sort("import_kwh", "starts_at", descending=[True, False]).head(1), zone)
    return HighestHalfHour(round(row["import_kwh"].item() * _PER_HOUR, _DIGITS), row["local"].item())


def load_factor(slots: pl.DataFrame) -> float | None:
    """Mean import over its highest half hour, 0 to 1; None where nothing was used or measured."""
    mean, highest = slots.select(pl.col("import_kwh").mean().alias("a"), pl.col("import_kwh").max().alias("b")).row(0)
    return round(mean / highest, _DIGITS) if highest else None


def heat_map(slots: pl.DataFrame, zone: str, *, energy: str = "import_kwh") -> pl.DataFrame:
    """Mean kW (`value`) by local `date` and `minute`; null where unmeasured. `energy`: which column of `slots`.

    At the end of daylight saving the repeated half hours are averaged; at its start the lost ones have no row.
    """
    return (
        with_local_time(slots, zone)
        .group_by("date", "minute")
        .agg(value=pl.col(energy).mean() * _PER_HOUR)
        .sort("date", "minute")
    )


def load_duration(slots: pl.DataFrame, *, energy: str = "import_kwh") -> pl.DataFrame:
    """Power in falling order: `kw` is exceeded or met for `share` (0 to 1) of the measured time."""
    ranked = slots.filter(pl.col(energy).is_not_null()).sort(energy, descending=True)
    return ranked.select(share=pl.int_range(1, pl.len() + 1, dtype=pl.Int64) / pl.len(), kw=pl.col(energy) * _PER_HOUR)
