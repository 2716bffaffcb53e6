"""What was spent this month so far, and against which earlier months that says something."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.so_far import MonthSoFar, month_so_far
from toolkit.flows.money.summary import spending

TODAY = date(2026, 6, 20)
EVERYDAY = """\
01/05/2025,"-5.00","CORNER HOUSE","+1000.00"
02/06/2025,"-50.00","CORNER HOUSE","+950.00"
05/05/2026,"-70.00","CORNER HOUSE","+880.00"
05/06/2026,"-60.00","CORNER HOUSE","+820.00"
19/06/2026,"-10.00","CORNER HOUSE","+810.00"
"""


def so_far(tmp_path: Path, **files: str) -> MonthSoFar:
    ctx = Context(tmp_path / "home.db", TODAY)
    for name, rows in files.items():
        (tmp_path / f"{name}.csv").write_text(rows)
        load(ctx, [tmp_path / f"{name}.csv"], account=name)
    answer = month_so_far(ctx)
    assert answer is not None
    return answer


def test_a_month_is_compared_with_those_that_all_of_its_accounts_know(tmp_path: Path) -> None:
    answer = so_far(tmp_path, everyday=EVERYDAY)
    assert (answer.spent, answer.before, answer.last_year) == (Decimal("70.00"), Decimal("70.00"), Decimal("50.00"))


def test_the_month_before_is_that_to_the_day_of_the_newest_transaction(tmp_path: Path) -> None:
    """20 May is not compared with: what was spent on 20 June is not known yet."""
    answer = so_far(
        tmp_path, everyday=EVERYDAY.replace("05/06/2026", '20/05/2026,"-9.00","CORNER HOUSE","+871.00"\n05/06/2026')
    )
    assert (answer.days.last, answer.before, answer.is_recent) == (date(2026, 6, 19), Decimal("70.00"), True)


def test_months_before_the_file_of_a_card_begins_are_not_compared_with(tmp_path: Path) -> None:
    """The card's file begins in April 2026: June 2025 without it would make this June look dearer."""
    card = '01/04/2026,"-30.00","CHEMIST","-30.00"\n10/06/2026,"-100.00","CHEMIST","-130.00"\n'
    answer = so_far(tmp_path, everyday=EVERYDAY, card=card)
    assert (answer.spent, answer.before, answer.last_year) == (Decimal("170.00"), Decimal("70.00"), None)


def test_an_account_that_this_month_has_nothing_of_hides_no_comparison(tmp_path: Path) -> None:
    answer = so_far(tmp_path, everyday=EVERYDAY, card='01/04/2026,"-30.00","CHEMIST","-30.00"\n')
    assert answer.last_year == Decimal("50.00")


def test_a_period_without_the_rows_of_a_card_is_compared_with_a_note_and_no_change(tmp_path: Path) -> None:
    card = '01/04/2026,"-30.00","CHEMIST","-30.00"\n10/06/2026,"-100.00","CHEMIST","-130.00"\n'
    so_far(tmp_path, everyday=EVERYDAY, card=card)
    ctx, june = Context(tmp_path / "home.db", TODAY), {"from_": date(2026, 6, 1), "to": date(2026, 6, 30)}
    spending(ctx)  # brings the sums by month up to date
    answer = spending(ctx, **june, against="last-year")
    assert answer.before is not None
    assert answer.wholly_known_before is None
    (note,) = [note for note in answer.comparison_lacks if note.code == "compared_without_account"]
    assert note.page.startswith("The transactions of card begin on 1 Apr 2026")
    assert spending(ctx, **june, against="previous").wholly_known_before is not None
