"""From an empty database to the report: a beginner with a folder, a connected household, an adviser.

Figures on pages are those of the commands, and the report that a page makes is, byte for byte, that of the command.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.bill_pdfs import pdf, rows
from tests.browser.conftest import TODAY
from tests.browser.test_connect import STEPS, walk
from tests.browser.visitor import Visitor, command, home_db, visiting
from tests.keys import keys_of
from tests.meters import day, days, nem12, register
from toolkit.charts import style
from toolkit.pages.desk import figures

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SHAPE = [0.1] * 14 + [0.3] * 4 + [0.15] * 14 + [0.55] * 12 + [0.15] * 4
"""kWh of each half hour: 11.9 a day."""
FIRST = date(2025, 6, 1)
A_MONTH_LATER = TODAY + timedelta(31)
SHOP, PAY, RENT, SAVED, BET = 140, 2400, 900, 200, 30
"""AUD a week, a fortnight, a fortnight, a month and a month."""


def meter_file(nmi: str, first: date, last: date) -> str:
    return nem12(register(nmi=nmi), *(day(when, SHAPE) for when in days(str(first), (last - first).days + 1)))


def movements(first: date, last: date) -> Iterator[tuple[date, int, str, str]]:
    """Yield day, AUD, description and bank of each movement, oldest first."""
    for number in range((last - FIRST).days + 1):
        on = FIRST + timedelta(number)
        if on < first:
            continue
        if number % 7 == 2:
            yield on, -SHOP, "WOOLWORTHS 1234 MARRICKVILLE NS AUS", "everyday"
        if number % 14 == 4:
            yield on, PAY, "SALARY ACME PTY LTD", "everyday"
        if number % 14 == 5:
            yield on, -RENT, "DIRECT DEBIT RAY WHITE RENT", "everyday"
        if on.day == 12:
            yield on, -BET, "SPORTSBET PTY LTD", "everyday"
        if on.day == 20:
            yield on, -SAVED, "Transfer to other Bank NetBank savings", "everyday"
            yield on, SAVED, "Transfer from S QUOKKA", "savings"


def commbank(first: date, last: date) -> str:
    """CommBank's export: no header, newest first, no account."""
    lines, balance = [], 1000
    for on, amount, words, bank in movements(FIRST, last):
        balance += amount if bank == "everyday" else 0
        if bank == "everyday" and on >= first:
            lines.append(f'{on:%d/%m/%Y},"{amount:+}.00","{words}","{balance:+}.00"')
    return "\n".join(reversed(lines))


def nab(first: date, last: date) -> str:
    """NAB's export: a header with an empty column, and the account's number."""
    header = "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name"
    lines, balance = [], 500
    for on, amount, words, bank in movements(FIRST, last):
        balance += amount if bank == "savings" else 0
        if bank == "savings" and on >= first:
            lines.append(f"{on:%d %b %y},{amount}.00,048811223,,TRANSFER CREDIT,{words},{balance}.00,,")
    return "\n".join([header, *reversed(lines)])


def bill(nmi: str) -> bytes:
    """31 days of 11.9 kWh at 34.111 cents, and of $1.09142 a day: 125.84 + 33.83."""
    return pdf(
        rows(
            ["Lyrebird Energy", "", "Electricity bill"],
            ["NMI", nmi],
            ["Invoice number", f"LB-{nmi}"],
            ["Billing period", "1 May 2026 to 31 May 2026 (31 days)"],
            ["Your plan:", "Lyrebird Saver"],
            ["Issue date", "5 June 2026"],
            ["Due date", "26 June 2026"],
            ["Total new charges (incl. GST)", "$159.67"],
            ["Actual meter read"],
            ["Anytime usage", "368.9 kWh", "34.111 c/kWh", "$125.84"],
            ["Supply charge", "31 days", "$1.09142/day", "$33.83"],
        )
    )


def folder_of(place: Path, nmi: str, first: date, last: date, *, with_bill: bool = True) -> list[Path]:
    """Write a meter file, files of two banks and a bill into a folder; return them."""
    place.mkdir()
    written = {
        f"{nmi}_NEM12.csv": meter_file(nmi, first, last - timedelta(2)).encode(),
        "CSVData.csv": commbank(first, last).encode(),
        "Transactions.csv": nab(first, last).encode(),
        **({"bill.pdf": bill(nmi)} if with_bill else {}),
    }
    for name, content in written.items():
        (place / name).write_bytes(content)
    return [place / name for name in written]


def money(text: str | None) -> float:
    assert text is not None
    return float(text)


def choose_plan(visitor: Visitor) -> None:
    """Choose, on Energy bills, the plan that the bill names."""
    visitor.go("Energy bills")
    if not visitor.page.get_by_role("button", name="This is my plan").is_visible():
        visitor.fill("Postcode of the home", "2042")
        visitor.press("Get the plans for this address")
    visitor.wait_for("Your bill names this plan.")
    visitor.press("This is my plan")
    visitor.wait_for("Your plan is saved.")


def make_report(visitor: Visitor, place: Path, *, words: str = "") -> str:
    """Make a report of all sections with own words on the page, and return it as downloaded."""
    visitor.go("Report")
    visitor.fill("Your words at the top", words)
    visitor.press("Make the report")
    visitor.page.get_by_role("button", name="Download the report").wait_for()
    return visitor.download("Download the report", place).read_text()


def as_on_page(visitor: Visitor) -> list[str]:
    """Return the options with which the command makes the report that the page has made."""
    ready = re.search(r"The report is ready, for (\d+ \w+ \d+) to (\d+ \w+ \d+)\.", visitor.text())
    assert ready is not None
    first, last = (datetime.strptime(shown, "%d %b %Y").date() for shown in ready.groups())  # noqa: DTZ007  a day
    per = visitor.page.get_by_role("combobox", name=re.compile("Income and expenses each")).first.input_value()
    return [f"--from={first}", f"--to={last}", f"--per={per}"]


def test_a_beginner_with_a_folder_and_again_a_month_later(chromium: Browser, tmp_path: Path, register_url: str) -> None:
    db = home_db(tmp_path)
    with visiting(chromium, tmp_path, scheme="dark") as visitor:
        visitor.page.get_by_text("Add files →").click()
        visitor.page.get_by_role("heading", name="Data", exact=True).wait_for()
        visitor.add_files(*folder_of(tmp_path / "now", "4103000001", FIRST, TODAY))
        visitor.press("Import")
        visitor.press("Save this bill")
        visitor.wait_for("is saved.")
        choose_plan(visitor)
        forecast = command(db, "forecast", f"--today={TODAY}")
        assert visitor.figure("Best guess") == money(forecast["p50"])
        visitor.look_at("Are they correct?")
        assert (visitor.figure("Correct"), visitor.figure("Differ")) == (1, 0)

        visitor.go("Plans")
        compared = command(db, "compare", "--top=0", f"--today={TODAY}")
        assert visitor.figure("Your plan") == money(compared["current"]["total"])
        assert visitor.figure("Your plan") == pytest.approx(365 * (11.9 * 0.34111 + 1.09142), abs=0.1)
        saving = visitor.figure("You would save")
        assert saving == pytest.approx(visitor.figure("Your plan") - visitor.figure("Cheapest plan"), abs=0.01)

        visitor.go("Spending")
        visitor.look_at("To review")
        visitor.page.get_by_role("button", name=re.compile("^Yes, a transfer, and those like it")).click()
        visitor.settle()
        visitor.look_at("Spending")
        visitor.choose("Period", "Everything")
        spending = command(db, "spending")
        assert visitor.figure("Spent") == money(spending["spent"])
        assert visitor.figure("Between your accounts") == money(spending["transfers"]) == 13 * SAVED

        visitor.go("Coming up")
        visitor.look_at("Cash flow")
        flow = command(db, "cashflow", f"--today={TODAY}")
        assert visitor.figure("Now") == round(money(flow["start"]))

        report = make_report(visitor, tmp_path / "page.html")
        command(db, "report", "--out", str(tmp_path / "command.html"), f"--today={TODAY}", *as_on_page(visitor))
        assert report == (tmp_path / "command.html").read_text()
        assert visitor.failures() == []

    later = folder_of(tmp_path / "later", "4103000001", date(2026, 6, 1), A_MONTH_LATER, with_bill=False)
    with visiting(chromium, tmp_path, today=A_MONTH_LATER, scheme="dark") as visitor:
        visitor.go("Data")
        visitor.add_files(*later)
        visitor.press("Import")
        visitor.wait_for("already stored")
        spending = command(db, "spending")
        expected = -sum(
            amount
            for _, amount, words, _ in movements(FIRST, A_MONTH_LATER)
            if amount < 0 and not words.startswith("Transfer")
        )
        assert money(spending["spent"]) == expected  # what overlaps is not counted twice
        visitor.go("Spending")
        visitor.choose("Period", "Everything")
        assert visitor.figure("Spent") == expected
        assert len(command(db, "accounts", "list")["accounts"]) == 2
        assert visitor.failures() == []


def connect(visitor: Visitor, industry: str) -> None:
    """Share data of the first institution of a kind, on the tab Connected accounts."""
    visitor.page.get_by_role("button", name="Connect", exact=True).click()
    frame = visitor.page.frame_locator("iframe[title=Consent]")
    choice = frame.get_by_role("combobox").first
    choice.wait_for()
    named = next(text for text in choice.get_by_role("option").all_inner_texts() if f"({industry}" in text)
    choice.select_option(label=named)
    walk(frame, STEPS)
    visitor.page.locator("iframe[title=Consent]").wait_for(state="detached")
    visitor.wait_for("Connected. Select Update below to get the data.")


def test_a_connected_household_on_a_phone(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolkit.flows.consent.sandbox import sandbox

    with sandbox(seed=1, today=TODAY, households=2, years=1) as running:
        for name, value in keys_of(running).items():
            monkeypatch.setenv(name, value)
        with visiting(chromium, tmp_path, width=390) as visitor:
            visitor.page.get_by_text("Connect accounts →").click()
            visitor.page.get_by_role("heading", name="Connected accounts").wait_for()
            visitor.page.get_by_label("Email").fill("noor@example.com")
            visitor.page.get_by_label("Name", exact=True).fill("Noor New")
            visitor.page.get_by_label("Name", exact=True).press("Enter")
            visitor.settle()
            connect(visitor, "bank")
            connect(visitor, "energy retailer")
            visitor.press("Update")
            visitor.wait_for("Your data is up to date.")
            db = home_db(tmp_path)

            visitor.go("Spending")
            visitor.choose("Period", "Everything")
            spending = command(db, "spending")
            assert visitor.figure("Spent") == money(spending["spent"]) > 0
            assert visitor.figure("Income") == money(spending["income"])
            visitor.go("Energy bills")
            visitor.look_at("Next bill")
            assert visitor.figure("Best guess") == money(command(db, "forecast", f"--today={TODAY}")["p50"])
            visitor.go("Coming up")
            visitor.look_at("Cash flow")
            assert visitor.figure("Now") == round(money(command(db, "cashflow", f"--today={TODAY}")["start"]))
            report = make_report(visitor, tmp_path / "page.html")
            command(db, "report", "--out", str(tmp_path / "command.html"), f"--today={TODAY}", *as_on_page(visitor))
            assert report == (tmp_path / "command.html").read_text()

            visitor.go("Data")
            visitor.look_at("Connected accounts")
            visitor.press("End sharing")
            visitor.press("Yes, end it")
            visitor.wait_for("its data is still stored")
            (home,) = command(db, "status")["households"]
            assert sorted(consent["state"] for consent in home["consents"]) == ["active", "revoked"]
            assert command(db, "spending")["spent"] == spending["spent"]
            assert visitor.failures() == []


FAMILIES = {"Abernathy": "4103000001", "Bellbrook": "4103000002", "Carrington": "4103000003"}


def to_households(visitor: Visitor, stored: int) -> None:
    """Go to the page where households are added. stored: how many there are."""
    if stored:
        visitor.go("Households")
        visitor.page.get_by_text("Add a household, or files to one").click()
    visitor.settle()


def add_family(visitor: Visitor, folder: Path, name: str) -> None:
    """Add a household with its files, save its bill, and choose its plan."""
    visitor.fill("Name of the new household", name)
    visitor.add_files(*folder_of(folder / name, FAMILIES[name], FIRST, TODAY))
    visitor.press("Add")
    visitor.page.get_by_role("heading", name="Data", exact=True).wait_for()
    visitor.press("Save this bill")
    visitor.wait_for("is saved.")
    choose_plan(visitor)


def open_family(visitor: Visitor, name: str) -> None:
    visitor.go("Households")
    place = sorted(FAMILIES).index(name)
    visitor.page.get_by_test_id("stDataFrame").first.click(position={"x": 18, "y": 55 + 35 * place})
    visitor.settle()
    visitor.page.get_by_test_id("stButton").get_by_role("button", name="Open", exact=True).click()
    visitor.page.get_by_role("heading", name="Overview", exact=True).wait_for()
    visitor.settle()
    assert visitor.text().startswith(name)


def test_an_adviser_hands_over_three_reports_and_deletes_a_family(
    chromium: Browser, tmp_path: Path, register_url: str
) -> None:
    db, today = home_db(tmp_path), f"--today={TODAY}"
    with visiting(chromium, tmp_path) as visitor:
        visitor.page.get_by_text("I look after several households →").click()
        visitor.page.get_by_role("heading", name="Households", exact=True).wait_for()
        for number, name in enumerate(FAMILIES):
            to_households(visitor, number)
            add_family(visitor, tmp_path, name)
        visitor.go("Households")
        visitor.wait_for(f"Figures of {style.day(TODAY)}.")  # without a press
        visitor.wait_for(figures.CURRENT)
        saving = command(db, "compare", today, "--household=Abernathy")["plans"][0]["saving"]
        desk = command(db, "desk", today)["households"]
        assert [home["name"] for home in desk] == sorted(FAMILIES)
        assert {home["as_of"] for home in desk} == {str(TODAY)}
        assert {home["bills_that_differ"] for home in desk} == {0}
        assert {home["saving"] for home in desk} == {saving}

        for name in FAMILIES:
            open_family(visitor, name)
            assert "household=" in visitor.page.url
            assert name not in visitor.page.url
            assert name not in visitor.page.title()
            visitor.go("Report")
            assert visitor.page.get_by_role("textbox", name="Your words at the top").input_value() == ""
            if name == "Abernathy":
                visitor.fill("Name", "Cash work")
                visitor.fill("Amount, $", "120")
                visitor.press("Add this line")
                visitor.wait_for("is added.")
            report = make_report(visitor, tmp_path / f"{name}.html", words=f"Dear family {name}")
            assert [other for other in FAMILIES if other in report] == [name]
            table = visitor.download("Download income and expenses as a table", tmp_path / f"{name}.csv")
            (tmp_path / "words.txt").write_text(f"Dear family {name}")
            files = ["--out", str(tmp_path / "own.html"), "--csv", str(tmp_path / "own.csv"), *as_on_page(visitor)]
            command(db, "report", *files, f"--opening={tmp_path / 'words.txt'}", f"--household={name}", today)
            assert report == (tmp_path / "own.html").read_text()
            assert table.read_text() == (tmp_path / "own.csv").read_text()
            stated = [row["name"] for row in csv.DictReader(table.read_text().splitlines()) if row["as_told"] == "yes"]
            assert stated == (["Cash work"] if name == "Abernathy" else [])

        delete(visitor, tmp_path)
        left = [home["name"] for home in command(db, "desk", today)["households"]]
        assert left == ["Bellbrook", "Carrington"]
        stored = [file for file in db.parent.rglob("*") if file.is_file()]
        assert not [file for file in stored for word in (b"Abernathy", b"4103000001") if word in file.read_bytes()]
        assert visitor.failures() == []


def delete(visitor: Visitor, folder: Path) -> None:
    """Delete the first family, whose name is asked for; the record of it names nobody."""
    visitor.go("Households")
    visitor.page.get_by_test_id("stDataFrame").first.click(position={"x": 18, "y": 55})
    visitor.settle()
    visitor.page.get_by_text("Delete …").click()
    for typed, answer in (("Bellbrook", "Nothing was deleted."), ("Abernathy", "is deleted:")):
        visitor.page.get_by_role("textbox", name="Name of the household to delete").fill(typed)
        visitor.page.get_by_role("button", name="Delete", exact=True).click()
        visitor.wait_for(answer)
    record = visitor.download("Download the record of the deletion", folder / "record.html").read_text()
    assert not [word for word in ("Abernathy", "4103000001", "WOOLWORTHS") if word in record]
    # The household in its place is not chosen: the tick of the browser's table went with the one that it was for.
    assert visitor.page.get_by_test_id("stButton").get_by_role("button", name="Open", exact=True).count() == 0
    visitor.go("Settings")
    visitor.go("Households")
    assert "Abernathy" not in visitor.page.content()
