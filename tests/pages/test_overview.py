"""The Overview: what needs attention, what is new, and this month beside others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import contract, on_plan, stated, written
from tests.meters import level
from tests.pages.seen import TODAY, metrics, read
from toolkit.flows.desk.insights import decide, insights
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.edits.review import mark_fine
from toolkit.pages import attention
from toolkit.pages.server import launch_settings as launched

Visit = Callable[..., AppTest]


def statement(folder: Path, *rows: tuple[date, str, str]) -> Path:
    path = folder / "bank.csv"
    path.write_text("\n".join(f'{day:%d/%m/%Y},"{amount}","{text}",""' for day, amount, text in rows) + "\n")
    return path


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A gym that cost 50 AUD a month for ten months, then 60; shopping in June, May and June last year."""
    home = Context(tmp_path / "home" / "household.db", TODAY)
    months = [date(2025, month, 1) for month in range(7, 13)] + [date(2026, month, 1) for month in range(1, 6)]
    gym = [(day, "-50.00" if day < date(2026, 4, 1) else "-60.00", "CITY GYM CLUB") for day in months]
    shop = [
        (date(2026, 6, 19), "-80.00", "WOOLWORTHS 1234 NEWTOWN"),
        (date(2026, 5, 20), "-40.00", "WOOLWORTHS 1234 NEWTOWN"),
        (date(2026, 5, 21), "-500.00", "WOOLWORTHS 1234 NEWTOWN"),  # after the same days
        (date(2025, 6, 1), "-160.00", "WOOLWORTHS 1234 NEWTOWN"),
    ]
    load(home, [statement(tmp_path, *gym, *shop)])
    return home


def press(test: AppTest, key: str) -> AppTest:
    return next(button for button in test.button if str(button.key).startswith(key)).click().run()


def test_this_month_stands_beside_the_same_days_of_others(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "overview")
    assert metrics(test)["Spent in June so far"] == "$80.00"
    (spent,) = (metric for metric in test.metric if metric.label == "Spent in June so far")
    # 1 to 19 May: 60; 1 to 19 June 2025: 160
    assert spent.delta == "33% more than in May, 50% less than in June 2025"


def test_a_month_in_which_the_data_begin_is_not_compared(tmp_path: Path, visit: Visit) -> None:
    home = Context(tmp_path / "home" / "household.db", TODAY)
    shop = [(date(2025, 6, 10), "-10.00", "SHOP"), (date(2026, 5, 4), "-100.00", "SHOP"), (TODAY, "-50.00", "SHOP")]
    load(home, [statement(tmp_path, *shop)])
    (spent,) = (metric for metric in visit(home.db, "overview").metric if metric.label == "Spent in June so far")
    assert spent.delta == "50% less than in May"


def test_a_month_of_refunds_is_compared_without_a_share(tmp_path: Path, visit: Visit) -> None:
    home = Context(tmp_path / "home" / "household.db", TODAY)
    shop = [(date(2026, 4, 1), "-9.00", "SHOP"), (date(2026, 5, 4), "-4.00", "SHOP"), (TODAY, "400.00", "SHOP REFUND")]
    load(home, [statement(tmp_path, *shop)])
    (spent,) = (metric for metric in visit(home.db, "overview").metric if metric.label == "Spent in June so far")
    assert "less" in spent.delta
    assert "%" not in spent.delta


def test_what_there_is_to_review_is_said_with_and_without_what_needs_attention(tmp_path: Path, visit: Visit) -> None:
    home = Context(tmp_path / "home" / "household.db", TODAY)
    months = [date(2025, month, 1) for month in range(7, 13)] + [date(2026, month, 1) for month in range(1, 6)]
    gym = [(day, "-50.00" if day < date(2026, 4, 1) else "-60.00", "CITY GYM CLUB") for day in months]
    load(home, [statement(tmp_path, *gym, (TODAY, "-40.00", "ZZYZX"))])
    test = visit(home.db, "overview")
    assert "CITY GYM CLUB" in read(test).upper()
    assert "To review: 1 payee." in read(test)
    press(test, "done-")
    assert read(test).count("To review: 1 payee.") == 1
    assert attention.NOTHING not in read(test)
    mark_fine(home)
    assert attention.NOTHING in read(visit(home.db, "overview"))


def test_what_needs_attention_is_done_or_put_off(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "overview")
    assert "CITY GYM CLUB" in read(test).upper()
    press(test, "Tomorrow")
    assert attention.NOTHING in read(test)
    tomorrow = Context(ctx.db, date(2026, 6, 21))
    (again,) = insights(tomorrow).insights
    assert decide(tomorrow, again.id).insights == ()


def rent_and_pay(folder: Path, after_rent: int) -> Context:
    """Six months of rent on the 5th and pay of the same 450 AUD on the 15th. after_rent: balance, AUD."""
    months = range(1, 7)
    rent = [(date(2026, month, 5), "-450.00", f"{after_rent}.00", "RENT SMITH REALTY") for month in months]
    pay = [(date(2026, month, 15), "450.00", f"{after_rent + 450}.00", "SALARY ACME PTY LTD") for month in months]
    rows = [f'{day:%d/%m/%Y},"{amount}","{text}","{left}"\n' for day, amount, left, text in sorted(rent + pay)]
    (folder / "bank.csv").write_text("".join(rows))
    home = Context(folder / "home" / "household.db", TODAY)
    load(home, [folder / "bank.csv"])
    return home


def leads_to_the_lowest_balance(test: AppTest) -> bool:
    return any(button.key == attention.LOWEST_BALANCE for button in test.button)


def test_the_lowest_balance_ahead_is_said_with_its_day(tmp_path: Path, visit: Visit) -> None:
    test = visit(rent_and_pay(tmp_path, after_rent=2000).db, "overview")
    assert leads_to_the_lowest_balance(test)
    # The next rent, on Sunday 5 July 2026, leaves 2,000.
    assert any("2,000" in line and "Jul 2026" in line for line in read(test).splitlines())


def test_a_balance_that_is_warned_of_is_said_once(tmp_path: Path, visit: Visit) -> None:
    home = rent_and_pay(tmp_path, after_rent=-50)
    test = visit(home.db, "overview")
    assert [each.kind for each in insights(home).insights] == ["balance"]
    assert not leads_to_the_lowest_balance(test)


def test_a_household_without_balances_has_no_lowest_balance(ctx: Context, visit: Visit) -> None:
    assert not leads_to_the_lowest_balance(visit(ctx.db, "overview"))


def test_the_next_visit_lists_what_was_added(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    assert attention.SINCE not in read(visit(ctx.db, "overview"))
    known = (date(2026, 6, 19), "-80.00", "WOOLWORTHS 1234 NEWTOWN")
    load(ctx, [statement(tmp_path, known, (date(2026, 6, 20), "-5.00", "CORNER CAFE"))], account="bank")
    assert attention.SINCE not in read(visit(ctx.db, "overview"))  # still the same visit
    launched.begin(None)  # the next visit begins another launch
    assert "1 transaction, 1 file" in read(visit(ctx.db, "overview"))


def test_what_is_missing_is_asked_in_one_line(ctx: Context, visit: Visit) -> None:
    test = visit(ctx.db, "overview")
    (asked,) = [link for link in test.get("page_link") if link.proto.query_string == "tab=Files"]
    assert asked.proto.page == "data"
    choose_plan = 1  # is done on Data too
    assert [link.proto.page for link in test.get("page_link")].count("data") == 1 + choose_plan
    assert "spending" in {link.proto.page for link in test.get("page_link")}  # what the figure is made of
    assert "Usage and Solar" in read(test)


def test_a_bill_to_pay_that_differs_is_one_thing(tmp_path: Path, visit: Visit) -> None:
    """24 kWh on each of May's 31 days: 31 × (24 × 0.30 + 0.90) × 1.1 is 276.21; 276.21 + 38.50 is 314.71."""
    home = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "meter.csv").write_text(level(NMI, date(2026, 5, 1), 46, "0.5"))
    load(home, [tmp_path / "meter.csv"])
    on_plan(home, contract(), first="2026-01-01")
    may = {"period_start": "2026-05-01", "period_end": "2026-05-31", "issue_date": "2026-06-04"}
    written(home, "invoices", stated("314.71", due_date="2026-06-25", payment_status="NOT_PAID", **may))
    test = visit(home.db, "overview")
    (said,) = [line for line in read(test).splitlines() if line.startswith("Your electricity bill")]
    assert said == (
        "Your electricity bill of $314.71 is due on 25 Jun 2026. The bill is $38.50 higher than your use and your "
        "plan's prices give."
    )
    (button,) = [each for each in test.button if str(each.key).startswith("go-")]
    assert button.label == attention.EXPLAINED_BY["bill"]
    press(test, "done-")
    after = Context(home.db, date(2026, 7, 10))  # the bill may be paid by now from an account that is not here
    assert insights(after).insights == ()
