"""The bands hold the truth of roofs made by pvlib, whatever way they face and however much is used by day."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pvlib.irradiance import get_total_irradiance
from pvlib.location import Location

from tests.analytics.energy.solar.conftest import FIRST_US, SLOT_US, SYDNEY, rows
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.answers.energy.solar import ServicePointSolar

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:DatetimeIndex.dayofyear"),  # pvlib calls what pandas renamed
]

DAYS = 365
STARTS = FIRST_US + np.arange(DAYS * 48, dtype=np.int64) * SLOT_US
HOUR = np.tile(np.arange(48) / 2, DAYS)
FACING = {"north": 0, "north-east": 45, "east": 90, "west": 270, "south": 180}
EFFICIENCY = 0.86


def output(facing: str, tilt: float, *, cloudy: bool) -> np.ndarray:
    """kWh per kW of panels in each half hour under pvlib's clear sky (Ineichen), each day dimmed by its own clouds."""
    times = pd.DatetimeIndex(pd.to_datetime(STARTS + SLOT_US // 2, unit="us", utc=True))
    place = Location(SYDNEY.latitude, SYDNEY.longitude)
    sun = place.get_solarposition(times)
    sky = place.get_clearsky(times, model="ineichen", linke_turbidity=2.8)
    zenith, azimuth = sun["apparent_zenith"], sun["azimuth"]
    plane = get_total_irradiance(tilt, FACING[facing], zenith, azimuth, sky["dni"], sky["ghi"], sky["dhi"])
    clouds = np.random.default_rng(7).choice([1.0, 0.9, 0.7, 0.45, 0.2], DAYS) if cloudy else np.ones(DAYS)
    return plane["poa_global"].fillna(0).to_numpy() / 1000 * EFFICIENCY / 2 * np.repeat(clouds, 48)


def load(by_day_kw: float) -> np.ndarray:
    """kWh of each half hour: 0.25 kW at night, `by_day_kw` from 8:00 to 17:00, 0.8 kW in the evening."""
    level = np.where((HOUR >= 8) & (HOUR < 17), by_day_kw, np.where((HOUR >= 17) & (HOUR < 22), 0.8, 0.25))
    return level / 2 * np.random.default_rng(3).uniform(0.8, 1.2, len(HOUR))


def home(made: np.ndarray, used: np.ndarray) -> pl.DataFrame:
    imported, exported = np.maximum(used - made, 0), np.maximum(made - used, 0)
    return pl.concat([rows(STARTS, imported, "E1", "import"), rows(STARTS, exported, "B1", "export")])


def outside(answer: ServicePointSolar, truth: dict[str, float]) -> list[str]:
    found = []
    for name, value in truth.items():
        low, mid, high = getattr(answer, name).values
        assert low <= mid <= high
        if not low <= value <= high:
            found.append(f"{name}: {value} is not in {low} to {high}")
    return found


@pytest.mark.parametrize("facing", FACING)
@pytest.mark.parametrize("cloudy", [True, False])
@pytest.mark.parametrize("size_is_known", [True, False])
def test_the_truth_lies_within_the_bands_of_any_roof_and_use(facing: str, *, cloudy: bool, size_is_known: bool) -> None:
    wrong = []
    for tilt in (22.0,):
        for panels_kw in (4.0, 8.0):
            made = output(facing, tilt, cloudy=cloudy) * panels_kw
            for by_day_kw in (0.1, 0.8, 1.6):
                used = load(by_day_kw)
                panels = Panels(panels_kw, "as given") if size_is_known else Panels()
                found = service_point_solar(home(made, used), zone="Australia/Brisbane", city=SYDNEY, panels=panels)
                at_once = float(np.minimum(made, used).sum())
                truth = {
                    "generation_kwh": float(made.sum()),
                    "self_consumption": at_once / float(made.sum()),
                    "self_sufficiency": at_once / float(used.sum()),
                }
                if found.answer.self_consumption is not None:
                    case = f"{tilt:g}° {panels_kw:g} kW, {by_day_kw:g} kW by day"
                    wrong += [f"{case}: {text}" for text in outside(found.answer, truth)]
                else:
                    assert found.answer.reason
    assert wrong == []


def test_the_band_of_a_measured_home_spans_empty_and_busy_days() -> None:
    """A 6.6 kW home facing north: the same export and size fit people in by day and nobody at home."""
    made = output("north", 20.0, cloudy=True) * 6.6
    found = service_point_solar(
        home(made, load(0.25)), zone="Australia/Brisbane", city=SYDNEY, panels=Panels(6.6, "as given")
    )
    assert found.answer.self_consumption is not None
    low, _, high = found.answer.self_consumption.values or (0, 0, 0)
    assert high - low > 0.3
    assert "solar_used_estimated" in found.answer.note_codes
