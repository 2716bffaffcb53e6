"""What if, where too little was read for a year."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.meters import flat_plan, level
from tests.pages.seen import TODAY, metrics, read
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load


def test_from_a_few_days_no_year_is_shown(db: Path, tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """7.5 kWh a day more at $0.33, on the 20 days that are read: 49.50."""
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 5, 1), 20))
    (tmp_path / "plan.json").write_text(flat_plan())
    load(Context(db, TODAY), [tmp_path / "meter.csv", tmp_path / "plan.json"])
    set_home(Context(db, TODAY), postcode="4000")
    test = visit(db, "plans")
    next(choice for choice in test.button_group if choice.key == "whatif").set_value(["An electric vehicle"]).run()
    assert not test.exception
    assert metrics(test)["Extra cost"] == "$49.50"
    assert "Extra cost a year" not in metrics(test)
    assert "Meter data covers 20 of 20 days. A yearly figure needs at least 28 days" in read(test)
    assert f"the plan in force on {TODAY.day} {TODAY:%b %Y}" in read(test)
