"""`compare`: every plan on the home's own reads, to the cent what `bill` gives."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.flows.energy.homes import OF_NO_NETWORK, TODAY, flat_plan, import_plans, metered
from toolkit.answers.base import Note
from toolkit.errors import ChoiceRequiredError, NoPlansError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import PlanFilters, compare
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.settings import data_dir
from toolkit.store import open_store


def plan(plan_id: str, cents: str, *networks: str, **more: object) -> dict[str, object]:
    return flat_plan(plan_id, cents, geography={"distributors": list(networks), "includedPostcodes": ["2000"]}, **more)


def demand_plan() -> dict[str, object]:
    made = plan("DEMAND", "10", "Ausgrid")
    charge = {"amount": "20", "startTime": "0000", "endTime": "0000", "days": []}
    made["electricityContract"]["tariffPeriod"][0]["demandCharges"] = [charge]
    return made


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """12 kWh a day from 15 May to 10 August 2024, and six stored plans."""
    ctx = metered(tmp_path, OF_NO_NETWORK)
    discount = {"type": "CONDITIONAL", "methodUType": "percentOfBill", "percentOfBill": {"rate": "0.10"}}
    cheap = plan("B-CHEAP", "20", "Ausgrid", customerType="RESIDENTIAL")
    cheap["electricityContract"]["discounts"] = [discount]
    import_plans(
        ctx,
        tmp_path,
        plan("A-DEAR", "40", "Ausgrid", customerType="RESIDENTIAL"),
        cheap,
        plan("C-BUSINESS", "25", "Ausgrid", customerType="BUSINESS"),
        plan("D-ELSEWHERE", "15", "Energex"),
        demand_plan(),
        {"planId": "GAS", "fuelType": "GAS", "gasContract": {"tariffPeriod": []}},
    )
    return ctx


JUNE_AND_JULY = BillingQuestion(date(2024, 6, 1), date(2024, 7, 31))


def test_cheapest_first_and_what_bill_gives(ctx: Context):
    answer = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0)
    assert [row.plan_id for row in answer.plans] == ["B-CHEAP", "A-DEAR"]
    assert (answer.priced, answer.expired, answer.not_here, answer.other_networks) == (2, 0, 1, 1)
    for row in answer.plans:
        alone = bill(ctx, replace(JUNE_AND_JULY, plan=row.plan_id))
        assert (row.total, row.components) == (alone.total, alone.components)


def test_a_plan_that_cannot_be_priced_whole_is_not_ranked(ctx: Context):
    (entry,) = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid")).unpriced
    assert entry.plan_id == "DEMAND"
    assert "demand" in entry.reason
    assert entry.total == bill(ctx, replace(JUNE_AND_JULY, plan="DEMAND")).total


def test_filters(ctx: Context):
    def ids(**how: object) -> list[str]:
        return [row.plan_id for row in compare(ctx, JUNE_AND_JULY, PlanFilters(**how), top=0).plans]

    assert ids(network="Energex") == ["D-ELSEWHERE"]
    assert ids(network="ausgrid", customer="residential") == ["B-CHEAP", "A-DEAR"]
    assert ids(network="Ausgrid", postcode="2001") == []
    assert ids(network="Ausgrid", postcode="2000") == ["B-CHEAP", "A-DEAR"]
    assert ids(network="Ausgrid", customer="business") == ["C-BUSINESS"]
    assert len(compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=1).plans) == 1


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"postcode": "99"}, "'99'"),
        ({"green": float("nan")}, "--green"),
        ({"green": 30.0}, "--green"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(ctx: Context, asked: dict[str, Any], named: str):
    with pytest.raises(UsageError, match=named):
        compare(ctx, filters=PlanFilters(**asked))


def test_a_network_of_no_plan_is_asked_for_again(ctx: Context):
    with pytest.raises(ChoiceRequiredError, match="'Foo'") as refused:
        compare(ctx, filters=PlanFilters(network="Foo"))
    assert {"Ausgrid", "Energex", "SA Power Networks"} <= set(refused.value.choices)


def test_an_unknown_network_is_said_and_answered_by_network(ctx: Context):
    answer = compare(ctx, JUNE_AND_JULY)
    assert "network_missing" in answer.note_codes
    assert [(entry.network, entry.plan_id) for entry in answer.by_network] == [
        ("Ausgrid", "B-CHEAP"),
        ("Energex", "D-ELSEWHERE"),
    ]


def test_saving_against_todays_plan_and_what_hangs_on_conditions(ctx: Context):
    set_home(ctx, plan_id="A-DEAR", network="Ausgrid")
    answer = compare(ctx, JUNE_AND_JULY)
    assert answer.network == "Ausgrid"
    assert answer.current.plan_id == "A-DEAR"
    cheapest = answer.plans[0]
    # 61 days × 12 kWh × (0.40 − 0.20) × 1.1 = 161.04; a tenth of supply 60.39 and usage 161.04 hangs on a condition
    assert cheapest.saving == Decimal("161.04")
    assert cheapest.conditional == Decimal("22.14")


def test_default_range_ends_with_the_last_read(ctx: Context):
    answer = compare(ctx, filters=PlanFilters(network="Ausgrid"))
    assert (answer.from_, answer.to) == (date(2024, 5, 15), date(2024, 8, 10))
    assert answer.yearly is False


def test_plans_at_a_path_and_none_at_all(ctx: Context, tmp_path: Path):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(flat_plan("ELSE", "30")))
    assert [row.plan_id for row in compare(ctx, JUNE_AND_JULY, PlanFilters(plans=str(path))).plans] == ["ELSE"]
    empty = Context(tmp_path / "empty.db", TODAY)
    load(empty, [tmp_path / "meter.csv"])
    with pytest.raises(NoPlansError):
        compare(structs.replace(empty), JUNE_AND_JULY)


def for_some(plan_id: str, cents: str, *kinds: str, green: str | None = None) -> dict[str, object]:
    made = plan(plan_id, cents, "Ausgrid")
    made["electricityContract"]["eligibility"] = [{"type": kind, "information": kind} for kind in kinds]
    if green:
        made["electricityContract"]["intrinsicGreenPower"] = {"greenPercentage": green}
    return made


def test_plans_that_not_everyone_may_take_are_marked_or_left_out(ctx: Context, tmp_path: Path):
    import_plans(
        ctx, tmp_path, for_some("E-SENIOR", "10", "SENIOR_CARD"), for_some("F-ONLINE", "12", "OTHER", "ONLINE_ONLY")
    )
    answer = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0)
    rows = {row.plan_id: row for row in answer.plans}
    assert not rows["E-SENIOR"].open
    assert Note("not_for_everyone", condition="only for holders of a seniors card") in rows["E-SENIOR"].notes
    assert (rows["F-ONLINE"].open, rows["F-ONLINE"].eligibility) == (True, ("ONLINE_ONLY",))
    open_only = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid", eligibility="open"), top=0)
    assert [row.plan_id for row in open_only.plans] == ["F-ONLINE", "B-CHEAP", "A-DEAR"]
    assert open_only.left_out == {"eligibility": 1}
    with pytest.raises(UsageError, match="all, open"):
        compare(ctx, filters=PlanFilters(eligibility="mine"))


def test_what_a_home_has_opens_a_plan_to_it(ctx: Context, tmp_path: Path):
    import_plans(ctx, tmp_path, for_some("E-SOLAR", "10", "EXISTING_SOLAR"))
    without = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid", eligibility="open"))
    assert without.plans[0].plan_id == "B-CHEAP"
    set_home(ctx, panels_kw=5)
    assert compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid", eligibility="open")).plans[0].plan_id == "E-SOLAR"


def test_green_share(ctx: Context, tmp_path: Path):
    import_plans(ctx, tmp_path, for_some("E-GREEN", "50", green="1"), for_some("F-TENTH", "45", green="0.1"))
    (row,) = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid", green=0.5)).plans
    assert (row.plan_id, row.green_share) == ("E-GREEN", 1.0)


def test_compiled_plans_are_kept_and_a_broken_cache_is_made_anew(ctx: Context, tmp_path: Path):
    first = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0)
    (cache,) = (data_dir() / "cache").glob("plans-electricity-*.msgpack")
    kept = cache.read_bytes()
    assert cache.stat().st_mode & 0o777 == 0o600
    assert compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0) == first
    for damage in (b"", kept[: len(kept) // 2], b"[1, 2]"):
        cache.write_bytes(damage)
        assert compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0) == first
    newer = plan("A-DEAR", "60", "Ausgrid", customerType="RESIDENTIAL", lastUpdated="2024-07-01T00:00:00Z")
    import_plans(ctx, tmp_path, newer)
    changed = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0)
    assert changed.plans[-1].total > first.plans[-1].total


def test_a_plan_no_longer_offered_is_not_compared(ctx: Context):
    with open_store(ctx.db) as store, store.transaction():
        store.update("plans", {"vanished_at": "2024-08-01T00:00:00+00:00"}, {"plan_id": "B-CHEAP"})
    answer = compare(ctx, JUNE_AND_JULY, PlanFilters(network="Ausgrid"), top=0)
    assert [row.plan_id for row in answer.plans] == ["A-DEAR"]
