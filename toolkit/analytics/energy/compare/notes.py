"""Notes beside a comparison: how old its prices are, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from toolkit.analytics.energy.compare.ranking import as_of
from toolkit.analytics.energy.intervals.quality import Quality
from toolkit.analytics.energy.plans.offered import Barrier
from toolkit.analytics.energy.plans.offers import Offers
from toolkit.analytics.energy.plans.terms import Equipment
from toolkit.answers.notes import Note
from toolkit.answers.plans import CurrentPlan

OLD_PRICES_DAYS = 60
"""Beyond it a comparison warns: most plans change once or twice a year."""

_LEAST_SHOWN = 0.001
_BARRED: dict[Barrier, str] = {
    "expired": "plans_expired",
    "not_here": "plans_not_here",
    "other_networks": "plans_other_networks",
}
_EQUIPMENT_PRICES: dict[Equipment, str] = {"controlled_load": "controlled load", "solar": "feed-in"}


def comparison_notes(found: Offers, today: date, current: CurrentPlan | None, quality: Quality) -> Iterator[Note]:
    """Yield notes, the most important first. current: today's plan, None where it is not known."""
    yield from _age(as_of(found.plans), today)
    for kind, code in _BARRED.items():
        if count := found.barred[kind]:
            yield Note(code, count=count)
    for what, count in sorted(found.left_out.items()):
        yield Note("plans_left_out", count=count, filter=what)
    if current is None:
        yield Note("current_plan_unknown")
    elif current.reason:
        yield Note("current_plan_incomplete", reason=current.reason)
    if quality.missing:
        yield Note("missing_reads_compared", share=_percent(quality.missing / quality.expected))


def unpriced_notes(unpriced: Iterable[tuple[Equipment, date]]) -> Iterator[Note]:
    """Yield why no saving is shown where today's plan prices controlled load or exports on some days only."""
    for name, day in unpriced:
        yield Note("current_plan_dated", component=_EQUIPMENT_PRICES[name], day=day)


def _age(dated: date | None, today: date) -> Iterator[Note]:
    if dated is not None and (today - dated).days > OLD_PRICES_DAYS:
        yield Note("prices_old", day=dated, age=(today - dated).days)


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= _LEAST_SHOWN else "less than 0.1%"
