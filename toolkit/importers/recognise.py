"""What a file is, by its content alone."""

from __future__ import annotations

import re

from toolkit.errors import ImportFailedError
from toolkit.importers.banks.layouts import layout_of
from toolkit.importers.meters.columns import columns_of
from toolkit.importers.source import Source
from toolkit.importers.tabular import records

KINDS = {
    "nem12": "NEM12 meter file",
    "nem13": "NEM13 meter file",
    "usage-csv": "a retailer's or network's table of usage",
    "greenbutton": "Green Button (ESPI) XML",
    "bank-csv": "CSV export of CommBank, NAB, Westpac, ANZ, ING, Up, ubank, Bankwest, Macquarie, St.George, Latitude, "
    "or a table with a header such as Date, Description, Amount",
    "ofx": "OFX or QFX bank file",
    "qif": "QIF bank file",
    "plans": "published energy plans (JSON, NDJSON)",
}

_HEAD = 65_536
_NEM = re.compile(r'"?100"?,"?(NEM1[23])"?\b', re.IGNORECASE)
_NEM12_ROWS = re.compile(r'^"?200"?,[^\n]*\n\s*"?(300|200|400|900)"?(,|\s|$)', re.MULTILINE)
_NEM13_ROWS = re.compile(r'^"?250"?,([^,\n]*,){18,}', re.MULTILINE)
_QIF = re.compile(r"^!(Type|Account|Option|Clear):?", re.MULTILINE | re.IGNORECASE)
_PLAN = re.compile(r'"(planId|plan_id|electricityContract|electricity_contract|gasContract|gas_contract|plan_detail)"')


def kind_of(source: Source) -> str:
    """The kind of a file. Raises ImportFailedError, saying what is understood, where it is none."""
    head = source.text[:_HEAD].lstrip("\ufeff \t\r\n,")
    if not head.strip("\x00"):
        raise ImportFailedError(source.at(1), "is empty")
    found = _meter_file(head) or _marked_up(head) or _table(source)
    if found is None:
        raise ImportFailedError(source.at(1), f"is in no form that is understood. {understood()}")
    return found


def understood() -> str:
    return f"Understood are: {'; '.join(f'{kind} ({what})' for kind, what in KINDS.items())}."


def _meter_file(head: str) -> str | None:
    marked = _NEM.match(head)
    if marked:
        return marked[1].lower()
    if head.startswith(('"200"', "200,")) and _NEM12_ROWS.match(head):
        return "nem12"
    return "nem13" if head.startswith(('"250"', "250,")) and _NEM13_ROWS.match(head) else None


def _marked_up(head: str) -> str | None:
    if head.upper().startswith("OFXHEADER") or re.search(r"<OFX>|<\?OFX", head[:4096], re.IGNORECASE):
        return "ofx"
    if head.startswith("<"):
        return "greenbutton" if "naesb.org/espi" in head else None
    if head.startswith(("{", "[")):
        return "plans" if _PLAN.search(head) else None
    return "qif" if _QIF.search(head) else None


def _table(source: Source) -> str | None:
    if "\x00" in source.text[:_HEAD]:
        return None
    head = list(records(source, most=25))
    if columns_of(head):
        return "usage-csv"
    return "bank-csv" if layout_of(head) else None
