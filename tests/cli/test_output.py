"""What is printed: the documented JSON, text that cannot steer a terminal, the number a command ends with."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from toolkit.answers.base import to_json
from toolkit.cli.output import aud, day, exit_code, printable, table


def test_json_keeps_money_as_text_and_absence_as_null() -> None:
    answer = {
        "money": Decimal("-12.30"),
        "small": Decimal("1E-7"),
        "day": date(2026, 6, 30),
        "at": datetime(2026, 6, 30, 1, 2, 3, tzinfo=UTC),
        "unknown": float("nan"),
        "kwh": 1.5,
        "rows": [{"none": None}],
    }
    assert json.loads(to_json(answer)) == {
        "money": "-12.30",
        "small": "0.0000001",
        "day": "2026-06-30",
        "at": "2026-06-30T01:02:03+00:00",
        "unknown": None,
        "kwh": 1.5,
        "rows": [{"none": None}],
    }


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"problems": []}, 0),
        ({"problems": [{"where": "a:1", "reason": "r", "severity": "warning"}]}, 0),
        ({"problems": [{"where": "a:1", "reason": "r", "severity": "rejected"}]}, 3),
        ({"files": [{"problems": [{"where": "a:1", "reason": "r", "severity": "rejected"}]}]}, 3),
        ({"problems": [], "failed": ["banking.payees"]}, 1),
    ],
)
def test_the_exit_code_says_how_it_went(answer: dict, code: int) -> None:
    assert exit_code(answer) == code


def test_text_from_outside_cannot_steer_the_terminal() -> None:
    assert printable("Caf\x1b[31mé\u202e\n") == "Caf [31mé  "


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
