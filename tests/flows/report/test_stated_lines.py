"""Lines that the person states are kept with the household, and refused where they would be misread."""

from __future__ import annotations

import pytest

from tests.command_line import Run
from tests.problems import names


@pytest.fixture
def home(run: Run) -> Run:
    """The command line, with an empty household."""
    assert run("household", "add", "Ours").code == 0
    return run


def test_lines_are_kept_listed_replaced_and_removed(home: Run) -> None:
    home("as-told", "add", "people", "Two adults, one child")
    home(
        "as-told",
        "add",
        "debt",
        "Car loan",
        "--amount",
        "180",
        "--per",
        "fortnight",
        "--balance",
        "9,400",
        "--arrears",
        "360.00",
    )
    home("as-told", "add", "income", "Cash work", "--amount", "100", "--per", "week")
    added = home("as-told", "add", "income", "cash  work", "--amount", "120.5", "--per", "week", "--json").json["lines"]
    assert [(line["kind"], line["name"], line["amount"], line["per"]) for line in added] == [
        ("income", "cash work", "120.50", "week"),
        ("debt", "Car loan", "180.00", "fortnight"),
        ("people", "Two adults, one child", None, None),
    ]
    assert (added[1]["balance"], added[1]["arrears"]) == ("9400.00", "360.00")
    assert "$180.00 each fortnight" in home("as-told", "list").out
    left = home("as-told", "remove", added[0]["id"], "--json").json["lines"]
    assert [line["name"] for line in left] == ["Car loan", "Two adults, one child"]
    assert home("as-told", "remove", "car LOAN", "--json").json["lines"] == [left[1]]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        (["income", "Cash", "--amount", "12"], "--per"),
        (["income", "Cash"], "Cash"),
        (["expense", "Rent", "--amount", "-5", "--per", "week"], "Rent"),
        (["expense", "Rent", "--amount", "5.001", "--per", "week"], "Amount"),
        (["expense", "Rent", "--amount", "5", "--per", "week", "--balance", "7"], "Rent"),
        (["income", "Pay", "--amount", "5", "--per", "week", "--section", "food"], "Pay"),
        (["debt", "Loan"], "Loan"),
        (["people", "Child", "--amount", "5", "--per", "week"], "Child"),
        (["expense", "  ", "--amount", "5", "--per", "week"], "name"),
    ],
)
def test_a_line_that_would_be_misread_is_refused(home: Run, asked: list[str], named: str) -> None:
    ended = home("as-told", "add", *asked)
    assert ended.code in {1, 2}
    assert names(ended.err, named)
    assert home("as-told", "list", "--json").json["lines"] == []


def test_a_line_that_is_not_kept_cannot_be_removed(home: Run) -> None:
    home("as-told", "add", "people", "Ann")
    ended = home("as-told", "remove", "Bob")
    assert ended.code == 2
    assert names(ended.err, "Bob", "Ann")


def test_lines_go_with_their_household(home: Run) -> None:
    home("as-told", "add", "people", "Ann", "--household", "Ours")
    home("household", "add", "Theirs")
    assert home("as-told", "list", "--household", "Theirs", "--json").json["lines"] == []
    home("household", "merge", "Ours", "Theirs")
    assert [line["name"] for line in home("as-told", "list", "--json").json["lines"]] == ["Ann"]
    assert home("forget", "--household", "Ours", "--yes", "--json").json["deleted"]["as_told"] == 1
