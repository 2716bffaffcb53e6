"""Find the hours of a bill's prices: those of a published plan, where they give the energy that the bill states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import permutations

from toolkit.analytics.energy.intervals.prepare import Usage
from toolkit.analytics.energy.plans.typed import as_windows
from toolkit.analytics.energy.rates.model import (
    EVERY_WEEKDAY,
    UNCLAIMED,
    Bands,
    Block,
    PlanTimeZone,
    Rates,
    Window,
    cells_of,
)
from toolkit.units import DAY_MINUTES, NANO

_DAYS = {EVERY_WEEKDAY: "", frozenset(range(5)): "Mon-Fri", frozenset((5, 6)): "Sat-Sun"}
_CLOSEST = Decimal("0.05")
"""kWh that a bill's quantity may differ by, however many decimals it prints: its own reads are rounded too."""
_WIDEST = Decimal(1)


@dataclass(frozen=True, slots=True)
class Times:
    """Days and hours of a price as a person types them; both empty: all other times."""

    days: str = ""
    hours: str = ""


def bands_all_year(rates: Rates) -> Bands | None:
    """Return the windows of each price of energy, those of one price together; None where they change by season."""
    by_price = []
    for tariff in rates.periods:
        windows: dict[tuple[Block, ...], tuple[Window, ...]] = {}
        for own, rate in zip(tariff.bands, tariff.rates, strict=True):
            windows[rate.blocks] = (*windows.get(rate.blocks, ()), *own)
        by_price.append(tuple(windows.values()))
    first = next(iter(by_price), None)
    if first is None or len(first) < 2 or any((cells_of(bands) != cells_of(first)).any() for bands in by_price[1:]):
        return None
    return first


def times_of(bands: Bands) -> tuple[Times, ...] | None:
    """Return the days and hours of each band as typed, the one of the most hours as all other times.

    None where they cannot be typed so: hours without a price, public holidays with hours of their own, or two bands
    whose hours differ between days.
    """
    cells = cells_of(bands)
    week = cells[:7]
    if (week == UNCLAIMED).any() or (cells[7:] != week).any():
        return None
    typed = [_typed(as_windows(week == band)) for band in range(len(bands))]
    unlike = [band for band, times in enumerate(typed) if times is None]
    if len(unlike) > 1:
        return None
    rest = unlike[0] if unlike else max(range(len(bands)), key=lambda band: int((week == band).sum()))
    return tuple(Times() if band == rest or times is None else times for band, times in enumerate(typed))


def _typed(windows: Sequence[Window]) -> Times | None:
    days = {window.days for window in windows}
    if len(days) != 1 or (named := _DAYS.get(next(iter(days)))) is None:
        return None
    spans = [(window.start, window.end) for window in windows]
    if len(spans) > 1 and spans[0][0] == 0 and spans[-1][1] == DAY_MINUTES:  # past midnight
        spans = [*spans[1:-1], (spans[-1][0], spans[0][1])]
    return Times(named, ", ".join(f"{_clock(start)}-{_clock(end)}" for start, end in spans))


def _clock(minute: int) -> str:
    return f"{minute // 60}:{minute % 60:02d}"


def order_that_agrees(
    usage: Usage, first: date, last: date, bands: Bands, time_zone: PlanTimeZone, billed: Sequence[Decimal]
) -> tuple[int, ...] | None:
    """Return the band of each billed quantity [kWh]; None where the reads of these days give other energy, or lack.

    The days are the meter's, else local ones: bills count either. bands: in `time_zone`.
    """
    for energy in _energies(usage, first, last, bands, time_zone):
        orders = [
            order
            for order in permutations(range(len(bands)), len(billed))
            if all(
                abs(energy[band] - quantity) <= _rounding(quantity)
                for band, quantity in zip(order, billed, strict=True)
            )
        ]
        if len(orders) == 1:
            return orders[0]
    return None


def _energies(
    usage: Usage, first: date, last: date, bands: Bands, time_zone: PlanTimeZone
) -> Iterator[tuple[Decimal, ...]]:
    """Yield the general energy [kWh] of each band, by meter days and by local days, where every read is there."""
    for days in ("AEST", "LOCAL"):
        matrix = usage.matrix(time_zone, "AEST" if days == "AEST" else "LOCAL").sliced(first, last)
        read = [int(nano) for nano in matrix.banded(bands, "general").sum(axis=0)]
        if not matrix.missing.any() and not any(read[len(bands) :]):  # else energy of unknown time of day
            yield tuple(Decimal(nano) / NANO for nano in read[: len(bands)])


def _rounding(quantity: Decimal) -> Decimal:
    """Return the kWh by which a quantity may be rounded: one of its last printed decimal."""
    exponent = quantity.as_tuple().exponent
    printed = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else _WIDEST
    return min(max(printed, _CLOSEST), _WIDEST)
