"""When energy is used, in the home's time zone: average day, base load, peak, load factor, map and duration curve.

All take the frame of `half_hours` and an IANA zone. Seasons: summer is December to February, and so on; a weekday is
Monday to Friday, public holidays included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from toolkit.analytics.energy.usage.reads import SLOT_MINUTES, RegisterReads
from toolkit.answers.energy.usage import HighestHalfHour
from toolkit.units import NANO

__all__ = [
    "NIGHT",
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
_SLOTS = 24 * _PER_HOUR
_DIGITS = 6
"""Of means: beyond a milliwatt their last digits hang on the order of adding."""

_MINUTE_US = 60_000_000
_SLOT_US, _DAY_US = SLOT_MINUTES * _MINUTE_US, 24 * 60 * _MINUTE_US

NIGHT = (60, 300)
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
    """Return `frame` with `local` (aware date-time), `date` and `minute` of the local day, from its `starts_at`.

    A frame that has them already is returned as it is.
    """
    if "local" in frame.columns:
        return frame
    local = frame["starts_at"].dt.convert_time_zone(zone)
    # To local time once: each part of an instant with a time zone would be converted by itself.
    wall = local.dt.replace_time_zone(None)
    minute = wall.to_physical() % _DAY_US // _MINUTE_US
    return frame.with_columns(local.alias("local"), wall.dt.date().alias("date"), minute.alias("minute"))


def season_of(date: str) -> pl.Expr:
    """Return the season of the date in column `date`, as an enumeration in the year's order from summer."""
    month = pl.col(date).dt.month()
    return month.replace_strict(_SEASON_OF_MONTH, return_dtype=pl.Enum(SEASONS))


def day_type_of(date: str) -> pl.Expr:
    """weekday or weekend, of the date in column `date`."""
    weekend = pl.col(date).dt.weekday() >= 6
    return pl.when(weekend).then(pl.lit("weekend")).otherwise(pl.lit("weekday")).cast(pl.Enum(DAY_TYPES))


def average_day(slots: pl.DataFrame, zone: str, *, energy: str = "general_kwh") -> pl.DataFrame:
    """Average power by `season`, `day_type` and `minute` of the local day (every 30). energy: which column of `slots`.

    Columns: `kw`; `kw_p10` and `kw_p90`, between which eight days in ten lie; `days` behind the mean; `coverage` and
    `substituted_share` of those days; `export_kw` (null where nothing is exported). Half hours that were not measured
    whole are left out of the means.
    """
    kw = pl.col(energy) * _PER_HOUR
    known = pl.col(energy).is_not_null()
    return (
        with_local_time(slots, zone)
        .with_columns(season=season_of("date"), day_type=day_type_of("date"))
        .group_by("season", "day_type", "minute")
        .agg(
            kw=kw.mean().round(_DIGITS),
            kw_p10=kw.quantile(0.1, "linear").round(_DIGITS),
            kw_p90=kw.quantile(0.9, "linear").round(_DIGITS),
            days=known.sum().cast(pl.Int64),
            coverage=known.mean().round(_DIGITS),
            substituted_share=pl.col("substituted").filter(known).mean().round(_DIGITS),
            export_kw=(pl.col("export_kwh").filter(known).mean() * _PER_HOUR).round(_DIGITS),
        )
        .filter(pl.col("days") > 0)
        .sort("season", "day_type", "minute")
        .with_columns(pl.col("season", "day_type").cast(pl.String))
    )


def base_load_kw(registers: Sequence[RegisterReads], slots: pl.DataFrame, zone: str) -> float | None:
    """Return the 5th percentile of general import between 01:00 and 05:00 local, kW; None where no night was measured.

    At the meter's own resolution, or by half hour where registers of different lengths have to be added up.
    slots: the frame of `half_hours_of` the same registers.
    """
    if slots.is_empty():
        return None
    local = with_local_time(slots, zone)
    general = [
        _reads_at_night(register.rows.filter(pl.col("interval_minutes") <= SLOT_MINUTES), local)
        for register in registers
        if register.direction == "import" and register.unit == "KWH" and not register.controlled_load
    ]
    night = pl.concat(general) if general else slots.clear()
    several = len(general) > 1
    if night.is_empty() or (
        several and night["interval_minutes"].n_unique() > 1 and night["starts_at"].is_duplicated().any()
    ):
        return _percentile(_at_night(slots, zone)["general_kwh"] * _PER_HOUR)
    if several:
        night = night.group_by("starts_at").agg(
            pl.col("interval_minutes").first(),
            pl.when(pl.col("energy_nano").null_count() == 0).then(pl.col("energy_nano").sum()),
        )
    return _percentile(night["energy_nano"] / NANO * 60 / night["interval_minutes"])


def _reads_at_night(rows: pl.DataFrame, slots: pl.DataFrame) -> pl.DataFrame:
    """Return the reads that begin at night. slots: half hours without a gap, with local time, that hold all of them.

    No zone changes its offset within a half hour, so that a read's minute follows from that of its half hour.
    """
    since = rows["starts_at"].dt.epoch("us").to_numpy() - slots["starts_at"].dt.epoch("us")[0]
    minute = slots["minute"].to_numpy()[since // _SLOT_US] + since % _SLOT_US // _MINUTE_US
    return rows.filter(pl.Series((minute >= NIGHT[0]) & (minute < NIGHT[1])))


def _at_night(frame: pl.DataFrame, zone: str) -> pl.DataFrame:
    return with_local_time(frame, zone).filter(pl.col("minute").is_between(*NIGHT, closed="left"))


def _percentile(kw: pl.Series) -> float | None:
    value = kw.drop_nulls().quantile(0.05, "linear")
    return None if value is None else round(float(value), _DIGITS)


def peak(slots: pl.DataFrame, zone: str, *, energy: str = "general_kwh") -> HighestHalfHour | None:
    """Return the half hour of highest mean power in column `energy`; None where none was measured whole."""
    place = slots[energy].arg_max()  # the first where several are equal
    if place is None:
        return None
    row = with_local_time(slots, zone)[place]
    return HighestHalfHour(round(row[energy].item() * _PER_HOUR, _DIGITS), row["local"].item())


def load_factor(slots: pl.DataFrame) -> float | None:
    """Return the mean general import over its highest half hour, 0 to 1; None where nothing was used or measured."""
    mean, highest = slots.select(pl.col("general_kwh").mean().alias("a"), pl.col("general_kwh").max().alias("b")).row(0)
    return round(mean / highest, _DIGITS) if highest else None


def heat_map(slots: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Return the mean kW of import (`value`) by local `date` and `minute`; null where unmeasured.

    At the end of daylight saving the repeated half hours are averaged; at its start the lost ones have no row.
    """
    return (
        with_local_time(slots, zone)
        .group_by("date", "minute")
        .agg(value=pl.col("import_kwh").mean() * _PER_HOUR)
        .sort("date", "minute")
    )


def heat_map_days(slots: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Return mean kW of import by local `date`, as 48 half hours (`kw`); null where unmeasured. As `heat_map`."""
    if slots.is_empty():
        return pl.DataFrame(schema={"date": pl.Date, "kw": pl.List(pl.Float64)})
    local = with_local_time(slots, zone)
    dates = local["date"].to_physical().to_numpy()
    first, last = int(dates.min()), int(dates.max())
    cell = (dates - first) * _SLOTS + local["minute"].to_numpy() // SLOT_MINUTES
    size = (last - first + 1) * _SLOTS
    kwh = local["import_kwh"].to_numpy()
    known = ~np.isnan(kwh)
    sums, counts = np.bincount(cell[known], kwh[known], size), np.bincount(cell[known], minlength=size)
    kw = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0) * _PER_HOUR
    lists = pl.Series("kw", kw).round(_DIGITS).fill_nan(None).reshape((-1, _SLOTS)).arr.to_list()
    days = pl.Series("date", np.arange(first, last + 1, dtype=np.int32)).cast(pl.Date)
    return pl.DataFrame([days, lists])


def load_duration(slots: pl.DataFrame) -> pl.DataFrame:
    """Sort the power of import, highest first: `kw` is exceeded or met for `share` (0 to 1) of the measured time."""
    ranked = slots["import_kwh"].drop_nulls().sort(descending=True).to_frame("kw")
    return ranked.select(share=pl.int_range(1, pl.len() + 1, dtype=pl.Int64) / pl.len(), kw=pl.col("kw") * _PER_HOUR)
