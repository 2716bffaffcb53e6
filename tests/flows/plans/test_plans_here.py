"""`plans fetch --here`: which plans are asked for, and which are not."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import read
from tests.flows.plans.plan_shop import LATER, Shop, asked_for, listed, plan, stored
from tests.scripted_service import ScriptedService
from toolkit.api.plan_register import Register
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.plans.here import Place, fetch_here, plan_prices

SYDNEY = Place("2042")


def at(plan_id: str, *postcodes: str, network: str = "Ausgrid", **more: object) -> dict[str, object]:
    geography = {"distributors": [network], "includedPostcodes": list(postcodes)}
    return plan(plan_id) | {"customerType": "RESIDENTIAL", "geography": geography} | more


@pytest.fixture
def shop() -> Shop:
    alpha = [
        at("HERE", "2042", "2043"),
        at("RANGE", "2000-2100"),
        at("GAS", "2042", network="Jemena Gas Networks", fuelType="GAS"),
        at("DUAL", "2042", fuelType="DUAL"),
        at("MELBOURNE", "3000", network="CitiPower"),
        at("BUSINESS", "2042", customerType="BUSINESS"),
        at("ENDED", "2042", effectiveTo="2026-02-28"),
        at("ESSENTIAL", "2042", network="Essential Energy"),
        plan("ANYWHERE"),
    ]
    beta = [at("B1", "2042"), at("B2", "2570")]
    return Shop({"alpha": {str(p["planId"]): p for p in alpha}, "beta": {str(p["planId"]): p for p in beta}})


@pytest.fixture(autouse=True)
def brands(shop: Shop, source: Register) -> None:
    shop.brands = [listed("Alpha", f"{source.base_url}/alpha"), listed("Beta", f"{source.base_url}/beta")]


def details(service: ScriptedService) -> set[str]:
    return {path.partition("/")[2] for path in asked_for(service)} - {""}


EVERYTHING_AT_2042 = {"HERE", "RANGE", "GAS", "DUAL", "ESSENTIAL", "ANYWHERE", "B1"}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (SYDNEY, EVERYTHING_AT_2042),
        (Place("2042", fuels=("ELECTRICITY",)), EVERYTHING_AT_2042 - {"GAS"}),
        (Place("2042", network="Ausgrid"), EVERYTHING_AT_2042 - {"ESSENTIAL"}),
        (Place("2042", customer="business"), {"BUSINESS", "ANYWHERE"}),
        (Place("2570", fuels=("GAS",)), set()),
        (Place(network="CitiPower"), {"MELBOURNE", "GAS", "ANYWHERE"}),
    ],
)
def test_only_plans_of_the_place_the_customer_and_the_fuel_are_asked_for(
    ctx: Context, source: Register, service: ScriptedService, place: Place, expected: set[str]
):
    answer = fetch_here(ctx, source, place)
    assert details(service) == expected
    assert set(stored(ctx)) == expected
    assert sum(row.not_here for row in answer.retailers) == 11 - len(expected)
    assert (answer.postcode, answer.to_go, answer.failed) == (place.postcode, 0, ())
    assert [note.code for note in answer.notes] == ([] if expected else ["no_plans_here"])


def test_the_home_and_its_meters_say_where(ctx: Context, source: Register, service: ScriptedService):
    read(ctx, NMI, date(2026, 2, 1), 5, "0.5")
    set_home(ctx, postcode="2042", network="Essential Energy")
    fetch_here(ctx, source)
    assert details(service) == {"ESSENTIAL", "ANYWHERE"}


def test_a_second_run_asks_for_what_changed_and_another_postcode_for_its_own(
    ctx: Context, source: Register, service: ScriptedService, shop: Shop
):
    fetch_here(ctx, source, SYDNEY)
    assert details(service) == EVERYTHING_AT_2042
    fetch_here(ctx, source, SYDNEY)
    assert details(service) == set()
    shop.plans["beta"]["B1"] |= {"lastUpdated": LATER}
    shop.plans["beta"]["B3"] = at("B3", "2042")
    del shop.plans["alpha"]["RANGE"]
    answer = fetch_here(ctx, source, SYDNEY)
    assert details(service) == {"B1", "B3"}
    assert stored(ctx)["RANGE"] == (1, True)
    assert {row.retailer: row.removed for row in answer.retailers} == {"alpha": 1, "beta": 0}
    fetch_here(ctx, source, Place("3000"))
    assert details(service) == {"MELBOURNE"}


def test_at_most_so_many_requests_of_each_retailer_in_turn(ctx: Context, source: Register, service: ScriptedService):
    answer = fetch_here(ctx, source, SYDNEY, most_requests=10)
    assert len(service.asked) == answer.requests == 10  # brands, five and one pages, three plans
    assert {row.retailer: row.added for row in answer.retailers} == {"alpha": 2, "beta": 1}
    assert answer.to_go == 4


def test_without_a_postcode_nothing_is_asked(ctx: Context, source: Register, service: ScriptedService):
    with pytest.raises(UsageError, match="postcode"):
        fetch_here(ctx, source)
    for wrong in (Place("20x2"), Place("204")):
        with pytest.raises(UsageError):
            fetch_here(ctx, source, wrong)
    with pytest.raises(ChoiceRequiredError):
        fetch_here(ctx, source, Place("2042", network="Ausgird"))
    assert service.asked == []


@pytest.mark.parametrize(("days", "old"), [(0, False), (60, False), (61, True)])
def test_prices_are_old_sixty_days_after_they_were_looked_up(ctx: Context, source: Register, days: int, old: bool):
    assert plan_prices(ctx).looked_up is None
    fetch_here(ctx, source, SYDNEY)
    looked_up = plan_prices(ctx).looked_up
    assert looked_up is not None
    later = plan_prices(Context(ctx.db, looked_up + timedelta(days)))
    assert (later.offered, later.old) == (len(EVERYTHING_AT_2042), old)


def test_the_command(run: Run, service: ScriptedService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOOLKIT_REGISTER_URL", service.url)
    db = str(tmp_path / "new.db")
    asked = ("--db", db, "--today", "2026-03-01", "--json")
    ended = run("plans", "fetch", "--here", "--postcode", "2042", "--fuel", "electricity", *asked)
    answer = ended.json
    assert (ended.code, answer["postcode"], answer["to_go"]) == (0, "2042", 0)
    assert sum(row["added"] for row in answer["retailers"]) == len(EVERYTHING_AT_2042) - 1
    assert run("plans", "fetch", "--here", *asked).code == 2
    assert run("plans", "fetch", "--postcode", "2042", "--all", *asked).code == 2
    assert run("plans", "fetch", "--here", "--all", *asked).code == 2
    add_home(Context(Path(db), date(2026, 3, 1)), "Home", postcode="2042")
    assert run("plans", "fetch", "--here", *asked).code == 0
