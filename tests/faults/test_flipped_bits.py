"""One flipped bit in a database file: it is seen, or every answer is as before."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

from tests.faults.answers import answers, seen
from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.problems import names
from toolkit.answers.data import Check
from toolkit.flows.data.backup import backup
from toolkit.flows.data.doctor.run import doctor
from toolkit.flows.household.context import Context
from toolkit.settings import load

FLIPS = count("FLIPS", 30)


def test_no_flipped_bit_is_silent(filled: Path, tmp_path: Path) -> None:
    whole, before, chance = filled.read_bytes(), answers(filled), random.Random(9)
    assert seen(filled) == []
    noticed = 0
    for flip in range(FLIPS):
        place = chance.randrange(len(whole) * 8)
        broken = bytearray(whole)
        broken[place // 8] ^= 1 << (place % 8)
        copy = tmp_path / f"flip{flip}" / "home.db"
        copy.parent.mkdir()
        copy.write_bytes(broken)
        if seen(copy):
            noticed += 1
        else:
            assert answers(copy) == before, f"bit {place} is silent"
    print(f"{FLIPS} flipped bits: {noticed} noticed, {FLIPS - noticed} without any effect, 0 silent")


def test_rot_in_a_row_is_told_by_table_and_row(filled: Path) -> None:
    raw = sqlite3.connect(filled)
    raw.execute("UPDATE transactions SET amount_minor = amount_minor + 1 WHERE id = 't3'")
    raw.execute("UPDATE register_days SET reads = zeroblob(96) WHERE date = '2026-02-07'")
    raw.commit()
    raw.close()
    first, second = seen(filled)
    assert names(first, "transactions", "t3")
    assert names(second, "register_days", "sp", "E1", "2026-02-07")


def test_the_doctor_mends_an_index_and_names_the_backup_for_the_rest(filled: Path) -> None:
    ctx = Context(filled, TODAY)
    saved = backup(ctx).backup
    raw = sqlite3.connect(filled)
    raw.execute("INSERT INTO transactions_fts (transactions_fts) VALUES ('delete-all')")
    raw.commit()
    assert [(check.name, check.state) for check in told(ctx)] == [("database", "warning")]
    assert [(check.name, check.state) for check in told(ctx)] == [("database", "ok")]
    raw.execute("UPDATE transactions SET amount_minor = 0 WHERE id = 't3'")
    raw.commit()
    raw.close()
    check = told(ctx)[0]
    assert check.state == "error"
    assert names(check.message, "transactions", "t3", saved)


def told(ctx: Context) -> list[Check]:
    """What the doctor says of the file."""
    checks = doctor(ctx, load({}, {})).checks
    return [check for check in checks if check.name in ("database", "sync")]
