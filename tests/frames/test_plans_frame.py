"""Plans as a frame: what can be filtered by before pricing."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import polars as pl

import toolkit
from tests.meters import flat_plan


def test_plans_are_filtered_by_what_is_known_of_them(tmp_path: Path) -> None:
    told = {
        "displayName": "Flat",
        "brandName": "Acme",
        "customerType": "RESIDENTIAL",
        "type": "MARKET",
        "effectiveFrom": "2026-01-01T00:00:00+10:00",
        "effectiveTo": "2026-07-01T00:00:00+10:00",
        "lastUpdated": "2026-02-03T00:00:00Z",
        "geography": {"distributors": ["Ausgrid"]},
    }
    (tmp_path / "a.json").write_text(json.dumps(json.loads(flat_plan()) | told))
    (tmp_path / "b.json").write_text(json.dumps(json.loads(flat_plan()) | {"planId": "OTHER"}))
    plans = toolkit.read_plans(tmp_path / "a.json", tmp_path / "b.json")
    frame = toolkit.plans_frame(plans, today=date(2026, 7, 15))
    named = frame.row(by_predicate=pl.col("plan_id") == "FLAT@EME", named=True)
    assert {
        key: named[key] for key in ("name", "retailer", "customer_type", "plan_type", "pricing_model", "networks")
    } == {
        "name": "Flat",
        "retailer": "Acme",
        "customer_type": "RESIDENTIAL",
        "plan_type": "MARKET",
        "pricing_model": "SINGLE_RATE",
        "networks": ["Ausgrid"],
    }
    assert (named["effective_from"], named["effective_to"]) == (date(2026, 1, 1), date(2026, 6, 30))
    assert (named["as_of"], named["offered"]) == (date(2026, 2, 3), False)
    assert toolkit.plans_frame(plans, today=date(2026, 3, 1))["offered"].to_list() == [True, True]
    assert [plans[place].plan_id for place in frame.filter("offered")["index"]] == ["OTHER"]


def test_no_plans_are_a_frame_without_rows() -> None:
    assert toolkit.plans_frame([], today=date(2026, 1, 1)).height == 0
