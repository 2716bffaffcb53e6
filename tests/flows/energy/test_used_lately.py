"""What was used lately, from the stored sums of days: as `usage` gives it for the same days."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.meters import day, days, level, nem12, register
from toolkit.answers.base import Period
from toolkit.flows.energy.usage import Used, usage, used_lately
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm

TODAY = date(2026, 6, 20)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home" / "household.db", TODAY)


def add(ctx: Context, folder: Path, *files: str) -> None:
    for number, text in enumerate(files):
        (folder / f"meter-{number}.csv").write_text(text)
    load(ctx, [folder / f"meter-{number}.csv" for number in range(len(files))])


def test_the_last_thirty_days_stand_beside_those_before_and_last_year(ctx: Context, tmp_path: Path) -> None:
    """480 days to 1 June: 0.25 kWh a half hour, 0.5 from 3 May on; 0.125 exported."""
    imported = nem12(
        register("E1"),
        *(day(when, ["0.25" if when < "20260503" else "0.5"] * 48) for when in days("2025-02-07", 480)),
    )
    add(ctx, tmp_path, imported, level("4103000001", date(2025, 2, 7), 480, "0.125", "B1"))
    (meter,) = used_lately(ctx)
    assert (meter.unit, meter.is_from_bills) == ("kWh", False)
    assert meter.days == Period(date(2026, 5, 3), date(2026, 6, 1))
    assert meter.now == Used(30 * 48 * 0.5, 30 * 48 * 0.125)
    assert meter.before == meter.last_year == Used(30 * 48 * 0.25, 30 * 48 * 0.125)
    (same,) = usage(ctx, from_=meter.days.first, to=meter.days.last).service_points
    assert (meter.now.used, meter.now.export_kwh) == (same.used, same.export_kwh)


def test_what_is_missing_is_no_energy_and_earlier_days_without_reads_are_not_known(
    ctx: Context, tmp_path: Path
) -> None:
    """40 days, of which the last is flagged missing: no 30 days before, and nothing of last year."""
    known = (day(when, ["0.5"] * 48) for when in days("2026-04-23", 39))
    add(ctx, tmp_path, nem12(register(), *known, day("20260601", ["0"] * 48, flag="N")))
    (meter,) = used_lately(ctx)
    assert meter.now == Used(29 * 48 * 0.5, None)
    assert (meter.before, meter.last_year) == (None, None)


def test_bills_stand_for_reads_and_a_home_without_either_used_nothing_known(ctx: Context) -> None:
    assert add_invoice(ctx, InvoiceForm("GAS", date(2026, 3, 1), date(2026, 4, 9), "150", energy=["4000"]))
    (meter,) = used_lately(ctx)
    assert (meter.unit, meter.is_from_bills) == ("MJ", True)
    assert meter.now == Used(3000.0, None)  # 100 MJ a day
