"""What comes again, how the money will last, and decisions by hand, on the command line."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.command_line import Run


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> None:
    """Twelve fortnights of pay and one coffee."""
    days = [date(2026, 1, 8) + timedelta(14 * number) for number in range(12)]
    rows = [f'{day:%d/%m/%Y},"+2500.00","SALARY ACME PTY LTD",""' for day in days]
    (tmp_path / "bank.csv").write_text("\n".join([*rows, '12/06/2026,"-4.50","CORNER HOUSE 22",""']) + "\n")
    assert run("import", tmp_path / "bank.csv").code == 0


@pytest.mark.usefixtures("imported")
def test_pay_comes_every_fortnight(run: Run) -> None:
    (pay,) = run("recurring", "--today", "2026-06-20", "--json").json["recurring"]
    assert (pay["cadence"], pay["amount"]["usual"], pay["next"]) == ("fortnightly", "2500.00", "2026-06-25")


@pytest.mark.usefixtures("imported")
def test_a_rule_is_tried_added_and_undone(run: Run) -> None:
    (touched,) = run("rules", "test", "corner house", "FOOD_AND_DRINK_COFFEE", "--json").json["transactions"]
    assert touched["amount"] == "-4.50"
    run("rules", "add", "corner house", "FOOD_AND_DRINK_COFFEE")
    assert [row["secondary_category"] for row in run("spending", "--json").json["rows"]] == ["FOOD_AND_DRINK_COFFEE"]
    run("rules", "undo")
    assert [row["secondary_category"] for row in run("spending", "--json").json["rows"]] == [None]


@pytest.mark.usefixtures("imported")
def test_without_balances_the_future_is_not_invented(run: Run) -> None:
    assert run("cashflow", "--today", "2026-06-20", "--json").json["low_point"] is None
