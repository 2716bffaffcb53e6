"""The bands hold the truth of roofs made by pvlib, whatever way they face and however much is used by day."""

from __future__ import annotations

import pytest

from tests.truth.homes import SolarHome, facing_home
from tests.truth.roofs import FACING
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES
from toolkit.answers.energy.solar import ServicePointSolar

pytestmark = pytest.mark.slow

SYDNEY = CITIES[0]


def answer_to(home: SolarHome, panels: Panels) -> ServicePointSolar:
    return service_point_solar(home.net, zone="Australia/Brisbane", city=SYDNEY, panels=panels).answer


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
    for panels_kw in (4.0, 8.0):
        for by_day_kw in (0.1, 0.8, 1.6):
            home = facing_home(facing, panels_kw=panels_kw, by_day_kw=by_day_kw, cloudy=cloudy)
            answer = answer_to(home, Panels(panels_kw, "as given") if size_is_known else Panels())
            if answer.self_consumption is not None:
                wrong += [f"{panels_kw:g} kW, {by_day_kw:g} kW by day: {text}" for text in outside(answer, home.truth)]
            else:
                assert answer.reason
    assert wrong == []


def test_the_band_of_a_measured_home_spans_empty_and_busy_days() -> None:
    """A 6.6 kW home facing north: the same export and size fit people in by day and nobody at home."""
    home = facing_home("north", panels_kw=6.6, by_day_kw=0.25, tilt=20.0)
    answer = answer_to(home, Panels(6.6, "as given"))
    assert answer.self_consumption is not None
    low, _, high = answer.self_consumption.values or (0, 0, 0)
    assert high - low > 0.3
    assert "solar_used_estimated" in answer.note_codes
