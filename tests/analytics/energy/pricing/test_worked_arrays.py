"""Lines, notes and tables of the pricing engine worked out by hand, where totals of many plans would not show a fault.

Prices are before GST: $0.10 for each kWh is 11 cents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

from tests.analytics.energy.bills.built import Row, bill, codes, contract, flat, meter_days, reads_frame
from toolkit.analytics.energy.bills import Options, Period, prepare
from toolkit.analytics.energy.intervals.matrix import IntervalMatrix
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.engine import Priced, home_of, price_home
from toolkit.analytics.energy.pricing.market import Home
from toolkit.analytics.energy.pricing.model import (
    COMPONENTS,
    Line,
    Price,
    Quantity,
    billing_periods,
    cents,
    last_month_within,
)
from toolkit.analytics.energy.pricing.rows import half_away, nano, rounded, tables_of, units, with_gst
from toolkit.analytics.energy.pricing.tables import NO_LIMIT
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.analytics.energy.rates.model import DAY as DAY_LONG
from toolkit.analytics.energy.rates.model import BandRate, Bands, Block, Duration
from toolkit.tables.rows.plans import read_plan

DAY = (date(2024, 7, 1), date(2024, 7, 1))
JULY, AUGUST = (date(2024, 7, 1), date(2024, 7, 31)), (date(2024, 8, 1), date(2024, 8, 31))
FINE = "0.10000000001"
"""AUD: finer than the arrays hold."""


def compiled(given: dict[str, object], name: str = "P") -> Rates:
    return compile_plan(read_plan({"plan_id": name, "electricity_contract": given}), "ELECTRICITY")


def priced(
    given: dict[str, object], rows: Iterable[Row], *periods: tuple[date, date], options: Options | None = None
) -> Priced:
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    return price_market(Market.of([compiled(given)]), usage, [Period(*each) for each in periods], options)


def blocks(*steps: tuple[str, str | None], period: str = "P1D") -> dict[str, object]:
    return {"rates": [{"unit_price": p, **({"volume": w} if w else {})} for p, w in steps], "period": period}


def in_blocks(*steps: tuple[str, str | None], period: str = "P1D", **more: object) -> dict[str, object]:
    return contract(tariff_period=[{"single_rate": blocks(*steps, period=period)}], **more)


def lines(of: Sequence[Line]) -> list[tuple[int | None, Fraction, int]]:
    return [(line.block, line.quantity, line.amount_minor) for line in of]


def once_a_day(*kwh: str, first: date = DAY[0], role: str = "general") -> list[Row]:
    """Days of half hours with all energy in the first."""
    days = [
        meter_days(first + timedelta(n), 1, lambda at, each=each: each if at.hour + at.minute == 0 else "0", role=role)
        for n, each in enumerate(kwh)
    ]
    return [row for day in days for row in day]


# ---- figures that arrays hold


def test_the_finest_and_the_largest_price_that_arrays_hold():
    assert [units(Decimal(text)) for text in ("0.1", "0", "9999.9999999999")] == [10**9, 0, 99_999_999_999_999]
    assert [units(Decimal(text)) for text in ("0.00000000001", "10000", "20000")] == [None, None, None]
    assert [nano(Decimal(text)) for text in ("11", "99999.999999999")] == [11 * 10**9, 99_999_999_999_999]
    assert [nano(Decimal(text)) for text in ("0.0000000001", "100000", "200000")] == [None, None, None]
    assert [with_gst(each) for each in (10, 0, None)] == [110, 0, 0]


def test_products_beyond_64_bits_are_rounded_exactly():
    """9 × 10^15 × 500 ÷ 10^18 is 4.5; twice the product, and the divisor, would not fit."""
    assert rounded(np.array([[9 * 10**15]]), np.array([500]), 10**18).tolist() == [[5]]


def test_halves_round_away_from_zero():
    assert [half_away(each, 2) for each in (-3, -1, 0, 1, 3)] == [-2, -1, 0, 1, 2]
    assert [half_away(Fraction(each), 1) for each in ("0.5", "-0.5", "0.4", "-0.4")] == [1, -1, 0, 0]
    assert [cents(Fraction(each)) for each in ("0.005", "-0.005", "0.0049", "0")] == [1, -1, 0, 0]


@pytest.mark.parametrize(("amount", "gst"), [(5, 0), (6, 1), (16, 1), (17, 2), (-5, 0), (-6, -1), (0, 0)])
def test_gst_is_an_eleventh_of_the_amount_in_whole_cents(amount: int, gst: int):
    line = Line.charged("usage", "x", Period(*DAY), Quantity(Fraction(1), "kWh"), Price(Decimal(0), "added"), amount)
    assert line.gst_minor == gst


def test_tables_of_free_fine_and_padded_prices():
    """A shorter band is filled with open blocks at no price, and what arrays do not hold has no price there."""
    dear = {"start_time": "00:00", "end_time": "06:00", "days": [], "amount": FINE}
    given = contract(
        tariff_period=[
            {"end_date": "06-30", "start_date": "01-01", "single_rate": blocks(("0.10", "1"), ("0.20", "2"))},
            {"end_date": "08-31", "start_date": "07-01", "single_rate": blocks(("0", "1"), ("0.1", "2"), ("0.2", "3"))},
            {"end_date": "12-31", "start_date": "09-01", "single_rate": blocks((FINE, "1"), ("0.20", None))},
            {"demand_charges": [{**dear, "amount": "0"}, dear]},
        ],
        fees=[{"type": "OTHER", "term": "MONTHLY", "amount": amount} for amount in ("0", FINE, "1")],
    )
    found = tables_of([compiled(given)])
    nano_kwh, cents_10 = 10**9, 11 * 10**9  # 10 c with GST in 10^-11 AUD
    assert found.tiered.width.tolist() == [
        [nano_kwh, NO_LIMIT, NO_LIMIT],
        [nano_kwh, 2 * nano_kwh, NO_LIMIT],
        [NO_LIMIT, NO_LIMIT, NO_LIMIT],
    ]
    assert found.tiered.price.tolist() == [[cents_10, 2 * cents_10, 0], [0, cents_10, 2 * cents_10], [0, 0, 0]]
    assert [found.demand.price.tolist(), found.demand.least.tolist()] == [[0, 0], [0, 0]]
    assert found.demand.exact.tolist() == [0, 1]
    assert found.recurring.price.tolist() == [0, 10**11]  # a fee of nothing is none
    assert found.recurring.exact.tolist() == [1, 0]


# ---- prices and widths that arrays do not hold


def test_fine_prices_of_days_demand_and_fees():
    """40 days at $1.00000000001, 2 kW on each of them at $0.10000000001 a day, and $1.00000000001 a day beside."""
    window = {"start_time": "00:00", "end_time": "01:00", "days": [], "amount": FINE}
    period = {
        "daily_supply_charge": "1.00000000001",
        "single_rate": {"rates": [{"unit_price": "0"}]},
        "demand_charges": [window],
    }
    fee = {"type": "OTHER", "term": "DAILY", "amount": "1.00000000001"}
    days = (date(2024, 7, 1), date(2024, 8, 9))
    found = priced(contract(tariff_period=[period], fees=[fee]), meter_days(days[0], 40, "1"), days)
    assert found.bill(0).components_minor() == {"supply": 4400, "usage": 0, "demand": 880, "fee": 4000}
    assert int(found.totals[0]) == 4400 + 880 + 4000


def test_a_feed_in_block_of_a_fine_price_is_a_credit():
    """3 kWh sold on a day: 2 at 20.000000001 c and 1 at 10 c, without GST."""
    given = flat("0.10", solar_feed_in_tariff=[{"single_tariff": blocks(("0.20000000001", "2"), ("0.10", None))}])
    found = priced(given, once_a_day("3", role="export"), DAY)
    assert lines(found.bill(0).lines) == [(1, 2, -40), (2, 1, -10)]
    assert [line.unit_price for line in found.bill(0).lines] == [Decimal("-0.20000000001"), Decimal("-0.10")]
    assert int(found.totals[0]) == -50


def test_a_width_of_half_a_nanounit_counts():
    """A credit of $3,200 for each of 0.0000015625 kWh a day is half a cent."""
    feed_in = {"single_tariff": blocks(("3200", "0.0000015625"), ("0.0001", None))}
    found = bill(flat("0.10", solar_feed_in_tariff=[feed_in]), once_a_day("1", role="export"), DAY)
    assert [line.amount_minor for line in found.lines] == [-1, 0]


@pytest.mark.parametrize("steps", [[("0.10", "20000000000"), ("0.20", None)], [("0.10", "20000000000"), ("0.20", "1")]])
def test_a_width_beyond_64_bits_is_never_reached(steps: list[tuple[str, str | None]]):
    assert lines(bill(in_blocks(*steps), once_a_day("10"), DAY).lines) == [(1, 10, 110)]


def test_discounts_with_fine_figures():
    """24 kWh at 50 c is $13.20: 10.000000001 % of it, and 10 % of what is beyond 12.0000000001 kWh, about half."""
    share = {"display_name": "A", "type": "GUARANTEED", "percent_of_bill": {"rate": "0.10000000001"}}
    beyond = {"rate": "0.10", "usage_amount": "12.0000000001"}
    over = {"display_name": "B", "type": "GUARANTEED", "percent_over_threshold": beyond}
    found = priced(flat("0.50", discounts=[share, over]), meter_days(DAY[0], 1, "0.5"), DAY)
    assert [line.amount_minor for line in found.bill(0).lines] == [1320, -132, -66]
    for only, expected in ((over, -66), (share, -132)):
        alone = priced(flat("0.50", discounts=[only]), meter_days(DAY[0], 1, "0.5"), DAY)
        assert int(alone.totals[0]) == 1320 + expected


# ---- blocks


def with_rate(*steps: tuple[str, str | None], period: Duration) -> Rates:
    """A compiled plan whose last block may have a width, and whose blocks last any time."""
    rates = compiled(flat("0.10"))
    [tariff] = rates.periods
    own = tuple(Block(Decimal(price), width and Decimal(width), "added") for price, width in steps)
    return replace(rates, periods=(replace(tariff, rates=(BandRate("Anytime", own, period),)),))


def test_free_daily_energy_before_a_closed_block_that_is_pooled():
    """20 and 5 kWh: 5 free each day; the other 15 all fit into 2 × 10 kWh at 33 c. Counted daily only 10 would."""
    usage = prepare(reads_frame(once_a_day("20", "5")), zone="Australia/Sydney")
    market = Market.of([with_rate(("0", "5"), ("0.30", "10"), period=DAY_LONG)])
    found = price_market(market, usage, [Period(DAY[0], date(2024, 7, 2))])
    assert lines(found.bill(0).lines) == [(1, 10, 0), (2, 15, 495)]
    assert int(found.totals[0]) == 495


def test_blocks_of_a_quarter_of_a_year():
    """5 kWh in 91.25 days are 4 kWh in 73 days: of 10 kWh, 4 at 11 c and 6 at 22 c."""
    usage = prepare(reads_frame(once_a_day("10", *["0"] * 72)), zone="Australia/Sydney")
    market = Market.of([with_rate(("0.10", "5"), ("0.20", None), period=Duration(Fraction(365, 4), "day"))])
    found = price_market(market, usage, [Period(DAY[0], date(2024, 9, 11))])
    assert lines(found.bill(0).lines) == [(1, 4, 44), (2, 6, 132)]
    assert int(found.totals[0]) == 44 + 132


def test_blocks_after_an_open_one_are_empty():
    given, options = in_blocks(("0.20", None), ("0.30", "5")), Options(blocks="daily")
    found = priced(given, once_a_day("8"), DAY, options=options)
    assert lines(found.bill(0).lines) == [(1, 8, 176)]
    first = in_blocks(("0", "1"), ("0.20", None), ("0.30", "5"))
    found = priced(first, once_a_day("8"), DAY, options=options)
    assert lines(found.bill(0).lines) == [(1, 1, 0), (2, 7, 154)]
    assert int(found.totals[0]) == 154


def test_half_a_cent_in_a_monthly_block():
    """0.2 kWh of a month's 100 at 27.5 c is 5.5 c; of 100.2 kWh the rest beyond the block is 0.2 at 27.5 c."""
    small = in_blocks(("0.25", "100"), ("0.40", None), period="P1M")
    assert lines(bill(small, [*once_a_day("0.2"), *meter_days(date(2024, 7, 2), 30, "0")], JULY).lines) == [
        (1, Fraction("0.2"), 6)
    ]
    more = in_blocks(("0.10", "100"), ("0.25", None), period="P1M")
    assert lines(bill(more, [*once_a_day("100.2"), *meter_days(date(2024, 7, 2), 30, "0")], JULY).lines) == [
        (1, 100, 1100),
        (2, Fraction("0.2"), 6),
    ]


# ---- controlled load


def test_controlled_load_without_a_price_of_its_own_fills_daily_blocks():
    """A day of 3 kWh and 4 kWh of controlled load: 5 at 11 c, 2 at 22 c."""
    rows = [*once_a_day("3"), *once_a_day("4", role="controlled")]
    given, options = in_blocks(("0.10", "5"), ("0.20", None)), Options(blocks="daily")
    found = priced(given, rows, DAY, options=options)
    assert lines(found.bill(0).lines) == [(1, 5, 55), (2, 2, 44)]
    assert codes(found.bill(0).notes).count("controlled_load_as_usage") == 1


def test_controlled_load_with_a_price_of_its_own_does_not():
    rows = [*once_a_day("3"), *once_a_day("4", role="controlled")]
    own = {"single_rate": {"rates": [{"unit_price": "0.05"}]}}
    sold = {"single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    given = in_blocks(("0.10", "2"), ("0.20", None), controlled_load=[own], solar_feed_in_tariff=[sold])
    found = priced(given, rows, DAY, options=Options(blocks="daily"))
    assert lines(found.bill(0).lines) == [(1, 2, 22), (2, 1, 22), (None, 4, 22)]
    assert int(found.totals[0]) == 66


# ---- demand


WINDOW = {"start_time": "00:00", "end_time": "01:00", "days": [], "amount": "0.10"}


def demanding(**more: object) -> dict[str, Any]:
    period = {"single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [{**WINDOW, **more}]}
    return contract(tariff_period=[period])


def test_demand_of_each_billing_period_is_its_own():
    """1 kWh in a half hour of July is 2 kW on 31 days, 2 kWh in August 4 kW on 31 days, at 10 c a kW and day."""
    rows = [*once_a_day(*["1"] * 31), *once_a_day(*["2"] * 31, first=AUGUST[0])]
    found = priced(demanding(), rows, JULY, AUGUST).bill(0)
    assert [(line.quantity, line.amount_minor) for line in found.lines if line.component == "demand"] == [
        (62, 682),
        (124, 1364),
    ]
    assert [note.figures["kw"] for note in found.notes if note.code == "month_demand"] == [2.0, 4.0]


def test_demand_that_was_not_read_is_not_known():
    """The charge holds from 16 July, and nothing was read from then on: not 0 kW."""
    season = {"start_date": "07-16", "end_date": "12-31", "demand_charges": [WINDOW]}
    energy = {"daily_supply_charge": "1", "single_rate": {"rates": [{"unit_price": "0.10"}]}}
    found = priced(contract(tariff_period=[energy, season]), meter_days(JULY[0], 15, "1"), JULY)
    assert found.incomplete.tolist() == [True]
    assert len(found.reasons(0)) == 1
    assert [problem.where for problem in found.bill(0).unpriceable if "half hour" in problem.reason]


def test_demand_beside_reads_of_whole_days_is_doubted_in_their_period_only():
    """July by half hours, August by days."""
    rows = [*meter_days(JULY[0], 31, "1"), *meter_days(AUGUST[0], 31, "48", minutes=1440)]
    both = priced(demanding(), rows, JULY, AUGUST).bill(0)
    july = priced(demanding(), rows, JULY).bill(0)
    august = priced(demanding(), rows, AUGUST).bill(0)
    whole_days = [problem for problem in august.unpriceable if problem not in july.unpriceable]
    assert not july.unpriceable
    assert whole_days
    assert list(both.unpriceable) == whole_days


def test_reads_of_whole_days_outside_a_demand_season_do_not_matter():
    """The charge holds to 15 July, which was read by half hours; the other days were not."""
    season = {"start_date": "07-01", "end_date": "07-15", "demand_charges": [WINDOW]}
    energy = {"daily_supply_charge": "1", "single_rate": {"rates": [{"unit_price": "0.10"}]}}
    rows = [*meter_days(JULY[0], 15, "1"), *meter_days(date(2024, 7, 16), 16, "48", minutes=1440)]
    found = priced(contract(tariff_period=[energy, season]), rows, JULY)
    assert found.bill(0).unpriceable == ()


# ---- discounts


def discount(kind: str, rate: str, **more: object) -> dict[str, object]:
    terms = {"rate": rate, **({"usage_amount": more.pop("over")} if "over" in more else {})}
    return {"display_name": kind, "type": "GUARANTEED", kind: terms, **more}


def test_a_discount_line_says_what_it_is_a_share_of():
    """24 kWh at 50 c, $13.20: 10 % and 5 % of it together."""
    given = flat("0.50", discounts=[discount("percent_of_bill", "10"), discount("percent_of_bill", "5")])
    line = bill(given, meter_days(DAY[0], 1, "0.5"), DAY).lines[-1]
    assert (line.quantity, line.unit_price, line.amount_minor) == (Fraction("13.2"), Decimal("-0.15"), -198)


def test_a_discount_of_nothing_applies_to_nothing():
    given = flat("0.50", discounts=[discount("percent_of_bill", "0")])
    found = bill(given, meter_days(DAY[0], 1, "0.5"), DAY)
    assert [(line.quantity, line.amount_minor) for line in found.lines[1:]] in ([], [(0, 0)])
    assert found.total_minor == 1320


def test_usage_below_the_threshold_has_no_discount():
    given = flat("0.50", discounts=[discount("percent_over_threshold", "10", over="25")])
    found = priced(given, meter_days(DAY[0], 1, "0.5"), DAY)
    assert [line.component for line in found.bill(0).lines] == ["usage"]
    assert int(found.totals[0]) == 1320


def test_what_is_sold_does_not_count_towards_a_threshold():
    """24 kWh at 50 c, 12 of them beyond the threshold: 10 % of $6.60. 24 kWh sold at 5 c."""
    given = flat(
        "0.50",
        discounts=[discount("percent_over_threshold", "10", over="12")],
        solar_feed_in_tariff=[{"single_tariff": {"rates": [{"unit_price": "0.05"}]}}],
    )
    rows = [*meter_days(DAY[0], 1, "0.5"), *meter_days(DAY[0], 1, "0.5", role="export")]
    assert int(priced(given, rows, DAY).totals[0]) == 1320 - 66 - 120


def test_a_discount_on_one_day_of_the_bill_is_noted():
    given = flat("0.50", discounts=[discount("percent_of_bill", "10", start_date="2024-07-31", end_date="2024-12-31")])
    found = bill(given, meter_days(JULY[0], 31, "0.5"), JULY)
    [note] = [note for note in found.notes if note.code == "discount_on_some_days"]
    assert (note.figures["days"], note.figures["period_days"]) == (1, 31)


# ---- notes


def test_a_plain_bill_has_no_notes_on_supply_or_controlled_load():
    found = bill(flat("0.30", supply="0.90"), meter_days(JULY[0], 31, "0.5"), JULY)
    assert codes(found.notes) == []


def test_sold_energy_without_a_price_is_noted_in_kwh():
    rows = [*once_a_day("1"), *once_a_day("3", role="export")]
    [note] = [note for note in bill(flat("0.30"), rows, DAY).notes if note.code == "export_without_feed_in"]
    assert note.figures["energy"] == 3.0


# ---- days


def test_days_without_a_daily_charge_are_counted_once():
    found = priced(flat("0.30"), meter_days(JULY[0], 62, "0.5"), JULY, AUGUST)
    assert (found.unsupplied.tolist(), found.days) == ([62], 62)


def test_a_season_within_one_month_ends_within_it():
    """10 c but for 20 c on 10 to 15 July, 1 kWh a day: 25 × 11 c and 6 × 22 c."""
    dear = {"start_date": "07-10", "end_date": "07-15", "single_rate": {"rates": [{"unit_price": "0.20"}]}}
    other = {"single_rate": {"rates": [{"unit_price": "0.10"}]}}
    found = priced(contract(tariff_period=[dear, other]), once_a_day(*["1"] * 31), JULY)
    assert sorted((line.quantity, line.amount_minor) for line in found.bill(0).lines) == [(6, 132), (25, 275)]
    assert int(found.totals[0]) == 275 + 132


@pytest.mark.parametrize(("year", "days"), [(2016, 29), (2023, 28), (2024, 29)])
def test_half_of_february_is_its_share_of_that_year(year: int, days: int):
    given = flat("0", fees=[{"type": "OTHER", "term": "MONTHLY", "amount": "29"}])
    half = (date(year, 2, 1), date(year, 2, 14))
    [line] = [line for line in bill(given, meter_days(half[0], 14, "1"), half).lines if line.component == "fee"]
    assert line.quantity == Fraction(14, days)


def test_a_monthly_fee_counts_each_billing_period_by_itself():
    given = flat("0", fees=[{"type": "OTHER", "term": "MONTHLY", "amount": "2"}])
    found = bill(given, meter_days(JULY[0], 46, "1"), JULY, (AUGUST[0], date(2024, 8, 15)))
    assert [line.quantity for line in found.lines if line.component == "fee"] == [1, Fraction(15, 31)]


def test_a_bill_of_one_day_is_one_billing_period():
    assert billing_periods(*DAY, "month") == [Period(*DAY)]


@pytest.mark.parametrize(
    ("first", "last", "month"),
    [
        ("2024-01-15", "2024-03-31", ("2024-03-01", "2024-03-31")),
        ("2024-01-15", "2024-03-30", ("2024-02-01", "2024-02-29")),
        ("2024-02-01", "2024-02-29", ("2024-02-01", "2024-02-29")),
        ("2024-02-02", "2024-02-29", None),
        ("2024-02-02", "2024-03-15", None),
    ],
)
def test_the_last_whole_month(first: str, last: str, month: tuple[str, str] | None):
    found = last_month_within(date.fromisoformat(first), date.fromisoformat(last))
    assert found == (month and Period(*map(date.fromisoformat, month)))


# ---- futures


class Joined:
    """The days of two homes one after another."""

    def __init__(self, one: IntervalMatrix, other: IntervalMatrix) -> None:
        self._both, self.controlled = (one, other), False

    def banded(self, bands: Bands, role: Any) -> Any:
        return np.concatenate([each.banded(bands, role) for each in self._both])

    def highest(self, bands: Bands) -> Any:
        return np.concatenate([each.highest(bands) for each in self._both])


def test_futures_one_after_another_cost_what_each_does():
    """June and July twice, 1 kWh and 2 kWh a day in one half hour: 61 days at 11 c; 2 and 4 kW at 11 c a day."""
    plans, days = [compiled(demanding()), compiled(flat("0.10"), "Q")], (date(2024, 6, 1), JULY[1])
    market, clock = Market.of(plans), ("AEST", "AEST")
    one, other = (
        prepare(reads_frame(once_a_day(*[kwh] * 61, first=days[0])), zone="Australia/Sydney").matrix(*clock)
        for kwh in ("1", "2")
    )
    ranges = market.ranges([Period(*days)]).repeated(2)
    joined = cast(IntervalMatrix, Joined(*(each.sliced(*days, frozenset()) for each in (one, other))))
    charges = price_home(market, Home({clock: joined}, ranges, lambda _: None), Options()).charges
    by_plan = charges.sums.reshape(2, len(COMPONENTS), 2).sum(axis=1)
    assert by_plan.tolist() == [[2 * 61 * 11, 4 * 61 * 11], [61 * 11, 122 * 11]]
    assert (ranges.billed_periods, ranges.whole_periods) == ((Period(*days),) * 2, (Period(*days),) * 2)


def test_windows_are_read_on_their_own_clock_in_a_home_of_matrices():
    """Days are counted in AEST; the window from 1:00 to 2:00 in Sydney's summer is 0:00 to 1:00 AEST: 1 of 3 kWh."""
    window = {"start_time": "01:00", "end_time": "02:00", "days": []}
    rest = {"start_time": "02:00", "end_time": "01:00", "days": []}
    bands = [
        {"rates": [{"unit_price": "1"}], "time_of_use": [window]},
        {"rates": [{"unit_price": "0.10"}], "time_of_use": [rest]},
    ]
    winter = {"start_date": "05-01", "end_date": "10-31", "single_rate": {"rates": [{"unit_price": "0.10"}]}}
    local = {"start_date": "11-01", "end_date": "04-30", "time_zone": "LOCAL", "time_of_use_rates": bands}
    market = Market.of([compiled(contract(tariff_period=[winter, local]))])
    [clock] = {clock for _, clock, _ in market.tables.layouts if clock[0] == "LOCAL"}
    assert clock == ("LOCAL", "AEST")
    summer = (date(2024, 1, 10), date(2024, 1, 10))
    rows = meter_days(date(2024, 1, 9), 3, lambda at: {0: "0.5", 1: "1"}.get(at.hour, "0"))
    usage = prepare(reads_frame(rows), zone="Australia/Sydney")
    matrices = {zone: usage.matrix(zone, clock[1]) for zone in ("AEST", "LOCAL")}
    home = home_of(market, matrices, [Period(*summer)], Options(), None)
    assert int(price_home(market, home, Options()).totals[0]) == 110 + 22
