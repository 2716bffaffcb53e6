from __future__ import annotations

import json
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.meters import level
from tests.problems import names
from toolkit.answers.households import Households
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import Context, create_household, household_for_files
from toolkit.flows.household.holdings import meter_labels
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import plan_named, set_home, set_home_by_field
from toolkit.flows.imports.load import load
from toolkit.store import open_store


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", date(2026, 3, 4))


def test_what_files_cannot_tell_is_kept_with_the_household(ctx: Context) -> None:
    assert homes(ctx) == Households(households=())
    set_home(ctx, postcode="3000", network="CitiPower", panels_kw=6.6, plan_since=date(2025, 7, 1))
    set_home(ctx, billing="quarterly")
    set_home(ctx, name="Beach", timezone="Australia/Melbourne", network="")
    home = homes(ctx).households[0]
    assert home.billing == "quarterly"
    assert (home.name, home.postcode, home.panels_kw) == ("Beach", "3000", 6.6)
    assert (home.network, home.timezone, home.plan_since) == (None, "Australia/Melbourne", date(2025, 7, 1))


def test_a_plan_of_a_fuel_that_no_meter_measures_is_refused(ctx: Context, tmp_path: Path) -> None:
    gas = {"tariffPeriod": [{"singleRate": {"rates": [{"unitPrice": "0.03"}]}}]}
    (tmp_path / "gas.json").write_text(
        json.dumps({"planId": "G1@EME", "displayName": "Warm", "fuelType": "GAS", "gasContract": gas})
    )
    set_home(ctx, plan_id=plan_named(ctx, str(tmp_path / "gas.json")))  # no meter is known yet
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2024, 7, 1), 2))
    load(ctx, [tmp_path / "meter.csv"])
    with pytest.raises(UsageError, match=r"Warm .*gas") as refused:
        set_home(ctx, plan_id="G1@EME")
    assert "G1" not in str(refused.value)  # a page says it too, which names no plan by its id


@pytest.mark.parametrize(
    "facts",
    [
        {"postcode": "30"},
        {"timezone": "Australia/Nowhere"},
        {"timezone": "../etc"},
        {"customer_type": "robot"},
        {"panels_kw": -1},
        {"panels_kw": "many"},
        {"plan_since": "soon"},
        {"billing": "weekly"},
        {"state": "Utah"},
        {"shoe_size": 9},
        {"name": " "},
    ],
)
def test_impossible_facts_are_refused_in_words(ctx: Context, facts: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        set_home(ctx, **facts)
    assert homes(ctx).households == ()


def test_names_are_unique_and_ids_follow_from_them(ctx: Context, tmp_path: Path) -> None:
    first = add_home(ctx, "Beach").households[0].id
    with pytest.raises(UsageError, match="Beach"):
        add_home(ctx, "Beach")
    other = Context(tmp_path / "other.db", ctx.today)
    assert add_home(other, "Beach").households[0].id == first


def test_several_households_need_a_name(ctx: Context) -> None:
    add_home(ctx, "Beach")
    add_home(ctx, "City")
    with pytest.raises(ChoiceRequiredError) as refused:
        set_home(ctx, postcode="3000")
    assert refused.value.choices == ["Beach", "City"]
    set_home(Context(ctx.db, ctx.today, household="City"), postcode="3000")
    assert [home.postcode for home in homes(ctx).households] == [None, "3000"]


def test_where_files_go(ctx: Context) -> None:
    with open_store(ctx.db) as store:
        home = household_for_files(store, None)
        assert (home.name, household_for_files(store, None)) == ("Home", home)
        store.upsert("end_users", [{**_person(home.household_id), "email": "a@b.example"}])
        assert household_for_files(store, "a@b.example") == home
        assert household_for_files(store, "Cabin").name == "Cabin"
        with pytest.raises(ChoiceRequiredError):
            household_for_files(store, None)
        assert create_household(store, "Third", postcode="2000").postcode == "2000"


def test_a_new_name_that_is_nearly_a_known_one_must_be_said_to_be_new(run: Run, home: Path, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n10/01/2026,-10.00,SHOP\n")

    def imported(*options: str) -> int:
        return run("import", tmp_path / "bank.csv", *options).code

    def names() -> list[str]:
        return [home["name"] for home in run("household", "list", "--json").json["households"]]

    assert imported("--household", "Smith") == 0
    slip = run("import", tmp_path / "bank.csv", "--household", "Smiht")
    assert (slip.code, slip.err.count("\n")) == (2, 1)
    assert all(named in slip.err for named in ("'Smiht'", "--new", "Smith"))
    assert imported("--household", "smith") == 2
    assert run("connect", "--household", "Smit", "--end-user", "eu").code != 0
    assert names() == ["Smith"]
    assert imported("--household", "Smiht", "--new") == 0
    assert imported("--household", "Client 1") == imported("--household", "Client 2") == 0  # meant to differ
    assert names() == ["Client 1", "Client 2", "Smiht", "Smith"]


@pytest.mark.parametrize(("typed", "made"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_it_is_asked(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, made: bool
) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n10/01/2026,-10.00,SHOP\n")
    run("household", "add", "Smith")
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    ended = run("import", tmp_path / "bank.csv", "--household", "Smiht")
    assert all(named in ended.err for named in ("'Smiht'", "Smith", "[y/N]"))
    assert ended.code == (0 if made else 2)
    known = [home["name"] for home in run("household", "list", "--json").json["households"]]
    assert known == (["Smiht", "Smith"] if made else ["Smith"])


def _person(household_id: str) -> dict[str, object]:
    return {"household_id": household_id, "end_user_id": "eu", "state": "connected"}


def test_a_stale_form_replaces_nothing_that_was_changed_since(tmp_path: Path) -> None:
    """Two tabs show the same home; the second saves what it showed before the first had saved."""
    ctx = Context(tmp_path / "home.db", date(2026, 7, 15))
    (shown,) = set_home(ctx, postcode="2000", panels_kw="5", persons=["Kim Nguyen"]).households
    form = {"name": "Home", "postcode": "2000", "panels_kw": "5", "timezone": "", "embedded_network": False}
    first = {**form, "postcode": "2600", "persons": ["", "Lee Tran"]}
    assert set_home_by_field(ctx, shown=shown, **first) == {}
    second = {**form, "panels_kw": "6.6", "persons": ["", "Kim Nguyen"]}
    assert set_home_by_field(ctx, shown=shown, **second) == {}
    third = {**form, "postcode": "3000", "persons": ["", "Ash Roy"]}
    refused = set_home_by_field(ctx, shown=shown, **third)
    assert refused.keys() == {"postcode", "persons"}
    assert names(refused["postcode"], "2600")
    assert names(refused["persons"], "Lee Tran")
    (now,) = homes(ctx).households
    assert (now.postcode, now.panels_kw, now.persons) == ("2600", 6.6, ("Lee Tran",))
    assert set_home_by_field(ctx, shown=now, **{**third, "panels_kw": "6.6"}) == {}
    assert homes(ctx).households[0].postcode == "3000"


def test_a_meter_is_called_by_the_end_of_its_number_unless_two_end_alike(ctx: Context, tmp_path: Path) -> None:
    for number in ("4103000001", "4103000022"):
        (tmp_path / f"{number}.csv").write_text(level(number, date(2024, 7, 1), 2))
        load(ctx, [tmp_path / f"{number}.csv"])
    assert [label.split()[-1] for label in meter_labels(ctx).values()] == ["0001", "0022"]
    (tmp_path / "third.csv").write_text(level("6203000022", date(2024, 7, 1), 2))
    load(ctx, [tmp_path / "third.csv"])
    assert [label.split()[-1] for label in meter_labels(ctx).values()] == ["0001", "4103000022", "6203000022"]
