"""The hours of a bill's prices, which it does not print: those of a published plan that give the energy it states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.flows.energy.homes import NMI, import_plans
from tests.meters import day, days, nem12, register
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.plans.billed_hours import billed_hours
from toolkit.flows.plans.billed_prices import BilledBand, BilledPrices

TODAY = date(2026, 6, 20)
WEEK = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
HALF_HOURS = [*["0.1"] * 14, *["0.2"] * 16, *["0.3"] * 2, *["0.5"] * 8, *["0.7"] * 2, *["0.25"] * 6]
"""A day's kWh: 1.4 until 7:00, 3.2 until 15:00, 0.6 until 16:00, 4.0 until 20:00, 1.4 until 21:00, 1.5 until 24:00.

From 14:00 to 15:00 0.4, from 21:00 to 22:00 0.5.
"""
Times = tuple[Sequence[str], str, str]
"""Weekdays, start and end."""


def metered(folder: Path, first: str, count: int, *, without: Sequence[str] = ()) -> Context:
    ctx = Context(folder / "home.db", TODAY)
    rows = [day(when, HALF_HOURS) for when in days(first, count) if when not in without]
    (folder / "meter.csv").write_text(nem12(register(nmi=NMI), *rows))
    load(ctx, [folder / "meter.csv"])
    return ctx


def plan(plan_id: str, brand: str, prices: Mapping[str, Sequence[Times]], zone: str = "LOCAL") -> dict[str, object]:
    """prices: AUD → when it holds."""
    rates = [
        {
            "displayName": f"Price {number}",
            "rates": [{"unitPrice": price}],
            "timeOfUse": [{"days": list(on), "startTime": start, "endTime": end} for on, start, end in windows],
        }
        for number, (price, windows) in enumerate(prices.items())
    ]
    period = {"startDate": "01-01", "endDate": "12-31", "dailySupplyCharge": "1", "timeOfUseRates": rates}
    contract = {"timeZone": zone, "tariffPeriod": [{**period, "rateBlockUType": "timeOfUseRates"}]}
    return {"planId": plan_id, "brandName": brand, "fuelType": "ELECTRICITY", "electricityContract": contract}


def peak_between(start: str, end: str) -> dict[str, Sequence[Times]]:
    return {"0.50": [(WEEK, start, end)], "0.20": [(WEEK, end, start)]}


def bill(first: date, last: date, **quantities: str) -> BilledPrices:
    """A bill of Lyrebird that states these kWh."""
    bands = tuple(BilledBand("anytime", name, Decimal(30), Decimal(kwh)) for name, kwh in quantities.items())
    cents = ("Saver", "Lyrebird Energy", "cents with GST", True)
    return BilledPrices("b", first, last, *cents, bands, Decimal(100), None, None, None, ())  # type: ignore[arg-type]


MAY = date(2026, 5, 1), date(2026, 5, 31)


@pytest.mark.parametrize(
    ("quantities", "expected"),
    [
        # in 31 days 6.0 kWh from 15:00 to 21:00, 6.1 at other times; 5.0 from 14:00 to 20:00, 7.1 at other times
        ({"Peak": "186", "Off": "189.1"}, [("", "15:00-21:00"), ("", "")]),
        ({"Off": "220.1", "Peak": "155.0"}, [("", ""), ("", "14:00-20:00")]),
        ({"Peak": "186.4", "Off": "188.7"}, None),
        ({"Peak": "180", "Off": "195"}, None),
    ],
)
def test_the_hours_are_those_of_the_plan_that_gives_the_billed_energy(
    tmp_path: Path, quantities: dict[str, str], expected: list[tuple[str, str]] | None
) -> None:
    ctx = metered(tmp_path, "2026-05-01", 31)
    one, other = peak_between("15:00", "21:00"), peak_between("14:00", "20:00")
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", one), plan("B1@EME", "Else", other))
    found = billed_hours(ctx, bill(*MAY, **quantities))
    assert (found and [(each.days, each.hours) for each in found.times]) == expected


def test_hours_that_differ_on_weekends_are_those_of_all_other_times(tmp_path: Path) -> None:
    """May 2026 has 21 weekdays and 10 days of weekends; a day has 12.1 kWh, 1.4 of it before 7:00.

    Peak on weekdays from 14:00 to 20:00: 21 × 5.0 = 105. Off-peak from 22:00 to 7:00: 31 × (1.0 + 1.4) = 74.4.
    Shoulder: 31 × 12.1 - 105 - 74.4 = 195.7.
    """
    ctx = metered(tmp_path, "2026-05-01", 31)
    shoulder = [(WEEK[:5], "07:00", "14:00"), (WEEK[:5], "20:00", "22:00"), (WEEK[5:], "07:00", "22:00")]
    prices = {"0.5": [(WEEK[:5], "14:00", "20:00")], "0.3": shoulder, "0.2": [(WEEK, "22:00", "07:00")]}
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", prices))
    found = billed_hours(ctx, bill(*MAY, Peak="105.0", Shoulder="195.7", Off="74.4"))
    assert found is not None
    assert [(each.days, each.hours) for each in found.times] == [
        *[("Mon-Fri", "14:00-20:00"), ("", ""), ("", "22:00-7:00")],
    ]


def test_in_summer_the_bill_says_whether_hours_are_in_standard_time(tmp_path: Path) -> None:
    """January: 15:00 to 21:00 in standard time is 6.0 kWh a day, by the clock in Sydney 14:00 to 20:00: 5.0."""
    ctx = metered(tmp_path, "2025-12-31", 33)
    prices = peak_between("15:00", "21:00")
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", prices), plan("A2@EME", "Lyrebird", prices, "AEST"))
    january = date(2026, 1, 1), date(2026, 1, 31)
    standard, local = (
        billed_hours(ctx, bill(*january, Peak=peak, Off=off)) for peak, off in (("186", "189.1"), ("155", "220.1"))
    )
    assert (standard and standard.clock, local and local.clock) == ("AEST", "local")


def test_no_hours_are_given_where_two_agree_unless_one_is_of_the_bills_retailer(tmp_path: Path) -> None:
    """From 0:00 to 7:00 it is 1.4 kWh, and as much from 20:00 to 21:00; 10.7 at other times."""
    ctx = metered(tmp_path, "2026-05-01", 31)
    night = peak_between("00:00", "07:00")
    quantities = {"Night": "43.4", "Day": "331.7"}
    import_plans(ctx, tmp_path, plan("B1@EME", "Else", night), plan("C1@EME", "Third", peak_between("20:00", "21:00")))
    assert billed_hours(ctx, bill(*MAY, **quantities)) is None
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", night))
    found = billed_hours(ctx, bill(*MAY, **quantities))
    assert found is not None
    assert found.times[0].hours == "0:00-7:00"


def test_no_hours_are_given_for_days_with_a_gap(tmp_path: Path) -> None:
    """30 days have the billed 180 kWh from 15:00 to 21:00, but the bill is of 31."""
    ctx = metered(tmp_path, "2026-05-01", 31, without=["20260510"])
    import_plans(ctx, tmp_path, plan("A1@EME", "Lyrebird", peak_between("15:00", "21:00")))
    assert billed_hours(ctx, bill(*MAY, Peak="180", Off="183")) is None
