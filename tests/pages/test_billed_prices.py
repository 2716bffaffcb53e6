"""The prices that a bill's PDF prints fill the form of a plan that is typed; what is not understood is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.bill_pdfs import Text, pdf, rows
from tests.flows.energy.homes import import_plans
from tests.flows.plans.test_billed_hours import metered, peak_between, plan
from tests.pages.seen import TODAY, metrics, press, read
from tests.pages.test_bill_files import dropped
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.plans.typed import typed_plan

Visit = Callable[..., AppTest]
AT = (50, 200, 330, 470)
TIME_OF_USE = rows(
    ["Lyrebird Energy", "", "", "Electricity bill"],
    ["NMI", "4134884224"],
    ["Billing period", "1 April 2026 to 30 April 2026 (30 days)"],
    ["Your plan:", "Clockwise Home"],
    ["Total new charges (incl. GST)", "", "$198.57"],
    ["Peak", "159.777 kWh", "54.34 c/kWh", "$86.82"],
    ["Shoulder", "110.265 kWh", "30.888 c/kWh", "$34.06"],
    ["Off peak", "125.268 kWh", "23.947 c/kWh", "$30.00"],
    ["Controlled load supply", "30 days", "$0.05214/day", "$1.56"],
    ["Hot water", "190.011 kWh", "19.976 c/kWh", "$37.96"],
    ["Daily supply", "30 days", "$1.15005/day", "$34.50"],
    ["Solar feed-in", "526.58 kWh", "5 c/kWh", "$26.33 CR"],
    left=AT,
)


def with_bill(tmp_path: Path, visit: Visit, *pages: Sequence[Text]) -> tuple[AppTest, Path]:
    """Drop a bill, save it, and return the page where the plan is typed."""
    db = tmp_path / "home.db"
    test = dropped(visit(db, "data"), bill=pdf(*pages))
    press(test, "Save this bill")
    assert not test.exception
    return visit(db, "data"), db


def shown(test: AppTest) -> dict[str, str]:
    """What stands in the form's fields of names and prices, by the end of their keys."""
    fields = {field.key.partition("-bill-")[2][9:]: field.value for field in test.text_input if field.key}
    return {name: value for name, value in fields.items() if value}


def test_the_plan_form_has_every_price_of_the_bill_and_saves_them(tmp_path: Path, visit: Visit) -> None:
    test, db = with_bill(tmp_path, visit, TIME_OF_USE)
    assert shown(test) == {
        "name": "Clockwise Home",
        "retailer": "Lyrebird Energy",
        "supply": "115.005",
        "name-0": "Peak",
        "price-0": "54.34",
        "name-2": "Shoulder",
        "price-2": "30.888",
        "name-1": "Off peak",
        "price-1": "23.947",
        "load-price": "19.976",
        "load-supply": "5.214",
        "solar-price": "5",
    }
    assert names(read(test), "from your bill of 1 Apr 2026 to 30 Apr 2026", "Check them")
    assert "Not taken over" not in read(test)
    for key, hours in (("0", "3pm-9pm"), ("2", "7am-3pm, 9pm-10pm")):
        next(field for field in test.text_input if str(field.key).endswith(f"-hours-{key}")).input(hours)
    press(test, "Save as my plan")
    assert not test.exception
    ctx = Context(db, TODAY)
    plan = typed_plan(ctx, homes(ctx).households[0].plan_id or "")
    assert plan is not None
    assert [(rate.name, f"{rate.price}") for rate in plan.usage] == [
        *[("Peak", "54.34"), ("Shoulder", "30.888"), ("Off peak", "23.947")],
    ]
    assert plan.controlled_load is not None
    assert (f"{plan.controlled_load.price}", f"{plan.controlled_load.supply}") == ("19.976", "5.214")
    assert (f"{plan.supply}", f"{plan.feed_in[0].price}", plan.prices) == ("115.005", "5", "cents with GST")


def test_hours_that_the_bill_does_not_print_are_filled_in_and_saved(tmp_path: Path, visit: Visit) -> None:
    """May: 31 days of 6.0 kWh between 15:00 and 21:00, 6.1 at other times, as a plan of the retailer has it."""
    ctx = metered(tmp_path, "2026-05-01", 31)
    page = rows(
        ["Lyrebird Energy", "", "", "Electricity bill"],
        ["Billing period", "1 May 2026 to 31 May 2026 (31 days)"],
        ["Your plan:", "Old Saver"],
        ["Total new charges (incl. GST)", "", "$182.00"],
        ["Peak", "186 kWh", "54.34 c/kWh", "$101.07"],
        ["Off peak", "189.1 kWh", "23.947 c/kWh", "$45.28"],
        ["Daily supply", "31 days", "$1.15/day", "$35.65"],
        left=AT,
    )
    test, _ = with_bill(tmp_path, visit, page)
    assert "does not print the hours" in read(test)
    assert "hours-0" not in shown(test)
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", peak_between("15:00", "21:00")))
    test = visit(ctx.db, "data")
    assert "your meter's data give the energy that your bill states" in read(test)
    press(test, "Save as my plan")
    assert not test.exception
    saved = typed_plan(ctx, homes(ctx).households[0].plan_id or "")
    assert saved is not None
    assert [(rate.name, rate.days, rate.hours) for rate in saved.usage] == [
        *[("Peak", "", "15:00-21:00"), ("Off peak", "", "")],
    ]
    assert metrics(visit(ctx.db, "bills", tab="A past bill"))["Total"] == "$182.00"


def test_a_price_in_steps_and_an_unknown_line_are_left_out_and_named(tmp_path: Path, visit: Visit) -> None:
    """The lines come to 268.00 of 300.00, so nothing shows whether prices include GST."""
    page = rows(
        ["Electricity bill", "Billing period", "1 April 2026 to 30 April 2026"],
        ["New charges", "", "$300.00"],
        ["Anytime", "240 kWh", "32 c/kWh", "$76.80"],
        ["Anytime", "400 kWh", "36 c/kWh", "$144.00"],
        ["GreenPower", "380 kWh", "4 c/kWh", "$15.20"],
        ["Daily supply", "30 days", "$1.0667/day", "$32.00"],
        left=AT,
    )
    test, _ = with_bill(tmp_path, visit, page)
    assert shown(test) == {"supply": "106.67"}
    assert names(read(test), "Anytime (32 cents a kWh, 36 cents a kWh)", "GreenPower (4 cents a kWh)")
    assert "check whether these prices include GST" in read(test)


def test_prices_to_which_the_bill_adds_gst_are_said_to_be_without(tmp_path: Path, visit: Visit) -> None:
    """80.00 and 30.00 are 110.00 before GST, the bill 121.00."""
    page = rows(
        ["Electricity bill", "Billing period", "1 April 2026 to 30 April 2026"],
        ["New charges", "", "$121.00"],
        ["Anytime", "320 kWh", "25 c/kWh", "$80.00"],
        ["Daily supply", "30 days", "$1.00/day", "$30.00"],
        left=AT,
    )
    test, _ = with_bill(tmp_path, visit, page)
    assert shown(test) == {"price-0": "25", "supply": "100"}
    [unit] = [box for box in test.selectbox if box.label == "Prices on the bill are in"]
    assert unit.value == "cents without GST"


def test_three_prices_are_peak_shoulder_and_off_peak_whatever_was_shown_before(tmp_path: Path, visit: Visit) -> None:
    """What was typed of the off-peak price stays with it as a row comes before it."""
    test = visit(tmp_path / "home.db", "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    test.text_input(key="typed-electricity-price-1").input("22")
    press(test, "Save as my plan")  # refused: it has no name
    test.radio(key="typed-electricity-bands").set_value(3).run()
    named = [field.value for field in test.text_input if field.label == "Name"]
    prices = [field.value for field in test.text_input if field.label == "Price of a kWh"]
    assert (named, prices) == (["Peak", "Shoulder", "Off-peak"], ["", "", "22"])


def test_lines_with_an_amount_alone_are_named_and_show_that_prices_include_gst(tmp_path: Path, visit: Visit) -> None:
    """76.80 + 32.00 + 6.71 - 12.50 = 103.01."""
    page = rows(
        ["Electricity bill", "Billing period", "1 April 2026 to 30 April 2026"],
        ["New charges", "", "$103.01"],
        ["Anytime", "240 kWh", "32 c/kWh", "$76.80"],
        ["Sunny Club", "", "", "$6.71"],
        ["Loyalty bonus", "", "", "$12.50 CR"],
        ["Daily supply", "30 days", "$1.0667/day", "$32.00"],
        left=AT,
    )
    test, _ = with_bill(tmp_path, visit, page)
    assert shown(test) == {"price-0": "32", "supply": "106.67"}
    assert names(read(test), "Not taken over from the bill: Sunny Club", "6.71); Loyalty bonus", "12.50 credit)")
    assert "check whether these prices include GST" not in read(test)
