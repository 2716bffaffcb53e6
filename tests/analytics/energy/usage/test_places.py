"""Where a home is, from what records and people say."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from toolkit.analytics.energy.solar import climate
from toolkit.tables.reference import places


@pytest.mark.parametrize(
    ("state", "postcode", "zone"),
    [
        ("NSW", None, "Australia/Sydney"),
        ("qld", "4000", "Australia/Brisbane"),
        (None, "2540", "Australia/Sydney"),
        ("ACT", "2540", "Australia/Sydney"),
        (None, "2620", "Australia/Sydney"),
        (None, "0872", "Australia/Darwin"),
        ("WA", "0872", "Australia/Perth"),
        ("SA", "0872", "Australia/Adelaide"),
        (None, "0800", "Australia/Darwin"),
        (None, 800, "Australia/Darwin"),
        (None, "800", "Australia/Darwin"),
        ("NSW", "2880", "Australia/Broken_Hill"),
        (None, "2898", "Australia/Lord_Howe"),
        ("NSW", "4380", "Australia/Sydney"),
        (None, "4380", "Australia/Brisbane"),
        ("NT", "4825", "Australia/Darwin"),
        ("ALL", "5000", "Australia/Adelaide"),
        ("NEM", None, None),
        (None, "12", None),
        (None, "20000", None),
        (None, None, None),
    ],
)
def test_zone_of_a_home(state: str | None, postcode: str | int | None, zone: str | None) -> None:
    assert places.zone(state, postcode) == zone


def test_every_zone_and_network_exists() -> None:
    for state in places.STATES:
        assert ZoneInfo(str(places.zone(state)))
        assert places.networks_by_state()[state]
    assert len(places.networks()) == sum(len(names) for names in places.networks_by_state().values())


@pytest.mark.parametrize(
    ("postcode", "state"),
    [
        ("0200", "ACT"),
        ("2600", "ACT"),
        ("2621", "NSW"),
        ("2913", "ACT"),
        ("3996", "VIC"),
        ("9726", "QLD"),
        ("0100", None),
    ],
)
def test_state_of_a_postcode(postcode: str, state: str | None) -> None:
    assert places.state(postcode) == state


@pytest.mark.parametrize(
    ("nmi", "network"),
    [
        ("41020000001", "Ausgrid"),
        ("QB01234567", "Energex"),
        ("6203000001", "Powercor"),
        ("2001000001", "SA Power Networks"),
        ("VABD000163", None),
        ("4102", None),
        (None, None),
    ],
)
def test_network_of_a_nmi(nmi: str | None, network: str | None) -> None:
    assert places.network_of_nmi(nmi) == network


def test_state_of_a_nmi() -> None:
    assert places.state_of_nmi("3120000001") == "QLD"
    assert places.state_of_nmi("9999999999") is None


def test_climate_city_of_a_home() -> None:
    found = [
        climate.city("NSW", "2300"),
        climate.city("NT", "0870"),
        climate.city(None, "4870"),
        climate.city("VIC", None),
    ]
    assert [entry.name for entry in found if entry] == ["Newcastle", "Alice Springs", "Cairns", "Melbourne"]
    assert climate.city(None, None) is None


def test_city_tables_are_whole() -> None:
    for entry in climate.CITIES:
        assert len(entry.clear_sky) == len(entry.turbidity) == 12
        assert entry.cec_yield[2] < entry.cec_yield[0] < entry.cec_yield[1]
        assert climate.nearest(entry.latitude, entry.longitude) is entry
    sydney = climate.CITIES[0]
    assert sydney.clearness == pytest.approx(0.755, abs=0.002)
