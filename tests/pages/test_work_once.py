"""A tab of bills prepares the reads of its days once, and the Spending page asks once what was spent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Event

import polars as pl
import pytest
from streamlit.testing.v1 import AppTest

from tests.meters import flat_plan, level
from tests.pages.seen import TODAY, metrics
from toolkit.analytics.energy.intervals import prepare
from toolkit.flows.energy import forecast
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money import summary
from toolkit.pages import answers
from toolkit.pages.energy.bills import CORRECT, NEXT_BILL, PAST_BILL

ONE_DAY = 3 * 48
"""Reads of a day and of its neighbours, which a local day reaches into; a bill's reads of one day are listed."""


@pytest.mark.parametrize(
    ("tab", "figure", "times"),
    [(NEXT_BILL, "Best guess", 2), (PAST_BILL, "Total", 1), (CORRECT, "Cannot be checked", 1)],
)
def test_a_tab_of_bills_prepares_the_reads_once(
    tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, tab: str, figure: str, times: int
) -> None:
    (tmp_path / "plan.json").write_text(flat_plan())
    (tmp_path / "meter.csv").write_text(level("4103012345", date(2026, 3, 1), 100, "0.5", "E1"))
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    load(ctx, [tmp_path / "plan.json", tmp_path / "meter.csv"])
    add_invoice(ctx, InvoiceForm("ELECTRICITY", date(2026, 5, 1), date(2026, 5, 31), "200"))
    prepared: list[int] = []

    class Counted(prepare.Usage):
        def __init__(self, reads: pl.DataFrame, *rest: str) -> None:
            prepared.append(reads.height)
            super().__init__(reads, *rest)

    monkeypatch.setattr(prepare, "Usage", Counted)
    test = visit(ctx.db, "bills", tab=tab)  # the next bill is compared with the last one: that one's days, too
    assert not test.exception
    assert figure in metrics(test)
    assert len([reads for reads in prepared if reads > ONE_DAY]) == times


def test_the_first_page_forecasts_once_a_day(
    tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.json").write_text(flat_plan())
    (tmp_path / "meter.csv").write_text(level("4103012345", date(2026, 3, 1), 100, "0.5", "E1"))
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    load(ctx, [tmp_path / "plan.json", tmp_path / "meter.csv"])
    asked: list[object] = []
    answered = forecast.forecast_bill
    monkeypatch.setattr(forecast, "forecast_bill", lambda *of, **by: asked.append(of) or answered(*of, **by))
    first = metrics(visit(ctx.db, "overview"))["Next power bill"]
    assert asked
    asked.clear()
    answers.forget_all()
    assert metrics(visit(ctx.db, "overview"))["Next power bill"] == first
    assert not asked
    set_home(ctx, billing="quarterly")
    assert metrics(visit(ctx.db, "overview"))["Next power bill"] != first
    assert asked


def test_spending_is_asked_once(tmp_path: Path, visit: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bank.csv").write_text("Date,Amount,Description\n01/06/2026,-45.20,WOOLWORTHS\n10/06/2025,-9.00,BP\n")
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    load(ctx, [tmp_path / "bank.csv"])
    asked = []
    answered = summary.spending_of
    monkeypatch.setattr(summary, "spending_of", lambda *of: asked.append(of) or answered(*of))
    test = visit(ctx.db, "spending")
    assert not test.exception
    assert metrics(test)["Spent"] == "$54.20"
    assert len(asked) == 1


def test_a_page_that_asks_what_is_being_worked_out_waits_for_it(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    asked: list[str] = []
    is_asked, may_end = Event(), Event()

    def slow(_ctx: Context) -> str:
        asked.append("slow")
        is_asked.set()
        assert may_end.wait(10)
        return "answer"

    def prepare() -> str:
        with answers.ahead():
            return answers.ask(slow, ctx)

    with ThreadPoolExecutor(2) as threads:
        prepared = threads.submit(prepare)
        assert is_asked.wait(10)
        on_page = threads.submit(answers.ask, slow, ctx)
        may_end.set()
        assert (prepared.result(), on_page.result()) == ("answer", "answer")
    assert asked == ["slow"]
