"""Ranges of the months ahead, and what absences and changes that pass do to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from tests.truth.homes import midnight_us
from tests.truth.homes import reads as energy_reads
from tests.truth.roofs import generated
from toolkit.analytics.energy.bills import Options, prepare
from toolkit.analytics.energy.forecast import (
    CALENDAR_MONTH,
    Pricing,
    YearQuestion,
    forecast,
    history_of,
    periods_to_forecast,
)
from toolkit.analytics.energy.rates import Rates
from toolkit.answers.energy.forecast import Forecast

Reads = Callable[..., pl.DataFrame]
Plan = Callable[..., Rates]

FIRST = date(2024, 1, 1)
DAYS = [FIRST + timedelta(n) for n in range(517)]  # to 31 May 2025
FEED_IN = {
    "scheme": "OTHER",
    "payer_type": "RETAILER",
    "tariff_u_type": "singleTariff",
    "single_tariff": {"rates": [{"unit_price": "0.10"}]},
}


def year_of(reads: pl.DataFrame, rates: Rates) -> Forecast:
    """Forecast June 2025 and the months after it."""
    history = history_of(prepare(reads, zone="Australia/Brisbane"), rates, DAYS[-1])
    period, past = periods_to_forecast(CALENDAR_MONTH, history, DAYS[-1])
    return forecast(history, period, past, Pricing(rates, Options()), today=DAYS[-1], year=YearQuestion(CALENDAR_MONTH))


def shaped(reads_of: Reads, kwh: Mapping[date, float], *, export: bool = False) -> pl.DataFrame:
    """Return reads that are four fifths in the evening, so that a day shows whether somebody is home."""
    shape = np.where(np.arange(48) >= 36, 4.0, 1 / 3) / 60
    return reads_of(FIRST, len(DAYS), kwh.__getitem__, shape=shape, export=export)


def test_the_months_of_a_home_that_exports_have_ranges_like_its_next_bill(reads_of: Reads, flat: Plan) -> None:
    """What is bought more is sold less: the two errors add up, in July as in June."""
    chance = np.random.default_rng(3)
    sun = dict(zip(DAYS, np.repeat(chance.uniform(-4, 4, 18), 30).tolist(), strict=False))
    bought, sold = {day: 10 - sun[day] for day in DAYS}, {day: 24 + 3 * sun[day] for day in DAYS}
    reads = pl.concat([shaped(reads_of, bought), shaped(reads_of, sold, export=True)])
    answer = year_of(reads, flat("0.30", "1.00", solar_feed_in_tariff=[FEED_IN]))
    widths = [month.p90 - month.p10 for month in answer.months if month.p10 is not None and month.p90 is not None]
    assert len(widths) == 12
    assert widths[0] > 20
    assert all(0.6 < width / widths[0] < 2.0 for width in widths)


def test_a_year_has_the_usual_absences(reads_of: Reads, flat: Plan) -> None:
    """Eight days of every fifty are at 3 kWh instead of 24: a day of the year has 24 × 42 / 50 + 3 × 8 / 50 = 20.64."""
    use = {day: 3.0 if (day - FIRST).days % 50 in range(20, 28) else 24.0 for day in DAYS}
    even = dict.fromkeys(DAYS, 3.0)
    away = shaped(reads_of, {day: use[day] - 3 for day in DAYS}), reads_of(FIRST, len(DAYS), even.__getitem__)
    reads = pl.concat(away).group_by(pl.exclude("energy_nano"), maintain_order=True).agg(pl.col("energy_nano").sum())
    answer = year_of(reads, flat("0.30", "0"))
    assert answer.even_payments is not None
    assert float(answer.even_payments.year_p50) == pytest.approx(365 * 20.64 * 0.33, rel=0.04)


def test_the_year_of_new_panels_has_a_summer(reads_of: Reads, flat: Plan) -> None:
    """Panels of 3 kW since 1 April export all day; the home buys 10 kWh each night. pvlib makes the year that comes."""
    began = (date(2025, 4, 1) - FIRST).days
    made = 3 * generated(midnight_us(FIRST), len(DAYS) + 365).reshape(-1, 48)
    made[:began] = 0
    sold = made.sum(axis=1)
    bought = reads_of(FIRST, len(DAYS), lambda _: 10.0, shape=np.where(np.arange(48) >= 40, 0.125, 0.0))
    reads = pl.concat([bought, energy_reads(FIRST, made[: len(DAYS)].ravel(), export=True)])
    answer = year_of(reads, flat("0.30", "1.00", solar_feed_in_tariff=[FEED_IN]))
    assert answer.change is not None
    assert answer.change.kind == "new solar"
    assert answer.even_payments is not None
    feed_in = 365 * (1.10 + 10 * 0.33) - float(answer.even_payments.year_p50)
    assert feed_in == pytest.approx(0.10 * sold[len(DAYS) :].sum(), rel=0.15)
    assert feed_in > 1.05 * 0.10 * 365 * sold[began : len(DAYS)].mean()


@pytest.mark.parametrize(("days", "may_pass"), [(18, True), (60, False)])
def test_a_change_of_the_last_weeks_may_have_been_a_passing_one(
    reads_of: Reads, flat: Plan, days: int, may_pass: bool
) -> None:
    """June at 8 kWh a day is 79.20, at 24 it is 237.60."""
    chance, since = np.random.default_rng(4), DAYS[-days]
    use = {day: float(chance.uniform(7, 9)) * (3 if day >= since else 1) for day in DAYS}
    answer = year_of(reads_of(FIRST, len(DAYS), use.__getitem__), flat("0.30", "0"))
    assert answer.change is not None
    assert answer.p10 is not None
    assert answer.p90 is not None
    assert answer.p10 < answer.p50 < answer.p90
    assert float(answer.p50) == pytest.approx(237.60, rel=0.08)
    assert (answer.p10 < 90) is may_pass


def test_no_range_of_a_past_bill_lies_below_what_was_certain_then(reads_of: Reads, flat: Plan) -> None:
    """Use that jumps about by months makes wide ranges; without export no bill is below its daily charges."""
    chance = np.random.default_rng(8)
    level = {(day.year, day.month): float(chance.choice([1.0, 30.0])) for day in DAYS}
    answer = year_of(reads_of(FIRST, len(DAYS), lambda day: level[day.year, day.month]), flat("0.30", "1.00"))
    assert len(answer.past) >= 9
    for past in answer.past:
        assert past.p10 is not None
        assert float(past.p10) >= round(1.10 * ((past.to - past.from_).days + 1), 2) - 0.001


@pytest.mark.parametrize(("days", "known"), [(59, False), (60, True)])
def test_a_year_of_payments_needs_two_months_of_reads(reads_of: Reads, flat: Plan, days: int, known: bool) -> None:
    first = DAYS[-1] - timedelta(days - 1)
    answer = year_of(reads_of(first, days, lambda _: 24.0), flat("0.30", "1.00"))
    assert len(answer.months) == 12
    assert (answer.even_payments is not None) is known
    assert ("short_history" in answer.note_codes) is not known
