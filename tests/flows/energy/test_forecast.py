"""`forecast` and `solar` over a stored household with a plan."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import ForecastPeriod
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.context import Context
from toolkit.store import Store, open_store
from toolkit.tables.registers import pack

TODAY = date(2025, 6, 11)
START = date(2024, 6, 1)
DAYS = [START + timedelta(n) for n in range((TODAY - START).days)]
PLAN = {
    "plan_id": "FLAT",
    "display_name": "Flat",
    "fuel_type": "ELECTRICITY",
    "electricity_contract": {
        "time_zone": "AEST",
        "tariff_period": [{"daily_supply_charge": "1.00", "single_rate": {"rates": [{"unit_price": "0.30"}]}}],
        "solar_feed_in_tariff": [
            {
                "display_name": "Solar",
                "scheme": "OTHER",
                "payer_type": "RETAILER",
                "tariff_u_type": "singleTariff",
                "single_tariff": {"rates": [{"unit_price": "0.05"}]},
            }
        ],
    },
}
NOON = (np.arange(48) >= 16) & (np.arange(48) < 34)
"""08:00 to 17:00."""


def register(suffix: str, kwh: np.ndarray) -> list[dict[str, object]]:
    packed = pack([f"{value:.3f}" for value in kwh])
    day = {
        "household_id": "h",
        "service_point_id": "power",
        "meter_id": "",
        "register_suffix": suffix,
        "source": "file",
        "unit": "KWH",
        "direction": "export" if suffix.startswith("B") else "import",
        "controlled_load": False,
        "interval_minutes": 30,
        "intervals": 48,
        "present": 48,
        "exponent": packed.exponent,
        "width": packed.width,
        "reads": packed.blob,
        "total_nano": packed.total_nano,
    }
    return [{**day, "date": each} for each in DAYS]


def fill(store: Store) -> None:
    point = {"household_id": "h", "source": "file", "fuel": "ELECTRICITY", "id": "1", "service_point_id": "power"}
    plan = {"household_id": "", "plan_id": "FLAT", "version": "1", "sequence": 1, "source": "file"}
    store.upsert("households", [{"household_id": "h", "name": "Home", "postcode": "4000", "plan_id": "FLAT"}])
    store.upsert("service_points", [point])
    store.upsert("register_days", register("E1", np.where(NOON, 0.0, 0.8)))
    store.upsert("register_days", register("B1", np.where(NOON, 1.0, 0.0)))
    store.upsert("plans", [{**plan, "fuel_type": "ELECTRICITY", "raw": json.dumps(PLAN)}])


@pytest.fixture
def stored(tmp_path: Path) -> Context:
    """A Brisbane home that buys 24 kWh and sells 18 kWh every day, on a flat plan."""
    db = tmp_path / "home.db"
    with open_store(db) as store, store.transaction():
        fill(store)
    return Context(db, today=TODAY)


def test_the_next_bill_by_hand(stored: Context) -> None:
    answer = forecast(stored)
    assert answer.service_point_id == "power"
    assert answer.period == ForecastPeriod(date(2025, 6, 1), date(2025, 6, 30), "calendar month")
    assert answer.metered_through == date(2025, 6, 10)
    # a day: 24 × 0.33 + 1.10 − 18 × 0.05 = 8.12
    assert (answer.certain, answer.p50) == (Decimal("103.20"), Decimal("243.60"))  # 20 more days of supply
    assert answer.components == {
        "supply": Decimal("33.00"),
        "usage": Decimal("237.60"),
        "feed_in": Decimal("-27.00"),
    }
    assert answer.p10 == answer.p90 == answer.p50
    assert answer.backtest.origins == 10  # August 2024 to May 2025
    assert answer.problems == ()


def test_the_next_bill_follows_the_invoices(stored: Context) -> None:
    spans = [(date(2025, 2, 15), date(2025, 3, 14)), (date(2025, 3, 15), date(2025, 4, 14))]
    invoices = [
        {
            "household_id": "h",
            "id": str(number),
            "account_id": "a",
            "period_start": first,
            "period_end": last,
            "invoice_amount": "1.00",
            "invoice_amount_minor": 100,
        }
        for number, (first, last) in enumerate(spans)
    ]
    with open_store(stored.db) as store, store.transaction():
        store.upsert("invoices", [_whole(invoice) for invoice in invoices])
    answer = forecast(stored)
    assert answer.period == ForecastPeriod(date(2025, 5, 15), date(2025, 6, 14), "invoices")
    assert answer.due is None  # no bill says when it was due


@pytest.mark.parametrize(
    ("dues", "expected"),
    [(["2025-03-31", "2025-05-09"], date(2025, 7, 1)), (["2025-03-31", None], date(2025, 7, 1))],
)
def test_the_next_bill_is_due_as_long_after_its_end_as_bills_were(
    stored: Context, dues: list[str | None], expected: date
) -> None:
    """Of 17 and 25 days after the end of a bill the lower middle is 17: 14 June and 17 days are 1 July."""
    ends = [("2025-02-15", "2025-03-14"), ("2025-03-15", "2025-04-14")]
    bills = [
        {
            "household_id": "h",
            "id": str(n),
            "account_id": "a",
            "period_start": first,
            "period_end": last,
            "due_date": due,
        }
        for n, ((first, last), due) in enumerate(zip(ends, dues, strict=True))
    ]
    with open_store(stored.db) as store, store.transaction():
        store.upsert("invoices", [_whole(bill) for bill in bills])
    assert forecast(stored).due == expected


def _whole(invoice: dict[str, object]) -> dict[str, object]:
    from toolkit.tables.schema import table

    required = {
        column.name: 0 if column.kind == "integer" else "0" for column in table("invoices").columns if column.required
    }
    return {**required, **invoice}


def test_the_bill_of_a_time_that_is_over_is_called_so(stored: Context) -> None:
    """Reads end on 10 June 2025."""
    days = date(2025, 6, 30), date(2025, 7, 1)
    note = Note("bill_in_past", last_read=date(2025, 6, 10))
    assert [note in forecast(structs.replace(stored, today=today)).notes for today in days] == [False, True]


def test_today_cuts_what_is_known(stored: Context) -> None:
    answer = forecast(structs.replace(stored, today=date(2025, 3, 20)))
    assert answer.period.from_ == date(2025, 3, 1)
    assert answer.metered_through == date(2025, 3, 20)


def test_a_plan_by_name_and_an_unknown_service_point(stored: Context) -> None:
    assert forecast(stored, plan="FLAT").plan_id == "FLAT"
    with pytest.raises(UsageError, match="NONE"):
        forecast(stored, plan="NONE")
    with pytest.raises(ChoiceRequiredError) as refused:
        forecast(structs.replace(stored, service_point="water"))
    assert refused.value.choices == ["power"]


def test_what_solar_earns_and_saves(stored: Context) -> None:
    """Export is priced by the plan's feed-in; self-use by the usage it would have been."""
    (answer,) = solar(stored, panels_kw=5.0).service_points
    assert answer.panels_source == "as given"
    assert answer.export_kwh == 18.0 * len(DAYS)
    assert answer.feed_in_value == Decimal(18 * len(DAYS)) * Decimal("0.05")
    used = answer.generation_kwh.mid - answer.export_kwh
    assert float(answer.avoided_import_value) == pytest.approx(used * 0.33, abs=0.1)
    assert answer.reason is None


def test_solar_worth_is_unknown_without_a_plan(stored: Context) -> None:
    with open_store(stored.db) as store, store.transaction():
        store.delete("plans", {"plan_id": "FLAT"})
        store.update("households", {"panels_kw": 6.6, "plan_id": None}, {"household_id": "h"})
    (answer,) = solar(stored).service_points
    assert (answer.panels_kw, answer.panels_source) == (6.6, "household")
    assert (answer.feed_in_value, answer.avoided_import_value) == (None, None)
    assert "plan" in answer.reason


def test_nothing_is_known_before_the_first_read(stored: Context) -> None:
    answer = forecast(structs.replace(stored, today=date(2024, 5, 20)))
    assert (answer.p50, answer.metered_through) == (None, None)
    assert answer.period == ForecastPeriod(date(2024, 5, 1), date(2024, 5, 31), "calendar month")
    (point,) = solar(stored, panels_kw=5.0, from_=date(2020, 1, 1), to=date(2020, 1, 2)).service_points
    assert (point.generation_kwh.mid, point.export_kwh) == (None, None)
    assert point.reason
