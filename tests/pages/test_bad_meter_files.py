"""Meter files as they should not be, on the Data page: what is wrong is in sight with its line, the rest is stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.meters import day, days, level, nem12, register
from tests.pages.seen import TODAY, press, read
from tests.problems import names
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

Visit = Callable[..., AppTest]
NMI = "4103000001"


def added(ctx: Context, visit: Visit, text: str) -> AppTest:
    test = visit(ctx.db, "data")
    test.file_uploader[0].set_value([("meter.csv", text.encode(), "text/csv")]).run()
    press(test, "Import")
    assert not test.exception
    return test


def in_sight(test: AppTest) -> str:
    """The page's texts, with the problems, which have to be in an open expander."""
    (problems,) = [each for each in test.expander if "to look at" in each.label]
    assert problems.proto.expanded
    shown = [str(value) for table in test.dataframe for value in table.value.to_numpy().ravel()]
    return read(test) + "\n".join(shown)


def test_a_year_in_another_unit_is_said_to_change_what_was_stored(tmp_path: Path, visit: Visit) -> None:
    """30 days of 12 kWh, then the same figures in MWh."""
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "good.csv").write_text(level(NMI, date(2026, 5, 1), 30))
    load(ctx, [tmp_path / "good.csv"])
    test = added(ctx, visit, level(NMI, date(2026, 5, 1), 30).replace("KWH", "MWH"))
    assert names(in_sight(test), "Changed: 30 days", "12,000 kWh", "30 days of E1", "meter.csv:3")


def test_a_file_cut_in_a_value_keeps_the_days_before(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    whole = nem12(register(nmi=NMI), *(day(f"2026050{number}", [0.25] * 48) for number in (1, 2, 3)))
    test = added(ctx, visit, whole[: whole.index("20260503") + 60])
    assert names(in_sight(test), "Added: 2 days", "meter.csv:5")
    (point,) = usage(ctx).service_points
    assert point.import_kwh == 24


def test_a_day_given_twice_is_named_and_the_later_counts(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    twice = nem12(register(nmi=NMI), day("20260501", [0.25] * 48), day("20260501", [0.5] * 48))
    assert names(in_sight(added(ctx, visit, twice)), "meter.csv:3", "meter.csv:4")
    (point,) = usage(ctx).service_points
    assert point.import_kwh == 24


def test_equal_problems_of_a_file_are_one_and_a_tenth_left_out_is_a_warning(tmp_path: Path, visit: Visit) -> None:
    """40 days, of which the last 4 have 47 of 48 reads: a tenth."""
    ctx = Context(tmp_path / "home.db", TODAY)
    counts = [48] * 36 + [47] * 4
    rows = [day(when, [0.25] * count) for when, count in zip(days("2026-05-01", 40), counts, strict=True)]
    test = added(ctx, visit, nem12(register(nmi=NMI), *rows))
    assert "1 thing to look at" in [each.label for each in test.expander]
    assert names(in_sight(test), "meter.csv, 4 lines from 39 to 42", "47 reads")
    assert any("4 could not be used" in warning.value for warning in test.warning)


def test_a_single_day_that_is_left_out_of_many_is_no_warning(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    rows = [day(when, [0.25] * count) for when, count in zip(days("2026-05-01", 12), [48] * 11 + [47], strict=True)]
    test = added(ctx, visit, nem12(register(nmi=NMI), *rows))
    assert any("1 could not be used" in done.value for done in test.success)
    assert not [warning.value for warning in test.warning if "could not be used" in warning.value]
