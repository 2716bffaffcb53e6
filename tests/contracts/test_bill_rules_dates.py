"""Section 4 of the contracts, rules 5 and 8: dates of controlled load, feed-in and discounts; see test_bill_rules."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from tests.contracts.priced import (
    billed,
    cents,
    codes,
    controlled,
    discount,
    flat,
    home,
    orders,
    plan,
    season,
    solar,
)
from toolkit.analytics.energy.bills import Bill

DAY_FIRST = [("01-04", "30-09"), ("01-10", "31-03")]
MONTH_FIRST = [("04-01", "09-30"), ("10-01", "03-31")]
LEAP_DAY = date(2024, 2, 29)


def of_days(first: date, last: date, offer: dict[str, Any], **options: Any) -> Bill:
    """24 kWh a day of general use, 48 of controlled load, 12 sent out."""
    return billed(offer, home(first, last, general=0.5, controlled=1.0, export=0.25), (first, last), **options)


def on(day: date, offer: dict[str, Any], *, priced_for: date | None = None) -> Bill:
    """priced_for: on a plan that is not the household's own."""
    return of_days(day, day, offer, on=priced_for)


def dated(entry: dict[str, Any], start: str, end: str) -> dict[str, Any]:
    return entry | {"startDate": start, "endDate": end}


def seasonal(dates: list[tuple[str, str]], **contract: Any) -> dict[str, Any]:
    """0.30 per kWh in each season."""
    return plan([season("0.30", *span) for span in dates], **contract)


def undated(**contract: Any) -> dict[str, Any]:
    single = {"rateBlockUType": "singleRate", "singleRate": {"rates": [{"unitPrice": "0.30"}]}}
    return plan([single], **contract)


AS_USAGE = {"usage": 2376}  # 72 kWh × 0.30 × 1.1
APART = {"usage": 792, "controlled_load": 539}  # 24 × 0.30 × 1.1; 48 × 0.10 × 1.1 and 0.10 × 1.1 of supply


class TestLeapDay:
    @pytest.mark.parametrize("dates", [("03-01", "02-28"), ("12-01", "02-28"), ("01-12", "28-02")])
    def test_controlled_load_that_ends_on_the_28th_holds_on_the_29th(self, dates: tuple[str, str]):
        offer = flat(controlledLoad=[dated(controlled("0.10", "0.10"), *dates)])
        assert cents(on(LEAP_DAY, offer)) == APART

    def test_controlled_loads_that_join_after_february(self):
        summer = dated(controlled("0.10"), "12-01", "02-28")
        rest = dated(controlled("0.30"), "03-01", "11-30")
        bill = of_days(LEAP_DAY - timedelta(1), LEAP_DAY + timedelta(1), flat("0.00", controlledLoad=[rest, summer]))
        # 28 and 29 February: 96 kWh × 0.10 × 1.1; 1 March: 48 × 0.30 × 1.1
        assert sorted(line.amount_minor for line in bill.lines if line.amount_minor) == [1056, 1584]

    def test_feed_in_too_unless_another_begins_there(self):
        summer, rest = dated(solar("0.05"), "12-01", "02-28"), dated(solar("0.10"), "03-01", "11-30")
        assert cents(on(LEAP_DAY, flat("0.00", solarFeedInTariff=[summer, rest]))) == {"feed_in": -60}
        from_there = dated(solar("0.10"), "02-29", "11-30")
        assert cents(on(LEAP_DAY, flat("0.00", solarFeedInTariff=[summer, from_there]))) == {"feed_in": -120}

    def test_a_discount_beside_one_that_holds_all_year(self):
        summer, always = discount("percentOfUse", "0.10"), discount("percentOfUse", "0.05")
        offer = flat(discounts=[dated(summer, "12-01", "02-28"), dated(always, "01-01", "12-31")])
        assert cents(on(LEAP_DAY, offer)) == {"usage": 2376, "discount": -356}  # 15 %

    def test_a_date_of_one_year_means_itself(self):
        offer = flat(controlledLoad=[dated(controlled("0.10", "0.10"), "2023-03-01", "2024-02-28")])
        assert cents(on(LEAP_DAY - timedelta(1), offer)) == APART
        assert cents(on(LEAP_DAY, offer)) == AS_USAGE


JANUARY, APRIL, JULY = date(2024, 1, 6), date(2024, 4, 20), date(2024, 7, 15)


class TestDayMonth:
    """`01-04` to `01-09` is 1 April to 1 September, or 4 to 9 January."""

    def test_controlled_load_is_read_as_the_seasons_are(self):
        loads = [dated(controlled("0.10", "0.10"), "01-04", "01-09")]
        day_first, month_first = (seasonal(dates, controlledLoad=loads) for dates in (DAY_FIRST, MONTH_FIRST))
        assert [cents(on(day, day_first)) for day in (JANUARY, JULY)] == [AS_USAGE, APART]
        assert [cents(on(day, month_first)) for day in (JANUARY, JULY)] == [APART, AS_USAGE]
        assert ("controlled load", "day-month") in orders(on(JULY, day_first))
        assert "day-month" not in dict(orders(on(JULY, month_first))).values()

    def test_feed_in_is_read_as_the_seasons_are(self):
        tariffs = [dated(solar("0.10"), "01-04", "01-09"), solar("0.05")]
        day_first, month_first = (seasonal(dates, solarFeedInTariff=tariffs) for dates in (DAY_FIRST, MONTH_FIRST))
        assert [cents(on(day, day_first))["feed_in"] for day in (JANUARY, JULY)] == [-60, -120]
        assert [cents(on(day, month_first))["feed_in"] for day in (JANUARY, JULY)] == [-120, -60]
        assert ("feed-in", "day-month") in orders(on(JULY, day_first))

    def test_discounts_are_read_as_the_seasons_are(self):
        cut = [dated(discount("percentOfUse", "0.10"), "01-06", "01-09")]
        offer = seasonal(DAY_FIRST, discounts=cut)
        assert cents(on(JULY, offer)) == {"usage": 2376, "discount": -238}
        assert ("discount", "day-month") in orders(on(JULY, offer))
        # 30 May to 2 June: 2 of 4 days, 10 % of 95.04 by half
        bill = of_days(date(2024, 5, 30), date(2024, 6, 2), offer)
        assert cents(bill) == {"usage": 9504, "discount": -475}

    def test_where_seasons_show_no_order_what_else_is_dated_does(self):
        loads = [dated(controlled("0.10", "0.10"), "01-04", "30-09")]
        cut = [dated(discount("percentOfUse", "0.10"), "01-06", "01-09")]
        bill = on(JULY, undated(controlledLoad=loads, discounts=cut))
        assert cents(bill) == APART | {"discount": -133}  # of 7.92 + 5.39
        assert orders(bill) == {("controlled load", "day-month"), ("discount", "day-month")}
        assert "discount" not in cents(on(JULY, undated(discounts=cut)))  # nothing speaks against 6 to 9 January

    def test_where_no_order_shows_the_one_that_tiles_the_year_counts(self):
        tariffs = [dated(solar("0.10"), "04-03", "03-04"), dated(solar("0.05"), "04-04", "03-03")]
        # 4 March to 3 April, 4 April to 3 March; the other way they would overlap
        offer = undated(solarFeedInTariff=tariffs)
        assert [cents(on(day, offer))["feed_in"] for day in (JANUARY, date(2024, 3, 20), APRIL)] == [-60, -120, -60]

    @pytest.mark.parametrize("dates", [("01-04", "30-09"), ("01-04", "01-09")])
    def test_what_the_seasons_order_cannot_read_is_read_in_the_other(self, dates: tuple[str, str]):
        """`30-09` cannot be month-day; what stands beside it is read as it is."""
        loads = [dated(controlled("0.10", "0.10"), *dates), dated(controlled("0.20"), "02-10", "31-03")]
        offer = flat(controlledLoad=loads)
        assert cents(on(JULY, offer)) == APART
        assert ("controlled load", "day-month") in orders(on(JULY, offer))
        assert cents(on(JANUARY, offer)) == {"usage": 792, "controlled_load": 1056}

    def test_the_other_way_round_it_is_noted_too(self):
        loads = [dated(controlled("0.10", "0.10"), "04-01", "09-30")]
        bill = on(JULY, seasonal(DAY_FIRST, controlledLoad=loads))
        assert cents(bill) == APART
        assert ("controlled load", "month-day") in orders(bill)


def test_several_controlled_loads_each_in_its_season():
    """1 July at 0.10, from 2 July at 0.20."""
    loads = [dated(controlled("0.10"), "01-01", "07-01"), dated(controlled("0.20"), "07-02", "12-31")]
    bill = of_days(date(2024, 7, 1), date(2024, 7, 2), flat("0.00", controlledLoad=loads))
    assert cents(bill) == {"controlled_load": 528 + 1056}
    assert "controlled_loads_by_day" in codes(bill)


def test_steps_of_a_season_and_of_a_year_combine_while_both_are_in_force():
    step = dated(solar("", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}]}), "07-01", "08-31")
    rest = dated(solar("0.05"), "2024-01-01", "2024-07-10")
    # 30 June: 12 × 0.05; 1 to 10 July: 10 × 0.12 + 2 × 0.05; 11 to 20 July: 12 × 0.12
    bill = of_days(date(2024, 6, 30), date(2024, 7, 20), flat("0.00", solarFeedInTariff=[step, rest]))
    assert cents(bill) == {"feed_in": -60 - 1300 - 1440}


def test_steps_of_seasons_that_share_some_days():
    """May and October are in both; in the other months each is by itself."""
    step = dated(solar("", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}]}), "10-01", "05-31")
    rest = dated(solar("0.05"), "05-01", "10-31")
    offer = flat("0.00", solarFeedInTariff=[step, rest])
    months = {day: cents(on(day, offer))["feed_in"] for day in (JANUARY, date(2024, 5, 9), JULY, date(2024, 10, 9))}
    assert list(months.values()) == [-144, -130, -60, -130]


YEAR = ("2024-01-01", "2024-12-31")
HALF = ("2024-01-01", "2024-06-30")
LONG = ("2024-10-11", "2030-06-30")
IN_2024, IN_2026 = date(2024, 3, 1), date(2026, 11, 22)
READ = [date(2023, 8, 1), date(2024, 8, 1), date(2025, 8, 1), date(2031, 8, 1)]


class TestDatesWithAYearOnAPlanThatIsNotTheHouseholdsOwn:
    """They say how long a component is on offer, not on which reads it counts."""

    @pytest.mark.parametrize("day", READ)
    @pytest.mark.parametrize(
        ("dates", "priced_for", "expected"),
        [
            (YEAR, IN_2026, APART),  # 366 days
            (YEAR, IN_2024, APART),
            (("2023-01-01", "2023-12-31"), IN_2026, APART),  # 365 days
            (("2023-01-01", "2023-12-30"), IN_2026, AS_USAGE),  # 364 days
            (HALF, IN_2024, APART),
            (HALF, date(2024, 6, 30), APART),
            (HALF, date(2024, 7, 1), AS_USAGE),
            (HALF, IN_2026, AS_USAGE),
            (LONG, IN_2026, APART),
        ],
    )
    def test_controlled_load(self, day: date, dates: tuple[str, str], priced_for: date, expected: dict[str, int]):
        bill = on(day, flat(controlledLoad=[dated(controlled("0.10", "0.10"), *dates)]), priced_for=priced_for)
        assert cents(bill) == expected
        assert ("on_offer" if expected == APART else "not_on_offer") in codes(bill)

    def test_on_the_households_own_plan_they_limit_the_days(self):
        offer = flat(controlledLoad=[dated(controlled("0.10", "0.10"), *YEAR)])
        assert [cents(on(day, offer)) for day in READ] == [AS_USAGE, APART, AS_USAGE, AS_USAGE]

    @pytest.mark.parametrize("day", READ)
    @pytest.mark.parametrize(
        ("dates", "priced_for", "expected"),
        [(LONG, IN_2026, -120), (LONG, IN_2024, -120), (HALF, IN_2024, -120), (HALF, IN_2026, 0)],
    )
    def test_feed_in(self, day: date, dates: tuple[str, str], priced_for: date, expected: int):
        bill = on(day, flat(solarFeedInTariff=[dated(solar("0.10"), *dates)]), priced_for=priced_for)
        assert cents(bill).get("feed_in", 0) == expected  # 12 kWh × 0.10

    @pytest.mark.parametrize("day", READ)
    @pytest.mark.parametrize(("dates", "expected"), [(YEAR, -238), (HALF, 0)])
    def test_discount(self, day: date, dates: tuple[str, str], expected: int):
        offer = flat(discounts=[dated(discount("percentOfUse", "0.10"), *dates)])
        assert cents(on(day, offer, priced_for=IN_2026)).get("discount", 0) == expected

    @pytest.mark.parametrize("day", READ)
    @pytest.mark.parametrize(
        ("priced_for", "price"),
        [(date(2023, 5, 1), 5), (date(2024, 5, 1), 10), (date(2021, 1, 1), 10), (IN_2026, 10)],
    )
    def test_of_several_the_one_that_holds_that_day_or_else_ends_last(self, day: date, priced_for: date, price: int):
        """Each makes a year. 12 kWh sent out."""
        offers = [dated(solar("0.05"), "2023-01-01", "2023-12-31"), dated(solar("0.10"), *YEAR)]
        assert cents(on(day, flat("0", solarFeedInTariff=offers), priced_for=priced_for)) == {"feed_in": -12 * price}

    @pytest.mark.parametrize(("priced_for", "price"), [(date(2024, 2, 1), 10), (date(2024, 9, 1), 20), (IN_2026, 20)])
    def test_of_several_short_ones_too(self, priced_for: date, price: int):
        later = dated(controlled("0.20"), "2024-07-01", "2024-12-31")
        offer = flat("0", controlledLoad=[dated(controlled("0.10"), *HALF), later])
        bill = on(READ[0], offer, priced_for=priced_for)
        assert cents(bill) == {"controlled_load": round(48 * price * 1.1)}

    def test_two_that_hold_that_day_stay_steps_of_one_tariff(self):
        step = dated(solar("", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}]}), *LONG)
        offer = flat("0", solarFeedInTariff=[step, dated(solar("0.05"), *LONG)])
        assert cents(on(READ[0], offer, priced_for=IN_2026)) == {"feed_in": -130}  # 10 × 0.12 + 2 × 0.05

    def test_dates_without_a_year_stay_seasons(self):
        summer, rest = dated(solar("0.05"), "12-01", "02-28"), dated(solar("0.10"), "03-01", "11-30")
        offer = flat("0", solarFeedInTariff=[summer, rest])
        assert [cents(on(day, offer, priced_for=IN_2026))["feed_in"] for day in (JANUARY, JULY)] == [-60, -120]
