"""The next bill: metered days as they are, the rest drawn from the household's own past, tested on past bills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import structs

from toolkit.analytics.energy.bills import Bill, Period
from toolkit.analytics.energy.forecast.backtest import MIN_PERIODS, Origin, origins, range_around, track_record
from toolkit.analytics.energy.forecast.bounds import Bounds, bounds_of
from toolkit.analytics.energy.forecast.history import History, history_of
from toolkit.analytics.energy.forecast.outlook import Outlook, Pricing, days_of, look_ahead
from toolkit.analytics.energy.forecast.periods import (
    CALENDAR_MONTH,
    Cycle,
    cycle_of_invoices,
    cycle_of_payments,
    months_between,
)
from toolkit.analytics.energy.intervals.matrix import ReadsAge
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import CycleSource, Forecast, ForecastPeriod

__all__ = [
    "CALENDAR_MONTH",
    "Cycle",
    "History",
    "Pricing",
    "cycle_of_invoices",
    "cycle_of_payments",
    "forecast",
    "history_of",
    "months_between",
    "periods_to_forecast",
]

MIN_DAYS = 7
SHORT_HISTORY = 60


def forecast(
    history: History,
    period: Period,
    past: Sequence[Period],
    pricing: Pricing,
    *,
    today: date,
    source: CycleSource = "calendar month",
) -> Forecast:
    """Forecast the bill of `period`; service point and `due` are left to the caller.

    past: earlier billing periods, in order, to test against. source: what the billing cycle is known from. All amounts
    are None where fewer than seven days of the past can be drawn from, and where the reads end too long before `today`
    (`ReadsAge`).
    """
    through = history.metered_through
    answer = Forecast(
        service_point_id="",
        plan_id=pricing.rates.plan_id,
        period=ForecastPeriod(period.first, period.last, source),
        metered_through=through,
    )
    if through is None or int(history.metered.sum()) < MIN_DAYS:
        return _unknown(answer, Note("too_few_days_to_forecast", needed=MIN_DAYS))
    age = ReadsAge(through, today, period.days)
    if age.is_past_limit:
        return _unknown(answer, Note("too_old_to_forecast", last_read=age.last_read, age=age.days, today=age.today))
    known = history.row(through) + 1
    metered_share = sum(history.is_metered(day) for day in days_of(period)) / period.days
    tested = origins(history, past, metered_share, pricing)
    ahead = look_ahead(history, known, period, pricing)
    bounds = bounds_of(history, known, period, pricing)
    ends = _range(ahead, tested, bounds, age)
    notes = [
        *([Note("range_wider", last_read=age.last_read, age=age.days, today=age.today)] if age.is_old else []),
        *_notes(history, period, ahead, len(tested)),
    ]
    return structs.replace(
        answer,
        certain=aud(bounds.certain),
        p10=aud(ends[0]) if ends else None,
        p50=aud(ahead.middle.total_minor),
        p90=aud(ends[1]) if ends else None,
        components={name: aud(amount) for name, amount in ahead.middle.components_minor().items()},
        backtest=track_record(tested),
        notes=tuple(notes),
    )


def periods_to_forecast(cycle: Cycle, history: History, today: date) -> tuple[Period, list[Period]]:
    """Return the billing period that holds the first unmetered day, and the periods before it to test on."""
    through = history.metered_through
    period = cycle.period_with(today if through is None else through + timedelta(1))
    return period, cycle.past_periods(period, history.first)


def _unknown(answer: Forecast, reason: Note) -> Forecast:
    return structs.replace(answer, reason=reason, notes=(reason,))


def _range(ahead: Outlook, tested: Sequence[Origin], bounds: Bounds, age: ReadsAge) -> tuple[int, int] | None:
    """Return p10 and p90 in cents; None where too few past bills could be tested."""
    if len(tested) < MIN_PERIODS:
        return None
    middle = ahead.middle.total_minor
    low, high = range_around(ahead.at(0.5), ahead.spread, tested)
    low, high = (middle + round((end - middle) * age.spread_factor) for end in (low, high))
    return bounds.clip(low, middle, high)


def _notes(history: History, period: Period, ahead: Outlook, tested: int) -> list[Note]:
    notes = [Note("forecast_method"), *([Note("past_bills_recomputed")] if tested else [])]
    if tested < MIN_PERIODS:
        notes.append(Note("few_past_bills", tested=tested, needed=MIN_PERIODS))
    complete_days = int(history.complete.sum())
    if complete_days < SHORT_HISTORY:
        notes.append(Note("short_history", days=complete_days))
    notes += _gaps(history, period) + _price_season(period)
    return list(dict.fromkeys([*notes, *_plan_notes(ahead.middle)]))


def _gaps(history: History, period: Period) -> list[Note]:
    through = history.metered_through
    assert through is not None
    lacking = [day for day in days_of(period) if day <= through and not history.is_metered(day)]
    return [Note("incomplete_days", days=len(lacking), through=through)] if lacking else []


def _price_season(period: Period) -> list[Note]:
    """Retailers change prices on 1 July, in Victoria mostly on 1 August (and 1 January before 2021)."""
    changes = [date(period.last.year, month, 1) for month in (7, 8)]
    if any(period.first - timedelta(31) < day <= period.last for day in changes):
        return [Note("price_season")]
    return []


def _plan_notes(bill: Bill) -> list[Note]:
    """Return what the pricing assumed, without notes on the single days that were drawn."""
    of_days = ("month_demand", "substituted_reads", "missing_reads")
    return [note for note in bill.notes if note.code not in of_days]
