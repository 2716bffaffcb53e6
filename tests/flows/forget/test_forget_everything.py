"""Everything goes: from the database and from backups, each rewritten once however many households there are."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from toolkit.flows.data.backup import backup
from toolkit.flows.forget.forget import forget_everything
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.imports.load import load
from toolkit.store import Store

HOMES = ("Abernathy", "Bellbrook", "Carrington")


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    """Three households with a row each, and a backup from when there were two."""
    ctx = Context(tmp_path / "data" / "home.db", date(2026, 3, 15))
    for number, name in enumerate(HOMES):
        if number == 2:
            backup(ctx)
        add_home(ctx, name)
        export = tmp_path / f"{name}.csv"
        export.write_text(f"Date,Description,Amount\n02/03/2026,SHOP OF {name.upper()},-{number + 1}.00\n")
        load(Context(ctx.db, ctx.today, household=name), [export])
    return ctx


def files_with(folder: Path, word: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_no_byte_of_any_household_remains_in_the_data_folder(ctx: Context) -> None:
    folder = ctx.db.parent
    assert len(files_with(folder, "SHOP OF BELLBROOK")) == 2  # the database and its backup
    assert forget_everything(ctx) == ()
    assert homes(ctx).households == ()
    assert [files_with(folder, f"SHOP OF {name.upper()}") + files_with(folder, name) for name in HOMES] == [[], [], []]


def test_the_database_and_its_backup_are_rewritten_once_each(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    rewritten = []
    scrub = Store.scrub
    monkeypatch.setattr(Store, "scrub", lambda store: (rewritten.append(store.path), scrub(store)))
    forget_everything(ctx)
    (copy,) = [path for path in rewritten if path != ctx.db]
    assert sorted(rewritten) == sorted([copy, ctx.db])


def test_what_was_cut_short_is_finished_when_repeated(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    scrub = Store.scrub

    def cut_short(store: Store) -> None:
        if store.path == ctx.db:
            raise KeyboardInterrupt
        scrub(store)

    with monkeypatch.context() as broken:
        broken.setattr(Store, "scrub", cut_short)
        with pytest.raises(KeyboardInterrupt):
            forget_everything(ctx)
    forget_everything(ctx)
    assert [files_with(ctx.db.parent, name) for name in HOMES] == [[], [], []]
