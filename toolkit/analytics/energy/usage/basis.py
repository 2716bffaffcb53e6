"""How much data each figure within the day rests on, and whether that is enough: one day does not describe a season."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from msgspec.structs import replace

from toolkit.analytics.energy.usage.reads import SLOT_MINUTES
from toolkit.analytics.energy.usage.shape import NIGHT
from toolkit.answers.base import Note
from toolkit.answers.energy.usage import AverageDay, FigureBasis

__all__ = ["figure_basis"]

DAYS_NEEDED = 14
"""Two weeks, so that every day of the week is in it twice."""
_NEEDED = {"weekday": 10, "weekend": 4}
"""Days of each kind in two weeks."""
COVERAGE_NEEDED = 0.8
_DIGITS = 6
_EVENING = (1080, 1440)
"""Minutes of the local day: 18:00 to 24:00, with people awake, without sun, and mostly without controlled load."""
_QUIET = 0.05
_MORE_AT_NIGHT, _SLACK_KW = 1.5, 0.1
"""How much more the quiet half hours of nights may take than those of evenings: half as much again, and so many kW."""
_NOTHING_KW = 0.01
"""Less than a home in use draws at any time."""


def figure_basis(slots: pl.DataFrame, average_day: AverageDay | None = None) -> tuple[FigureBasis, ...]:
    """Return the basis of base load, peak, load factor and each average day.

    slots: frame of `half_hours` with local time. average_day: of the same slots; without it, that of the others only.
    """
    if slots.is_empty():
        return ()
    night = slots.filter(pl.col("minute").is_between(*NIGHT, closed="left"))
    return (
        _always_on(_basis("base_load_kw", "Always on", night), night, slots),
        _basis("peak", "Highest half-hour", slots),
        _basis("load_factor", "Load factor", slots),
        *(_of_average_days(average_day.frame()) if average_day is not None else ()),
    )


def _basis(figure: str, label: str, slots: pl.DataFrame) -> FigureBasis:
    known = slots.filter(pl.col("general_kwh").is_not_null())
    per_day = slots.group_by("date").agg(pl.len(), known=pl.col("general_kwh").is_not_null().any())
    days = per_day.filter(
        pl.col("known") & (pl.col("len") * 2 >= pl.col("len").max())
    ).height  # hours at an edge are none
    share = round(known.height / slots.height, _DIGITS) if slots.height else None
    substituted = round(float(known["substituted"].sum()) / known.height, _DIGITS) if known.height else None
    return _judged(FigureBasis(figure, days, DAYS_NEEDED, share, substituted, is_enough=False), label)


def _always_on(basis: FigureBasis, night: pl.DataFrame, slots: pl.DataFrame) -> FigureBasis:
    """Give a reason where what is bought at night does not show what is always on: a heater or vehicle, a battery."""
    evening = slots.filter(pl.col("minute").is_between(*_EVENING, closed="left"))
    general = pl.col("general_kwh")
    at_night, in_evenings, mean = (
        None if kwh is None else float(kwh) * 60 / SLOT_MINUTES
        for kwh in (
            night.select(general.quantile(_QUIET, "linear")).item(),
            evening.select(general.quantile(_QUIET, "linear")).item(),
            slots.select(general.mean()).item(),
        )
    )
    reason = None
    if basis.is_enough and at_night is not None and in_evenings is not None and mean is not None:
        if at_night > _MORE_AT_NIGHT * in_evenings + _SLACK_KW:
            reason = Note("more_at_night", night=round(at_night, 2), evening=round(in_evenings, 2))
        elif at_night < _NOTHING_KW < mean:
            reason = Note("nothing_at_night")
    return basis if reason is None else replace(basis, is_enough=False, reason=reason)


def _of_average_days(rows: pl.DataFrame) -> Iterator[FigureBasis]:
    kinds = rows.group_by("season", "day_type", maintain_order=True).agg(
        pl.col("days").max(), pl.col("coverage", "substituted_share").mean().round(_DIGITS)
    )
    for season, day_type, days, share, substituted in kinds.iter_rows():
        basis = FigureBasis(f"{season} {day_type}", days, _NEEDED[day_type], share, substituted, is_enough=False)
        yield _judged(basis, f"Average {day_type} in {season}")


def _judged(basis: FigureBasis, label: str) -> FigureBasis:
    reason = None
    if basis.days < basis.needed and basis.figure == "base_load_kw":
        reason = Note("too_few_nights", days=basis.days, needed=basis.needed)
    elif basis.days < basis.needed:
        reason = Note("too_few_days", figure=label, days=basis.days, needed=basis.needed)
    elif (basis.coverage or 0) < COVERAGE_NEEDED:
        reason = Note("too_many_gaps", figure=label, coverage=basis.coverage, needed=COVERAGE_NEEDED)
    return FigureBasis(
        basis.figure,
        basis.days,
        basis.needed,
        basis.coverage,
        basis.substituted_share,
        is_enough=reason is None,
        reason=reason,
    )
