"""Why the next bill is not the last one: its days, its prices and the energy used a day, to the cent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.meters import level
from tests.pages.test_compared_plans import plan
from tests.problems import names
from toolkit.answers.base import Period
from toolkit.answers.energy.forecast import NextBillAgainst
from toolkit.flows.energy.against import next_bill_against
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

TODAY = date(2026, 5, 20)
MAY = Period(date(2026, 5, 1), date(2026, 5, 31))


@pytest.fixture
def home(tmp_path: Path) -> Context:
    """12 kWh a day to 30 April 2026, at $1.10 a day and 44 c: April comes to 33.00 + 158.40 = $191.40."""
    (tmp_path / "meter.csv").write_text(level("NZZZ000001", date(2025, 5, 1), 365))
    (tmp_path / "plans.json").write_text(json.dumps([plan("MINE", "0.40"), plan("DEARER", "0.50")]))
    ctx = Context(tmp_path / "home.db", TODAY)
    load(ctx, [tmp_path / "meter.csv", tmp_path / "plans.json"])
    set_home(ctx, postcode="2000", network="Ausgrid", plan_id="MINE", plan_since=date(2025, 1, 1))
    return ctx


def billed(ctx: Context, amount: str, first: date = date(2026, 4, 1), last: date = date(2026, 4, 30)) -> None:
    add_invoice(ctx, InvoiceForm("ELECTRICITY", first, last, amount))


def parts(answer: NextBillAgainst | None) -> Mapping[str, Decimal]:
    assert answer is not None
    return {part.name: part.amount for part in answer.parts}


def test_days_and_energy_a_day(home: Context) -> None:
    """31 days of 15 kWh: 34.10 + 465 × 44 c = 238.70. A day of April costs 6.38; 31 × 3 kWh × 44 c = 40.92."""
    billed(home, "191.40")
    answer = next_bill_against(home, MAY, Decimal("238.70"), 465)
    assert parts(answer) == {"days": Decimal("6.38"), "level": Decimal("40.92")}
    assert answer is not None
    assert (answer.total, answer.billed) == (Decimal("191.40"), True)
    said = answer.sentence.page
    assert names(said, "$47.30 more", "$191.40", "1 day longer: +$6.38")
    assert names(said, "more energy a day (15.0 kWh, not 12.0): +$40.92")


def test_new_prices_are_apart(home: Context) -> None:
    """April at 55 c is 33.00 + 198.00 = 231.00: 39.60 more in 30 days is 40.92 in 31. 31 × 3 kWh × 55 c = 51.15."""
    billed(home, "191.40")
    set_home(home, plan_id="DEARER", plan_since=date(2026, 5, 1))
    answer = next_bill_against(home, MAY, Decimal("289.85"), 465)
    assert parts(answer) == {"days": Decimal("6.38"), "prices": Decimal("40.92"), "level": Decimal("51.15")}
    assert answer is not None
    assert names(answer.sentence.page, "new prices: +$40.92")


def test_prices_that_change_within_the_next_bill_count_by_their_days(home: Context) -> None:
    """DEARER holds from 17 May, on 15 of 31 days: 40.92 × 15 ÷ 31 = 19.80."""
    set_home(home, plan_id="DEARER", plan_since=date(2026, 5, 17))
    answer = next_bill_against(home, MAY, Decimal("238.70"), None)
    assert parts(answer)["prices"] == Decimal("19.80")


def test_less_in_a_shorter_bill(home: Context) -> None:
    billed(home, "191.40")
    days = Period(date(2026, 5, 1), date(2026, 5, 28))
    answer = next_bill_against(home, days, Decimal("154.00"), 280)  # 28 × 1.10 + 280 kWh × 44 c
    assert parts(answer) == {"days": Decimal("-12.76"), "level": Decimal("-24.64")}
    assert answer is not None
    assert names(
        answer.sentence.page, "$37.40 less", "2 days shorter: −$12.76", "less energy a day (10.0 kWh, not 12.0)"
    )


def test_what_was_billed_besides_the_plans_prices_is_a_part(home: Context) -> None:
    billed(home, "201.40")
    answer = next_bill_against(home, MAY, Decimal("197.78"), 372)  # 31 days of 12 kWh
    assert parts(answer) == {"days": Decimal("6.38"), "not_explained": Decimal("-10.00")}
    assert answer is not None
    assert names(answer.sentence.page, "$3.62 less", "other charges on the last bill", "−$10.00")


def test_without_a_stored_bill_the_days_before_are_worked_out(home: Context) -> None:
    answer = next_bill_against(home, MAY, Decimal("197.78"), 372)
    assert parts(answer) == {"days": Decimal("6.38")}
    assert answer is not None
    assert not answer.billed
    assert names(answer.sentence.page, "1 Apr 2026", "30 Apr 2026", "at your plan's prices")


def test_a_bill_without_reads_is_compared_by_its_days_alone(home: Context) -> None:
    """The bill of 150.00 lies before the reads: a day of it costs 5.00."""
    billed(home, "150.00", date(2025, 4, 1), date(2025, 4, 30))
    days = Period(date(2025, 5, 1), date(2025, 5, 31))
    assert parts(next_bill_against(home, days, Decimal("197.78"), 372)) == {
        "days": Decimal("5.00"),
        "prices_and_use": Decimal("42.78"),
    }


def test_days_without_reads_or_bill_compare_with_nothing(home: Context) -> None:
    assert next_bill_against(home, Period(date(2025, 4, 1), date(2025, 4, 30)), Decimal("100.00"), None) is None


def test_the_forecast_gives_the_energy_of_its_best_guess(home: Context) -> None:
    answer = forecast(home)
    assert (answer.period.from_, answer.period.to, answer.energy) == (MAY.first, MAY.last, pytest.approx(372))
    assert answer.p50 == Decimal("197.78")
