"""Plans typed from a bill: read, refused with the hours that lack a price, priced as published ones, and changed."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import read
from tests.meters import level
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.errors import ImportFailedError
from toolkit.flows.energy.bill import bill
from toolkit.flows.household.billing_periods import BillingQuestion
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.listed import plan_list
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.plans.typed import keep_typed_plan, new_plan, typed_plan

REFERENCE = Path(__file__).parents[3] / "toolkit" / "docs" / "commands.md"
WEEK = BillingQuestion(date(2026, 6, 1), date(2026, 6, 7), period="whole")
"""Monday to Sunday."""
FLAT = 'name = "Flat"\nfuel = "electricity"\nsupply = 110\n[[usage]]\nprice = 33\n'


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", date(2026, 6, 20))


def typed(ctx: Context, text: str, day: date | None = None) -> str:
    file = ctx.db.parent / "plan.toml"
    file.write_text(text)
    return new_plan(ctx, file, from_=day).plan_id


def reference_example() -> str:
    found = re.search(r"```toml\n(.*?)```", REFERENCE.read_text(), re.DOTALL)
    assert found
    return found[1]


def test_the_reference_s_example_is_priced_to_the_cent(ctx: Context) -> None:
    """24 kWh a day, 4.8 kWh of controlled load and 9.6 kWh of solar, evenly over the day.

    Supply 7 × 1.188. Peak 5 × 6 kWh × 0.418. The other 138 kWh: 70 at 0.264, 68 at 0.286. Controlled load 33.6 × 0.198,
    7 × 0.033. Solar 56 at 0.10, 11.2 at 0.04. Demand 1 kW × 7 × 0.22. 2 % of the charges of 67.21 is 1.34.
    """
    for suffix, kwh in (("E1", "0.5"), ("E2", "0.1"), ("B1", "0.2")):
        file = ctx.db.parent / f"{suffix}.csv"
        file.write_text(level(NMI, date(2026, 6, 1), 7, kwh, suffix))
        load(ctx, [file], controlled_load=["E2"])
    plan_id = typed(ctx, reference_example())
    set_home(ctx, plan_id=plan_id, plan_since=date(2026, 1, 1))
    answer = bill(ctx, WEEK)
    assert [line.amount for line in answer.lines] == [
        Decimal(amount)
        for amount in ("8.32", "12.54", "18.48", "19.45", "1.54", "6.65", "0.23", "-1.34", "-5.60", "-0.45")
    ]
    assert (answer.total, answer.problems, answer.plan_id) == (Decimal("59.82"), (), "my-example-energy-home-saver")


def test_half_a_cent_with_gst_is_rounded_as_on_the_bill(ctx: Context) -> None:
    """11.5 c a day are 10.4545… c without GST: a day of it is 12 c all the same."""
    read(ctx, NMI, date(2026, 6, 1), 7, "0.5")
    plan_id = typed(ctx, FLAT.replace("110", "11.5"))
    (supply, _) = bill(ctx, BillingQuestion(date(2026, 6, 1), date(2026, 6, 1), plan=plan_id)).lines
    assert (supply.amount, supply.unit_price) == (Decimal("0.12"), "0.1045454545")


def test_changed_prices_hold_from_their_day_and_earlier_bills_keep_the_old_ones(ctx: Context) -> None:
    read(ctx, NMI, date(2026, 6, 1), 14, "0.5")
    plan_id = typed(ctx, FLAT)
    set_home(ctx, plan_id=plan_id, plan_since=date(2026, 1, 1))
    assert typed(ctx, FLAT.replace("33", "44"), date(2026, 6, 8)) == plan_id
    before, after = (
        bill(ctx, BillingQuestion(day, day)).components["usage"] for day in (date(2026, 6, 7), date(2026, 6, 8))
    )
    assert (before, after) == (Decimal("7.92"), Decimal("10.56"))
    # typed again without a day: the newest prices were wrong
    typed(ctx, FLAT.replace("33", "22"))
    assert bill(ctx, BillingQuestion(date(2026, 6, 8), date(2026, 6, 8))).components["usage"] == Decimal("5.28")
    assert bill(ctx, BillingQuestion(date(2026, 6, 7), date(2026, 6, 7))).components["usage"] == Decimal("7.92")
    # and back to what they were
    typed(ctx, FLAT.replace("33", "44"))
    assert bill(ctx, BillingQuestion(date(2026, 6, 8), date(2026, 6, 8))).components["usage"] == Decimal("10.56")


def test_gas_by_season(ctx: Context) -> None:
    """Prices of winter and of all other months, in cents a MJ without GST."""
    plan_id = typed(
        ctx,
        'name = "Gas"\nfuel = "gas"\nprices = "cents without GST"\nsupply = 80\n'
        '[[usage]]\nmonths = "Jun-Aug"\nprice = 4\n[[usage]]\nprice = 3\n',
    )
    assert plan_id == "my-gas-gas"
    (card,) = plan_show(ctx, plan=plan_id).fuels
    rows = [(rate.season, rate.price) for rate in card.rates if rate.component == "usage"]
    assert rows == [("1 Jun to 31 Aug", "0.04"), ("1 Sep to 31 May", "0.03")]
    assert card.problems == ()


TIMED = 'name = "T"\nfuel = "electricity"\nsupply = 100\n[[usage]]\nprice = 40\ndays = "Mon-Fri"\nhours = "3pm-9pm"\n'


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (TIMED, ("Mon–Fri 00:00–15:00", "Mon–Fri 21:00–24:00", "Sat, Sun")),
        (TIMED + '[[usage]]\nprice = 20\nhours = "20:00-16:00"\n', ("Mon–Fri 15:00–16:00", "20:00–21:00")),
        (TIMED + "[[usage]]\nprice = 20\n[[usage]]\nprice = 20\n", ("rate 2", "rate 3")),
        (TIMED + '[[usage]]\nprice = 20\nhours = "25:00-26:00"\n', ("25:00-26:00",)),
        (TIMED + '[[usage]]\nprice = 20\ndays = "Funday"\n', ("Funday",)),
        (FLAT + 'months = "Jun-Sep"\n', ("Jan", "Oct")),
        (FLAT.replace("33", "0.33"), ("0.33",)),
        (FLAT.replace("33", "-33"), ("-33",)),
        (FLAT.replace("110", "1.10"), ("supply", "1.1")),
        (FLAT.replace("price = 33", "tiers = [{price = 33}, {price = 30}]"), ("first",)),
        (FLAT.replace("price", "prise"), ("usage[0]", "prise")),
        (FLAT.replace("110", "a dollar"), ("line 3",)),
        (FLAT.replace('"electricity"', '"steam"'), ("steam",)),
        (FLAT + '[demand]\nprice = 12\nper = "month"\n', ("demand", "month")),
    ],
)
def test_what_cannot_be_priced_is_refused_with_its_place(ctx: Context, text: str, named: tuple[str, ...]) -> None:
    with pytest.raises(ImportFailedError) as error:
        typed(ctx, text)
    assert not ctx.db.exists()
    assert [words for words in ("plan.toml", *named) if words not in str(error.value)] == []


def test_a_typed_plan_belongs_to_its_household_and_comes_back_as_typed(ctx: Context) -> None:
    plan = TypedPlan(name="Mine", fuel="electricity", supply=Decimal(110), usage=(TypedRate(price=Decimal("27.5")),))
    plan_id = keep_typed_plan(ctx, plan).plan_id
    assert typed_plan(ctx, plan_id.upper()) == plan
    assert [listed.plan_id for listed in plan_list(ctx).plans] == ["my-mine"]
    add_home(ctx, "Other")
    assert plan_list(Context(ctx.db, ctx.today, "Other")).plans == ()
