"""The bank payment that settled an invoice: same amount, in time, and words that name the retailer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from toolkit.analytics.energy.bills.model import Period
from toolkit.analytics.energy.reconcile.stated import Stated

EARLY = timedelta(3)
LATE = timedelta(45)
"""Days before the issue and after the due date within which a payment may lie."""

UNDATED = timedelta(90)
_TEXTS = ("biller_name", "description", "merchant_name", "payee", "extended_description")
_NO_NAME = {"and", "the", "pty", "ltd", "limited", "energy", "power", "gas", "electricity", "australia", "payment"}


@dataclass(frozen=True, slots=True)
class Settled:
    """certain: exactly one payment fits in amount, time and name. Otherwise `candidates` are suggestions."""

    certain: bool
    candidates: tuple[Mapping[str, Any], ...]


def settled(
    stated: Stated, names: Iterable[str], payments: Sequence[Mapping[str, Any]], taken: set[str]
) -> Settled | None:
    """payments: rows of `transactions` with `day`. names: of the retailer. taken: ids linked to other invoices.

    None where the invoice is no charge or nothing fits in amount and time.
    """
    if not stated.minor or stated.minor <= 0:
        return None
    first, last = window(stated)
    fitting = [
        row
        for row in payments
        if row["amount_minor"] == -stated.minor
        and row["day"]
        and first <= row["day"] <= last
        and row["id"] not in taken
    ]
    named = [row for row in fitting if speaks(row, names)]
    if len(named) == 1:
        return Settled(certain=True, candidates=tuple(named))
    return Settled(certain=False, candidates=tuple(named or fitting)) if fitting else None


def window(stated: Stated) -> tuple[date, date]:
    first = (stated.issued or stated.period.last) - EARLY
    return first, stated.due + LATE if stated.due else first + UNDATED


def speaks(row: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether a row's texts hold the retailer's telling words, or it says it pays for gas and electricity."""
    told = " ".join(str(row[name] or "") for name in _TEXTS).casefold()
    words = [_telling(name) for name in names]
    by_name = any(own and own <= set(re.findall(r"\w+", told)) for own in words)
    return by_name or str(row["secondary_category"] or "").endswith("GAS_AND_ELECTRICITY")


def _telling(name: str) -> set[str]:
    return {word for word in re.findall(r"\w+", name.casefold()) if word not in _NO_NAME and len(word) > 2}


def span_of(invoices: Sequence[Stated]) -> Period | None:
    """All days on which one of the invoices can have been paid."""
    windows = [window(stated) for stated in invoices if stated.minor]
    return Period(min(w[0] for w in windows), max(w[1] for w in windows)) if windows else None
