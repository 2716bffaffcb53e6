"""What `plans show` says beside prices, and which plans `plans list` lists."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import read
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.plans.listed import ListFilters, plan_list
from toolkit.flows.plans.rate_card import plan_show
from toolkit.store import open_store

EVERY_DAY = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def band(name: str, start: str, end: str, *rates: dict[str, object]) -> dict[str, object]:
    window = {"days": EVERY_DAY, "startTime": start, "endTime": end}
    return {"type": "OFF_PEAK", "displayName": name, "period": "P1D", "rates": list(rates), "timeOfUse": [window]}


FREE_AT_NOON: dict[str, Any] = {
    "planId": "FREE@EME",
    "displayName": "Sunny Hours",
    "brandName": "Example Energy",
    "fuelType": "ELECTRICITY",
    "customerType": "RESIDENTIAL",
    "description": "Free at noon. Call 13 24 61 or 1300 123 456, not 1234 5678 9012.",
    "applicationUri": "https://example.com/join",
    "additionalInformation": {"termsUri": "javascript:alert(1)", "overviewUri": "https://a:b@example.com/"},
    "lastUpdated": "2026-01-01T00:00:00Z",
    "geography": {"distributors": ["Ausgrid"], "includedPostcodes": ["2042"]},
    "electricityContract": {
        "timeZone": "AEST",
        "termType": "1_YEAR",
        "benefitPeriod": "12 months",
        "billFrequency": ["P1M", "P9M"],
        "coolingOffDays": "10",
        "onExpiryDescription": "You move to our standing offer.",
        "fees": [{"type": "EXIT", "term": "FIXED", "amount": "50"}],
        "eligibility": [{"type": "SENIOR_CARD", "information": "A card is needed."}, {"type": "OTHER"}],
        "incentives": [{"displayName": "Credit", "description": "$50 once", "category": "OTHER"}],
        "tariffPeriod": [
            {
                "startDate": "01-01",
                "endDate": "12-31",
                "dailySupplyCharge": "1.00",
                "timeOfUseRates": [
                    band("Free hours", "11:00", "14:00", {"unitPrice": "0.000001", "volume": 2}, {"unitPrice": "0.2"}),
                    band("Other times", "14:00", "11:00", {"unitPrice": "0.30"}),
                ],
            }
        ],
    },
}


def other(plan_id: str, **more: object) -> dict[str, Any]:
    return {**FREE_AT_NOON, "planId": plan_id, **more}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    plans = [
        FREE_AT_NOON,
        other("B1", displayName="Family Saver", brandName="Beta Power", customerType="BUSINESS"),
        other("G1", fuelType="GAS", geography={"distributors": ["Multinet Gas"], "includedPostcodes": ["3000-3999"]}),
        other("NOWHERE", geography={"distributors": ["Ausgrid"], "excludedPostcodes": ["2042"]}),
    ]
    (tmp_path / "plans.json").write_text("\n".join(map(json.dumps, plans)))
    ctx = Context(tmp_path / "home" / "home.db", date(2026, 2, 1))
    load(ctx, [tmp_path / "plans.json"])
    return ctx


def test_a_plan_says_what_its_contract_states(ctx: Context):
    card = plan_show(ctx, plan="free")
    terms = card.fuels[0].terms
    assert (terms.term, terms.benefit_period, terms.exit_fee, terms.cooling_off_days) == ("1 year", "12 months", 50, 10)
    assert terms.bill_frequency == ("every month", "P9M")
    assert terms.on_expiry == "You move to our standing offer."
    assert [entry.text for entry in (*terms.eligibility, *terms.incentives)] == ["A card is needed.", None, "$50 once"]
    assert (card.offered, card.phones) == (True, ("13 24 61", "1300 123 456"))
    assert [(link.name, link.address) for link in card.links] == [("Apply", "https://example.com/join")]


def test_free_hours_are_named_with_what_the_home_used_in_them(ctx: Context):
    (free,) = plan_show(ctx, plan="free").fuels[0].free_hours
    assert (free.season, free.window, free.allowance) == ("all year", "11:00–14:00", "first 2 kWh a day")
    assert plan_show(ctx, plan="free").fuels[0].free_use is None
    read(ctx, NMI, date(2026, 1, 1), 10, "0.5")  # half a kWh each half hour: 3 kWh from 11:00 to 14:00, 24 kWh a day
    use = plan_show(ctx, plan="free").fuels[0].free_use
    assert use is not None
    assert (use.from_, use.to) == (date(2026, 1, 1), date(2026, 1, 10))
    assert (use.used_kwh, use.free_kwh) == (pytest.approx(30), pytest.approx(20))
    assert use.share == pytest.approx(20 / 240)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (ListFilters(), {"FREE@EME", "B1", "G1", "NOWHERE"}),
        (ListFilters(retailer="beta"), {"B1"}),
        (ListFilters(text="saver FAMILY"), {"B1"}),
        (ListFilters(text="multinet"), {"G1"}),
        (ListFilters(postcode="2042"), {"FREE@EME", "B1"}),
        (ListFilters(address="Unit 1200, 7 King St, Newtown NSW 2042"), {"FREE@EME", "B1"}),
        (ListFilters(address="VIC 3105"), {"G1", "NOWHERE"}),
        (ListFilters(customer="business"), {"B1"}),
        (ListFilters(fuel="GAS"), {"G1"}),
        (ListFilters(offered=True), {"FREE@EME", "B1", "NOWHERE"}),
        (ListFilters(text="sunny", postcode="2042", offered=True), {"FREE@EME"}),
    ],
)
def test_plans_are_listed_by_filters_that_all_hold(ctx: Context, filters: ListFilters, expected: set[str]):
    with open_store(ctx.db) as store:
        store.update("plans", {"vanished_at": "2026-01-15T00:00:00+00:00"}, {"plan_id": "G1"})
    assert {plan.plan_id for plan in plan_list(ctx, filters).plans} == expected
    assert plan_show(ctx, plan="G1").offered is False


def test_the_commands(ctx: Context, run: Run):
    listed = run("plans", "list", "--address", "Newtown 2042", "--customer", "business", "--db", ctx.db, "--json")
    assert [plan["plan_id"] for plan in listed.json["plans"]] == ["B1"]
    assert run("plans", "list", "--address", "Newtown", "--db", ctx.db, "--json").code == 2
    assert run("plans", "list", "--postcode", "20x2", "--db", ctx.db, "--json").code == 2
    shown = run("plans", "show", "FREE", "--db", ctx.db, "--json").json
    assert (shown["phones"], shown["fuels"][0]["terms"]["term"]) == (["13 24 61", "1300 123 456"], "1 year")
    with pytest.raises(UsageError):
        plan_list(ctx, ListFilters(address="nowhere"))
