"""The retailer's lines beside the recomputed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from toolkit.analytics.energy.bills.model import COMPONENTS, Component, Line
from toolkit.analytics.energy.reconcile.billed_invoice import MAY_BE, Stated, StatedLine
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

    stated, lines: what stands behind; one side may be several lines (bands or blocks billed together).
    """

    component: str
    label: str
    billed: int | None
    recomputed: int | None
    stated: tuple[StatedLine, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def difference(self) -> int:
        return (self.billed or 0) - (self.recomputed or 0)

    @property
    def billed_quantity(self) -> Fraction | None:
        known = [Fraction(line.quantity) for line in self.stated if line.quantity is not None]
        return sum(known, Fraction(0)) if known and len(known) == len(self.stated) else None

    @property
    def quantity(self) -> Fraction | None:
        return sum((line.quantity for line in self.lines), Fraction(0)) if self.lines else None

    @property
    def same_quantity(self) -> bool:
        one, other = self.billed_quantity, self.quantity
        return one is None or other is None or abs(abs(one) - other) <= _SAME * max(1, len(self.lines))


def pairs_of(stated: Stated, lines: Sequence[Line], conventions: Conventions) -> list[Pair]:
    """Every line once. Without stated lines, the groups that a summary gives; without either, the recomputed alone."""
    if stated.lines:
        return _line_by_line(stated, lines, conventions)
    if stated.totals is not None:
        return _by_group(stated.totals, lines)
    return [_pair((), (line,), conventions) for line in lines]


def _line_by_line(stated: Stated, lines: Sequence[Line], conventions: Conventions) -> list[Pair]:
    theirs = [line for line in stated.lines if line.minor]
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
    pairs: list[Pair], left: Sequence[StatedLine], right: Sequence[Line], conventions: Conventions
) -> list[Pair]:
    """Lines left over join the pair of their kind where that brings it closer; else they stand alone."""
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
            pairs[at] = _pair((*pair.stated, *one.stated), (*pair.lines, *one.lines), conventions)
        else:
            alone.append(one)
    return sorted([*pairs, *alone], key=_place)


def _place(pair: Pair) -> tuple[int, date, str]:
    """In the order of a bill; what the plan does not name comes last."""
    if not pair.lines:
        return len(COMPONENTS), date.max, pair.label
    return COMPONENTS.index(pair.lines[0].component), pair.lines[0].first, pair.label


def _joins(pair: Pair, one: Pair) -> bool:
    if one.lines:
        return all(line.component in MAY_BE[their.kind] for line in one.lines for their in pair.stated)
    return all(line.component in MAY_BE[their.kind] for line in pair.lines for their in one.stated)


def _distance(their: StatedLine, our: Line, conventions: Conventions) -> tuple[bool, bool, bool, int]:
    """The likelier a match, the smaller: same energy, overlapping days, shared words, near amounts."""
    energy = their.quantity is None or abs(abs(Fraction(their.quantity)) - our.quantity) <= _SAME
    apart = bool(their.first and their.last and (their.first > our.last or their.last < our.first))
    shared = bool(_words(their.label) & _words(our.label))
    return not energy, apart, not shared, abs(conventions.line(their) - our.amount_minor)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.casefold().replace("_", " ")))


def _pair(stated: tuple[StatedLine, ...], lines: tuple[Line, ...], conventions: Conventions) -> Pair:
    component: str = lines[0].component if lines else stated[0].kind
    label = lines[0].label if lines else stated[0].label
    billed = sum(conventions.line(line) for line in stated) if stated else None
    recomputed = sum(line.amount_minor for line in lines) if lines else None
    return Pair(component, label, billed, recomputed, stated, lines)


def _by_group(totals: Mapping[str, int], lines: Sequence[Line]) -> list[Pair]:
    return [pair for name in GROUPS if (pair := _group(name, totals.get(name), lines)).billed or pair.recomputed]


def _group(name: str, billed: int | None, lines: Sequence[Line]) -> Pair:
    within = tuple(line for line in lines if _group_of(line) == name)
    return Pair(name, name.replace("_", "-"), billed, sum(line.amount_minor for line in within), lines=within)


def _group_of(line: Line) -> str:
    """Energy is usage, and so is demand; a daily charge is a charge, also that of controlled load."""
    return "charges" if line.unit == "day" else _GROUP_OF.get(line.component, "usage")


def unmatched(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """What only one side has."""
    yield from (pair for pair in pairs if pair.billed is None or pair.recomputed is None)
