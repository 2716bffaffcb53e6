"""A meter file does not say whether its channel E2 is controlled load: each page whose figures rest on it asks once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import day, days, nem12, register
from tests.pages.seen import TODAY, press, read
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.flows.imports.controlled_load import load_channels, set_controlled_load
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

Visit = Callable[..., AppTest]
NMI = "4103000001"
QUESTION = f"Is channel E2 of meter {NMI} your off-peak hot water, slab heating or pool pump (controlled load)?"
YES, NO = "Yes, it is controlled load", "No, it is general use"


def home(folder: Path, *, hot_water: str | None = None, count: int = 31) -> Context:
    """May 2026: 12 kWh a day on E1 and 4.8 kWh (48 × 0.1) on E2. hot_water: kWh of it on the bill for May."""
    ctx = Context(folder / "home.db", TODAY)
    rows = [(suffix, kwh, when) for suffix, kwh in (("E1", 0.25), ("E2", 0.1)) for when in days("2026-05-01", count)]
    e1, e2 = ([day(when, [kwh] * 48) for suffix, kwh, when in rows if suffix == name] for name in ("E1", "E2"))
    (folder / "meter.csv").write_text(nem12(register("E1"), *e1, register("E2"), *e2))
    load(ctx, [folder / "meter.csv"])
    if hot_water:
        energy = ["372", f"controlled load={hot_water}"]
        span = (date(2026, 5, 1), date(2026, 5, 31))
        add_invoice(ctx, InvoiceForm("ELECTRICITY", *span, "120", energy=energy))
    return ctx


def load_kwh(ctx: Context) -> float | None:
    (point,) = usage(ctx).service_points
    return point.controlled_load_kwh


@pytest.mark.parametrize("page", ["overview", "data"])
def test_a_channel_that_may_be_hot_water_is_asked_about_and_counts_once_answered(
    tmp_path: Path, visit: Visit, page: str
) -> None:
    ctx = home(tmp_path)
    test = visit(ctx.db, page)
    assert QUESTION in read(test)
    assert "It measured 4.8 kWh a day." in read(test)
    press(test, YES)
    assert load_kwh(ctx) == pytest.approx(148.8)  # 31 × 4.8
    test = visit(ctx.db, page)
    assert QUESTION not in read(test)
    assert not test.exception


def test_a_bill_with_the_energy_of_the_channel_says_that_it_is_controlled_load(tmp_path: Path, visit: Visit) -> None:
    ctx = home(tmp_path, hot_water="148.8")
    said = "Your bill for 1 May 2026 to 31 May 2026 has 149 kWh of controlled load, and the channel measured 149 kWh"
    assert f"{said}, so it very likely is." in read(visit(ctx.db, "overview"))


@pytest.mark.parametrize(
    ("hot_water", "count", "agrees"),
    [("148.8", 31, True), ("147.4", 31, True), ("140", 31, False), ("148.8", 30, None)],
)
def test_a_bill_is_evidence_where_the_channel_has_each_of_its_days(
    tmp_path: Path, hot_water: str, count: int, agrees: bool | None
) -> None:
    (channel,) = load_channels(home(tmp_path, hot_water=hot_water, count=count))
    assert channel.a_day == Decimal("4.8")
    assert (channel.billed and channel.billed.agrees) is agrees


def test_no_is_kept_and_can_be_changed_where_the_home_is(tmp_path: Path, visit: Visit) -> None:
    ctx = home(tmp_path)
    press(visit(ctx.db, "overview"), NO)
    assert not load_kwh(ctx)
    test = visit(ctx.db, "data")
    assert QUESTION not in read(test)
    assert f"Channel E2 of meter {NMI} counts as general use." in read(test)
    press(test, "It is controlled load")
    assert load_kwh(ctx) == pytest.approx(148.8)
    (folder := tmp_path / "later").mkdir()
    june = (day(when, [0.1] * 48) for when in days("2026-06-01", 2))
    (folder / "june.csv").write_text(nem12(register("E2"), *june))
    load(ctx, [folder / "june.csv"])
    assert load_kwh(ctx) == pytest.approx(158.4)  # two more days


def test_a_later_file_says_nothing_of_a_channel_that_was_answered(tmp_path: Path) -> None:
    ctx = home(tmp_path)
    (channel,) = load_channels(ctx)
    set_controlled_load(ctx, channel, is_controlled_load=True)
    both = [register("E1"), day("2026-06-01", [0.25] * 48), register("E2"), day("2026-06-01", [0.1] * 48)]
    (tmp_path / "june.csv").write_text(nem12(*both))
    (file,) = load(ctx, [tmp_path / "june.csv"]).files
    assert "controlled_load_possible" not in [note.code for note in file.notes]


def test_a_single_channel_and_one_named_at_import_are_not_asked_about(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    rows = [day(when, [0.1] * 48) for when in days("2026-05-01", 3)]
    (tmp_path / "one.csv").write_text(nem12(register("E2"), *rows))
    load(ctx, [tmp_path / "one.csv"])
    assert not load_channels(ctx)
    (tmp_path / "two.csv").write_text(nem12(register("E1"), *rows, register("E2"), *rows))
    load(ctx, [tmp_path / "two.csv"], controlled_load=["E2"])
    assert [channel.is_controlled_load for channel in load_channels(ctx)] == [True]
