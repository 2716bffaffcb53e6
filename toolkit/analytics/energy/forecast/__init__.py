"""The next bill: metered days as they are, the rest drawn from the household's own past, tested on past bills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from toolkit.analytics.energy.bills import Bill, Period, price_grids
from toolkit.analytics.energy.bills.concessions import with_concessions
from toolkit.analytics.energy.forecast.backtest import MIN_PERIODS, origins, range_around, track_record
from toolkit.analytics.energy.forecast.history import History, history_of
from toolkit.analytics.energy.forecast.outlook import Outlook, Pricing, days_of, look_ahead, year_energy
from toolkit.analytics.energy.forecast.periods import month_of, months_between, next_period, past_periods
from toolkit.tables.words import counted

__all__ = ["History", "Pricing", "forecast", "history_of", "month_of", "months_between", "next_period", "past_periods"]

MIN_DAYS = 7
SHORT_HISTORY = 60

METHOD = (
    "Days not metered yet are drawn from the home's own past: days of these weeks, and of the same weeks in earlier "
    "years at today's level of use; weekdays for weekdays."
)
RECOMPUTED = "Past bills are recomputed from the reads at this plan's prices; they are not what was invoiced."


def forecast(history: History, period: Period, past: Sequence[Period], pricing: Pricing) -> dict[str, Any]:
    """The bill of `period`, as contract section 6 gives it (without service point and the period's source).

    past: earlier billing periods, in order, to test against. Amounts in AUD with GST. `certain` is the bill of the days
    metered so far. p10 to p90 holds eight bills in ten by the past's measure; null below nine past periods. p50 is null
    where fewer than seven days of the past can be drawn from.
    """
    through = history.metered_through
    answer: dict[str, Any] = {"period": {"from": period.first, "to": period.last}, "metered_through": through}
    if through is None or int(history.metered.sum()) < MIN_DAYS:
        return {**answer, **_unknown()}
    known = history.row(through) + 1
    tested = origins(history, past, _metered_share(history, period), pricing)
    ahead = look_ahead(history, known, period, pricing)
    low, high = range_around(ahead.at(0.5), ahead.spread, tested) if len(tested) >= MIN_PERIODS else (None, None)
    return {
        **answer,
        "certain": _aud(_certain(history, period, through, pricing)),
        "p10": _aud(low),
        "p50": _aud(ahead.middle.total_minor),
        "p90": _aud(high),
        "components": {name: _aud(amount) for name, amount in ahead.middle.components_minor().items()},
        "backtest": track_record(tested),
        "notes": _notes(history, period, ahead, len(tested)),
    }


def _unknown() -> dict[str, Any]:
    note = f"Fewer than {MIN_DAYS} days are metered: too few to tell the next bill."
    amounts = dict.fromkeys(("certain", "p10", "p50", "p90"))
    return {**amounts, "components": {}, "backtest": track_record([]), "notes": [note]}


def _metered_share(history: History, period: Period) -> float:
    return sum(history.is_metered(day) for day in days_of(period)) / period.days


def _certain(history: History, period: Period, through: date, pricing: Pricing) -> int:
    """Cents of the bill up to the last metered day; nothing where that lies before the period."""
    if through < period.first:
        return 0
    so_far = Period(period.first, min(through, period.last))
    grids = {clock: grid.framed(so_far.first, so_far.last, history.holidays) for clock, grid in history.grids.items()}
    yearly = year_energy(history, pricing.rates, period)
    bill = price_grids(grids, pricing.rates, [so_far], options=pricing.options, yearly=yearly)
    return with_concessions(bill, pricing.concessions).total_minor


def _aud(minor: int | None) -> Decimal | None:
    return None if minor is None else Decimal(minor).scaleb(-2)


def _notes(history: History, period: Period, ahead: Outlook, tested: int) -> list[str]:
    said = [METHOD, RECOMPUTED] if tested else [METHOD]
    if tested < MIN_PERIODS:
        said.append(f"Only {counted(tested, 'past bill')} could be tested; a range (p10 to p90) needs {MIN_PERIODS}.")
    if int(history.complete.sum()) < SHORT_HISTORY:
        known = counted(int(history.complete.sum()), "complete day is", "complete days are")
        said.append(f"Only {known} known: the forecast is rough.")
    said += _gaps(history, period) + _price_season(period)
    return list(dict.fromkeys([*said, *_plan_notes(ahead.middle)]))


def _gaps(history: History, period: Period) -> list[str]:
    through = history.metered_through
    assert through is not None
    lacking = [day for day in days_of(period) if day <= through and not history.is_metered(day)]
    if not lacking:
        return []
    days = counted(len(lacking), "day")
    return [f"{days} up to {through} without whole reads: drawn as the coming days are."]


def _price_season(period: Period) -> list[str]:
    """Retailers change prices on 1 July, in Victoria mostly on 1 August (and 1 January before 2021)."""
    changes = [date(period.last.year, month, 1) for month in (7, 8)]
    if any(period.first - timedelta(31) < day <= period.last for day in changes):
        return ["Plans often change prices on 1 July or 1 August: the forecast uses today's prices throughout."]
    return []


def _plan_notes(bill: Bill) -> list[str]:
    """What the pricing assumed, but for what it says of single drawn days."""
    of_days = (" kW in ", "substituted", "missing")
    return [note for note in bill.notes if not any(words in note for words in of_days)]
