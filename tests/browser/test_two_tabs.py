"""Two tabs of the app: both and a command write to one household at once, and one changes what the other keeps to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import PROGRAM, TODAY
from tests.browser.test_journeys import bank_csv
from tests.browser.visitor import Visitor, command, home_db, visiting
from toolkit.pages.lock import LOCKED

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

RULES = 12
ADD_RULES = """
import sys
from pathlib import Path
from toolkit.flows.household.context import Context
from toolkit.flows.money.rules import add_rule
from datetime import date
for number in range(int(sys.argv[2])):
    add_rule(Context(Path(sys.argv[1]), date.fromisoformat(sys.argv[3])), f"command {number}", "Gym")
"""

A_MINUTE_A_SECOND = f"""
from toolkit.pages.server.idle import LastUse
seconds = LastUse.idle_seconds
LastUse.idle_seconds = lambda self: 60 * seconds(self)
{PROGRAM}
"""


def to_budgets(tab: Visitor) -> None:
    tab.go("Spending")
    tab.look_at("Budgets")


def fill_budget(tab: Visitor, category: str, amount: str) -> None:
    """Fill the form of a budget without saving it."""
    tab.page.get_by_role("combobox", name="Category").first.click()
    tab.page.keyboard.type(category)
    tab.page.get_by_role("option", name=category, exact=True).wait_for()
    tab.page.keyboard.press("Enter")
    tab.fill("Amount", amount)


def save(tab: Visitor) -> None:
    tab.page.get_by_role("button", name="Save", exact=True).first.click()


def test_two_tabs_and_a_command_lose_no_decision_and_a_stale_tab_is_told(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "bank.csv").write_text(bank_csv())
    db = home_db(tmp_path)
    with visiting(chromium, tmp_path) as one:
        one.go("Data")
        one.add_files(tmp_path / "bank.csv")
        one.press("Import")
        two = Visitor(one.page.context.new_page())
        two.page.goto(one.page.url)
        to_budgets(one)
        to_budgets(two)

        fill_budget(one, "Groceries", "500")
        fill_budget(two, "Groceries", "600")
        save(one)
        one.wait_for("The budget for Groceries is saved.")
        save(two)
        two.wait_for("$500.00 a month")  # what the other tab saved, and nothing is replaced
        budgets = command(db, "budget", "list", f"--today={TODAY}")["budgets"]
        assert [float(budget["budget"]) for budget in budgets] == [500.0]
        save(two)
        two.wait_for("The budget for Groceries is saved.")

        fill_budget(one, "Gym", "80")
        fill_budget(two, "Coffee", "40")
        writer = [sys.executable, "-c", ADD_RULES, str(db), str(RULES), str(TODAY)]
        with subprocess.Popen(writer, stderr=subprocess.PIPE, text=True) as adding:
            save(one)
            save(two)
            one.wait_for("The budget for Gym is saved.")
            two.wait_for("The budget for Coffee is saved.")
            _, problems = adding.communicate(timeout=60)
        assert (adding.returncode, problems) == (0, "")
        budgets = command(db, "budget", "list", f"--today={TODAY}")["budgets"]
        assert sorted(float(budget["budget"]) for budget in budgets) == [40.0, 80.0, 600.0]
        added = [rule["subject"] for rule in command(db, "rules", "list")["rules"] if rule["kind"] == "rule"]
        assert sorted(added) == sorted(f"command {number}" for number in range(RULES))
        assert [*one.failures(), *two.failures()] == []


def test_an_idle_time_set_in_one_tab_empties_another_that_was_drawn_before(chromium: Browser, tmp_path: Path) -> None:
    with visiting(chromium, tmp_path, program=A_MINUTE_A_SECOND) as drawn_before:
        sets_it = Visitor(drawn_before.page.context.new_page())
        sets_it.page.goto(drawn_before.page.url)
        sets_it.go("Settings")
        sets_it.choose("Lock", "After 5 minutes")
        for tab in (drawn_before, sets_it):
            tab.page.get_by_role("heading", name=LOCKED).wait_for(timeout=30_000)
        assert drawn_before.page.get_by_role("heading", name="Overview", exact=True).count() == 0
