"""Pages on A4: one for one sheet is one page, such as “My bill is too high”; no word pushes an amount off a page."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, get_args

import pytest
from pypdf import PdfReader

from toolkit.answers.energy.bills import BillPart, PartName
from toolkit.answers.energy.high_bill import BillInShort, HighBill
from toolkit.charts.bills import difference
from toolkit.flows.energy.high_bill import WORKED_OUT
from toolkit.report.page import Section, Table, render

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
SENTENCE = (
    "“Can I get the Low Income Household Rebate ($350.00 a year), and is it on the account?” Have your card at hand."
)


def sections() -> list[Section]:
    """Return every reason, each a dollar, seven checks and six steps."""
    names = [name for name in get_args(PartName) if name != "prices_and_use"]  # which stands in place of others
    before = BillInShort(from_=date(2026, 4, 1), to=date(2026, 4, 30), total=Decimal(100), energy=300.0)
    now = BillInShort(from_=date(2026, 5, 1), to=date(2026, 5, 31), total=Decimal(100 + len(names)), energy=310.0)
    answer = HighBill(
        fuel="ELECTRICITY",
        unit="kWh",
        number="7",
        meter="6102345678",
        billed=now.total,
        billed_before=before.total,
        now=now,
        before=before,
        parts=tuple(BillPart(name, Decimal(1)) for name in names),
        sentences=(),
        checks=(),
        ombudsman=None,
        notes=(),
    )
    amounts = ("1 May 2026 to 31 May 2026", WORKED_OUT, "1 Apr 2026 to 30 Apr 2026")
    facts = [*((label, "$159.67") for label in amounts), ("Bill", "100 245 781"), ("Meter", "6102345678")]
    reasons = Table("Why it differs", ["", "Amount"], [[name, "+$1.00"] for name in names], frozenset({1}))
    checks = Table("Checks of the bill", ["Check", "Result", ""], [["Concession", "? Not known", SENTENCE]] * 7)
    return [
        Section("Why", facts=facts, parts=[difference(answer), reasons]),
        Section("Look at the bill", parts=[checks]),
        Section("The call", steps=("What to say and do", [SENTENCE] * 6), notes=[SENTENCE]),
    ]


@pytest.mark.parametrize("one_sheet", [True, False])
def test_every_reason_check_and_step_fit_on_one_sheet(chromium: Browser, one_sheet: bool) -> None:
    page = chromium.new_page()
    page.set_content(render("My bill is too high", SENTENCE, sections(), one_sheet=one_sheet))
    printed = page.pdf(prefer_css_page_size=True)
    assert (len(PdfReader(io.BytesIO(printed)).pages) == 1) is one_sheet


def test_a_word_longer_than_the_page_pushes_no_amount_off_it(chromium: Browser) -> None:
    word = "W" * 200
    lines = Table(word, ["", "Amount", "Why"], [[word, "$1,234.56", word]] * 3, frozenset({1}))
    section = Section(word, text=[word], facts=[(word, word)], parts=[lines], steps=(word, [word]), notes=[word])
    page = chromium.new_page(viewport={"width": 680, "height": 1000})  # px between the margins of A4
    page.set_content(render(word, word, [section], opening=word, closing=word))
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 680
    amount = page.get_by_text("$1,234.56").first.bounding_box()
    assert amount is not None
    assert amount["x"] + amount["width"] < 680
    assert amount["width"] > 60  # in one line


def test_charts_can_be_read_on_paper_and_leave_no_page_half_empty(chromium: Browser) -> None:
    """Paragraphs fill the page above a chart that does not fit on it; the text of the chart is black."""
    rows = Table("Bills", ["Bill", "Billed"], [[f"Bill {number}", "$100.00"] for number in range(18)])
    chart = sections()[0].parts[0]
    text = [f"Paragraph {number}. {SENTENCE}" for number in range(4)]
    page = chromium.new_page(viewport={"width": 680, "height": 1000})
    page.set_content(render("Report", "", [Section("Bills", parts=[rows]), Section("Plans", text=text, parts=[chart])]))
    first, _second = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True))).pages
    assert "Paragraph 0" in first.extract_text()
    assert "Paragraph 3" not in first.extract_text()  # the last one stands with its chart
    page.emulate_media(media="print")
    scale = page.evaluate("(() => { const m = document.querySelector('svg').getScreenCTM(); return m.a; })()")
    assert 12 * scale / 96 * 72 > 5.5  # points; charts write in 12 pixels
    assert page.evaluate("getComputedStyle(document.querySelector('svg text')).fill") == "rgb(0, 0, 0)"
