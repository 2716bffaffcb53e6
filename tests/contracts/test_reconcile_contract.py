"""Section 7: a bill differs only where its plan and prices are known for every day of it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.conftest import Bring
from tests.meters import day, days, flat_plan, nem12, register
from tests.problems import names

JULY = ("--from", "2026-07-01", "--to", "2026-07-31")
AUGUST = ("--from", "2026-08-01", "--to", "2026-08-31")
BOTH = ("--from", "2026-07-15", "--to", "2026-08-15")
A_MONTH = "279.62"
"""31 days of 24 kWh at 30 c and of $1.00, with GST."""


@pytest.fixture
def home(run: Run, bring: Bring) -> None:
    """1 kW all the time from 1 June to 7 September 2026."""
    bring(nem12(register(), *(day(when, [0.5] * 48) for when in days("2026-06-01", 99))))


def plan_from(first: str | None, price: str = "0.30") -> str:
    text = flat_plan(price)
    return text.replace('"planId"', f'"effectiveFrom": "{first}", "planId"') if first else text


def checked(run: Run, span: tuple[str, ...], billed: str) -> dict[str, Any]:
    ended = run("reconcile", *span, "--billed", billed, "--json")
    assert ended.code == 0, ended.err
    (invoice,) = ended.json["invoices"]
    return invoice


def set_plan(run: Run, since: str | None) -> None:
    assert run("household", "set", "--plan", "FLAT@EME", *(("--since", since) if since else ())).code == 0


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("first", "since"),
    [
        ("2026-08-01", "2025-01-01"),
        ("2026-07-31T14:00:00Z", "2025-01-01"),  # midnight in AEST
        ("2024-01-01", "2026-08-01"),
        (None, "2026-08-01"),
    ],
)
def test_prices_known_from_a_later_day_judge_no_earlier_bill(
    run: Run, bring: Bring, first: str | None, since: str
) -> None:
    bring(plan_from(first), name="plan.json")
    set_plan(run, since)
    for span in (JULY, BOTH):
        found = checked(run, span, "250.00")
        assert (found["verdict"], found["recomputed"], found["difference"]) == ("cannot check", None, None)
        assert (found["prices_from"], found["notes"]) == ("2026-08-01", [])
        assert [names(reason, "2026-08-01") for reason in found["reasons"]] == [True]
    text = run("reconcile", *JULY, "--billed", "250.00").out
    assert "cannot check" in text
    assert "1 Aug 2026" in text
    later = checked(run, AUGUST, "250.00")
    assert (later["verdict"], later["difference"]) == ("differs", str(Decimal("250.00") - Decimal(A_MONTH)))
    assert later["prices_from"] is None


@pytest.mark.usefixtures("home")
def test_a_bill_that_the_assumed_prices_explain_agrees(run: Run, bring: Bring) -> None:
    bring(plan_from("2026-08-01"), name="plan.json")
    set_plan(run, "2025-01-01")
    assert checked(run, JULY, A_MONTH)["verdict"] == "agrees"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("named", [True, False])
def test_a_plan_without_a_day_since_when_judges_no_bill(run: Run, bring: Bring, *, named: bool) -> None:
    bring(plan_from("2026-08-01"), name="plan.json")
    if named:
        set_plan(run, None)
    found = checked(run, AUGUST, "250.00")
    assert found["verdict"] == "cannot check"
    assert "--since DATE" in found["reasons"][0]


@pytest.mark.usefixtures("home")
def test_an_earlier_version_of_the_plan_judges_the_bills_of_its_time(run: Run, bring: Bring) -> None:
    bring(plan_from("2025-08-01", "0.20"), name="plan.json")
    bring(plan_from("2026-08-01", "0.30"), name="plan.json")
    set_plan(run, "2025-08-01")
    july = checked(run, JULY, "250.00")
    # 31 days of 24 kWh at 20 c and of $1.00, with GST, is 197.78
    assert (july["verdict"], july["recomputed"], july["difference"]) == ("differs", "197.78", "52.22")
    assert checked(run, JULY, "197.78")["verdict"] == "agrees"
    # 17 days at 20 c (108.46) and 15 at 30 c (135.30)
    assert (checked(run, BOTH, "250.00")["recomputed"], checked(run, BOTH, "243.76")["verdict"]) == ("243.76", "agrees")
    parts = run("bill", *BOTH, "--json").json["plans"]
    assert [(part["from"], part["to"]) for part in parts] == [
        ("2026-07-15", "2026-07-31"),
        ("2026-08-01", "2026-08-15"),
    ]
