"""The Report page: what it holds is chosen, what the person stated is kept, and the file is downloaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.meters import day, days, nem12, register
from tests.pages.seen import TODAY, beside, metrics, read, with_bank_rows
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load
from toolkit.flows.report.stated_lines import list_stated_lines
from toolkit.flows.report.write import ReportQuestion, make_report
from toolkit.pages import report


def press(test: AppTest, label: str) -> None:
    [button] = [each for each in test.button if each.label == label]
    button.click().run()


def test_a_report_of_chosen_sections_is_made(db: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(db, "report")
    test.pills(key="report-sections").set_value(["usage", "overview"])
    test.text_area(key="report-opening").set_value("Dear Ann")
    press(test, "Make the report")
    assert not test.exception
    _, made = test.session_state[report.MADE]
    assert made.sections == ("overview", "usage")
    assert "Dear Ann" in made.page
    test.pills(key="report-sections").set_value(["overview"]).run()
    assert report.MADE not in test.session_state  # it is of other sections
    press(test, "Make the report")
    assert made.csv.startswith("section,name,amount")
    assert "The report is ready, for all days." in read(test)
    test.date_input(key="report-from").set_value(date(2026, 6, 10))
    press(test, "Make the report")
    assert "The report is ready, for the days from 10 Jun 2026 on." in read(test)


def asked_first(test: AppTest) -> list[str]:
    return [text.value for text in test.markdown if text.value.startswith("Before you hand it over")]


def test_what_a_report_on_energy_lacks_is_asked_for_first(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    meter = [day(when, ["0.1"] * 48) for when in days("2026-06-01", 10)]
    (tmp_path / "meter.csv").write_text(nem12(register("E1"), *meter))
    load(ctx, [tmp_path / "meter.csv"])
    asked = asked_first(visit(ctx.db, "report"))
    assert [names(link, name) for link, name in zip(asked, ("postcode", "plan"), strict=True)] == [True, True]
    set_home(ctx, postcode="2000")
    asked = asked_first(visit(ctx.db, "report"))
    assert [names(link, "plan") for link in asked] == [True]


def test_a_last_day_before_the_first_is_refused_at_its_field(db: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(db, "report")
    press(test, "Make the report")
    test.text_area(key="report-opening").set_value("Dear Ann")
    test.date_input(key="report-from").set_value(date(2026, 6, 10))
    test.date_input(key="report-to").set_value(date(2026, 5, 1))
    press(test, "Make the report")
    [below] = [column for column in test.columns if column.warning]
    assert [field.key for field in below.date_input] == ["report-to"]
    assert names(below.warning[0].value, "1 May 2026", "10 Jun 2026")
    assert report.MADE not in test.session_state  # not the report of the choices before
    assert test.text_area(key="report-opening").value == "Dear Ann"


def test_solar_is_offered_but_not_chosen_where_there_is_none(db: Path, visit: Callable[..., AppTest]) -> None:
    sections = visit(db, "report").pills(key="report-sections")
    assert "Solar" in sections.options
    assert "solar" not in sections.value
    assert "solar" not in make_report(Context(db, TODAY), ReportQuestion()).sections
    assert make_report(Context(db, TODAY), ReportQuestion(["solar"])).sections == ("solar",)


def test_each_wrong_field_of_a_stated_line_is_said_below_itself(db: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(db, "report")
    test.selectbox(key="stated-kind").set_value("debt").run()
    for field, text in {"amount": "a", "balance": "b", "arrears": "-1"}.items():
        test.text_input(key=f"stated-{field}-0").set_value(text)
    press(test, "Add this line")
    wrong = ("name", "amount", "balance", "arrears")
    assert [len(beside(test, f"stated-{field}-0")) for field in wrong] == [1] * len(wrong)
    assert len(test.warning) == len(wrong)


def test_lines_stated_by_the_person_are_added_and_removed(db: Path, visit: Callable[..., AppTest]) -> None:
    test = visit(db, "report")
    test.text_input(key="stated-name-0").set_value("Cash work")
    press(test, "Add this line")
    [below] = [column for column in test.columns if column.warning]
    assert [field.key for field in below.text_input] == ["stated-amount-0"]
    assert names(below.warning[0].value, "Cash work")  # refused: it has no amount
    assert test.text_input(key="stated-name-0").value == "Cash work"
    test.text_input(key="stated-amount-0").set_value("120")
    press(test, "Add this line")
    assert not test.exception
    [line] = list_stated_lines(Context(db, TODAY)).lines
    assert (line.name, str(line.amount), line.per) == ("Cash work", "120.00", "week")
    test.button(key=f"stated-remove-{line.id}").click().run()
    assert list_stated_lines(Context(db, TODAY)).lines == ()


def test_a_report_without_the_line_that_was_added_is_not_offered_any_more(
    db: Path, visit: Callable[..., AppTest]
) -> None:
    test = visit(db, "report")
    press(test, "Make the report")
    assert report.MADE in test.session_state
    test.text_input(key="stated-name-0").set_value("Cash work")
    test.text_input(key="stated-amount-0").set_value("120")
    press(test, "Add this line")
    assert report.MADE not in test.session_state
    press(test, "Make the report")
    assert "Cash work" in test.session_state[report.MADE][1].page
    assert test.text_input(key="stated-name-1").value == ""  # the next line begins with empty fields


def test_pay_without_a_category_is_said_before_and_in_the_report(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """Three deposits of $2,000.00 that may be pay, beside $30.00 of spending."""
    pay = "".join(f'{day:02}/06/2026,"+2000.00","HASTINGS NORTH 0044",""\n' for day in (3, 10, 17))
    ctx = with_bank_rows(tmp_path, f'{pay}18/06/2026,"-30.00","WOOLWORTHS 1234",""\n')
    test = visit(ctx.db, "report")
    assert "3 Jun 2026 to 18 Jun 2026: $6,000.00 received in 3 deposits, without a category yet." in read(test)
    page = make_report(ctx, ReportQuestion(["overview"])).page
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert (facts["Spent"], facts["Income"]) == ("$30.00", "$6,000.00")
    assert "Income includes $6,000.00 that came in and has no category yet." in page


def test_what_is_not_sorted_is_said_of_the_chosen_days_before_and_in_the_report(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """In the last 12 months $12.50 and $7.50 went to payees that nothing is known of, before that $100.00."""
    rows = (
        '19/06/2026,"-12.50","QWXV 0044",""\n18/06/2026,"-30.00","WOOLWORTHS 1234",""\n'
        '03/03/2026,"-7.50","ZZYX 17",""\n04/02/2025,"-100.00","QWXV 0044",""\n'
    )
    ctx = with_bank_rows(tmp_path, rows)

    def unsorted(test: AppTest) -> list[str]:
        return [line for line in read(test).splitlines() if "without a category yet" in line]

    test = visit(ctx.db, "report")
    assert unsorted(test) == [f"20 Jun 2025 to 19 Jun 2026: $20.00 spent in 2 payments, {report.UNSORTED}"]
    press(test, "Make the report")
    page = test.session_state[report.MADE][1].page
    assert "Not sorted into categories yet: $20.00 spent in 2 payments." in page
    test.segmented_control(key=report.SPAN).set_value("Last financial year").run()
    assert unsorted(test) == [f"4 Feb 2025 to 30 Jun 2025: $100.00 spent in 1 payment, {report.UNSORTED}"]
    test.date_input(key="report-to").set_value(date(2025, 1, 31))
    press(test, "Make the report")
    assert not unsorted(test)
    test.segmented_control(key=report.SPAN).set_value(report.EVERYTHING).run()
    assert unsorted(test) == [f"20 Jun 2025 to 19 Jun 2026: $20.00 spent in 2 payments, {report.UNSORTED}"]
    press(test, "Review them")
    assert not test.exception


def days_shown(test: AppTest) -> tuple[date | None, date | None]:
    first, last = (test.date_input(key=f"report-{end}").value for end in ("from", "to"))
    return first, last


def test_the_days_are_the_last_twelve_months_of_spending_or_a_financial_year(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    """Of $100.00 a month from March 2025, the 12 of the last 365 days count, on the page Spending and in the report."""
    months = [f"{number % 12 + 1:02}/{2025 + number // 12}" for number in range(2, 18)]
    rows = "".join(f'18/{month},"-100.00","WOOLWORTHS 1234",""\n' for month in reversed(months))
    ctx = with_bank_rows(tmp_path, rows)
    test = visit(ctx.db, "report")
    assert days_shown(test) == (date(2025, 6, 19), date(2026, 6, 18))
    press(test, "Make the report")
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", test.session_state[report.MADE][1].page))
    assert (facts["Transactions"], facts["Spent"]) == ("19 Jun 2025 to 18 Jun 2026", "$1,200.00")
    spending = visit(ctx.db, "spending")
    assert "19 Jun 2025 to 18 Jun 2026" in read(spending)
    assert metrics(spending)["Spent"] == "$1,200.00"
    spans = {
        "This financial year": (date(2025, 7, 1), TODAY),
        "Last financial year": (date(2024, 7, 1), date(2025, 6, 30)),
        report.EVERYTHING: (None, None),
    }
    for name, days_ in spans.items():
        test.segmented_control(key=report.SPAN).set_value(name).run()
        assert days_shown(test) == days_
    assert make_report(ctx, ReportQuestion(["overview"])).page.count("19 Jun 2025 to 18 Jun 2026") == 1


def test_averages_are_of_a_fortnight_where_pay_comes_each_fortnight_else_of_a_month(
    tmp_path: Path, visit: Callable[..., AppTest]
) -> None:
    for name, gap, per in (("fortnights", 14, "fortnight"), ("weeks", 7, "month"), ("months", 30, "month")):
        (tmp_path / name).mkdir()
        paid = [date(2026, 6, 18) - timedelta(number * gap) for number in range(8)]
        rows = "".join(f'{day:%d/%m/%Y},"+2000.00","SALARY ACME PTY LTD",""\n' for day in paid)
        assert visit(with_bank_rows(tmp_path / name, rows).db, "report").selectbox(key="report-per").value == per
