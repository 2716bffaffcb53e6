"""The cash flow: whether the money lasts, in a sentence, and the figures of the account that is chosen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, metrics, read
from toolkit.answers.money import CashflowDay, CashflowItem, LowPoint
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.how_long import FOR_ALL, FROM_ANOTHER, Lasting

Visit = Callable[..., AppTest]
RENT = CashflowItem("Rent", Decimal("-560.00"), "detected")


def lasting(*days: tuple[int, str | None, str]) -> Lasting:
    """Return what days of December 2026 say. days: day, balance in a bad month, best guess."""
    made = [
        CashflowDay(date(2026, 12, day), None if low is None else Decimal(low), Decimal(middle), None, ())
        for day, low, middle in days
    ]
    lowest = min(made, key=lambda each: each.p50 or 0)
    return Lasting.of(made, LowPoint(lowest.date, lowest.p10, lowest.p50, None, (RENT,)))


def test_money_that_lasts_is_answered_with_yes() -> None:
    words = lasting((1, "2000", "2000"), (16, "1100.40", "1240"), (31, "1050", "1300")).in_words()
    assert words == (
        "Yes, your money lasts until 31 Dec 2026: the lowest is likely $1,240 on 16 Dec 2026, after Rent ($560.00). "
        "In a bad month it could fall to $1,050 on 31 Dec 2026."
    )


def test_a_range_that_is_not_known_is_not_worded() -> None:
    words = lasting((1, None, "2000"), (16, None, "1240")).in_words()
    assert words.startswith("Yes, your money lasts until 16 Dec 2026")
    assert "bad month" not in words


def test_money_that_runs_out_in_a_bad_month_may_run_short_and_what_to_do_is_said() -> None:
    words = lasting((1, "2000", "2000"), (16, "-80", "240")).in_words()
    assert words == (
        "It may run short: your money should last until 16 Dec 2026, with $240 left on 16 Dec 2026, but in a bad month "
        f"it could fall to −$80. {FOR_ALL}"
    )


@pytest.mark.parametrize(("others_last", "todo"), [(True, FROM_ANOTHER), (False, FOR_ALL)])
def test_an_account_that_runs_out_is_filled_from_another_where_all_together_last(others_last: bool, todo: str) -> None:
    words = lasting((1, "10", "20"), (16, "-300", "-120")).in_words(account="Everyday", others_last=others_last)
    begun = "The money in Everyday is likely to run short: the lowest is likely −$120 on 16 Dec 2026"
    assert words == f"{begun}, after Rent ($560.00). {todo}"


def test_of_a_card_the_most_that_is_owed_is_said() -> None:
    words = lasting((1, "-200", "-100"), (16, "-900", "-700")).in_words(account="Visa", card=True)
    most = "The most you are likely to owe on Visa is $700, on 16 Dec 2026."
    assert words == f"{most} In a bad month it could be $900."


def test_the_figures_are_those_of_the_account_that_is_chosen(tmp_path: Path, visit: Visit) -> None:
    """$480.00 in one account, $6,214.30 in the other: $6,694.30 together. One purchase each, and nothing regular."""
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, balance in (("everyday", "+480.00"), ("savings", "+6214.30")):
        (tmp_path / f"{name}.csv").write_text(f'18/06/2026,"-20.00","CORNER HOUSE","{balance}"\n')
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    test = visit(ctx.db, "coming-up", tab="Cash flow")
    assert metrics(test)["Now"] == "$6,694"
    assert "Yes, your money lasts until 17 Sep 2026: the lowest is likely $6,694 on 20 Jun 2026." in read(test)
    test = test.selectbox(key="cash-account").set_value("everyday").run()
    assert metrics(test) == {"Now": "$480", "Lowest on 20 Jun 2026": "$480"}
    assert "Yes, the money in everyday lasts until 17 Sep 2026: the lowest is likely $480 on 20 Jun 2026." in read(test)


@pytest.mark.parametrize(("spent", "note"), [(False, ""), (True, "after usual spending")])
def test_what_is_left_until_pay_is_said_once_where_usual_spending_takes_nothing(
    tmp_path: Path, visit: Visit, spent: bool, note: str
) -> None:
    """Pay of each fortnight to 12 June 2026, and $30 spent on each day or nothing: the next pay comes on 26 June."""
    pay = [(date(2026, 6, 12) - timedelta(14 * back), "2000.00", "SALARY ACME PTY LTD") for back in range(26)]
    shops = (
        [
            (TODAY - timedelta(back), "-30.00", f"STALL {chr(65 + back % 26)}{chr(65 + back // 26)}")
            for back in range(360)
        ]
        if spent
        else []
    )
    shops += [(TODAY, "-1.00", "CORNER HOUSE")]
    lines = [f'{day:%d/%m/%Y},"{amount}","{who}","+16994.00"' for day, amount, who in sorted([*pay, *shops])]
    ctx = Context(tmp_path / "home.db", TODAY)
    (tmp_path / "everyday.csv").write_text("\n".join(lines) + "\n")
    load(ctx, [tmp_path / "everyday.csv"])
    test = visit(ctx.db, "coming-up", tab="Cash flow")
    (left,) = [each for each in test.metric if each.label == "Left until pay on 26 Jun 2026"]
    assert left.delta.endswith(note)
    assert (left.value, bool(left.delta)) == ("$16,994", spent)


def test_a_card_chosen_says_what_is_owed_on_it(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, balance in (("everyday", "+480.00"), ("visa", "-120.00")):
        (tmp_path / f"{name}.csv").write_text(f'18/06/2026,"-20.00","CORNER HOUSE","{balance}"\n')
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    set_account(ctx, "visa", kind="card")
    test = visit(ctx.db, "coming-up", tab="Cash flow")
    test = test.selectbox(key="cash-account").set_value("visa").run()
    assert "The most you are likely to owe on visa is $120, on 20 Jun 2026." in read(test)
