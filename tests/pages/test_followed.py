"""A bill's line followed to the meter, on Bills: May 2026, 31 days of 48 half hours."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import flat_plan, level
from tests.pages.seen import TODAY, read
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

NMI, MAY = "4103012345", date(2026, 5, 1)
Opens = Callable[..., AppTest]


def home(folder: Path, period: dict[str, Any], **kwh: str) -> Path:
    """A home on that plan all year, with so much in each half hour of its registers; its database."""
    plan = json.loads(flat_plan())
    plan["electricityContract"]["tariffPeriod"] = [{"startDate": "01-01", "endDate": "12-31", **period}]
    (folder / "plan.json").write_text(json.dumps(plan))
    for suffix, each in kwh.items():
        (folder / f"{suffix}.csv").write_text(level(NMI, MAY, 31, each, suffix))
    ctx = Context(folder / "home" / "household.db", TODAY)
    load(ctx, [folder])
    return ctx.db


def prices(test: AppTest) -> list[str]:
    return list(test.selectbox(key="followed-price").options)


@pytest.mark.parametrize("name", ["Anytime", "Anytime, block pricing", "Anytime, block 2"])
def test_every_block_of_a_price_stands_above_its_days(tmp_path: Path, visit: Opens, name: str) -> None:
    """24 kWh a day, the first ten at 30 cents, the rest at 20: 310 × 0.33 and 434 × 0.22."""
    steps = [{"unitPrice": "0.30", "volume": 10}, {"unitPrice": "0.20"}]
    db = home(tmp_path, {"singleRate": {"displayName": name, "rates": steps, "period": "P1D"}}, E1="0.5")
    test = visit(db, "bills", tab="A past bill")
    assert prices(test) == [f"Usage: {name}"]
    assert names(read(test), "310.000 kWh", "30.00 c", "$102.30")
    assert names(read(test), "434.000 kWh", "20.00 c", "$95.48")
    assert " 744.000 kWh." in read(test)


def test_a_price_called_as_a_block_is_has_its_line(tmp_path: Path, visit: Opens) -> None:
    rate = {"displayName": "Anytime, block 2", "rates": [{"unitPrice": "0.30"}]}
    test = visit(home(tmp_path, {"singleRate": rate}, E1="0.5"), "bills", tab="A past bill")
    assert names(read(test), "744.000 kWh", "30.00 c", "$245.52")


def test_export_without_a_feed_in_price_is_no_error(tmp_path: Path, visit: Opens) -> None:
    """0.1 kWh sold in each half hour, which the plan pays nothing for."""
    db = home(tmp_path, {"singleRate": {"rates": [{"unitPrice": "0.30"}]}}, E1="0.5", B1="0.1")
    test = visit(db, "bills", tab="A past bill")
    assert prices(test)[1:] == ["Export without a feed-in price"]
    test.selectbox(key="followed-price").select_index(1).run()
    assert " 148.800 kWh." in read(test)
    assert names(read(test), "48 reads", "1 May 2026", "4.800 kWh")
    assert not test.error
    assert not test.warning


def test_energy_in_no_window_is_followed_as_well(tmp_path: Path, visit: Opens) -> None:
    """A price from 15:00 to 21:00 alone takes 12 of 48 half hours."""
    window = {"startTime": "15:00", "endTime": "21:00"}
    peak = {"type": "PEAK", "displayName": "Peak", "rates": [{"unitPrice": "0.30"}], "timeOfUse": [window]}
    test = visit(home(tmp_path, {"timeOfUseRates": [peak]}, E1="0.5"), "bills", tab="A past bill")
    assert prices(test) == ["Usage: Peak", "Usage: without a price"]
    test.selectbox(key="followed-price").select_index(1).run()
    assert names(read(test), "36 reads", "1 May 2026", "18.000 kWh")
