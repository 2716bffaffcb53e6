"""What a person knows of the panels: typed, stored and used."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolkit.answers.households import PanelArray
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.facts import as_text, in_words
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home, set_home_by_field


@pytest.fixture
def home(tmp_path: Path) -> Context:
    return Context(db=tmp_path / "household.db", today=date(2025, 3, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.4:north-east:22", PanelArray(4.4, 45.0, 22.0)),
        ("4.4kW:NE:22", PanelArray(4.4, 45.0, 22.0)),
        ("2:west", PanelArray(2.0, 270.0, None)),
        ("6.6", PanelArray(6.6, None, None)),
        ("3:350:10", PanelArray(3.0, 350.0, 10.0)),
        ("4.4 kW north-east 22°", PanelArray(4.4, 45.0, 22.0)),
        ("4.4kW North East, 22", PanelArray(4.4, 45.0, 22.0)),
        ("2 west", PanelArray(2.0, 270.0, None)),
        ("6.6 kW", PanelArray(6.6, None, None)),
        ("3 kW 350° 10°", PanelArray(3.0, 350.0, 10.0)),
        ("3::10", PanelArray(3.0, None, 10.0)),
    ],
)
def test_arrays_are_stored_as_typed(home: Context, text: str, expected: PanelArray) -> None:
    [stored] = set_home(home, arrays=(text,)).households
    assert stored.arrays == (expected,)
    for shown in (as_text(expected), in_words(expected)):
        set_home(home, arrays="")
        [again] = set_home(home, arrays=shown).households
        assert again.arrays == (expected,)


def test_a_form_stores_arrays_and_replaces_those_that_it_showed(home: Context) -> None:
    [shown] = set_home(home, name="Home").households
    rest: dict[str, Any] = {"name": "Home", "persons": ()}
    assert set_home_by_field(home, shown=shown, arrays="4.4 kW north 20°", **rest) == {}
    [first] = homes(home).households
    assert set_home_by_field(home, shown=first, arrays="4.4 kW north 22°; 2 kW west", **rest) == {}
    [second] = homes(home).households
    assert second.arrays == (PanelArray(4.4, 0.0, 22.0), PanelArray(2.0, 270.0, None))
    assert set(set_home_by_field(home, shown=first, arrays="4 kW east", **rest)) == {
        "arrays"
    }  # changed since it was shown
    assert homes(home).households == (second,)
    assert set_home_by_field(home, shown=second, arrays="", **rest) == {}
    assert homes(home).households[0].arrays == ()


def test_several_arrays_and_devices(home: Context) -> None:
    [stored] = set_home(home, arrays="4.4:north:20; 2.2:west:20", inverter_kw=5, battery_kwh=0).households
    assert [array.kw for array in stored.arrays] == [4.4, 2.2]
    assert (stored.inverter_kw, stored.battery_kwh) == (5, 0)
    [emptied] = set_home(home, arrays="", battery_kwh="").households
    assert (emptied.arrays, emptied.battery_kwh, emptied.inverter_kw) == ((), None, 5)


@pytest.mark.parametrize(
    "text",
    ["north", "4:up:20", "4:north:100", "0:north:20", "4:north:20:1", "-1:north:20", "4 kW up 20", "4 kW north 100°"],
)
def test_what_is_no_array_is_refused(home: Context, text: str) -> None:
    with pytest.raises(UsageError):
        set_home(home, arrays=(text,))
