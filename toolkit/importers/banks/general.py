"""A bank export in no layout of a known bank, with a header that names its columns in common words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolkit.importers.banks.dialects import Dialect, Sign

_WORDS: tuple[tuple[str, str], ...] = (
    ("bsb", r"bsb( (no\.?|number))?"),
    ("account", r"(bank |from )?account( (no\.?|number|name|id))?|account_(id|name|number)"),
    ("date", r"((transaction|effective|entered|entry)[ _])?date|date (and|/|&) time|time|datetime"),
    ("posted", r"((posted|posting|processed|settled|settlement|value)[ _]?date)|date (posted|processed)"),
    ("amount", r"((transaction|net|total)[ _])?(amount|value)"),
    ("debit", r"debits?|(debit|withdrawal) amount|withdrawals?|money out|paid out"),
    ("credit", r"credits?|(credit|deposit) amount|deposits?|money in|paid in"),
    ("balance", r"((running|closing|account)[ _])?balance"),
    ("description", r"(transaction[ _])?(description|details?|narrative|narration|particulars)|memo|transaction"),
    ("merchant", r"merchant([ _]name)?|payee"),
    ("category", r"(primary[ _])?category"),
    ("subcategory", r"(secondary[ _]|sub-?)category"),
    ("currency", r"currency([ _]code)?|ccy"),
    ("type", r"(transaction[ _])?type"),
    ("reference", r"reference|ref"),
    ("status", r"status"),
    ("id", r"(transaction[ _])?id"),
)
_UNIT = re.compile(r" ?\((aud|a?\$)\)| aud$")
"""A currency in the header of an amount."""


def general_dialect(names: Sequence[str]) -> Dialect | None:
    """Recognise the columns of a lower-case header by its words; None without a date, amount and description column.

    Debits count with the sign that most of them have in the file.
    """
    columns = _columns(names)
    described = columns.keys() & {"description", "merchant"}
    if "posted" in columns and "date" not in columns:
        columns["date"] = columns.pop("posted")
    if "amount" in columns:
        columns.pop("debit", None), columns.pop("credit", None)
    elif not {"debit", "credit"} <= columns.keys():
        return None
    sign: Sign = "signed" if "amount" in columns else "debit as in the file"
    return Dialect("Bank", columns, "any", sign) if described and "date" in columns else None


def _columns(names: Sequence[str]) -> dict[str, str | int]:
    columns: dict[str, str | int] = {}
    for name in names:
        plain = _UNIT.sub("", name)
        found = next((role for role, words in _WORDS if role not in columns and re.fullmatch(words, plain)), None)
        if found is not None:
            columns[found] = name
    return columns
