"""From an empty database, on the pages alone: which plan, is the bill right, what would another plan or a battery save;
where did the money go, what went up, what is coming, will it last.

The plans are those of the embedded register. Sums are worked out here from their published prices.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.bill_pdfs import pdf, rows
from tests.browser.conftest import TODAY
from tests.browser.visitor import WAIT, Visitor, command, visiting
from tests.meters import day, days, nem12, register
from toolkit.pages.money.to_review import NOTHING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHAPE = [0.1] * 14 + [0.3] * 4 + [0.15] * 14 + [0.55] * 12 + [0.15] * 4
"""kWh of each half hour: 11.9 a day, at most 1.1 kW, from 16:00 to 22:00."""
MAY = (
    ["Lyrebird Energy", "", "Electricity bill"],
    ["NMI", "4103000001"],
    ["Invoice number", "LB-2026-05"],
    ["Billing period", "1 May 2026 to 31 May 2026 (31 days)"],
    ["Your plan:", "Lyrebird Saver"],
    ["Issue date", "5 June 2026"],
    ["Due date", "26 June 2026"],
    ["Opening balance", "$155.21"],
    ["Payments received", "$155.21 CR"],
    ["Total new charges (incl. GST)", "$159.67"],
    ["Actual meter read"],
    ["Anytime usage", "368.9 kWh", "34.111 c/kWh", "$125.84"],
    ["Supply charge", "31 days", "$1.09142/day", "$33.83"],
)
"""31 days of 11.9 kWh at 0.3101 and of 0.9922 a day, each with GST: 125.84 + 33.83."""
GAS_BILLS = (
    ("01062025", "30092025", "12000", "512.40"),
    ("01102025", "31012026", "4000", "230.10"),
    ("01022026", "31052026", "6000", "300.55"),
)
"""First and last day, MJ and dollars of three bills of a year."""


def bank_csv() -> str:
    """Groceries each week, pay each fortnight, and the retailer every nine weeks."""
    lines, balance = ["Date,Description,Amount,Balance"], 2000.0
    for week in range(40):
        when = date(2025, 9, 3) + timedelta(7 * week)
        paid = [("WOOLWORTHS 1234 MARRICKVILLE", -120.0)]
        paid += [("SALARY ACME PTY LTD", 2000.0)] if week % 2 == 0 else []
        paid += [("DIRECT DEBIT LYREBIRD ENERGY", -155.21)] if week % 9 == 4 else []
        for words, amount in paid:
            balance += amount
            lines.append(f"{when:%d/%m/%Y},{words},{amount:.2f},{balance:.2f}")
    return "\n".join(lines)


def test_meter_data_a_bank_export_and_a_bill(chromium: Browser, tmp_path: Path, register_url: str) -> None:
    """A year of 11.9 kWh a day is 4,343.5 kWh.

    Lyrebird Saver: 4,343.5 × 0.34111 + 365 × 1.09142. Lyrebird Peak: 4,343.5 × 0.23001 + 365 × 1.14279 and 1.1 kW each
    day at 0.3201 (151 days from November to March) or 0.14256, less 12 % of it all.
    """
    saver = 4343.5 * 0.34111 + 365 * 1.09142
    peak = 0.88 * (4343.5 * 0.23001 + 365 * 1.14279 + 1.1 * (151 * 0.3201 + 214 * 0.14256))
    files = {
        "meter.csv": nem12(
            register(nmi="4103000001"), *(day(when, SHAPE) for when in days("2025-06-01", 383))
        ).encode(),
        "bank.csv": bank_csv().encode(),
        "bill.pdf": pdf(rows(*MAY)),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with visiting(chromium, tmp_path) as visitor:
        visitor.go("Data")
        visitor.add_files(*(tmp_path / name for name in files))
        visitor.press("Import")
        visitor.press("Save this bill")
        visitor.wait_for("The bill of 1 May 2026 to 31 May 2026 is saved.")
        visitor.go("Overview")
        visitor.wait_for("Choose your energy plan")

        visitor.fetch_plans("2042")
        visitor.go("Energy bills")
        visitor.wait_for("Your bill names this plan.")
        assert "Lyrebird Energy" in visitor.text()
        visitor.date("On this plan since", "19032026")
        visitor.press("This is my plan")
        visitor.look_at("Are they correct?")
        assert (visitor.figure("Correct"), visitor.figure("Differ")) == (1, 0)

        visitor.press("My bill is too high")
        visitor.page.get_by_role("heading", name="My bill is too high").wait_for()
        visitor.look_at("Check the bill")
        assert visitor.text().count("✓") >= 4
        assert "✗" not in visitor.text()
        visitor.look_at("What to say and do")
        assert all(words in visitor.text() for words in ("$159.67", "Low Income Household Rebate", "Lyrebird Peak"))

        visitor.go("Plans")
        assert visitor.figure("Your plan") == pytest.approx(saver, abs=0.1)
        assert visitor.figure("Cheapest plan") == pytest.approx(peak, abs=0.1)
        assert visitor.figure("You would save") == pytest.approx(saver - peak, abs=0.2)
        visitor.look_at("What if")
        assert visitor.figure("Bills before") == pytest.approx(saver, abs=0.1)
        assert visitor.figure("Bills after") == pytest.approx(saver, abs=0.1)  # one price, no solar: nothing to gain
        assert visitor.figure("Best plan, bills before") == pytest.approx(peak, abs=0.1)
        assert visitor.figure("Best plan, bills after") < peak
        assert visitor.failures() == []


def test_three_typed_gas_bills_and_nothing_else(chromium: Browser, tmp_path: Path, register_url: str) -> None:
    """A plan is typed from the bill: 22,000 MJ at 3.5 cents and 365 days at 75 cents are 770.00 + 273.75."""
    with visiting(chromium, tmp_path) as visitor:
        for first, last, quantity, amount in GAS_BILLS:
            visitor.go("Energy bills")
            if not visitor.page.get_by_role("button", name="Save this bill").is_visible():
                visitor.look_at("Your bills")
                visitor.page.get_by_text("Add a bill", exact=True).click()
            visitor.page.locator("label").filter(has_text="Gas").first.click()
            visitor.date("First day", first)
            visitor.date("Last day", last)
            visitor.fill("Amount, $", amount)
            visitor.fill("Energy used, MJ", quantity)
            visitor.press("Save this bill")
            visitor.wait_for("is saved.")
        visitor.fetch_plans("2204")
        visitor.go("Energy bills")
        visitor.look_at("Which plan are you on?")
        visitor.page.get_by_text("Type a plan from your bill").click()
        visitor.fill("Plan", "Home Gas")
        visitor.fill("Retailer of the plan", "Quoll")
        visitor.fill("Daily supply charge", "75")
        visitor.fill("Price of an MJ", "3.5")
        visitor.date("You are on this plan since", "01062025")
        visitor.press("Save as my plan")
        visitor.look_at("Are they correct?")
        assert visitor.figure("Correct") + visitor.figure("Differ") == len(GAS_BILLS)
        visitor.press("My bill is too high")
        visitor.look_at("Check the bill")
        assert "✓" in visitor.text()
        visitor.go("Plans")
        assert visitor.figure("Your plan") == pytest.approx(770 + 273.75, abs=0.1)
        assert visitor.figure("You would save") == pytest.approx(
            visitor.figure("Your plan") - visitor.figure("Cheapest plan"), abs=0.02
        )
        assert visitor.failures() == []


PAID = (
    *[(date(2025, 9, 3) + timedelta(7 * week), "WOOLWORTHS 1234 MARRICKVILLE", "-120.00") for week in range(40)],
    *[(date(2025, 9, 4) + timedelta(14 * week), "SALARY ACME PTY LTD", "2000.00") for week in range(21)],
    *[(date(2025, 9 + month, 10), "NETFLIX.COM", "-16.99") for month in range(4)],
    *[(date(2026, 1 + month, 10), "NETFLIX.COM", "-16.99" if month < 3 else "-20.99") for month in range(6)],
    *[(date(2026, 1 + month, 17), "ZORBLAX QUUX", "-31.50") for month in range(6)],
    *[(date(2026, 1 + month, 19), "TRANSFER TO BRAMBLE SAVER", "-50.00") for month in range(6)],
)
"""40 × 120, 7 × 16.99 and 3 × 20.99, and 6 × 31.50 at a payee that nobody knows: 5,170.90 spent of 42,000; and 6 × 50
to an account that is not here, which count until somebody says that it is the household's own."""
SPENT, PAY, UNKNOWN, SAVED = 5170.90, 42_000.0, 6 * 31.50, 6 * 50.0
NETFLIX_A_YEAR = 12 * 20.99


OLDER = (date(2015, 7, 1), date(2025, 5, 31))
"""Days of earlier purchases of 10.00 each, which no figure of the last year counts."""


def money_csv(rows: int) -> str:
    """Return so many rows: the newest are `PAID`, after which 500 and what they left is on the account."""
    earlier, days = rows - len(PAID), (OLDER[1] - OLDER[0]).days
    bought = [
        (OLDER[0] + timedelta(number * days // earlier), "COLES 0456 RYDE", "-10.00") for number in range(earlier)
    ]
    balance, lines = 500.0 + 10 * earlier, ["Date,Description,Amount,Balance"]
    for when, words, amount in (*bought, *sorted(PAID)):
        balance += float(amount)
        lines.append(f"{when:%d/%m/%Y},{words},{amount},{balance:.2f}")
    return "\n".join(lines)


@pytest.mark.parametrize("rows", [100, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(1_200)])])
def test_a_bank_export_answers_where_it_went_what_went_up_what_is_coming_and_whether_it_lasts(
    chromium: Browser, tmp_path: Path, rows: int
) -> None:
    """With ten years of earlier rows the answers are the same; `pytest -m slow tests/browser/test_journeys.py` asks."""
    (tmp_path / "bank.csv").write_text(money_csv(rows))
    db, today = tmp_path / "home" / "household.db", f"--today={TODAY}"
    with visiting(chromium, tmp_path) as visitor:
        visitor.page.set_default_timeout(4 * WAIT)
        visitor.go("Data")
        visitor.add_files(tmp_path / "bank.csv")
        visitor.press("Import")
        visitor.go("Spending")
        assert (visitor.figure("Spent"), visitor.figure("Income")) == (SPENT + SAVED, PAY)
        visitor.choose("Period", "A month")
        visitor.choose("Compared with", "The period before")
        month = command(db, "spending", "--from=2026-06-01", "--to=2026-06-30", "--against=previous")
        assert visitor.figure("Spent") == float(month["spent"])
        assert f"{float(month['spent']) - float(month['against']['spent']):,.2f}".lstrip("-") in visitor.text()

        visitor.go("Coming up")
        recurring = command(db, "recurring", today)
        assert visitor.figure("Price rises") == 1
        assert visitor.figure("Regular payments a year") == round(float(recurring["yearly_out"]))
        (netflix,) = [entry for entry in recurring["recurring"] if "netflix" in entry["name"].lower()]
        assert float(netflix["yearly"]) == pytest.approx(-NETFLIX_A_YEAR)
        visitor.look_at("Cash flow")
        flow = command(db, "cashflow", today)
        lowest = date.fromisoformat(flow["low_point"]["date"])
        label = f"Lowest on {lowest.day} {lowest:%b %Y}"
        assert visitor.figure(label) == round(float(flow["low_point"]["p50"]))
        assert visitor.figure("Now") == round(500 + PAY - SPENT - SAVED)

        visitor.go("Spending")
        visitor.look_at("Categories and rules")
        visitor.fill("Words", "zorblax")
        visitor.page.keyboard.press("Enter")
        visitor.settle()
        visitor.page.get_by_role("combobox", name="it is").first.click()
        visitor.page.keyboard.type("Gym")
        visitor.page.keyboard.press("Enter")
        visitor.settle()
        visitor.press("Save the rule")
        assert gym_spent(db) == [UNKNOWN]
        command(db, "report", "--out", str(tmp_path / "report.html"), today)
        assert "Gym" in (tmp_path / "report.html").read_text()
        visitor.page.get_by_role("button", name=re.compile(r"Undo:\W+The rule is saved")).click()
        visitor.settle()
        assert gym_spent(db) == []

        visitor.look_at("To review")
        own_account_counts_once(visitor, db, 10.0 * (rows - len(PAID)), flow)
        visitor.page.get_by_role("button", name=re.compile(r"^(All \d+ are|This one is) fine$")).click()
        visitor.wait_for(NOTHING)
        assert command(db, "rules", "review")["items"] == []
        assert visitor.failures() == []


def own_account_counts_once(visitor: Visitor, db: Path, earlier: float, flow: dict[str, Any]) -> None:
    """Say on the page that a payee is an own account. earlier: spent before `PAID`; flow: the cash flow before that."""
    visitor.page.get_by_role("button", name=re.compile("^Yes, our own account")).click()
    visitor.wait_for("Bramble Saver is Own account now")
    answer = command(db, "spending")
    assert [float(answer[name]) for name in ("spent", "income", "transfers")] == [SPENT + earlier, PAY, SAVED]
    fleet = command(db, "fleet", "--analysis=spending", "--workers=1")
    assert [float(row["spent"]) for row in fleet["households"]] == [SPENT + earlier]
    today = f"--today={TODAY}"
    later = command(db, "cashflow", today)
    assert [day["p50"] for day in later["days"]] == [day["p50"] for day in flow["days"]]  # the money leaves as before
    assert "Bramble Saver" not in {entry["name"] for entry in command(db, "recurring", today)["recurring"]}


def gym_spent(db: Path) -> list[float]:
    rows = command(db, "spending")["rows"]
    return [
        float(row["spent"]) for row in rows if row["secondary_category"] == "PERSONAL_CARE_GYMS_AND_FITNESS_CENTERS"
    ]
