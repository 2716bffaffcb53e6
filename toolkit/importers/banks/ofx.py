"""OFX and QFX bank files, parsed by ofxtools; statement by statement, so that one bad row does not lose the rest.

CDATA sections become escaped text and comments become blanks before that: ofxtools knows neither where an end tag is
left out. Line ends stay where they are, so that a place in the markup is a place in the file.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape

from ofxtools.Parser import ParseError, TreeBuilder

from toolkit.errors import ImportFailedError
from toolkit.importers.banks.entries import (
    IS_DAMAGED,
    NO_YEAR,
    YEARS,
    Account,
    Entry,
    balance_row,
    numbered_account,
    transaction_rows,
    unnamed_account,
)
from toolkit.importers.dates import day as day_of
from toolkit.importers.imported import Imported, Options
from toolkit.importers.source import Source
from toolkit.tables.money import minor_units
from toolkit.tables.schema import Row
from toolkit.tables.written_amount import written_amount

_STATEMENTS = ("STMTRS", "CCSTMTRS")
_SWAPPED = str.maketrans(",.", ".,")
_TIMESTAMP = re.compile(
    r"(?P<day>[0-9]{8})(?P<clock>[0-9]{6}|[0-9]{4})?(?:\.[0-9]*)?(?:\[(?P<zone>[+-]?[0-9]{1,2}(?:\.[0-9]+)?)(?::\w*)?\])?"
)


def read_ofx(source: Source, options: Options) -> Imported:
    """Read transactions and accounts of the bank and card statements.

    A row is known by the bank's own id (FITID) within its account. Dates are taken as written; a time counts only
    where its offset is written too. Raises ImportFailedError where the markup is broken or holds no statement.
    """
    root = ofx_tree(source)
    statements = [node for node in root.iter() if node.tag in _STATEMENTS]
    if not statements:
        raise ImportFailedError(
            source.at(1),
            "is an OFX file without transactions of a bank account or card. Export it again from your bank",
        )
    imported = Imported("ofx", "transactions")
    entries: list[Entry] = []
    accounts: dict[str, Account] = {}
    balances: dict[str, Row] = {}
    for statement in statements:
        account = _account(statement, source, options)
        accounts[account.account_id] = account
        currency = (text_of(statement, "CURDEF") or "AUD").upper()
        if (stated := _balance(statement, account, currency, imported)) is not None:
            balances[account.account_id] = stated
        for node in statement.iter("STMTTRN"):
            entry = _entry(node, account, currency)
            if isinstance(entry, Entry):
                entries.append(entry)
            else:
                imported.reject(place_of(node), f"transaction {text_of(node, 'FITID') or 'without an id'}: {entry}")
    _warn_left_out(root, statements, imported)
    imported.tables["accounts"] = [account.row() for account in accounts.values()]
    imported.tables["transactions"] = transaction_rows(_once(source, entries, imported))
    imported.tables["balances"] = list(balances.values())
    return imported


def _warn_left_out(root: Any, statements: list[Any], imported: Imported) -> None:
    """Warn of rows in other statements (investments, loans) and of pending rows, which have no id yet."""
    read = {id(node) for statement in statements for node in statement.iter("STMTTRN")}
    others = [node for node in root.iter() if node.tag in ("STMTTRN", "INVTRAN") and id(node) not in read]
    pending = list(root.iter("STMTTRNP"))
    if others:
        imported.warn(place_of(others[0]), f"rows that are not of a bank account or card were left out ({len(others)})")
    if pending:
        again = "add a newer file once they have gone through"
        imported.warn(place_of(pending[0]), f"pending transactions were left out ({len(pending)}): {again}")


def _account(statement: Any, source: Source, options: Options) -> Account:
    for tag in ("BANKACCTFROM", "CCACCTFROM"):
        holder = statement.find(tag)
        if holder is not None and text_of(holder, "ACCTID"):
            return numbered_account("OFX", text_of(holder, "ACCTID"), text_of(holder, "BANKID") or None)
    return unnamed_account(source, options, f"ofx {statement.tag}")


def _balance(statement: Any, account: Account, currency: str, imported: Imported) -> Row | None:
    """Return the ledger balance that a statement ends with; None, with a warning, where it cannot be read."""
    node = statement.find("LEDGERBAL")
    if node is None:
        return None
    as_of = _TIMESTAMP.fullmatch(text_of(node, "DTASOF"))
    day, balance = day_of(as_of["day"], "yyyymmdd") if as_of else None, _amount(text_of(node, "BALAMT"))
    if day is not None and balance is not None:
        try:
            return balance_row(account, balance, day, currency, text_of(node, "BALAMT"))
        except ValueError:
            pass
    imported.warn(place_of(node), "the balance of the account cannot be read, so it was left out")
    return None


def _amount(text: str) -> Decimal | None:
    """Parse an amount, or return None. One comma or point is the decimal mark (OFX 3.2.9.1), so `-1,234` is -1.234.

    The specification knows no thousands separators; `1,234.50` and `1.234,50` can be read in one way only.
    """
    decimal_comma = text.rfind(",") > text.rfind(".")
    return written_amount(text.translate(_SWAPPED) if decimal_comma else text)


def _entry(node: Any, account: Account, currency: str) -> Entry | str:
    """Return the entry of a transaction, or the reason why it is left out."""
    if any("\x00" in (child.text or "") for child in node.iter()):
        return IS_DAMAGED
    posted = _TIMESTAMP.fullmatch(text_of(node, "DTPOSTED"))
    day = day_of(posted["day"], "yyyymmdd") if posted else None
    if posted is None or day is None:
        return f"the date {text_of(node, 'DTPOSTED')!r} cannot be read"
    if day.year not in YEARS:
        return NO_YEAR.format(day.isoformat())
    written = text_of(node, "TRNAMT")
    amount = _amount(written)
    if amount is None:
        return f"the amount {written!r} cannot be read"
    try:
        minor = minor_units(format(amount, "f"), currency)
    except ValueError as error:
        return f"{error} (written {written!r}: the comma is the decimal mark)" if "," in written else str(error)
    return Entry(
        account=account,
        line=int(place_of(node).rpartition(":")[2]),
        day=day,
        amount=amount,
        minor=minor,
        description=" ".join(text for text in (text_of(node, "NAME"), text_of(node, "MEMO")) if text),
        raw="\n".join(f"<{child.tag}>{(child.text or '').strip()}" for child in node.iter() if child is not node),
        currency=currency,
        when=_timestamp(posted),
        bank_id=text_of(node, "FITID") or None,
        extra={"type": text_of(node, "TRNTYPE"), "reference": text_of(node, "CHECKNUM") or text_of(node, "REFNUM")},
    )


def _timestamp(written: re.Match[str]) -> datetime | None:
    if not written["clock"] or not written["zone"]:
        return None
    try:
        offset = timezone(timedelta(hours=float(Decimal(written["zone"]))))
        timestamp = datetime.strptime(written["day"] + written["clock"].ljust(6, "0"), "%Y%m%d%H%M%S")  # noqa: DTZ007 zone below
        return timestamp.replace(tzinfo=offset)
    except ValueError:
        return None


def _once(source: Source, entries: list[Entry], imported: Imported) -> Iterator[Entry]:
    """Yield rows with the same id and content once; with other content keep both. Warn in either case."""
    seen: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        known = seen.get((entry.account.account_id, entry.bank_id or ""))
        if known is None or not entry.bank_id:
            seen[entry.account.account_id, entry.bank_id or ""] = entry
            yield entry
            continue
        same = (known.day, known.minor, known.description) == (entry.day, entry.minor, entry.description)
        message = "is in the file twice: it counts once" if same else "is on two rows that differ: both count"
        imported.warn(source.at(entry.line), f"transaction {entry.bank_id} {message}")
        if not same:
            yield entry


_PLACE = "place"
_DEEPEST = 64
_SECTION = re.compile(r"<!\[CDATA\[(?P<text>.*?)\]\]>|<!--.*?-->", re.DOTALL)
_OPEN_SECTION = re.compile(r"<!\[CDATA\[|<!--")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_LINE_END = re.compile(r"\s*[\r\n]\s*")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_ELEMENTS = (
    "TRNTYPE|DTPOSTED|DTUSER|DTAVAIL|TRNAMT|FITID|CORRECTFITID|CORRECTACTION|SRVRTID|CHECKNUM|REFNUM|SIC|PAYEEID|NAME|MEMO|"
    "BANKID|BRANCHID|ACCTID|ACCTTYPE|ACCTKEY|CURDEF|DTSTART|DTEND|BALAMT|DTASOF|LANGUAGE|ORG|FID|DTSERVER|TRNUID|"
    r"MESSAGE|INTU\.[A-Z]+"
)
_LEFT_EMPTY = re.compile(rf"<({_ELEMENTS})>(?=\s*<(?!/\1>))")
"""Elements that some banks leave empty and open, which SGML allows and the parser takes for groups."""
_BROKEN = (SyntaxError, ValueError, AssertionError, AttributeError, IndexError, TypeError)
"""What ofxtools and the tree builder raise for elements that do not match."""


class _Builder(TreeBuilder):
    """ofxtools' builder that notes each element's place and gives up on nesting that no statement has."""

    place = ""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def feed_from(self, source: Source, start: int) -> None:
        """Build the tree of the markup from character `start` of the source."""
        for match in self.regex.finditer(source.text, start):
            self.place = source.at_offset(match.start())
            if (match["tail"] or "").strip():
                raise ParseError("text between elements")
            self._feedmatch(match["tag"], (match["text"] or "").strip() or None, match["closetag"])

    def start(self, tag: str, attrs: dict[str, str]) -> Any:
        """Open an element, with its place. Raises ParseError where elements are nested too deeply."""
        self.open.append(tag)
        if len(self.open) > _DEEPEST:
            raise ParseError("elements are nested too deeply")
        return super().start(tag, {**attrs, _PLACE: self.place})

    def end(self, tag: str) -> Any:
        """Close an element. Raises ParseError unless it is the one opened last."""
        if self.open[-1:] != [tag]:
            raise ParseError("the end of an element that is not open")
        self.open.pop()
        return super().end(tag)


def ofx_tree(source: Source) -> Any:
    """Parse the element tree. Headers vary and carry nothing that is needed: parsing begins at `<OFX>`.

    Raises ImportFailedError with the line where the markup breaks.
    """
    plain = _without_sections(source)
    start = re.search(r"<OFX>", plain.text, re.IGNORECASE)
    if start is None:
        raise ImportFailedError(
            source.at(1), "is not a whole OFX file: its beginning is missing. Export it again from your bank"
        )
    builder = _Builder()
    try:
        builder.feed_from(plain, start.start())
    except _BROKEN as error:
        raise ImportFailedError(
            builder.place, "the OFX file is damaged here. Export it again from your bank"
        ) from error
    if builder.open:
        raise ImportFailedError(
            source.at_end(), "the OFX file is cut short: its end is missing. Export it again from your bank"
        )
    return builder.close()


def place_of(node: Any) -> str:
    """Return `file:line` of an element's start."""
    return str(node.get(_PLACE))


def text_of(node: Any, tag: str) -> str:
    """Return the text of the element `tag` below `node` on one line, entities replaced; empty where there is none."""
    written = _LINE_END.sub(" ", (node.findtext(tag) or "").strip())
    return _ENTITY.sub(lambda match: html.unescape(match[0]), written).strip()


def _without_sections(source: Source) -> Source:
    """Return the same lines with CDATA as escaped text, comments blank, and elements that are left empty taken out."""
    text = _SECTION.sub(_unwrapped, source.text)
    plain = Source(source.name, _LEFT_EMPTY.sub("", text).encode())
    if unclosed := _OPEN_SECTION.search(plain.text):
        where = plain.at_offset(unclosed.start())
        raise ImportFailedError(where, "the OFX file is damaged here. Export it again from your bank")
    return plain


def _unwrapped(section: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", section[0]) if section["text"] is None else escape(section["text"])
