"""OFX and QFX bank files, parsed by ofxtools; statement by statement, so that one bad row does not lose the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import unescape

from ofxtools.Parser import ParseError, TreeBuilder

from toolkit.errors import ImportFailed
from toolkit.importers.banks.entries import Account, Entry, named_account, numbered_account, transaction_rows
from toolkit.importers.dates import day as day_of
from toolkit.importers.imported import Imported, Options
from toolkit.importers.source import Source
from toolkit.tables.money import minor_units, written_amount

_STATEMENTS = ("STMTRS", "CCSTMTRS")
_MOMENT = re.compile(
    r"(?P<day>[0-9]{8})(?P<clock>[0-9]{6}|[0-9]{4})?(?:\.[0-9]*)?(?:\[(?P<zone>[+-]?[0-9]{1,2}(?:\.[0-9]+)?)(?::\w*)?\])?"
)

# Elements that some banks leave empty and open, which SGML allows and the parser takes for groups.
_EMPTY = re.compile(r"<(MEMO|NAME|CHECKNUM|REFNUM|SIC|PAYEEID|LANGUAGE|ORG|FID|INTU\.[A-Z]+)>\s*(?=<(?!/\1>))")
_DEEPEST = 64


class _ShallowBuilder(TreeBuilder):
    """ofxtools' tree builder that gives up on nesting that no statement has."""

    depth = 0

    def start(self, tag: str, attrs: dict[str, str]) -> Any:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ParseError("elements are nested too deeply")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Any:
        self.depth -= 1
        return super().end(tag)


def read_ofx(source: Source, options: Options) -> Imported:
    """Transactions and accounts of the bank and card statements.

    A row is known by the bank's own id (FITID) within its account. Dates are taken as written; a time counts only
    where its offset is written too. Raises ImportFailed where the markup is broken or holds no statement.
    """
    root = _tree(source)
    statements = [node for node in root.iter() if node.tag in _STATEMENTS]
    if not statements:
        raise ImportFailed(source.name, "is an OFX file without a bank or card statement")
    imported = Imported("ofx", "transactions")
    lines = _lines_of_rows(source.text)
    entries: list[Entry] = []
    accounts: dict[str, Account] = {}
    for statement in statements:
        account = _account(statement, options)
        accounts[account.account_id] = account
        currency = (_text(statement, "CURDEF") or "AUD").upper()
        for node in statement.iter("STMTTRN"):
            entry = _entry(node, account, currency, next(lines, 0))
            if isinstance(entry, Entry):
                entries.append(entry)
            else:
                imported.reject(f"{source.at(entry[0])} (FITID {_text(node, 'FITID') or '?'})", entry[1])
    _tell_left_out(source, root, statements, imported)
    imported.tables["accounts"] = [account.row() for account in accounts.values()]
    imported.tables["transactions"] = transaction_rows(_once(source, entries, imported))
    return imported


def _tell_left_out(source: Source, root: Any, statements: list[Any], imported: Imported) -> None:
    """Rows of other statements (investments, loans), and those a bank lists as pending: they have no id yet."""
    read = sum(1 for statement in statements for _ in statement.iter("STMTTRN"))
    others = sum(1 for _ in root.iter("STMTTRN")) - read + sum(1 for _ in root.iter("INVTRAN"))
    pending = sum(1 for _ in root.iter("STMTTRNP"))
    if others:
        imported.warn(source.name, f"{others} rows of other than bank and card statements are left out")
    if pending:
        imported.warn(source.name, f"{pending} pending rows (STMTTRNP) are left out: import the file again once posted")


def _tree(source: Source) -> Any:
    """The element tree. Headers vary and carry nothing that is needed: parsing begins at `<OFX>`."""
    start = re.search(r"<OFX>", source.text, re.IGNORECASE)
    if start is None:
        raise ImportFailed(source.name, "is an OFX file without an <OFX> element")
    builder = _ShallowBuilder()
    try:
        builder.feed(_EMPTY.sub("", source.text[start.start() :].strip()))
        root = builder.close()
    except (SyntaxError, ValueError, AssertionError, AttributeError, IndexError, TypeError) as error:
        raise ImportFailed(
            source.name, f"is a broken OFX file: {str(error)[:120] or 'elements do not match'}"
        ) from error
    if root is None:
        raise ImportFailed(source.name, "is a broken OFX file: it ends before its elements do")
    return root


def _lines_of_rows(text: str) -> Iterator[int]:
    """The line of each `<STMTTRN>`, in the order in which the tree gives them."""
    line, at = 1, 0
    for match in re.finditer(r"<STMTTRN>", text, re.IGNORECASE):
        line += text.count("\n", at, match.start())
        at = match.start()
        yield line


def _text(node: Any, tag: str) -> str:
    return unescape((node.findtext(tag) or "").strip())


def _account(statement: Any, options: Options) -> Account:
    for tag in ("BANKACCTFROM", "CCACCTFROM"):
        holder = statement.find(tag)
        if holder is not None and _text(holder, "ACCTID"):
            return numbered_account("OFX", _text(holder, "ACCTID"), _text(holder, "BANKID") or None)
    return named_account(options.account or "OFX")


def _entry(node: Any, account: Account, currency: str, line: int) -> Entry | tuple[int, str]:
    """The movement, or its line and why there is none."""
    posted = _MOMENT.fullmatch(_text(node, "DTPOSTED"))
    day = day_of(posted["day"], "yyyymmdd") if posted else None
    if posted is None or day is None:
        return line, f"{_text(node, 'DTPOSTED')!r} is no date"
    amount = written_amount(_text(node, "TRNAMT"))
    if amount is None:
        return line, f"{_text(node, 'TRNAMT')!r} is no amount of money"
    try:
        minor = minor_units(format(amount, "f"), currency)
    except ValueError as error:
        return line, str(error)
    return Entry(
        account=account,
        line=line,
        day=day,
        amount=amount,
        minor=minor,
        description=" ".join(text for text in (_text(node, "NAME"), _text(node, "MEMO")) if text),
        raw=_raw(node),
        currency=currency,
        when=_moment(posted),
        bank_id=_text(node, "FITID") or None,
        extra={"type": _text(node, "TRNTYPE"), "reference": _text(node, "CHECKNUM") or _text(node, "REFNUM")},
    )


def _moment(written: re.Match[str]) -> datetime | None:
    if not written["clock"] or not written["zone"]:
        return None
    try:
        offset = timezone(timedelta(hours=float(Decimal(written["zone"]))))
        moment = datetime.strptime(written["day"] + written["clock"].ljust(6, "0"), "%Y%m%d%H%M%S")  # noqa: DTZ007 zone below
        return moment.replace(tzinfo=offset)
    except ValueError:
        return None


def _raw(node: Any) -> str:
    return "\n".join(f"<{child.tag}>{(child.text or '').strip()}" for child in node.iter() if child is not node)


def _once(source: Source, entries: list[Entry], imported: Imported) -> Iterator[Entry]:
    """The same id with the same content is one row; with other content both stay, and it is said."""
    seen: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        known = seen.get((entry.account.account_id, entry.bank_id or ""))
        if known is None or not entry.bank_id:
            seen[entry.account.account_id, entry.bank_id or ""] = entry
            yield entry
            continue
        same = (known.day, known.minor, known.description) == (entry.day, entry.minor, entry.description)
        said = "is given twice: taken once" if same else "stands on two different rows: both are kept"
        imported.warn(source.at(entry.line), f"FITID {entry.bank_id} {said}")
        if not same:
            yield entry
