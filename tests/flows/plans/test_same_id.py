"""The same plan id from two retailers is two plans, with a warning, wherever plans come from."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, flat_plan
from tests.flows.energy.invoices import read
from tests.flows.plans.plan_shop import LISTED, Shop, counts, listed, plan, stored
from toolkit.api.plan_register import Register
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.fetch import fetch
from toolkit.flows.plans.here import Place, fetch_here
from toolkit.flows.plans.listed import plan_list
from toolkit.store import open_store

Json = dict[str, object]

ONE = flat_plan("SAME@EME", "30", brandName="Wren Energy", displayName="Saver")
OTHER = flat_plan("SAME@EME", "20", brandName="Heron Power", displayName="Saver")
TOTALS = {"Wren Energy": Decimal("267.30"), "Heron Power": Decimal("188.10")}
"""30 days at 0.99 and 24 kWh a day at 0.33 or 0.22."""


@pytest.fixture
def home(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "home.db", date(2024, 7, 1))
    read(ctx, NMI, date(2024, 6, 1), 30, "0.5")
    return ctx


def test_two_retailers_in_files_are_two_plans(home: Context, tmp_path: Path) -> None:
    warned = []
    for name, given in (("one", ONE), ("other", OTHER), ("other", OTHER)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(given))
        (file,) = load(home, [path]).files
        warned.append([problem.severity for problem in file.problems])
    assert warned == [[], ["warning"], ["warning"]]
    assert [(each.plan_id, each.retailer) for each in plan_list(home).plans] == [
        ("SAME@EME", "Wren Energy"),
        ("SAME@EME~heronpower", "Heron Power"),
    ]
    assert {each.retailer: each.total for each in compare(home).plans} == TOTALS
    set_home(home, plan_id="same@eme~heronpower")
    current = compare(home).current
    assert current is not None
    assert (current.retailer, current.total) == ("Heron Power", TOTALS["Heron Power"])


def test_two_retailers_in_a_file_that_is_compared_with(home: Context, tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_text(json.dumps([ONE, OTHER]))
    answer = compare(home, filters=PlanFilters(plans=str(path)))
    assert {each.retailer: each.total for each in answer.plans} == TOTALS
    assert [problem.severity for problem in answer.problems] == ["warning"]


def test_a_brand_spelt_otherwise_or_missing_is_the_same_retailer(home: Context, tmp_path: Path) -> None:
    path = tmp_path / "spelt.json"
    path.write_text(json.dumps([ONE, {**ONE, "brandName": "WREN energy"}, flat_plan("SAME@EME", "31")]))
    assert load(home, [path]).files[0].problems == ()
    assert [each.plan_id for each in plan_list(home).plans] == ["SAME@EME"]


def test_two_retailers_in_the_register(ctx: Context, source: Register, shop: Shop) -> None:
    shop.plans = {
        "alpha": {"P1@EME": plan("P1@EME")},
        "beta": {"P1@EME": {**plan("P1@EME"), "brandName": "Other Energy"}},
    }
    answer = fetch(ctx, source, retailers=["alpha", "beta"])
    assert counts(answer) == [("alpha", 1, 1, 1, 0, 0, 0, 0), ("beta", 1, 1, 1, 0, 0, 0, 0)]
    assert [problem.severity for problem in answer.problems] == ["warning"]
    assert stored(ctx) == {"P1@EME": (1, False), "P1@EME~otherenergy": (1, False)}
    again = fetch(ctx, source, retailers=["alpha", "beta"])
    assert counts(again) == [("alpha", 1, 0, 0, 0, 1, 0, 0), ("beta", 1, 0, 0, 0, 1, 0, 0)]
    shop.plans["beta"] = {"B@EME": plan("B@EME")}
    for _ in range(2):
        fetch(ctx, source, retailers=["alpha", "beta"])
    assert stored(ctx)["P1@EME"] == (1, False)


@pytest.mark.parametrize("order", [("alpha", "beta"), ("beta", "alpha")])
@pytest.mark.parametrize("brand_listed", [True, False])
def test_the_second_retailer_is_read_though_the_first_has_a_plan_of_this_id_and_date(
    ctx: Context, source: Register, shop: Shop, order: tuple[str, str], brand_listed: bool
) -> None:
    """Both plans have the same `lastUpdated`; a list may name the brand of its plans or not."""
    shop.listed = (*LISTED, "brandName") if brand_listed else LISTED
    shop.plans = {
        "alpha": {"P1@EME": plan("P1@EME", "0.30")},
        "beta": {"P1@EME": {**plan("P1@EME", "0.20"), "brandName": "Other Energy"}},
    }
    first, second = order
    fetch(ctx, source, retailers=[first])
    answer = fetch(ctx, source, retailers=[second])
    assert counts(answer) == [(second, 1, 1, 1, 0, 0, 0, 0)]
    assert [problem.severity for problem in answer.problems] == ["warning"]
    apart = "P1@EME~otherenergy" if second == "beta" else "P1@EME~exampleenergy"
    assert stored(ctx) == {"P1@EME": (1, False), apart: (1, False)}
    for retailer in order:  # nothing changed since
        assert counts(fetch(ctx, source, retailers=[retailer])) == [(retailer, 1, 0, 0, 0, 1, 0, 0)]
    shop.plans[second] = {f"P{number}@EME": plan(f"P{number}@EME") for number in (2, 3)}
    assert fetch(ctx, source, retailers=[second]).retailers[0].removed == 1
    assert (stored(ctx)["P1@EME"], stored(ctx)[apart]) == ((1, False), (1, True))


def test_a_plan_that_the_home_cannot_have_does_not_count_as_read(ctx: Context, source: Register, shop: Shop) -> None:
    here, there = ({"geography": {"includedPostcodes": [code]}} for code in ("2000", "3000"))
    shop.brands = [listed(name, f"{source.base_url}/{name}") for name in ("alpha", "beta")]
    shop.plans = {
        "alpha": {"P1@EME": plan("P1@EME") | here},
        "beta": {"P1@EME": {**plan("P1@EME"), "brandName": "Other Energy"} | there},
    }
    assert fetch_here(ctx, source, Place(postcode="2000")).retailers[0].fetched == 1
    fetch_here(ctx, source, Place(postcode="3000"))
    assert stored(ctx) == {"P1@EME": (1, False), "P1@EME~otherenergy": (1, False)}


@pytest.mark.parametrize("layout", ["one file", "lines", "folder"])
@pytest.mark.parametrize("given", [(ONE, OTHER), (OTHER, ONE)])
def test_both_in_one_import(home: Context, tmp_path: Path, layout: str, given: tuple[Json, Json]) -> None:
    path = tmp_path / "plans"
    if layout == "folder":
        path.mkdir()
        for number, each in enumerate(given):
            (path / f"{number}.json").write_text(json.dumps(each))
    else:
        path.write_text(json.dumps(given) if layout == "one file" else "\n".join(map(json.dumps, given)))
    files = load(home, [path]).files
    assert [problem.severity for file in files for problem in file.problems] == ["warning"]
    assert {each.retailer: each.total for each in compare(home).plans} == TOTALS
    assert {each.retailer: each.total for each in compare(home, filters=PlanFilters(plans=str(path))).plans} == TOTALS


def test_a_plan_stays_apart_when_the_first_ones_file_is_deleted(home: Context, tmp_path: Path) -> None:
    for name, given in (("one", ONE), ("other", OTHER)):
        (tmp_path / f"{name}.json").write_text(json.dumps(given))
        load(home, [tmp_path / f"{name}.json"])
    forget(home, file="one.json")
    (tmp_path / "again.json").write_text(json.dumps({**OTHER, "lastUpdated": "2025-01-01T00:00:00Z"}))
    assert load(home, [tmp_path / "again.json"]).files[0].problems == ()
    assert [each.plan_id for each in plan_list(home).plans] == ["SAME@EME~heronpower"]


def test_an_earlier_database_parts_them_when_it_is_opened(home: Context, tmp_path: Path) -> None:
    """Until format 2 they were versions of one plan."""
    path = tmp_path / "both.ndjson"
    path.write_text(f"{json.dumps(ONE)}\n{json.dumps(OTHER)}\n")
    load(home, [path])
    with closing(sqlite3.connect(home.db)) as connection, connection:
        connection.execute("UPDATE plans SET plan_id = 'SAME@EME'")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = '0003_plans_by_retailer'")
        connection.execute("PRAGMA user_version = 2")
    with open_store(home.db) as store:
        assert store.count("plans", where={"plan_id": "SAME@EME"}) == 1
    assert {each.retailer: each.total for each in compare(home).plans} == TOTALS
