"""The cache of compiled plans: in the data folder, for its owner alone, under any umask."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.meters import level
from toolkit.analytics.energy.pricing import tables
from toolkit.analytics.energy.pricing.rows import tables_of
from toolkit.analytics.energy.rates.compile import Compiled, compile_for_store, to_bytes
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.errors import ImportFailedError
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.energy.whatif import whatif
from toolkit.flows.household.context import Context, open_home, prepare
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans import catalogue
from toolkit.flows.plans.catalogue import PLANS_AT_ONCE, keep_compiled
from toolkit.flows.plans.choice import plans_at
from toolkit.flows.plans.my_plan import plans_of_retailer
from toolkit.flows.plans.typed import keep_typed_plan
from toolkit.store import open_store
from toolkit.tables.compiler import COMPILED_LAYOUT, COMPILER_VERSION
from toolkit.tables.rows.plans import Fuel, Plan

PLAN = {
    "planId": "FLAT1@EME",
    "fuelType": "ELECTRICITY",
    "electricityContract": {
        "tariffPeriod": [
            {
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharge": "1.00",
                "singleRate": {"rates": [{"unitPrice": "0.30"}]},
            }
        ]
    },
}


@pytest.fixture
def careless_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless_umask")
def test_folders_and_files_are_the_owners_alone(home: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    load(Context(tmp_path / "elsewhere" / "my.db", date(2026, 3, 1)), [tmp_path / "plan.json"])
    made = [home, *home.rglob("*")]
    assert [path.name for path in made if path.suffix == ".msgpack"]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


def priced(ctx: Context, plans: Path) -> dict[str, object]:
    answer = compare(ctx, filters=PlanFilters(plans=str(plans)))
    return {"plans": answer.plans, "unpriced": answer.unpriced, "problems": answer.problems}


@pytest.fixture
def metered(home: Path, tmp_path: Path) -> Context:
    """A home with 28 days of reads and no plan of its own."""
    ctx = Context(tmp_path / "my.db", date(2026, 3, 5))
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 2, 1), 28))
    load(ctx, [tmp_path / "meter.csv"])
    return ctx


def test_plans_of_a_folder_are_read_once_for_what_they_hold(
    home: Path, metered: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "one.json").write_text(json.dumps(PLAN))
    (folder / "none.json").write_text('{"planId": "EMPTY"}')
    first = priced(metered, folder)
    assert [row.plan_id for row in first["plans"]] == ["FLAT1@EME"]
    assert len(first["problems"]) == 1
    (kept,) = (home / "cache").glob("given-electricity-*.msgpack")

    with monkeypatch.context() as reading:
        reading.setattr(catalogue, "plans_at", pytest.fail)
        assert priced(metered, folder) == first

    kept.write_bytes(b"damaged")
    assert priced(metered, folder) == first

    (folder / "two.json").write_text(json.dumps({**PLAN, "planId": "FLAT2@EME"}))
    assert [row.plan_id for row in priced(metered, folder)["plans"]] == ["FLAT1@EME", "FLAT2@EME"]
    (folder / "one.json").unlink()
    assert [row.plan_id for row in priced(metered, folder)["plans"]] == ["FLAT2@EME"]


def test_without_a_folder_to_write_to_plans_are_read_each_time(
    metered: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-folder").write_text("")
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    monkeypatch.setenv("TOOLKIT_DATA_DIR", str(tmp_path / "no-folder"))
    assert priced(metered, tmp_path / "plan.json") == priced(metered, tmp_path / "plan.json")


def test_a_file_that_cannot_be_opened_is_said_so(metered: Context, tmp_path: Path) -> None:
    with pytest.raises(ImportFailedError, match=r"nowhere\.json: "):
        compare(metered, filters=PlanFilters(plans=str(tmp_path / "nowhere.json")))


PLANS = Path(__file__).parents[2] / "analytics" / "energy" / "bills" / "compiled_plans.ndjson"
COMPILED = (14, "193209b85b0fbadf8d53f23f64667d0e725a09a6a254c86e464a4b0cf3790151")
"""The compiler's version, and the hash of what it makes of `PLANS`: rates, and tables of their charges."""


def test_what_plans_compile_to_changes_only_with_the_compilers_version() -> None:
    """Where this fails with the version unchanged: raise `COMPILER_VERSION`, then write the new pair here."""
    plans, _ = plans_at(PLANS)
    compiled = [compile_for_store(plan, fuel) for plan in plans for fuel in plan.fuels]
    charges = tables_of(rates for plan in compiled for rates in plan.by_day)
    kept = to_bytes(compiled) + tables.to_bytes(charges)
    assert (COMPILER_VERSION, hashlib.sha256(kept).hexdigest()) == COMPILED


# ---- stored plans


def with_price(price: str, last_updated: str) -> str:
    plan = json.loads(json.dumps(PLAN).replace("0.30", price))
    return json.dumps({**plan, "lastUpdated": last_updated})


def totals(ctx: Context) -> dict[str, Decimal]:
    return {row.plan_id: row.total for row in compare(ctx).plans}


OLD, NEW = Decimal("141.68"), Decimal("178.64")
"""28 days at $1.00 and 336 kWh at 30 c or 40 c, plus 10 % GST."""


@pytest.fixture
def stored(metered: Context, tmp_path: Path) -> Context:
    """The home, and one stored plan at 30 c."""
    (tmp_path / "plan.json").write_text(with_price("0.30", "2026-01-01T00:00:00Z"))
    load(metered, [tmp_path / "plan.json"])
    return metered


def compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail wherever a module compiles a plan as it is kept."""
    for name, module in list(sys.modules.items()):
        if name.startswith("toolkit.") and hasattr(module, "compile_for_store"):
            monkeypatch.setattr(module, "compile_for_store", pytest.fail)


def test_a_question_compiles_nothing_of_what_is_stored(stored: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    set_home(stored, plan_id="FLAT1@EME", plan_since=date(2026, 1, 1))
    compile_nothing(monkeypatch)
    assert totals(stored) == {"FLAT1@EME": OLD}  # and today's plan, for its day alone
    assert compare(stored, filters=PlanFilters(plans="FLAT1@EME")).plans[0].total == OLD
    whatif(stored, "ev", kwh=8, best=True)


def test_the_choice_of_a_plan_compiles_no_published_plan_on_offer_or_not(
    stored: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.json").write_text(json.dumps({**PLAN, "planId": "FLAT2@EME"}))
    load(stored, [tmp_path / "other.json"])
    with open_store(stored.db) as store:
        store.update("plans", {"vanished_at": "2026-02-01T00:00:00+00:00"}, {"plan_id": "FLAT2@EME"})
        keep_compiled(store)  # as a fetch does
    compile_nothing(monkeypatch)
    offered = plans_of_retailer(stored, "ELECTRICITY", "")
    assert [(plan.plan_id, plan.prices.usage) for plan in offered.plans] == [
        ("FLAT1@EME", (Decimal("0.33"), Decimal("0.33"))),
        ("FLAT2@EME", (Decimal("0.33"), Decimal("0.33"))),
    ]
    assert totals(stored) == {"FLAT1@EME": OLD}


def test_the_choice_of_a_plan_has_one_that_was_typed(stored: Context) -> None:
    usage = (TypedRate(price=Decimal(44)),)
    typed = TypedPlan(name="Mine", fuel="electricity", supply=Decimal(110), usage=usage, from_=date(2026, 1, 1))
    plan_id = keep_typed_plan(stored, typed).plan_id
    offered = {plan.plan_id: plan.prices.usage for plan in plans_of_retailer(stored, "ELECTRICITY", "").plans}
    assert offered == {"FLAT1@EME": (Decimal("0.33"),) * 2, plan_id: (Decimal("0.44"),) * 2}


def test_prices_stored_by_a_program_that_was_killed_before_it_compiled_them_count(
    stored: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.json").write_text(with_price("0.40", "2026-02-01T00:00:00Z"))
    with monkeypatch.context() as killed:
        killed.setattr(catalogue, "compile_for_store", interrupted)
        with pytest.raises(KeyboardInterrupt):
            load(stored, [tmp_path / "plan.json"])
    assert totals(stored) == {"FLAT1@EME": NEW}


def interrupted(*_arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "earlier", [f"-{COMPILER_VERSION - 1}.{COMPILED_LAYOUT}-", f"-{COMPILER_VERSION}.{COMPILED_LAYOUT - 1}-"]
)
def test_plans_compiled_by_another_version_are_compiled_again(
    stored: Context, home: Path, earlier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (made,) = (home / "cache").iterdir()
    made.rename(made.with_name(made.name.replace(f"-{COMPILER_VERSION}.{COMPILED_LAYOUT}-", earlier)))
    with open_home(stored):  # by whatever is asked first after an upgrade
        pass
    assert made.exists()
    with monkeypatch.context() as reading:
        reading.setattr(catalogue, "compile_for_store", pytest.fail)
        assert totals(stored) == {"FLAT1@EME": OLD}
    made.write_bytes(made.read_bytes()[:-1] + b"?")
    assert totals(stored) == {"FLAT1@EME": OLD}


def test_many_plans_are_compiled_before_a_question_and_progress_is_told(
    stored: Context, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = 2 * PLANS_AT_ONCE + 1
    plans = [{**PLAN, "planId": f"FLAT{number}@EME"} for number in range(2, many + 1)]
    (tmp_path / "many.json").write_text(json.dumps(plans))
    messages: list[str] = []
    load(stored, [tmp_path / "many.json"], progress=messages.append)
    assert [message for message in messages if "plans" in message]
    for kept in (home / "cache").iterdir():
        kept.unlink()
    messages.clear()
    prepare(structs.replace(stored, progress=messages.append))  # as the app does before its first page
    assert len(messages) == 3
    monkeypatch.setattr(catalogue, "compile_for_store", pytest.fail)
    assert set(totals(stored).values()) == {OLD}


def test_a_new_plan_is_compiled_alone(stored: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def noted(plan: Plan, fuel: Fuel) -> Compiled:
        compiled.append(plan.plan_id)
        return compile_for_store(plan, fuel)

    monkeypatch.setattr(catalogue, "compile_for_store", noted)
    (tmp_path / "other.json").write_text(json.dumps({**PLAN, "planId": "FLAT2@EME"}))
    load(stored, [tmp_path / "other.json"])
    assert totals(stored) == {"FLAT1@EME": OLD, "FLAT2@EME": OLD}
    assert compiled == ["FLAT2@EME"]


def test_without_a_folder_to_write_to_stored_plans_are_compiled_for_each_question(
    stored: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no-folder").write_text("")
    monkeypatch.setenv("TOOLKIT_DATA_DIR", str(tmp_path / "no-folder"))
    assert totals(stored) == totals(stored) == {"FLAT1@EME": OLD}
