"""An inverter's file beside the meter that it stands behind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

from tests.meters import day, nem12, register
from toolkit.answers.data import ImportedFile
from toolkit.flows.energy.usage import usage, usage_detail
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

FIRST, DAYS = date(2025, 1, 1), 30


def made(number: int, slot: int) -> float:
    """kWh in a half hour (AEST): from 6:00 to 18:00, most at noon, and more on every third day."""
    return round((2.0 if number % 3 else 0.8) * max(0.0, 1 - abs(slot - 23.5) / 12), 3)


def meter(nmi: str = "4103000001", *, late_kwh: float = 0.0) -> str:
    """A home that uses 0.2 kWh in each half hour. late_kwh: sold in each of those from 20:00 to 23:00, by a battery."""
    late = [late_kwh if 40 <= slot < 46 else 0.0 for slot in range(48)]
    sold = [[max(late[slot], round(made(n, slot) - 0.2, 3)) for slot in range(48)] for n in range(DAYS)]
    bought = [[max(0.0, round(0.2 - made(n, slot), 3)) for slot in range(48)] for n in range(DAYS)]
    when = [(FIRST + timedelta(n)).strftime("%Y%m%d") for n in range(DAYS)]
    rows = [register("E1", nmi=nmi), *map(day, when, bought), register("B1", nmi=nmi), *map(day, when, sold)]
    return nem12(*rows)


def inverter(of_day: Callable[[int], int] = lambda n: n, *, hours: int = 1) -> str:
    """A file by local clock, an hour ahead of AEST in summer. of_day: whose generation each day shows."""
    rows = ["Time,System Production (Wh)"]
    for n in range(DAYS):
        for slot in range(11, 37):
            at = datetime.combine(FIRST, time()) + timedelta(days=n, minutes=30 * slot + 60 * hours)
            rows.append(f"{at:%Y-%m-%d %H:%M},{made(of_day(n), slot) * 1000:.0f}")
    return "\n".join([*rows, ""])


def winter(*, middle: float, hours: int = 0) -> str:
    """June, July and August in Sydney (AEST): the sun rises about seven and sets about five.

    middle: hour of the most, by the sun's noon at twelve. hours: by which the clock of the file is ahead.
    """
    rows = ["Time,System Production (Wh)"]
    for n in range(92):
        for slot in range(48):
            kwh = max(0.0, 1 - abs(slot / 2 + 0.25 - middle) / 4) if 14 <= slot < 34 else 0.0
            at = datetime.combine(date(2025, 6, 1), time()) + timedelta(days=n, minutes=30 * slot + 60 * hours)
            rows.append(f"{at:%Y-%m-%d %H:%M},{kwh * 1000:.0f}")
    return "\n".join([*rows, ""])


def bought_only() -> str:
    when = [f"{date(2025, 6, 1) + timedelta(n):%Y%m%d}" for n in range(92)]
    return nem12(register("E1"), *(day(each, [0.4] * 48) for each in when))


@pytest.fixture
def home(tmp_path: Path) -> Context:
    return Context(db=tmp_path / "household.db", today=date(2025, 9, 1))


@pytest.fixture
def put(home: Context, tmp_path: Path):
    def run(service_point: str | None = None, **files: str):
        paths = []
        for name, text in files.items():
            path = tmp_path / f"{name}.csv"
            path.write_text(text)
            paths.append(path)
        return load(Context(home.db, home.today, None, service_point), paths).files

    return run


def test_generation_joins_the_only_meter_whatever_the_order(home: Context, put) -> None:
    [of_meter, of_inverter] = put(inverter=inverter(), meter=meter())
    assert (of_meter.kind, of_inverter.kind, of_inverter.added, of_inverter.problems) == ("nem12", "inverter", 30, ())
    [point] = usage(home).service_points
    directions = {row.direction: row.total for row in point.registers}
    assert directions["generation"] == pytest.approx(sum(made(n, slot) for n in range(DAYS) for slot in range(48)))
    assert point.import_kwh == pytest.approx(directions["import"])  # generation is in no total of the meter


def test_again_changes_nothing(put) -> None:
    put(meter=meter(), inverter=inverter())
    [again] = put(inverter=inverter())
    assert (again.added, again.updated, again.unchanged) == (0, 0, 30)


def test_without_a_meter_it_is_refused(put) -> None:
    [of_bank, alone] = put(
        inverter=inverter(), bank="Date,Description,Amount\n01/01/2025,Shop,-5.00\n02/01/2025,Shop,-6.00\n"
    )
    assert of_bank.kind == "bank-csv"
    assert (alone.kind, len(alone.problems)) == (None, 1)


def test_of_several_meters_one_is_named(home: Context, put) -> None:
    *_, refused = put(one=meter(), two=meter("4103000002"), inverter=inverter())
    assert refused.kind is None
    [taken] = put("4103000002", inverter=inverter())
    assert taken.added == 30


def test_generation_of_another_home_is_refused(put) -> None:
    """Its dull days are the meter's bright ones."""
    [_, refused] = put(meter=meter(), inverter=inverter(lambda n: n + 1 + n % 3 % 2))
    assert (refused.kind, len(refused.problems)) == (None, 1)


def by_the_sun(taken: ImportedFile) -> list[str]:
    return [code for code in taken.note_codes if code.startswith(("file_clock", "generation_off_noon"))]


def test_beside_a_battery_that_sells_generation_is_no_other_homes(put) -> None:
    """On each day the battery sells 18 kWh, which may come from the grid; the panels make up to 24."""
    _, file = put(meter=meter(late_kwh=3.0), inverter=inverter())
    assert file.added == DAYS
    assert not file.problems
    assert "generation_beside_battery" in file.note_codes


@pytest.mark.parametrize("hours", [-3, 3, 5, -10])
def test_the_sun_shows_a_wrong_clock_where_the_meter_exports_nothing(put, hours: int) -> None:
    """A winter of a roof that faces north, by a clock that is hours off."""
    [_, taken] = put(meter=bought_only(), inverter=winter(middle=12, hours=hours))
    assert taken.added
    assert by_the_sun(taken) == ["file_clock_off"]
    (note,) = (note for note in taken.notes if note.code == "file_clock_off")
    assert note.figures["side"] == ("late" if hours > 0 else "early")
    assert abs(int(str(note.figures["hours"])) - abs(hours)) <= 1


@pytest.mark.parametrize(
    ("middle", "codes"), [(12, []), (13.4, ["generation_off_noon"]), (10.6, ["generation_off_noon"])]
)
def test_an_hour_from_noon_may_be_the_roof_or_the_clock(put, middle: float, codes: list[str]) -> None:
    [_, taken] = put(meter=bought_only(), inverter=winter(middle=middle))
    assert by_the_sun(taken) == codes


@pytest.mark.parametrize(("hours", "warned"), [(1, False), (4, True), (-2, True)])
def test_another_clock_is_warned_of(put, hours: int, warned: bool) -> None:
    [_, taken] = put(meter=meter(), inverter=inverter(hours=hours))
    assert taken.added == 30
    assert [problem.severity for problem in taken.problems] == ["warning"] * warned


def test_generation_of_days_that_have_not_been_yet_is_left_out(home: Context, tmp_path: Path) -> None:
    """Of 30 days from 1 January those after 21 January have not been on the twentieth."""
    for name, text in (("meter", meter()), ("inverter", inverter())):
        (tmp_path / f"{name}.csv").write_text(text)
    on_the_twentieth = Context(home.db, date(2025, 1, 20))
    of_inverter, of_meter = sorted(
        load(on_the_twentieth, [tmp_path / "meter.csv", tmp_path / "inverter.csv"]).files,
        key=lambda file: file.kind or "",
    )
    assert (of_inverter.kind, of_inverter.added, of_inverter.rejected) == ("inverter", 21, 9)
    assert (of_meter.kind, of_meter.added, of_meter.rejected) == ("nem12", 42, 18)
    (point,) = usage(on_the_twentieth).service_points
    assert point.to == date(2025, 1, 21)


def test_the_half_hours_of_a_day_show_what_was_generated(home: Context, put) -> None:
    put(meter=meter())
    day = FIRST + timedelta(1)
    before = usage_detail(home, first=day, last=day).half_hours
    assert before["generation_kwh"].null_count() == before.height == 48
    put(inverter=inverter())
    after = usage_detail(home, first=day, last=day).half_hours
    assert after["generation_kwh"].sum() == pytest.approx(sum(made(1, slot) for slot in range(48)))
    assert after["export_kwh"].sum() == before["export_kwh"].sum()
