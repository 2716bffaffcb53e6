"""The months ahead, a switch of plans, even payments and arrears, by hand for a home whose days are all alike."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec import structs

from tests.meters import day, days, flat_plan, nem12, register
from toolkit.errors import NothingStoredError, PricingError, UsageError
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.remedies import Remedy, page_wording


@pytest.fixture
def steady(tmp_path: Path) -> Context:
    """A home that uses 1 kW all the time, to 31 January 2025, on $1 a day and 30 c per kWh before GST."""
    meter, plan, dear = (tmp_path / name for name in ("meter.csv", "plan.json", "dear.json"))
    meter.write_text(nem12(register(), *(day(when, [0.5] * 48) for when in days("2024-01-01", 397))))
    plan.write_text(flat_plan())
    dear.write_text(flat_plan().replace("FLAT@EME", "DEAR@EME").replace("0.30", "0.60"))
    ctx = Context(tmp_path / "home.db", today=date(2025, 2, 1))
    load(ctx, [meter, plan])
    return ctx


A_DAY = Decimal("9.02")
"""$1.10 and 24 kWh at 33 c."""


def test_the_months_ahead_and_the_even_payments_that_cover_them(steady: Context) -> None:
    answer = forecast(steady)
    assert [(month.from_, month.to) for month in answer.months[:2]] == [
        (date(2025, 2, 1), date(2025, 2, 28)),
        (date(2025, 3, 1), date(2025, 3, 31)),
    ]
    assert [month.p50 for month in answer.months[:2]] == [28 * A_DAY, 31 * A_DAY]
    assert len(answer.months) == len(answer.bills) == 12
    assert answer.even_payments is not None
    year = 365 * A_DAY
    assert (answer.even_payments.year_p50, answer.even_payments.year_p90) == (year, year)
    p50 = answer.even_payments.p50
    assert (p50.weekly, p50.fortnightly, p50.monthly) == (Decimal("63.32"), Decimal("126.63"), Decimal("274.36"))
    assert "last_known_prices" in answer.note_codes


def test_arrears_are_spread_over_their_months(steady: Context) -> None:
    plain, owing = forecast(steady), forecast(steady, arrears=Decimal("600.00"), over=6)
    assert plain.even_payments is not None
    assert owing.even_payments is not None
    assert owing.even_payments.p50.monthly - plain.even_payments.p50.monthly == 100
    assert owing.even_payments.year_p50 == plain.even_payments.year_p50
    with pytest.raises(UsageError):
        forecast(steady, arrears=Decimal("600.00"))


def test_days_from_the_switch_on_are_priced_on_the_other_plan(steady: Context, tmp_path: Path) -> None:
    answer = forecast(steady, plan=str(tmp_path / "dear.json"), switch_on=date(2025, 3, 11))
    dear = Decimal("16.94")
    assert [month.p50 for month in answer.months[:3]] == [28 * A_DAY, 10 * A_DAY + 21 * dear, 30 * dear]
    assert "switched_on" in answer.note_codes
    with pytest.raises(UsageError):
        forecast(steady, switch_on=date(2025, 3, 11))


def test_a_later_version_of_the_plan_is_priced_from_its_first_day(steady: Context, tmp_path: Path) -> None:
    for name, price, begins in (("first.json", "0.30", "2024-01-01"), ("later.json", "0.60", "2025-03-01")):
        plan = json.loads(flat_plan(price))
        (tmp_path / name).write_text(
            json.dumps({**plan, "effectiveFrom": begins, "lastUpdated": f"{begins}T00:00:00Z"})
        )
        load(steady, [tmp_path / name])
    set_home(steady, plan_id="FLAT@EME", plan_since=date(2024, 1, 1))
    answer = forecast(steady)
    assert [month.p50 for month in answer.months[:2]] == [28 * A_DAY, 31 * Decimal("16.94")]
    assert "prices_will_change" in answer.note_codes


def test_bills_of_a_quarter_follow_each_other(steady: Context) -> None:
    set_home(steady, billing="quarterly")
    answer = forecast(steady)
    assert [(bill.from_, bill.to) for bill in answer.bills[:2]] == [
        (date(2025, 1, 1), date(2025, 3, 31)),
        (date(2025, 4, 1), date(2025, 6, 30)),
    ]
    assert [bill.p50 for bill in answer.bills[:2]] == [90 * A_DAY, 91 * A_DAY]
    assert [month.from_ for month in answer.months[:2]] == [date(2025, 1, 1), date(2025, 2, 1)]


def test_bills_of_other_days_than_the_twelve_months_are_said_so(steady: Context) -> None:
    assert not {"year_other_days", "year_not_the_sum"} & set(forecast(steady).note_codes)
    add_invoice(steady, InvoiceForm("ELECTRICITY", date(2024, 12, 4), date(2025, 1, 17), "405.90", energy=["1080"]))
    (said,) = [note for note in forecast(steady).notes if note.code == "year_other_days"]
    # Nine bills of 45 days from 18 January: 405 days; twelve months: 365.
    assert said.figures == {
        "first": date(2025, 1, 18),
        "until": date(2026, 2, 26),
        "last": date(2026, 1, 17),
        "together": 405 * A_DAY,
        "year": 365 * A_DAY,
    }


def test_where_bill_smoothing_leads_the_account(steady: Context, tmp_path: Path) -> None:
    """26 × 120.00 are 3,120.00; 365 days at 9.02 are 3,292.30."""
    paid = [date(2024, 8, 2) + timedelta(14 * n) for n in range(13)]
    rows = "".join(f"{when:%d/%m/%Y},AGL SALES PTY LTD,-120.00\n" for when in paid)
    (tmp_path / "bank.csv").write_text(f"Date,Description,Amount\n{rows}")
    assert forecast(steady).smoothing is None
    load(steady, [tmp_path / "bank.csv"])
    answer = forecast(steady)
    assert answer.smoothing is not None
    assert (answer.smoothing.payment, answer.smoothing.every) == (Decimal("120.00"), "fortnight")
    assert (answer.smoothing.yearly, answer.smoothing.in_a_year_p50) == (Decimal("3120.00"), Decimal("-172.30"))
    assert "smoothing_owing" in answer.note_codes
    assert forecast(steady, months=0).smoothing is None


def test_a_meter_that_changes_from_half_hours_to_five_minutes(steady: Context, tmp_path: Path) -> None:
    """A month of five-minute reads at the same 1 kW: March's bill of 31 days is as before."""
    reads = nem12(
        register(minutes=5), *(day(when, ["0.0833333"] * 287 + ["0.0833429"]) for when in days("2025-02-01", 28))
    )
    (tmp_path / "five.csv").write_text(reads)
    in_march = structs.replace(steady, today=date(2025, 3, 1))
    load(in_march, [tmp_path / "five.csv"])
    answer = forecast(in_march)
    assert answer.period.from_ == date(2025, 3, 1)
    assert answer.p50 == 31 * A_DAY
    assert answer.change is None


def test_a_plan_that_cannot_be_priced_gives_a_sentence_and_no_number(steady: Context, tmp_path: Path) -> None:
    plan = json.loads(flat_plan())
    del plan["electricityContract"]["tariffPeriod"][0]["singleRate"]
    (tmp_path / "empty.json").write_text(json.dumps({**plan, "planId": "EMPTY@EME", "displayName": "Empty"}))
    load(steady, [tmp_path / "empty.json"])
    with pytest.raises(PricingError) as refused:
        forecast(steady, plan="EMPTY@EME")
    assert "EMPTY@EME" in str(refused.value)
    assert "EMPTY@EME" not in page_wording(refused.value)
    assert Remedy.PRICES_OR_PLAN.command in str(refused.value)
    assert Remedy.PRICES_OR_PLAN.page in page_wording(refused.value)


def test_gas_is_asked_for_where_none_is_known(steady: Context) -> None:
    with pytest.raises(NothingStoredError, match="gas"):
        forecast(steady, fuel="GAS")


def test_an_empty_meter_is_said_so(tmp_path: Path) -> None:
    meter, plan = tmp_path / "meter.csv", tmp_path / "plan.json"
    meter.write_text(nem12(register(), *(day(when, ["0"] * 48) for when in days("2024-01-01", 397))))
    plan.write_text(flat_plan())
    ctx = Context(tmp_path / "home.db", today=date(2025, 2, 1))
    load(ctx, [meter, plan])
    answer = forecast(ctx)
    assert (answer.p10, answer.p50, answer.p90) == (Decimal("30.80"),) * 3
    assert "empty_meter" in answer.note_codes
    assert answer.metered_through == date(2025, 2, 1) - timedelta(1)


def test_a_meter_that_reads_zero_since_some_day_is_said_so(steady: Context, tmp_path: Path) -> None:
    (tmp_path / "zeros.csv").write_text(nem12(register(), *(day(when, ["0"] * 48) for when in days("2025-02-01", 59))))
    in_april = structs.replace(steady, today=date(2025, 4, 1))
    load(in_april, [tmp_path / "zeros.csv"])
    answer = forecast(in_april)
    (said,) = [note for note in answer.notes if note.code == "empty_meter"]
    assert answer.change is not None
    assert said.figures["first"] == answer.change.date == date(2025, 2, 1)
    assert answer.p50 == 30 * Decimal("1.10")


def test_reads_of_long_ago_give_no_number(steady: Context) -> None:
    answer = forecast(structs.replace(steady, today=date(2025, 9, 1)))
    assert (answer.p10, answer.p50, answer.p90, answer.months, answer.even_payments) == (None, None, None, (), None)
    assert answer.reason is not None
    assert answer.reason.code == "too_old_to_forecast"
