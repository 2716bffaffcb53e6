"""The same figures from a plain engine: loops, dicts and the standard library, no frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date, datetime, timedelta
from random import Random
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.many_cases import examples
from toolkit.analytics.energy.usage import service_point_usage

Day = Callable[..., pl.DataFrame]
SEASONS = (
    "summer",
    "summer",
    "autumn",
    "autumn",
    "autumn",
    "winter",
    "winter",
    "winter",
    "spring",
    "spring",
    "spring",
    "summer",
)


def half_hours(reads: pl.DataFrame) -> dict[datetime, float]:
    """Import by half hour, where every register measured all of it."""
    parts: dict[datetime, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row in reads.iter_rows(named=True):
        start = row["starts_at"]
        slot = start - timedelta(minutes=start.minute % 30)
        parts[slot][row["register_suffix"]].append((row["energy_nano"], row["interval_minutes"]))
    registers = set(reads["register_suffix"])
    return {
        slot: sum(nano for values in by_register.values() for nano, _ in values) / 1e9
        for slot, by_register in parts.items()
        if by_register.keys() == registers
        and all(nano is not None for values in by_register.values() for nano, _ in values)
        and all(sum(minutes for _, minutes in values) == 30 for values in by_register.values())
    }


def percentile(values: list[float], share: float) -> float:
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    low = int(place)
    high = min(low + 1, len(ranked) - 1)
    return ranked[low] + (ranked[high] - ranked[low]) * (place - low)


def profile(slots: dict[datetime, float], zone: str) -> dict[tuple[str, str, int], list[float]]:
    """Power by season, day type and minute of the local day."""
    kw = defaultdict(list)
    for slot, energy in slots.items():
        local = slot.astimezone(ZoneInfo(zone))
        kind = "weekend" if local.weekday() >= 5 else "weekday"
        kw[SEASONS[local.month - 1], kind, local.hour * 60 + local.minute].append(energy * 2)
    return kw


@settings(max_examples=examples(8), phases=[Phase.generate])
@given(
    zone=st.sampled_from(["Australia/Sydney", "Australia/Adelaide", "Australia/Perth"]),
    first=st.dates(date(2024, 1, 1), date(2025, 12, 1)),
    seed=st.integers(0, 10**6),
)
def test_two_engines_agree(of_day: Day, zone: str, first: date, seed: int) -> None:
    chance = Random(seed)

    def some(count: int) -> list[float | None]:
        return [None if chance.random() < 0.02 else chance.randrange(4000) / 1000 for _ in range(count)]

    days = [first + timedelta(n) for n in range(4)]
    general = pl.concat([of_day(day, some(chance.choice([48, 96, 288]))) for day in days])
    heater = pl.concat([of_day(day, some(48), suffix="E2", controlled_load=True) for day in days])
    answer = service_point_usage(pl.concat([heater, general]), zone=zone)

    together = half_hours(pl.concat([general, heater]))
    best = max(together, key=lambda slot: (together[slot], -slot.timestamp()))
    assert answer.peak_with_controlled_load.kw == pytest.approx(together[best] * 2)
    assert answer.peak_with_controlled_load.at == best
    slots = half_hours(general)
    best = max(slots, key=lambda slot: (slots[slot], -slot.timestamp()))
    assert answer.peak.kw == pytest.approx(slots[best] * 2)
    assert answer.peak.at == best
    assert answer.load_factor == pytest.approx(fmean(slots.values()) / slots[best], abs=1e-6)

    for rows, energy in ((answer.average_day, slots), (answer.controlled_load_average_day, half_hours(heater))):
        found = {(row.season, row.day_type, row.minute): (row.kw, row.kw_p10, row.kw_p90) for row in rows}
        wanted = profile(energy, zone)
        assert found.keys() == wanted.keys()
        for key, values in wanted.items():
            expected = (fmean(values), percentile(values, 0.1), percentile(values, 0.9))
            assert found[key] == pytest.approx(expected, abs=1e-6)

    night = [
        row["energy_nano"] / 1e9 * 60 / row["interval_minutes"]
        for row in general.iter_rows(named=True)
        if row["energy_nano"] is not None and 1 <= row["starts_at"].astimezone(ZoneInfo(zone)).hour < 5
    ]
    assert answer.base_load_kw == pytest.approx(percentile(night, 0.05), abs=1e-6)
