"""My bill is too high: from its buttons to the reasons, the checks, what to say, and the page to print."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import contract, on_plan
from tests.meters import level
from tests.pages.seen import TODAY, read
from toolkit.charts import bills as charts
from toolkit.flows.energy.high_bill import HighBillQuestion, high_bill, high_bill_page, what_to_say
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

Visit = Callable[..., AppTest]
APRIL, MAY = (date(2026, 4, 1), date(2026, 4, 30)), (date(2026, 5, 1), date(2026, 5, 31))


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """24 kWh a day in March and April, 36 in May 2026, on a plan of 0.99 a day and 0.33 a kWh; both bills are typed."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for first, days, kwh in ((date(2026, 3, 1), 61, "0.5"), (date(2026, 5, 1), 40, "0.75")):
        meter = tmp_path / f"{first}.csv"
        meter.write_text(level(NMI, first, days, kwh))
        load(ctx, [meter])
    on_plan(ctx, contract(), first="2026-01-01")
    add_invoice(ctx, InvoiceForm("ELECTRICITY", *APRIL, "267.30"))
    add_invoice(ctx, InvoiceForm("ELECTRICITY", *MAY, "408.97", balance_brought_forward="50", number="<b>7</b>"))
    return ctx


def test_the_page_gives_reasons_checks_and_words_for_the_call(ctx: Context, visit: Visit) -> None:
    """May: 31 × (0.99 + 36 × 0.33) = 398.97; a day more of April's is 8.91, 12 kWh a day more 122.76.

    Billed 408.97: 10.00 more than that, and 141.67 more than April's 267.30.
    """
    set_home(ctx, postcode="5000")
    test = visit(ctx.db, "too-high")
    assert not test.exception
    shown = read(test)
    for figure in ("408.97", "398.97", "267.30", "141.67", "122.76", "$10.00", "50.00"):
        assert figure in shown
    assert "1800 665 565" in shown  # South Australia's, as its own page has it
    test.selectbox(key="high-bill-against").select("The same time last year").run()
    assert not test.exception
    assert test.warning  # there are no reads of last year


@pytest.mark.parametrize("page", ["overview", "bills"])
def test_a_button_leads_to_it(ctx: Context, visit: Visit, page: str) -> None:
    test = visit(ctx.db, page)
    assert not test.exception
    assert any(button.key and button.key.endswith("too-high") for button in test.button)


def test_the_checks_are_those_of_reconcile_and_the_figures_those_of_the_engine(ctx: Context) -> None:
    answer = high_bill(ctx, HighBillQuestion(*MAY))
    assert {part.name: part.amount for part in answer.parts} == {
        "days": Decimal("8.91"),
        "level": Decimal("122.76"),
        "not_explained": Decimal("10.00"),
    }
    assert (answer.now.total, answer.now.worked_out) == (Decimal("408.97"), Decimal("398.97"))
    states = {check.name: check.state for check in answer.checks}
    assert (states["balance"], states["sum"]) == ("problem", "problem")  # 10.00 more than our own sum
    assert (answer.number, answer.meter) == ("<b>7</b>", NMI)
    assert "season_not_known" in answer.note_codes
    call = what_to_say(answer, None)
    assert {"call_opening", "call_energy", "check_balance_owed", "call_hardship"} <= {note.code for note in call}
    asked = next(note for note in call if note.code == "call_energy")
    assert asked.page == (
        "“From 1 May 2026 to 31 May 2026 we used 36.0 kWh a day; from 1 Apr 2026 to 30 Apr 2026 it was 24.0. Was the "
        "meter read?”"
    )
    assert str(call[1]) == (
        "“You charged me $10.00 more than my plan's prices give for 2026-05-01 to 2026-05-31: $408.97, not $398.97. "
        "Which line is that?”"
    )


def test_an_earlier_bill_that_is_our_own_sum_is_not_quoted_on_the_phone(tmp_path: Path) -> None:
    """Both months at 24 kWh a day: April comes to 267.30, but no bill of it is stored; May 276.21, billed 408.97."""
    ctx = Context(tmp_path / "home.db", TODAY)
    meter = tmp_path / "meter.csv"
    meter.write_text(level(NMI, date(2026, 3, 1), 100, "0.5"))
    load(ctx, [meter])
    on_plan(ctx, contract(), first="2026-01-01")
    add_invoice(ctx, InvoiceForm("ELECTRICITY", *MAY, "408.97"))
    answer = high_bill(ctx, HighBillQuestion(*MAY))
    said = [str(note) for note in (*answer.sentences, *what_to_say(answer, None))]
    assert said[:3] == [
        "Your bill of 2026-05-01 to 2026-05-31 is $408.97.",
        "You were charged $132.76 more than your plan's prices give for what you used ($276.21).",
        (
            "No bill of 2026-04-01 to 2026-04-30 is stored. For those days your plan's prices give $267.30: this bill "
            "is $141.67 more."
        ),
    ]
    assert not any("an earlier one was" in text for text in said)


@pytest.mark.parametrize(
    ("due", "paid", "said"),
    [
        (TODAY, False, "If you cannot pay it all by the due date, say so before then"),
        (
            date(2026, 6, 19),
            False,
            "The bill was due on 19 Jun 2026. If you cannot pay what is left of it, say so on this",
        ),
        (date(2026, 6, 19), True, "If the next bill may be hard to pay in full"),
    ],
)
def test_the_call_does_not_speak_of_a_due_date_that_has_passed(
    tmp_path: Path, visit: Visit, due: date, paid: bool, said: str
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "meter.csv").write_text(level(NMI, date(2026, 3, 1), 100, "0.5"))
    load(ctx, [tmp_path / "meter.csv"])
    on_plan(ctx, contract(), first="2026-01-01")
    add_invoice(ctx, InvoiceForm("ELECTRICITY", *MAY, "408.97", due_date=due, paid=paid))
    shown = read(visit(ctx.db, "too-high"))
    assert said in shown
    assert ("by the due date" in shown) == (due >= TODAY)


def test_the_page_to_print_shows_text_from_outside_as_text(ctx: Context) -> None:
    page = high_bill_page(ctx, HighBillQuestion(*MAY))
    assert "&lt;b&gt;7&lt;/b&gt;" in page
    assert "122.76" in page
    assert "<script" not in page
    assert "<svg" in page


def test_the_chart_steps_from_the_earlier_bill_to_this_one(ctx: Context) -> None:
    answer = high_bill(ctx, HighBillQuestion(*MAY))
    (bars,) = charts.difference(answer).data
    assert list(bars.measure) == ["absolute", "relative", "relative", "relative", "total"]
    assert sum(bars.y[:-1]) == pytest.approx(bars.y[-1])


def test_two_typed_gas_bills_and_nothing_else_are_compared_by_their_amounts(tmp_path: Path, visit: Visit) -> None:
    """200.00 for 100 days, then 330.00 for 110: ten days at 2.00 a day are 20.00, 110.00 is prices and use."""
    ctx = Context(tmp_path / "gas.db", TODAY)
    for first, last, amount in (
        (date(2025, 11, 1), date(2026, 2, 8), "200"),
        (date(2026, 2, 9), date(2026, 5, 29), "330"),
    ):
        add_invoice(ctx, InvoiceForm("GAS", first, last, amount))
    answer = high_bill(ctx, HighBillQuestion(fuel="GAS"))
    assert {part.name: part.amount for part in answer.parts} == {
        "days": Decimal("20.00"),
        "prices_and_use": Decimal("110.00"),
    }
    assert "bill_not_priced" in answer.note_codes
    assert "an earlier one was $200.00" in str(what_to_say(answer, None)[0])
    test = visit(ctx.db, "too-high")
    assert not test.exception
    assert "130.00" in read(test)


def test_the_cheaper_plan_is_named_with_its_saving_and_its_days(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    """0.11 instead of 0.33 a kWh for 61 × 24 + 40 × 36 kWh: 638.88 less in 101 days."""
    plan = flat_plan("CHEAP@EME", "0.10", displayName="Cheap")
    contract_of = plan["electricityContract"]
    assert isinstance(contract_of, dict)
    contract_of["tariffPeriod"][0]["dailySupplyCharges"] = "0.90"
    import_plans(ctx, tmp_path, {**plan, "geography": {"distributors": ["Ausgrid"]}})
    set_home(ctx, postcode="2000", network="Ausgrid")
    test = visit(ctx.db, "too-high")
    assert not test.exception
    assert "638.88" in read(test)
    assert "101 days" in read(test)


def test_an_empty_home_is_told_what_is_needed(db: Path, visit: Visit) -> None:
    test = visit(db, "too-high")
    assert not test.exception
    assert not test.tabs


def test_the_next_bill_is_compared_with_the_amount_billed_before_it(ctx: Context, visit: Visit) -> None:
    """May is billed 408.97, 10.00 more than our own sum: June's forecast of 390.94 is 4% less, not 2%."""
    (figure,) = (each for each in visit(ctx.db, "overview").metric if each.label == "Next power bill")
    assert (figure.value, figure.delta) == ("$390.94", "4% less than the bill before")


def test_the_next_bill_says_what_makes_it_differ_from_the_last_one(ctx: Context, visit: Visit) -> None:
    """June: 30 days of 36 kWh are 386.10 at these prices; the forecast of 390.94 holds 36.45 kWh a day.

    A day of May is 398.97 ÷ 31 = 12.87; 408.97 − 10.00 − 12.87 = 386.10, and 4.84 more to 390.94.
    """
    shown = read(visit(ctx.db, "bills"))
    for said in ("$18.03 less than your last bill", "1 day shorter: −$12.87", "not 36.0): +$4.84", "−$10.00"):
        assert said in shown
