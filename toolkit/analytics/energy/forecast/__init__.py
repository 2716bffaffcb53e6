"""The next bill: metered days as they are, the rest as the home's own past lets expect, tested on past bills."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
from msgspec import structs

from toolkit.analytics.energy.bills import Bill, Period
from toolkit.analytics.energy.forecast.backtest import (
    MIN_PERIODS,
    Origin,
    Spread,
    origins,
    past_forecasts,
    recent_errors,
    track_record,
    usual_share,
)
from toolkit.analytics.energy.forecast.bounds import bounds_of
from toolkit.analytics.energy.forecast.changes import LastingChange
from toolkit.analytics.energy.forecast.futures import Pricing, days_of
from toolkit.analytics.energy.forecast.history import History, history_of
from toolkit.analytics.energy.forecast.models import ModelErrors
from toolkit.analytics.energy.forecast.outlook import Outlook, Prospect, look_ahead, open_days, unit_prices, worth_of
from toolkit.analytics.energy.forecast.periods import (
    CALENDAR_MONTH,
    Cycle,
    cycle_of_invoices,
    cycle_of_payments,
    months_between,
)
from toolkit.analytics.energy.forecast.year import MONTHS, Arrears, YearQuestion, even_payments, look_a_year_ahead
from toolkit.analytics.energy.intervals.age import ReadsAge
from toolkit.analytics.energy.intervals.matrix import ROLES
from toolkit.analytics.energy.pricing.model import aud
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import BillAhead, Change, CycleSource, Forecast, ForecastPeriod, Method, MonthAhead

__all__ = [
    "CALENDAR_MONTH",
    "Arrears",
    "Cycle",
    "History",
    "Pricing",
    "YearQuestion",
    "cycle_of_invoices",
    "cycle_of_payments",
    "forecast",
    "history_of",
    "months_between",
    "periods_to_forecast",
]

MIN_DAYS = 7
SHORT_HISTORY = 60
"""Complete days; from fewer a forecast is rough, and a year of payments cannot be promised."""
LONG_GAP = 14
"""Days in a row without reads, which a forecast notes that it does without."""
SETTLED = 28
"""Days after a lasting change during which it may still prove to have been a passing one."""


def forecast(  # noqa: PLR0913 - what a forecast depends on
    history: History,
    period: Period,
    past: Sequence[Period],
    pricing: Pricing,
    *,
    today: date,
    source: CycleSource = "calendar month",
    year: YearQuestion | None = None,
) -> Forecast:
    """Forecast the bill of `period` and, where asked, a year; service point and `due` are left to the caller.

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
    prices = unit_prices(history, known, pricing)
    tested = origins(history, past, metered_share, pricing, prices)
    of_models = [origin.models for origin in tested if origin.models is not None]
    prospect = Prospect.of(history, known, open_days(history, known, period), of_models)
    tested = [_marked(origin, prospect) for origin in tested]
    recent = recent_errors(history, known, of_models, prices, prospect.change)
    usual = usual_share(history, known)
    spread = Spread.of(tested, recent, known - prospect.since if prospect.change else None, usual)
    ahead = look_ahead(prospect, period, pricing)
    bounds, middle = bounds_of(history, known, period, pricing), ahead.middle.total_minor
    p10, p90 = None, None
    if len(tested) >= MIN_PERIODS:
        low, high = spread.bounds(middle, worth_of(prospect.expected, prices) * age.spread_factor)
        passed = _if_change_passed(prospect, of_models, period, pricing)
        low, high = min(low, *passed, middle), max(high, *passed, middle)
        p10, p90 = (aud(end) for end in bounds.clip(low, middle, high))
    notes = [
        *([Note("range_wider", last_read=age.last_read, age=age.days, today=age.today)] if age.is_old else []),
        *_notes(history, period, prospect, ahead, len(tested)),
    ]
    answer = structs.replace(
        answer,
        certain=aud(bounds.certain),
        p10=p10,
        p50=aud(middle),
        p90=p90,
        components={name: aud(amount) for name, amount in ahead.middle.components_minor().items()},
        energy=_energy(ahead.middle),
        method=_main(prospect),
        weights={method: round(share, 4) for method, share in prospect.weights.items()},
        change=_named(history, prospect.change),
        backtest=track_record(tested, usual),
        past=tuple(past_forecasts(tested, usual)),
        notes=tuple(notes),
    )
    return answer if year is None else _with_year(answer, prospect, period, pricing, year, spread.share)


def _energy(bill: Bill) -> float:
    """Return the energy taken from the grid, in the bill's unit; a controlled load's daily charge is none."""
    energy = (line for line in bill.lines if line.component in ("usage", "controlled_load") and line.unit == bill.unit)
    return round(float(sum(line.quantity for line in energy)), 3)


def _with_year(
    answer: Forecast, prospect: Prospect, period: Period, pricing: Pricing, year: YearQuestion, spread: float
) -> Forecast:
    """Add the months and bills ahead, and the even payments that cover twelve of them."""
    assert answer.p50 is not None
    ahead = look_a_year_ahead(prospect, year.cycle, period, pricing, spread, year.months)
    next_bill = MonthAhead(period.first, period.last, answer.p10, answer.p50, answer.p90)
    months, bills = ahead.rows(next_bill, ranged=answer.p10 is not None)
    known_enough = int(prospect.history.complete.sum()) >= SHORT_HISTORY
    even = even_payments(ahead, year.arrears) if known_enough else None
    notes = [*answer.notes, *(_year_and_bills(ahead.months[MONTHS - 1].last, bills, even.year_p50) if even else [])]
    return structs.replace(answer, months=months[: year.months], bills=bills, even_payments=even, notes=tuple(notes))


def _year_and_bills(last: date, bills: Sequence[BillAhead], year: Decimal) -> Iterator[Note]:
    """Note why the best guess of twelve months is not the sum of those of the bills ahead. last: of the months."""
    together, until = sum((bill.p50 for bill in bills), Decimal(0)), bills[-1].to
    if until != last:
        yield Note("year_other_days", first=bills[0].from_, last=last, until=until, year=year, together=together)
    elif year != together:
        # The middle of a sum is not the sum of the middles: the errors of a bill are skewed.
        side, other = ("above", "below") if year > together else ("below", "above")
        yield Note("year_not_the_sum", year=year, together=together, side=side, other=other)


def periods_to_forecast(cycle: Cycle, history: History, today: date) -> tuple[Period, list[Period]]:
    """Return the billing period that holds the first unmetered day, and the periods before it to test on."""
    through = history.metered_through
    period = cycle.period_with(today if through is None else through + timedelta(1))
    return period, cycle.past_periods(period, history.first)


def _unknown(answer: Forecast, reason: Note) -> Forecast:
    return structs.replace(answer, reason=reason, notes=(reason,))


def _marked(origin: Origin, prospect: Prospect) -> Origin:
    """Return a past bill with whether its error shows what to expect: not where the use changed for good within it."""
    change, models = prospect.change, origin.models
    spoilt = change is not None and models is not None and models.known < change.row + 14 and models.last >= change.row
    return replace(origin, of_today=not spoilt)


def _if_change_passed(prospect: Prospect, past: Sequence[ModelErrors], period: Period, pricing: Pricing) -> list[int]:
    """Return the cents of the bill if a change that was only just named were over; none for one that lasts.

    Visitors, a cold fortnight and a heater that ran for a while look like a lasting change at first.
    """
    change = prospect.change
    if change is None or change.kind == "new solar" or prospect.known - change.row >= SETTLED:
        return []
    before = Prospect.of(prospect.history, change.row, prospect.targets, past)
    return [look_ahead(before, period, pricing).middle.total_minor]


_PAST: Mapping[Method, str] = {
    "season and level": "its use at this time of year, at the level of the last weeks",
    "run rate": "its use of the last four weeks",
    "same days last year": "the same days last year",
    "similar days": "the days around the same dates, in earlier years too",
    "bills": "its past bills",
}
"""What each method rests on, in words."""


def _main(prospect: Prospect) -> Method | None:
    return max(prospect.weights, key=lambda method: prospect.weights[method], default=None)


def _named(history: History, change: LastingChange | None) -> Change | None:
    if change is None:
        return None
    return Change(history.first + timedelta(change.row), change.ratio, change.kind)


def _notes(history: History, period: Period, prospect: Prospect, ahead: Outlook, tested: int) -> list[Note]:
    notes = [Note("forecast_method", past=_PAST[_main(prospect) or "bills"])]
    since = history.first + timedelta(prospect.since)
    if not any(history.use.energy[role][prospect.since :].any() for role in ROLES):
        notes.insert(0, Note("empty_meter", first=since, last=history.metered_through))
    elif prospect.change:
        notes.insert(0, Note(_CHANGES[prospect.change.kind], ratio=prospect.change.ratio, since=since))
    notes += [Note("past_bills_recomputed")] if tested else []
    if tested < MIN_PERIODS:
        notes.append(Note("few_past_bills", tested=tested, needed=MIN_PERIODS))
    complete_days = int(history.complete.sum())
    if complete_days < SHORT_HISTORY:
        notes.append(Note("short_history", days=complete_days, needed=SHORT_HISTORY))
    notes += _gaps(history, period) + _price_season(period)
    of_drawn_days = ("month_demand", "substituted_reads", "missing_reads", "missing_at_edge")
    plan_notes = [note for note in ahead.middle.notes if note.code not in of_drawn_days]
    return list(dict.fromkeys([*notes, *plan_notes]))


_CHANGES = {
    "more use": "use_rose",
    "less use": "use_fell",
    "new solar": "solar_began",
    "night use": "night_use_rose",
}


def _gaps(history: History, period: Period) -> list[Note]:
    through = history.metered_through
    assert through is not None
    lacking = [day for day in days_of(period) if day <= through and not history.is_metered(day)]
    notes = [Note("incomplete_days", days=len(lacking), through=through)] if lacking else []
    last_year = slice(max(history.row(through) - 364, 0), history.row(through) + 1)
    metered = np.flatnonzero(np.append(history.metered[last_year], True)) + last_year.start
    lengths = np.diff(metered) - 1
    if lengths.size and lengths.max() >= LONG_GAP:
        first = history.first + timedelta(int(metered[lengths.argmax()]) + 1)
        last = first + timedelta(int(lengths.max()) - 1)
        if first < period.first:
            notes.append(Note("long_gap", days=int(lengths.max()), first=first, last=last))
    return notes


def _price_season(period: Period) -> list[Note]:
    """Retailers change prices on 1 July, in Victoria mostly on 1 August (and 1 January before 2021)."""
    changes = [date(period.last.year, month, 1) for month in (7, 8)]
    if any(period.first - timedelta(31) < day <= period.last for day in changes):
        return [Note("price_season")]
    return []
