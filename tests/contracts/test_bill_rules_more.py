"""Section 4 of the contracts, rules 6 to 13: small cases worked by hand; see test_bill_rules."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from tests.contracts.priced import (
    JUNE,
    WEEK,
    billed,
    cents,
    codes,
    controlled,
    discount,
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

STEPS = [{"unitPrice": "0.20", "volume": 10}, {"unitPrice": "0.30"}]


def used(kwh: float) -> int:
    """Cents of the steps above for a bill with that many kWh in the first block of June's 720."""
    return round((kwh * 0.20 + (720 - kwh) * 0.30) * 110)


class TestBlocks:
    """June of 24 kWh a day: 720 kWh."""

    @pytest.mark.parametrize(
        ("period", "volume", "first"),
        [
            ("P1D", 10, 300),
            (None, 10, 300),
            ("P1M", 300, 300),
            ("P3M", 900, 300),
            ("P2M", 600, 300),
            ("P6M", 1800, 300),
            ("P1Y", 3650, 300),
            ("P2Y", 7300, 300),
            ("P1W", 70, 300),
            ("P7D", 70, 300),
            ("P90D", 900, 300),
        ],
    )
    def test_width_by_period(self, period: str | None, volume: float, first: float):
        single: dict[str, Any] = {"rates": [{"unitPrice": "0.20", "volume": volume}, {"unitPrice": "0.30"}]}
        offer = stepped(single | ({} if period is None else {"period": period}))
        bill = billed(offer, home(*JUNE, general=0.5))
        assert cents(bill) == {"usage": used(first)}
        assert [float(line.quantity) for line in bill.lines] == [first, 720 - first]

    def test_a_part_month_counts_its_share_of_days(self):
        offer = stepped({"rates": [{"unitPrice": "0.20", "volume": 300}, {"unitPrice": "0.30"}], "period": "P1M"})
        span = (date(2024, 5, 17), date(2024, 6, 10))  # 15/31 of May and 10/30 of June
        bill = billed(offer, home(*span, general=0.5), span)
        assert float(bill.lines[0].quantity) == pytest.approx(300 * (15 / 31 + 10 / 30))

    def test_pooled_evens_days_out_and_daily_does_not(self):
        household = home(*JUNE, general=0.0)
        household.registers = {"general": [10**9] * 16 * 48 + [0] * 16 * 48}  # 31 May to 15 June: 48 kWh a day
        offer = stepped({"rates": STEPS, "period": "P1D"})
        # 15 days of 48 kWh: pooled 300 of 720 in the first block; daily 15 × 10
        assert cents(billed(offer, household)) == {"usage": used(300)}
        assert cents(billed(offer, household, blocks="daily")) == {"usage": used(150)}

    @pytest.mark.parametrize(("price", "free"), [("0", 150), ("0.000001", 150), ("0.0005", 150), ("0.0006", 300)])
    def test_a_free_allowance_starts_afresh_each_day(self, price: str, free: float):
        household = home(*JUNE, general=0.0)
        household.registers = {"general": [10**9] * 16 * 48 + [0] * 16 * 48}
        offer = stepped({"rates": [{"unitPrice": price, "volume": 10}, {"unitPrice": "0.30"}], "period": "P1D"})
        assert float(billed(offer, household).lines[0].quantity) == free

    def test_widths_not_thresholds_and_a_note_where_they_rise(self):
        rates = [{"unitPrice": "0.10", "volume": 5}, {"unitPrice": "0.20", "volume": 10}, {"unitPrice": "0.30"}]
        bill = billed(stepped({"rates": rates, "period": "P1D"}), home(*JUNE, general=0.5))
        assert [float(line.quantity) for line in bill.lines] == [150, 300, 270]
        assert "rising_block_volumes" in codes(bill)
        level = [{"unitPrice": "0.10", "volume": 10}, {"unitPrice": "0.20", "volume": 10}, {"unitPrice": "0.30"}]
        bill = billed(stepped({"rates": level, "period": "P1D"}), home(*JUNE, general=0.5))
        assert "rising_block_volumes" not in codes(bill)

    def test_the_last_block_and_a_volume_of_nought_have_no_limit(self):
        last = [{"unitPrice": "0.20", "volume": 10}, {"unitPrice": "0.30", "volume": 1}]
        assert cents(billed(stepped({"rates": last, "period": "P1D"}), home(*JUNE, general=0.5))) == {
            "usage": used(300)
        }
        nought = [{"unitPrice": "0.20", "volume": 0}, {"unitPrice": "0.30"}]
        assert cents(billed(stepped({"rates": nought, "period": "P1D"}), home(*JUNE, general=0.5))) == {
            "usage": used(720)
        }

    def test_a_time_of_use_band_without_a_period_steps_by_the_month(self):
        offer = timed(("0.00", [window("00:00", "12:00")]), ("0.30", [window("12:00", "00:00")]))
        band = offer["electricityContract"]["tariffPeriod"][0]["timeOfUseRates"][1]
        band["rates"] = [{"unitPrice": "0.20", "volume": 100}, {"unitPrice": "0.30"}]
        # 360 kWh in the afternoon, 100 of them in the first block: (100 × 0.20 + 260 × 0.30) × 1.1
        assert cents(billed(offer, home(*JUNE, general=0.5))) == {"usage": 10780}

    def test_each_billing_period_and_each_season_has_its_own_width(self):
        steps = {"rates": STEPS, "period": "P1D"}
        offer = plan([season("", "07-01", "06-15", single=steps), season("0.50", "06-16", "06-30")])
        bill = billed(offer, home(*JUNE, general=0.5))
        assert [float(line.quantity) for line in bill.lines] == [150, 210, 360]
        cut = billed(offer, home(*JUNE, general=0.5), (JUNE[0], date(2024, 6, 5)), (date(2024, 6, 6), JUNE[1]))
        assert [float(line.quantity) for line in cut.lines] == [50, 70, 100, 140, 360]


CHARGE = {"displayName": "Demand", "amount": "0.10", "startTime": "15:00", "endTime": "21:00", "days": WEEK}


class TestDemand:
    def test_highest_half_hour_of_each_month_times_days(self):
        span = (date(2024, 5, 30), date(2024, 6, 29))
        household = home(*span, general=0.5)
        kwh = [*household.registers["general"]]
        kwh[48 + 30] = 2 * 10**9  # 30 May 15:00: 4 kW
        kwh[48 * 11 + 29] = 9 * 10**9  # 9 June 14:30: outside the window
        kwh[48 * 12 + 41] = 3 * 10**9  # 10 June 20:30: 6 kW
        household.registers = {"general": kwh}
        bill = billed(with_demand(flat("0.00"), CHARGE), household, span)
        # (4 kW × 2 days + 6 kW × 29 days) × 0.10 × 1.1
        assert cents(bill) == {"demand": 2002}
        # each billing period has its own months: 4 × 2, 6 × 15, 1 × 14
        cut = billed(
            with_demand(flat("0.00"), CHARGE),
            household,
            (span[0], date(2024, 6, 15)),
            (date(2024, 6, 16), span[1]),
        )
        assert cents(cut) == {"demand": 1078 + 154}

    def test_five_minute_reads_are_averaged_to_half_hours(self):
        household = home(*JUNE, general=0.0)
        household.minutes = 5
        household.registers = {"general": [0] * 288 * 32}
        household.registers["general"][288 + 186] = 10**9  # 15:30, 12 kW for five minutes
        assert cents(billed(with_demand(flat("0.00"), CHARGE), household)) == {"demand": 660}  # 2 kW × 30 × 0.11

    @pytest.mark.parametrize(
        ("limits", "kw"),
        [({}, 1), ({"minDemand": "1.5"}, 1.5), ({"maxDemand": "0.4"}, 0.4), ({"minDemand": "0.00"}, 1)],
    )
    def test_floor_and_cap(self, limits: dict[str, str], kw: float):
        assert cents(billed(with_demand(flat("0.00"), CHARGE | limits), home(*JUNE, general=0.5))) == {
            "demand": round(kw * 330)
        }

    @pytest.mark.parametrize(("amount", "expected"), [("2.00", 6600), ("2.01", 221), ("10", 1100)])
    def test_above_two_dollars_it_is_a_price_per_month(self, amount: str, expected: int):
        assert cents(billed(with_demand(flat("0.00"), CHARGE | {"amount": amount}), home(*JUNE, general=0.5))) == {
            "demand": expected
        }

    def test_a_part_month_of_a_monthly_price_goes_by_days(self):
        span = (date(2024, 6, 1), date(2024, 6, 15))
        bill = billed(with_demand(flat("0.00"), CHARGE | {"amount": "10"}), home(*span, general=0.5), span)
        assert cents(bill) == {"demand": 550}

    def test_in_cents_two_dollars_are_two_hundred(self):
        offer = with_demand(flat("30.00"), CHARGE | {"amount": "199"})
        assert cents(billed(offer, home(*JUNE, general=0.5)))["demand"] == 6567  # 1 kW × 30 × 1.99 × 1.1

    def test_no_window_is_not_priced_and_with_days_it_is_the_whole_day(self):
        none = {"displayName": "Demand", "amount": "0.10", "startTime": "0000", "endTime": "00:00"}
        off = {"weekdays": False, "saturday": False, "sunday": False}
        for charge in (none, none | {"days": []}, none | {"days": off}):
            bill = billed(with_demand(flat("0.00"), charge), home(*JUNE, general=0.5))
            assert cents(bill) == {}
            assert any("window" in problem.reason for problem in bill.problems)
        whole = billed(with_demand(flat("0.00"), none | {"days": WEEK[:5]}), home(*JUNE, general=0.5))
        assert cents(whole) == {"demand": 330}

    def test_a_weekend_without_a_weekday_window_has_no_demand_and_no_problem(self):
        weekend = (date(2024, 6, 1), date(2024, 6, 2))
        bill = billed(with_demand(flat("0.00"), CHARGE | {"days": WEEK[:5]}), home(*weekend, general=0.5), weekend)
        assert cents(bill) == {}
        assert bill.problems == ()

    def test_controlled_load_never_counts_and_kva_is_noted(self):
        bill = billed(
            with_demand(flat("0.00"), CHARGE | {"measureUnit": "KVA"}), home(*JUNE, general=0.5, controlled=2.0)
        )
        assert cents(bill) == {"demand": 330}
        assert "demand_unit" in codes(bill)

    def test_a_text_of_twelve_months_is_noted(self):
        text = {"description": "Highest demand in the previous 12 months"}
        bill = billed(with_demand(flat("0.00"), CHARGE | text), home(*JUNE, general=0.5))
        assert "demand_rolling" in codes(bill)


class TestControlledLoad:
    HOME = home(*JUNE, general=0.0, controlled=0.5)

    def test_the_first_of_several_and_its_supply_charge(self):
        bill = billed(flat(controlledLoad=[controlled("0.10", "0.20"), controlled("0.15")]), self.HOME)
        assert cents(bill) == {"controlled_load": 7920 + 660}  # 720 × 0.10 × 1.1, 30 × 0.20 × 1.1
        assert "controlled_loads_first" in codes(bill)

    def test_no_register_no_supply_charge(self):
        assert cents(billed(flat(controlledLoad=[controlled("0.10", "0.20")]), home(*JUNE, general=0.5))) == {
            "usage": 23760
        }

    def test_without_a_tariff_of_its_own_it_is_usage(self):
        bill = billed(flat(), self.HOME)
        assert cents(bill) == {"usage": 23760}
        assert "controlled_load_as_usage" in codes(bill)

    @pytest.mark.parametrize("shape", [lambda item: item, lambda item: [item]])
    def test_the_older_form(self, shape: Any):
        old = {"displayName": "Hot water", "rates": [{"unitPrice": "0.10"}], "period": "P1Y", "dailyCharge": "0.20"}
        assert cents(billed(flat(controlledLoad=shape(old)), self.HOME)) == {"controlled_load": 8580}

    def test_bands_and_their_one_supply_charge(self):
        bands = [
            {"rates": [{"unitPrice": "0.10"}], "timeOfUse": [window("00:00", "12:00")], "dailySupplyCharge": "0.20"},
            {"rates": [{"unitPrice": "0.20"}], "timeOfUse": [window("12:00", "00:00")], "dailySupplyCharge": "0.20"},
        ]
        item = {"displayName": "Hot water", "rateBlockUType": "timeOfUseRates", "timeOfUseRates": bands}
        assert cents(billed(flat(controlledLoad=[item]), self.HOME)) == {"controlled_load": 3960 + 7920 + 660}

    def test_its_dates_are_honoured(self):
        half = controlled("0.10", "0.20", startDate="2024-06-16", endDate="2024-12-31")
        # 15 days as usage at 0.30, 15 at 0.10 and their supply
        assert cents(billed(flat(controlledLoad=[half]), self.HOME)) == {"usage": 11880, "controlled_load": 3960 + 330}


def varying(name: str, *bands: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    rates = [{"rates": [{"unitPrice": price}], "timeVariations": windows, "type": "PEAK"} for price, windows in bands]
    head = {"displayName": name, "payerType": "RETAILER", "scheme": "OTHER", "tariffUType": "timeVaryingTariffs"}
    return head | {"timeVaryingTariffs": rates}


class TestFeedIn:
    """June of 24 kWh a day exported: 720 kWh."""

    HOME = home(*JUNE, general=0.0, export=0.5)

    def paid(self, *tariffs: dict[str, Any], **options: str) -> int:
        return -cents(billed(flat(solarFeedInTariff=list(tariffs)), self.HOME, **options)).get("feed_in", 0)

    def test_entries_with_widths_are_steps(self):
        first = solar("0.12", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}]})
        # 300 × 0.12 + 420 × 0.05
        assert self.paid(first, solar("0.05")) == 5700
        inside = solar(
            "", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}, {"unitPrice": "0.05", "volume": 0}]}
        )
        assert self.paid(inside) == 5700

    def test_otherwise_the_first_counts_and_it_is_noted(self):
        bill = billed(flat(solarFeedInTariff=[solar("0.05"), solar("0.12")]), self.HOME)
        assert cents(bill) == {"feed_in": -3600}
        assert "feed_in_alternatives" in codes(bill)

    def test_premium_and_government_tariffs_are_left_out(self):
        closed = [solar("0.60", scheme="PREMIUM"), solar("0.44", payerType="GOVERNMENT")]
        assert self.paid(*closed, solar("0.05")) == 3600
        assert self.paid(*closed) == 0

    def test_the_older_amount_is_one_rate(self):
        assert self.paid(solar("", singleTariff={"amount": "0.05"})) == 3600

    def test_time_varying_entries_of_one_name_combine_unless_they_overlap(self):
        evening = varying("Solar", ("0.20", [window("16:00", "21:00")]))
        rest = varying("Solar", ("0.05", [window("21:00", "16:00")]))
        all_day = varying("Solar", ("0.05", [window("00:00", "00:00")]))
        other = varying("Other", ("0.05", [window("21:00", "16:00")]))
        # 5 hours × 30 × 0.20 + 19 × 30 × 0.05
        assert self.paid(evening, rest) == 3000 + 2850
        assert self.paid(evening, all_day) == 3000
        assert self.paid(evening, other) == 3000

    def test_of_several_of_one_name_those_that_fit_the_first_combine(self):
        evening = varying("Solar", ("0.20", [window("16:00", "21:00")]))
        all_day = varying("Solar", ("0.40", [window("00:00", "00:00")]))
        rest = varying("Solar", ("0.05", [window("21:00", "16:00")]))
        bill = billed(flat(solarFeedInTariff=[evening, all_day, rest]), self.HOME)
        assert cents(bill) == {"feed_in": -3000 - 2850}
        assert "feed_in_alternatives" in codes(bill)

    def test_bands_that_overlap_within_an_entry_do_not_part_it_from_another(self):
        # 16:00 to 21:00 at 0.20, but 18:00 to 19:00 at 0.30, the shorter: 4 h x 30 x 0.20 + 1 h x 30 x 0.30
        evening = varying("Solar", ("0.20", [window("16:00", "21:00")]), ("0.30", [window("18:00", "19:00")]))
        rest = varying("Solar", ("0.05", [window("21:00", "16:00")]))
        assert self.paid(evening, rest) == 2400 + 900 + 2850

    def test_without_times_a_feed_in_band_is_the_whole_day(self):
        weekdays, weekend = [{"days": WEEK[:5]}], [{"days": WEEK[5:], "startTime": None}]
        # June 2024 has 20 weekdays and 10 days of weekend
        assert self.paid(varying("Solar", ("0.20", weekdays), ("0.05", weekend))) == 9600 + 1200

    def test_a_negative_price_charges(self):
        assert self.paid(solar("-0.01")) == -720

    def test_steps_go_by_the_day_where_no_period_is_named_also_daily(self):
        steps = solar("", singleTariff={"rates": [{"unitPrice": "0.12", "volume": 10}, {"unitPrice": "0.05"}]})
        assert self.paid(steps) == self.paid(steps, blocks="daily") == 5700

    def test_dates_are_honoured(self):
        gone = solar("0.12", startDate="2024-01-01", endDate="2024-06-10")
        assert self.paid(gone, solar("0.05", startDate="2024-06-11", endDate="9999-12-31")) == 2880 + 2400

    def test_steps_of_different_dates_combine_while_both_are_in_force(self):
        single = {"rates": [{"unitPrice": "0.12", "volume": 10}]}
        first = solar("", singleTariff=single, startDate="2024-06-16", endDate="2030-12-31")
        # 15 days at 0.05, then 10 kWh a day at 0.12 and 14 at 0.05
        assert self.paid(first, solar("0.05")) == 1800 + 1800 + 1050


class TestDiscounts:
    """30 days at 1.00 and 720 kWh at 0.30: 33.00 + 237.60 with GST."""

    HOME = home(*JUNE, general=0.5, export=0.5)

    def off(self, *discounts: dict[str, Any], **options: str) -> int:
        offer = flat(supply="1.00", discounts=list(discounts), solarFeedInTariff=[solar("0.05")])
        return -cents(billed(offer, self.HOME, **options)).get("discount", 0)

    @pytest.mark.parametrize("rate", ["0.05", "5", "5.0"])
    def test_percent_of_bill_and_of_use(self, rate: str):
        assert self.off(discount("percentOfBill", rate)) == 1353
        assert self.off(discount("percentOfUse", rate)) == 1188

    def test_percentages_are_added_up(self):
        assert self.off(discount("percentOfBill", "0.05"), discount("percentOfBill", "2")) == 1894  # 7 % of 270.60

    def test_which_count(self):
        both = discount("percentOfBill", "0.05"), discount("percentOfBill", "0.10", kind="CONDITIONAL")
        assert [self.off(*both, discounts=which) for which in ("guaranteed", "all", "none")] == [1353, 4059, 0]

    def test_one_is_one_per_cent(self):
        assert self.off(discount("percentOfBill", "1")) == 271

    def test_over_a_threshold(self):
        item = {"type": "GUARANTEED", "methodUType": "percentOverThreshold", "displayName": "Big"}
        item["percentOverThreshold"] = {"rate": "0.10", "usageAmount": "220"}
        assert self.off(item) == 1650  # 500 kWh × 0.30 × 1.1 × 10 %

    def test_fixed_amounts_are_noted_not_billed(self):
        fixed = {
            "type": "GUARANTEED",
            "methodUType": "fixedAmount",
            "fixedAmount": {"amount": "50"},
            "displayName": "Welcome",
        }
        bill = billed(flat(discounts=[fixed]), self.HOME)
        assert "discount" not in cents(bill)
        assert "fixed_discount" in codes(bill)

    def test_tax_comes_off_too(self):
        bill = billed(flat(supply="1.00", discounts=[discount("percentOfBill", "0.05")]), self.HOME)
        assert bill.gst_minor == 300 + 2160 - 123


class TestFees:
    @pytest.mark.parametrize(
        ("fee", "expected"),
        [
            ({"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "365"}, 3000),
            ({"type": "MEMBERSHIP", "term": "FIXED", "amount": "365"}, 3000),
            ({"type": "OTHER", "term": "ANNUAL", "amount": "365"}, 3000),
            ({"type": "OTHER", "term": "MONTHLY", "amount": "16.49"}, 1649),
            ({"type": "OTHER", "term": "WEEKLY", "amount": "7"}, 3000),
            ({"type": "OTHER", "term": "DAILY", "amount": "0.077"}, 231),
            ({"type": "CC_PROCESSING", "term": "PERCENT_OF_BILL", "rate": "0.45"}, 0),
            ({"type": "DISCONNECTION", "term": "FIXED", "amount": "57.37"}, 0),
        ],
    )
    def test_only_what_recurs(self, fee: dict[str, str], expected: int):
        assert cents(billed(flat("0.00", fees=[fee]), home(*JUNE, general=0.5))).get("fee", 0) == expected

    def test_cents_never_reach_fees(self):
        fee = {"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "365"}
        meter = [{"displayName": "Meter", "minimumValue": "10", "period": "P1D"}]
        bill = billed(flat("30", fees=[fee], metering=meter), home(*JUNE, general=0.5))
        assert cents(bill) == {"usage": 23760, "fee": 3000, "metering": 330}

    def test_green_power_and_incentives_are_notes(self):
        green = [
            {
                "displayName": "GreenPower 100",
                "scheme": "GREENPOWER",
                "type": "FIXED_PER_UNIT",
                "tiers": [{"amount": "0.04"}],
            }
        ]
        bill = billed(
            flat("0.00", greenPowerCharges=green, incentives=[{"displayName": "A gift"}]), home(*JUNE, general=0.5)
        )
        assert cents(bill) == {}
        assert {"green_power_not_billed", "incentives_not_billed"} <= set(codes(bill))


class TestScale:
    @pytest.mark.parametrize(("price", "expected"), [("3", 237600), ("3.01", 2384), ("30", 23760)])
    def test_above_three_dollars_a_price_is_in_cents(self, price: str, expected: int):
        bill = billed(flat(price), home(*JUNE, general=0.5))
        assert cents(bill) == {"usage": expected}
        assert ("prices_in_cents" in codes(bill)) == (expected < 200000)

    def test_all_prices_of_the_plan_are_scaled_together(self):
        offer = flat("30", supply="100", controlledLoad=[controlled("2", "1")], solarFeedInTariff=[solar("5")])
        assert cents(billed(offer, home(*JUNE, general=0.5, controlled=0.5, export=0.5))) == {
            "supply": 3300,
            "usage": 23760,
            "controlled_load": 1584 + 33,
            "feed_in": -3600,
        }


class TestGaps:
    def test_missing_intervals_are_never_nought_in_silence(self):
        household = home(*JUNE, general=0.5)
        kwh = [*household.registers["general"]]
        household.registers = {"general": [*kwh[: 48 * 21], *[None] * 48 * 5, *kwh[48 * 26 :]]}
        bill = billed(flat(supply="1.00"), household)
        assert cents(bill) == {"supply": 3300, "usage": 25 * 792}
        assert bill.quality.missing_share == pytest.approx(5 / 30)
        assert bill.quality.measured_share == pytest.approx(25 / 30)
        assert bill.quality.substituted_share == 0
        assert "2024-06-21 to 2024-06-25" in said(bill)
