"""Figures by their public data: values, units, colours, escaped text, and what a screen reader says."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import plotly.graph_objects as go
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.problems import names
from toolkit.answers.energy.bills import DayQuantity
from toolkit.answers.energy.forecast import BillAhead, Forecast, ForecastPeriod, PastForecast
from toolkit.charts import bills, forecast, solar, spending, style, usage, values

SPENDING = pl.DataFrame(
    {
        "month": ["2026-01", "2026-01", "2026-02", None],
        "primary_category": ["FOOD_AND_DRINK", None, "FOOD_AND_DRINK", "TRAVEL"],
        "spent": [Decimal("120.50"), Decimal("30.00"), Decimal("-20.50"), Decimal("5.00")],
    }
)
COMPONENTS = pl.DataFrame(
    {
        "component": ["feed_in", "usage", "supply", "fee"],
        "amount": [Decimal("-40.00"), Decimal("210.10"), Decimal("33.25"), Decimal("0.00")],
    }
)
MONTHS = pl.DataFrame(
    {"month": ["2026-01", "2026-02"], "import_kwh": [310.5, None], "export_kwh": [80.0, 0.0], "coverage": [1.0, 0.5]}
)
AVERAGE_DAY = pl.DataFrame(
    {
        "season": ["summer", "summer", "winter"],
        "day_type": ["weekday", "weekday", "weekend"],
        "minute": [30, 0, 0],
        "kw": [0.5, 0.25, 1.75],
    }
)
HEAT = pl.DataFrame(
    {"date": ["2026-02-02", "2026-02-01", "2026-02-01"], "minute": [0, 30, 0], "value": [0.1, 0.2, 0.3]}
).with_columns(pl.col("date").str.to_date())
HALF_HOURS = pl.DataFrame(
    {
        "time": ["2026-02-01T09:00", "2026-02-01T09:30"],
        "general_kwh": [0.25, 0.0],
        "controlled_kwh": [0.0, 0.0],
        "export_kwh": [0.0, 0.5],
        "generation_kwh": [0.1, 0.75],
    }
)
A_DAY = DayQuantity(component="usage", label="Peak", date=date(2026, 2, 1), unit="kWh", priced=True, quantity=4.5)


def expected(p10: str | None, p90: str | None) -> Forecast:
    """A bill of about $300, of which $100 are certain."""
    return Forecast(
        service_point_id="power",
        plan_id="plan",
        period=ForecastPeriod(date(2026, 7, 1), date(2026, 7, 31), "invoices"),
        metered_through=date(2026, 7, 10),
        certain=Decimal(100),
        p10=None if p10 is None else Decimal(p10),
        p50=Decimal(300),
        p90=None if p90 is None else Decimal(p90),
    )


FIGURES = {
    "by_category": lambda look: spending.by_category(SPENDING, look=look),
    "by_month": lambda look: spending.by_month(SPENDING, look=look),
    "waterfall": lambda look: bills.waterfall(COMPONENTS, look=look),
    "lines": lambda look: bills.lines(COMPONENTS.with_columns(pl.lit("Peak").alias("label")), look=look),
    "days": lambda look: bills.days([A_DAY], look=look),
    "average_day": lambda look: usage.average_day(AVERAGE_DAY, look=look),
    "heat_map": lambda look: usage.heat_map(HEAT, look=look),
    "half_hours": lambda look: usage.half_hours(HALF_HOURS, look=look),
    "usage_by_month": lambda look: usage.by_month(MONTHS, look=look),
    "where_it_goes": lambda look: solar.where_it_goes((3000, 4000, 5000), 2500, look=look),
    "export_by_month": lambda look: solar.export_by_month(MONTHS, look=look),
    "next_bill": lambda look: forecast.next_bill(expected("250", "360"), look=look),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("look", [style.LIGHT, style.DARK], ids=["light", "dark"])
def test_every_figure_stands_on_its_own(name: str, look: style.Look) -> None:
    """Own colours whatever plotly's default template is, a title, a unit on an axis, a sentence for screen readers."""
    figure = FIGURES[name](look)
    drawn = json.loads(figure.to_json())
    template = drawn["layout"]["template"]["layout"]
    assert template["colorway"] == list(style.PALETTE)
    assert template["paper_bgcolor"] == look.background
    assert template["font"]["color"] == look.text
    titles = [drawn["layout"].get(axis, {}).get("title", {}).get("text", "") for axis in ("xaxis", "yaxis")]
    bar_title = drawn["data"][0].get("colorbar", {}).get("title", {}).get("text", "")
    assert any(unit in title for unit in ("AUD", "kW", "MJ") for title in [*titles, bar_title])
    assert all(trace.get("hovertemplate") for trace in drawn["data"])
    assert style.alt(figure).startswith(drawn["layout"]["title"]["text"])
    assert style.alt(figure).endswith(".")


def test_streamlit_needs_ten_colours() -> None:
    assert len(set(style.PALETTE)) == 10


def test_categories_are_summed_and_named_in_plain_words() -> None:
    figure = spending.by_category(SPENDING)
    assert list(figure.data[0].y) == ["Food and drink", "Without a category", "Travel"]
    assert list(figure.data[0].x) == [100.0, 30.0, 5.0]
    assert names(style.alt(figure), "Food and drink: $100.00", "Without a category: $30.00", "Travel: $5.00")


def test_the_amount_of_a_credit_has_room_beside_the_names() -> None:
    rows = pl.DataFrame({"primary_category": ["TRAVEL", "REFUNDS"], "spent": [1000.0, -50.0]})
    assert spending.by_category(rows).layout.xaxis.range == (-290.0, 1050.0)  # a quarter of $1,000 left of the credit


def test_small_categories_become_one_bar_and_nothing_is_lost() -> None:
    rows = pl.DataFrame({"primary_category": [f"C{n:02d}" for n in range(20)], "spent": [float(n) for n in range(20)]})
    figure = spending.by_category(rows, most=5)
    assert len(figure.data[0].y) == 6
    assert figure.data[0].y[-1] == "All others"
    assert sum(figure.data[0].x) == sum(range(20))


def test_what_was_generated_is_a_line_over_the_half_hours() -> None:
    traces = {trace.name: list(trace.y) for trace in usage.half_hours(HALF_HOURS).data}
    assert traces == {"From the grid": [0.5, 0.0], "Exported": [0.0, -1.0], "Generated": [0.2, 1.5]}  # kW
    unknown = HALF_HOURS.with_columns(generation_kwh=pl.lit(None, pl.Float64))
    assert [trace.name for trace in usage.half_hours(unknown).data] == ["From the grid", "Exported"]


@pytest.mark.parametrize(("low", "high", "drawn"), [(3000, 5000, True), (4000, 4000, False)])
def test_only_an_estimate_has_a_range(low: float, high: float, *, drawn: bool) -> None:
    figure = solar.where_it_goes((low, 4000, high), 2500)
    assert (figure.data[-1].error_x.array is not None) == drawn
    assert (" to " in style.alt(figure)) == drawn


def test_months_are_stacked_in_steady_colours() -> None:
    figure = spending.by_month(SPENDING)
    food = next(trace for trace in figure.data if trace.name == "Food and drink")
    assert list(food.x) == ["2026-01-01", "2026-02-01"]
    assert list(food.y) == [120.5, -20.5]
    unknown = next(trace for trace in figure.data if trace.name == "Without a category")
    assert unknown.marker.color == style.GREY


def test_a_bill_adds_up_in_its_usual_order() -> None:
    figure = bills.waterfall(COMPONENTS)
    assert list(figure.data[0].x) == ["Daily supply", "Usage", "Solar exports", "Total"]
    assert list(figure.data[0].y) == [33.25, 210.1, -40.0, pytest.approx(203.35)]
    assert list(figure.data[0].measure) == ["relative", "relative", "relative", "total"]


def test_an_average_day_runs_from_midnight() -> None:
    figure = usage.average_day(AVERAGE_DAY, day_type="weekday")
    assert [trace.name for trace in figure.data] == ["Summer"]
    assert list(figure.data[0].x) == [0, 30]
    assert list(figure.data[0].y) == [0.25, 0.5]


def test_a_gap_in_the_heat_map_stays_blank() -> None:
    figure = usage.heat_map(HEAT)
    assert list(figure.data[0].x) == ["2026-02-01", "2026-02-02"]
    assert [list(row) for row in figure.data[0].z] == [[0.3, 0.1], [0.2, None]]
    assert not figure.data[0].hoverongaps


def test_a_day_of_the_heat_map_can_be_picked_by_a_bar_that_is_in_no_table() -> None:
    """1 Feb: 0.3 kW at 0:00 and 0.2 at 0:30, 0.25 kWh; 2 Feb: 0.1 kW at 0:00, 0.05 kWh."""
    plain, figure = usage.heat_map(HEAT), usage.heat_map(HEAT, pick_days=True)
    (bars,) = figure.data[1:]
    assert list(bars.x) == ["2026-02-01", "2026-02-02"]
    assert [list(texts) for texts in bars.customdata] == [
        ["0.2 kWh", "0.30 kW at 00:00"],
        ["0.1 kWh", "0.10 kW at 00:00"],
    ]
    assert values.rows(figure) == values.rows(plain)


def test_export_is_drawn_below_the_line_and_told_as_it_is() -> None:
    figure = usage.by_month(MONTHS)
    assert list(figure.data[0].y) == [310.5, None]
    assert list(figure.data[1].y) == [-80.0, 0.0]
    assert list(figure.data[1].customdata[1]) == [0.0, "50% of the month"]


def test_the_next_bill_shows_its_range_only_where_it_is_known() -> None:
    known = forecast.next_bill(expected("250", "360"))
    assert [trace.x[0] for trace in known.data] == [100.0, 200.0]
    assert known.data[1].error_x.array[0] == 60.0
    assert known.data[1].error_x.arrayminus[0] == 50.0
    unknown = forecast.next_bill(expected(None, None))
    assert unknown.data[1].error_x.array is None
    assert names(style.alt(known), "$250", "$360")
    assert "$250" not in style.alt(unknown)


@pytest.mark.parametrize("p10", [None, "250"])
def test_the_legend_and_words_of_the_bills_ahead_name_a_range_only_where_there_is_one(p10: str | None) -> None:
    low, high = (None, None) if p10 is None else (Decimal(p10), Decimal(360))
    june, july = ((date(2026, month, 1), date(2026, month, 30)) for month in (6, 7))
    past = PastForecast(*june, low, Decimal(300), high, Decimal(310))
    ahead = BillAhead(*july, low, Decimal(300), high, None)
    figure = forecast.fan(replace(expected(p10, "360"), past=(past,), bills=(ahead,)))
    listed = [trace.name for trace in figure.data if trace.name and trace.showlegend is not False]
    assert listed == [*(["Likely range"] if p10 else []), "Forecast", "What it came to"]
    assert ("1 of 1" in style.alt(figure)) is (p10 is not None)


HOSTILE = '<a href="https://evil.example/?q=1">Coles</a><script>alert(1)</script>\u202e\x00'


@pytest.mark.parametrize(
    "figure",
    [
        spending.by_category(pl.DataFrame({"merchant": [HOSTILE], "spent": [1.0]}), name="merchant"),
        spending.by_month(pl.DataFrame({"month": ["2026-01"], "merchant": [HOSTILE], "spent": [1.0]}), name="merchant"),
        bills.lines(pl.DataFrame({"component": [HOSTILE], "label": [HOSTILE], "amount": [1.0]})),
        bills.waterfall(pl.DataFrame({"component": [HOSTILE], "amount": [1.0]})),
    ],
)
def test_text_from_outside_is_never_markup(figure: go.Figure) -> None:
    """plotly draws `<a>`, `<b>` and `<br>` in any text; only our own hover templates may hold them."""
    drawn = json.loads(figure.to_json())
    texts = [text for trace in drawn["data"] for text in [trace.get("name"), *trace["x"], *trace["y"]]]
    assert not [text for text in texts if isinstance(text, str) and ("<" in text or "\u202e" in text)]


@given(st.text())
def test_safe_text_is_short_and_holds_no_markup(text: str) -> None:
    made = style.safe(text, length=20)
    assert "<" not in made
    assert ">" not in made
    assert len(made) <= 20 * len("&amp;")


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(Decimal("1234.5"), "$1,234.50"), (Decimal("-12.30"), "−$12.30"), (0, "$0.00")],
)
def test_money_is_written_the_local_way(amount: Decimal, shown: str) -> None:
    assert style.aud(amount) == shown


@pytest.mark.parametrize(
    ("price", "unit", "shown"),
    [
        ("0.3410909091", "kWh", "34.1091 c"),
        ("0.34", "kWh", "34.00 c"),
        ("0.000001", "kWh", "0.0001 c"),
        ("0.0351", "MJ", "3.51 c"),
        ("1.0914181818", "day", "$1.0914"),
        ("1234.5", "kW", "$1,234.50"),
        ("-0.012", "kWh", "−1.20 c"),
        (None, "kWh", ""),
    ],
)
def test_prices_are_shown_as_bills_print_them(price: str | None, unit: str, shown: str) -> None:
    assert style.unit_price(price, unit) == shown


def test_codes_become_words() -> None:
    assert style.words("FINAL_SUBSTITUTE") == "Final substitute"
    assert style.words("Paid in full") == "Paid in full"


def test_long_bill_lines_are_wrapped_on_the_axis_and_whole_when_pointed_at() -> None:
    label = "All year, weekday evenings in the peak window, first block of energy"
    rows = pl.DataFrame({"component": ["usage"], "label": [label], "amount": [Decimal("12.30")]})
    axis = bills.lines(rows).layout.yaxis
    assert axis.ticktext == ("All year, weekday<br>evenings in the peak …",)
    assert axis.tickvals == ("All year, weekday evenings in the peak window, first block of e…",)
    assert style.kwh(5.25) == "5.2 kWh"
    assert style.kwh(1234.0, "MJ") == "1,234 MJ"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (style.aud(Decimal("-0.004")), "$0.00"),
        (style.aud(-0.4, cents=False), "$0"),
        (style.aud(Decimal("-1234.5")), "−$1,234.50"),
        (style.kwh(-0.04), "0.0 kWh"),
        (style.kwh(0.04), "under 0.1 kWh"),
        (style.kwh(0.0), "0.0 kWh"),
        (style.kwh(123.4, "MJ"), "123 MJ"),
    ],
)
def test_what_rounds_to_nothing_has_no_minus_and_is_not_nothing(shown: str, text: str) -> None:
    assert shown == text
