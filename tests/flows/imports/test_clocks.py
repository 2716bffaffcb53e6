"""A meter's file with a clock that fits neither sun, controlled load nor evenings is noted when it is imported."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tests.meters import day, days, nem12, register
from toolkit.answers.base import Note
from toolkit.answers.data import ImportedFile
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

FIRST, COUNT = date(2026, 5, 1), 60
HOURS = [0.1] * 6 + [0.3] + [0.4] * 9 + [0.6, 0.8, 0.9, 0.9, 0.8, 0.6, 0.3, 0.2]
"""Mean kWh of each half hour by the hour in eastern standard time: asleep until six, most about seven at night."""
DAY = [kwh for kwh in HOURS for _ in range(2)]
OVERNIGHT = [0.0 if 3 <= hour < 23 else 1.0 for hour in range(24) for _ in range(2)]


NONE = [0.0] * 48


def read(people: Sequence[float], machine: Sequence[float], number: int) -> float:
    """People use half as much to half as much again from one half hour to the next; a machine runs evenly."""
    return round(people[number % 48] * (0.5 + number * 37 % 101 / 100) + machine[number % 48], 3)


def table(people: Sequence[float]) -> str:
    start = datetime.combine(FIRST, datetime.min.time())
    times = (start + timedelta(minutes=30 * n) for n in range(48 * COUNT))
    return "NMI,Start,kWh\n" + "".join(
        f"4103000001,{at:%Y-%m-%d %H:%M},{read(people, NONE, n)}\n" for n, at in enumerate(times)
    )


def meter(people: Sequence[float], machine: Sequence[float] = NONE, suffix: str = "E1") -> str:
    reads = [[read(people, machine, 48 * n + slot) for slot in range(48)] for n in range(COUNT)]
    return nem12(
        register(suffix), *(day(when, shown) for when, shown in zip(days(str(FIRST), COUNT), reads, strict=True))
    )


def later(shown: Sequence[float], hours: int) -> list[float]:
    """The day by a clock that is ahead by so many hours."""
    return [shown[(n - 2 * hours) % 48] for n in range(48)]


def imported(folder: Path, text: str, **more: object) -> ImportedFile:
    folder.mkdir(exist_ok=True)
    (folder / "meter.csv").write_text(text)
    (file,) = load(Context(folder / "home.db", date(2026, 7, 15)), [folder / "meter.csv"], **more).files
    assert file.added
    return file


def clock_codes(file: ImportedFile) -> list[str]:
    return [code for code in file.note_codes if code.startswith("file_clock")]


def test_a_table_in_universal_time_names_the_zone_and_is_right_with_it(tmp_path: Path) -> None:
    text = table(later(DAY, -10))
    wrong = imported(tmp_path / "wrong", text)
    assert clock_codes(wrong) == ["file_clock_off"]
    (note,) = (note for note in wrong.notes if note.code == "file_clock_off")
    assert (note.figures["side"], note.figures["zone"]) == ("early", "UTC")
    assert abs(int(str(note.figures["hours"])) - 10) <= 1
    assert clock_codes(imported(tmp_path / "right", text, timezone="UTC")) == []


def test_a_file_that_states_its_clock_is_not_told_another_zone(tmp_path: Path) -> None:
    assert clock_codes(imported(tmp_path, meter(later(DAY, 9)))) == ["file_clock_off_fixed"]


@pytest.mark.parametrize("text", [table(DAY), meter(DAY), meter(NONE, [0.25] * 48), meter(later(DAY, 1))])
def test_right_clocks_and_days_without_a_shape_are_not_noted(text: str, tmp_path: Path) -> None:
    assert clock_codes(imported(tmp_path, text)) == []


def test_controlled_load_at_the_evening_peak_shows_a_clock_that_is_off(tmp_path: Path) -> None:
    file = imported(tmp_path / "wrong", meter(NONE, later(OVERNIGHT, -8), "E2"), controlled_load=["E2"])
    assert clock_codes(file) == ["file_clock_off_fixed"]
    assert Note("controlled_load_possible", register="E2") not in file.notes
    assert clock_codes(imported(tmp_path / "right", meter(NONE, OVERNIGHT, "E2"), controlled_load=["E2"])) == []


@pytest.mark.parametrize(
    ("kw", "first", "last"),
    [(3.2, 22, 5), (2.2, 22, 7), (1.0, 22, 6), (0.5, 22, 6), (2.2, 19, 7)],
)
def test_a_machine_that_runs_all_night_is_no_wrong_clock(kw: float, first: int, last: int, tmp_path: Path) -> None:
    """A vehicle or a heater, from a clock hour in the evening to one in the morning."""
    machine = [kw / 2 if slot >= 2 * first or slot < 2 * last else 0.0 for slot in range(48)]
    assert clock_codes(imported(tmp_path, meter(DAY, machine))) == []


NO_STATE = "9999000001"
"""A meter number of no state."""


def by_the_sun(noon: float) -> str:
    """A home that exports for six hours around an hour of AEST, all year."""
    first, count = date(2025, 7, 1), 365
    sold = [round(max(0.0, 1.5 * (1 - abs(slot / 2 + 0.25 - noon) / 3)), 3) for slot in range(48)]
    bought = [0.3 if kwh < 0.01 else 0.0 for kwh in sold]
    return nem12(
        register("E1", nmi=NO_STATE),
        *(day(when, bought) for when in days(str(first), count)),
        register("B1", nmi=NO_STATE),
        *(day(when, sold) for when in days(str(first), count)),
    )


def test_a_right_file_of_perth_is_not_wrong_where_nothing_says_where_the_home_is(tmp_path: Path) -> None:
    """The sun of Perth stands highest at a quarter past two by AEST, that of Sydney at noon; the roof faces west."""
    assert clock_codes(imported(tmp_path / "perth", by_the_sun(15.25))) == []
    assert clock_codes(imported(tmp_path / "nowhere", by_the_sun(20))) == ["file_clock_off_fixed"]
