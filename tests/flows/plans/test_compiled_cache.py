"""The cache of compiled plans: in the data folder, for its owner alone, under any umask."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.limits import set_limits
from tests.meters import level
from toolkit.analytics.energy.rates import COMPILER_VERSION
from toolkit.errors import ImportFailedError
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.plans import catalogue

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
    assert len(list((home / "cache").glob("given-electricity-*.msgpack"))) == 2


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
COMPILED = (7, "e8bd7209bbdfaafc106801ba296d0f78595d0d7eaf8ffc3dd1879e6ee9962402")
"""The compiler's version, and the hash of what it makes of `PLANS`."""


def test_what_plans_compile_to_changes_only_with_the_compilers_version(metered: Context, home: Path) -> None:
    """Where this fails with the version unchanged: raise `COMPILER_VERSION`, then write the new pair here."""
    compare(metered, filters=PlanFilters(plans=str(PLANS)), top=0)
    (kept,) = (home / "cache").glob("given-electricity-*.msgpack")
    assert (COMPILER_VERSION, hashlib.sha256(kept.read_bytes()).hexdigest()) == COMPILED


def test_plans_compiled_by_another_version_are_compiled_again(
    metered: Context, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    load(metered, [tmp_path / "plan.json"])
    compare(metered)
    before = {path.name for path in (home / "cache").iterdir()}
    set_limits(monkeypatch, catalogue, COMPILER_VERSION=COMPILER_VERSION + 1)
    compare(metered)
    after = {path.name for path in (home / "cache").iterdir()}
    assert before < after
