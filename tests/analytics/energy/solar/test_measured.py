"""Generation that an inverter or a meter measured, and panels that seem not to work."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from tests.truth.homes import FIRST, SolarHome, facing_home, reads
from toolkit.analytics.energy.solar import Array, Panels, service_point_solar
from toolkit.analytics.energy.solar.climate import CITIES
from toolkit.answers.base import to_json
from toolkit.answers.energy.solar import ServicePointSolar, Solar

SYDNEY = CITIES[0]
Home = Callable[..., SolarHome]


def generation(rows: pl.DataFrame) -> pl.DataFrame:
    """Make reads those of an inverter's file."""
    return rows.with_columns(
        direction=pl.lit("generation"), meter_id=pl.lit("inverter"), register_suffix=pl.lit("GENERATION")
    )


def solar(rows: pl.DataFrame, panels: Panels | None = None) -> ServicePointSolar:
    return service_point_solar(rows, city=SYDNEY, panels=panels or Panels()).answer


def of_day(home: SolarHome, day: date) -> float:
    """kWh that the panels made on a day."""
    number = (day - FIRST).days
    return float(home.made[48 * number : 48 * number + 48].sum())


def by_whole_days(home: SolarHome) -> pl.DataFrame:
    """Reads of what the panels made, one of each day."""
    first_of_day = home.net.filter(pl.col("direction") == "import").unique("date", keep="first", maintain_order=True)
    totals = [round(of_day(home, day) * 1e9) for day in first_of_day["date"]]
    return first_of_day.with_columns(energy_nano=pl.Series(totals), interval_minutes=pl.lit(1440, pl.Int64))


@pytest.mark.parametrize("daily", [False, True])
def test_generation_that_is_measured_is_no_range(solar_reads: Home, *, daily: bool) -> None:
    home = solar_reads(days=60)
    made = by_whole_days(home) if daily else reads(FIRST, home.made)
    answer = solar(pl.concat([home.net, generation(made)]))
    assert answer.generation_source == "inverter"
    assert answer.generation_kwh.values == pytest.approx([home.truth["generation_kwh"]] * 3, abs=0.01)
    for name in ("self_consumption", "self_sufficiency"):
        low, mid, high = getattr(answer, name).values
        assert low == mid == high == pytest.approx(home.truth[name], abs=0.002)
    assert answer.reason is None


@pytest.mark.parametrize("facing", ["east", "west"])
def test_what_is_used_on_days_of_one_figure_follows_the_roof_that_the_export_shows(facing: str) -> None:
    home = facing_home(facing, panels_kw=6.0, by_day_kw=1.2)
    rows = pl.concat([home.net, generation(by_whole_days(home))])
    slots = service_point_solar(rows, city=SYDNEY, panels=Panels()).slots
    assert slots is not None
    is_morning = (slots["starts_at"].dt.offset_by("10h").dt.hour() < 12).to_numpy()
    found = slots["used_kwh"].filter(is_morning).sum() / slots["used_kwh"].sum()
    used = np.minimum(home.made, home.used)
    assert found == pytest.approx(used[is_morning].sum() / used.sum(), abs=0.05)


def test_days_without_generation_are_not_counted(solar_reads: Home) -> None:
    home = solar_reads(days=60)
    made = generation(reads(FIRST, home.made)).filter(pl.col("date") < FIRST + timedelta(40))
    answer = solar(pl.concat([home.net, made]))
    assert answer.generation_kwh.mid == pytest.approx(home.made[: 40 * 48].sum(), abs=0.01)
    assert "generation_on_days" in answer.note_codes


def test_what_was_exported_is_of_the_days_with_generation(solar_reads: Home) -> None:
    """The inverter's file has 40 of 60 days."""
    home = solar_reads(days=60)
    part = SolarHome(FIRST, home.made[: 48 * 40], home.used[: 48 * 40])
    answer = solar(pl.concat([home.net, generation(reads(FIRST, part.made))]))
    sold = float(np.maximum(part.made - part.used, 0).sum())
    assert answer.export_kwh == pytest.approx(np.maximum(home.made - home.used, 0).sum(), abs=0.01)
    assert answer.exported_of_generation == pytest.approx(sold, abs=0.1)


def test_generation_below_the_export_is_of_another_home(solar_reads: Home) -> None:
    home = solar_reads(days=60)
    answer = solar(pl.concat([home.net, generation(reads(FIRST, home.made * 0.3))]))
    assert answer.self_consumption is None
    assert answer.reason


def test_a_gross_meter_measures_generation(solar_reads: Home) -> None:
    home = solar_reads()
    answer = solar(home.gross)
    assert answer.generation_source == "meter"
    assert answer.generation_kwh.values == pytest.approx([home.truth["generation_kwh"]] * 3, abs=0.01)


@pytest.mark.parametrize("is_measured", [False, True])
def test_dead_panels_are_found_and_sound_ones_are_not(solar_reads: Home, *, is_measured: bool) -> None:
    """Half of the panels are dead for 30 days from 1 January."""
    home = solar_reads()
    first = (date(2025, 1, 1) - FIRST).days * 48
    made = home.made.copy()
    made[first : first + 30 * 48] *= 0.5
    faulty = SolarHome(home.first, made, home.used)

    def days(of: SolarHome) -> list[date]:
        rows = pl.concat([of.net, generation(reads(FIRST, of.made))]) if is_measured else of.net
        return [each.date for each in solar(rows).days_to_check]

    assert days(home) == []
    found = days(faulty)
    assert len(found) >= 20
    assert min(found) >= date(2024, 12, 20)
    assert max(found) <= date(2025, 2, 12)


def test_weeks_in_which_the_home_uses_all_that_the_panels_give_are_no_fault(solar_reads: Home) -> None:
    """From 1 August on 6 kW heat by day for 50 days, half of it on every tenth."""
    home = solar_reads()
    first = (date(2024, 8, 1) - FIRST).days
    used = home.used.reshape(-1, 48).copy()
    for number in range(first, first + 50):
        used[number, 16:36] += 1.5 if number % 10 == 0 else 3
    assert solar(SolarHome(home.first, home.made, used.ravel()).net).days_to_check == ()


def test_people_who_are_in_by_day_for_some_weeks_are_no_fault(solar_reads: Home) -> None:
    """Every three weeks something else is used by day, up to a third of the panels."""
    home = solar_reads()
    used = home.used.reshape(-1, 48).copy()
    for number in range(365):
        used[number, 14:36] += (0.2, 0.9, 0.5, 1.0, 0.4, 0.7)[number // 21 % 6]
    assert solar(SolarHome(home.first, home.made, used.ravel()).net).days_to_check == ()


def test_days_without_generation_are_part_of_an_answer_in_json(solar_reads: Home) -> None:
    home = solar_reads(days=200)
    made = home.made.copy()
    made[120 * 48 : 126 * 48] = 0
    answer = solar(SolarHome(home.first, made, home.used).net)
    named = json.loads(to_json(Solar(service_points=(answer,))))["service_points"][0]["days_to_check"]
    assert [day["date"] for day in named if day["cause"] == "none"] == [
        str(FIRST + timedelta(n)) for n in range(120, 126)
    ]


def causes(home: SolarHome, *, is_measured: bool) -> dict[date, str]:
    rows = pl.concat([home.net, generation(reads(FIRST, home.made))]) if is_measured else home.net
    return {each.date: each.cause for each in solar(rows).days_to_check}


@pytest.mark.parametrize("is_measured", [False, True])
def test_mornings_that_something_shades_are_named_so(solar_reads: Home, *, is_measured: bool) -> None:
    """From 1 November on a fifth of the generation is left until noon, for 40 days."""
    home = solar_reads()
    first = (date(2024, 11, 1) - FIRST).days
    made = home.made.reshape(-1, 48).copy()
    made[first : first + 40, :24] *= 0.2
    found = causes(SolarHome(home.first, made.ravel(), home.used), is_measured=is_measured)
    assert set(found.values()) == {"shade"}
    assert len(found) >= 30
    assert min(found) >= date(2024, 10, 20)
    assert max(found) <= date(2024, 12, 22)


def test_output_held_at_one_height_is_a_limit(solar_reads: Home) -> None:
    """For 30 days from 1 January the inverter gives no more than half of its most."""
    home = solar_reads()
    first = (date(2025, 1, 1) - FIRST).days
    made = home.made.reshape(-1, 48).copy()
    made[first : first + 30] = np.minimum(made[first : first + 30], made.max() / 2)
    found = causes(SolarHome(home.first, made.ravel(), home.used), is_measured=True)
    assert set(found.values()) == {"limit"}
    assert len(found) >= 20


def test_a_day_without_measured_generation_is_named(solar_reads: Home) -> None:
    home = solar_reads(days=120)
    made = home.made.copy()
    made[60 * 48 : 61 * 48] = 0
    dead = SolarHome(home.first, made, home.used)
    [found] = solar(pl.concat([dead.net, generation(reads(FIRST, dead.made))])).days_to_check
    assert (found.date, found.cause) == (FIRST + timedelta(60), "none")
    assert found.kwh > 0


def test_months_add_up_and_what_is_expected_is_a_range(solar_reads: Home) -> None:
    answer = solar(solar_reads().net)
    assert len(answer.months) == 12
    assert sum(month.export_kwh or 0 for month in answer.months) == pytest.approx(answer.export_kwh, abs=0.01)
    assert sum(month.generation_kwh or 0 for month in answer.months) == pytest.approx(
        answer.generation_kwh.mid, abs=0.1
    )
    for month in answer.months:
        low, mid, high = month.expected.values
        assert 0 < low < mid < high


@pytest.mark.parametrize("is_measured", [False, True])
def test_what_is_expected_of_a_known_size_does_not_depend_on_use_by_day(*, is_measured: bool) -> None:
    """6 kW facing north in Sydney make 6 × 1,100 to 1,450 kWh in a typical year, whoever is in by day."""
    expected = []
    for by_day_kw in (0.25, 1.2):
        home = facing_home("north", panels_kw=6.0, by_day_kw=by_day_kw)
        rows = pl.concat([home.net, generation(reads(FIRST, home.made))]) if is_measured else home.net
        months = solar(rows, Panels(6.0, "as given")).months
        expected.append(sum(month.expected.mid or 0 for month in months if month.expected))
    assert expected[1] == pytest.approx(expected[0], rel=0.1)
    assert all(6_600 < kwh < 8_700 for kwh in expected)


def test_panels_that_lose_a_tenth_in_a_year_are_noticed(solar_reads: Home) -> None:
    home = solar_reads(days=730, load_kw=0.2)
    made = home.made.copy()
    made[365 * 48 :] *= 0.9
    change = solar(SolarHome(home.first, made, home.used).net).year_change
    low, mid, high = change.ratio.values
    assert low <= mid <= high
    assert mid == pytest.approx(0.9, abs=0.04)


def test_a_known_roof_is_used(solar_reads: Home) -> None:
    home = solar_reads()
    wide, known = solar(home.net), solar(home.net, Panels(6.0, "household", arrays=(Array(6.0, 0.0, 20.0),)))
    assert known.roof == (known.roof[0],)
    assert (known.roof[0].azimuth, known.roof[0].tilt) == (0, 20)

    def width(answer: ServicePointSolar) -> float:
        low, _, high = answer.generation_kwh.values
        return high - low

    assert width(known) < width(wide)
    assert known.generation_kwh.low <= home.truth["generation_kwh"] <= known.generation_kwh.high


def test_a_battery_is_suspected_from_evenings_that_buy_nothing(solar_reads: Home) -> None:
    """Every evening after a sunny day is served from what the day left over."""
    home = solar_reads(days=120)
    sold = np.maximum(home.made - home.used, 0).reshape(-1, 48)
    bought = np.maximum(home.used - home.made, 0).reshape(-1, 48)
    served = sold.sum(axis=1) > 8
    night = bought[:, 24:].sum(axis=1)
    bought[served, 24:] = 0
    sold[served] *= 1 - np.minimum(night[served] / sold[served].sum(axis=1), 1)[:, None]
    rows = pl.concat([reads(FIRST, bought.ravel()), reads(FIRST, sold.ravel(), export=True)])
    answer = solar(rows)
    assert answer.self_consumption is None
    assert "battery" in str(answer.reason)
    assert solar(rows, Panels(storage_kwh=0.0)).self_consumption is not None


def test_what_is_sold_more_on_weekends_is_known_to_be_used_on_weekdays() -> None:
    """A workshop of 1.2 kW from 9:00 to 17:00 on weekdays: without that the middle is a tenth too low."""
    home = facing_home("north", panels_kw=6.0, by_day_kw=0.25)
    used = home.used.reshape(-1, 48).copy()
    on_weekdays = [(FIRST + timedelta(number)).weekday() < 5 for number in range(365)]
    used[on_weekdays, 18:34] += 0.6
    workshop = SolarHome(home.first, home.made, used.ravel())
    assert solar(workshop.net).generation_kwh.mid == pytest.approx(workshop.truth["generation_kwh"], rel=0.05)


def test_flat_tops_show_a_limit(solar_reads: Home) -> None:
    """The inverter holds back what would be sent out beyond 2 kW."""
    home = solar_reads(panels_kw=8.0, load_kw=0.3)
    limited = SolarHome(home.first, np.minimum(home.made, home.used + 1.0), home.used)
    answer = solar(limited.net)
    assert answer.export_limit_kw == pytest.approx(2.0, abs=0.05)
    assert solar(home.net).export_limit_kw is None


@pytest.mark.parametrize(("is_measured", "most_off"), [(True, 0.06), (False, 0.12)])
def test_each_day_has_its_clearness(*, is_measured: bool, most_off: float) -> None:
    """Held against what the same roof makes under a sky without clouds."""
    clouded = facing_home("north", panels_kw=6.0, by_day_kw=0.25)
    clear = facing_home("north", panels_kw=6.0, by_day_kw=0.25, cloudy=False)
    truth = clouded.made.reshape(-1, 48).sum(axis=1) / clear.made.reshape(-1, 48).sum(axis=1)
    rows = pl.concat([clouded.net, generation(reads(FIRST, clouded.made))]) if is_measured else clouded.net
    days = solar(rows).days.frame()
    assert days["date"].to_list() == [FIRST + timedelta(n) for n in range(365)]
    assert days["generation_kwh"].sum() == pytest.approx(solar(rows).generation_kwh.mid, rel=1e-3)
    shown = days["clearness"].to_numpy()
    assert float(np.median(np.abs(shown - truth))) < most_off
    assert float(np.corrcoef(shown, truth)[0, 1]) > 0.95


def test_days_whose_sky_cannot_be_known_have_no_clearness(solar_reads: Home) -> None:
    assert solar(solar_reads().gross).days.frame()["clearness"].null_count() == 365
    assert len(solar(solar_reads(days=10).net, Panels(6.0, "as given")).days) == 0


@pytest.mark.parametrize(("hours", "side"), [(3, "ahead of"), (-10, "behind")])
def test_hours_are_not_judged_where_the_clock_of_an_inverters_file_is_off(
    solar_reads: Home, hours: int, side: str
) -> None:
    """What was generated and used in all does not depend on the clock."""
    home = solar_reads(days=120)
    made = generation(reads(FIRST, np.roll(home.made, 2 * hours)))
    answer = solar(pl.concat([home.net, made]))
    (note,) = (note for note in answer.notes if note.code == "generation_clock_off")
    assert note.figures["side"] == side
    assert float(str(note.figures["hours"])) == pytest.approx(abs(hours), abs=0.5)
    assert answer.days_to_check == ()
    assert not [month for month in answer.months if month.expected]
    assert answer.self_consumption.mid == pytest.approx(home.truth["self_consumption"], abs=0.02)
    right = solar(pl.concat([home.net, generation(reads(FIRST, home.made))]))
    assert not [code for code in right.note_codes if code.startswith("generation_clock")]


@pytest.mark.parametrize("hours", [3, -10])
def test_power_is_used_at_home_while_the_sun_is_up_whatever_the_clock_of_an_inverters_file(
    solar_reads: Home, hours: int
) -> None:
    """By the hours of the file, power would have been used at home at night and bought by day."""
    home = solar_reads(days=120)
    made = generation(reads(FIRST, np.roll(home.made, 2 * hours)))
    slots = service_point_solar(pl.concat([home.net, made]), city=SYDNEY, panels=Panels()).slots
    assert slots is not None
    sold = np.minimum(home.made, home.net.filter(pl.col("direction") == "export")["energy_nano"].to_numpy() / 1e9)
    used, truth = slots["used_kwh"].to_numpy(), home.made - sold
    assert used.sum() == pytest.approx(truth.sum(), rel=0.05)
    assert used[home.made == 0].sum() < 0.03 * used.sum()
    by_time = [energy.reshape(-1, 48).sum(axis=0) for energy in (used, truth)]
    assert np.abs(by_time[0] - by_time[1]).sum() < 0.4 * truth.sum()


@pytest.mark.parametrize(("times", "code"), [(1000, "generation_too_much"), (1 / 1000, "generation_too_little")])
def test_no_figure_rests_on_generation_in_a_wrong_unit(times: float, code: str, solar_reads: Home) -> None:
    home = solar_reads(days=60)
    answer = solar(pl.concat([home.net, generation(reads(FIRST, times * home.made))]))
    assert answer.self_consumption is answer.self_sufficiency is answer.generation_kwh.mid is None
    assert answer.reason
    assert code in answer.note_codes
