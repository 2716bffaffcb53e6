"""What holds of imports, exports and deletions, whatever the files: order and repetition do not matter."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolkit
from tests.json_answers import forget
from tests.meters import day, nem12, register
from toolkit.flows.data.export import export
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money.transactions import transactions

TODAY = date(2024, 9, 1)
FIRST = date(2024, 7, 1)
SLOW = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Ledger = list[tuple[date, int, str]]


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Days, cents and words of an account in order of days; equal purchases on one day are several."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 20), st.integers(-9000, 9000).filter(bool), st.sampled_from(["SHOP", "CAFE"])),
            min_size=1,
            max_size=12,
        )
    )
    return sorted(((FIRST + timedelta(n), cents, words) for n, cents, words in rows), key=lambda row: row[0])


spans = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted), min_size=1, max_size=4)


def bank_file(path: Path, rows: Ledger, account: str = "12345678") -> Path:
    lines = [f"{when:%d/%m/%Y},{Decimal(cents) / 100:.2f},{words},{account}" for when, cents, words in rows]
    path.write_text("\n".join(["Date,Amount,Description,Account", *lines, ""]))
    return path


def stored_rows(ctx: Context) -> Ledger:
    found = transactions(ctx).transactions
    return sorted((row.date, int(row.amount * 100), row.description) for row in found)


def exported(ctx: Context, out: Path) -> dict[str, bytes]:
    export(ctx, out)
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@given(ledgers(), spans, st.randoms(use_true_random=False))
@SLOW
def test_exports_of_any_days_in_any_order_give_each_row_once(ledger, days, chance):
    slices = [[row for row in ledger if first <= (row[0] - FIRST).days <= last] for first, last in days]
    slices = [rows for rows in slices if rows]
    whole = [row for row in ledger if any(row in rows for rows in slices)]
    with TemporaryDirectory() as folder:
        files = [bank_file(Path(folder) / f"{n}.csv", rows) for n, rows in enumerate(slices)]
        for name in ("one", "other"):
            ctx = Context(Path(folder) / f"{name}.db", TODAY)
            for path in files:
                load(ctx, [path])
            if files:
                assert stored_rows(ctx) == sorted(whole)
            chance.shuffle(files)


@st.composite
def meter_files(draw: st.DrawFn) -> list[str]:
    """NEM12 files of one register whose days overlap; each was updated at a time of its own."""
    made = []
    for n, hour in enumerate(draw(st.permutations(range(draw(st.integers(1, 4)))))):
        first, count = draw(st.integers(0, 6)), draw(st.integers(1, 5))
        value = draw(st.integers(0, 900))
        days = [f"{FIRST + timedelta(first + k):%Y%m%d}" for k in range(count)]
        updated = f"202408{hour + 1:02}120000"
        made.append(nem12(register(), *(day(when, [f"{value / 1000 + n:.3f}"] * 48, updated=updated) for when in days)))
    return made


@given(meter_files(), st.randoms(use_true_random=False))
@SLOW
def test_meter_files_in_any_order_give_the_same_reads(texts, chance):
    with TemporaryDirectory() as folder:
        paths = []
        for n, text in enumerate(texts):
            paths.append(Path(folder) / f"{n}.csv")
            paths[-1].write_text(text)
        one, other = (Context(Path(folder) / f"{name}.db", TODAY) for name in ("one", "other"))
        for path in paths:
            load(one, [path])
        chance.shuffle(paths)
        load(other, paths)
        load(other, [chance.choice(paths)])
        columns = ["register_suffix", "starts_at", "energy_nano", "quality"]
        first, second = (toolkit.read_usage(ctx.db).select(columns).sort("starts_at") for ctx in (one, other))
        assert first.equals(second)


@given(ledgers(), meter_files())
@SLOW
def test_importing_again_changes_no_byte_of_an_export(ledger, texts):
    with TemporaryDirectory() as name:
        folder = Path(name)
        bank_file(folder / "bank.csv", ledger)
        (folder / "meter.csv").write_text(texts[0])
        ctx = Context(folder / "data" / "home.db", TODAY)
        files = [folder / "bank.csv", folder / "meter.csv"]
        load(ctx, files)
        before = exported(ctx, folder / "before")
        again = load(ctx, files).files
        assert [(entry.added, entry.updated, entry.rejected) for entry in again] == [(0, 0, 0)] * 2
        assert exported(ctx, folder / "after") == before


@given(ledgers(), ledgers())
@SLOW
def test_what_is_exported_and_imported_again_is_equal(one, other):
    with TemporaryDirectory() as name:
        folder = Path(name)
        ctx, new = (Context(folder / part / "home.db", TODAY) for part in ("first", "second"))
        for path, rows, account in (("one.csv", one, "12345678"), ("other.csv", other, "87654321")):
            load(ctx, [bank_file(folder / path, rows, account)])
        exported(ctx, folder / "out")
        load(new, [folder / "out" / "transactions.csv"])
        assert stored_rows(new) == stored_rows(ctx)


@given(ledgers(), ledgers(), meter_files(), meter_files())
@SLOW
def test_a_forgotten_household_leaves_what_the_others_alone_would_have(ours, theirs, our_reads, their_reads):
    with TemporaryDirectory() as name:
        folder = Path(name)
        both, alone = (folder / part / "home.db" for part in ("both", "alone"))
        for household, rows, texts in (("Ours", ours, our_reads), ("Theirs", theirs, their_reads)):
            own = folder / household
            own.mkdir()
            bank_file(own / "bank.csv", rows)
            (own / "meter.csv").write_text(texts[0].replace("4103000001", f"41030000{len(household):02}"))
            for db in (both, alone) if household == "Theirs" else (both,):
                load(Context(db, TODAY, household), [own / "bank.csv", own / "meter.csv"])
        forget(Context(both, TODAY), household="Ours")
        left = exported(Context(both, TODAY), folder / "left")
        assert left == exported(Context(alone, TODAY), folder / "expected")
