"""SVG figures: what is drawn, measured with the axis of the drawing, is what the plotly figure holds."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from xml.etree.ElementTree import Element

import plotly.graph_objects as go
import polars as pl
import pytest
from defusedxml.ElementTree import fromstring
from IPython.core.formatters import DisplayFormatter

import toolkit
from tests.charts.test_charts import FIGURES, HEAT, MONTHS
from toolkit.answers.money import CashflowDay, LowPoint
from toolkit.charts import bills, cash, spending, style, usage
from toolkit.charts.steps import StepColors, draw_steps
from toolkit.charts.svg.drawing import svg

SVG = "{http://www.w3.org/2000/svg}"
THREE_MONTHS = pl.DataFrame(
    {
        "month": ["2026-01", "2026-01", "2026-02", "2026-03"],
        "primary_category": ["FOOD_AND_DRINK", "TRAVEL", "FOOD_AND_DRINK", "TRAVEL"],
        "spent": [Decimal("120.50"), Decimal("30.00"), Decimal("-20.50"), Decimal("75.00")],
    }
)


def balances() -> go.Figure:
    """A balance that falls from $100 to $40 within a band."""
    first = date(2026, 3, 1)
    amounts = [("80", "100", "120"), ("40", "70", "90"), ("10", "40", "95")]
    days = [
        CashflowDay(
            date=first + timedelta(days=place), p10=Decimal(low), p50=Decimal(middle), p90=Decimal(high), items=()
        )
        for place, (low, middle, high) in enumerate(amounts)
    ]
    return cash.balance(days, LowPoint(date=days[2].date, p10=Decimal(10), p50=Decimal(40)))


def dollars(text: str) -> float:
    """Read a label of an axis: `$1,200`, `−$50`, `1.5`."""
    return float(text.replace("−", "-").replace("$", "").replace(",", ""))


def axis(drawn: Element, across: bool) -> Callable[[float], float]:
    """Return the value at a place of an axis, worked out from two of its labels."""
    anchor, offset = ("middle", 0) if across else ("end", 4)
    labels = [
        (float(label.attrib["x" if across else "y"]) - offset, dollars(label.text or ""))
        for label in drawn.iter(f"{SVG}text")
        if label.get("text-anchor") == anchor and re.fullmatch(r"−?\$?[\d.,]+", label.text or "")
    ]
    (first, low), (last, high) = labels[0], labels[-1]
    return lambda place: low + (place - first) / (last - first) * (high - low)


def bars(drawn: Element) -> list[dict[str, float]]:
    """Return the rectangles of bars in the order drawn, without those of the legend."""
    shapes = [shape for shape in drawn.iter(f"{SVG}rect") if shape.get("class") == "bar"]
    found = [{name: float(shape.attrib[name]) for name in ("x", "y", "width", "height")} for shape in shapes]
    return [shape for shape in found if (shape["width"], shape["height"]) != (18, 11)]


def points(outline: str) -> list[tuple[float, float]]:
    """Read the points of a path without curves, or of a polygon."""
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+)[ ,](-?[\d.]+)", outline)]


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_is_the_same_bytes_and_valid(name: str) -> None:
    first, second = (svg(FIGURES[name](style.LIGHT)) for _ in range(2))
    assert first == second
    drawn = fromstring(first)
    assert drawn.find(f"{SVG}title").text == style.alt(FIGURES[name](style.LIGHT))
    assert not re.search(r"<script|<style|href=\"(?!data:image/png)|NaN|inf", first)


def test_stacked_bars_have_the_figures_of_the_plotly_chart() -> None:
    figure = spending.by_month(THREE_MONTHS)
    drawn = fromstring(svg(figure))
    value = axis(drawn, across=False)
    lengths = [value(shape["y"]) - value(shape["y"] + shape["height"]) for shape in bars(drawn)]
    expected = [abs(amount) for trace in figure.data for amount in trace.y]
    assert sorted(expected) == [20.5, 30.0, 75.0, 120.5]
    assert lengths == pytest.approx(expected, abs=1)
    # the refund lies below zero, and January's second bar on top of its first
    by_length = dict(zip(expected, bars(drawn), strict=True))
    assert value(by_length[20.5]["y"]) == pytest.approx(0, abs=1)
    assert min(value(by_length[120.5]["y"]), value(by_length[30.0]["y"])) > 25


def test_lying_bars_begin_at_zero_and_end_at_their_value() -> None:
    rows = pl.DataFrame({"component": ["usage", "feed_in"], "label": ["Peak", "Solar"], "amount": [210.1, -40.0]})
    drawn = fromstring(svg(bills.lines(rows)))
    value = axis(drawn, across=True)
    ends = [(value(shape["x"]), value(shape["x"] + shape["width"])) for shape in bars(drawn)]
    assert ends == [pytest.approx((0, 210.1), abs=1), pytest.approx((-40, 0), abs=1)]


def test_steps_of_a_waterfall_begin_where_the_one_before_ended() -> None:
    components = pl.DataFrame({"component": ["supply", "usage", "feed_in"], "amount": [33.25, 210.10, -40.0]})
    drawn = fromstring(svg(bills.waterfall(components)))
    value = axis(drawn, across=False)
    spans = [(value(shape["y"] + shape["height"]), value(shape["y"])) for shape in bars(drawn)]
    expected = [(0, 33.25), (33.25, 243.35), (203.35, 243.35), (0, 203.35)]
    assert [pytest.approx(span, abs=1.5) for span in expected] == spans


def test_a_line_and_its_band_pass_through_their_values() -> None:
    drawn = fromstring(svg(balances()))
    value = axis(drawn, across=False)
    path = next(shape.attrib["d"] for shape in drawn.iter(f"{SVG}path") if shape.get("class") == "line")
    levels = [value(float(y)) for y in re.findall(r"(?:M[\d.]+ |V)([\d.]+)", path)]
    assert levels == pytest.approx([100, 70, 40], abs=1)
    band = next(shape for shape in drawn.iter(f"{SVG}polygon"))
    assert [value(y) for _, y in points(band.attrib["points"])] == pytest.approx([120, 90, 95, 10, 40, 80], abs=1)
    dot = next(drawn.iter(f"{SVG}circle"))
    assert value(float(dot.attrib["cy"])) == pytest.approx(40, abs=1)


def test_a_heat_map_is_an_image_with_a_pixel_a_value_and_blank_gaps() -> None:
    figure = usage.heat_map(HEAT)  # 1 Feb: 0.3 then 0.2 kW; 2 Feb: 0.1 kW then nothing
    address = next(shape.attrib["href"] for shape in fromstring(svg(figure)).iter(f"{SVG}image"))
    image = base64.b64decode(address.partition(",")[2])
    start = image.index(b"IDAT") + 4
    size = int.from_bytes(image[start - 8 : start - 4], "big")
    raw = zlib.decompress(image[start : start + size])
    assert [raw[0:3], raw[3:6]] == [bytes([0, 254, 1]), bytes([0, 128, 0])]


def test_days_without_reads_are_blank_columns() -> None:
    days = pl.DataFrame({"date": [date(2026, 2, 1), date(2026, 2, 2), date(2026, 2, 5)], "minute": 0, "value": 1.0})
    address = next(shape.attrib["href"] for shape in fromstring(svg(usage.heat_map(days))).iter(f"{SVG}image"))
    image = base64.b64decode(address.partition(",")[2])
    assert int.from_bytes(image[16:20], "big") == 5  # pixels across


def test_a_known_range_is_drawn_at_the_end_of_its_bar() -> None:
    drawn = fromstring(svg(FIGURES["next_bill"](style.LIGHT)))
    value = axis(drawn, across=True)
    shown = next(group for group in drawn.iter(f"{SVG}g") if group.get("class") == "range")
    middle = next(shown.iter(f"{SVG}line"))
    assert [value(float(middle.attrib[end])) for end in ("x1", "x2")] == pytest.approx([250, 360], abs=1)


def test_series_differ_without_colour() -> None:
    figure = svg(usage.by_month(MONTHS))
    assert figure.count("<pattern") == 1  # the first series is plain, the second has lines
    many = svg(FIGURES["average_day"](style.LIGHT))
    dashes = {shape.get("stroke-dasharray") for shape in fromstring(many).iter(f"{SVG}path")}
    assert len(dashes) == 2


def test_text_from_outside_stays_text() -> None:
    rows = pl.DataFrame({"primary_category": ["<script>alert(1)</script> & “x”"], "spent": [1.0]})
    drawn = svg(spending.by_category(rows))
    assert "<script" not in drawn
    assert "<script>alert(1)</script> & “x”" in "".join(fromstring(drawn).itertext())


def test_nothing_to_draw_is_an_empty_chart() -> None:
    empty = pl.DataFrame(schema={"primary_category": pl.String, "spent": pl.Float64})
    assert fromstring(svg(spending.by_category(empty))).tag == f"{SVG}svg"
    dated = empty.with_columns(month=pl.lit(None, pl.String))
    assert fromstring(svg(spending.by_month(dated))).tag == f"{SVG}svg"


def test_a_notebook_shows_the_drawing_where_no_script_runs() -> None:
    figure = usage.by_month(MONTHS)
    shown = DisplayFormatter().format(figure)[0]
    assert shown["image/svg+xml"] == svg(figure)
    assert "text/html" not in shown  # exporters would prefer it, and it needs a script
    assert shown["application/vnd.plotly.v1+json"]["data"][0]["y"] == [310.5, None]


def test_another_kind_of_trace_is_refused() -> None:
    figure = style.figure("Pie", style.LIGHT)
    figure.add_pie(values=[1, 2])
    with pytest.raises(ValueError, match="pie"):
        svg(figure)


def test_only_the_named_categories_are_labelled() -> None:
    """Twenty-four labels of hours would lie on each other."""
    reads = toolkit.reads(toolkit.sample("meter"), time="time", energy="import_kwh", zone="AEST")
    drawn = svg(usage.hour_costs(toolkit.usage_costs(reads, toolkit.sample_plans()[0], *[date(2026, 6, 1)] * 2)))
    shown = re.findall(r">(\d\d:00)<", drawn)
    assert shown == [f"{hour:02}:00" for hour in range(0, 24, 3)]


def test_names_below_many_columns_do_not_lie_on_each_other() -> None:
    names = ["Other income", "Debts and repayments", "Other spending", "Gambling", "Transport", "Housing"] * 2
    named = [f"{name} {place}" for place, name in enumerate(names)]
    figure = draw_steps("Steps", named, [1.0] * len(named), StepColors("#111111", "#222222", "#333333"))
    drawn = fromstring(svg(figure))
    columns = [shape["x"] + shape["width"] / 2 for shape in bars(drawn)]
    gap = min(after - before for before, after in pairwise(sorted(columns)))
    lines: dict[str, list[str]] = {}
    for label in drawn.iter(f"{SVG}text"):
        if label.get("text-anchor") == "middle" and float(label.attrib["y"]) > 300:
            lines[label.attrib["x"]] = [label.text or "", *(line.text or "" for line in label.iter(f"{SVG}tspan"))]
            widest = max(len(line) for line in lines[label.attrib["x"]]) * float(label.attrib["font-size"]) * 0.56
            assert widest <= gap
    assert [" ".join(line for line in each if line) for each in lines.values()] == named
