"""Answers become JSON, tables in them become frames, and both are described by a schema."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import msgspec
import polars as pl
import pytest
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Rows, frame_of, percent, problems_of, to_json
from toolkit.answers.data import AppAddress, SandboxAddress
from toolkit.answers.schema import json_schema
from toolkit.problems import Problem


class Meal(msgspec.Struct, frozen=True):
    """One meal."""

    price: Decimal
    month: str | UnsetType | None = UNSET
    """`2026-07`."""


class Meals(Rows[Meal]):
    row_type = Meal


class Course(msgspec.Struct, frozen=True):
    problems: tuple[Problem, ...] = ()


class Menu(Answer, frozen=True, kw_only=True):
    """What is on."""

    from_: date | None = msgspec.field(name="from")
    """First day."""
    at: datetime | None = None
    share: float | None = None
    meals: Meals
    courses: tuple[Course, ...] = ()
    problems: tuple[Problem, ...] = ()


def meals(**columns: list[object]) -> Meals:
    return Meals(pl.DataFrame(columns, schema_overrides={"price": pl.Decimal(38, 2)}))


MENU = Menu(
    from_=date(2026, 7, 1),
    at=datetime(2026, 7, 1, 12, tzinfo=UTC),
    share=float("nan"),
    meals=meals(price=[Decimal("1000000.10"), Decimal("-0.50")]),
    courses=(Course(problems=(Problem("b", "cold", "warning"),)),),
    problems=(Problem("a", "burnt"),),
)


def test_json_has_decimals_as_text_days_and_instants_as_iso_and_nothing_that_is_not_a_number() -> None:
    assert json.loads(to_json(MENU)) == {
        "from": "2026-07-01",
        "at": "2026-07-01T12:00:00+00:00",
        "share": None,
        "meals": [{"price": "1000000.10"}, {"price": "-0.50"}],
        "courses": [{"problems": [{"where": "b", "reason": "cold", "severity": "warning"}]}],
        "problems": [{"where": "a", "reason": "burnt", "severity": "rejected"}],
    }
    assert "\n" not in to_json(MENU, indent=None)


def test_a_table_of_tuples_is_the_same_table() -> None:
    columns, rows = ("month", "price"), [("2026-07", Decimal("2.00")), (None, Decimal("3.00"))]
    made, framed = Meals.of(columns, rows), meals(month=["2026-07", None], price=[Decimal("2.00"), Decimal("3.00")])
    assert made == framed
    assert made.frame().equals(framed.frame())
    assert made.frame().schema == framed.frame().schema
    assert list(made) == [Meal(Decimal("2.00"), "2026-07"), Meal(Decimal("3.00"), None)]
    assert made[1:].tuples() == rows[1:]
    assert to_json(Menu(from_=date(2026, 7, 1), meals=made)) == to_json(Menu(from_=date(2026, 7, 1), meals=framed))
    assert Meals.of(columns, []).frame().schema == framed.frame().schema
    with pytest.raises(ValueError, match="cost"):
        Meals.of(("cost",), [])


def test_json_of_a_file_name_that_is_no_text_is_written() -> None:
    answer = Menu(from_=date(2026, 7, 1), meals=meals(price=[]), problems=(Problem("a\udcff.csv", "burnt"),))
    assert json.loads(to_json(answer))["problems"][0]["where"] == "a\udcff.csv"


def test_a_table_reads_as_its_rows_and_as_its_frame() -> None:
    table = meals(price=[Decimal("2.00"), Decimal("3.00")], month=["2026-07", None])
    assert list(table) == [Meal(Decimal("2.00"), "2026-07"), Meal(Decimal("3.00"), None)]
    assert (table[1].month, len(table[:1])) == (None, 1)
    assert table[-1] == table[1]
    assert table.frame().columns == ["price", "month"]
    assert frame_of(list(table)).to_dicts() == table.frame().to_dicts()
    assert meals(price=[Decimal("2.00")])[0].month is UNSET


def test_a_column_that_the_row_type_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="colour"):
        meals(price=[Decimal("1.00")], colour=["red"])


def test_problems_of_parts_are_found() -> None:
    assert [problem.where for problem in problems_of(MENU)] == ["a", "b"]


def test_the_schema_describes_fields_and_tables() -> None:
    schema = json_schema(Menu)
    menu, meal = schema["$defs"]["Menu"], schema["$defs"]["Meal"]
    assert menu["properties"]["from"]["description"] == "First day."
    assert menu["properties"]["meals"] == {"type": "array", "items": {"$ref": "#/$defs/Meal"}}
    assert meal["properties"]["month"]["description"] == "`2026-07`."
    assert (menu["required"], meal["required"]) == (["from", "meals"], ["price"])


class Unknown:
    """A type that JSON does not know."""


class Odd(Answer, frozen=True, kw_only=True):
    part: Unknown


def test_a_part_that_json_does_not_know_is_named() -> None:
    with pytest.raises(TypeError, match="Unknown"):
        to_json(Odd(part=Unknown()))
    with pytest.raises(TypeError, match="Unknown"):
        json_schema(Odd)


def test_no_secret_is_in_what_a_log_would_show() -> None:
    fields = {name: f"hidden-{name}" for name in SandboxAddress.__struct_fields__}
    shown = repr(SandboxAddress(**{**fields, "base_url": "http://127.0.0.1:1", "people": ()}))
    assert "hidden" not in shown
    assert "secret" not in repr(AppAddress(url="http://127.0.0.1:1/?token=secret"))


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0.0, 1, "0%"),
        (0.0003, 1, "less than 0.1%"),
        (0.0006, 1, "0.1%"),
        (0.9996, 1, "more than 99.9%"),
        (1.0, 1, "100%"),
        (0.004, 0, "0.4%"),
        (0.996, 0, "99.6%"),
        (0.0004, 0, "less than 0.1%"),
        (0.9996, 0, "more than 99.9%"),
        (0.5, 0, "50%"),
        (-0.0001, 0, "0%"),
        (1.004, 0, "100%"),
    ],
)
def test_a_share_never_reads_as_nothing_or_all_where_it_is_not(share: float, decimals: int, text: str) -> None:
    assert percent(share, decimals) == text


@pytest.mark.parametrize("code", ["missing_reads", "missing_reads_compared"])
def test_reads_are_not_said_to_be_missing_for_no_time(code: str) -> None:
    sentence = str(Note(code, share=1 / 17520))
    assert percent(1 / 17520, 1) in sentence
    assert " 0.0%" not in sentence
