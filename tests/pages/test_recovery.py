"""Data that cannot be opened: the page has the reason and a way back, without a command."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY, metrics, press, read
from toolkit.flows.data.backup import backup
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

Visit = Callable[..., AppTest]
MADE = datetime(2026, 6, 5, 2, tzinfo=UTC)
CLOSED = "Your data cannot be opened"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """A household that spent $50 before its backup was made, and $7 after it."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    for name, day, amount in (("first.csv", "03/06/2026", "-50.00"), ("second.csv", "09/06/2026", "-7.00")):
        (tmp_path / name).write_text(f'{day},"{amount}","CITY GYM CLUB","900.00"\n')
        load(ctx, [tmp_path / name])
        if name == "first.csv":
            made = backup(ctx).backup
            os.utime(made, (MADE.timestamp(), MADE.timestamp()))
    return ctx


@pytest.mark.parametrize("page", ["overview", "data"])
def test_a_damaged_file_is_replaced_by_its_backup(ctx: Context, visit: Visit, page: str) -> None:
    ctx.db.write_bytes(b"not a database" * 1000)
    test = visit(ctx.db, page)
    assert [title.value for title in test.title] == [CLOSED]
    assert "is not a whole database" in test.error[0].value
    assert "Welcome" not in read(test)
    test = press(test, "Open the copy of 5 Jun 2026")
    assert not test.error
    assert metrics(visit(ctx.db, "spending"))["Spent"] == "$50.00"
    (kept,) = ctx.db.parent.glob("household.db.*")
    assert kept.read_bytes().startswith(b"not a database")


def test_a_file_that_is_gone_is_replaced_by_its_backup(ctx: Context, visit: Visit) -> None:
    ctx.db.unlink()
    test = visit(ctx.db, "overview")
    assert [title.value for title in test.title] == [CLOSED]
    assert not press(test, "Open the copy of 5 Jun 2026").error
    assert metrics(visit(ctx.db, "spending"))["Spent"] == "$50.00"


def test_without_a_copy_one_from_elsewhere_can_be_opened(ctx: Context, tmp_path: Path, visit: Visit) -> None:
    (saved,) = (ctx.db.parent / "backups").iterdir()
    elsewhere = saved.rename(tmp_path / "elsewhere.db")
    ctx.db.write_bytes(b"not a database" * 1000)
    test = visit(ctx.db, "overview")
    assert "There is no copy of it on this computer" in read(test)
    test.file_uploader(key="copy-file").upload("household.db", elsewhere.read_bytes(), "application/octet-stream")
    test.checkbox(key="copy-sure").check()
    assert not press(test, "Open the copy").error
    assert metrics(visit(ctx.db, "spending"))["Spent"] == "$50.00"


def test_the_rest_is_opened_where_the_log_of_a_crash_is_gone(ctx: Context, visit: Visit) -> None:
    ctx.db.with_name(f"{ctx.db.name}-shm").write_bytes(b"\0" * 32_768)
    test = visit(ctx.db, "overview")
    assert [title.value for title in test.title] == [CLOSED]
    assert not press(test, "Open the rest").error
    assert metrics(visit(ctx.db, "spending"))["Spent"] == "$57.00"
