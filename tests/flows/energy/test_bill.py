"""`bill` as asked for: which service point, plan and periods, and what comes back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, TODAY, flat_plan, import_plans, metered
from tests.meters import level
from toolkit.errors import ChoiceRequiredError, NothingStoredError, PricingError, StoreError, UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.whatif import whatif
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.plans.listed import plan_list
from toolkit.store import open_store


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return metered(tmp_path)


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"data": flat_plan("FLAT", "30")}))
    return path


def test_last_whole_month_on_a_plan_in_a_file(ctx: Context, plan_file: Path):
    answer = bill(ctx, BillingQuestion(plan=str(plan_file)))
    assert (answer.from_, answer.to, answer.days) == (date(2024, 7, 1), date(2024, 7, 31), 31)
    assert (answer.plan_id, answer.service_point_id, answer.fuel) == ("FLAT", NMI, "ELECTRICITY")
    # supply 31 × 0.90 × 1.1 = 30.69, usage 31 × 12 × 0.30 × 1.1 = 122.76
    assert answer.components == {"supply": Decimal("30.69"), "usage": Decimal("122.76")}
    assert answer.total == Decimal("153.45")
    assert answer.gst == Decimal("2.79") + Decimal("11.16")
    usage = answer.lines[1]
    assert (usage.quantity, usage.unit, usage.unit_price, usage.gst) == (372.0, "kWh", "0.30", "added")
    assert answer.measured_share == 1.0
    assert answer.problems == ()


def test_periods(ctx: Context, plan_file: Path):
    def spans(**how: object) -> list[tuple[date, date]]:
        answer = bill(ctx, BillingQuestion(plan=str(plan_file), from_=date(2024, 6, 10), to=date(2024, 7, 5), **how))
        return [(period.first, period.last) for period in answer.periods]

    by_month = [(date(2024, 6, 10), date(2024, 6, 30)), (date(2024, 7, 1), date(2024, 7, 5))]
    assert spans() == spans(period="month") == spans(period="invoice") == by_month
    assert spans(period="whole") == [(date(2024, 6, 10), date(2024, 7, 5))]


def test_invoices_cut_the_bill(ctx: Context, plan_file: Path):
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        for number, (start, end) in enumerate([("2024-05-20", "2024-06-19"), ("2024-06-20", "2024-07-19")]):
            store.upsert(
                "invoices",
                [
                    {
                        "household_id": home,
                        "id": f"inv-{number}",
                        "account_id": "acc",
                        "period_start": start,
                        "period_end": end,
                        "service_points": json.dumps([NMI]),
                    }
                ],
            )
    answer = bill(ctx, BillingQuestion(plan=str(plan_file)))
    assert (answer.from_, answer.to) == (date(2024, 6, 20), date(2024, 7, 19))
    longer = bill(ctx, BillingQuestion(plan=str(plan_file), from_=date(2024, 6, 1), to=date(2024, 8, 3)))
    assert [(period.first.isoformat(), period.last.isoformat()) for period in longer.periods] == [
        ("2024-06-01", "2024-06-19"),
        ("2024-06-20", "2024-07-19"),
        ("2024-07-20", "2024-07-31"),
        ("2024-08-01", "2024-08-03"),
    ]


def test_the_latest_version_of_a_stored_plan(ctx: Context, tmp_path: Path):
    old = flat_plan("FLAT", "30", lastUpdated="2024-06-01T00:00:00Z")
    new = flat_plan("FLAT", "40", lastUpdated="2024-07-01T00:00:00Z")
    import_plans(ctx, tmp_path, new, old)
    assert bill(ctx, BillingQuestion(plan="FLAT")).lines[1].unit_price == "0.40"
    assert [plan.plan_id for plan in plan_list(ctx).plans] == ["FLAT"]


def test_the_only_stored_plan_is_taken_and_said(ctx: Context, tmp_path: Path):
    import_plans(ctx, tmp_path, flat_plan("FLAT", "30"))
    answer = bill(ctx)
    assert answer.plan_id == "FLAT"
    assert "only_stored_plan" in answer.note_codes


def test_the_households_own_plan(ctx: Context, tmp_path: Path):
    import_plans(ctx, tmp_path, flat_plan("A", "30"), flat_plan("B", "40"))
    with pytest.raises(ChoiceRequiredError) as refused:
        bill(ctx)
    assert refused.value.choices == ["A", "B"]
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]
        store.upsert("households", [{**home, "plan_id": "B", "plan_since": date(2024, 1, 1)}])
    assert bill(ctx).plan_id == "B"


def account_plan(ctx: Context, price: str, first: str, last: str | None) -> None:
    from toolkit.tables.rows.plans import account_plan_row, plan_row, read_account_plan

    detail = {"electricity_contract": {"tariff_period": [{"single_rate": {"rates": [{"unit_price": price}]}}]}}
    overview = {"display_name": "Mine", "start_date": first, "end_date": last}
    entry = read_account_plan("acc", {"service_point_ids": [NMI], "plan_overview": overview, "plan_detail": detail})
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        store.upsert("plans", [plan_row(entry.plan, household_id=home, source="service")])
        store.upsert("account_plans", [account_plan_row(entry, household_id=home)])


def test_the_accounts_plan_in_force_then_with_its_concessions(ctx: Context):
    account_plan(ctx, "0.20", "2023-07-01", "2024-06-30")
    account_plan(ctx, "0.30", "2024-07-01", None)
    with open_store(ctx.db) as store, store.transaction():
        home = store.rows("households")[0]["household_id"]
        concessions = [
            {"display_name": "Daily", "type": "FIXED_AMOUNT", "amount": "0.10", "discount_frequency": "P1D"},
            {"display_name": "Share", "type": "FIXED_PERCENTAGE", "percentage": "0.175", "applied_to": '["USAGE"]'},
        ]
        rows = [{**c, "household_id": home, "account_id": "acc", "id": str(n)} for n, c in enumerate(concessions)]
        store.upsert("concessions", rows)
    july = bill(ctx, BillingQuestion(from_=date(2024, 7, 1), to=date(2024, 7, 31)))
    june = bill(ctx, BillingQuestion(from_=date(2024, 6, 1), to=date(2024, 6, 30)))
    assert [answer.lines[0].unit_price for answer in (june, july)] == ["0.20", "0.30"]
    both = bill(ctx, BillingQuestion(from_=date(2024, 6, 1), to=date(2024, 7, 31)))
    changed = ["prices_changed" in answer.note_codes for answer in (june, july, both)]
    assert changed == [False, False, True]
    # July: 31 × 0.10 = 3.10; 122.76 × 0.175 = 21.483
    assert [(line.label, line.amount) for line in july.lines[1:]] == [
        ("Daily", Decimal("-3.10")),
        ("Share", Decimal("-21.48")),
    ]
    changed_home = whatif(ctx, "ev", kwh=8, from_=date(2024, 7, 1), to=date(2024, 7, 31))
    assert changed_home.before == july.total
    assert "whatif_account_concessions" in changed_home.note_codes  # `compare` leaves them out


def test_a_folder_and_an_archive_of_plans(ctx: Context, tmp_path: Path):
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "one.json").write_text(json.dumps(flat_plan("A", "30")))
    assert bill(ctx, BillingQuestion(plan=str(folder))).plan_id == "A"
    packed = tmp_path / "plans.ndjson.gz"
    packed.write_bytes(gzip.compress("\n".join(json.dumps(flat_plan(name, "30")) for name in "AB").encode()))
    with pytest.raises(ChoiceRequiredError) as refused:
        bill(ctx, BillingQuestion(plan=str(packed)))
    assert refused.value.choices == ["A", "B"]


def test_what_cannot_be_billed_is_said_in_one_sentence(ctx: Context, plan_file: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="NOPE"):
        bill(ctx, BillingQuestion(plan="NOPE"))
    with pytest.raises(UsageError, match=r"2024-07-02.*2024-07-01"):
        bill(ctx, BillingQuestion(plan=str(plan_file), from_=date(2024, 7, 2), to=date(2024, 7, 1)))
    with pytest.raises(PricingError, match=r"2020-07-01.*2020-07-31"):
        bill(ctx, BillingQuestion(plan=str(plan_file), from_=date(2020, 7, 1), to=date(2020, 7, 31)))
    with pytest.raises(NothingStoredError) as refused:
        bill(ctx)
    assert refused.value.missing == "plan"
    gas = tmp_path / "gas.json"
    gas.write_text(json.dumps({"planId": "G", "gasContract": {"tariffPeriod": []}}))
    with pytest.raises(PricingError, match="electricity"):
        bill(ctx, BillingQuestion(plan=str(gas)))
    with pytest.raises(StoreError):
        bill(Context(tmp_path / "none.db", TODAY), BillingQuestion(plan=str(plan_file)))


def test_several_service_points_have_to_be_named(ctx: Context, plan_file: Path, tmp_path: Path):
    other = tmp_path / "other.csv"
    other.write_text(level("4103000002", date(2024, 7, 1), 31, "0.5"))
    load(ctx, [other])
    with pytest.raises(ChoiceRequiredError) as refused:
        bill(ctx, BillingQuestion(plan=str(plan_file)))
    assert refused.value.choices == ["4103000001", "4103000002"]
    named = Context(ctx.db, ctx.today, service_point="4103000002")
    assert bill(named, BillingQuestion(plan=str(plan_file))).lines[1].quantity == 744


def lines_of(answer: dict[str, object]) -> Iterator[Decimal]:
    yield from (line.amount for line in answer.lines)


def test_reads_stop_before_the_bill_ends(ctx: Context, plan_file: Path):
    answer = bill(ctx, BillingQuestion(plan=str(plan_file), from_=date(2024, 8, 1), to=date(2024, 8, 31)))
    assert answer.total == sum(lines_of(answer))
    assert answer.missing_share == pytest.approx(21 / 31)
    assert any("2024-08-11 to 2024-08-31" in problem.reason for problem in answer.problems)
    assert {problem.severity for problem in answer.problems} == {"warning"}
