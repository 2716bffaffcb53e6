"""A bank's CSV in an unknown layout: its columns are named once and kept by the header."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from toolkit.errors import ImportFailedError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.columns import parsed_columns, preview_table
from toolkit.flows.imports.load import load
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.transactions import transactions

UNKNOWN = 'Wann,"Wie viel, AUD",Was,Saldo\n05/13/2026,20.00,KIOSK,100.00\n05/02/2026,-5.00,REFUND,120.00\n'
COLUMNS = "date=Wann,amount=Wie viel, AUD,description=Was,balance=saldo,dates=m/d/y,sign=out-positive"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home.db", date(2026, 6, 20))


def written(tmp_path: Path, name: str, text: str) -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


def rows(ctx: Context) -> set[tuple[date | None, Decimal, str | None]]:
    return {(row.date, row.amount, row.description) for row in transactions(ctx).transactions}


def test_columns_are_named_once_and_kept_for_the_same_header(ctx: Context, tmp_path: Path) -> None:
    first = written(tmp_path, "a.csv", UNKNOWN)
    with pytest.raises(ImportFailedError):
        load(ctx, [first])
    load(ctx, [first], columns=parsed_columns(COLUMNS))
    assert rows(ctx) == {
        (date(2026, 5, 13), Decimal("-20.00"), "KIOSK"),
        (date(2026, 5, 2), Decimal("5.00"), "REFUND"),
    }
    second = written(tmp_path, "b.csv", 'WANN,"Wie viel,  AUD",Was,Saldo\n06/14/2026,7.00,BAKER,90.00\n')
    load(ctx, [second])
    assert (date(2026, 6, 14), Decimal("-7.00"), "BAKER") in rows(ctx)
    undo(ctx)
    with pytest.raises(ImportFailedError):
        load(ctx, [written(tmp_path, "c.csv", UNKNOWN.replace("KIOSK", "OTHER"))])


def test_columns_by_number_of_a_file_without_a_header(ctx: Context, tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "X,KIOSK,2026-05-13,,5.00\nX,PAY,2026-05-14,100.00,\nX,BAD,2026-13-14,1.00,\n")
    report = load(ctx, [file], columns=parsed_columns("date=#3,credit=#4,debit=#5,description=#2"))
    assert {(day, amount) for day, amount, _ in rows(ctx)} == {
        (date(2026, 5, 13), Decimal("-5.00")),
        (date(2026, 5, 14), Decimal("100.00")),
    }
    assert [problem.where for problem in report.files[0].problems] == ["a.csv:3"]


def test_columns_do_not_touch_files_of_known_kinds(ctx: Context, tmp_path: Path) -> None:
    qif = written(tmp_path, "a.qif", "!Type:Bank\nD13/05/2026\nT-9.00\nPCAFE\n^\n")
    (read,) = load(ctx, [qif], columns=parsed_columns(COLUMNS)).files
    assert read.kind == "qif"


@pytest.mark.parametrize(
    "wrong", ["date=A,amount=B", "date=A,description=B", "when=A,amount=B", "date=A,amount=B,description=C,dates=x", ""]
)
def test_columns_that_do_not_suffice_are_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        parsed_columns(wrong)


def test_a_missing_column_is_named(ctx: Context, tmp_path: Path) -> None:
    with pytest.raises(ImportFailedError, match="Saldi"):
        load(ctx, [written(tmp_path, "a.csv", UNKNOWN)], columns=parsed_columns(COLUMNS.replace("saldo", "Saldi")))


def test_the_first_ten_rows_are_shown_with_their_headers(tmp_path: Path) -> None:
    table = preview_table(written(tmp_path, "a.csv", UNKNOWN + "05/02/2026,-5.00,MORE,1.00\n" * 20))
    assert table.columns == ("Wann", "Wie viel, AUD", "Was", "Saldo")
    assert (len(table.rows), table.rows[0]) == (10, ("05/13/2026", "20.00", "KIOSK", "100.00"))
    bare = preview_table(written(tmp_path, "b.csv", "13/05/2026,5.00,CAFE\n"))
    assert (bare.columns, len(bare.rows)) == (("#1", "#2", "#3"), 1)


def test_american_express_counts_charges_as_money_out(ctx: Context, tmp_path: Path) -> None:
    text = (
        "Date,Date Processed,Description,Card Member,Account #,Amount\n"
        "03/05/2026,04/05/2026,BEANS CAFE,A N OTHER,-12345,12.50\n"
        "05/05/2026,05/05/2026,PAYMENT RECEIVED,A N OTHER,-12345,-100.00\n"
    )
    load(ctx, [written(tmp_path, "amex.csv", text)])
    assert rows(ctx) == {
        (date(2026, 5, 3), Decimal("-12.50"), "BEANS CAFE"),
        (date(2026, 5, 5), Decimal("100.00"), "PAYMENT RECEIVED"),
    }


def test_a_column_may_say_debit_or_credit(ctx: Context, tmp_path: Path) -> None:
    lines = ("Booked,Text,Money,Way", "3/5/2026,KIOSK,20.00,DR", "4/5/2026,PAY,100.00,CR", "5/5/2026,FEE,-1.50,dr")
    text = "\n".join((*lines, "6/5/2026,X,2.00,?"))
    columns = parsed_columns("date=Booked,description=Text,amount=Money,direction=Way,dates=d/m/y")
    (file,) = load(ctx, [written(tmp_path, "a.csv", text)], columns=columns).files
    assert rows(ctx) == {
        (date(2026, 5, 3), Decimal("-20.00"), "KIOSK"),
        (date(2026, 5, 4), Decimal("100.00"), "PAY"),
        (date(2026, 5, 5), Decimal("-1.50"), "FEE"),
    }
    assert [problem.where for problem in file.problems if problem.severity == "rejected"] == ["a.csv:5"]
