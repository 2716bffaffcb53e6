"""Match the lines of an invoice with the recomputed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from toolkit.analytics.energy.pricing.model import COMPONENTS, Component, Line
from toolkit.analytics.energy.reconcile.billed_invoice import MAY_BE, BilledInvoice, BilledLine
from toolkit.analytics.energy.reconcile.conventions import Conventions

GROUPS = ("usage", "charges", "once_off", "discounts", "credits")
_GROUP_OF: dict[Component, str] = {
    "supply": "charges",
    "metering": "charges",
    "green_power": "charges",
    "fee": "once_off",
    "discount": "discounts",
    "concession": "discounts",
    "feed_in": "credits",
}

_SAME = Fraction(1, 1000)
"""kWh or MJ below which two quantities are one: retailers state three decimals."""


@dataclass(frozen=True, slots=True)
class Pair:
    """label: of the plan, else of the retailer. billed, recomputed: cents with GST; None where the other has no line.

    billed_lines, lines: the lines of the invoice and of the plan; one side may be several (bands or blocks together).
    """

    component: str
    label: str
    billed: int | None
    recomputed: int | None
    billed_lines: tuple[BilledLine, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def difference(self) -> int:
        return (self.billed or 0) - (self.recomputed or 0)

    @property
    def billed_quantity(self) -> Fraction | None:
        known = [Fraction(line.quantity) for line in self.billed_lines if line.quantity is not None]
        return sum(known, Fraction(0)) if known and len(known) == len(self.billed_lines) else None

    @property
    def quantity(self) -> Fraction | None:
        return sum((line.quantity for line in self.lines), Fraction(0)) if self.lines else None

    @property
    def same_quantity(self) -> bool:
        one, other = self.billed_quantity, self.quantity
        return one is None or other is None or abs(abs(one) - other) <= _SAME * max(1, len(self.lines))


def pairs_of(invoice: BilledInvoice, lines: Sequence[Line], conventions: Conventions) -> list[Pair]:
    """Pair every line once: by line, else by the groups of the invoice's summary, else recomputed lines alone."""
    if invoice.lines:
        return _line_by_line(invoice, lines, conventions)
    if invoice.totals is not None:
        return [
            pair for name in GROUPS if (pair := _group(name, invoice.totals.get(name), lines)).billed or pair.recomputed
        ]
    return [_pair((), (line,), conventions) for line in lines]


def _line_by_line(invoice: BilledInvoice, lines: Sequence[Line], conventions: Conventions) -> list[Pair]:
    theirs = [line for line in invoice.lines if line.minor]
    ours = [line for line in lines if line.amount_minor]
    costs = sorted(
        (_distance(their, our, conventions), t, o)
        for t, their in enumerate(theirs)
        for o, our in enumerate(ours)
        if our.component in MAY_BE[their.kind]
    )
    matched: dict[int, int] = {}
    for _, t, o in costs:
        if t not in matched and o not in matched.values():
            matched[t] = o
    pairs = [_pair((theirs[t],), (ours[o],), conventions) for t, o in sorted(matched.items())]
    left = [their for t, their in enumerate(theirs) if t not in matched]
    right = [our for o, our in enumerate(ours) if o not in matched.values()]
    return _with_rest(pairs, left, right, conventions)


def _with_rest(
    pairs: list[Pair], left: Sequence[BilledLine], right: Sequence[Line], conventions: Conventions
) -> list[Pair]:
    """Add left-over lines to the pair of their kind where that reduces the difference; else keep them unpaired."""
    alone: list[Pair] = []
    extra = [_pair((line,), (), conventions) for line in left] + [_pair((), (line,), conventions) for line in right]
    for one in extra:
        at = min(
            (n for n, pair in enumerate(pairs) if _joins(pair, one)),
            key=lambda n: abs(pairs[n].difference + one.difference),
            default=None,
        )
        if at is not None and abs(pairs[at].difference + one.difference) < abs(pairs[at].difference):
            pair = pairs[at]
            pairs[at] = _pair((*pair.billed_lines, *one.billed_lines), (*pair.lines, *one.lines), conventions)
        else:
            alone.append(one)
    return sorted([*pairs, *alone], key=_bill_order)


def _bill_order(pair: Pair) -> tuple[int, date, str]:
    """Sort key: the order of a bill; lines that the plan does not have come last."""
    if not pair.lines:
        return len(COMPONENTS), date.max, pair.label
    return COMPONENTS.index(pair.lines[0].component), pair.lines[0].first, pair.label


def _joins(pair: Pair, one: Pair) -> bool:
    if one.lines:
        return all(line.component in MAY_BE[their.kind] for line in one.lines for their in pair.billed_lines)
    return all(line.component in MAY_BE[their.kind] for line in pair.lines for their in one.billed_lines)


def _distance(their: BilledLine, our: Line, conventions: Conventions) -> tuple[bool, bool, bool, int]:
    """Return a sort key, smaller for likelier matches: same energy, overlapping days, shared words, near amounts."""
    energy = their.quantity is None or abs(abs(Fraction(their.quantity)) - our.quantity) <= _SAME
    apart = bool(their.first and their.last and (their.first > our.last or their.last < our.first))
    shared = bool(_words(their.label) & _words(our.label))
    return not energy, apart, not shared, abs(conventions.line(their) - our.amount_minor)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.casefold().replace("_", " ")))


def _pair(billed_lines: tuple[BilledLine, ...], lines: tuple[Line, ...], conventions: Conventions) -> Pair:
    component: str = lines[0].component if lines else billed_lines[0].kind
    label = lines[0].label if lines else billed_lines[0].label
    billed = sum(conventions.line(line) for line in billed_lines) if billed_lines else None
    recomputed = sum(line.amount_minor for line in lines) if lines else None
    return Pair(component, label, billed, recomputed, billed_lines, lines)


def _group(name: str, billed: int | None, lines: Sequence[Line]) -> Pair:
    within = tuple(line for line in lines if _group_of(line) == name)
    return Pair(name, name.replace("_", "-"), billed, sum(line.amount_minor for line in within), lines=within)


def _group_of(line: Line) -> str:
    """Return the group of a line: demand counts as usage, any daily charge as a charge."""
    return "charges" if line.unit == "day" else _GROUP_OF.get(line.component, "usage")


def unmatched(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield the pairs that only one side has."""
    yield from (pair for pair in pairs if pair.billed is None or pair.recomputed is None)
