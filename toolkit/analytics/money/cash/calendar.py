"""What is coming up as an iCalendar file (RFC 5545): one all-day event for each payment, for any calendar program."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta

from toolkit.answers.money import Upcoming

START = "BEGIN:VCALENDAR"
_LONGEST_LINE = 75
"""Octets of a line; the rest continues on the next, behind a space (RFC 5545, 3.1)."""


def calendar(payments: Iterable[Upcoming]) -> str:
    """Return the text of a calendar file. Text from outside is escaped; the same payments give the same bytes."""
    lines = [START, "VERSION:2.0", "PRODID:-//finance-energy-toolkit//coming up//EN", "CALSCALE:GREGORIAN"]
    seen: Counter[str] = Counter()
    for payment in payments:
        # an overdue bill stays one event, whatever the day on which it is saved
        key = f"{payment.overdue_since or payment.date} {payment.name} {payment.amount} {payment.account_id}"
        seen[key] += 1
        lines += _event(payment, hashlib.sha256(f"{key} {seen[key]}".encode("utf-8", "replace")).hexdigest()[:24])
    return "".join(f"{part}\r\n" for line in (*lines, "END:VCALENDAR") for part in _folded(line))


def _event(payment: Upcoming, identity: str) -> list[str]:
    sign = "" if payment.amount < 0 else "+"
    # Text values: RFC 5545, 3.3.11. Control characters become spaces.
    plain = "".join(char if char.isprintable() else " " for char in payment.title)
    summary = plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return [
        "BEGIN:VEVENT",
        f"UID:{identity}@finance-energy-toolkit",
        f"DTSTAMP:{payment.date:%Y%m%d}T000000Z",
        f"DTSTART;VALUE=DATE:{payment.date:%Y%m%d}",
        f"DTEND;VALUE=DATE:{payment.date + timedelta(days=1):%Y%m%d}",
        f"SUMMARY:{summary} {sign}${abs(payment.amount):,.2f}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _folded(line: str) -> Iterator[str]:
    """Yield the line in pieces of at most 75 octets, without cutting a character."""
    piece, size = "", 0
    for char in line:
        octets = len(char.encode("utf-8", "replace"))
        if size + octets > _LONGEST_LINE:
            yield piece
            piece, size = " ", 1
        piece += char
        size += octets
    yield piece
