"""Read a file: recognise its kind by its content alone, and hand it to the importer of that kind.

Good rows and problems come back side by side. Nothing here knows the store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError, UsageError
from toolkit.importers import plugins
from toolkit.importers.banks.bank_csv import read_bank_csv
from toolkit.importers.banks.columns import Columns
from toolkit.importers.banks.delimited import table_records
from toolkit.importers.banks.layouts import layout_of, without_titles
from toolkit.importers.banks.qif import read_qif
from toolkit.importers.bills.extract import IS_PDF, IS_PICTURE
from toolkit.importers.imported import Imported, Options
from toolkit.importers.meters.greenbutton import read_green_button
from toolkit.importers.meters.inverter import INVERTER, inverter_columns, read_inverter
from toolkit.importers.meters.nem12 import read_nem12
from toolkit.importers.meters.nem13 import read_nem13
from toolkit.importers.meters.registers import warn_of_doubtful_energy
from toolkit.importers.meters.usage_csv import read_usage_csv
from toolkit.importers.meters.usage_table import columns_of
from toolkit.importers.plans import read_plans
from toolkit.importers.plugins import FileFormat, Plugin
from toolkit.importers.source import LARGEST_BYTES, Source, open_sources, records, too_large
from toolkit.remedies import Message, Remedy
from toolkit.tables.schema import table
from toolkit.units import DEFAULT_ZONE

KINDS = {
    "nem12": "NEM12 meter file",
    "nem13": "NEM13 meter file",
    "usage-csv": "a retailer's or network's table of usage",
    "greenbutton": "Green Button (ESPI) XML",
    "inverter": "generation from a solar inverter's portal (Fronius, SolarEdge, Enphase, Sungrow, Sigenergy), "
    "or a table of times with kWh or kW",
    "bank-csv": "CSV export of CommBank, NAB, Westpac, ANZ, ING, Up, ubank, Bankwest, Macquarie, St.George, Bendigo, "
    "Latitude, American Express, or a table with a header such as Date, Description, Amount",
    "ofx": "OFX or QFX bank file",
    "qif": "QIF bank file",
    "plans": "published energy plans (JSON, NDJSON)",
}

_TABLES = ("usage-csv", INVERTER)
"""Kinds of meter files without a mark at their end."""
_CUT_SHORT = (
    "is the last row, breaks off and is shorter than the one above: the file may have been cut short, so that days are "
    "missing and the last value is wrong. Download it again"
)
_ALIKE_ROWS = 20

_NEM = re.compile(r'"?100"?,"?(NEM1[23])"?\b', re.IGNORECASE)
_NEM12_ROWS = re.compile(r'^"?200"?,[^\n]*\n\s*"?(300|200|400|900)"?(,|\s|$)', re.MULTILINE)
_NEM13_ROWS = re.compile(r'^"?250"?,([^,\n]*,){18,}', re.MULTILINE)
_QIF = re.compile(r"^!(Type|Account|Option|Clear):?", re.MULTILINE | re.IGNORECASE)
_PLAN = re.compile(r'"(planId|plan_id|electricityContract|electricity_contract|gasContract|gas_contract|plan_detail)"')


_MOST_NULS, _CHARACTERS_A_NUL = 3, 1_000
"""NUL characters that the first lines of a text may have, however short, and for how many characters one more."""

FILES_TO_ADD = "Add meter data, a bank's exports (CSV, OFX or QIF), energy bills as PDF, or energy plans."
"""The supported formats as pages word them."""


def kind_of(source: Source) -> str:
    """Recognise the kind of a file. Raises ImportFailedError, naming the supported formats, if it is in none."""
    if source.head.data.startswith(IS_PDF):
        what = Message(
            "is a PDF, not a file to import. An energy bill goes in ", Remedy.ADD_PDF, ". ", supported_formats()
        )
        raise ImportFailedError(source.at(1), what)
    if IS_PICTURE.match(source.head.data):
        what = Message(
            "is a picture. Add a bill as PDF ", Remedy.ADD_PDF, ", or type it from the paper", Remedy.TYPE_BILL
        )
        raise ImportFailedError(source.at(1), what)
    head = source.head.text.lstrip("\ufeff \t\r\n,")
    if not head.strip("\x00"):
        raise ImportFailedError(source.at(1), "is empty")
    found = _meter_file(head) or _marked_up(head) or _table(source)
    if found is None and _is_binary(source):
        raise ImportFailedError(source.at(1), Message("is not text, as exports are. ", supported_formats()))
    if found is None:
        # the remedy comes first: pages cut what is long
        remedy = Remedy.AS_INVERTER if _may_be_an_inverters(source) else Remedy.NAME_COLUMNS
        reason = Message("is not in a supported format.", remedy, " ", supported_formats())
        raise ImportFailedError(source.at(1), reason)
    return found


def _recognised(source: Source, options: Options) -> tuple[str, Columns | None, list[str]]:
    """Return the kind of a file, the columns of a bank's CSV where they are given or kept, and plug-ins that failed.

    What is recognised as nothing is a bank's CSV where its columns are known, else what an installed package reads.
    """
    kind, failure = options.kind, None
    if kind is None:
        try:
            kind = kind_of(source)
        except ImportFailedError as unknown:
            failure = unknown
    columns = options.columns
    if columns is None and kind in (None, "bank-csv"):
        columns = options.kept_columns()
    if failure is None or (columns is not None and not _is_binary(source)):
        return kind or "bank-csv", columns, []
    added, failures = plugins.recognised(source, BUILT_IN)
    if added is None:
        raise ImportFailedError(failure.where, Message(failure.reason, *(f" {each}" for each in failures)))
    return added, None, failures


def supported_formats() -> Message:
    """Return a sentence that lists the formats of files, in words."""
    listed = Message(f"Supported formats: {'; '.join(KINDS.values())}.")
    listed.page = listed.marked = FILES_TO_ADD
    return listed


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
    if _is_binary(source):
        return None
    head = list(records(source.head, most=25))
    generation = inverter_columns(head)
    if generation is not None and generation.is_evident:
        return "inverter"
    if columns_of(head):
        return "usage-csv"
    return "bank-csv" if layout_of(without_titles(list(table_records(source.head, most=25)))) else None


def _may_be_an_inverters(source: Source) -> bool:
    """Return whether a table gives energy or power by time, and does not say of what."""
    return not _is_binary(source) and inverter_columns(list(records(source.head, most=25)), is_named=True) is not None


def _is_binary(source: Source) -> bool:
    """Whether the first lines are no text. A damaged file of text may have a NUL character in a row or two."""
    head = source.head.text
    return head.count("\x00") > max(_MOST_NULS, len(head) // _CHARACTERS_A_NUL)


def _read_ofx(source: Source, options: Options) -> Imported:
    from toolkit.importers.banks.ofx import read_ofx

    return read_ofx(source, options)


IMPORTERS: dict[str, Callable[[Source, Options], Imported]] = {
    "nem12": read_nem12,
    "nem13": read_nem13,
    "usage-csv": read_usage_csv,
    "greenbutton": read_green_button,
    "inverter": read_inverter,
    "bank-csv": read_bank_csv,
    "ofx": _read_ofx,  # its library takes longer to load than the other importers together
    "qif": read_qif,
    "plans": read_plans,
}
"""The importer of each kind of file."""
BUILT_IN = frozenset(IMPORTERS)
FILLED = frozenset(
    {"accounts", "balances", "transactions", "service_points", "registers", "register_days", "meter_reads"}
)
"""Tables that a file of an added format may fill."""


def kinds() -> list[str]:
    """Return the kinds of files, those that installed packages add last; nothing of these is imported."""
    return [*KINDS, *plugins.format_names(BUILT_IN)]


def read(
    path: Path,
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str = DEFAULT_ZONE,
    controlled_load: Sequence[str] = (),
) -> list[Imported]:
    """Read the contents of a file (of each member, for a zip).

    Raises ImportFailedError where it cannot be read at all.
    """
    options = Options(kind, account, timezone, controlled_load)
    return [read_source(source, options) for source in open_sources(path)]


def read_source(source: Source, options: Options) -> Imported:
    """Read one file or member as `options.kind`, else as the kind of its content.

    Raises ImportFailedError if it cannot be read, UsageError for an unknown kind.
    """
    if source.failure is not None:
        raise source.failure
    kind, columns, failures = _recognised(source, options)
    if kind != "usage-csv" and source.size > LARGEST_BYTES:
        raise ImportFailedError(source.name, too_large(source.size))
    added = None if kind in IMPORTERS else plugins.format_called(kind, BUILT_IN)
    if added is not None:
        imported = _read_by_plugin(source, options, added)
        for failure in failures:
            imported.warn(source.name, failure)
        return imported
    if kind not in IMPORTERS:
        known = "; ".join(f"{name} ({what})" for name, what in KINDS.items())
        raise UsageError(f"{kind!r} is not a known kind of file. Known kinds: {known}.")
    try:
        imported = IMPORTERS[kind](source, replace(options, columns=columns))
    except ImportFailedError:
        raise
    except RecursionError as error:
        raise ImportFailedError(
            source.at(1), "is built in a way that cannot be read. Download or export it again"
        ) from error
    except (ArithmeticError, LookupError, ValueError) as error:  # what no reader foresaw: the other files go on
        raise ImportFailedError(
            source.at(1), "cannot be read: it is not like other files of its kind. Download or export it again"
        ) from error
    _warn_of_doubtful(imported, kind, source)
    return imported


def _warn_of_doubtful(imported: Imported, kind: str, source: Source) -> None:
    if kind != INVERTER and imported.tables.get("registers"):
        warn_of_doubtful_energy(imported, source.at(1))
    if kind in _TABLES and _is_cut_short(source.tail):
        imported.warn(source.at_end(), _CUT_SHORT)


def _is_cut_short(tail: str) -> bool:
    """Return whether the last row of a table breaks off: no line end, and fewer cells or decimals than those above.

    A missing line end alone shows nothing: many portals write none after their last row. Rows of totals are shorter.
    """
    *above, last = re.split(r"\r\n|\r|\n", tail)
    if not last or not above or re.match(r"\W*(total|sum)", last, re.IGNORECASE):
        return False
    separator = max(",;\t", key=above[-1].count)
    cells, rows = last.split(separator), [row.split(separator) for row in above[-_ALIKE_ROWS:]]
    if len(cells) < len(rows[-1]):
        return True
    alike = [_decimals(row[-1]) for row in rows[1:] if len(row) == len(cells)]  # the first is the header, or a part
    return bool(alike) and _decimals(cells[-1]) < min(alike)


def _decimals(cell: str) -> int:
    """Return the number of digits behind the point, and one more; 0 where there is no number."""
    found = re.match(r"\s*[\"-]?\d+([.,]\d*)?", cell)
    return 0 if found is None else len(found[1] or ".")


def _read_by_plugin(source: Source, options: Options, plugin: Plugin[FileFormat]) -> Imported:
    """Read a file in a format that a package adds. Raises ImportFailedError, naming the plug-in, where that fails."""
    try:
        imported = plugin.value.read(source, options)
        if problem := _problem(imported):
            raise TypeError(problem)
    except ImportFailedError:
        raise
    except Exception as error:  # another's code: the other files go on
        raise ImportFailedError(source.name, plugin.failed(error)) from error
    imported.kind = plugin.name
    imported.notes.append(Note("read_by_plugin", plugin=plugin.name, package=plugin.package))
    return imported


def _problem(imported: object) -> str:
    """Return why what a plug-in gave is not the contents of a file; empty where it is."""
    if not isinstance(imported, Imported):
        return "it gave no Imported"
    if unknown := sorted({imported.counts, *imported.tables} - FILLED):
        return f"no file fills {', '.join(unknown)}"
    for name, rows in imported.tables.items():
        columns = {column.name: column.required for column in table(name).columns}
        given = {column for row in rows for column in row}
        needed = {column for column, required in columns.items() if required} - {"household_id"}
        if unknown := sorted(given - columns.keys()):
            return f"table {name} has no column {unknown[0]}"
        if missing := next((sorted(needed - row.keys())[0] for row in rows if needed - row.keys()), None):
            return f"a row of table {name} lacks {missing}"
    return ""
