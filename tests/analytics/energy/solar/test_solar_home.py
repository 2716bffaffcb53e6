"""What the panels made and where it went, at homes whose roof is known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import polars as pl
import pytest
from msgspec.structs import replace

from tests.truth.homes import SolarHome
from tests.truth.homes import reads as reads_of
from tests.truth.solar.batteries import battery, with_battery
from tests.truth.solar.homes import home
from tests.truth.solar.score import net_reads
from toolkit.analytics.energy.solar import Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES, city
from toolkit.answers.energy.solar import Range, ServicePointSolar

SYDNEY = CITIES[0]
Home = Callable[..., SolarHome]


def solar(reads: pl.DataFrame, panels: Panels) -> ServicePointSolar:
    return service_point_solar(reads, city=SYDNEY, panels=panels).answer


def exported(reads: pl.DataFrame) -> float:
    return float(reads.filter(pl.col("direction") == "export")["energy_nano"].sum()) / 1e9


@pytest.mark.parametrize(("panels_kw", "load_kw"), [(3.0, 0.8), (5.0, 0.5), (8.0, 0.4)])
def test_the_truth_lies_within_the_bands(solar_reads: Home, panels_kw: float, load_kw: float) -> None:
    home = solar_reads(panels_kw=panels_kw, load_kw=load_kw)
    answer = solar(home.net, Panels(panels_kw, "as given"))
    assert answer.export_kwh == pytest.approx(exported(home.net))
    for name, value in home.truth.items():
        low, mid, high = getattr(answer, name).values
        assert low <= value <= high, name
        assert low <= mid <= high
    assert answer.reason is None


def test_energy_of_the_estimate_is_conserved(solar_reads: Home) -> None:
    reads = solar_reads().net
    found = service_point_solar(reads, city=SYDNEY, panels=Panels(6.0, "as given"))
    assert found.slots is not None
    generation, used, sold = (float(found.slots[name].sum()) for name in ("generation_kwh", "used_kwh", "export_kwh"))
    assert generation == pytest.approx(used + sold)
    assert (found.slots["used_kwh"] >= 0).all()
    assert found.answer.generation_kwh.mid == pytest.approx(generation, abs=0.001)


def test_unknown_size_is_inferred_and_said(solar_reads: Home) -> None:
    home = solar_reads(panels_kw=6.0)
    answer = solar(home.net, Panels())
    assert answer.panels_source == "inferred from export"
    assert answer.panels_kw == pytest.approx(6.0, rel=0.1)
    low, _, high = answer.generation_kwh.values or (0, 0, 0)
    assert low <= home.truth["generation_kwh"] <= high


@pytest.mark.parametrize("seed", range(3_600_000, 3_600_005))
def test_an_inferred_size_makes_what_is_inferred_of_it(seed: int) -> None:
    """Not 1,800 kWh a kW and year in Sydney: what people use by day counts for the size as for the generation."""
    known = home("north, in by day", seed)
    place = city(postcode=known.place.postcode)
    assert place
    answer = service_point_solar(net_reads(known), city=place, panels=Panels()).answer
    assert answer.panels_kw
    assert answer.generation_kwh.mid
    installers = 365 * place.cec_yield[0]
    assert 0.65 * installers < answer.generation_kwh.mid / answer.panels_kw < installers


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("north, in by day", "own use"),
        ("small", "own use"),
        ("large", "serves the peak"),  # buys in the evening, but neither buys nor sells for hours by day
        ("north, in by day", "buys and sells"),
    ],
)
def test_an_export_that_a_battery_leaves_shows_no_size(kind: str, stored: str) -> None:
    """It would come out at half of the true one, with a narrow range of generation to it."""
    known = with_battery(home(kind, 700), battery(stored, 700), 700)
    _, bought, sold = known.half_hours
    net = pl.concat([reads_of(known.first, bought), reads_of(known.first, sold, export=True)])
    answer = service_point_solar(net, city=city(postcode=known.place.postcode), panels=Panels()).answer
    assert answer.reason is not None
    assert (answer.panels_kw, answer.panels_source, answer.generation_kwh.values) == (None, None, None)


def test_inferred_size_is_capped_by_the_inverter(solar_reads: Home) -> None:
    reads = solar_reads(panels_kw=9.0).net
    assert solar(reads, Panels(inverter_kw=5.0)).panels_kw == 6.7  # 5 × 1.33, rounded


def test_battery_leaves_the_shares_unknown(solar_reads: Home) -> None:
    reads = solar_reads(panels_kw=6.0).net
    answer = solar(reads, Panels(6.0, "device register", storage_kwh=10.0))
    assert (answer.self_consumption, answer.self_sufficiency) == (None, None)
    assert "battery" in str(answer.reason)
    assert answer.storage_kwh == 10.0


def test_no_size_and_no_export_is_no_figure(solar_reads: Home) -> None:
    reads = solar_reads().net
    answer = solar(reads.filter(pl.col("direction") == "import"), Panels())
    assert answer.generation_kwh == Range()
    assert (answer.export_kwh, answer.panels_kw, answer.self_consumption) == (None, None, None)
    assert "--panels-kw" in str(answer.reason)


def test_size_without_export_gives_the_typical_range(solar_reads: Home) -> None:
    reads = solar_reads().net
    answer = solar(reads.filter(pl.col("direction") == "import"), Panels(5.0, "as given"))
    # Sydney: 3.94 kWh per kW and day, times 0.76, 0.86 and 0.96, for 5 kW and 365 days
    assert answer.generation_kwh.values == pytest.approx([3.94 * n * 5 * 365 for n in (0.76, 0.86, 0.96)], rel=0.01)
    assert "export" in str(answer.reason)


def test_a_few_days_are_too_few(solar_reads: Home) -> None:
    reads = solar_reads(days=10).net
    answer = solar(reads, Panels(6.0, "as given"))
    assert answer.self_consumption is None
    assert answer.reason


def test_a_gross_meter_tells_no_self_consumption(solar_reads: Home) -> None:
    reads = solar_reads().gross
    answer = solar(reads, Panels(6.0, "as given"))
    assert answer.self_consumption is None
    assert answer.reason


def test_little_export_tells_nothing(solar_reads: Home) -> None:
    reads = solar_reads(panels_kw=2.0, load_kw=1.4).net
    answer = solar(reads, Panels(2.0, "as given"))
    assert answer.self_consumption is None
    assert answer.reason


def test_days_before_the_panels_do_not_count(solar_reads: Home) -> None:
    reads = solar_reads(days=100).net
    before = reads.with_columns(
        date=pl.col("date").dt.offset_by("-1y"), starts_at=pl.col("starts_at").dt.offset_by("-1y")
    )
    dark = before.with_columns(energy_nano=pl.when(pl.col("direction") == "export").then(0).otherwise("energy_nano"))
    alone = solar(reads, Panels(6.0, "device register", since=date(2024, 7, 1)))
    both = solar(pl.concat([dark, reads]), Panels(6.0, "device register", since=date(2024, 7, 1)))
    assert replace(both, from_=alone.from_) == alone


def test_weak_panels_are_pointed_out(solar_reads: Home) -> None:
    reads = solar_reads(panels_kw=2.0, load_kw=0.2).net
    found = service_point_solar(reads, city=SYDNEY, panels=Panels(6.0, "as given"))
    assert "generation_low" in found.answer.note_codes
