"""What people see who open the database with other tools: plain SQLite, without a function of ours."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolkit
from tests.command_line import Run
from tests.many_cases import examples
from tests.meters import day, flat_plan, nem12, register
from tests.store.test_search import a_transaction
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import service_points
from toolkit.flows.plans.choice import plans_in_force, versions_for
from toolkit.settings import load
from toolkit.store import open_store
from toolkit.store.views import VIEWS, datasette_metadata
from toolkit.tables.registers import QUALITIES, QualityRun, pack, quality_runs
from toolkit.tables.schema import STORED

HOME, POINT = "h1", "sp"


def asked(db: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(db)) as reader:
        return reader.execute(question, values).fetchall()


def register_day(
    values: list[str], runs: list[QualityRun] | None = None, when: str = "2026-03-01", **more: Any
) -> dict[str, Any]:
    return {
        "household_id": HOME, "service_point_id": POINT, "meter_id": "m", "register_suffix": "E1", "date": when,
        "interval_minutes": 1440 // len(values), "unit": "KWH", "direction": "import", "controlled_load": False,
        "source": "file", **pack(values).columns(runs or []), **more,
    }  # fmt: skip


def test_views_answer_for_people_who_query(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    values = ["0.5"] * 47 + ["1.25"]
    with open_store(db) as store:
        store.upsert("register_days", [register_day(values)])
        store.upsert("register_days", [register_day(values, register_suffix="B1", direction="export")])
        store.upsert("transactions", [a_transaction(1, "COLES"), {**a_transaction(2, "X"), "status": "PENDING"}])
    assert asked(db, "SELECT date, energy, coverage FROM daily_energy")[0] == ("2026-03-01", 24.75, 1.0)
    assert asked(db, "SELECT import, export FROM daily_energy_by_service_point") == [(24.75, 24.75)]
    assert asked(db, "SELECT day_written, amount FROM posted_transactions") == [("2026-03-01", -4.5)]


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_the_columns_that_the_reference_lists(name: str, tmp_path: Path) -> None:
    open_store(tmp_path / "a.db").close()
    with closing(sqlite3.connect(tmp_path / "a.db")) as reader:
        columns = [column[0] for column in reader.execute(f"SELECT * FROM {name}").description]
    assert columns == list(VIEWS[name].columns)


def test_datasette_is_told_about_every_table_view_and_column() -> None:
    tables = datasette_metadata("household")["databases"]["household"]["tables"]
    for table in STORED:
        assert tables[table.name]["columns"].keys() == set(table.names)
        assert tables[table.name].get("hidden", False) == table.internal
    assert {name: tables[name]["columns"] for name in VIEWS} == {name: view.columns for name, view in VIEWS.items()}


def test_interval_reads_are_those_of_the_file(run: Run, tmp_path: Path) -> None:
    half_hours = [*["0.125"] * 20, "0", "3.5", "987.654321", *["0.000000001"] * 25]
    five_minutes = [f"{place / 1000:.3f}" for place in range(288)]
    rows = [
        register("E1"), day("20260101", half_hours), day("20260102", ["0.25"] * 48, flag="S52"),
        register("B1", minutes=5), day("20260101", five_minutes), day("20260102", five_minutes, flag="N"),
    ]  # fmt: skip
    (tmp_path / "meter.csv").write_text(nem12(*rows))
    assert run("import", tmp_path / "meter.csv").code == 0
    columns = "register_suffix, starts_at, interval_minutes, energy_nano, quality"
    seen = asked(load({}).db, f"SELECT {columns} FROM interval_reads ORDER BY register_suffix, starts_at")
    reads = toolkit.read_usage(tmp_path / "meter.csv").sort("register_suffix", "starts_at")
    expected = reads.select(columns.split(", ")).rows()
    assert [(*row[:1], datetime.fromisoformat(row[1]), *row[2:]) for row in seen] == expected
    assert len(seen) == 2 * (48 + 288)


decimals = st.decimals(0, 90_000, allow_nan=False, places=12).map(lambda value: format(value, "f"))
lengths = st.sampled_from([1, 24, 48, 96])


@given(st.data())
@settings(max_examples=examples(25), deadline=None)
def test_interval_reads_are_those_that_the_store_gives(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """Values of every width and with up to twelve decimals, and every quality."""
    db = tmp_path_factory.mktemp("reads") / "a.db"
    db.write_bytes(empty_database())
    count, places = data.draw(lengths), data.draw(st.integers(0, 12))
    drawn = data.draw(st.lists(decimals, min_size=count, max_size=count))
    values = [value[: len(value) - 12 + places] for value in drawn]
    qualities = data.draw(st.lists(st.sampled_from(QUALITIES), min_size=count, max_size=count))
    with open_store(db) as store:
        store.upsert("register_days", [register_day(values, quality_runs(qualities))])
        reads = store.reads(HOME).select("starts_at", "energy_nano", "quality").rows()
    seen = asked(db, "SELECT starts_at, energy_nano, quality FROM interval_reads ORDER BY starts_at")
    assert [(datetime.fromisoformat(at), *rest) for at, *rest in seen] == reads


# ---- which plan was in force on a day

FIRST = date(2025, 1, 1)
DAYS = [FIRST + timedelta(number) for number in range(-10, 110, 8)]
some_day = st.integers(0, 90).map(lambda number: FIRST + timedelta(number))


def a_plan(number: int, home: str, seen: date, plan_id: str = "A", **more: Any) -> dict[str, Any]:
    """A version of a plan with a price of its own, called by its number."""
    plan = json.loads(flat_plan(price=f"0.{number + 1}"))
    raw = {**plan, "planId": plan_id, "displayName": str(number), "effectiveFrom": more.get("effective_from")}
    return {
        "household_id": home, "plan_id": plan_id, "version": str(number), "source": "file", "name": str(number),
        "fuel_type": "ELECTRICITY", "raw": json.dumps(raw),
        "sequence": int((seen - date(1970, 1, 1)).total_seconds()), **more,
    }  # fmt: skip


@cache
def empty_database() -> bytes:
    """Creating one takes longer than all else of an example."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "a.db"
        open_store(db).close()
        return db.read_bytes()


def with_home(db: Path, **more: Any) -> None:
    db.write_bytes(empty_database())
    with open_store(db) as store:
        store.upsert("households", [{"household_id": HOME, "name": "Home", **more}])
        meter = {"id": POINT, "service_point_id": POINT, "fuel": "ELECTRICITY", "source": "file"}
        store.upsert("service_points", [{"household_id": HOME, **meter}])


def by_the_rule(db: Path) -> Iterator[tuple[str | None, bool]]:
    """Yield, day by day, the name of the plan that bills are priced on, and whether its prices are known."""
    with open_home(Context(db, FIRST)) as (store, household):
        [point] = service_points(store, household)
        versions = versions_for(store, HOME, point)
        for on in DAYS:
            [part] = plans_in_force(store, household, point, (on, on), versions)
            yield part.chosen.plan.name, part.unknown is None


def by_the_view(db: Path) -> Iterator[tuple[str | None, bool]]:
    days = json.dumps([on.isoformat() for on in DAYS])
    question = "SELECT name, is_known FROM json_each(?) JOIN plan_periods ON value BETWEEN valid_from AND valid_to"
    for name, known in asked(db, question + " ORDER BY value", days):
        yield name, bool(known)


account_version = st.fixed_dictionaries(
    {
        "start_date": st.none() | some_day,
        "days": st.none() | st.integers(0, 60),
        "is_current": st.booleans(),
        "seen": some_day,
        "effective_from": st.none() | some_day.map(str),
    }
)


@given(st.lists(account_version, min_size=1, max_size=4))
@settings(max_examples=examples(40), deadline=None)
def test_plan_periods_follow_the_account_as_bills_do(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, Any]]
) -> None:
    db = tmp_path_factory.mktemp("plans") / "a.db"
    with_home(db)
    with open_store(db) as store:
        for number, given_version in enumerate(versions):
            start, lasts = given_version["start_date"], given_version["days"]
            end = None if lasts is None else (start or FIRST) + timedelta(lasts)
            row = {
                "household_id": HOME, "account_id": "e", "plan_id": "A", "version": str(number), "start_date": start,
                "end_date": end, "is_current": given_version["is_current"],
            }  # fmt: skip
            store.upsert("account_plans", [row])
            plan = a_plan(number, HOME, given_version["seen"], effective_from=given_version["effective_from"])
            store.upsert("plans", [plan])
    assert list(by_the_view(db)) == list(by_the_rule(db))


named_version = st.fixed_dictionaries(
    {
        "plan_id": st.sampled_from("AB"),
        "effective_from": st.none() | some_day.map(str) | some_day.map(lambda on: f"{on}T14:00:00Z"),
        "last_updated": st.none() | some_day.map(str),
        "source": st.sampled_from(["register", "file"]),
    }
)


@given(st.lists(named_version, min_size=1, max_size=5), st.none() | some_day, st.none() | some_day)
@settings(max_examples=examples(40), deadline=None)
def test_plan_periods_follow_the_named_plans_as_bills_do(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, Any]], since: date | None, other: date | None
) -> None:
    db = tmp_path_factory.mktemp("plans") / "a.db"
    others = json.dumps([{"plan_id": "B", "since": other and other.isoformat()}])
    with_home(db, plan_id="A", plan_since=since, other_plans=others)
    with open_store(db) as store:
        for number, version in enumerate(versions):
            store.upsert("plans", [a_plan(number, "", FIRST + timedelta(number), **version)])
    assert list(by_the_view(db)) == list(by_the_rule(db))


def test_current_plans_has_the_period_of_today(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with_home(db, plan_id="A", plan_since=FIRST)
    with open_store(db) as store:
        store.upsert("plans", [a_plan(0, "", FIRST, effective_from=None)])
    assert asked(db, "SELECT household_id, service_point_id, plan_id, is_known FROM current_plans") == [
        (HOME, POINT, "A", 1)
    ]
