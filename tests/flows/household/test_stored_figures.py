"""When the desk's stored figures of a household are out of date: whatever they are worked out from has changed."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

import toolkit
from tests.flows.energy.homes import NMI, TODAY, on
from tests.flows.energy.invoices import read
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.flows.desk import figures
from toolkit.flows.desk import stored as stored_figures
from toolkit.flows.desk.desk import out_of_date
from toolkit.flows.desk.figures import current_figures
from toolkit.flows.desk.program import program_checksum
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.plans.typed import keep_typed_plan
from toolkit.flows.report.stated_lines import StatedLine, add_stated_line
from toolkit.store import open_store
from toolkit.tables.schema import Cell


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A home with a meter, an account's plan and a bank account; its figures are stored."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read(ctx, NMI, date(2024, 5, 1), 31, "0.5")
    on(ctx, 30, "2024-01-01")
    (tmp_path / "bank.csv").write_text('01/05/2024,"-50.00","CITY GYM CLUB","900.00"\n')
    load(ctx, [tmp_path / "bank.csv"])
    return stored(ctx)


def stored(ctx: Context) -> Context:
    current_figures(ctx)
    assert out_of_date(ctx) == []
    return ctx


def only(ctx: Context) -> str:
    (home,) = homes(ctx).households
    return home.id


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("service_points", "postcode", "3000"),
        ("service_points", "vanished_at", datetime(2024, 8, 1, tzinfo=UTC)),
        ("accounts", "product_category", "CRED_AND_CHRG_CARDS"),
        ("account_plans", "is_current", False),
        ("account_plans", "end_date", date(2024, 6, 30)),
    ],
)
def test_a_row_that_changes_in_place_is_seen(ctx: Context, name: str, column: str, value: Cell) -> None:
    with open_store(ctx.db) as store, store.transaction():
        assert store.update(name, {column: value}, {"household_id": only(ctx)}) == 1
    assert out_of_date(ctx) == [only(ctx)]


def test_typed_prices_that_are_current_again_are_seen(ctx: Context) -> None:
    cheap, dear = (
        TypedPlan(name="Saver", fuel="electricity", supply=Decimal(100), usage=(TypedRate(price=Decimal(cents)),))
        for cents in (20, 40)
    )
    for plan in (cheap, dear):
        keep_typed_plan(ctx, plan)
    stored(ctx)
    keep_typed_plan(ctx, cheap)
    assert out_of_date(ctx) == [only(ctx)]


def test_what_a_run_changes_after_its_last_page_is_seen_when_it_ends(ctx: Context) -> None:
    run = {"run_id": "r", "started_at": datetime(2024, 8, 1, tzinfo=UTC), "state": "running"}
    counts = dict.fromkeys(("fetched", "added", "updated", "unchanged", "removed", "rejected"), 0)
    page = {
        "run_id": "r",
        "household_id": only(ctx),
        "end_user_id": "eu",
        "resource": "banking.transactions",
        "page": 1,
    }
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("runs", [run])
        store.upsert("receipts", [{**page, **counts}])
    stored(ctx)
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("runs", [{**run, "finished_at": datetime(2024, 8, 1, 0, 5, tzinfo=UTC), "state": "done"}])
    assert out_of_date(ctx) == [only(ctx)]


def test_words_about_a_household_are_in_no_figure_of_the_desk(ctx: Context) -> None:
    set_home(ctx, name="Renamed", note="Call", purpose="Advice", follow_up=date(2024, 9, 1))
    assert out_of_date(ctx) == []


def test_lines_for_the_report_are_in_no_figure_of_the_desk(ctx: Context) -> None:
    add_stated_line(ctx, StatedLine("expense", "Rent", "450", "week"))
    assert out_of_date(ctx) == []


def test_figures_of_the_same_day_are_worked_out_again_by_another_program(
    ctx: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = program_checksum()
    updated = tmp_path / "updated" / "toolkit"
    shutil.copytree(
        Path(toolkit.__file__).parent, updated, ignore=shutil.ignore_patterns("__pycache__", "pages", "docs")
    )
    assert program_checksum(updated) == before
    with (updated / "analytics" / "energy" / "forecast" / "season.py").open("a") as file:
        file.write("MOST = 2\n")
    program_checksum.cache_clear()  # a program that runs does not change
    after = program_checksum(updated)
    monkeypatch.setattr(stored_figures, "program_checksum", lambda: after)
    assert out_of_date(ctx) == [only(ctx)]
    stored(ctx)


def test_two_that_ask_for_figures_at_once_have_them_worked_out_once(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked: list[str | None] = []
    at_once = threading.Barrier(2)
    tomorrow = replace(ctx, today=TODAY + timedelta(days=1))
    work_out = figures.work_out

    def noted(ctx: Context) -> figures.Figures:
        worked.append(ctx.household)
        with suppress(threading.BrokenBarrierError):
            at_once.wait(1)  # where the other one works too, it comes here meanwhile
        return work_out(ctx)

    monkeypatch.setattr(figures, "work_out", noted)
    with ThreadPoolExecutor() as pool:
        first, second = pool.map(current_figures, [tomorrow, tomorrow])
    assert worked == [only(ctx)]
    assert first == second
    assert first.as_of == TODAY + timedelta(days=1)
