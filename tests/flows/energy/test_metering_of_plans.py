"""`compare` leads with a plan that this home can have: its meter channels, and no car or battery that is not known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run, command_line
from tests.flows.energy.test_offered_plans import NOWHERE, compared, ids, plan, stored
from tests.meters import day as meter_day
from tests.meters import days, nem12, register
from tests.problems import names

OFF_PEAK = {"controlledLoad": [{"displayName": "Off-peak", "singleRate": {"rates": [{"unitPrice": "0.10"}]}}]}


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("TOOLKIT_DB", str(tmp_path / "home.db"))
    return command_line(monkeypatch, capsys)


def market(call: Run, folder: Path, *plans: dict[str, Any]) -> dict[str, Any]:
    """What 12 kWh a day cost on OWN, at 40 c, and on the others."""
    stored(call, folder, plan("OWN", "0.40", "Ausgrid"), *plans)
    call("household", "set", "--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN")
    return compared(call)


def off_peak_heating(call: Run, folder: Path) -> None:
    """4.8 kWh a day more, on a controlled load channel."""
    load = folder / "load.csv"
    load.write_text(nem12(register("E2", nmi=NOWHERE), *(meter_day(w, ["0.1"] * 48) for w in days("2025-03-01", 365))))
    call("import", load, "--controlled-load", "E2")


class TestControlledLoad:
    def test_of_two_of_one_price_the_one_without_is_first_and_the_other_says_why(
        self,
        call: Run,
        tmp_path: Path,
    ) -> None:
        answer = market(call, tmp_path, plan("A-LOAD", "0.30", "Ausgrid", contract=OFF_PEAK), plan("B", "0.30"))
        assert ids(answer) == ["B", "A-LOAD", "OWN"]
        assert names(answer["plans"][1]["conditions"][0], "controlled load", "does not have")
        assert answer["plans"][0]["conditions"] == []

    def test_a_cheaper_one_with_it_is_not_the_headline_of_a_home_without(
        self,
        call: Run,
        tmp_path: Path,
    ) -> None:
        answer = market(call, tmp_path, plan("LOAD", "0.20", "Ausgrid", contract=OFF_PEAK), plan("B", "0.30"))
        assert ids(answer) == ["LOAD", "B", "OWN"]
        assert (answer["headline"]["plan_id"], answer["headline"]["saving"]) == ("B", "481.80")  # 4,380 kWh × 11 c

    def test_a_home_that_has_it_is_led_to_the_plan_with_a_price_for_it(
        self,
        call: Run,
        tmp_path: Path,
    ) -> None:
        """LOAD: 365 × 1.10 + 4,380 × 33 c + 1,752 × 11 c = 2,039.62. FLAT: 365 × 1.10 + 6,132 × 22 c = 1,750.54.

        Each month's line is rounded: of 31 days (7) 16.368 to 16.37 and 114.576 to 114.58, of 28 14.784 and 103.488.
        """
        market(call, tmp_path, plan("LOAD", "0.30", "Ausgrid", contract=OFF_PEAK), plan("FLAT", "0.20", "Ausgrid"))
        off_peak_heating(call, tmp_path)
        answer = compared(call)
        assert [(row["plan_id"], row["total"]) for row in answer["plans"][:2]] == [
            ("FLAT", "1750.57"),
            ("LOAD", "2039.63"),
        ]
        assert names(answer["plans"][0]["conditions"][0], "no price", "controlled load")
        assert answer["headline"]["plan_id"] == "LOAD"

    def test_the_plan_that_the_home_is_on_is_never_doubted(self, call: Run, tmp_path: Path) -> None:
        market(call, tmp_path)
        off_peak_heating(call, tmp_path)
        answer = compared(call)
        assert (answer["current"]["conditions"], answer["headline"]["plan_id"]) == ([], "OWN")


class TestNamedAfterEquipment:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("EV Night Saver", "with an electric vehicle"),
            ("Home EVs Plan", "with an electric vehicle"),
            ("Electric Car Charging", "with an electric vehicle"),
            ("Battery Boost", "with a battery"),
        ],
    )
    def test_it_is_never_the_headline(
        self,
        call: Run,
        tmp_path: Path,
        name: str,
        words: str,
    ) -> None:
        answer = market(call, tmp_path, plan("NAMED", "0.20", "Ausgrid", displayName=name))
        assert (answer["plans"][0]["plan_id"], answer["plans"][0]["open"]) == ("NAMED", False)
        assert words in answer["plans"][0]["notes"][0]
        assert answer["headline"]["plan_id"] == "OWN"

    @pytest.mark.parametrize("name", ["Non-EV Saver", "Seven Day Saver", "Everyday", "Saver without battery"])
    def test_a_name_that_says_otherwise_closes_no_plan(
        self,
        call: Run,
        tmp_path: Path,
        name: str,
    ) -> None:
        answer = market(call, tmp_path, plan("NAMED", "0.20", "Ausgrid", displayName=name))
        assert (answer["headline"]["plan_id"], answer["headline"]["open"]) == ("NAMED", True)

    @pytest.mark.parametrize(
        "text",
        [
            "You must own or lease an eligible EV",
            "For customers who own a fully electric vehicle",
            "Only for EV drivers in our network",
            "You have an eligible plug-in electric vehicle at home",
        ],
    )
    def test_texts_about_a_car(self, call: Run, tmp_path: Path, text: str) -> None:
        asked = plan("ASKED", "0.20", "Ausgrid", contract={"eligibility": [{"type": "OTHER", "information": text}]})
        answer = market(call, tmp_path, asked)
        assert "electric vehicle" in answer["plans"][0]["notes"][0]
        assert answer["headline"]["plan_id"] == "OWN"
