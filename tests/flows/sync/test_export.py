"""What a person takes away: spreadsheets that cannot bite, and the service's own records."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.flows.sync.written import WrittenService, purchase, register_day
from toolkit.errors import NothingStoredError, UsageError
from toolkit.flows.data.export import export
from toolkit.flows.household.context import Context
from toolkit.store import open_store

Run = Callable[..., dict[str, Any]]
DANGEROUS = ["=1+1", "+61 400", "-5 off", "@SUM(1)", "\tx", "\rx", "＝1", "＋1", "－1", "＠x"]


@pytest.fixture
def filled(service: WrittenService, run: Run, home_context: Context) -> Context:
    category = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_COFFEE"}
    late = {"posting_date_time": "2026-03-10T15:00:00Z", "category": category, "merchant_name": "Cafe"}
    service.lists["banking.transactions"] = [purchase(1, "-12.30", **late), purchase(2, description="plain words")]
    service.lists["energy.usage"] = [
        register_day("2026-03-09"),
        register_day("2026-03-10", unit_of_measure="WH", interval_read=_reads([150] * 47 + [None])),
        register_day("2026-03-11", interval_read=_reads([-0.25] * 24 + [1.5] * 24)),
        register_day("2026-03-12", interval_read=_reads([-0.25] * 48)),
        {"platform_id": "basic", "service_point_id": "sp", "register_suffix": "E2", "unit_of_measure": "KWH",
         "read_start_date": "2026-01-01", "read_end_date": "2026-01-31", "basic_read": {"value": 12.5}},
    ]  # fmt: skip
    run()
    return home_context


def _reads(values: list[float | None]) -> dict[str, Any]:
    total = sum(value or 0 for value in values)
    return {"aggregate_value": total, "interval_reads": values, "read_interval_length": 30}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_transactions_have_the_day_that_spending_goes_by(filled: Context, tmp_path: Path) -> None:
    export(filled, tmp_path / "out")
    rows = rows_of(tmp_path / "out" / "transactions.csv")
    assert (rows[0]["date"], rows[0]["amount"], rows[0]["currency"]) == ("2026-03-11", "-12.30", "AUD")
    assert (rows[0]["merchant"], rows[0]["primary_category"]) == ("Cafe", "FOOD_AND_DRINK")
    assert [row["id"] for row in rows] == ["t1", "t2"]


def test_every_table_is_there_in_both_forms_and_the_bytes_are_the_same_twice(filled: Context, tmp_path: Path) -> None:
    for kind in ("csv", "parquet", "ndjson"):
        first, second = (export(filled, tmp_path / name / kind, format=kind) for name in ("one", "two"))
        assert first.files == second.files
        for entry in first.files:
            one, two = (tmp_path / name / kind / entry.file for name in ("one", "two"))
            assert one.read_bytes() == two.read_bytes()
            assert oct(one.stat().st_mode & 0o777) == "0o600"
    days = pl.read_parquet(tmp_path / "one" / "parquet" / "register_days.parquet")
    assert json.loads(days["values"][0]) == [0.5] * 48
    reads = pl.read_parquet(tmp_path / "one" / "parquet" / "interval_reads.parquet")
    assert reads.height == days["intervals"].sum()
    day = reads.filter(date=days["date"][0], register_suffix=days["register_suffix"][0])
    assert (day["energy"].to_list(), day["energy_nano"][0]) == ([0.5] * 48, 500_000_000)
    assert day["starts_at"][0].isoformat() == f"{days['date'][0] - timedelta(days=1)}T14:00:00+00:00"  # AEST midnight
    assert sorted(path.name for path in (tmp_path / "one" / "csv").iterdir() if path.name.startswith(".")) == []


def test_no_cell_is_a_formula(filled: Context, tmp_path: Path) -> None:
    with open_store(filled.db) as store:
        home = store.rows("households")[0]["household_id"]
        for number, text in enumerate(DANGEROUS):
            row = store.rows("transactions", where={"id": "t2"})[0]
            store.upsert("transactions", [{**row, "id": f"x{number}", "description": text, "household_id": home}])
    export(filled, tmp_path / "out")
    rows = {row["id"]: row for row in rows_of(tmp_path / "out" / "transactions.csv")}
    assert [rows[f"x{number}"]["description"] for number in range(len(DANGEROUS))] == [f"'{t}" for t in DANGEROUS]
    assert rows["t2"]["description"] == "plain words"
    assert rows["t2"]["amount"] == "-4.50"


def test_records_are_as_the_service_gave_them(filled: Context, service: WrittenService, tmp_path: Path) -> None:
    export(filled, tmp_path, format="ndjson")
    for resource in ("banking.transactions", "banking.accounts", "energy.usage", "energy.service_points"):
        lines = (tmp_path / f"{resource}.ndjson").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in lines] == service.lists[resource], resource


def test_a_record_given_over_several_lines_is_one_line(
    service: WrittenService, run: Run, home_context: Context, tmp_path: Path
) -> None:
    service.indent = 2
    service.lists["banking.transactions"] = [purchase(1, description="two\nlines\u2028and a half")]
    run()
    export(home_context, tmp_path, format="ndjson")
    [line] = (tmp_path / "banking.transactions.ndjson").read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert json.loads(line) == service.lists["banking.transactions"][0]


def test_what_cannot_be_exported_is_said(home_context: Context, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csv, parquet, ndjson"):
        export(home_context, tmp_path, format="xlsx")
    with pytest.raises(NothingStoredError) as refused:
        export(home_context, tmp_path)
    assert refused.value.missing == "data"
