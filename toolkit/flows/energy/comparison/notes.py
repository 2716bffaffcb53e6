"""What is said beside a comparison: where it holds, how old its prices are, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from toolkit.analytics.energy.intervals.quality import Quality
from toolkit.analytics.energy.plans.offered import Barrier
from toolkit.analytics.energy.plans.terms import Equipment
from toolkit.flows.energy.comparison.rows import as_of
from toolkit.flows.household.place import HomePlace
from toolkit.flows.plans.offers import Offers, Wanted
from toolkit.flows.wording import counted

OLD_PRICES_DAYS = 60
"""Beyond it a comparison warns: most plans change once or twice a year."""

_LEAST_SHOWN = 0.001
_BARRED: dict[Barrier, str] = {
    "expired": "not included, as they have ended",
    "not_here": "not included, as this home cannot have them (postcode, kind of customer, solar or controlled load)",
    "other_networks": "not included, as they are for other networks",
}


_EQUIPMENT_PRICES: dict[Equipment, str] = {"controlled_load": "controlled load", "solar": "feed-in"}


def comparison_notes(
    found: Offers, wanted: Wanted, place: HomePlace, current: Mapping[str, Any] | None, read: Quality
) -> Iterator[str]:
    """Sentences, the most important first. current: today's row, null where the plan is not known."""
    yield from place.notes
    yield from _age(as_of(found.plans), wanted.home.today)
    for kind, words in _BARRED.items():
        if count := found.barred[kind]:
            yield f"{counted(count, 'plan')} {words}."
    for what, count in sorted(found.left_out.items()):
        yield f"{counted(count, 'plan')} not included by {what}."
    if current is None:
        yield "Today's plan is not known, so savings are not: `toolkit household set --plan ID`."
    elif current["reason"]:
        yield f"Today's plan cannot be priced whole, so savings are not known: {current['reason']}."
    if read.missing:
        yield f"Reads are missing for {_percent(read.missing / read.expected)} of the time; that energy is in no total."


def unpriced_notes(unpriced: Iterable[tuple[Equipment, date]]) -> Iterator[str]:
    """Say why no saving is shown where today's plan prices controlled load or exports on some days only."""
    for name, day in unpriced:
        yield (
            f"Today's plan, as stored, has no {_EQUIPMENT_PRICES[name]} price on {day}, so no saving is shown. "
            "Compare the days that it covers with --from and --to, or store the plan's current version."
        )


def _age(dated: date | None, today: date) -> Iterator[str]:
    if dated is not None and (today - dated).days > OLD_PRICES_DAYS:
        yield (
            f"These prices are of {dated} or earlier, {(today - dated).days} days ago. Get newer ones with "
            "`toolkit plans fetch`."
        )


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= _LEAST_SHOWN else "less than 0.1%"
