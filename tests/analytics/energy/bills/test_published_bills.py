"""Worked bills that others published: their figures, our plans and reads, the same cents.

Each test names its source; plans are written here in the service's shape, and where a source gives energy without
times, the reads stand inside the band it names. Most sources print prices with GST: `net` takes it off.

Looked at and not matched:
- Ausgrid, "Solar tariffs": 102 kWh charged $1.19, 52 kWh rewarded $1.21; its prices are given to a tenth of a cent.
- fitrates.site: 250 × $0.05 + 50 × $0.12 is said to be $17.50; it is $18.50.
- Ray Watt Electrical, "How to read a power bill": 440.447 kWh at $0.29 is said to be $127.72, cut off where we round.
- qld-tariffs since June 2017: a demand price by the month times 12 ÷ 365.25 × days ($48.46); the contract counts a
  whole month as one, as that library did before ($47.58).
- No worked bill with controlled load was found, and of the Victorian and the Default Market Offer only price tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from tests.analytics.energy.bills.built import AEST, Row, amounts, bill, contract, flat, meter_days, reads_frame
from toolkit.analytics.energy.bills import Bill, Options
from toolkit.analytics.energy.pricing.model import aud, cents

ALL_DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
WEEKDAYS, WEEKEND = ALL_DAYS[:5], ALL_DAYS[5:]
JUNE = (date(2024, 6, 1), date(2024, 6, 30))
CONDITIONS_MET = Options(discounts="all")


def net(price: str) -> str:
    """The price before GST of one with it."""
    return str(Decimal(price) / Decimal("1.1"))


def read(day: date, hour: int, energy: str, role: str = "general") -> Row:
    """The half hour from that hour on (AEST)."""
    return (datetime.combine(day, time(hour), UTC) - AEST, 30, role, Decimal(energy))


def days_from(first: date, days: int) -> tuple[date, date]:
    return first, first + timedelta(days - 1)


def band(name: str, price: str, *windows: tuple[Sequence[str], str, str]) -> dict[str, object]:
    times = [{"days": days, "start_time": start, "end_time": end} for days, start, end in windows]
    return {"display_name": name, "rates": [{"unit_price": price}], "time_of_use": times}


def timed(supply: str | None, *bands: dict[str, object], **more: object) -> dict[str, object]:
    return contract(tariff_period=[{"daily_supply_charge": supply, "time_of_use_rates": list(bands)}], **more)


def before_gst(priced: Bill) -> list[str]:
    """AUD of each line without the tax."""
    return [f"{aud(cents(line.quantity * Fraction(line.unit_price))):.2f}" for line in priced.lines]


def test_a_discount_on_usage_alone_and_gst():
    """Energy Made Easy (Australian Energy Regulator), "Don't be dazzled by discounts", energymadeeasy.gov.au.

    90 days at $1.19, 1,980.353 kWh at 24 c, 15 % off usage for paying on time: 511.09 + GST 51.11 = 562.20.
    """
    discount = {"type": "CONDITIONAL", "display_name": "Pay on time", "percent_of_use": {"rate": "15"}}
    given = flat("0.24", supply="1.19", discounts=[discount])
    first, last = days_from(date(2019, 7, 1), 90)
    priced = bill(given, [read(first, 12, "1980.353")], (first, last), options=CONDITIONS_MET)
    assert before_gst(priced)[:2] == ["107.10", "475.28"]
    assert (priced.total_minor, priced.gst_minor) == (56220, 5111)


SOUTH_AUSTRALIAN = [
    (date(2025, 3, 20), ("350.94", "27.76", "160.17", "707.54"), ("145.53", "6.41", "37.00", "-10.61"), (21437, 2045)),
    (date(2025, 5, 20), ("504.66", "28.70", "75.87", "508.71"), ("209.28", "6.63", "17.53", "-7.63"), (26185, 2450)),
]


@pytest.mark.parametrize(("first", "energy", "published", "sums"), SOUTH_AUSTRALIAN)
def test_two_bills_of_a_solar_home(first, energy, published, sums):
    """A retailer's bills of March and May 2025, as the tests of github.com/KrE80r/energy-front give them.

    28 days at 128.7 c; peak 41.47 c, shoulder and off peak 23.10 c, all with GST; feed-in 1.5 c without.
    """
    given = timed(
        net("1.287"),
        band("Peak", net("0.4147"), (ALL_DAYS, "06:00", "10:00"), (ALL_DAYS, "15:00", "01:00")),
        band("Shoulder", net("0.2310"), (ALL_DAYS, "10:00", "15:00")),
        band("Off peak", net("0.2310"), (ALL_DAYS, "01:00", "06:00")),
        solar_feed_in_tariff=[{"single_tariff": {"rates": [{"unit_price": "0.015"}]}}],
    )
    roles = [(18, "general"), (12, "general"), (3, "general"), (12, "export")]
    rows = [read(first, hour, kwh, role) for (hour, role), kwh in zip(roles, energy, strict=True)]
    priced = bill(given, rows, days_from(first, 28), zone="Australia/Adelaide")
    assert [amount for _, amount in amounts(priced)] == ["36.04", *published]
    assert (priced.total_minor, priced.gst_minor) == sums


def test_ergon_tariff_11():
    """github.com/aguinane/qld-tariffs, tests: 22 days, 142.5 kWh in 2016-17; 21.68, 38.58.

    Its sum, 60.25, is rounded once; a bill is the sum of its lines.
    """
    first, last = days_from(date(2016, 8, 1), 22)
    priced = bill(flat("0.24610", supply="0.89572"), [read(first, 12, "142.5")], (first, last))
    assert amounts(priced) == [("supply", "21.68"), ("usage", "38.58")]


def test_ergon_tariff_12():
    """github.com/aguinane/qld-tariffs, tests: 31 days, 75.49 kWh of peak and 109.5 of off peak; 104.86 in all."""
    january = (date(2017, 1, 1), date(2017, 1, 31))
    given = timed(
        "1.01306",
        band("Peak", "0.55865", (ALL_DAYS, "15:00", "21:30")),
        band("Off peak", "0.19859", (ALL_DAYS, "21:30", "15:00")),
    )
    priced = bill(given, [read(january[0], 16, "75.49"), read(january[0], 4, "109.5")], january)
    assert amounts(priced) == [("supply", "34.55"), ("usage", "46.39"), ("usage", "23.92")]
    assert priced.total_minor == 10486


def test_ergon_tariff_14_with_demand_by_the_month():
    """github.com/aguinane/qld-tariffs, tests of February 2017: 183.92 kWh and 0.7 kW in summer; 98.53 in all."""
    january = (date(2017, 1, 1), date(2017, 1, 31))
    demand = {"amount": "61.79", "start_time": "15:00", "end_time": "21:30", "days": ALL_DAYS}
    given = flat("0.14984", supply="0.60514")
    given["tariff_period"][0]["demand_charges"] = [demand]
    priced = bill(given, [read(january[0], 16, "0.35"), read(january[0], 4, "183.57")], january)
    assert amounts(priced) == [("supply", "20.64"), ("usage", "30.31"), ("demand", "47.58")]
    assert priced.total_minor == 9853


def test_demand_by_the_day():
    """AGL's moderator in its forum (neighbourhood.agl.com.au, "Demand rates"): 9.6 kW × 90 days × 15 c = 129.60.

    AGL takes one highest half hour for the 90 days, the contract one for each month: here each has the same.
    """
    demand = {"amount": "0.15", "start_time": "15:00", "end_time": "21:00", "days": ALL_DAYS}
    given = flat("0.30")
    given["tariff_period"][0]["demand_charges"] = [demand]
    rows = [read(date(2024, month, 9), 18, "4.8") for month in (1, 2, 3)]
    priced = bill(given, rows, days_from(date(2024, 1, 1), 90))
    assert before_gst(priced)[-1] == "129.60"


@pytest.mark.parametrize(("kwh", "dollars"), [("10000", 3508), ("6138", 2346), ("5137", 2045)])
def test_a_year_at_one_rate(kwh, dollars):
    """Momentum Energy, "Solar insights" (momentumenergy.com.au): 30.09 c and $1.3684 a day with GST, to the dollar."""
    year = (date(2025, 7, 1), date(2026, 6, 30))
    priced = bill(flat(net("0.3009"), supply=net("1.3684")), [read(year[0], 12, kwh)], year)
    assert round(priced.total_minor / 100) == dollars


def test_a_day_at_one_rate():
    """Victorian government, "Reading your energy bill" (energy.vic.gov.au): 20 kWh at 22.56 c are $4.51."""
    priced = bill(flat(net("0.2256")), [read(JUNE[0], 12, "20")], (JUNE[0], JUNE[0]))
    assert amounts(priced) == [("usage", "4.51")]


def test_two_blocks():
    """electricityandgas.com.au, "How to read your electricity bill": 400 kWh at 31 c, 400 at 32 c: 124 and 128."""
    rate = {"period": "P1M", "rates": [{"unit_price": "0.31", "volume": 400}, {"unit_price": "0.32"}]}
    priced = bill(contract(tariff_period=[{"single_rate": rate}]), [read(JUNE[0], 12, "800")], JUNE)
    assert before_gst(priced) == ["124.00", "128.00"]


def test_two_blocks_of_gas():
    """Econnex, "How do I read my gas bill?": 3,000 MJ at 2.245 c, 3,500 MJ at 1.945 c: 67.35 and 68.08 before GST."""
    rate = {"period": "P1M", "rates": [{"unit_price": "0.022450", "volume": 3000}, {"unit_price": "0.019450"}]}
    midnight = datetime(2024, 6, 1, tzinfo=UTC) - AEST
    frame = reads_frame([(midnight, 1440, "general", Decimal(6500))], unit="MJ")
    priced = bill(contract(tariff_period=[{"single_rate": rate}]), frame, JUNE, fuel="gas")
    assert before_gst(priced) == ["67.35", "68.08"]


def test_a_week_of_time_of_use():
    """wotid.com, "The cost of electricity": 1 kWh an hour; 80 h at 29.711 c, 88 h at 10.84 c: 23.7688 and 9.5392."""
    given = timed(
        None,
        band("Peak", net("0.29711"), (WEEKDAYS, "07:00", "23:00")),
        band("Off peak", net("0.1084"), (WEEKDAYS, "23:00", "07:00"), (WEEKEND, "00:00", "00:00")),
    )
    week = days_from(date(2011, 8, 22), 7)
    priced = bill(given, meter_days(week[0], 7, "0.5"), week)
    assert [line.quantity for line in priced.lines] == [80, 88]
    assert amounts(priced) == [("usage", "23.77"), ("usage", "9.54")]


@pytest.mark.parametrize(
    ("exported", "rates", "published"),
    [
        ("300", [{"unit_price": "0.08"}], ["-24.00"]),
        ("500", [{"unit_price": "0.10", "volume": 300}, {"unit_price": "0.05"}], ["-30.00", "-10.00"]),
    ],
)
def test_feed_in_flat_and_stepped(exported, rates, published):
    """fitrates.site, "How to read your bill's solar export line": 300 kWh at 8 c; 300 at 10 c and 200 at 5 c."""
    tariff = {"single_tariff": {"rates": rates, "period": "P1M"}}
    given = flat("0.30", solar_feed_in_tariff=[tariff])
    priced = bill(given, [read(JUNE[0], 12, exported, "export")], JUNE)
    assert [amount for name, amount in amounts(priced) if name == "feed_in"] == published
    assert priced.gst_minor == 0


def test_a_discount_on_the_whole_bill():
    """Compare Club, "How to read your electricity bill": 5 % of $555.26 is $25.24 before GST; $527.50 remain."""
    discount = {"type": "CONDITIONAL", "display_name": "Pay on time", "percent_of_bill": {"rate": "5"}}
    given = flat(net("0.55526"), discounts=[discount])
    quarter = (date(2018, 7, 2), date(2018, 10, 1))
    priced = bill(given, [read(quarter[0], 12, "1000")], quarter, options=CONDITIONS_MET)
    assert priced.total_minor == 52750
    assert round(-priced.lines[-1].amount / Decimal("1.1"), 2) == Decimal("25.24")


def test_supply_after_gst_and_a_discount():
    """Victorian government, solar calculator (planning.vic.gov.au): 108.24 c a day, GST, less 7 %: 110.7 c a day."""
    discount = {"type": "CONDITIONAL", "display_name": "Pay on time", "percent_of_bill": {"rate": "0.07"}}
    given = flat("0.30", supply="1.0824", discounts=[discount])
    hundred = days_from(date(2018, 7, 1), 100)
    priced = bill(given, [read(hundred[0], 12, "0")], hundred, options=CONDITIONS_MET)
    assert round(priced.total_minor / 100, 1) == 110.7
