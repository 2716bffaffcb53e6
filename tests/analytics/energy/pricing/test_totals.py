"""The sums of a market's arrays are those of its bills' lines, for every kind of charge; and figures worked by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.analytics.energy.bills.built import bill, codes, contract, flat, meter_days, reads_frame
from tests.analytics.energy.pricing.odd_rates import odd
from tests.analytics.energy.pricing.test_lines import unlike
from toolkit.analytics.energy.bills import Options, Period, Usage, prepare, price
from toolkit.analytics.energy.pricing import Market, price_market
from toolkit.analytics.energy.pricing.model import COMPONENTS, billing_periods
from toolkit.analytics.energy.rates import Rates, compile_plan
from toolkit.answers.energy.bills import Blocks, Discounts
from toolkit.tables.rows.plans import read_plan

FIRST, LAST = date(2024, 11, 20), date(2025, 1, 9)
PERIODS = [Period(FIRST, date(2024, 12, 14)), Period(date(2024, 12, 15), LAST)]
ROWS = [
    *meter_days(date(2024, 11, 19), 53, lambda at: f"0.{(at.day * 7 + at.hour * 13 + at.minute) % 97:02}"),
    *meter_days(date(2024, 11, 19), 53, lambda at: "0.3" if at.hour < 5 else "0", role="controlled"),
    *meter_days(date(2024, 11, 19), 53, lambda at: "0.47" if 9 <= at.hour < 15 else "0", role="export"),
]


def tiers(*steps: tuple[str, str | None], period: str) -> dict[str, object]:
    rates = [{"unit_price": each, **({"volume": width} if width else {})} for each, width in steps]
    return {"rates": rates, "period": period}


def discount(kind: str, rate: str, *, conditional: bool = False, **more: object) -> dict[str, object]:
    terms = {"rate": rate, **({"usage_amount": more.pop("over")} if "over" in more else {})}
    return {"display_name": kind, "type": "CONDITIONAL" if conditional else "GUARANTEED", kind: terms, **more}


PEAK = {"start_time": "15:00", "end_time": "21:00", "days": ["MON", "TUE", "WED", "THU", "FRI"]}
REST = [{"start_time": "21:00", "end_time": "15:00", "days": []}, {"start_time": "15:00", "end_time": "21:00",
        "days": ["SAT", "SUN"]}]  # fmt: skip
TIMED = [
    {"rates": [{"unit_price": "0.55"}], "time_of_use": [PEAK]},
    {**tiers(("0.20", "6"), ("0.25", None), period="P1D"), "time_of_use": REST},
]
DEMAND = {**PEAK, "amount": "0.25", "min_demand": "0.5", "max_demand": "1.5"}
CONTRACTS: list[dict[str, Any]] = [
    flat("0.31", supply="1.07", discounts=[discount("percent_of_bill", "7"), discount("percent_of_use", "0.03")]),
    contract(
        tariff_period=[
            {"start_date": "11-01", "end_date": "03-31", "daily_supply_charge": "0.97", "time_of_use_rates": TIMED},
            {"start_date": "04-01", "end_date": "10-31", "daily_supply_charge": "0.95", "time_of_use_rates": TIMED},
            {"start_date": "12-01", "end_date": "02-28", "demand_charges": [DEMAND]},
        ],
        controlled_load=[{"single_rate": {"rates": [{"unit_price": "0.18"}], "daily_supply_charge": "0.05"}}],
        solar_feed_in_tariff=[{"single_tariff": tiers(("0.12", "2"), ("0.04", None), period="P1D")}],
        discounts=[discount("percent_of_bill", "5", conditional=True)],
    ),
    contract(
        tariff_period=[
            {"daily_supply_charge": "1.1", "single_rate": tiers(("0.21", "250"), ("0.33", None), period="P1M")}
        ],
        discounts=[discount("percent_over_threshold", "15", over="100")],
    ),
    contract(
        tariff_period=[
            {"single_rate": tiers(("0", "2"), ("0.30", "5"), ("0.40", None), period="P1D"), "demand_charges": [DEMAND]}
        ],
        fees=[
            {"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "73"},
            {"type": "OTHER", "term": "MONTHLY", "amount": "2"},
        ],
    ),
    flat(
        "0.12345678901234", supply="0.9", discounts=[discount("percent_of_use", "10", start_date="2024-12-20",
        end_date="2025-06-30")], fees=[{"type": "OTHER", "term": "WEEKLY", "amount": "1.11"}],
    ),
    contract(tariff_period=[{"daily_supply_charge": None, "time_of_use_rates": TIMED[:1]}]),
]  # fmt: skip


def compiled() -> list[Rates]:
    metering = [{"display_name": "Meter", "minimum_value": "0.10", "period": "P1D"}]
    read = [
        read_plan({"plan_id": str(number), "electricity_contract": given, "metering_charges": metering})
        for number, given in enumerate(CONTRACTS)
    ]
    plans = [compile_plan(plan, "ELECTRICITY") for plan in read]
    return [*plans, *(replace(odd(plan, Random(seed)), plan_id=f"odd {seed}") for seed, plan in enumerate(plans * 2))]


@cache
def usage() -> Usage:
    return prepare(reads_frame(ROWS), zone="Australia/Sydney")


CHOICES: list[tuple[Blocks, Discounts]] = list(product(("pooled", "daily"), ("none", "guaranteed", "all")))


@pytest.mark.parametrize(("blocks", "discounts"), CHOICES)
def test_sums_of_the_market_are_those_of_the_lines(blocks: Blocks, discounts: Discounts):
    plans, options = compiled(), Options(blocks=blocks, discounts=discounts)
    priced = price_market(Market.of(plans), usage(), PERIODS, options)
    for number, rates in enumerate(plans):
        lines, alone = priced.bill(number), price(usage(), rates, PERIODS, options=options)
        assert list(unlike(lines, alone)) == []
        assert dict(zip(COMPONENTS, priced.cents[number].tolist(), strict=True)) == {
            name: lines.components_minor().get(name, 0) for name in COMPONENTS
        }
        assert bool(priced.incomplete[number]) == bool(lines.unpriced or lines.unpriceable)


def test_a_large_market_prices_each_plan_as_a_small_one():
    plans = compiled() * 9
    many = price_market(Market.of(plans), usage(), PERIODS)
    few = price_market(Market.of(plans[: len(plans) // 9]), usage(), PERIODS)
    assert many.cents.tolist() == few.cents.tolist() * 9


def test_a_discount_whose_dates_lie_outside_the_bill_is_not_said_to_apply_on_some_days():
    june = (date(2024, 6, 1), date(2024, 6, 30))
    for first, last, noted in (
        ("2024-07-01", "2025-06-30", False),
        ("2024-01-01", "2024-12-31", False),
        ("2024-06-16", "2025-06-30", True),
    ):
        terms = discount("percent_of_bill", "10", start_date=first, end_date=last)
        priced = bill(flat("0.30", discounts=[terms]), meter_days(june[0], 30, "0.5"), june)
        assert ("discount_on_some_days" in codes(priced.notes)) is noted


def test_a_month_without_use_in_the_window_is_charged_no_kilowatt_and_named():
    """1 kW all day in December but for the window from 15:00 to 21:00; 2 kW in it in January: 9 days × 2 kW."""

    def kwh(at: Any) -> str:
        inside = 15 <= at.hour < 21
        return "1" if inside and at.month == 1 else "0" if inside else "0.5"

    given = contract(tariff_period=[{"single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [
        {"start_time": "15:00", "end_time": "21:00", "days": [], "amount": "0.10"}]}])  # fmt: skip
    days = (date(2024, 12, 25), date(2025, 1, 9))
    priced = bill(given, meter_days(date(2024, 12, 25), 16, kwh), days, zone="Australia/Brisbane")
    (line,) = [line for line in priced.lines if line.component == "demand"]
    assert (line.quantity, line.amount_minor) == (Fraction(18), 198)
    months = [note.figures for note in priced.notes if note.code == "month_demand"]
    assert [(each["month"], each["kw"], each["days"]) for each in months] == [
        (date(2024, 12, 1), 0, 7),
        (date(2025, 1, 1), 2, 9),
    ]


def test_energy_outside_all_windows_is_named_with_its_amount():
    """0.5 kWh each half hour; from 21:00 to 15:00 has no price on working days: 5 days × 18 hours × 1 kWh."""
    week = (date(2024, 7, 1), date(2024, 7, 5))
    given = contract(tariff_period=[{"time_of_use_rates": TIMED[:1]}])
    priced = bill(given, meter_days(week[0], 5, "0.5"), week)
    assert priced.unpriced == 90
    assert any("90.000 kWh" in problem.reason for problem in priced.problems)
    assert [(line.quantity, line.amount_minor) for line in priced.lines] == [(30, 1815)]


@pytest.mark.parametrize(
    ("least", "most", "kw"),
    [
        (None, None, "2"),
        ("3", None, "3"),
        (None, "1.5", "1.5"),
        ("3", "4", "3"),
        ("2.0000000004", None, "2.0000000004"),
    ],
)
def test_demand_is_charged_between_its_least_and_its_most(least: str | None, most: str | None, kw: str):
    """2 kW on ten days of one month."""
    limits = {name: value for name, value in (("min_demand", least), ("max_demand", most)) if value}
    charge = {"start_time": "0", "end_time": "2359", "days": ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]} | limits
    period = {"single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [{**charge, "amount": "0.10"}]}
    given = contract(tariff_period=[period])
    days = (date(2024, 7, 1), date(2024, 7, 10))
    priced = bill(given, meter_days(days[0], 10, "1"), days)
    (line,) = [line for line in priced.lines if line.component == "demand"]
    assert line.quantity == 10 * Fraction(Decimal(kw))
    assert line.amount_minor == round(110 * Decimal(kw))


def test_the_band_of_a_supply_charge_is_noted_or_said_to_be_assumed():
    """24 kWh a day are 8,760 kWh a year: the second band; a home without reads in the year before takes the first."""
    bands = [{"volume": "5000", "unit_price": "1.00"}, {"unit_price": "2.00"}]
    period = {"daily_supply_charge_type": "BAND", "banded_daily_supply_charges": bands,
              "single_rate": {"rates": [{"unit_price": "0"}]}}  # fmt: skip
    given, days = contract(tariff_period=[period]), (date(2024, 7, 1), date(2024, 7, 10))
    known = bill(given, meter_days(days[0], 10, "0.5"), days)
    unknown = bill(given, meter_days(date(2022, 7, 1), 1, "0.5"), days)
    for priced, code, cents in ((known, "supply_band", 2200), (unknown, "supply_band_assumed", 1100)):
        assert [note for note in codes(priced.notes) if note.startswith("supply_band")] == [code]
        assert [line.amount_minor for line in priced.lines if line.component == "supply"] == [cents]


def test_two_free_allowances_a_day_come_before_pooled_energy():
    """10 kWh, then 1.5 kWh: 2 kWh a day free, the next 3 kWh a day at 0.05 c, then 2 kWh of both days at 30 c."""
    steps = tiers(("0", "2"), ("0.0005", "3"), ("0.30", "1"), ("0.40", None), period="P1D")
    days = (date(2024, 7, 1), date(2024, 7, 2))
    rows = [*meter_days(days[0], 1, "5", minutes=720), *meter_days(days[1], 1, "0.75", minutes=720)]
    priced = bill(contract(tariff_period=[{"single_rate": steps}]), rows, days)
    assert [(line.block, line.quantity, line.amount_minor) for line in priced.lines] == [
        (1, Fraction(7, 2), 0),
        (2, 3, 0),
        (3, 2, 66),
        (4, 3, 132),
    ]


def test_months_ignore_the_invoices_that_periods_by_invoice_follow():
    first, last = date(2024, 5, 10), date(2024, 7, 3)
    invoice = Period(date(2024, 5, 20), date(2024, 6, 19))
    days = [(each.first, each.last) for each in billing_periods(first, last, "month", [invoice])]
    assert days == [
        (first, date(2024, 5, 31)),
        (date(2024, 6, 1), date(2024, 6, 30)),
        (date(2024, 7, 1), last),
    ]
    days = [(each.first, each.last) for each in billing_periods(first, last, "invoice", [invoice])]
    assert days == [
        (first, date(2024, 5, 19)),
        (date(2024, 5, 20), date(2024, 6, 19)),
        (date(2024, 6, 20), date(2024, 6, 30)),
        (date(2024, 7, 1), last),
    ]
    assert billing_periods(first, last, "whole", [invoice]) == [Period(first, last)]
