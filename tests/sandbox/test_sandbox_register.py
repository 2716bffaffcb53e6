"""The open plan interface as a stranger reads it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest

from tests.sandbox.stranger import TODAY
from toolkit.sandbox.register.market import RETAILERS, Market
from toolkit.sandbox.serve import running

LIST = "/banksia/cds-au/v1/energy/plans"


@pytest.fixture(scope="module")
def register() -> Iterator[httpx.Client]:
    with (
        running(today=TODAY, years=1, households=1) as sandbox,
        httpx.Client(base_url=sandbox.register_url, headers={"x-v": "1"}, trust_env=False) as http,
    ):
        yield http


def plans(register: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    """All plans of one retailer's list, page after page."""
    asked = {name.replace("_", "-"): value for name, value in query.items()}
    plans, url = [], str(register.get(LIST, params={"effective": "ALL", **asked}).url)
    while url:
        answer = register.get(url).json()
        plans += answer["data"]["plans"]
        url = answer["links"].get("next", "")
    return plans


def test_pages_hold_every_plan_once(register: httpx.Client) -> None:
    first = register.get(LIST, params={"effective": "ALL"}).json()
    assert (len(first["data"]["plans"]), first["meta"]) == (25, {"totalRecords": 160, "totalPages": 7})
    assert {"self", "first", "last", "next"} == set(first["links"])
    ids = [plan["planId"] for plan in plans(register, page_size=30)]
    assert len(ids) == len(set(ids)) == 160
    assert "electricityContract" not in first["data"]["plans"][0]


def test_brands_say_where_their_plans_are(register: httpx.Client) -> None:
    path = "/cdr-register/v1/{}/data-holders/brands/summary"
    brands = register.get(path.format("energy")).json()["data"]
    assert len(brands) == len({brand["dataHolderBrandId"] for brand in brands}) == 15
    for brand in brands:
        assert register.get(f"{brand['publicBaseUri']}/cds-au/v1/energy/plans").json()["data"]["plans"]
    assert register.get(path.format("banking")).status_code == 400


def test_filters_leave_what_they_name(register: httpx.Client) -> None:
    whole = plans(register)
    assert {plan["fuelType"] for plan in plans(register, fuelType="GAS")} == {"GAS"}
    assert {plan["type"] for plan in plans(register, type="STANDING")} == {"STANDING"}
    direct = plans(register, brand="banksia-direct")
    assert 0 < len(direct) < len(whole)
    since = "2025-12-01T00:00:00Z"
    recent = plans(register, updated_since=since)
    assert recent == [plan for plan in whole if plan["lastUpdated"] >= since]
    future = plans(register, effective="FUTURE")
    assert len(future) + len(plans(register, effective="CURRENT")) == len(whole)
    assert all(plan["effectiveFrom"] > "2026-03-10" for plan in future)


@pytest.mark.parametrize(
    ("query", "headers", "status", "code"),
    [
        ({}, {"x-v": ""}, 400, "Header/InvalidVersion"),
        ({}, {"x-v": "one"}, 400, "Header/InvalidVersion"),
        ({}, {"x-v": "9"}, 406, "Header/UnsupportedVersion"),
        ({}, {"x-v": "9", "x-min-v": "2"}, 406, "Header/UnsupportedVersion"),
        ({"page-size": "1001"}, {}, 400, "Field/InvalidPageSize"),
        ({"page-size": "0"}, {}, 400, "Field/InvalidPageSize"),
        ({"page": "99"}, {}, 422, "Field/InvalidPage"),
        ({"page": "-1"}, {}, 400, "Field/Invalid"),
        ({"fuelType": "WOOD"}, {}, 400, "Field/Invalid"),
        ({"updated-since": "lately"}, {}, 400, "Field/InvalidDateTime"),
    ],
)
def test_what_is_refused(register: httpx.Client, query: Any, headers: Any, status: int, code: str) -> None:
    answer = register.get(LIST, params=query, headers=headers)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, f"urn:au-cds:error:cds-all:{code}")


def test_versions_are_agreed_on(register: httpx.Client) -> None:
    missing = httpx.get(f"{register.base_url}{LIST}".replace("register//", "register/"), trust_env=False)
    assert (missing.status_code, missing.json()["errors"][0]["detail"]) == (400, "x-v")
    assert register.get(LIST, headers={"x-v": "4", "x-min-v": "1"}).headers["x-v"] == "1"


def test_a_plan_in_full_and_only_when_it_changed(register: httpx.Client) -> None:
    listed = next(plan for plan in plans(register) if plan["fuelType"] == "ELECTRICITY")
    path = f"{LIST}/{listed['planId']}"
    assert register.get(path).status_code == 406
    answer = register.get(path, headers={"x-v": "3"})
    plan = answer.json()["data"]
    assert {name: plan[name] for name in listed} == listed
    assert plan["electricityContract"]["tariffPeriod"]
    again = register.get(path, headers={"x-v": "3", "if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert register.get(path, headers={"x-v": "3", "if-none-match": '"other"'}).status_code == 200


def test_unknown_plans_and_retailers(register: httpx.Client) -> None:
    for path in (f"{LIST}/none", "/nobody/cds-au/v1/energy/plans/none"):
        answer = register.get(path, headers={"x-v": "3"})
        assert (answer.status_code, answer.json()["errors"][0]["title"]) == (404, "Resource Not Found")
    assert register.get("/nobody/cds-au/v1/energy/plans").status_code == 404


@pytest.fixture(scope="module")
def market() -> list[dict[str, Any]]:
    invented = Market(1, TODAY)
    retailers = [invented.retailer_plans(retailer.slug) for retailer in RETAILERS]
    return [plan for retailer_plans in retailers if retailer_plans for plan in retailer_plans.plans.values()]


def test_the_market_is_large_and_the_same_for_the_same_seed(market: list[dict[str, Any]]) -> None:
    assert len({plan["planId"] for plan in market}) == len(market) >= 2000
    again, other = Market(1, TODAY).retailer_plans("quoll"), Market(2, TODAY).retailer_plans("quoll")
    assert again is not None
    assert other is not None
    own = {plan["planId"]: plan for plan in market if plan["brand"] == "quoll"}
    assert again.plans == own != other.plans


def test_a_later_day_brings_new_versions_and_ends_plans() -> None:
    invented = Market(1, TODAY)
    before = dict(retailer_plans.plans) if (retailer_plans := invented.retailer_plans("dugong")) else {}
    invented.today = date(2026, 7, 2)
    after = dict(retailer_plans.plans) if (retailer_plans := invented.retailer_plans("dugong")) else {}
    gone = before.keys() - after.keys()
    assert gone
    assert all(before[key]["effectiveTo"] <= "2026-07-02" for key in gone)
    risen = [key for key in after if after[key] != before[key]]
    assert 20 < len(risen) < 40
    assert {after[key]["lastUpdated"] for key in risen} == {"2026-07-01T00:30:00Z"}
    first = next(key for key in risen if "electricityContract" in before[key])
    old, new = (next(values_of(plans[first], "unitPrice")) for plans in (before, after))
    assert float(new) == pytest.approx(float(old) * 1.04, abs=1e-4)


def values_of(value: Any, key: str) -> Iterator[Any]:
    """Every value under that key, at any depth."""
    if isinstance(value, dict):
        yield from ([value[key]] if key in value else [])
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from values_of(inner, key)


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("pricingModel", {"SINGLE_RATE", "TIME_OF_USE", "SINGLE_RATE_CONT_LOAD", "TIME_OF_USE_CONT_LOAD", "QUOTA"}),
        ("rateBlockUType", {"singleRate", "timeOfUseRates", "demandCharges"}),
        ("period", {"P1D", "P1M", "P2M", "P3M", "P1Y"}),
        ("dailySupplyChargeType", {"SINGLE", "BAND"}),
        ("startDate", {"11-01", "01-11", "06-01"}),
        ("methodUType", {"percentOfBill", "percentOfUse", "fixedAmount", "percentOverThreshold"}),
        ("tariffUType", {"singleTariff", "timeVaryingTariffs"}),
        ("payerType", {"RETAILER", "GOVERNMENT"}),
        ("fuelType", {"ELECTRICITY", "GAS", "DUAL"}),
        ("customerType", {"RESIDENTIAL", "BUSINESS"}),
        ("chargePeriod", {"DAY", "MONTH"}),
        ("term", {"FIXED", "ANNUAL", "MONTHLY", "PERCENT_OF_BILL"}),
        ("startTime", {"15:00", "700", "00:00", "0"}),
        ("timeZone", {"LOCAL", "AEST"}),
    ],
)
def test_every_form_is_on_the_market(market: list[dict[str, Any]], key: str, values: set[str]) -> None:
    assert values <= set(values_of(market, key))


def test_a_postcode_can_belong_to_several_networks(market: list[dict[str, Any]]) -> None:
    of_footscray = [plan["geography"] for plan in market if "3011" in plan["geography"]["includedPostcodes"]]
    assert {"CitiPower", "Powercor", "Jemena"} <= {place["distributors"][0] for place in of_footscray}


def test_every_plan_can_be_read(market: list[dict[str, Any]]) -> None:
    from toolkit.tables.rows.plans import read_plan

    assert not [plan.problems for plan in map(read_plan, market) if plan.problems]
    assert Market(1, date(2026, 3, 11)).retailer_plans("nobody") is None
