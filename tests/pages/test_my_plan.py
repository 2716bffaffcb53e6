"""Saying which plan the home is on, on the pages: chosen from a list, typed from a bill, its prices changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI, flat_plan, import_plans, on
from tests.flows.energy.invoices import read as read_meter
from tests.meters import level
from tests.pages.seen import TODAY, beside, metrics, press, read
from tests.problems import names
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.answers.named_plan import NamedPlan
from toolkit.errors import UsageError
from toolkit.flows.energy.bill import bill
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice, edit_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.plans.my_plan import plans_of_retailer, retailer_in, retailers
from toolkit.flows.plans.rate_card import plan_show
from toolkit.flows.plans.typed import keep_typed_plan, remove_typed_prices, with_prices
from toolkit.store import open_store

Visit = Callable[..., AppTest]
FROM, TYPED = "ELECTRICITY", "my-my-plan"


def here(plan_id: str, brand: str, cents: str, **more: object) -> dict[str, object]:
    geography = {"distributors": ["Ausgrid"], "includedPostcodes": ["2000"]}
    return flat_plan(plan_id, cents, brandName=brand, displayName="Saver", geography=geography) | more


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """May 2026 at 24 kWh a day in Sydney, and plans of three retailers, of which one sells elsewhere only."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    set_home(ctx, postcode="2000", network="Ausgrid")
    far = {"geography": {"distributors": ["Energex"]}}
    import_plans(
        ctx,
        tmp_path,
        here("AAA1@EME", "Alpha Energy", "30"),
        here("BBB1@EME", "Beta", "30"),
        here("BBB2@EME", "Beta", "20"),
        here("BBB3@EME", "Beta", "10", **far),
        here("BBB4@EME", "Beta", "10", displayName="Solar Boost"),
        here("CCC1@EME", "Far", "10", **far),
    )
    return ctx


def mine(ctx: Context) -> tuple[NamedPlan, tuple[NamedPlan, ...]]:
    (home,) = homes(ctx).households
    return NamedPlan(home.plan_id or "", home.plan_since), home.other_plans


def test_the_choice_is_narrowed_and_the_bills_retailer_comes_first(ctx: Context) -> None:
    assert retailers(ctx, FROM).names == ("Alpha Energy", "Beta")
    assert retailers(ctx, FROM).likely is None
    form = InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "300", retailer="BETA PTY LTD")
    add_invoice(ctx, form)
    assert (retailers(ctx, FROM).likely, retailers(ctx, FROM).from_bill) == ("Beta", True)
    offered = plans_of_retailer(ctx, FROM, "Beta")
    assert [plan.plan_id for plan in offered.plans] == ["BBB1@EME", "BBB2@EME"]  # the home has no solar
    assert offered.left_out == 2
    assert offered.plans[0].prices.usage == (Decimal("0.33"), Decimal("0.33"))
    assert offered.plans[0].prices.supply == Decimal("0.99")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AGL SALES PTY LIMITED 1234", "AGL"),
        ("ENERGY AUSTRALIA MELBOURNE", "EnergyAustralia"),
        ("RED ENERGY RICHMOND", "Red Energy"),
        ("ACTEWAGL", None),
        ("GLOBAL ENERGY", None),
    ],
)
def test_a_banks_words_name_a_retailer(text: str, name: str | None) -> None:
    assert retailer_in(text, ["AGL", "EnergyAustralia", "Red Energy", "Globird"]) == name


def test_a_plan_is_chosen_where_the_bill_lacks_it(ctx: Context, visit: Visit) -> None:
    """31 days at 0.99 and 744 kWh at 0.22: 30.69 + 163.68."""
    test = visit(ctx.db, "bills")
    test.selectbox(key="my-retailer-ELECTRICITY").select("Beta").run()
    test.selectbox(key="my-plan-ELECTRICITY-Beta").select("BBB2@EME").run()
    test.date_input(key="since-list-ELECTRICITY").set_value(date(2026, 1, 1))
    test.button(key="mine-list-ELECTRICITY").click().run()
    assert not test.exception
    assert mine(ctx) == (NamedPlan("BBB2@EME", date(2026, 1, 1)), ())
    past = visit(ctx.db, "bills", tab="A past bill")
    assert metrics(past)["Total"] == "$194.37"
    # How the retailer wrote the prices is said by commands, and to nobody who reads a page.
    assert "prices_in_cents" in bill(ctx).note_codes
    assert "divided by 100" not in read(past)


def test_a_plan_saved_without_its_day_is_offered_that_of_the_bills(ctx: Context, visit: Visit) -> None:
    add_invoice(ctx, InvoiceForm(FROM, date(2026, 5, 1), date(2026, 5, 31), "200.00", plan_name="saver"))
    set_home(ctx, plan_id="BBB2")
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert metrics(test)["Cannot be checked"] == "1"
    next(button for button in test.button if button.label == "Save this day").click().run()
    assert not test.exception
    assert mine(ctx)[0].since == date(2026, 5, 1)
    assert metrics(test)["Differ"] == "1"


def test_the_first_day_of_the_bills_that_name_the_plan_is_offered(ctx: Context, visit: Visit) -> None:
    named = ((1, 31, "Night Saver"), (2, 28, "Saver"), (3, 31, "Night Saver"), (4, 30, "NIGHT SAVER"), (5, 31, None))
    for month, days, plan in named:
        first, last = date(2026, month, 1), date(2026, month, days)
        add_invoice(ctx, InvoiceForm(FROM, first, last, "300", retailer="Beta", plan_name=plan))
    import_plans(ctx, ctx.db.parent, here("NIGHT1@EME", "Beta", "20", displayName="Night Saver"))
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value == "NIGHT1@EME"
    next(button for button in test.button if button.label == "This is my plan").click().run()
    assert not test.exception
    assert mine(ctx)[0] == NamedPlan("NIGHT1@EME", date(2026, 3, 1))


def test_plans_that_share_the_name_on_the_bill_come_first_and_keep_its_first_day(ctx: Context, visit: Visit) -> None:
    add_invoice(ctx, InvoiceForm(FROM, date(2026, 5, 1), date(2026, 5, 31), "300", retailer="Beta", plan_name="Saver"))
    import_plans(ctx, ctx.db.parent, here("BBB5@EME", "Beta", "25", displayName="Basic"))
    offered = plans_of_retailer(ctx, FROM, "Beta")
    assert [plan.plan_id for plan in offered.plans] == ["BBB1@EME", "BBB2@EME", "BBB5@EME"]
    assert (offered.billed, offered.likely) == (("BBB1@EME", "BBB2@EME"), None)
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value is None
    test.selectbox(key="my-plan-ELECTRICITY-Beta").select("BBB2@EME").run()
    next(button for button in test.button if button.label == "This is my plan").click().run()
    assert not test.exception
    assert mine(ctx)[0] == NamedPlan("BBB2@EME", date(2026, 5, 1))


def test_of_plans_of_one_name_the_one_that_gives_the_bills_amount_is_chosen(ctx: Context, visit: Visit) -> None:
    """31 days at 0.99 and 744 kWh at 0.22 are 194.37; at 0.33 they are 276.21, one dollar off what is billed second."""
    may = (date(2026, 5, 1), date(2026, 5, 31))
    saved = add_invoice(ctx, InvoiceForm(FROM, *may, "194.40", retailer="Beta", plan_name="Saver"))
    loads = {"controlledLoad": [{"displayName": "Off-peak", "singleRate": {"rates": [{"unitPrice": "15"}]}}]}
    twin = here("AAA2@EME", "Beta", "20")
    contract = twin["electricityContract"]
    assert isinstance(contract, dict)
    import_plans(ctx, ctx.db.parent, twin | {"electricityContract": contract | loads})
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value == "BBB2@EME"
    assert names(read(test), "3 plans", "$194.37", "$194.40")
    edit_invoice(ctx, saved.changed or "", InvoiceForm(billed=Decimal("277.21")))
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value is None
    assert "$277.21" not in read(test)


def test_the_plan_of_a_bill_is_found_though_a_day_has_no_reads_and_times_cost_the_same(
    ctx: Context, visit: Visit
) -> None:
    """The bill has 31 days at 0.99 and 744 kWh at 0.22, 24 more than are read. AAA2 has two times of that price."""
    with open_store(ctx.db) as store, store.transaction():
        store.delete("register_days", {"date": "2026-05-05"})
    may = (date(2026, 5, 1), date(2026, 5, 31))
    form = InvoiceForm(FROM, *may, "194.37", retailer="Beta", plan_name="Saver", energy=("general=744",))
    add_invoice(ctx, form)
    every_day = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
    times = [
        {
            "type": name,
            "rates": [{"unitPrice": "20"}],
            "timeOfUse": [{"days": every_day, "startTime": start, "endTime": end}],
        }
        for name, start, end in (("PEAK", "07:00", "22:00"), ("OFF_PEAK", "22:00", "07:00"))
    ]
    by_time = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "90", "timeOfUseRates": times}
    twin = here("AAA2@EME", "Beta", "20", electricityContract={"tariffPeriod": [by_time]})
    import_plans(ctx, ctx.db.parent, twin)
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value == "BBB2@EME"
    assert names(read(test), "$194.37 for 1 May 2026 to 31 May 2026, billed $194.37")


def test_the_plan_of_a_bill_that_counts_the_meters_days_is_found_by_its_energy(ctx: Context, visit: Visit) -> None:
    """The bill has an hour more than the plan's local days: 744.5 kWh at 0.22 and 31 days at 0.99 are 194.48."""
    may = (date(2026, 5, 1), date(2026, 5, 31))
    form = InvoiceForm(FROM, *may, "194.48", retailer="Beta", plan_name="Saver", energy=("peak=700", "off-peak=44.5"))
    add_invoice(ctx, form)
    test = visit(ctx.db, "bills")
    assert test.selectbox(key="my-plan-ELECTRICITY-Beta").value == "BBB2@EME"


def test_since_when_is_asked_beside_a_bill_that_cannot_be_checked_without_it(ctx: Context, visit: Visit) -> None:
    """31 days at 0.99 and 744 kWh at 0.22 are 194.37."""
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "200.00"))
    set_home(ctx, plan_id="BBB2")
    test = visit(ctx.db, "bills", tab="Are they correct?")
    assert metrics(test)["Cannot be checked"] == "1"
    save = next(button for button in test.button if button.label == "Save this day")
    save.click().run()
    assert mine(ctx)[0].since is None  # no day was entered
    test.date_input(key="since-known-day-checked-ELECTRICITY").set_value(date(2026, 1, 1))
    next(button for button in test.button if button.label == "Save this day").click().run()
    assert not test.exception
    assert mine(ctx) == (NamedPlan("BBB2@EME", date(2026, 1, 1)), ())
    assert (metrics(test)["Differ"], metrics(test)["Cannot be checked"]) == ("1", "0")


def test_a_compared_plan_becomes_the_homes_own(ctx: Context, visit: Visit) -> None:
    set_home(ctx, plan_id="AAA1", plan_since=date(2026, 1, 1))
    test = visit(ctx.db, "plans", tab="Hour by hour")
    test.selectbox(key="plan-shown").select("BBB2@EME").run()
    test.date_input(key="since-compared").set_value(date(2026, 6, 1))
    test.button(key="mine-compared").click().run()
    assert mine(ctx) == (NamedPlan("BBB2@EME", date(2026, 6, 1)), (NamedPlan("AAA1@EME", date(2026, 1, 1)),))


def test_the_plan_of_the_energy_account_is_named_and_not_asked_for(ctx: Context, visit: Visit) -> None:
    on(ctx, 30, "2026-01-01")
    test = visit(ctx.db, "data")
    assert "Electricity: Mine, as your energy account says." in read(test)
    assert not [button for button in test.button if button.label == "Save as my plan"]


def test_what_the_bill_names_is_typed_already(ctx: Context, visit: Visit) -> None:
    """Two bills of the plan, the older one in capitals, after one of another plan; only the prices are typed."""
    for month, last, plan in ((3, 31, "Other"), (4, 30, "WALLABY BASIC"), (5, 31, "Wallaby Basic")):
        first = date(2026, month, 1)
        add_invoice(ctx, InvoiceForm(FROM, first, first.replace(day=last), "90", retailer="Wallaby", plan_name=plan))
    test = visit(ctx.db, "data")
    assert test.text_input(key="typed-electricity-name").value == "Wallaby Basic"
    assert test.text_input(key="typed-electricity-retailer").value == "Wallaby"
    for field, value in {"supply": "110", "price-0": "30"}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert not test.exception
    [(plan, earlier)] = [mine(ctx)]
    assert (plan.since, earlier) == (date(2026, 4, 1), ())
    [shown] = plans_of_retailer(ctx, FROM, "Wallaby").plans
    assert shown.name == "Wallaby Basic"


def test_each_wrong_field_of_a_typed_plan_says_what_is_wrong_with_it(ctx: Context, visit: Visit) -> None:
    """Daily charge, off-peak price and discount are no numbers; the peak price is for no hours. All of it stays."""
    test = visit(ctx.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    test.button_group(key="typed-electricity-more").set_value(["Discount"]).run()
    fields = {"supply": "a dollar", "price-0": "44", "hours-0": "late", "price-1": "2O", "discount": "ten"}
    test.text_input(key="typed-electricity-name").input("My Plan")
    for field, value in fields.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert not test.exception
    below = [warning.value.replace("\\", "") for warning in test.warning]
    assert [next(wrong for wrong in fields.values() if f"'{wrong}'" in text) for text in below] == [
        "a dollar",
        "late",
        "2O",
        "ten",
    ]
    assert {field: test.text_input(key=f"typed-electricity-{field}").value for field in fields} == fields
    assert mine(ctx)[0].plan_id == ""


def test_numbers_that_are_no_prices_are_said_at_each_field(ctx: Context, visit: Visit) -> None:
    """A daily charge in dollars, hours without a price, a demand charge of a month said to be of a day, 150 % off."""
    test = visit(ctx.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    test.button_group(key="typed-electricity-more").set_value(["Demand charge", "Discount"]).run()
    fields = {"supply": "1.10", "price-0": "44", "hours-0": "3pm-9pm", "hours-1": "9pm-7am", "discount": "150"}
    for field, value in {**fields, "price-1": "22", "demand": "900"}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    press(test, "Save as my plan")
    wrong = ("name", "supply", "hours-1", "demand-hours", "discount")
    assert [len(beside(test, f"typed-electricity-{field}")) for field in wrong[:2]] == [1, 1]
    below = [warning.value.replace("\\", "").replace("\u2060", "") for warning in test.warning]
    assert len(below) == len(wrong)
    assert names(below[1], "1.10")
    assert names(below[2], "7:00–15:00")
    assert names(below[3], "900")
    assert names(below[4], "150")
    assert mine(ctx)[0].plan_id == ""


def test_hours_whose_price_is_missing_are_said_at_their_row(ctx: Context, visit: Visit) -> None:
    """The other price has no hours: it would hold at any time."""
    test = visit(ctx.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    for field, value in {"name": "T", "supply": "110", "hours-0": "3pm-9pm", "price-1": "22"}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    press(test, "Save as my plan")
    assert len(beside(test, "typed-electricity-hours-0")) == len(test.warning) == 1
    assert mine(ctx)[0].plan_id == ""


def test_each_wrong_price_of_a_change_is_said_at_its_field(ctx: Context, visit: Visit) -> None:
    usage = (TypedRate(name="Peak", price=Decimal(40), hours="15:00-21:00"), TypedRate(name="Rest", price=Decimal(20)))
    kept = keep_typed_plan(ctx, TypedPlan(name="Mine", fuel="electricity", supply=Decimal(110), usage=usage))
    set_home(ctx, plan_id=kept.plan_id, plan_since=date(2026, 1, 1))
    test = visit(ctx.db, "data")
    for number, value in enumerate(("1.10", "lots", "21")):
        test.text_input(key=f"changed-{kept.plan_id}-{number}").input(value)
    press(test, "Save the new prices")
    assert [len(beside(test, field)) for field in ("Supply", "Peak", "Rest", "changed-from")] == [1, 1, 0, 1]


def test_a_plan_is_typed_from_a_bill_and_its_prices_changed(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    fields = {"name": "My Plan", "supply": "$1.10", "price-0": "44", "hours-0": "3pm-9pm", "price-1": "22c"}
    for field, value in fields.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    test.selectbox(key="typed-electricity-prices").select("cents with GST")
    send = next(button for button in test.button if button.label == "Save as my plan")
    send.click().run()
    [below] = [column for column in test.columns if column.warning]
    assert "typed-electricity-supply" in [field.key for field in below.text_input]
    assert names(below.warning[0].value.replace("\\", ""), "1.10")  # in dollars, where the prices are in cents
    assert test.text_input(key="typed-electricity-hours-0").value == "3pm-9pm"
    assert mine(ctx)[0].plan_id == ""
    test.text_input(key="typed-electricity-supply").input("110")
    test.date_input(key="typed-electricity-since").set_value(date(2026, 1, 1))
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert not test.exception
    assert mine(ctx)[0] == NamedPlan(TYPED, date(2026, 1, 1))
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$238.70"  # 186 kWh at 0.44, 558 at 0.22

    test = visit(ctx.db, "data")
    labels = [test.text_input(key=f"changed-{TYPED}-{number}").label for number in range(3)]
    assert labels == ["Supply", "Peak", "Off-peak"]
    test.text_input(key=f"changed-{TYPED}-2").input("33")
    test.date_input(key="changed-from").set_value(date(2026, 5, 31))
    next(button for button in test.button if button.label == "Save the new prices").click().run()
    assert not test.exception
    assert plan_show(ctx).versions == 2
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$240.68"  # 18 kWh of one day, 0.11 more


@pytest.mark.parametrize(
    ("more", "fields", "total"),
    [
        # 31 days at 1.00, and 744 kWh at 0.30, the price of all months but November to March
        ("Prices by season", {"price-0": "40", "months-0": "Nov-Mar", "price-1": "30"}, "$254.20"),
        # 24 kWh a day: 310 at 0.30, 434 at 0.20
        ("Tiers", {"price-0": "30", "price-0-first-1": "10", "price-0-tier-1": "20"}, "$210.80"),
    ],
)
def test_seasons_and_tiers_are_typed(ctx: Context, visit: Visit, more: str, fields: dict[str, str], total: str) -> None:
    test = visit(ctx.db, "data")
    pills = next(each for each in test.button_group if each.key == "typed-electricity-more")
    pills.set_value([next(option for option in pills.options if option.startswith(more))]).run()
    for field, value in {"name": "Typed", "supply": "100", **fields}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    test.date_input(key="typed-electricity-since").set_value(date(2026, 1, 1))
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert not test.exception
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == total


def test_a_controlled_load_with_tiers_is_typed(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    """Another meter register has 4.8 kWh a day: 4 at 20 cents and 0.8 at 10, in 31 days 27.28.

    With 31 days at 1.00 and 744 kWh at 0.30, 254.20.
    """
    (tmp_path / "load.csv").write_text(level(NMI, date(2026, 5, 1), 31, "0.1", suffix="E2"))
    load(ctx, [tmp_path / "load.csv"], controlled_load=["E2"])
    test = visit(ctx.db, "data")
    pills = next(each for each in test.button_group if each.key == "typed-electricity-more")
    pills.set_value(["Controlled load"]).run()
    fields = {"load-price": "20", "load-first": "4", "load-rest": "10"}
    for field, value in {"name": "Typed", "supply": "100", "price-0": "30", **fields}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    test.date_input(key="typed-electricity-since").set_value(date(2026, 1, 1))
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert not test.exception
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$281.48"


def test_prices_typed_from_a_wrong_day_are_removed(ctx: Context, visit: Visit) -> None:
    """May at 0.30: 31.00 + 223.20. The second version was meant for June."""
    usage = (TypedRate(price=Decimal(30)),)
    plan = TypedPlan(name="Mine", fuel="electricity", supply=Decimal(100), usage=usage, from_=date(2026, 1, 1))
    keep_typed_plan(ctx, plan)
    set_home(ctx, plan_id="my-mine", plan_since=date(2026, 1, 1))
    later = with_prices(plan, ["100", "60"], date(2026, 5, 1))
    keep_typed_plan(ctx, later)
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$477.40"
    test = visit(ctx.db, "data")
    test.button(key="remove-prices-2026-05-01").click().run()
    assert not test.exception
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$254.20"
    with pytest.raises(UsageError):
        remove_typed_prices(ctx, "my-mine", date(2026, 1, 1))


def test_hours_without_a_price_are_named_on_the_page(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    fields = {"price-0": "44", "hours-0": "15:00-21:00", "price-1": "22", "hours-1": "0:00-15:00"}
    for field, value in {"name": "T", "supply": "110", **fields}.items():
        test.text_input(key=f"typed-electricity-{field}").input(value)
    next(button for button in test.button if button.label == "Save as my plan").click().run()
    assert "21:00–24:00" in read(test)
    assert mine(ctx)[0].plan_id == ""


def test_the_plan_before_is_named_beside_the_bills(ctx: Context, visit: Visit) -> None:
    """May on the old plan at 0.33 costs 30.69 + 245.52, on the new one at 0.22 194.37."""
    set_home(ctx, plan_id="BBB2", plan_since=date(2026, 5, 1))
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "194.37"))
    test = visit(ctx.db, "bills", tab="Are they correct?")
    test.selectbox(key="plan-before-ELECTRICITY").select("AAA1@EME").run()
    test.button(key="save-before-ELECTRICITY").click().run()
    assert mine(ctx)[1] == (NamedPlan("AAA1@EME", None),)
    assert metrics(test)["Saved since you switched"] == "$81.84"
