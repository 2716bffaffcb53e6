"""The next bill of homes whose future follows a rule. Expected amounts by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.many_cases import examples
from toolkit.analytics.energy.bills import Options, Period, prepare
from toolkit.analytics.energy.forecast import Pricing, forecast, history_of, months_between
from toolkit.analytics.energy.rates import Rates
from toolkit.answers.base import Note
from toolkit.answers.energy.forecast import Forecast

Reads = Callable[..., pl.DataFrame]
Plan = Callable[..., Rates]

START = date(2024, 1, 1)
TODAY = date(2025, 6, 10)
JUNE = Period(date(2025, 6, 1), date(2025, 6, 30))
DAYS = (TODAY - START).days + 1


def next_bill(reads: pl.DataFrame, rates: Rates, *, seed: int = 0, today: date = TODAY) -> Forecast:
    history = history_of(prepare(reads, zone="Australia/Brisbane", unit=rates.unit), rates, today)
    past = months_between(history.first, JUNE.first - timedelta(1))
    return forecast(history, JUNE, past, Pricing(rates, Options(), seed=seed), today=today)


def test_constant_load_on_a_flat_plan_is_exact(reads_of: Reads, flat: Plan) -> None:
    answer = next_bill(reads_of(START, DAYS, lambda _: 24.0), flat("0.30", "1.00"))
    # 30 days × 24 kWh × 0.30 × 1.1 = 237.60, supply 30 × 1.00 × 1.1 = 33.00
    assert answer.p50 == Decimal("270.60")
    assert (answer.p10, answer.p90) == (Decimal("270.60"), Decimal("270.60"))
    assert answer.components == {"supply": Decimal("33.00"), "usage": Decimal("237.60")}
    assert answer.certain == Decimal("112.20")  # 10 days of 7.92, and 30 of 1.10
    assert answer.metered_through == TODAY
    assert answer.backtest.mae == Decimal("0.00")
    assert answer.backtest.coverage == 1.0
    assert answer.backtest.origins == 15  # March 2024 to May 2025: 60 days before each


def test_weekends_stand_for_weekends(reads_of: Reads, flat: Plan) -> None:
    answer = next_bill(reads_of(START, DAYS, lambda day: 48.0 if day.weekday() >= 5 else 24.0), flat("0.30", "0"))
    # June 2025 has 9 weekend days and 21 weekdays: (9 × 48 + 21 × 24) × 0.33
    assert answer.p50 == Decimal("308.88")
    assert answer.backtest.mae == Decimal("0.00")


def test_last_year_is_taken_at_todays_level(reads_of: Reads, flat: Plan) -> None:
    answer = next_bill(reads_of(START, DAYS, lambda day: 24.0 if day.year == 2024 else 36.0), flat("0.30", "0"))
    assert float(answer.p50) == pytest.approx(356.40, abs=0.10)  # 30 × 36 × 0.33
    assert answer.change.date == date(2025, 1, 1)


def test_season_comes_from_last_year(reads_of: Reads, flat: Plan) -> None:
    """Winter is not in the last weeks, but last year knew it: the July bill from a forecast in early May."""
    reads = reads_of(
        START, DAYS, lambda day: 20.0 - 10.0 * math.cos(2 * math.pi * (day - date(2024, 1, 15)).days / 365)
    )
    rates = flat("0.30", "0")
    history = history_of(prepare(reads, zone="Australia/Brisbane"), rates, date(2025, 5, 5))
    july = Period(date(2025, 7, 1), date(2025, 7, 31))
    answer = forecast(history, july, [], Pricing(rates, Options()), today=date(2025, 5, 5))
    assert answer.certain == Decimal("0.00")
    assert answer.change is None
    # July is near 30 kWh a day, the weeks before 5 May are near 21
    assert Decimal(31 * 26) * Decimal("0.33") < answer.p50 < Decimal(31 * 32) * Decimal("0.33")


def test_demand_keeps_the_days_peak(reads_of: Reads, flat: Plan) -> None:
    """The average of many days would lose the peak; drawn days keep it."""
    shape = np.zeros(48)
    shape[36] = 1.0  # all of it between 18:00 and 18:30: 2 kWh are 4 kW
    demand = {
        "tariff_period": [
            {
                "single_rate": {"rates": [{"unit_price": "0.00"}]},
                "demand_charges": [
                    {
                        "amount": "0.20",
                        "start_time": "15:00",
                        "end_time": "21:00",
                        "days": ["MON", "TUE", "WED", "THU", "FRI"],
                    }
                ],
            }
        ]
    }
    answer = next_bill(reads_of(START, DAYS, lambda _: 2.0, shape=shape), flat(**demand))
    assert answer.components["demand"] == Decimal("26.40")  # 4 kW × 30 days × 0.20 × 1.1


def test_export_is_a_credit(reads_of: Reads, flat: Plan) -> None:
    feed_in = [{"display_name": "Solar", "scheme": "OTHER", "payer_type": "RETAILER", "tariff_u_type": "singleTariff",
                "single_tariff": {"rates": [{"unit_price": "0.05"}]}}]  # fmt: skip
    reads = pl.concat([reads_of(START, DAYS, lambda _: 24.0), reads_of(START, DAYS, lambda _: 12.0, export=True)])
    answer = next_bill(reads, flat("0.30", "0", solar_feed_in_tariff=feed_in))
    assert answer.components["feed_in"] == Decimal("-18.00")  # 30 × 12 × 0.05, no GST
    assert answer.p50 == sum(answer.components.values())


def test_below_nine_past_bills_there_is_no_range(reads_of: Reads, flat: Plan) -> None:
    start = date(2025, 1, 1)
    answer = next_bill(reads_of(start, (TODAY - start).days + 1, lambda _: 24.0), flat())
    assert (answer.p10, answer.p90) == (None, None)
    assert answer.p50 is not None
    assert answer.backtest.origins == 3  # March, April, May have 60 days before them
    assert answer.backtest.coverage is None
    assert Note("few_past_bills", tested=3, needed=9) in answer.notes


def test_a_few_days_are_too_few(reads_of: Reads, flat: Plan) -> None:
    answer = next_bill(reads_of(date(2025, 6, 7), 4, lambda _: 24.0), flat())
    assert (answer.p50, answer.certain, answer.components) == (None, None, {})
    assert answer.note_codes == ("too_few_days_to_forecast",)
    assert answer.reason == answer.notes[0]


def test_days_without_reads_are_drawn_and_said(reads_of: Reads, flat: Plan) -> None:
    reads = reads_of(START, DAYS, lambda _: 24.0).filter(~pl.col("date").is_in([date(2025, 6, 3), date(2025, 6, 4)]))
    answer = next_bill(reads, flat("0.30", "1.00"))
    assert answer.p50 == Decimal("270.60")
    assert Note("incomplete_days", days=2, through=answer.metered_through) in answer.notes


def test_reads_after_today_are_not_looked_at(reads_of: Reads, flat: Plan) -> None:
    reads = reads_of(START, DAYS + 20, lambda day: 24.0 if day <= TODAY else 240.0)
    assert next_bill(reads, flat()).p50 == Decimal("270.60")


def test_gas_from_a_dial(flat: Plan) -> None:
    from toolkit.analytics.energy.intervals.prepare import spread

    months = months_between(date(2024, 1, 1), date(2025, 5, 31))
    dial = pl.DataFrame(
        [
            {
                "service_point_id": "heat",
                "meter_id": "M",
                "register_suffix": "1",
                "unit": "MJ",
                "direction": "import",
                "controlled_load": False,
                "start_date": month.first,
                "end_date": month.last,
                "value_nano": month.days * 100 * 10**9,
                "quality": "ACTUAL",
            }
            for month in months
        ]
    )
    answer = next_bill(spread(dial), flat("0.03", "0.50", fuel="gas"))
    assert answer.p50 == Decimal("115.50")  # 30 × (100 MJ × 0.03 + 0.50) × 1.1
    assert answer.metered_through == date(2025, 5, 31)
    assert answer.certain == Decimal("16.50")  # supply of the whole month: 30 × 0.50 × 1.1


def test_the_same_seed_gives_the_same_answer(reads_of: Reads, flat: Plan) -> None:
    chance = np.random.default_rng(3)
    levels = {START + timedelta(n): float(chance.uniform(10, 40)) for n in range(DAYS)}
    reads = reads_of(START, DAYS, levels.__getitem__)
    first, again, other = (next_bill(reads, flat(), seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.p50 != other.p50
    assert first.backtest.skill is not None
    assert first.p10 < first.p50 < first.p90


@settings(max_examples=examples(8))
@given(seed=st.integers(0, 1000), swing=st.floats(0, 20))
def test_laws_of_the_answer(reads_of: Reads, flat: Plan, seed: int, swing: float) -> None:
    chance = np.random.default_rng(seed)
    levels = {START + timedelta(n): 25 + float(chance.uniform(-swing, swing)) for n in range(DAYS)}
    answer = next_bill(reads_of(START, DAYS, levels.__getitem__), flat(), seed=seed)
    assert answer.p10 <= answer.p50 <= answer.p90
    assert answer.certain <= answer.p50
    assert sum(answer.components.values()) == answer.p50
    # no future can leave the range of the days it is drawn from, whose level changes by at most the swing
    assert Decimal("33") + Decimal(30 * 5) * Decimal("0.33") < answer.p50
    assert 0 <= answer.backtest.coverage <= 1


@pytest.mark.parametrize(("days", "expected"), [(0, Decimal("270.60")), (45, Decimal("270.60")), (46, None)])
def test_a_meter_file_older_than_45_days_gives_no_monthly_bill(
    reads_of: Reads, flat: Plan, days: int, expected: Decimal | None
) -> None:
    last = JUNE.first - timedelta(1)
    reads = reads_of(START, (last - START).days + 1, lambda _: 24.0)
    answer = next_bill(reads, flat("0.30", "1.00"), today=last + timedelta(days))
    assert (answer.p50, answer.metered_through) == (expected, last)
    if expected is None:
        assert (answer.certain, answer.p10, answer.p90) == (None, None, None)
        assert answer.components == {}
        assert answer.notes[0] == Note("too_old_to_forecast", last_read=last, age=46, today=date(2025, 7, 16))


def test_a_new_meter_and_a_month_without_reads_change_nothing_of_a_steady_home(reads_of: Reads, flat: Plan) -> None:
    reads = reads_of(START, DAYS, lambda _: 24.0)
    since = pl.col("date") >= date(2025, 2, 10)
    renewed = reads.with_columns(meter_id=pl.when(since).then(pl.lit("NEW")).otherwise("meter_id"))
    gap = pl.col("date").is_between(date(2025, 4, 1), date(2025, 4, 30))
    for changed in (renewed, reads.filter(~gap)):
        answer = next_bill(changed, flat("0.30", "1.00"))
        assert (answer.p50, answer.change) == (Decimal("270.60"), None)
    missing = Note("long_gap", days=30, first=date(2025, 4, 1), last=date(2025, 4, 30))
    assert missing in answer.notes


def test_two_weeks_give_a_rough_figure_without_a_range(reads_of: Reads, flat: Plan) -> None:
    answer = next_bill(reads_of(date(2025, 5, 28), 14, lambda _: 24.0), flat("0.30", "1.00"))
    assert (answer.p10, answer.p50, answer.p90) == (None, Decimal("270.60"), None)
    assert {"short_history", "few_past_bills"} <= set(answer.note_codes)


def test_use_that_tripled_is_named_and_carries_the_forecast(reads_of: Reads, flat: Plan) -> None:
    """On measured homes such a home was once told $65 where $245 came."""
    chance, since = np.random.default_rng(4), date(2025, 5, 12)
    levels = {START + timedelta(n): float(chance.uniform(7, 9)) for n in range(DAYS)}
    reads = reads_of(START, DAYS, lambda day: levels[day] * (3 if day >= since else 1))
    answer = next_bill(reads, flat("0.30", "0"))
    assert answer.change is not None
    assert abs((answer.change.date - since).days) <= 1
    assert answer.change.kind == "more use"
    assert 2.5 < answer.change.ratio < 3.5
    assert float(answer.p50) == pytest.approx(30 * 24 * 0.33, rel=0.08)


def test_use_that_moved_to_other_hours_is_named_by_what_became_of_all_of_it(reads_of: Reads, flat: Plan) -> None:
    """Five parts of the day rise from 0.5 to 1.2 kWh and the evening falls from 10 to 5: 12.5 a day become 11."""
    chance, since = np.random.default_rng(5), date(2025, 4, 21)
    evening = (np.arange(48) >= 32) & (np.arange(48) < 40)
    before, after = np.where(evening, 10 / 8, 2.5 / 40), np.where(evening, 5 / 8, 6 / 40)
    noise = chance.uniform(0.9, 1.1, DAYS)
    days = (since - START).days
    reads = pl.concat(
        [
            reads_of(START, days, lambda day: 12.5 * noise[(day - START).days], shape=before / 12.5),
            reads_of(since, DAYS - days, lambda day: 11 * noise[(day - START).days], shape=after / 11),
        ]
    )
    answer = next_bill(reads, flat("0.30", "0"))
    assert answer.change is not None
    assert answer.change.kind == "less use"
    assert answer.change.ratio == pytest.approx(11 / 12.5, abs=0.04)


def test_heating_that_ended_is_not_taken_for_an_empty_home(reads_of: Reads, flat: Plan) -> None:
    """A day had 3 kWh at all hours and 30 in the evening until 20 April, then 3 and 5: June is 30 × 8 × 0.33."""
    chance, first = np.random.default_rng(6), date(2025, 1, 1)
    heated, days = (date(2025, 4, 21) - first).days, (date(2025, 6, 1) - first).days
    evening = (np.arange(48) >= 34) & (np.arange(48) < 44)
    noise = chance.uniform(0.9, 1.1, days)

    def of_level(level: float, start: date, count: int) -> pl.DataFrame:
        shape = 3 / 48 + np.where(evening, level / 10, 0)
        return reads_of(start, count, lambda day: (3 + level) * noise[(day - first).days], shape=shape / (3 + level))

    reads = pl.concat([of_level(30, first, heated), of_level(5, first + timedelta(heated), days - heated)])
    answer = next_bill(reads, flat("0.30", "0"), today=date(2025, 5, 31))
    assert float(answer.p50) == pytest.approx(30 * 8 * 0.33, rel=0.25)
