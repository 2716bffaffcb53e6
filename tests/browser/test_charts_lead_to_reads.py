"""What a person picks in a chart of Usage or Solar leads to the reads that it is made of."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import TODAY
from tests.browser.visitor import home_db, visiting
from tests.meters import day, days, nem12, register
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

FIRST, COUNT = date(2026, 4, 1), 61
"""April and May."""
BOUGHT, SOLD = ["0.2"] * 20 + ["0"] * 8 + ["0.2"] * 20, ["0"] * 20 + ["0.9"] * 8 + ["0"] * 20
SPECIAL = 40
"""The day, from 0, that bought 12 kWh and not 8: 11 May."""
GAS = "".join(f"5240000001,{FIRST + timedelta(n):%d/%m/%Y},{90 if n == SPECIAL else 40}\n" for n in range(COUNT))


def brought(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    load(Context(home_db(folder), TODAY), [folder / name for name in files])


def click(visitor: Visitor, across: float, down: float) -> None:
    """Click in the first chart, at shares of the width and height of what lies between its axes."""
    visitor.settle()
    area = visitor.page.locator(".js-plotly-plot .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    spot = (box["x"] + across * box["width"], box["y"] + down * box["height"])
    visitor.page.mouse.move(*spot)
    visitor.page.locator(".hoverlayer .hovertext").first.wait_for()  # plotly picks what the pointer is over
    visitor.page.mouse.click(*spot)
    visitor.page.get_by_role("tab", name="Day by day", selected=True).wait_for()
    visitor.settle()


def shown(visitor: Visitor) -> tuple[str, str]:
    """Return the span and the first day under Day by day."""
    span = visitor.page.get_by_role("radio", checked=True).first.inner_text()
    return span, "".join(visitor.page.get_by_test_id("stDateInput").first.inner_text().split())


def test_days_and_months_of_charts_lead_to_their_reads(chromium: Browser, tmp_path: Path) -> None:
    listed = list(days(str(FIRST), COUNT))
    bought = [
        ["0.3" if value == "0.2" else value for value in BOUGHT] if n == SPECIAL else BOUGHT for n in range(COUNT)
    ]
    meter = nem12(
        *(register("E1"), *(day(when, values) for when, values in zip(listed, bought, strict=True))),
        *(register("B1"), *(day(when, SOLD) for when in listed)),
    )
    brought(tmp_path, {"meter.csv": meter})
    with visiting(chromium, tmp_path) as visitor:
        visitor.go("Usage")
        visitor.look_at("Hour by hour")
        click(visitor, (SPECIAL + 0.5) / COUNT, 0.5)
        assert shown(visitor) == ("Day", "11/05/2026")
        assert "From the grid 12.0 kWh, exported 7.2 kWh" in visitor.text()
        visitor.look_at("Month by month")
        click(visitor, 0.25, 0.5)  # the bar of April, of two
        assert shown(visitor) == ("Month", "01/04/2026")
        visitor.go("Solar")
        visitor.look_at("Exports")
        click(visitor, 0.75, 0.9)
        assert shown(visitor) == ("Month", "01/05/2026")
        assert "exported 223 kWh" in visitor.text()  # 31 days of 7.2 kWh


def test_a_day_and_a_month_of_gas_lead_to_their_reads(chromium: Browser, tmp_path: Path) -> None:
    brought(tmp_path, {"gas.csv": f"MIRN,Date,Usage (MJ)\n{GAS}"})
    with visiting(chromium, tmp_path) as visitor:
        visitor.go("Usage")
        visitor.look_at("Day by day")
        click(visitor, (SPECIAL + 0.5) / COUNT, 0.9)
        visitor.wait_for("Reads of 11 May 2026")
        visitor.press("Show all reads")
        assert "Reads of" not in visitor.text()
        visitor.look_at("Month by month")
        click(visitor, 0.25, 0.9)
        visitor.wait_for("Reads of 1 Apr 2026 to 30 Apr 2026")
