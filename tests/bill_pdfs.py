"""PDFs of bills, written by hand: text at places on pages, in the layouts and words of several retailers."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

Text = tuple[float, float, str]
"""Place from the left and from the top of an A4 page, in points, and the text."""


def pdf(*pages: Sequence[Text] | bytes, trailer: str = "", packed: bool = False) -> bytes:
    """Return a PDF with these texts (or content streams) in Helvetica of 9 points."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        content = page if isinstance(page, bytes) else b"\n".join(map(_shown, page))
        coded = zlib.compress(content, 9) if packed else content
        coding = "/Filter /FlateDecode " if packed else ""
        objects += [
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
                "/Resources << /Font << /F1 3 0 R >> >> >>"
            ).encode(),
            f"<< {coding}/Length {len(coded)} >>\nstream\n".encode() + coded + b"\nendstream",
        ]
    return _written(objects, trailer)


def _shown(text: Text) -> bytes:
    left, top, words = text
    escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
    return b"BT /F1 9 Tf 1 0 0 1 %d %d Tm (%s) Tj ET" % (left, 842 - top, escaped)


def _written(objects: Sequence[bytes], trailer: str) -> bytes:
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()


def rows(*lines: Sequence[str], left: Sequence[float] = (50, 300, 420, 500), top: float = 60) -> list[Text]:
    """Return lines of cells, one cell at each place from the left."""
    return [(left[n], top + 14 * i, cell) for i, line in enumerate(lines) for n, cell in enumerate(line) if cell]


LABELS_AND_VALUES = pdf(
    rows(
        ["Origin Energy Electricity Limited", "", "Electricity bill"],
        ["Account number", "700 123 456"],
        ["Tax invoice number", "1200 345 678"],
        ["Issue date", "5 October 2026"],
        ["National Meter Identifier (NMI)", "4103 0000 015"],
        ["Supply period", "1 July 2026 to 30 September 2026 (92 days)"],
        ["Your plan:", "Everyday Saver"],
        ["Opening balance", "$476.00"],
        ["Payments received", "$476.00 CR"],
        ["Total new charges (incl. GST)", "$441.14"],
        ["Total amount due", "$441.14"],
        ["Due date", "26 October 2026"],
    ),
    rows(
        ["Actual meter read on 30 September 2026"],
        ["Charges", "Usage", "Rate", "Amount"],
        ["General usage", "812.500 kWh", "33.00c/kWh", "$268.13"],
        ["Controlled load 1", "150 kWh", "22.00c/kWh", "$33.00"],
        ["Supply charge", "92 days", "$1.52/day", "$140.01"],
        ["Your average daily usage was 10.46 kWh; same time last year 11.20 kWh"],
    ),
)
"""Labels on the left, values on the right; opening balance paid."""

VALUES_UNDER_HEADINGS = pdf(
    rows(
        ["AGL", "", "Gas account"],
        ["Previous balance", "Payments", "New charges", "Total due"],
        ["$120.50", "-$100.00", "$212.45", "$232.95"],
        ["Bill date", "Due date", "Invoice no.", ""],
        ["03/09/2026", "21/09/2026", "INV-20931", ""],
        ["MIRN", "Bill period", "", "Plan"],
        ["5310 1234 567", "01/07/2026 - 31/08/2026", "", "Value Gas"],
        left=(40, 170, 330, 460),
    ),
    rows(
        ["Usage and supply charges", "Units", "Price", "Amount"],
        ["First 3,000 MJ", "3,000", "$0.0330", "$99.00"],
        ["Next 1,512 MJ", "1,512", "$0.0300", "$45.36"],
        ["Supply charge", "62 days", "$1.0983", "$68.09"],
        ["Estimated meter read. Average daily usage 72.8 MJ"],
    ),
)
"""Headings in a row, values below them; gas in blocks, estimated."""

IN_SENTENCES = pdf(
    rows(
        ["Hi Kim, here's your Powershop electricity bill"],
        ["You're on the Mega Pack plan. Your bill for 12 Aug - 11 Sep 2026 is ready."],
        ["This bill: $98.70. Please pay $98.70 by 28 Sep 2026."],
        ["NMI 6203456789"],
        ["We read your meter: Peak usage 120.5 kWh x 31.00 c/kWh = $37.36"],
        ["Off-peak usage 210 kWh x 20.00 c/kWh = $42.00"],
        ["Solar feed-in 94.2 kWh x 5.00 c/kWh = $4.71 credit"],
        ["Daily supply 31 days x 77.58 cents = $24.05"],
    )
)
"""Running text; year left out of the first day, time of use and solar."""

IN_CREDIT = pdf(
    rows(
        ["ENERGYAUSTRALIA", "Your electricity account"],
        ["Billing Period", "15 Jun 26 to 14 Sep 26"],
        ["NMI", "QB061234567"],
        ["Balance brought forward", "-$210.40"],
        ["Concessions and rebates:", ""],
        ["NSW Low Income Household Rebate", "-$71.25"],
        ["New charges", "$95.30"],
        ["Account balance", "$115.10 CR"],
        ["Date of issue", "18 Sep 2026"],
        ["No payment is required. Direct debit date", "6 Oct 2026"],
        ["Anytime usage", "400 kWh  $0.3000  $120.00"],
    )
)
"""A bill in credit, with a rebate and short years."""

ONLY_AMOUNT_DUE = pdf(
    rows(
        ["Red Energy"],
        ["Amount due $318.20"],
        ["Pay by 14/10/26"],
        ["Electricity 01/07/26 to 30/09/26"],
        ["Your NMI is 63051234567"],
        ["Peak 400.00 kWh 0.3500 140.00"],
        ["Shoulder 200.00 kWh 0.3000 60.00"],
        ["Supply charge 92 1.2848 118.20"],
    )
)
"""No words for new charges, no opening balance."""

BOXES = pdf(
    rows(
        ["Alinta Energy", "Natural gas"],
        ["Amount payable", "Payable by", "Delivery Point Identifier", ""],
        ["$187.90", "9 Sep 2026", "56001234567", ""],
        ["Current charges", "$187.90 incl GST"],
        ["Total of previous bill", "$165.00"],
        ["Payments & adjustments", "$165.00 cr"],
        ["Service period: 20 May 2026 to 19 Aug 2026 (91 days)"],
        ["Plan name: Gas Saver"],
        ["Energy used this period 4,100.25 MJ"],
        left=(40, 190, 340, 500),
    )
)
"""Boxes; only the total of energy; the days stated are one fewer than counted."""

BOTH_FUELS = pdf(
    rows(
        ["Origin Energy", "Dual fuel bill"],
        ["Electricity NMI", "4103000001"],
        ["Gas MIRN", "5310123456"],
        ["Billing period", "1 Jul 2026 to 31 Aug 2026"],
        ["Total amount due", "$400.00"],
    )
)
SCAN = pdf(b"q 500 0 0 700 40 40 cm /Im1 Do Q")
"""A page with a picture and no text."""
