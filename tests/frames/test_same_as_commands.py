"""The functions on frames answer what the commands answer for the same files, to the cent."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import toolkit
from tests.command_line import Run, filled_once
from tests.meters import day, days, flat_plan, nem12, register
from toolkit.answers.base import to_builtins
from toolkit.tables.rows.plans import Plan

pytestmark = pytest.mark.slow
NMI, GAS = "4103000001", "5200000001"
TODAY = date(2026, 1, 10)
ZONE = "Australia/Sydney"
FIRST, LAST = date(2025, 1, 1), date(2025, 12, 31)


def published(plan_id: str, price: str, supply: str, **head: Any) -> dict[str, Any]:
    plan = json.loads(flat_plan(price, supply))
    return {
        **plan,
        "planId": plan_id,
        "displayName": plan_id.title(),
        "brandName": "Example",
        "customerType": "RESIDENTIAL",
        "effectiveFrom": "2024-12-01T00:00:00Z",
        "lastUpdated": "2025-12-01T00:00:00Z",
        "geography": {"distributors": ["Ausgrid"]},
        **head,
    }


PLANS = [
    published("OWN", "0.30", "1.00"),
    published("CHEAP", "0.20", "0.90"),
    published("DEAR", "0.40", "1.10"),
    published("ENDED", "0.10", "0.10", effectiveTo="2025-06-30"),
    published("ELSEWHERE", "0.10", "0.10", geography={"distributors": ["Energex"]}),
]
GAS_CONTRACT = {
    "pricingModel": "SINGLE_RATE",
    "timeZone": "AEST",
    "tariffPeriod": [
        {
            "startDate": "01-01",
            "endDate": "12-31",
            "dailySupplyCharge": "0.70",
            "rateBlockUType": "singleRate",
            "singleRate": {"rates": [{"unitPrice": "0.04", "measureUnit": "MJ"}]},
        }
    ],
}
GAS_PLAN = {
    "planId": "GAS",
    "displayName": "Gas",
    "brandName": "Example",
    "fuelType": "GAS",
    "gasContract": GAS_CONTRACT,
}


def bank_rows() -> str:
    """A year of pay each fortnight, rent each week and a subscription whose price rose; the running balance with it."""
    rows = []
    for number in range(54):
        when = FIRST + timedelta(7 * number)
        rows.append((when, -410.0, "RENT REAL ESTATE CO"))
        if number % 2 == 0:
            rows.append((when, 2100.0, "SALARY EXAMPLE PTY LTD"))
        rows.append((when + timedelta(2), -95.5 - number % 5, "WOOLWORTHS 1234 MARRICKVILLE"))
    rows += [(date(2025, month, 5), -12.99 if month < 7 else -15.99, "NETFLIX.COM") for month in range(1, 13)]
    balance, lines = 1500.0, []
    for when, amount, words in sorted(row for row in rows if row[0] < TODAY):
        balance += amount
        lines.append(f'{when:%d/%m/%Y},"{amount:.2f}","{words}","{balance:+.2f}"')
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def db(run: Run, folder: Path) -> Path:
    """A home in Sydney with solar and a year of reads, three plans to choose from, gas, and a bank file."""
    return filled_once(folder / "household.db", lambda: _fill(run, folder / "files"))


def _fill(run: Run, folder: Path) -> None:
    folder.mkdir()
    bought = [0.2 if half < 32 else 0.6 for half in range(48)]
    sold = [0.0 if half < 16 or half > 30 else 0.5 for half in range(48)]
    dates = list(days(str(FIRST), 370))
    meter = [register("E1", nmi=NMI), *(day(when, bought) for when in dates)]
    meter += [register("B1", nmi=NMI), *(day(when, sold) for when in dates)]
    (folder / "meter.csv").write_text(nem12(*meter))
    (folder / "plans.json").write_text(json.dumps(PLANS))
    (folder / "bank.csv").write_text(bank_rows())
    assert run("import", folder, "--household", "Us").code == 0
    facts = ("--postcode", "2000", "--network", "Ausgrid", "--plan", "OWN", "--since", "2024-12-01")
    assert run("household", "set", *facts).code == 0


def command(run: Run, *words: object) -> dict[str, Any]:
    """The JSON of a command, numbers as they are written in it."""
    answer = run(*words, "--today", TODAY, "--json").json
    assert isinstance(answer, dict)
    return answer


def as_json(answer: object) -> Any:
    """The same of an answer."""
    return json.loads(json.dumps(to_builtins(answer), default=str))


def plans_of(db: Path) -> dict[str, Plan]:
    return {plan.plan_id: plan for plan in toolkit.read_plans(db)}


def test_compare_ranks_what_the_home_can_have(run: Run, db: Path) -> None:
    reads, plans = toolkit.read_usage(db), plans_of(db)
    told = command(run, "compare", "--from", FIRST, "--to", LAST)
    answer = toolkit.compare(
        reads,
        list(plans.values()),
        FIRST,
        LAST,
        today=TODAY,
        current=plans["OWN"],
        postcode="2000",
        network="Ausgrid",
        zone=ZONE,
    )
    ours = as_json(answer)
    assert [row["plan_id"] for row in ours["plans"]] == ["CHEAP", "OWN", "DEAR"]
    for key in ("plans", "current", "headline", "priced", "expired", "other_networks", "not_here", "switching"):
        assert ours[key] == told[key], key
    rows = toolkit.table(answer, "plans")
    assert rows.select("plan_id", "saving").rows()[1] == ("OWN", 0)
    assert toolkit.table(answer, "plans", floats=True)["total"].dtype == pl.Float64
    assert list(toolkit.table(answer, "unpriced", pandas=True).columns) == toolkit.table(answer, "unpriced").columns


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({"battery": {"kwh": 10, "efficiency": 0.85}}, ("battery", "--kwh", 10, "--efficiency", 0.85)),
        ({"solar": {"kw": 3}}, ("solar", "--kw", 3)),
        ({"ev": {"kwh": 8, "window": "00:00-05:00"}}, ("ev", "--kwh", 8, "--window", "00:00-05:00")),
        (
            {"shift": {"window": "16:00-20:00", "to_window": "10:00-14:00", "share": 0.5}},
            ("shift", "--window", "16:00-20:00", "--to-window", "10:00-14:00", "--share", 0.5),
        ),
    ],
    ids=["battery", "solar", "ev", "shift"],
)
def test_whatif_tries_the_same_change(run: Run, db: Path, changes: Any, options: tuple[object, ...]) -> None:
    told = command(run, "whatif", *options, "--from", FIRST, "--to", LAST, "--price", 5000)
    ours = as_json(
        toolkit.whatif(
            toolkit.read_usage(db),
            plans_of(db)["OWN"],
            changes,
            FIRST,
            LAST,
            today=TODAY,
            price=5000,
            postcode="2000",
            zone=ZONE,
        )
    )
    for key in ("before", "after", "saving", "yearly", "payback_years", "days_read", "components", "ways"):
        assert ours[key] == told[key], key


def test_the_next_bill_and_how_past_ones_were_forecast(run: Run, db: Path) -> None:
    reads, plan = toolkit.read_usage(db), plans_of(db)["OWN"]
    told = command(run, "forecast", "--months", 0)
    ours = as_json(toolkit.forecast(reads, plan, today=TODAY, zone=ZONE))
    for key in ("certain", "p10", "p50", "p90", "method", "backtest", "past"):
        assert ours[key] == told[key], key
    origins = toolkit.backtest(reads, plan, today=TODAY, zone=ZONE)
    assert [str(billed) for billed in origins["billed"]] == [past["billed"] for past in told["past"]]
    assert origins["service_point_id"].unique().to_list() == [NMI]


def test_bills_are_checked_alike(run: Run, db: Path) -> None:
    """In March 2025: 31 days at $1.00 and 31 × (6.4 + 9.6) kWh at 30 c, with 10 % GST: 34.10 + 163.68."""
    bills = pl.DataFrame(
        {
            "from": [date(2025, 3, 1), date(2025, 4, 1)],
            "to": [date(2025, 3, 31), date(2025, 4, 30)],
            "amount": [197.78, 250],
        }
    )
    answer = toolkit.reconcile(toolkit.read_usage(db), plans_of(db)["OWN"], bills, zone=ZONE)
    assert [(one.verdict, str(one.recomputed)) for one in answer.invoices] == [
        ("agrees", "197.78"),
        ("differs", "191.40"),
    ]
    for number, row in enumerate(bills.iter_rows(named=True)):
        days_of = ("--from", row["from"], "--to", row["to"])
        (told,) = command(run, "reconcile", *days_of, "--billed", row["amount"])["invoices"]
        ours = as_json(answer)["invoices"][number]
        for key in ("verdict", "billed", "recomputed", "difference", "causes", "lines"):
            assert ours[key] == told[key], key


def test_what_recurs_and_how_the_money_lasts(run: Run, db: Path) -> None:
    transactions, accounts = toolkit.read_transactions(db)
    told = command(run, "recurring")
    bill = toolkit.forecast(toolkit.read_usage(db), plans_of(db)["OWN"], today=TODAY, zone=ZONE, months=12)
    ours = as_json(toolkit.recurring(transactions, accounts, today=TODAY, bills=[bill], zone=ZONE, state="NSW"))
    assert {row["name"] for row in ours["recurring"]} >= {"Netflix"}
    due = [row["date"] for row in ours["upcoming"] if row["source"] == "energy_bill"]
    assert due == ["2026-02-21", "2026-03-21"]  # 21 days after the end of January and of February
    assert ours == told
    lasting = as_json(
        toolkit.cashflow(
            transactions,
            accounts,
            toolkit.read_balances(db),
            today=TODAY,
            bills=[bill],
            zone=ZONE,
            state="NSW",
        )
    )
    assert lasting == command(run, "cashflow")


def test_gas_is_forecast_too(tmp_path: Path) -> None:
    """Daily reads of 50 MJ: January has 31 × $0.70 and 31 × 50 MJ at 4 c, with GST 92.07."""
    (tmp_path / "gas.json").write_text(json.dumps(GAS_PLAN))
    (plan,) = toolkit.read_plans(tmp_path / "gas.json")
    frame = pl.DataFrame({"day": pl.date_range(date(2024, 6, 1), date(2025, 12, 31), eager=True)}).with_columns(mj=50.0)
    reads = toolkit.reads(frame, time="day", energy="mj", fuel="GAS")
    answer = toolkit.forecast(reads, plan, today=date(2026, 1, 1), fuel="GAS")
    assert (answer.fuel, answer.period.from_) == ("GAS", date(2026, 1, 1))
    assert (answer.p50, answer.certain) == (Decimal("92.07"), Decimal("23.87"))  # supply alone is certain
