"""What is printed: the documented JSON, text that cannot steer a terminal, the number a command ends with."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from toolkit.answers.base import Answer, to_json
from toolkit.answers.data import ImportedFile, ImportReport
from toolkit.answers.sync import FailedList, Sync
from toolkit.cli.output import aud, day, exit_code, printable, table
from toolkit.problems import Problem


class Figures(Answer, frozen=True, kw_only=True):
    """An answer with a value of each kind."""

    money: Decimal = Decimal("-12.30")
    small: Decimal = Decimal("1E-7")
    day: date = date(2026, 6, 30)
    at: datetime = datetime(2026, 6, 30, 1, 2, 3, tzinfo=UTC)
    unknown: float = float("nan")
    kwh: float = 1.5
    none: tuple[None, ...] = (None,)


def test_json_keeps_money_as_text_and_absence_as_null() -> None:
    assert json.loads(to_json(Figures())) == {
        "money": "-12.30",
        "small": "0.0000001",
        "day": "2026-06-30",
        "at": "2026-06-30T01:02:03+00:00",
        "unknown": None,
        "kwh": 1.5,
        "none": [None],
    }


REJECTED, WARNING = Problem("a:1", "r"), Problem("a:1", "r", "warning")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Sync(run="r"), 0),
        (Sync(run="r", problems=(WARNING,)), 0),
        (Sync(run="r", problems=(WARNING, REJECTED)), 3),
        (ImportReport(files=(ImportedFile(path="a", problems=(REJECTED,)),)), 3),
        (Sync(run="r", problems=(REJECTED,), failed=(FailedList("banking.payees", "", "500"),)), 1),
    ],
)
def test_the_exit_code_says_how_it_went(answer: Answer, code: int) -> None:
    assert exit_code(answer) == code


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    assert printable("Caf\x1b[31mé\u202e\n") == "Caf⟨U+001B⟩[31mé⟨U+202E⟩ "


def test_local_formats() -> None:
    assert aud(Decimal("1234.5")) == "$1,234.50"
    assert aud(Decimal("-0.05")) == "-$0.05"
    assert aud(None) == "–"
    assert day("2026-06-03T10:00:00+10:00") == "3 Jun 2026"


def test_a_table_is_as_wide_as_its_cells_and_empty_without_rows() -> None:
    assert list(table(("what", "amount"), [("milk", "$2.00"), ("rent", "$500.00")], right=(1,))) == [
        "what   amount",
        "────  ───────",
        "milk    $2.00",
        "rent  $500.00",
    ]
    assert list(table(("what",), [])) == []
