"""The days that a line is for, where a season begins inside a billing period."""

from __future__ import annotations

from datetime import date

from tests.analytics.energy.bills.built import bill, contract, meter_days


def season(first: str, last: str, price: str) -> dict[str, object]:
    rate = {"rates": [{"unit_price": price}]}
    return {"start_date": first, "end_date": last, "daily_supply_charge": "1.00", "single_rate": rate}


def test_each_season_has_lines_of_its_own_days_in_each_billing_period():
    """48 kWh a day; winter's price is 10 c until 10 July, then 20 c, and a dollar a day, all before GST."""
    given = contract(tariff_period=[season("05-01", "07-10", "0.10"), season("07-11", "04-30", "0.20")])
    reads = meter_days(date(2024, 7, 1), 31, "1")
    priced = bill(given, reads, (date(2024, 7, 5), date(2024, 7, 20)), (date(2024, 7, 21), date(2024, 7, 31)))
    lines = [(line.component, line.first.day, line.last.day, line.quantity, line.amount_minor) for line in priced.lines]
    assert lines == [
        ("supply", 5, 10, 6, 660),
        ("supply", 11, 20, 10, 1100),
        ("usage", 5, 10, 6 * 48, 3168),
        ("usage", 11, 20, 10 * 48, 10560),
        ("supply", 21, 31, 11, 1210),
        ("usage", 21, 31, 11 * 48, 11616),
    ]
    assert {line.first.month for line in priced.lines} == {line.last.month for line in priced.lines} == {7}
