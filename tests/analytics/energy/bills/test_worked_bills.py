"""Bills worked out by hand: every amount in a test can be checked with a pencil."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from tests.analytics.energy.bills.built import amounts, bill, codes, contract, flat, meter_days, reads_frame
from toolkit.analytics.energy.bills import Options
from toolkit.answers.base import Note

JUNE = (date(2024, 6, 1), date(2024, 6, 30))


def test_flat_rate():
    # 30 days × 48 × 0.25 kWh = 360 kWh × 0.30 × 1.1 = 118.80; supply 30 × 0.90 × 1.1 = 29.70
    priced = bill(flat("0.30", supply="0.90"), meter_days(JUNE[0], 30, "0.25"), JUNE)
    assert amounts(priced) == [("supply", "29.70"), ("usage", "118.80")]
    assert priced.total_minor == 14850
    assert priced.gst_minor == 270 + 1080
    assert priced.quality.measured_share == 1.0
    assert priced.quality.missing_share == 0.0


def test_a_line_names_its_price_its_block_and_its_tariff_period():
    # 30 days × 10 kWh: 4 kWh a day in the first block, 6 in the second; export paid by a single price
    rates = [{"unit_price": "0.30", "volume": 4}, {"unit_price": "0.40"}]
    single = {"display_name": "Anytime, block pricing", "rates": rates, "period": "P1D"}
    season = {"display_name": "All year", "daily_supply_charge": "0.90", "single_rate": single}
    feed_in = {"display_name": "Solar", "single_tariff": {"rates": [{"unit_price": "0.05"}]}}
    rows = [*meter_days(JUNE[0], 30, lambda at: "10" if at.hour + at.minute == 0 else "0")]
    rows += [(at, length, "export", energy) for at, length, _, energy in rows]
    priced = bill(contract(tariff_period=[season], solar_feed_in_tariff=[feed_in]), rows, JUNE)
    fields = priced.frame().select("label", "price_label", "block", "tariff_period", "quantity").rows()
    assert fields == [
        ("All year: daily supply", "All year: daily supply", None, "All year", 30),
        ("Anytime, block pricing, block 1", "Anytime, block pricing", 1, "All year", 120),
        ("Anytime, block pricing, block 2", "Anytime, block pricing", 2, "All year", 180),
        ("Solar", "Solar", None, None, 300),
    ]


def test_half_cents_round_away_from_zero():
    # one day, 1 kWh in total: 0.05 × 1.1 = 0.055 → 0.06; export 1 kWh × 0.005 = 0.005 → −0.01
    rows = [*meter_days(JUNE[0], 1, lambda at: "1" if at.hour + at.minute == 0 else "0")]
    rows += [(at, length, "export", energy) for at, length, _, energy in rows]
    given = flat("0.05", solar_feed_in_tariff=[{"single_tariff": {"rates": [{"unit_price": "0.005"}]}}])
    assert amounts(bill(given, rows, (JUNE[0], JUNE[0]))) == [("usage", "0.06"), ("feed_in", "-0.01")]


def test_cents_become_dollars_but_fees_do_not():
    given = flat("30", supply="90", fees=[{"type": "MEMBERSHIP", "term": "ANNUAL", "amount": "36.50"}])
    priced = bill(given, meter_days(JUNE[0], 30, "0.25"), JUNE)
    assert amounts(priced) == [("supply", "29.70"), ("usage", "118.80"), ("fee", "3.00")]
    assert "prices_in_cents" in codes(priced.notes)


TIME_OF_USE = [
    {"rates": [{"unit_price": "0.50"}], "display_name": "Peak", "time_of_use": [
        {"days": ["MON", "TUE", "WED", "THU", "FRI"], "start_time": "700", "end_time": "2159"}]},
    {"rates": [{"unit_price": "0.20"}], "display_name": "Off peak", "time_of_use": [
        {"days": ["MON", "TUE", "WED", "THU", "FRI"], "start_time": "22:00", "end_time": "06:59"},
        {"days": ["SAT", "SUN"], "start_time": "0", "end_time": "0000"}]},
]  # fmt: skip


def test_time_of_use_with_a_window_over_midnight():
    # Monday 3 to Sunday 9 June 2024. Peak: 5 days × 15 h × 2 × 0.25 = 37.5 kWh. All: 7 × 12 = 84, off peak 46.5 kWh.
    week = (date(2024, 6, 3), date(2024, 6, 9))
    priced = bill(contract(tariff_period=[{"time_of_use_rates": TIME_OF_USE}]), meter_days(week[0], 7, "0.25"), week)
    assert [(line.label, float(line.quantity)) for line in priced.lines] == [("Peak", 37.5), ("Off peak", 46.5)]
    assert amounts(priced) == [("usage", "20.63"), ("usage", "10.23")]  # 20.625 and 10.23
    assert priced.unpriced == 0


def test_seasons_with_leap_day_left_out():
    # 28 and 29 February are summer, 1 March is not.
    given = contract(
        tariff_period=[
            {"start_date": "03-01", "end_date": "11-30", "daily_supply_charge": "1", "display_name": "Rest",
             "single_rate": {"rates": [{"unit_price": "0.10"}]}},
            {"start_date": "12-01", "end_date": "02-28", "daily_supply_charge": "2", "display_name": "Summer",
             "single_rate": {"rates": [{"unit_price": "0.20"}]}},
        ]
    )  # fmt: skip
    span = (date(2024, 2, 28), date(2024, 3, 1))
    priced = bill(given, meter_days(span[0], 3, "0.5"), span)
    # Rest: 1 day, 24 kWh. Summer: 2 days, 48 kWh.
    assert amounts(priced) == [("supply", "1.10"), ("supply", "4.40"), ("usage", "2.64"), ("usage", "10.56")]


def test_seasons_written_day_first():
    periods = [
        {"start_date": "01-04", "end_date": "30-09", "single_rate": {"rates": [{"unit_price": "0.10"}]}},
        {"start_date": "01-10", "end_date": "31-03", "single_rate": {"rates": [{"unit_price": "0.20"}]}},
    ]
    priced = bill(contract(tariff_period=periods), meter_days(JUNE[0], 30, "0.25"), JUNE)
    assert amounts(priced) == [("usage", "39.60")]
    assert "date_order" in codes(priced.notes)


def test_blocks_pooled_and_daily():
    # 3 days with 5, 15 and 10 kWh; 10 kWh a day at 0.20, the rest at 0.40.
    rate = {"period": "P1D", "rates": [{"unit_price": "0.20", "volume": 10}, {"unit_price": "0.40"}]}
    given = contract(tariff_period=[{"single_rate": rate}])
    rows = [
        row
        for n, kwh in enumerate(["5", "15", "10"])
        for row in meter_days(date(2024, 6, 1 + n), 1, lambda at, kwh=kwh: kwh if at.hour + at.minute == 0 else "0")
    ]
    span = (date(2024, 6, 1), date(2024, 6, 3))
    assert amounts(bill(given, rows, span)) == [("usage", "6.60")]  # 30 of 30 kWh: 30 × 0.2 × 1.1
    daily = bill(given, rows, span, options=Options(blocks="daily"))
    assert amounts(daily) == [("usage", "5.50"), ("usage", "2.20")]  # 25 × 0.2 × 1.1, 5 × 0.4 × 1.1


def test_a_free_allowance_is_one_of_each_day():
    # 4 kWh free a day; days with 2 and 10 kWh: 6 kWh remain to be paid.
    rate = {"period": "P1D", "rates": [{"unit_price": "0", "volume": 4}, {"unit_price": "0.50"}]}
    rows = [
        *meter_days(date(2024, 6, 1), 1, lambda at: "2" if at.hour + at.minute == 0 else "0"),
        *meter_days(date(2024, 6, 2), 1, lambda at: "10" if at.hour + at.minute == 0 else "0"),
    ]
    priced = bill(contract(tariff_period=[{"single_rate": rate}]), rows, (date(2024, 6, 1), date(2024, 6, 2)))
    assert amounts(priced) == [("usage", "0.00"), ("usage", "3.30")]


@pytest.mark.parametrize(
    ("period", "first_block"),
    [("P1M", 100), ("P3M", Decimal(100) / 3), ("P1Y", Decimal(3000) / 365), ("P1W", Decimal(3000) / 7), ("P2M", 50)],
)
def test_block_widths_by_their_period(period, first_block):
    rate = {"period": period, "rates": [{"unit_price": "0.20", "volume": 100}, {"unit_price": "0.40"}]}
    rows = meter_days(JUNE[0], 30, "0.5")  # 720 kWh
    priced = bill(contract(tariff_period=[{"single_rate": rate}]), rows, JUNE)
    assert float(priced.lines[0].quantity) == pytest.approx(float(first_block))


def test_part_months_count_their_share_of_days():
    rate = {"period": "P1M", "rates": [{"unit_price": "0.20", "volume": 310}, {"unit_price": "0.40"}]}
    span = (date(2024, 6, 16), date(2024, 7, 10))  # 15/30 + 10/31 of a month → 155 + 100 kWh
    priced = bill(contract(tariff_period=[{"single_rate": rate}]), meter_days(span[0], 25, "0.5"), span)
    assert priced.lines[0].quantity == 255


def test_a_missing_block_period():
    steps = [{"unit_price": "0.20", "volume": 10}, {"unit_price": "0.40"}]
    single = bill(contract(tariff_period=[{"single_rate": {"rates": steps}}]), meter_days(JUNE[0], 30, "0.5"), JUNE)
    assert single.lines[0].quantity == 300  # per day
    always = [{"rates": steps, "time_of_use": [{"start_time": "00:00", "end_time": "00:00"}]}]
    timed = bill(contract(tariff_period=[{"time_of_use_rates": always}]), meter_days(JUNE[0], 30, "0.5"), JUNE)
    assert timed.lines[0].quantity == 10  # per month


def peaks(*values: tuple[int, int, str]):
    """Half hours of June 2024 with more than 0.1 kWh: (day, hour, kWh)."""
    at = {(day, hour): kwh for day, hour, kwh in values}
    return meter_days(JUNE[0], 30, lambda t: at.get((t.day, t.hour), "0.1") if t.minute == 0 else "0.1")


def with_demand(**charge: object) -> dict[str, object]:
    base = {"amount": "0.20", "start_time": "15:00", "end_time": "21:00", "days": ["BUSINESS_DAYS"]}
    period = {"single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [{**base, **charge}]}
    return contract(tariff_period=[period])


def test_demand_is_the_highest_half_hour_in_the_window():
    # Tue 4 June 17:00 has 2 kWh → 4 kW; Sat 1 June 17:00 and Tue 10:00 are outside. 4 × 30 × 0.20 × 1.1 = 26.40
    rows = peaks((4, 17, "2"), (1, 17, "3"), (4, 10, "5"))
    assert ("demand", "26.40") in amounts(bill(with_demand(), rows, JUNE))


@pytest.mark.parametrize(
    ("charge", "expected"),
    [
        ({"min_demand": "5"}, "33.00"),  # 5 kW
        ({"max_demand": "3"}, "19.80"),  # 3 kW
        ({"amount": "3"}, "13.20"),  # above 2: a price per month, 4 × 3 × 1.1
        ({"start_time": "00:00", "end_time": "00:00", "days": ["TUE"]}, "66.00"),  # the whole Tuesday: 10 kW
    ],
)
def test_demand_limits_and_units(charge, expected):
    rows = peaks((4, 17, "2"), (4, 10, "5"))
    assert ("demand", expected) in amounts(bill(with_demand(**charge), rows, JUNE))


def test_the_second_half_of_an_hourly_read_may_be_the_next_days():
    # The meter's hour from 00:00 AEST is 23:30 to 00:30 in Adelaide: 3 kW in the window from midnight, 1 kW elsewhere.
    # 3 kW × 10 days × 0.10 × 1.1 = 3.30
    charge = {"amount": "0.10", "start_time": "0000", "end_time": "0030"}
    period = {"time_zone": "LOCAL", "single_rate": {"rates": [{"unit_price": "0"}]}, "demand_charges": [charge]}
    hourly = meter_days(date(2024, 5, 30), 15, lambda at: "3" if at.hour == 0 else "1", minutes=60)
    days = (date(2024, 6, 1), date(2024, 6, 10))
    priced = bill(contract(tariff_period=[period]), hourly, days, zone="Australia/Adelaide")
    assert ("demand", "3.30") in amounts(priced)
    assert priced.problems == ()


def test_demand_without_a_window_is_listed():
    priced = bill(with_demand(start_time="0000", end_time="0000", days=[]), peaks(), JUNE)
    assert all(line.component != "demand" for line in priced.lines)
    assert priced.problems


def test_controlled_load():
    # 30 × 24 × 0.5 kWh = 720 kWh × 0.15 × 1.1 = 118.80; its own supply 30 × 0.05 × 1.1 = 1.65
    rows = [*meter_days(JUNE[0], 30, "0"), *meter_days(JUNE[0], 30, "0.5", role="controlled")]
    older = {"display_name": "CL1", "dailyCharge": "0.05", "rates": [{"unitPrice": "0.15"}]}
    assert amounts(bill(flat("0.30", controlled_load=older), rows, JUNE)) == [
        ("controlled_load", "118.80"),
        ("controlled_load", "1.65"),
    ]
    without = bill(flat("0.30"), rows, JUNE)
    assert amounts(without) == [("usage", "237.60")]
    assert "controlled_load_as_usage" in codes(without.notes)
    no_register = bill(flat("0.30", controlled_load=older), meter_days(JUNE[0], 30, "1"), JUNE)
    assert {line.component for line in no_register.lines} == {"usage"}


def feed_in_bill(tariffs, kwh_a_day="10", days=10):
    """Export at noon only, for some days of June."""

    def at_noon(at):
        return kwh_a_day if (at.hour, at.minute) == (12, 0) else "0"

    rows = meter_days(JUNE[0], days, at_noon, role="export")
    return bill(flat("0.30", solar_feed_in_tariff=tariffs), rows, (JUNE[0], date(2024, 6, days)))


def test_feed_in_steps_in_separate_entries():
    # 100 kWh: 10 × 6 at 0.10, 40 at 0.03; no GST
    steps = [
        {"single_tariff": {"rates": [{"unit_price": "0.10", "volume": 6}]}, "display_name": "First 6"},
        {"single_tariff": {"rates": [{"unit_price": "0.03"}]}, "display_name": "Rest"},
    ]
    priced = feed_in_bill(steps)
    assert amounts(priced) == [("feed_in", "-6.00"), ("feed_in", "-1.20")]
    assert priced.gst_minor == 0


def test_alternative_and_closed_feed_in_tariffs():
    entries = [
        {"scheme": "PREMIUM", "single_tariff": {"rates": [{"unit_price": "0.60"}]}},
        {"payer_type": "GOVERNMENT", "single_tariff": {"rates": [{"unit_price": "0.44"}]}},
        {"display_name": "A", "single_tariff": {"amount": "0.05"}},
        {"display_name": "B", "single_tariff": {"amount": "0.07"}},
    ]
    priced = feed_in_bill(entries)
    assert amounts(priced) == [("feed_in", "-5.00")]
    assert "feed_in_alternatives" in codes(priced.notes)


def test_time_varying_feed_in_of_one_name_combines():
    def entry(price, start, end):
        window = {"start_time": start, "end_time": end}
        varying = [{"rates": [{"unit_price": price}], "time_variations": [window]}]
        return {"display_name": "Solar", "time_varying_tariffs": varying}

    assert amounts(feed_in_bill([entry("0.02", "10:00", "14:00"), entry("0.10", "14:00", "10:00")])) == [
        ("feed_in", "-2.00")
    ]


def test_discounts():
    # supply 33.00 + usage 237.60 = 270.60. Guaranteed 5 % of the bill and 0.03 more: 8 % = 21.648; 10 % of use: 23.76
    discounts = [
        {"display_name": "A", "type": "GUARANTEED", "percent_of_bill": {"rate": "5"}},
        {"display_name": "B", "type": "GUARANTEED", "percent_of_bill": {"rate": "0.03"}},
        {"display_name": "C", "type": "CONDITIONAL", "percent_of_use": {"rate": "0.10"}},
        {"display_name": "D", "type": "GUARANTEED", "fixed_amount": {"amount": "50"}},
    ]
    given = flat("0.30", supply="1", discounts=discounts)
    rows = meter_days(JUNE[0], 30, "0.5")

    def discounted(choice):
        priced = bill(given, rows, JUNE, options=Options(discounts=choice))
        return [amount for name, amount in amounts(priced) if name == "discount"], priced

    assert discounted("none")[0] == []
    assert discounted("guaranteed")[0] == ["-21.65"]
    amounts_all, priced = discounted("all")
    assert amounts_all == ["-21.65", "-23.76"]
    assert "condition_assumed" in codes(priced.notes)
    assert Note("fixed_discount", label="D", amount=Decimal(50)) in priced.notes


def test_discount_over_a_threshold():
    # 720 kWh at 0.30 × 1.1 = 237.60; 20 % of what lies beyond 600 kWh: 237.60 × 120 / 720 × 0.2 = 7.92
    over = {"type": "GUARANTEED", "percent_over_threshold": {"rate": "20", "usage_amount": "600"}}
    priced = bill(flat("0.30", discounts=[over]), meter_days(JUNE[0], 30, "0.5"), JUNE)
    assert amounts(priced) == [("usage", "237.60"), ("discount", "-7.92")]


def test_metering_charges_and_fees():
    metering = [{"display_name": "Meter", "minimum_value": "0.10", "period": "P1D"}, {"minimum_value": "5"}]
    fees = [
        {"type": "MEMBERSHIP", "term": "FIXED", "amount": "73"},
        {"type": "OTHER", "term": "MONTHLY", "amount": "2"},
        {"type": "LATE_PAYMENT", "term": "FIXED", "amount": "12"},
    ]
    priced = bill(flat("0.30", fees=fees), meter_days(JUNE[0], 30, "0"), JUNE, metering_charges=metering)
    assert amounts(priced) == [("fee", "6.00"), ("fee", "2.00"), ("metering", "3.30")]


def test_quota_price_includes_gst():
    # 100 kWh a month at 0.20 + GST, the other 620 kWh at 0.40 with GST
    rate = {"general_unit_price": "0.40", "period": "P1M", "rates": [{"unit_price": "0.20", "volume": 100}]}
    given = contract(pricing_model="QUOTA", tariff_period=[{"single_rate": rate}])
    priced = bill(given, meter_days(JUNE[0], 30, "0.5"), JUNE)
    assert amounts(priced) == [("usage", "22.00"), ("usage", "248.00")]


def test_banded_supply_goes_by_the_year():
    # 24 kWh a day are 8,760 kWh a year: the second band (5,000 to 15,000 kWh)
    bands = [{"unit_price": "1", "volume": 5000}, {"unit_price": "2", "volume": 10000}, {"unit_price": "3"}]
    period = {"daily_supply_charge_type": "BAND", "banded_daily_supply_charges": bands,
              "single_rate": {"rates": [{"unit_price": "0.10"}]}}  # fmt: skip
    priced = bill(contract(tariff_period=[period]), meter_days(JUNE[0], 30, "0.5"), JUNE)
    assert amounts(priced)[0] == ("supply", "66.00")


def test_gas_in_megajoules_from_daily_reads():
    # 30 days × 100 MJ: 50 MJ a day at 0.04, the rest at 0.03; prices given in cents
    midnight = meter_days(JUNE[0], 30, "0", minutes=1440)
    frame = reads_frame([(at, 1440, "general", Decimal(100)) for at, *_ in midnight], unit="MJ")
    rate = {"period": "P1D", "rates": [{"unit_price": "4", "volume": 50}, {"unit_price": "3"}]}
    given = contract(tariff_period=[{"daily_supply_charge": "80", "single_rate": rate}])
    priced = bill(given, frame, JUNE, fuel="gas")
    assert amounts(priced) == [("supply", "26.40"), ("usage", "66.00"), ("usage", "49.50")]
    assert {line.unit for line in priced.lines} == {"day", "MJ"}


def test_months_and_whole_are_cut_as_asked():
    rows = meter_days(date(2024, 6, 1), 61, "0.25")
    months = bill(flat("0.30"), rows, (date(2024, 6, 1), date(2024, 6, 30)), (date(2024, 7, 1), date(2024, 7, 31)))
    assert amounts(months) == [("usage", "118.80"), ("usage", "122.76")]
    assert amounts(bill(flat("0.30"), rows, (date(2024, 6, 1), date(2024, 7, 31)))) == [("usage", "241.56")]
