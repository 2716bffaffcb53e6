"""What no meter, clock or archive can hold costs its own row or file: the rest goes in."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from datetime import date
from pathlib import Path

import pytest

from tests.importers.imported_text import read_text, said
from tests.problems import places
from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.importers.imported import Options
from toolkit.importers.read import IMPORTERS, read_source
from toolkit.importers.source import Source, unpack
from toolkit.store import open_store
from toolkit.store.provenance import merged

BANK = "Date,Amount,Description\n01/03/2026,-5.00,COFFEE\n"
DIAL = (
    "250,6001,11,1,11,11,M1,E,{before},20260101000000,A,,,"
    "{after},20260301000000,A,,,{quantity},{unit},,20260302000000,\n"
)


def dial(quantity: str, unit: str = "kWh", *, before: str = "0", after: str = "5") -> str:
    row = DIAL.format(before=before, after=after, quantity=quantity, unit=unit)
    return f"100,NEM13,202603010000,A,B\n{row}{DIAL.format(before=0, after=5, quantity=5, unit='kWh')}900\n"


def nem12(value: str, unit: str) -> str:
    head = f"100,NEM12,202603010000,A,B\n200,6001,E1,1,E1,N1,M1,{unit},720,\n"
    return f"{head}300,20260301,{value},{value},A,,,,\n300,20260302,1,1,A,,,,\n900\n"


def green_button(value: int, multiplier: int, seconds: int = 3600) -> str:
    def read(start: int, written: int) -> str:
        period = f"<timePeriod><duration>{seconds}</duration><start>{start}</start></timePeriod>"
        return f"<IntervalReading>{period}<value>{written}</value></IntervalReading>"

    return (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content><ReadingType xmlns="http://naesb.org/espi">'
        f"<powerOfTenMultiplier>{multiplier}</powerOfTenMultiplier><uom>72</uom></ReadingType></content></entry>"
        '<entry><content><IntervalBlock xmlns="http://naesb.org/espi">'
        f"{read(1772287200, value)}{read(1772373600, 0)}</IntervalBlock></content></entry></feed>"
    )


@pytest.mark.parametrize(
    ("text", "table"),
    [
        (nem12("99999999", "MWh"), "register_days"),
        (nem12("99999999", "kWh"), "register_days"),
        (dial("999999999", "MWh"), "meter_reads"),
        (dial("100000001"), "meter_reads"),
        (
            "NMI,Start,End,Usage (MWh)\n6001,01/03/2026,31/03/2026,99999999\n6001,01/04/2026,30/04/2026,1\n",
            "meter_reads",
        ),
        ("NMI,Start,kWh\n6001,2026-03-01 00:00,999999999\n6001,2026-03-02 00:30,1\n", "register_days"),
        (
            "NMI,Start,kWh\n6001,2026-03-01 00:00,99999999\n6001,2026-03-01 00:30,99999999\n6001,2026-03-02 00:00,1\n",
            "register_days",
        ),
        (green_button(5, 12), "register_days"),
        (green_button(5, 99), "register_days"),
        (green_button(5, 12, seconds=86_400), "meter_reads"),
    ],
)
def test_more_than_any_meter_shows_is_left_out_by_its_place_and_the_rest_goes_in(text, table, tmp_path):
    imported = read_text(text)
    assert len(imported.tables[table]) == 1
    [rejected] = [problem for problem in imported.problems if problem.severity == "rejected"]
    assert re.fullmatch(r"file\.csv:[0-9]+", rejected.where)
    assert imported.rejected == 1
    path = tmp_path / "file.csv"
    path.write_text(text)
    [report] = load(Context(tmp_path / "home.db", date(2026, 5, 15)), [path]).files
    assert (report.rejected, len(report.problems)) == (1, len(imported.problems))


def test_two_files_of_a_day_that_together_no_meter_shows():
    """The later file's part alone is kept, and that the earlier one is replaced is counted."""
    halves = [f"Start,kWh\n2026-03-01 {hour},60000000\n" for hour in ("00:00", "12:00")]
    [one], [other] = (read_text(text, timezone="Australia/Brisbane").tables["register_days"] for text in halves)
    assert merged(one, other) == (other, 1)


def test_a_dial_that_moved_by_next_to_nothing_is_noted():
    imported = read_text(dial("99999999", before="0", after="0.000000000000000000000000000001"))
    assert len(imported.tables["meter_reads"]) == 1
    assert "1E-30" in imported.problems[0].reason


def test_the_end_of_the_last_day_that_there_is_is_no_time():
    imported = read_text("NMI,Date,Time,kWh\n6001,31/12/9999,24:00,1\n6001,01/03/2026,00:30,1\n")
    assert said(imported) == [("file.csv:2", "rejected")]
    assert len(imported.tables["register_days"]) == 1
    whole = read_text("Start,kWh\n31/12/9999 24:00,1\n01/03/2026 00:30,1\n")
    assert said(whole) == [("file.csv:2", "rejected")]


def test_a_clock_a_day_ahead_is_no_clock():
    stated = read_text("Start (UTC+99),kWh\n2026-07-01 10:00,1\n").tables["register_days"]
    unstated = read_text("Start,kWh\n2026-07-01 10:00,1\n").tables["register_days"]
    assert [row["reads"] for row in stated] == [row["reads"] for row in unstated]


@pytest.mark.parametrize(
    ("head", "words", "qualities"),
    [
        ("Estimated?", "true,false", '[[1,1,"ESTIMATED"],[3,48,"MISSING"]]'),
        ("ESTIMATED", "TRUE,FALSE", '[[1,1,"ESTIMATED"],[3,48,"MISSING"]]'),
        ("Is estimate", "Yes,No", '[[1,1,"ESTIMATED"],[3,48,"MISSING"]]'),
        ("Estimated?", "y,n", '[[1,1,"ESTIMATED"],[3,48,"MISSING"]]'),
        ("Estimated?", "E,A", '[[1,1,"ESTIMATED"],[3,48,"MISSING"]]'),
    ],
)
def test_a_column_that_asks_whether_a_value_is_estimated(head, words, qualities):
    first, second = words.split(",")
    text = f"NMI,Start,kWh,{head}\n6001,2026-07-01 00:00,1,{first}\n6001,2026-07-01 00:30,1,{second}\n"
    imported = read_text(text)
    assert ([row["qualities"] for row in imported.tables["register_days"]], imported.notes) == ([qualities], [])


@pytest.mark.parametrize("head", ["Quality", "Actual/Estimated"])
def test_elsewhere_true_and_false_are_not_known(head):
    imported = read_text(f"NMI,Start,kWh,{head}\n6001,2026-07-01 00:00,1,true\n6001,2026-07-01 00:30,1,false\n")
    assert imported.notes == [Note("read_quality_unknown", quality=word, count=1) for word in ("false", "true")]


def test_half_a_character_in_a_plan_is_replaced_and_the_plan_stored(tmp_path):
    path = tmp_path / "plans.json"
    whole = '{"planId":"W","displayName":"\\ud83d\\ude00","electricityContract":{}}'
    path.write_text('{"planId":"P","displayName":"Saver \\ud83d","electricityContract":{"x":"\\uDE00"}}\n' + whole)
    ctx = Context(tmp_path / "home.db", date(2026, 3, 15))
    [report] = load(ctx, [path]).files
    assert (report.added, report.problems) == (2, ())
    with open_store(ctx.db) as store:
        stored = {row["plan_id"]: row["name"] for row in store.rows("plans")}
    assert stored == {"P": "Saver \ufffd", "W": "😀"}


# ---- archives


def archive_of(names: list[str]) -> bytearray:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, BANK * 5)
    return bytearray(data.getvalue())


def test_a_damaged_name_costs_its_member_alone(tmp_path):
    data = archive_of(["é.csv", "b.csv"])
    data[data.index("é".encode())] = 0xFF  # in the member's own header; the directory at the end still has it right
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.zip").write_bytes(data)
    (tmp_path / "in" / "b.csv").write_text(BANK)
    reports = load(Context(tmp_path / "home.db", date(2026, 3, 15)), [tmp_path / "in"]).files
    assert [(Path(report.path).name, report.kind) for report in reports] == [
        ("é.csv", None),
        ("b.csv", "bank-csv"),
        ("b.csv", "bank-csv"),
    ]
    assert places(reports[0].problems) == [("a.zip/é.csv", "rejected")]


def test_whatever_bytes_of_an_archive_are_flipped_only_import_failed_is_raised():
    sound, chance = archive_of(["a.csv", "b/é.csv"]), random.Random(2026)
    failed = 0
    for _ in range(3_000):
        data = bytearray(sound)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            failed += any(source.failure for source in unpack("a.zip", bytes(data)))
        except ImportFailedError:
            failed += 1
    assert failed > 1_000


def test_an_archive_with_a_member_without_a_name():
    data = archive_of(["a.csv"])
    directory = data.index(b"PK\x01\x02")
    data[directory + 28] = 0  # the length of the name
    del data[directory + 46 : directory + 51]  # the name
    data[data.index(b"PK\x05\x06") + 12] -= 5  # the length of the directory
    assert [source.failure is not None for source in unpack("a.zip", bytes(data))] == [True]


# ---- the last line


@pytest.mark.parametrize("error", [OverflowError("too large"), KeyError("x"), ValueError("odd"), UnicodeError("odd")])
def test_what_no_reader_foresaw_is_a_file_that_cannot_be_read(monkeypatch, error):
    def reader(source, options):
        raise error

    monkeypatch.setitem(IMPORTERS, "bank-csv", reader)
    with pytest.raises(ImportFailedError, match=r"^file\.csv:1: "):
        read_source(Source("file.csv", BANK.encode()), Options())


def test_a_kind_that_there_is_not_is_a_wrong_question():
    with pytest.raises(UsageError, match="'xls'"):
        read_source(Source("file.csv", BANK.encode()), Options(kind="xls"))


def test_a_number_of_a_json_plan_beyond_all_bounds_is_kept_as_it_is(tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"planId": "P", "electricityContract": {"x": 10**400}}))
    [report] = load(Context(tmp_path / "home.db", date(2026, 5, 15)), [path]).files
    assert report.added == 1
