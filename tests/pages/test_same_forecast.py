"""One forecast at every door: command line, pages, cash flow, many households, report, desk, notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise, product
from pathlib import Path

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

import toolkit
from tests.command_line import Run
from tests.meters import day, days, flat_plan, nem12, register
from tests.pages.seen import TODAY, metrics, read
from toolkit.answers.energy.forecast import Forecast
from toolkit.charts.style import aud
from toolkit.flows.desk.figures import work_out
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.fleet.kernels import analyse
from toolkit.flows.fleet.partitions import write_partitions
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.invoices.edit import add_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.recurring import recurring
from toolkit.flows.report.write import ReportQuestion, make_report
from toolkit.pages.money.coming_up import IN_PLACE
from toolkit.pages.text import message

Visit = Callable[..., AppTest]
QUARTERS = [date(2025, 3, 1), date(2025, 6, 1), date(2025, 9, 1), date(2025, 12, 1), date(2026, 3, 1), date(2026, 6, 1)]
BANK = "Date,Description,Amount,Balance\n"


def power(ctx: Context, folder: Path) -> None:
    """Add 17 months of reads to 10 June 2026, higher in winter and uneven from day to day, and their plan."""
    rows = []
    for number, when in enumerate(days("2025-01-01", 526)):
        winter = 1.5 if when[4:6] in ("06", "07", "08") else 1.0
        rows.append(day(when, [round(winter * (0.2 + 0.02 * (number * 7 % 11)), 3)] * 48))
    (folder / "meter.csv").write_text(nem12(register(), *rows))
    (folder / "plan.json").write_text(flat_plan())
    load(ctx, [folder / "meter.csv", folder / "plan.json"])
    set_home(ctx, plan_id="FLAT@EME", plan_since=date(2025, 1, 1))


def bank(ctx: Context, folder: Path, *payments: tuple[date, str]) -> None:
    """Add an everyday account that pays $50 a week, and these payments to a retailer."""
    spent = [(TODAY - timedelta(7 * n), "-50.00", "SHOP") for n in range(30)]
    paid = [(when, amount, "AGL SALES PTY LTD") for when, amount in payments]
    rows = "".join(f"{when:%d/%m/%Y},{name},{amount},9000.00\n" for when, amount, name in sorted([*spent, *paid]))
    (folder / "bank.csv").write_text(BANK + rows)
    load(ctx, [folder / "bank.csv"])


def gas(ctx: Context, folder: Path, *, due_after: int | None = None) -> None:
    """Add a typed gas bill for each quarter, due so many days after its last, and their plan."""
    for (first, after), energy in zip(pairwise(QUARTERS), ("3680", "9200", "5460", "1800", "3680"), strict=True):
        last = after - timedelta(1)
        due = None if due_after is None else last + timedelta(due_after)
        add_invoice(ctx, InvoiceForm("GAS", first, last, "150", energy=[energy], due_date=due))
    plan = flat_plan("0.02").replace("FLAT@EME", "GAS@EME").replace("ELECTRICITY", "GAS")
    (folder / "gas.json").write_text(plan.replace("electricityContract", "gasContract"))
    load(ctx, [folder / "gas.json"])
    set_home(ctx, plan_id="GAS@EME", plan_since=date(2025, 1, 1))


def plain(ctx: Context, folder: Path) -> None:
    power(ctx, folder)
    bank(ctx, folder)


def quarterly(ctx: Context, folder: Path) -> None:
    power(ctx, folder)
    bank(ctx, folder)
    set_home(ctx, billing="quarterly")


def typed_bills_alone(ctx: Context, folder: Path) -> None:
    gas(ctx, folder)
    bank(ctx, folder)


def both_fuels(ctx: Context, folder: Path) -> None:
    gas(ctx, folder)
    power(ctx, folder)
    bank(ctx, folder)


HOMES = (plain, quarterly, typed_bills_alone, both_fuels)


@pytest.fixture(params=HOMES, ids=lambda home: home.__name__, scope="module")
def ctx(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A home with energy bills and a bank account, which the tests only ask."""
    folder = tmp_path_factory.mktemp(request.param.__name__)
    ctx = Context(folder / "home" / "household.db", TODAY)
    request.param(ctx, folder)
    return ctx


@pytest.fixture(scope="module")
def of_every_meter(ctx: Context) -> list[Forecast]:
    """What `forecast` answers for each meter of the home, electricity first."""
    answers = []
    for fuel, meter in (("ELECTRICITY", "4103000001"), ("GAS", "gas-bills")):
        if (ctx.db.parent.parent / {"ELECTRICITY": "meter.csv", "GAS": "gas.json"}[fuel]).exists():
            answers.append(forecast(replace(ctx, service_point=meter)))
    assert answers
    assert all(answer.p50 is not None for answer in answers)
    return answers


def test_the_command_answers_the_same_json(ctx: Context, of_every_meter: list[Forecast], run: Run) -> None:
    for answer in of_every_meter:
        asked = ("--db", ctx.db, "--today", TODAY, "--service-point", answer.service_point_id, "--json")
        said = run("forecast", *asked).json
        assert ends(said) == tuple(None if end is None else str(end) for end in (answer.p10, answer.p50, answer.p90))
        assert [bill["p50"] for bill in said["bills"]] == [str(bill.p50) for bill in answer.bills]
        assert len(said["months"]) == 12
        for month, own in zip(said["months"], answer.months, strict=True):
            assert ends(month) == tuple(None if end is None else str(end) for end in (own.p10, own.p50, own.p90))
        even = answer.even_payments
        assert even is not None
        for name, paid in (("p50", even.p50), ("p90", even.p90)):
            assert said["even_payments"][name] == {
                every: str(getattr(paid, every)) for every in ("weekly", "fortnightly", "monthly")
            }


def ends(said: Mapping[str, str | None]) -> tuple[str | None, ...]:
    """Return the three figures of a forecast in JSON."""
    return said["p10"], said["p50"], said["p90"]


def test_the_first_page_and_the_page_of_bills(ctx: Context, of_every_meter: list[Forecast], visit: Visit) -> None:
    worked_out, stored, bills = visit(ctx.db, "overview"), visit(ctx.db, "overview"), visit(ctx.db, "bills")
    assert not bills.exception
    for overview, answer in product((worked_out, stored), of_every_meter):
        assert not overview.exception
        label = "Next power bill" if answer.fuel == "ELECTRICITY" else "Next gas bill"
        assert metrics(overview)[label] == aud(answer.p50 or 0)
        if answer.p10 is not None and answer.p90 is not None:
            (below,) = [metric.delta for metric in overview.metric if metric.label == label]
            assert below.startswith(f"likely between {aud(answer.p10, cents=False)} and {aud(answer.p90, cents=False)}")
    for number, answer in enumerate(of_every_meter):
        shown = bills if number == 0 else bills.selectbox(key="meter").set_value(answer.service_point_id).run()
        assert metrics(shown)["Best guess"] == aud(answer.p50 or 0)
        assert answer.even_payments is not None
        assert metrics(shown)["The next twelve months"] == aud(answer.even_payments.year_p50)
        assert metrics(shown)["Even payments, monthly"] == aud(answer.even_payments.p50.monthly)
        together = sum((bill.p50 for bill in answer.bills), Decimal(0))
        is_explained = f"those of the bills ahead added up ({aud(together)})" in read(shown)
        assert is_explained == (together != answer.even_payments.year_p50)
        assert f"{aud(answer.even_payments.p90.monthly)} to be safe" in "".join(each.delta for each in shown.metric)


def test_what_past_forecasts_were_tested_on(tmp_path: Path, visit: Visit) -> None:
    """Of a home with reads no bill is stored: "18 of your past bills" were periods worked out from its reads."""
    reads, bills = (Context(tmp_path / name / "household.db", TODAY) for name in ("reads", "bills"))
    power(reads, tmp_path)
    gas(bills, tmp_path)
    said = (
        "past billing periods (each worked out from your meter data at your plan's prices: not the bills that you were"
    )
    assert f"Tested on {forecast(reads).backtest.origins} {said} sent)" in read(visit(reads.db, "bills"))
    assert f"Tested on {forecast(bills).backtest.origins} of your past bills" in read(visit(bills.db, "bills"))


def test_the_day_that_the_next_bill_is_due_stands_below_its_amount(tmp_path: Path, visit: Visit) -> None:
    """The bills were due 25 days after their last day: that of June to August is so on 25 September."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    gas(ctx, tmp_path, due_after=25)
    (below,) = [metric.delta for metric in visit(ctx.db, "bills").metric if metric.label == "Best guess"]
    assert below == "due about 25 Sep 2026"


def test_a_change_of_use_is_said_beside_the_figures(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    rows = [day(when, [0.2 + 0.02 * (n * 7 % 11)] * 48) for n, when in enumerate(days("2025-01-01", 490))]
    more = [day(when, [0.9 + 0.02 * (n * 7 % 11)] * 48) for n, when in enumerate(days("2026-05-06", 45))]
    (tmp_path / "meter.csv").write_text(nem12(register(), *rows, *more))
    (tmp_path / "plan.json").write_text(flat_plan())
    load(ctx, [tmp_path / "meter.csv", tmp_path / "plan.json"])
    (said,) = [note for note in forecast(ctx).notes if note.code == "use_rose"]
    assert read(visit(ctx.db, "bills")).count(message(said)) == 1


def test_the_cash_flow_has_every_bill_ahead_on_its_day(ctx: Context, of_every_meter: list[Forecast]) -> None:
    due = {
        ((bill.due or bill.to + timedelta(21)), -bill.p50)
        for answer in of_every_meter
        for bill in answer.bills
        if (bill.due or bill.to + timedelta(21)) <= TODAY + timedelta(199)
    }
    flow = cashflow(ctx, days=200)
    assert {
        (each.date, item.amount) for each in flow.days for item in each.items if item.source == "energy_bill"
    } == due
    assert {"energy_bill_added", "energy_bill_due_assumed"} & set(flow.note_codes)


def test_many_households_the_report_and_the_desk(ctx: Context, of_every_meter: list[Forecast], tmp_path: Path) -> None:
    (folder,) = write_partitions(ctx, tmp_path / "fleet")
    rows = {row.service_point_id: row for row in analyse(folder, "forecast", TODAY)}
    for answer in of_every_meter:
        row = rows[answer.service_point_id]
        assert (row.certain, row.p10, row.p50, row.p90) == (answer.certain, answer.p10, answer.p50, answer.p90)
    page = make_report(ctx, ReportQuestion(sections=("year-ahead", "even-payments"))).page
    for answer in of_every_meter:
        assert all(aud(bill.p50) in page for bill in answer.bills)
        assert answer.even_payments is not None
        assert aud(answer.even_payments.p90.monthly) in page
        together = sum((bill.p50 for bill in answer.bills), Decimal(0))
        assert (f"added up ({aud(together)})" in page) == (together != answer.even_payments.year_p50)
    assert work_out(ctx).next_bill == of_every_meter[0].p50


@pytest.mark.parametrize(("home", "billing_months"), [(plain, 1), (quarterly, 3)])
def test_the_function_on_frames(home: Callable[[Context, Path], None], billing_months: int, tmp_path: Path) -> None:
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    home(ctx, tmp_path)
    (plan,) = toolkit.read_plans(tmp_path / "plan.json")
    reads = toolkit.read_usage(tmp_path / "meter.csv")
    on_frames = toolkit.forecast(reads, plan, today=TODAY, billing_months=billing_months, months=12)
    stored = forecast(ctx)
    for name in ("certain", "p10", "p50", "p90", "change", "backtest", "past", "months", "even_payments"):
        assert getattr(on_frames, name) == getattr(stored, name), name
    assert [bill.p50 for bill in on_frames.bills] == [bill.p50 for bill in stored.bills]


def test_equal_payments_stay_the_cash_flow(tmp_path: Path, visit: Visit) -> None:
    """26 × 70.00 are 1,820.00."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    power(ctx, tmp_path)
    bank(ctx, tmp_path, *((date(2026, 6, 12) - timedelta(14 * n), "-70.00") for n in range(13)))
    answer = forecast(ctx)
    assert answer.smoothing is not None
    assert answer.even_payments is not None
    assert answer.smoothing.in_a_year_p50 == Decimal("1820.00") - answer.even_payments.year_p50
    flow = cashflow(ctx, days=60)
    assert not [item for each in flow.days for item in each.items if item.source == "energy_bill"]
    assert "energy_bill_spread" in flow.note_codes
    assert aud(abs(answer.smoothing.in_a_year_p50), cents=False) in read(visit(ctx.db, "bills"))


def test_a_switch_changes_the_days_from_it_on_alone(tmp_path: Path, run: Run) -> None:
    """At twice the price of energy: before 1 August nothing changes, afterwards all but $1.10 a day doubles."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    power(ctx, tmp_path)
    dear = tmp_path / "dear.json"
    dear.write_text(flat_plan("0.60").replace("FLAT@EME", "DEAR@EME"))
    asked = ("--plan", dear, "--switch-on", "2026-08-01", "--db", ctx.db, "--today", TODAY, "--json")
    switched, own = run("forecast", *asked).json, forecast(ctx)
    assert forecast(ctx, plan=str(dear), switch_on=date(2026, 8, 1)).bills[2].p50 == Decimal(
        switched["bills"][2]["p50"]
    )
    for month, before in zip(switched["months"], own.months, strict=True):
        supply = Decimal("1.10") * ((before.to - before.from_).days + 1)
        expected = before.p50 if before.to < date(2026, 8, 1) else 2 * before.p50 - supply
        assert abs(Decimal(month["p50"]) - expected) <= Decimal("0.02")


def test_the_calendar_has_the_bills_ahead_of_the_cash_flow(
    ctx: Context, of_every_meter: list[Forecast], visit: Visit
) -> None:
    flow = [
        (each.date, item.title, item.amount)
        for each in cashflow(ctx).days
        for item in each.items
        if item.source == "energy_bill"
    ]
    assert bool(flow) == any(answer.fuel == "ELECTRICITY" for answer in of_every_meter)  # gas is due in 93 days
    coming = recurring(ctx).upcoming
    assert [(each.date, each.title, each.amount) for each in coming if each.source == "energy_bill"] == flow
    shown = visit(ctx.db, "coming-up", tab="Calendar")
    assert (IN_PLACE in read(shown)) == bool(flow)
    rows = [row for table in shown.dataframe for row in table.value.to_dict("records") if "source" in row]
    marked = [row for row in rows if row["source"] == "Expected from your energy use"]
    assert [(row["date"].date(), row["name"], row["amount"]) for row in marked] == [
        (day, name, float(amount)) for day, name, amount in flow
    ]
