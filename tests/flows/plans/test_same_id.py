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
from tests.flows.plans.plan_shop import Shop, counts, plan, stored
from toolkit.api.plan_register import Register
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.fetch import fetch
from toolkit.flows.plans.listed import plan_list
from toolkit.store import open_store

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
    fetch(ctx, source, retailers=["alpha", "beta"])
    assert stored(ctx)["P1@EME"] == (1, False)


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
