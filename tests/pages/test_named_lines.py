"""Lines of a bill with an amount alone are named where they are what the bill differs by from the plan's prices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.bill_pdfs import pdf, rows
from tests.command_line import Run
from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import contract, on_plan
from tests.meters import level
from tests.pages.seen import TODAY, read
from tests.problems import names
from toolkit.flows.energy.high_bill import HighBillQuestion, high_bill, what_to_say
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

Visit = Callable[..., AppTest]
MAY = date(2026, 5, 1), date(2026, 5, 31)
PRICED = (["Anytime", "744 kWh", "33 c/kWh", "$245.52"], ["Daily supply", "31 days", "$0.99/day", "$30.69"])
"""24 kWh a day: 245.52 + 30.69 = 276.21, as the plan gives it."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """24 kWh a day from March to June 2026, on a plan of 0.99 a day and 0.33 a kWh."""
    ctx = Context(tmp_path / "home.db", TODAY)
    meter = tmp_path / "meter.csv"
    meter.write_text(level(NMI, date(2026, 3, 1), 100, "0.5"))
    load(ctx, [meter])
    on_plan(ctx, contract(), first="2026-01-01")
    return ctx


def kept(
    ctx: Context,
    run: Run,
    folder: Path,
    total: str,
    *lines: Sequence[str],
    priced: Sequence[Sequence[str]] = PRICED,
) -> tuple[str, list[str]]:
    """Keep the PDF of a bill of May with these lines beside the priced ones; return verdict and reasons."""
    page = [
        ["Lyrebird Energy", "", "", "Electricity bill"],
        ["Billing period", "1 May 2026 to 31 May 2026 (31 days)"],
        ["Total new charges (incl. GST)", "", "", total],
        *priced,
        *([name, "", "", amount] for name, amount in lines),
    ]
    bill = folder / "bill.pdf"
    bill.write_bytes(pdf(rows(*page, left=(50, 220, 350, 480))))
    of = ("--db", str(ctx.db), "--today", f"{TODAY}", "--json")
    assert run("invoices", "add", "--pdf", bill, "--yes", *of).code == 0
    [checked] = run("reconcile", *of).json["invoices"]
    return checked["verdict"], checked["reasons"]


def test_all_lines_that_the_stored_plan_does_not_have_are_named(ctx: Context, run: Run, tmp_path: Path) -> None:
    """276.21 + 6.71 + 27.33 = 310.25."""
    lines = (["Sunny Club membership", "$6.71"], ["Winter demand", "$27.33"])
    assert kept(ctx, run, tmp_path, "$310.25", *lines) == (
        "differs",
        [
            (
                "The bill also has Sunny Club membership $6.71 and Winter demand $27.33, which your plan as it is "
                "stored here does not have: check that they are in your plan, and add Winter demand to what is stored."
            ),
        ],
    )


def test_an_adjustment_is_asked_about_and_a_credit_is_a_credit(ctx: Context, run: Run, tmp_path: Path) -> None:
    """276.21 - 11.55 + 38.50 = 303.16."""
    lines = (["Always off", "$11.55 CR"], ["Adjustment", "$38.50"])
    assert kept(ctx, run, tmp_path, "$303.16", *lines) == (
        "differs",
        [
            (
                "The bill also takes off Always off $11.55, which your plan as it is stored here does not have: check "
                "that it is in your plan, and add it to what is stored."
            ),
            "Adjustment $38.50 is not one of your plan's prices: ask what it is.",
        ],
    )


def test_a_line_that_the_plan_gives_by_its_amount_is_not_named(ctx: Context, run: Run, tmp_path: Path) -> None:
    """The plan's 30.69 of supply has an amount alone: 245.52 + 30.69 + 38.50 = 314.71."""
    lines = (["Grid charge", "$30.69"], ["Adjustment", "$38.50"])
    assert kept(ctx, run, tmp_path, "$314.71", *lines, priced=PRICED[:1]) == (
        "differs",
        ["Adjustment $38.50 is not one of your plan's prices: ask what it is."],
    )


def test_lines_that_are_not_the_difference_are_not_named(ctx: Context, run: Run, tmp_path: Path) -> None:
    """At 32 cents 238.08 + 30.69 + 38.50 = 307.27 is 31.06 more than the plan gives."""
    usage = ["Anytime", "744 kWh", "32 c/kWh", "$238.08"]
    _, reasons = kept(ctx, run, tmp_path, "$307.27", ["Adjustment", "$38.50"], priced=(usage, PRICED[1]))
    assert not any("Adjustment" in reason for reason in reasons)


def test_the_call_names_the_line(ctx: Context, run: Run, tmp_path: Path, visit: Visit) -> None:
    """276.21 + 38.50 = 314.71."""
    kept(ctx, run, tmp_path, "$314.71", ["Adjustment", "$38.50"])
    answer = high_bill(ctx, HighBillQuestion(*MAY))
    call = [str(note) for note in what_to_say(answer, None)]
    assert call[1] == (
        "“On my bill of 2026-05-01 to 2026-05-31: Adjustment $38.50. That is not one of my plan's prices. What is it, "
        "and why was I charged it?”"
    )
    assert not any("Which line is that" in text for text in call)
    assert names(read(visit(ctx.db, "too-high")), "not among the prices of your plan", "Adjustment", "38.50")
    shown = read(visit(ctx.db, "bills", tab="Are they correct?"))
    assert names(shown, "Adjustment", "38.50 is not one of your plan's prices: ask what it is")


def test_a_membership_is_asked_about_as_a_part_of_the_plan(ctx: Context, run: Run, tmp_path: Path) -> None:
    """276.21 + 6.71 = 282.92."""
    kept(ctx, run, tmp_path, "$282.92", ["Sunny Club membership", "$6.71"])
    call = [str(note) for note in what_to_say(high_bill(ctx, HighBillQuestion(*MAY)), None)]
    assert call[1] == (
        "“On my bill of 2026-05-01 to 2026-05-31: Sunny Club membership $6.71. Is that in my plan, and where does the "
        "plan say so?”"
    )
