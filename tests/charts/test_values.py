"""The table of a chart: named columns with their units, and values of a kind that a page can format."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import plotly.graph_objects as go
import polars as pl

from tests.charts.test_charts import HEAT, expected
from toolkit.answers.money import CashflowDay, LowPoint
from toolkit.charts import cash, forecast, solar, spending, style, usage, values
from toolkit.charts.values import Column


def kinds(made: go.Figure) -> dict[str, str]:
    return {column.name: column.kind for column in values.columns(made)}


def test_both_ends_of_the_range_of_a_balance_are_columns_of_dollars() -> None:
    days = [
        CashflowDay(date(2026, 12, number), Decimal(low), Decimal(middle), Decimal(high), ())
        for number, low, middle, high in ((1, 90, 100, 110), (2, 50, 80, 120))
    ]
    assert values.columns(cash.balance(days, LowPoint(date(2026, 12, 2), None, Decimal(80)))) == [
        Column("Day", "day", [date(2026, 12, 1), date(2026, 12, 2)]),
        Column("Likely range, from", "money", [90.0, 50.0]),
        Column("Likely range, to", "money", [110.0, 120.0]),
        Column("Best guess", "money", [100.0, 80.0]),
    ]


def test_what_is_certain_of_the_next_bill_and_its_range_are_one_row() -> None:
    assert values.rows(forecast.next_bill(expected("240", "360"))) == [
        {
            "Certain so far": 100.0,
            "Still to come (estimate)": 200.0,
            "All together, from": 240.0,
            "All together, to": 360.0,
        }
    ]


def test_solar_used_at_home_is_given_in_kwh() -> None:
    """20 kWh generated, between 10 and 30; 5 kWh of them exported."""
    assert values.rows(solar.where_it_goes((10.0, 20.0, 30.0), 5.0)) == [
        {
            "Exported (measured), kWh": 5.0,
            "Used at home (estimate), kWh": 15.0,
            "All together, from, kWh": 10.0,
            "All together, to, kWh": 30.0,
        }
    ]


def test_months_are_months_and_what_is_exported_is_above_zero() -> None:
    months = pl.DataFrame({"month": ["2026-01", "2026-02"], "import_kwh": [300.0, 200.0], "export_kwh": [80.0, 60.5]})
    assert values.columns(usage.by_month(months)) == [
        Column("Month", "month", [date(2026, 1, 1), date(2026, 2, 1)]),
        Column("From the grid, kWh a month", "number", [300.0, 200.0]),
        Column("Exported, kWh a month", "number", [80.0, 60.5]),
    ]


def test_a_month_in_which_nothing_was_spent_on_a_category_is_blank() -> None:
    rows = pl.DataFrame(
        {
            "month": ["2026-02", "2026-01", "2026-01"],
            "primary_category": ["RENT_AND_UTILITIES", "RENT_AND_UTILITIES", "FOOD_AND_DRINK"],
            "spent": [Decimal(500), Decimal(400), Decimal(90)],
        }
    )
    names = [column.name for column in values.columns(spending.by_month(rows))]
    table = values.rows(spending.by_month(rows))
    assert (names[0], [row["Month"] for row in table]) == ("Month", [date(2026, 1, 1), date(2026, 2, 1)])
    assert [[row[name] for name in names[1:]] for row in table] == [[400.0, 90.0], [500.0, None]]


def test_days_and_times_of_a_heat_map_are_worded() -> None:
    assert kinds(usage.heat_map(HEAT)) == {"Day": "day", "Time of day": "text", "kW": "number"}
    assert values.rows(usage.heat_map(HEAT))[0] == {"Day": date(2026, 2, 1), "Time of day": "00:00", "kW": 0.3}


def test_an_hour_that_comes_twice_when_clocks_go_back_is_two_rows() -> None:
    hour = datetime(2026, 4, 5, 2, 30)  # noqa: DTZ001  a local time, as charts have it
    made = style.figure("Half-hours", style.LIGHT)
    made.add_bar(x=[hour, hour], y=[0.5, 0.7], name="From the grid")
    made.update_xaxes(type="date")
    made.update_yaxes(title_text="kW")
    assert values.columns(made) == [
        Column("Time", "time", [hour, hour]),
        Column("From the grid, kW", "number", [0.5, 0.7]),
    ]


def test_two_things_of_one_name_are_two_columns() -> None:
    made = style.figure("Spending by month", style.LIGHT)
    for spent in (10.0, 20.0):
        made.add_bar(x=["2026-01-01"], y=[spent], name="Others")
    made.update_yaxes(tickformat=style.MONEY_AXIS)
    assert values.rows(made) == [{"Day": date(2026, 1, 1), "Others": 10.0, "Others (2)": 20.0}]
