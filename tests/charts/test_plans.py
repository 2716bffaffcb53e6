"""The comparison, the weeks, and what a chart lets one take away."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import polars as pl

from tests.problems import names
from toolkit.answers.energy.plans import PriceRun
from toolkit.charts import bills, plans, style, values

COMPARED = [
    plans.PlanBar(
        "Cheap <b>plan</b>",
        Decimal("80.00"),
        {"supply": Decimal("30.00"), "usage": Decimal("60.00"), "feed_in": Decimal("-10.00")},
    ),
    plans.PlanBar("Dear", Decimal("120.00"), {"supply": Decimal("40.00"), "usage": Decimal("80.00")}),
]


def test_a_plan_is_a_bar_of_its_components() -> None:
    made = plans.comparison(COMPARED)
    assert {trace.name: list(trace.x) for trace in made.data} == {
        "Daily supply": [30.0, 40.0],
        "Usage": [60.0, 80.0],
        "Solar exports": [-10.0, 0.0],
    }
    assert list(made.layout.yaxis.ticktext) == ["Cheap &lt;b&gt;plan&lt;/b&gt;", "Dear"]
    assert names(style.alt(made), "Cheap <b>plan</b>: $80.00", "Dear: $120.00")


def test_hidden_characters_of_a_name_are_signs_in_what_a_screen_reader_says() -> None:
    made = plans.comparison([plans.PlanBar("Sun\u200bny &lt; \u202eSolar", Decimal(80), {"usage": Decimal(80)})])
    assert names(style.alt(made), "Sun⟨U+200B⟩ny", "⟨U+202E⟩Solar: $80.00")


def test_a_name_that_is_written_as_html_writes_signs_is_said_as_it_is() -> None:
    made = plans.comparison([plans.PlanBar("&lt;b&gt; Saver", Decimal(80), {"usage": Decimal(80)})])
    assert names(style.alt(made), "&lt;b&gt; Saver: $80.00")


def test_a_week_of_prices_is_blank_where_no_window_holds() -> None:
    runs = [
        PriceRun(weekday=0, from_="00:00", to="07:00", price="0.2200", label="Off peak"),
        PriceRun(weekday=0, from_="07:00", to="24:00", price=None, label=None),
    ]
    (heat,) = plans.price_week(runs).data
    monday = [row[0] for row in heat.z]
    assert monday == [22.0] * 14 + [None] * 34
    assert heat.customdata[13][0] == "06:30 Off peak"
    assert style.alt(plans.price_week(runs)).endswith("lowest: 22.00 c/kWh; highest: 22.00 c/kWh.")


def test_a_week_of_use_is_the_mean_of_each_half_hour() -> None:
    """Two Mondays at 07:00 and 07:15; a Sunday."""
    days = pl.DataFrame(
        {
            "date": [date(2026, 6, 1), date(2026, 6, 8), date(2026, 6, 8), date(2026, 6, 7)],
            "minute": [420, 420, 435, 0],
            "value": [1.0, 2.0, 3.0, 0.5],
        }
    )
    (heat,) = plans.use_week(days).data
    assert (heat.z[14][0], heat.z[0][6], heat.z[0][0]) == (2.0, 0.5, None)


def test_what_is_drawn_can_be_taken_away() -> None:
    assert values.rows(plans.comparison(COMPARED)) == [
        {"What": "1. Cheap <b>plan</b>", "Daily supply": 30.0, "Usage": 60.0, "Solar exports": -10.0},
        {"What": "2. Dear", "Daily supply": 40.0, "Usage": 80.0, "Solar exports": 0.0},
    ]
    parts = pl.DataFrame({"component": ["supply", "feed_in"], "amount": [Decimal("30.00"), Decimal("-10.00")]})
    assert values.rows(bills.waterfall(parts)) == [
        {"What": "Daily supply", "Amount": 30.0},
        {"What": "Solar exports", "Amount": -10.0},
        {"What": "Total", "Amount": 20.0},
    ]
    heat = values.rows(plans.price_week([PriceRun(weekday=2, from_="00:00", to="00:30", price="0.3", label="x")]))
    assert len(heat) == 48 * 7
    assert [row for row in heat if row["c/kWh"] is not None] == [{"What": "Wed", "Time of day": "00:00", "c/kWh": 30.0}]
