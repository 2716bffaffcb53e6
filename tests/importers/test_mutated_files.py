"""Mutations of good meter and inverter files: whatever is wrong, reading ends, and nothing is lost without a word.

2,000 in CI; `METER_MUTATIONS=20000 pytest tests/importers/test_mutated_files.py` for more.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tests.many_cases import rest_slow
from tests.meters import day, level, nem12, register
from toolkit.errors import ImportFailedError, ToolkitError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.read import read_source
from toolkit.importers.source import Source, open_sources

PARTS = 5
EACH = int(os.environ.get("METER_MUTATIONS", "2000")) // PARTS

Mutation = Callable[[random.Random, bytes], bytes]


def _nem12() -> str:
    values = [f"{n % 7 / 10}" for n in range(48)]
    return nem12(
        *(register("E1"), *(day(f"202406{n:02d}", values) for n in range(1, 8))),
        *(register("B1", unit="Wh"), *(day(f"202406{n:02d}", [100] * 48) for n in range(1, 8))),
        *(register("Q1", unit="KVARH"), day("20240601", [9] * 48)),
        *(register("V1", unit="V"), day("20240601", [240] * 48)),
        *(register("E2", 5), day("20240601", [0.1] * 288, "V"), "400,1,100,A,,", "400,101,288,S14,,"),
    )


def _nem13() -> str:
    rows = [
        f"250,4103000001,1141,01,11,11,METER1,E,{n}00,2024010{n}000000,A,,,{n}50,2024010{n + 1}000000,A,,,50,KWH,,"
        f"20240109000000,20240109000000"
        for n in range(1, 6)
    ]
    return "\n".join(["100,NEM13,202401010000,MDP,RET", *rows, "900\n"])


def _long_table() -> str:
    start = datetime.fromisoformat("2024-06-01T00:00")
    rows = [f"4103000001,E1,{start + timedelta(minutes=30 * n)},0.{n % 9}" for n in range(48 * 2)]
    return "\n".join(["NMI,Register,Start,Usage (kWh)", *rows, ""])


def _inverter() -> str:
    start = datetime.fromisoformat("2024-06-01T06:00")
    rows = [f"{start + timedelta(days=n, minutes=15 * step)},{100 + step % 9}" for n in range(3) for step in range(40)]
    return "\n".join(["Time,System Production (Wh)", *rows, ""])


def _inverter_of_two() -> str:
    start = datetime.fromisoformat("2024-06-01T06:00")
    times = [start + timedelta(days=n, minutes=5 * step) for n in range(2) for step in range(40)]
    head = "Date and time,Energy | Symo 5.0-3-M (1),Energy | Symo 3.0-3-M (2)\n[dd.MM.yyyy HH:mm],[Wh],[Wh]"
    return "\n".join([head, *(f"{at:%d.%m.%Y %H:%M},{at.minute * 2.5},{at.hour}" for at in times), ""])


def _wide_table() -> str:
    slots = ",".join(f"{n // 2}:{n % 2 * 3}0" for n in range(48))
    rows = [f"4103000001,M1,CON,{n}/06/2024,N,{','.join(['0.25'] * 48)}" for n in range(1, 8)]
    return "\n".join([f"NMI,SERIAL,CON/GEN,DATE,ESTIMATED?,{slots}", *rows, ""])


GOOD = {
    "a.nem12.csv": _nem12().encode(),
    "level.csv": level("4103000001", date(2024, 6, 1), 14).encode(),
    "nem13.csv": _nem13().encode(),
    "long.csv": _long_table().encode(),
    "wide.csv": _wide_table().encode(),
    "solaredge.csv": _inverter().encode(),
    "fronius.csv": _inverter_of_two().encode(),
}
UNITS = (b"kWh", b"KWH", b"Wh", b"MWh", b"V", b"KVARH", b"GJ", b"", b"furlong")


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def cut_at_the_front(chance: random.Random, data: bytes) -> bytes:
    return data[chance.randrange(len(data)) :]


def flip_bytes(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 20)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def other_unit(chance: random.Random, data: bytes) -> bytes:
    return data.replace(chance.choice(UNITS[:3]), chance.choice(UNITS))


def lines_moved(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def lines_twice(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    return b"".join([*lines[:at], lines[at].replace(b"1", b"2"), *lines[at:]])


def line_lost(chance: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def cell_changed(chance: random.Random, data: bytes) -> bytes:
    cells = data.split(b",")
    odd = (b"", b"-1", b"NaN", b"inf", b"1e999", b"9" * 40, b"1,5", b'"', b"=1+1", "½".encode(), b"\x00", b"20241301")
    cells[chance.randrange(len(cells))] = chance.choice(odd)
    return b",".join(cells)


def other_lines_ends(chance: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\n\r")))


def other_encoding(chance: random.Random, data: bytes) -> bytes:
    return data.decode("latin-1").encode(chance.choice(("utf-16", "utf-8-sig", "utf-16-le", "utf-7")))


MUTATIONS: tuple[Mutation, ...] = (
    *(cut, cut_at_the_front, flip_bytes, other_unit, lines_moved, lines_twice),
    *(line_lost, cell_changed, other_lines_ends, other_encoding),
)


def mutants(part: int) -> Iterator[tuple[str, str, bytes]]:
    chance = random.Random(part)
    for _ in range(EACH):
        name, data = chance.choice(list(GOOD.items()))
        steps = chance.sample(MUTATIONS, chance.choice((1, 1, 1, 2, 3)))
        for step in steps:
            data = step(chance, data) if data else data
        yield name, " ".join(step.__name__ for step in steps), data


def read_mutant(name: str, data: bytes) -> Imported | None:
    """Read as a file's content; None where it is refused in a sentence."""
    try:
        return read_source(Source(name, data), Options())
    except ToolkitError as refused:
        reason = str(refused)
    assert reason.strip()
    assert "\n" not in reason
    return None


@pytest.mark.parametrize("part", rest_slow(range(PARTS)))
def test_mutated_files_are_read_listed_or_refused(part: int) -> None:
    """A file that is read gives rows that fit the store, or says what is wrong with it."""
    for name, how, data in mutants(part):
        imported = read_mutant(name, data)
        if imported is None:
            continue
        rows = imported.tables.get("register_days", []) + imported.tables.get("meter_reads", [])
        assert rows or imported.problems or imported.notes, (how, name)
        for row in imported.tables.get("register_days", []):
            assert row["total_nano"] >= 0, (how, name)
            assert 0 <= row["present"] <= row["intervals"] == 1440 // row["interval_minutes"], (how, name)
        if imported.kind == "nem12" and how in ("cell_changed", "other_unit", "lines_twice", "line_lost", "cut"):
            given = sum(line.startswith(b"300,") for line in data.splitlines())
            listed = imported.rejected + len(imported.problems)
            assert len(imported.tables["register_days"]) + listed >= given, (how, name)


@pytest.mark.parametrize("name", GOOD)
def test_a_file_cut_anywhere_keeps_what_is_whole_and_names_what_is_not(name: str) -> None:
    """Each whole row that the cut leaves is there; the broken one is listed, or the file's missing end is."""
    data = GOOD[name]
    whole = read_source(Source(name, data), Options())
    for at in random.Random(1).sample(range(len(data)), 40):
        imported = read_mutant(name, data[:at])
        if imported is None:
            continue
        lines = data[:at].count(b"\n")
        kept = sum(len(rows) for table, rows in imported.tables.items() if table in ("register_days", "meter_reads"))
        of_whole = [place for place in whole.places.values() if int(place.rpartition(":")[2]) <= lines]
        assert kept + len(imported.problems) >= len(of_whole)


@pytest.mark.parametrize(("unit", "kwh"), [("Wh", 0.024), ("kWh", 24.0), ("MWh", 24_000.0)])
def test_the_unit_scales_the_energy(unit: str, kwh: float) -> None:
    imported = read_source(Source("m.csv", nem12(register(unit=unit), day("20240601", [0.5] * 48)).encode()), Options())
    (row,) = imported.tables["register_days"]
    assert (row["total_nano"], row["unit"]) == (round(kwh * 10**9), "KWH")


def test_voltage_and_reactive_channels_are_no_energy() -> None:
    imported = read_source(Source("m.csv", GOOD["a.nem12.csv"]), Options())
    directions = {row["register_suffix"]: row["direction"] for row in imported.tables["registers"]}
    assert directions == {"E1": "import", "B1": "export", "Q1": "reactive", "V1": "other", "E2": "import"}


def packed(name: str, content: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, content)
    return data.getvalue()


@pytest.mark.parametrize("inner", [packed("m.csv", GOOD["level.csv"]), gzip.compress(GOOD["level.csv"])])
def test_an_archive_in_an_archive_says_what_to_do(inner: bytes, tmp_path: Path) -> None:
    path = tmp_path / "outer.zip"
    path.write_bytes(packed("inner.zip", inner))
    (source,) = open_sources(path)
    assert isinstance(source.failure, ImportFailedError)
    assert "unpack" in str(source.failure)
