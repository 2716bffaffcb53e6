"""What is said beside a comparison: where it holds, how old its prices are, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from toolkit.analytics.energy.intervals.quality import Quality
from toolkit.analytics.energy.plans.offered import Barrier
from toolkit.analytics.energy.plans.terms import Equipment
from toolkit.answers.notes import Note
from toolkit.flows.energy.comparison.rows import as_of
from toolkit.flows.household.place import HomePlace
from toolkit.flows.plans.offers import Offers, Wanted

OLD_PRICES_DAYS = 60
"""Beyond it a comparison warns: most plans change once or twice a year."""

_LEAST_SHOWN = 0.001
_BARRED: dict[Barrier, str] = {
    "expired": "plans_expired",
    "not_here": "plans_not_here",
    "other_networks": "plans_other_networks",
}
_EQUIPMENT_PRICES: dict[Equipment, str] = {"controlled_load": "controlled load", "solar": "feed-in"}


def comparison_notes(
    found: Offers, wanted: Wanted, place: HomePlace, current: Mapping[str, Any] | None, read: Quality
) -> Iterator[Note]:
    """Yield notes, the most important first. current: today's row, None where the plan is not known."""
    yield from place.notes
    yield from _age(as_of(found.plans), wanted.home.today)
    for kind, code in _BARRED.items():
        if count := found.barred[kind]:
            yield Note(code, count=count)
    for what, count in sorted(found.left_out.items()):
        yield Note("plans_left_out", count=count, filter=what)
    if current is None:
        yield Note("current_plan_unknown")
    elif current["reason"]:
        yield Note("current_plan_incomplete", reason=current["reason"])
    if read.missing:
        yield Note("missing_reads_compared", share=_percent(read.missing / read.expected))


def unpriced_notes(unpriced: Iterable[tuple[Equipment, date]]) -> Iterator[Note]:
    """Yield why no saving is shown where today's plan prices controlled load or exports on some days only."""
    for name, day in unpriced:
        yield Note("current_plan_dated", component=_EQUIPMENT_PRICES[name], day=day)


def _age(dated: date | None, today: date) -> Iterator[Note]:
    if dated is not None and (today - dated).days > OLD_PRICES_DAYS:
        yield Note("prices_old", day=dated, age=(today - dated).days)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= _LEAST_SHOWN else "less than 0.1%"
