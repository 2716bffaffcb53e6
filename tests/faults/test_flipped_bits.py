"""Damage in a database file: a flipped bit in interval reads is noticed, and the doctor says what to do."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.problems import names
from toolkit.answers.data import Check
from toolkit.errors import StoreDamagedError
from toolkit.flows.data.backup import backup
from toolkit.flows.data.doctor.run import doctor
from toolkit.flows.household.context import Context
from toolkit.settings import load
from toolkit.store import open_store

FLIPS = count("FLIPS", 30)


def test_no_flipped_bit_of_interval_reads_is_silent(filled: Path, tmp_path: Path) -> None:
    """SQLite's own check does not notice these; the digest of the day's reads does, as soon as they are read."""
    whole, chance = filled.read_bytes(), random.Random(9)
    with open_store(filled) as store:
        blobs = [row["reads"] for row in store.rows("register_days")]
    copy = tmp_path / "copy" / "home.db"
    copy.parent.mkdir()
    for _ in range(FLIPS):
        blob = chance.choice(blobs)
        broken, bit = bytearray(whole), whole.index(blob) * 8 + chance.randrange(len(blob) * 8)
        broken[bit // 8] ^= 1 << (bit % 8)
        copy.write_bytes(broken)
        with open_store(copy) as store:
            assert len(store.damage()) == 1
            with pytest.raises(StoreDamagedError):
                store.reads(store.rows("households")[0]["household_id"])
            with pytest.raises(StoreDamagedError):
                store.read("register_days")


def test_the_doctor_mends_an_index_and_names_the_backup_for_the_rest(filled: Path) -> None:
    ctx = Context(filled, TODAY)
    saved = backup(ctx).backup
    raw = sqlite3.connect(filled)
    raw.execute("INSERT INTO transactions_fts (transactions_fts) VALUES ('delete-all')")
    raw.commit()
    assert [(check.name, check.state) for check in told(ctx)] == [("database", "warning")]
    assert [(check.name, check.state) for check in told(ctx)] == [("database", "ok")]
    raw.execute("UPDATE register_days SET reads = zeroblob(96) WHERE date = '2026-02-07'")
    raw.commit()
    raw.close()
    check = told(ctx)[0]
    assert check.state == "error"
    assert names(check.message, "sp", "E1", "2026-02-07", saved)


def told(ctx: Context) -> list[Check]:
    """What the doctor says of the file."""
    checks = doctor(ctx, load({}, {})).checks
    return [check for check in checks if check.name in ("database", "sync")]
