"""An answer in a notebook: short, and its texts are only text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from xml.etree import ElementTree

from toolkit.answers.base import Note
from toolkit.answers.money import Spending, SpendingRows

ATTACK = "<script>alert(1)</script> & \u202etxt.exe\x07"


OURS = ("div", "strong", "table", "thead", "tbody", "tr", "th", "td", "p", "ul", "li")


def spending(payees: list[str]) -> Spending:
    """Spending of a dollar at each payee."""
    rows = SpendingRows.of(["merchant", "spent", "count"], [(payee, Decimal("1.00"), 1) for payee in payees])
    return Spending(
        from_=date(2026, 7, 1),
        to=None,
        by="merchant",
        rows=rows,
        spent=Decimal(len(payees)).quantize(Decimal("0.01")),
        income=Decimal("2000.00"),
        transfers=Decimal("0.00"),
        pending=Decimal("0.00"),
        other_currencies=(),
        notes=(Note("repayments_hold_principal", spent=Decimal("12.00")),),
    )


def parsed(answer: Spending) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{answer._repr_html_()}</div>")


def test_figures_the_first_rows_and_notes_are_shown() -> None:
    shown = parsed(spending([f"Shop {number}" for number in range(1_000)]))
    figures, rows = shown.findall("table")
    assert {row[0].text: row[1].text for row in figures.iter("tr")} == {
        "from": "2026-07-01",
        "to": "–",
        "by": "merchant",
        "spent": "1000.00",
        "income": "2000.00",
        "transfers": "0.00",
        "excluded": "0.00",
        "pending": "0.00",
    }
    assert [[cell.text for cell in row] for row in rows.iter("tr")] == [
        ["spent", "count", "merchant"],
        *[["1.00", "1", f"Shop {number}"] for number in range(5)],
    ]
    note = str(Note("repayments_hold_principal", spent=Decimal("12.00")))
    assert [item.text for item in shown.iter("li")] == [note]
    assert len(spending(["x" * 100_000] * 1_000)._repr_html_()) < 4_000


def test_texts_from_outside_are_only_text() -> None:
    shown = parsed(spending([ATTACK]))
    assert {element.tag for element in shown.iter()} <= {*OURS}
    (cell,) = [cell.text for cell in shown.iter("td") if cell.text and "alert" in cell.text]
    assert cell == "<script>alert(1)</script> & ⟨U+202E⟩txt.exe⟨U+0007⟩"
