"""Solar of a home with several meters."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.meters import level
from toolkit.flows.energy.solar import solar
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load


def test_a_home_with_two_meters_that_export_nothing_has_no_panels_at_either(tmp_path: Path) -> None:
    """The size of a home's panels is that of the meter that exports."""
    ctx = Context(tmp_path / "home.db", date(2026, 6, 20))
    for number in (1, 2):
        (tmp_path / f"{number}.csv").write_text(level(f"410300000{number}", date(2026, 5, 1), 30))
        load(ctx, [tmp_path / f"{number}.csv"])
    points = solar(ctx).service_points
    assert [point.panels_kw for point in points] == [None, None]
