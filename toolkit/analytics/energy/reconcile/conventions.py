"""How an account states its amounts: with or without GST, credits negative or positive. The standard leaves it open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

from toolkit.analytics.energy.reconcile.billed_invoice import Stated, StatedLine

Gst = Literal["included", "excluded"]
Sign = Literal["negative", "positive"]
Way = TypeVar("Way", Gst, Sign)

PER_LINE = 1
"""Cents that a line may be off: retailers round each with or without its tax."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """lines: whether lines include GST. amount: whether the amount due does. credits: their sign.

    None: the account's invoices do not tell. invoices: how many told of lines.
    """

    lines: Gst | None = None
    amount: Gst = "included"
    credits: Sign | None = None
    invoices: int = 0

    def line(self, line: StatedLine) -> int:
        """Cents of a stated line with GST, as a bill counts it: charges positive, credits negative."""
        minor = line.minor + (line.gst_minor if self.lines == "excluded" else 0)
        return -minor if line.kind == "credit" and self.credits == "positive" else minor

    def billed(self, stated: Stated) -> int | None:
        """Cents of the amount due with GST; None where it is not given."""
        if stated.minor is None or self.amount == "included":
            return stated.minor
        return stated.minor + (stated.gst_minor or 0)


def conventions_of(invoices: Sequence[Stated], recomputed: Iterable[int | None]) -> Conventions:
    """What most of an account's invoices agree with, in whatever order.

    recomputed: cents of each invoice with GST. An amount without GST is believed only of two invoices or more: one
    alone may be wrong. Of the sign tell only invoices with credits.
    """
    amount = _of_amounts(invoices, recomputed)
    told = [(stated, way) for stated in invoices if (way := _of_lines(stated, amount)) is not None]
    lines = _most([lines for _, (lines, _) in told], "included")
    sign = _most([sign for stated, (_, sign) in told if _credited(stated)], "negative")
    return Conventions(lines, amount, sign, len(told))


def _most(votes: Sequence[Way], usual: Way) -> Way | None:
    """The usual where votes are equal; None without any."""
    counted = Counter(votes)
    return max(counted, key=lambda way: (counted[way], way == usual), default=None)


def _credited(stated: Stated) -> bool:
    return any(line.kind == "credit" and line.minor for line in stated.lines)


def _of_lines(stated: Stated, amount: Gst) -> tuple[Gst, Sign] | None:
    """The way in which the lines sum to the amount due with GST; None where none does, or there is nothing to tell."""
    if not stated.lines or stated.minor is None:
        return None
    ways: list[tuple[Gst, Sign]] = list(product(("included", "excluded"), ("negative", "positive")))
    for lines, sign in ways:
        read = Conventions(lines, amount, sign)
        sums = sum(read.line(line) for line in stated.lines)
        if abs(sums - (read.billed(stated) or 0)) <= PER_LINE * len(stated.lines):
            return lines, sign
    return None


def _of_amounts(invoices: Sequence[Stated], recomputed: Iterable[int | None]) -> Gst:
    fits = Counter[Gst]()
    for stated, total in zip(invoices, recomputed, strict=True):
        if stated.minor is None or total is None or not stated.gst_minor:
            continue
        near = PER_LINE * max(len(stated.lines), 5)
        fits["included"] += abs(total - stated.minor) <= near
        fits["excluded"] += abs(total - stated.minor - stated.gst_minor) <= near
    return "excluded" if fits["excluded"] > max(1, fits["included"]) else "included"
