"""What if, as it is printed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tests.command_line import Run
from tests.meters import flat_plan, level
from tests.problems import names


def test_a_year_is_printed_where_it_is_known(run: Run, tmp_path: Path) -> None:
    """28 days and 27: 5 kWh a day more, at 33 c."""
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 2, 1), 28))
    (tmp_path / "plan.json").write_text(flat_plan())
    assert run("import", tmp_path / "meter.csv", tmp_path / "plan.json").code == 0
    run("household", "set", "--postcode", "4000")
    driven = ("whatif", "ev", "--kwh", "5", "--price", "1000", "--today", "2026-03-20", "--from", "2026-02-01", "--to")
    assert names(run(*driven, "2026-02-28").out, "$46.20", "$602.25 a year")
    few = run(*driven, "2026-02-27")
    assert names(few.out, "$44.55", "27 of 27 days", "28 days")
    answer = run(*driven, "2026-02-27", "--json").json
    assert (answer["yearly"], answer["payback_years"], answer["days_read"]) == (None, None, 27.0)
