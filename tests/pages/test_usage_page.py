"""The Usage page for a renter with a few days, a home with hot water on controlled load, and a gas home."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.command_line import Run
from tests.meters import day, days, flat_plan, level, nem12, register
from tests.pages.seen import TODAY, metrics, press, read, said
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.pages.usage.days import WAY_TO_READS
from toolkit.pages.usage.page import BY_MONTH, METER

Visit = Callable[..., AppTest]


def imported(folder: Path, *files: tuple[str, str], controlled_load: tuple[str, ...] = ()) -> Path:
    db = folder / "home" / "household.db"
    folder.mkdir(exist_ok=True)
    for name, text in files:
        (folder / name).write_text(text)
        load(Context(db, TODAY), [folder / name], controlled_load=controlled_load)
    return db


def drawn(test: AppTest) -> int:
    return len(test.get("plotly_chart"))


def test_three_days_describe_no_season_and_sentences_say_so(tmp_path: Path, visit: Visit) -> None:
    db = imported(tmp_path, ("meter.csv", level("4103000001", date(2026, 6, 1), 3)))
    test = visit(db, "usage")
    assert not test.exception
    assert {"Always on", "Highest half-hour"}.isdisjoint(metrics(test))
    assert names(read(test), "weekday", "winter", 3, 10)
    assert names(said(test), "1 Jun 2026 to 3 Jun 2026")  # not twelve months
    assert drawn(test) == 0  # no average day
    assert drawn(visit(db, "usage", tab="Hour by hour")) == 1
    assert drawn(visit(db, "usage", tab="Day by day")) == 1
    assert drawn(visit(db, "usage", tab="Month by month")) == 1


def test_a_home_with_hot_water_sees_dollars_by_hour_and_controlled_load_apart(tmp_path: Path, visit: Visit) -> None:
    days = [f"202506{number:02d}" for number in range(1, 29)]
    meter = nem12(
        *(register("E1"), *(day(when, [0.5] * 48) for when in days)),
        *(register("E2"), *(day(when, [1.0] * 4 + [0.0] * 44) for when in days)),
    )
    plan = ("plan.json", flat_plan("0.30", "1.00"))
    db = imported(tmp_path, plan, ("meter.csv", meter), controlled_load=("E2",))
    test = visit(db, "usage")
    assert not test.exception
    shown = metrics(test)
    assert (shown["Controlled load"], shown["Always on"], shown["Highest half-hour"]) == (
        "112 kWh",
        "1.00 kW",
        "1.00 kW",
    )
    assert drawn(test) == 2  # average days of general use and of controlled load
    test = visit(db, "usage", tab="What it costs")
    # 28 days of 24 and 4 kWh at 33 cents; a dollar a day and GST
    assert names(read(test), "$258.72")
    assert names(read(test), "$30.80")
    assert "$289.52" in read(test)
    assert drawn(test) == 1
    labels = [expander.label for expander in test.expander]
    assert len(labels) == len(set(labels)) > 1  # how the costs, and how the other figures were worked out


def test_a_day_on_average_is_of_the_time_that_is_metered(tmp_path: Path, visit: Visit) -> None:
    """Thirty days of 12 kWh, of which ten are not in the file."""
    first, last = level("4103000001", date(2026, 5, 1), 10), level("4103000001", date(2026, 5, 21), 10)
    test = visit(imported(tmp_path, ("first.csv", first), ("last.csv", last)), "usage")
    shown = metrics(test)
    assert (shown["From the grid"], shown["A day, on average"]) == ("240 kWh", "12.0 kWh")
    assert shown["Meter data"] == "66.7%"


def test_an_average_day_leads_to_the_reads_behind_it(tmp_path: Path, visit: Visit) -> None:
    test = visit(imported(tmp_path, ("meter.csv", level("4103000001", date(2026, 5, 1), 40))), "usage")
    press(test, WAY_TO_READS)
    assert not test.exception
    assert "The reads" in [expander.label for expander in test.expander]


def test_days_are_paged_through_down_to_their_reads(tmp_path: Path, visit: Visit) -> None:
    db = imported(tmp_path, ("meter.csv", level("4103000001", date(2026, 6, 1), 20)))
    test = visit(db, "usage", tab="Day by day")
    assert test.session_state["shown-day"] == date(2026, 6, 14)
    press(test, "Earlier")
    assert test.session_state["shown-day"] == date(2026, 6, 7)
    assert names(said(test), "84.0 kWh")
    press(test, "Day of the highest half-hour")
    assert (test.session_state["shown-day"], test.session_state["shown-span"]) == (date(2026, 6, 1), "Day")
    assert names(said(test), "12.0 kWh")
    reads = next(frame.value for frame in test.dataframe if "quality" in frame.value.columns)
    assert reads["kwh"].sum() == 12.0


def test_a_month_is_shown_with_all_its_reads_and_paged_by_month(tmp_path: Path, visit: Visit) -> None:
    db = imported(tmp_path, ("meter.csv", level("4103000001", date(2026, 4, 10), 67)))  # to 15 June, 12 kWh a day
    test = visit(db, "usage", tab="Day by day")
    test.segmented_control(key="shown-span").set_value("Month").run()
    assert names(said(test), "180 kWh")  # 15 days of June
    press(test, "Earlier")
    assert not test.exception
    assert test.session_state["shown-day"] == date(2026, 5, 1)
    reads = next(frame.value for frame in test.dataframe if "quality" in frame.value.columns)
    assert (len(reads), reads["kwh"].sum()) == (31 * 48, 372.0)
    press(test, "Earlier")
    assert names(said(test), "252 kWh")  # 21 days of April
    press(test, "Later")
    assert test.session_state["shown-day"] == date(2026, 5, 1)


def test_a_month_of_local_days_that_is_not_that_of_meter_days_states_both(tmp_path: Path, visit: Visit) -> None:
    """12 kWh a day, and 40 kWh from 23:00 to 24:00 AEST on 31 March: midnight to one on 1 April in Sydney."""
    late = [*["0.25"] * 46, "20", "20"]
    meter = nem12(
        register(),
        *(day(when, ["0.25"] * 48) for when in days("2026-03-01", 30)),
        day("20260331", late),
        *(day(when, ["0.25"] * 48) for when in days("2026-04-01", 45)),
    )
    test = visit(imported(tmp_path, ("meter.csv", meter)), "usage", tab="Day by day")
    test.segmented_control(key="shown-span").set_value("Month").run()
    press(test, "Earlier")
    assert test.session_state["shown-day"] == date(2026, 4, 1)
    assert names(said(test), "400 kWh", "360 kWh")


def test_gas_is_shown_by_day(tmp_path: Path, visit: Visit) -> None:
    gas = "MIRN,Date,Usage (MJ)\n" + "".join(f"5240000001,{number:02d}/06/2026,90\n" for number in range(1, 11))
    db = imported(tmp_path, ("gas.csv", gas))
    test = visit(db, "usage")
    assert not test.exception
    assert metrics(test)["Used"] == "900 MJ"
    assert drawn(test) == 1  # by month
    assert drawn(visit(db, "usage", tab="Day by day")) == 1


@pytest.mark.parametrize("tab", ["Meter", "Day by day"])
def test_gas_comes_from_no_grid(tmp_path: Path, visit: Visit, tab: str) -> None:
    days = "".join(f"5300000001,2026-06-{number:02d},40.5\n" for number in range(1, 16))
    test = visit(imported(tmp_path, ("gas.csv", f"NMI,Date,MJ\n{days}")), "usage", tab=tab)
    assert not test.exception
    tables = [set(frame.value.columns) for frame in test.dataframe]
    assert tables
    assert not set().union(*tables) & {"direction", "controlled_load"}


def test_missing_and_estimated_reads_lead_to_the_months_that_count_them(tmp_path: Path, visit: Visit) -> None:
    """Ten of forty days are missing, and one is estimated; a complete meter leads to its registers."""
    reads = [*(day(when, [0.5] * 48) for when in days("2026-05-01", 20)), day("20260521", [0.5] * 48, "S14")]
    after = [day(when, [0.5] * 48) for when in days("2026-06-01", 9)]
    gappy = visit(imported(tmp_path / "gappy", ("meter.csv", nem12(register("E1"), *reads, *after))), "usage")
    tabs = [button.label for button in gappy.button]
    assert (tabs.count(f"{BY_MONTH} →"), tabs.count(f"{METER} →")) == (3, 0)
    whole = visit(imported(tmp_path / "whole", ("meter.csv", nem12(register("E1"), *reads[:20]))), "usage")
    tabs = [button.label for button in whole.button]
    assert (tabs.count(f"{BY_MONTH} →"), tabs.count(f"{METER} →")) == (1, 1)


@pytest.mark.parametrize(
    ("kwh", "named"), [("250", ("12,000 kWh", "Wh", "Data page")), ("0.00025", ("0.012 kWh", "MWh", "Data page"))]
)
def test_energy_in_another_unit_is_warned_of_above_its_figures_and_beside_its_bill(
    kwh: str, named: tuple[str, ...], run: Run, tmp_path: Path, visit: Visit
) -> None:
    """30 days of 12 kWh, written in Wh or MWh and said to be in kWh."""
    meter = level("4103000001", date(2026, 5, 1), 30, kwh)
    db = imported(tmp_path, ("plan.json", flat_plan()), ("meter.csv", meter))
    page = visit(db, "usage")
    assert len(page.warning) == 1
    assert names(read(page), *named)
    page = visit(db, "overview")
    assert len(page.warning) == 1
    assert names(read(page), *named)
    (problem,) = run("bill", "--from", "2026-05-01", "--to", "2026-05-30", "--db", db, "--json").json["problems"]
    assert names(problem["reason"], named[0])
    assert problem["severity"] == "warning"
