"""The next bill with its backtest, and the year ahead, of a home with solar and two years of half-hour reads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import toolkit
from tests.benchmarks.harness import Result, exactly, seconds, summary
from tests.truth.forecasts.homes import home
from tests.truth.forecasts.score import ZONE, frame, plans

NEXT_BILL_GOAL, TWELVE_MONTHS_GOAL = 0.5, 0.5


def results(repeats: int) -> Iterator[Result]:
    made = home("solar", 1)
    today = made.first + timedelta(made.days - 11)
    reads, (_, by_time_of_use, _) = frame(made), plans()

    def ahead(months: int) -> object:
        return toolkit.forecast(reads, by_time_of_use, today=today, zone=ZONE, months=months)

    ahead(12)
    next_bill = summary([seconds(lambda: ahead(0)) for _ in range(2 * repeats)])
    yield Result("the next bill, tested on 18 past ones", next_bill, exactly(NEXT_BILL_GOAL), "the goal", 1.0)
    both = summary([seconds(lambda: ahead(12)) for _ in range(2 * repeats)])
    what = "the next bill, and twelve months in 1,000 futures"
    yield Result(what, both, exactly(NEXT_BILL_GOAL + TWELVE_MONTHS_GOAL), "the goal", 1.0)
