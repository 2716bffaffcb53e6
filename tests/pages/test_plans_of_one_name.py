"""Plans of one name: with the same prices they are one choice, else each says what tells it from the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI, import_plans
from tests.flows.energy.invoices import read as read_meter
from tests.pages.seen import TODAY, read
from tests.pages.test_compared_plans import bars, home_on_mine, plan
from tests.pages.test_my_plan import FROM, here
from tests.problems import names
from toolkit.answers.energy.invoice_list import InvoiceLine
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import add_invoice, edit_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.plans.my_plan import plans_of_retailer

Visit = Callable[..., AppTest]
EVERY_DAY = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
OFF_PEAK = {"controlledLoad": [{"displayName": "Off-peak", "singleRate": {"rates": [{"unitPrice": "0.10"}]}}]}


def by_time(start: str, end: str) -> dict[str, object]:
    """33 c from start to end, 22 c at other times."""
    hours = (("PEAK", "30", start, end), ("OFF_PEAK", "20", end, start))
    rates = [
        {
            "type": kind,
            "rates": [{"unitPrice": price}],
            "timeOfUse": [{"days": EVERY_DAY, "startTime": first, "endTime": last}],
        }
        for kind, price, first, last in hours
    ]
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "90", "timeOfUseRates": rates}
    return {"tariffPeriod": [period]}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A home in Sydney with a month of reads, without controlled load."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    set_home(ctx, postcode="2000", network="Ausgrid")
    return ctx


def test_plans_with_the_same_prices_are_one_choice(ctx: Context, visit: Visit) -> None:
    import_plans(ctx, ctx.db.parent, *(here(f"B{number}@EME", "Beta", "20") for number in (1, 2, 3)))
    offered = plans_of_retailer(ctx, FROM, "Beta")
    assert [(each.plan_id, each.alike) for each in offered.plans] == [("B1@EME", ("B2@EME", "B3@EME"))]
    assert offered.left_out == 0
    import_plans(ctx, ctx.db.parent, here("B4@EME", "Beta", "30"))
    test = visit(ctx.db, "bills")
    test.selectbox(key="my-retailer-ELECTRICITY").select("Beta").run()
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").options == [
        "Saver: one price, 22.00 c/kWh, 99.00 c/day (and 2 with the same prices)",
        "Saver: one price, 33.00 c/kWh, 99.00 c/day",
    ]


def test_plans_that_differ_in_their_hours_name_them(ctx: Context, visit: Visit) -> None:
    hours = (("T1@EME", "15:00", "21:00"), ("T2@EME", "14:00", "20:00"))
    plans = [here(id_, "Beta", "20", electricityContract=by_time(start, end)) for id_, start, end in hours]
    import_plans(ctx, ctx.db.parent, *plans)
    test = visit(ctx.db, "bills")
    test.selectbox(key="my-retailer-ELECTRICITY").select("Beta").run()
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").options == [
        "Saver: by time of day, 22.00–33.00 c/kWh, 99.00 c/day, dearest 15:00–21:00",
        "Saver: by time of day, 22.00–33.00 c/kWh, 99.00 c/day, dearest 14:00–20:00",
    ]


def test_those_that_fit_the_homes_meter_come_first(ctx: Context) -> None:
    with_load = here("A@EME", "Beta", "20")
    contract = with_load["electricityContract"]
    assert isinstance(contract, dict)
    import_plans(
        ctx, ctx.db.parent, with_load | {"electricityContract": contract | OFF_PEAK}, here("B@EME", "Beta", "20")
    )
    offered = plans_of_retailer(ctx, FROM, "Beta").plans
    assert [(each.plan_id, each.fits) for each in offered] == [("B@EME", True), ("A@EME", False)]


def test_compared_plans_of_one_name_are_told_apart(db: Path, tmp_path: Path, visit: Visit) -> None:
    """12 kWh a day: 365 × 1.10 + 4,380 × 33 c is 1,846.90; at 22 c, 1,365.10, with controlled load."""
    saver = {"displayName": "Saver", "brandName": "Beta"}
    plans = [
        plan("MINE", "0.40", brandName="Alpha"),
        plan("FLAT", "0.30", **saver),
        plan("LOAD", "0.20", contract=OFF_PEAK, **saver),
        plan("OTHER", "0.35", brandName="Beta"),
    ]
    test = visit(home_on_mine(db, tmp_path, plans), "plans")
    assert names(" ".join(bars(test)), "Saver (Beta): 33.00 c/kWh", "Plan OTHER (Beta)")
    assert names(read(test), "The cheapest plan for you is Saver (Beta): 33.00 c/kWh.")
    listed = next(frame.value for frame in test.dataframe if "why_not" in frame.value)
    assert listed["name"].tolist()[:2] == ["Saver: controlled load, 22.00 c/kWh", "Saver: 33.00 c/kWh"]
    assert names(listed["why_not"].tolist()[0], "controlled load")


def billed(price: str, supply: str, *, kwh: int = 744) -> InvoiceForm:
    """A bill of Beta for May, with GST in its prices [AUD]."""
    usage, daily = Decimal(price) * kwh, Decimal(supply) * 31
    lines = (
        InvoiceLine(
            component="anytime",
            name="Usage",
            quantity=Decimal(kwh),
            unit="kWh",
            unit_price=Decimal(price),
            amount=usage,
        ),
        InvoiceLine(
            component="supply",
            name="Supply",
            quantity=Decimal(31),
            unit="day",
            unit_price=Decimal(supply),
            amount=daily,
        ),
    )
    may = (date(2026, 5, 1), date(2026, 5, 31))
    return InvoiceForm(FROM, *may, usage + daily, retailer="Beta", lines=lines)


def test_those_with_prices_nearest_to_the_bills_come_first(ctx: Context, visit: Visit) -> None:
    """Supply is 99 c a day and usage 33, 22 and 27.5 c a kWh with GST; the bill has 22."""
    prices = {"Alpha": "30", "Zero": "20", "Mid": "25"}
    import_plans(
        ctx, ctx.db.parent, *(here(f"{name}@EME", "Beta", cents, displayName=name) for name, cents in prices.items())
    )
    assert [plan.name for plan in plans_of_retailer(ctx, FROM, "Beta").plans] == ["Alpha", "Mid", "Zero"]
    saved = add_invoice(ctx, billed("0.22", "0.99"))
    offered = plans_of_retailer(ctx, FROM, "Beta")
    assert ([plan.name for plan in offered.plans], offered.same_prices) == (["Zero", "Mid", "Alpha"], ("Zero@EME",))
    said = "Plans with prices nearest to those on your bill (22.00 c/kWh, 99.00 c/day) come first; 1 plan has them."
    assert said in read(visit(ctx.db, "bills"))

    # The bill's own name says more than its prices.
    edit_invoice(ctx, saved.changed or "", InvoiceForm(plan_name="Alpha"))
    assert [plan.name for plan in plans_of_retailer(ctx, FROM, "Beta").plans] == ["Alpha", "Zero", "Mid"]
