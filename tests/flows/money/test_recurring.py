"""`recurring` and `cashflow` over a store: the command's answers."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.answers.money import AmountRange, CashflowDay, CashflowItem, LowPoint, RecurringPayment
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import recurring
from toolkit.flows.money.rules import set_categories
from toolkit.flows.money.transactions import transactions

TODAY = date(2026, 3, 20)
NETFLIX = [movement("-17.99", f"{month}-12", merchant_name="Netflix") for month in ("2026-01", "2026-02", "2026-03")]
RENT = {
    "household_id": "h",
    "id": "s",
    "account_id": "everyday",
    "nickname": "Rent",
    "status": "ACTIVE",
    "next_payment_date": "2026-03-27",
    "recurrence": json.dumps({"interval_schedule": {"intervals": [{"interval": "P2W"}]}}),
    "payment_set": json.dumps([{"amount": "900.00"}]),
}
BALANCE = {
    "household_id": "h",
    "id": "b",
    "account_id": "everyday",
    "currency": "AUD",
    "current_balance": "1000.00",
    "current_balance_minor": 100000,
    "as_of": "2026-03-20T00:00:00Z",
}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "household.db", TODAY)
    with home(ctx.db, *NETFLIX, movement("-40.00", "2026-03-19", "HOTEL", status="PENDING")) as store:
        saving = json.dumps([{"amount": "50.00", "to": {"account_id": "savings"}}])
        store.upsert("scheduled_payments", [RENT, {**RENT, "id": "own", "payment_set": saving}])
        store.upsert("balances", [BALANCE])
    return ctx


def test_what_comes_again(ctx: Context) -> None:
    rent, netflix = recurring(ctx).recurring
    assert netflix == RecurringPayment(
        name="Netflix",
        account_id="everyday",
        cadence="monthly",
        amount=AmountRange(low=Decimal("-17.99"), usual=Decimal("-17.99"), high=Decimal("-17.99")),
        last=date(2026, 3, 12),
        next=date(2026, 4, 12),
        yearly=Decimal("-215.88"),
        confidence=netflix.confidence,
        source="detected",
        changes=(),
        kind="subscription",
    )
    assert 0.5 < netflix.confidence < rent.confidence
    assert (rent.name, rent.cadence, rent.yearly) == ("Rent", "fortnightly", Decimal("-23400.00"))


def test_how_the_money_will_last(ctx: Context) -> None:
    answer = cashflow(ctx, days=25)
    assert (answer.from_, answer.to) == (TODAY, TODAY + timedelta(days=24))
    assert len(answer.days) == 25
    assert answer.days[0].p50 == Decimal("960.00")  # the pending hotel is as good as gone
    assert answer.days[7] == CashflowDay(
        date=date(2026, 3, 27),
        p10=Decimal("60.00"),  # in nine weeks nothing else was ever spent
        p50=Decimal("60.00"),
        p90=Decimal("60.00"),
        items=(CashflowItem("Rent", Decimal("-900.00"), "scheduled_payment"),),
    )
    netflix, rent = CashflowItem("Netflix", Decimal("-17.99"), "detected"), answer.days[7].items[0]
    low = LowPoint(date(2026, 4, 12), *[Decimal("-857.99")] * 3, (rent, netflix))
    assert answer.low_point == LowPoint(low.date, low.p10, low.p50, low.p90, answer.low_point.cause)
    assert netflix in answer.low_point.cause
    (account,) = answer.accounts
    assert (account.account_id, account.low_point) == ("everyday", answer.low_point)
    assert answer.start == Decimal("960.00")
    with pytest.raises(UsageError):
        cashflow(ctx, days=0)


def test_a_weekly_shop_is_no_subscription_where_one_of_its_payments_was_set_apart(tmp_path: Path) -> None:
    """Twelve shops of $176.28; a person says of the last that it was a service."""
    first = date(2026, 3, 7)
    days = [first + timedelta(days=7 * week) for week in range(12)]
    file = tmp_path / "everyday.csv"
    file.write_text("".join(f'{day:%d/%m/%Y},"-176.28","WOOLWORTHS 1234","+900.00"\n' for day in days))
    ctx = Context(tmp_path / "home.db", days[-1] + timedelta(days=2))
    load(ctx, [file])
    newest = transactions(ctx).transactions[0]
    set_categories(ctx, {newest.id: "SERVICES_OTHER_SERVICES"})
    (shop,) = recurring(ctx).recurring
    assert (shop.name, shop.kind) == ("Woolworths", "payment")
