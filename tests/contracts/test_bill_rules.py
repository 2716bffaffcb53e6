"""Section 4 of the contracts, rule by rule: small cases worked by hand, priced by the engine and by the referee."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.contracts.priced import (
    JUNE,
    WEEK,
    billed,
    cents,
    flat,
    home,
    plan,
    said,
    season,
    solar,
    stepped,
    timed,
    window,
    with_demand,
)


class TestGst:
    def test_prices_without_tax_are_grossed_up_and_the_rest_is_as_stated(self):
        offer = flat(
            "0.30",
            supply="1.00",
            controlledLoad=[{"singleRate": {"rates": [{"unitPrice": "0.20"}]}, "rateBlockUType": "singleRate"}],
            solarFeedInTariff=[solar("0.05")],
            fees=[{"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "36.50"}],
            metering=[{"displayName": "Meter", "minimumValue": "0.10", "period": "P1D"}],
        )
        bill = billed(offer, home(*JUNE, general=0.25, controlled=0.125, export=0.5))
        assert cents(bill) == {
            "supply": 3300,  # 30 × 1.00 × 1.1
            "usage": 11880,  # 30 × 12 kWh × 0.30 × 1.1
            "controlled_load": 3960,  # 30 × 6 × 0.20 × 1.1
            "metering": 330,  # 30 × 0.10 × 1.1
            "fee": 300,  # 36.50 × 30 ÷ 365, tax inside
            "feed_in": -3600,  # 30 × 24 × 0.05, no tax
        }
        # ÷ 11 per line, rounded: 300 + 1080 + 360 + 30 + 27.27
        assert bill.gst_minor == 300 + 1080 + 360 + 30 + 27
        taxes = {line.component: line.gst for line in bill.lines}
        assert taxes == {
            "supply": "added",
            "usage": "added",
            "controlled_load": "added",
            "metering": "added",
            "fee": "included",
            "feed_in": "none",
        }

    def test_the_general_price_of_a_quota_plan_holds_its_tax(self):
        single = {"rates": [{"unitPrice": "0.20", "volume": 5}], "period": "P1D", "generalUnitPrice": "0.33"}
        bill = billed(stepped(single, pricingModel="QUOTA"), home(*JUNE, general=0.25))
        # 150 kWh × 0.20 × 1.1 = 33.00; 210 kWh × 0.33 = 69.30
        assert [(line.amount_minor, line.gst, line.gst_minor) for line in bill.lines] == [
            (3300, "added", 300),
            (6930, "included", 630),
        ]

    def test_a_price_named_only_in_general_is_used(self):
        bill = billed(stepped({"generalUnitPrice": "0.33"}), home(*JUNE, general=0.25))
        assert [(line.amount_minor, line.gst) for line in bill.lines] == [(11880, "included")]

    def test_halves_of_a_cent_go_away_from_zero(self):
        offer = flat("0.00", supply="0.05", solarFeedInTariff=[solar("0.005")])
        day = (date(2024, 6, 3), date(2024, 6, 3))
        # 0.05 × 1.1 = 5.5 cents; 1 kWh × 0.005 = half a cent
        assert cents(billed(offer, home(*day, general=0.1, export=1 / 48), day)) in (
            {"supply": 6, "feed_in": -1},
            {"supply": 6},
        )
        exact = home(*day, general=0.1, export=0.5)  # 24 kWh × 0.000208333 is below half a cent, 24 × 0.0002084 above
        below = flat("0.00", solarFeedInTariff=[solar("0.0002083")])
        above = flat("0.00", solarFeedInTariff=[solar("0.0002084")])
        half = flat("0.00", solarFeedInTariff=[solar("0.000625")])  # 24 × 0.000625 = 1.5 cents
        assert [cents(billed(offer, exact, day)) for offer in (below, above, half)] == [
            {},
            {"feed_in": -1},
            {"feed_in": -2},
        ]


class TestClock:
    """Australia/Sydney springs forward at 02:00 on 6 October 2024 and falls back at 03:00 on 7 April 2024."""

    @pytest.mark.parametrize(("clock", "spring", "autumn"), [("LOCAL", 0, 4), ("AEST", 2, 2), (None, 2, 2)])
    def test_two_to_three_in_the_morning(self, clock: str | None, spring: int, autumn: int):
        zone = {} if clock is None else {"timeZone": clock}
        offer = timed(("1.00", [window("02:00", "03:00")]), ("0.00", [window("03:00", "02:00")]), **zone)
        for day, halves in ((date(2024, 10, 6), spring), (date(2024, 4, 7), autumn)):
            bill = billed(offer, home(day, day, general=0.5), (day, day))
            assert cents(bill).get("usage", 0) == halves * 55

    def test_a_local_day_has_23_or_25_hours(self):
        for day, hours in ((date(2024, 10, 6), 23), (date(2024, 4, 7), 25)):
            bill = billed(flat("1.00", timeZone="LOCAL"), home(day, day, general=0.5), (day, day))
            assert cents(bill) == {"usage": hours * 110}
            assert cents(billed(flat("1.00"), home(day, day, general=0.5), (day, day))) == {"usage": 2640}

    def test_adelaides_half_hour_moves_the_day(self):
        day = date(2024, 6, 3)
        offer = timed(("1.00", [window("00:00", "00:30")]), ("0.00", [window("00:30", "00:00")]), timeZone="LOCAL")
        household = home(day, day, "Australia/Adelaide")
        # 00:00 in Adelaide is 00:30 AEST: the second half hour of the meter day
        household.registers = {"general": [0] * 48 + [10**9, 2 * 10**9, 4 * 10**9] + [0] * 93}
        assert cents(billed(offer, household, (day, day))) == {"usage": 220}

    def test_the_tariff_periods_zone_goes_before_the_contracts(self):
        day = date(2024, 10, 6)
        offer = timed(("1.00", [window("02:00", "03:00")]), ("0.00", [window("03:00", "02:00")]), timeZone="AEST")
        offer["electricityContract"]["tariffPeriod"][0]["timeZone"] = "LOCAL"
        assert cents(billed(offer, home(day, day, general=0.5), (day, day))) == {}

    def test_demand_of_an_hour_that_comes_twice(self):
        day = date(2024, 4, 7)
        demand = {"amount": "1.00", "startTime": "02:00", "endTime": "03:00"}
        offer = with_demand(flat("0.00", timeZone="LOCAL"), demand)
        assert cents(billed(offer, home(day, day, general=0.5), (day, day))) == {"demand": 110}


class TestWindows:
    DAY = (date(2024, 6, 3), date(2024, 6, 3))  # a Monday
    REST = "0.00"

    @pytest.mark.parametrize(
        ("start", "end"),
        [
            ("T07:00:00", "T22:00:00"),
            ("07:00", "21:59"),
            ("07:00:00", "21:59:00"),
            ("07:00:00", "21:59:59"),
            ("700", "2159"),
            ("0700", "2200"),
            ("7:00", "22:00"),
        ],
    )
    def test_every_way_to_write_seven_to_ten(self, start: str, end: str):
        offer = timed(("1.00", [window(start, end)]), (self.REST, [window("2200", "659")]))
        assert cents(billed(offer, home(*self.DAY, general=0.5), self.DAY)) == {"usage": 1650}

    @pytest.mark.parametrize(
        ("start", "end", "halves"),
        [
            ("0", "59", 2),
            ("00:00", "00:00", 48),
            ("0", "0", 48),
            ("0000", "2359", 48),
            ("23:00", "00:00", 2),
            ("2300", "2359", 2),
            ("22:00", "00:59", 6),
            ("00:00:00", "23:59:00", 48),
            ("00:00", "24:00", 48),
        ],
    )
    def test_ends(self, start: str, end: str, halves: int):
        bill = billed(timed(("1.00", [window(start, end)])), home(*self.DAY, general=0.5), self.DAY)
        assert cents(bill) == {"usage": halves * 55}
        assert bool(bill.unpriced) == (halves < 48) == bool(bill.problems)

    def test_hours_that_are_not_said_are_not_priced(self):
        bill = billed(timed(("1.00", [{"days": ["MON"]}])), home(*self.DAY, general=0.5), self.DAY)
        assert cents(bill) == {}
        assert bill.problems
        assert bill.unpriced == 24

    def test_days_name_the_day_each_minute_falls_on_also_where_a_window_wraps(self):
        week = (date(2024, 6, 3), date(2024, 6, 9))
        offer = timed(("1.00", [window("22:00", "07:00", "SAT")]), (self.REST, [window("00:00", "00:00")]))
        # Saturday 00:00 to 07:00 and 22:00 to 24:00: nine hours, none of them on Sunday
        assert cents(billed(offer, home(*week, general=0.5), week)) == {"usage": 990}

    @pytest.mark.parametrize(
        "days", [WEEK[:5], ["BUSINESS_DAYS"], ["business_days"], {"weekdays": True, "sunday": False}]
    )
    def test_business_days_are_monday_to_friday_also_on_a_holiday(self, days: Any):
        week = (date(2024, 6, 10), date(2024, 6, 16))  # Monday is the King's Birthday in New South Wales
        peak = {"startTime": "00:00", "endTime": "00:00", "days": days}
        offer = timed(("1.00", [peak]), (self.REST, [window("00:00", "00:00")]))
        household = home(*week, general=0.5)
        household.holidays = {date(2024, 6, 10)}
        assert cents(billed(offer, household, week)) == {"usage": 5 * 2640}

    @pytest.mark.parametrize(
        ("days", "billable"), [(["PUBLIC_HOLIDAYS"], 1), (["SUN", "PUBLIC_HOLIDAYS"], 1), ([*WEEK[:2]], 2)]
    )
    def test_public_holidays_count_where_they_are_the_only_day_named(self, days: list[str], billable: int):
        week = (date(2024, 6, 10), date(2024, 6, 16))
        offer = timed(("1.00", [window("07:00", "08:00", *days)]), (self.REST, [window("00:00", "00:00")]))
        household = home(*week, general=0.5)
        household.holidays = {date(2024, 6, 10)}
        assert cents(billed(offer, household, week)) == {"usage": billable * 110}

    def test_in_two_windows_the_one_with_fewer_minutes_counts_then_the_first(self):
        offer = timed(
            ("0.10", [window("00:00", "00:00")]),
            ("1.00", [window("10:00", "12:00")]),
            ("2.00", [window("11:00", "13:00")]),
        )
        # 10–12 at 1.00, 12–13 at 2.00, 21 hours at 0.10
        assert cents(billed(offer, home(*self.DAY, general=0.5), self.DAY)) == {"usage": 220 + 220 + 231}

    def test_an_interval_belongs_where_its_start_is(self):
        offer = timed(("1.00", [window("07:15", "08:15")]), (self.REST, [window("08:15", "07:15")]))
        # half hours that start at 07:30 and 08:00
        assert cents(billed(offer, home(*self.DAY, general=0.5), self.DAY)) == {"usage": 110}

    def test_unreadable_times_are_listed_and_the_rest_is_priced(self):
        offer = timed(("1.00", [window("59::00", "08:00")]), ("0.50", [window("09:00", "10:00")]))
        bill = billed(offer, home(*self.DAY, general=0.5), self.DAY)
        assert cents(bill) == {"usage": 55}
        assert "59::00" in said(bill)
        assert float(bill.unpriced) == 23.0


class TestSeasons:
    @pytest.mark.parametrize(
        "dates",
        [
            [("04-01", "09-30"), ("10-01", "03-31")],
            [("01-04", "30-09"), ("01-10", "31-03")],
        ],
    )
    def test_month_day_or_day_month_whichever_tiles(self, dates: list[tuple[str, str]]):
        offer = plan([season(price, *span, supply="1.00") for price, span in zip(("0.10", "0.20"), dates, strict=True)])
        both = (date(2024, 3, 30), date(2024, 4, 2))
        bill = billed(offer, home(*both, general=0.5), both)
        # 2 × 24 × 0.20 × 1.1 and 2 × 24 × 0.10 × 1.1; four days of supply
        assert cents(bill) == {"supply": 440, "usage": 1056 + 528}
        assert sorted(line.amount_minor for line in bill.lines if line.component == "usage") == [528, 1056]

    def test_both_forms_valid_and_only_one_tiles(self):
        offer = plan([season("0.10", "01-02", "01-05"), season("0.20", "02-05", "31-01")])
        day = (date(2024, 3, 3), date(2024, 3, 3))  # day-month: 1 February to 1 May
        assert cents(billed(offer, home(*day, general=0.5), day)) == {"usage": 264}

    def test_29_february_goes_with_the_28th(self):
        leap = (date(2024, 2, 29), date(2024, 2, 29))
        whole = plan([season("0.10", "03-01", "02-28", supply="1.00")])
        assert cents(billed(whole, home(*leap, general=0.5), leap)) == {"supply": 110, "usage": 264}
        two = plan([season("0.10", "03-01", "11-30"), season("0.20", "12-01", "02-28")])
        assert cents(billed(two, home(*leap, general=0.5), leap)) == {"usage": 528}

    def test_one_supply_charge_a_day_however_many_periods_cover_it(self):
        demand = {"displayName": "Demand", "rateBlockUType": "demandCharges", "dailySupplyCharges": "5.00"}
        demand |= {"startDate": "12-01", "endDate": "03-31"}
        demand["demandCharges"] = [{"amount": "0.10", "startTime": "15:00", "endTime": "21:00"}]
        offer = plan([season("0.10", "01-01", "12-31", supply="1.00"), demand])
        march = (date(2024, 3, 30), date(2024, 4, 2))
        # two demand days at 1 kW
        assert cents(billed(offer, home(*march, general=0.5), march)) == {"supply": 440, "usage": 1056, "demand": 22}

    @pytest.mark.parametrize("key", ["dailySupplyCharges", "dailySupplyCharge", "daily_supply_charge"])
    def test_both_names_of_the_supply_charge(self, key: str):
        offer = flat("0.10")
        offer["electricityContract"]["tariffPeriod"][0][key] = "1.00"
        assert cents(billed(offer, home(*JUNE, general=0.0), JUNE)) == {"supply": 3300}

    @pytest.mark.parametrize(("kwh", "price"), [(0.5, 100), (2.0, 200), (5.0, 300)])
    def test_a_banded_supply_charge_goes_by_the_years_energy(self, kwh: float, price: int):
        """24, 96 and 240 kWh a day are 8,760, 35,040 and 87,600 a year; the bands are 20,000 wide."""
        bands = [{"unitPrice": "1.00", "volume": 20000}, {"unitPrice": "2.00", "volume": 20000}, {"unitPrice": "3.00"}]
        offer = flat("0.00")
        offer["electricityContract"]["tariffPeriod"][0] |= {
            "dailySupplyChargeType": "BAND",
            "bandedDailySupplyCharges": [band | {"measureUnit": "DAYS"} for band in bands],
        }
        assert cents(billed(offer, home(*JUNE, general=kwh))) == {"supply": 33 * price}

    def test_days_of_no_season_are_listed(self):
        offer = plan([season("0.10", "01-01", "06-15", supply="1.00")])
        bill = billed(offer, home(*JUNE, general=0.5))
        assert cents(bill) == {"supply": 1650, "usage": 15 * 264}
        assert float(bill.unpriced) == 15 * 24
        assert bill.problems
