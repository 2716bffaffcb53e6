"""NEM12. Days here have three intervals of eight hours, so that a whole file can be seen."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.importers.imported_text import read_text, said, values_of
from tests.problems import names
from toolkit.answers.base import Note
from toolkit.errors import ImportFailedError

HEAD = "100,NEM12,202407020000,MDP,RETAILER\n"
E1 = "200,6001234567,E1B1,1,E1,N1,METER1,kWh,480,\n"


def days(text: str, **options):
    imported = read_text(text, **options)
    assert imported.kind == "nem12"
    return imported.tables["register_days"]


def test_a_day_is_kept_exactly_as_written():
    [row] = days(f"{HEAD}{E1}300,20240701,0.1,1.25,10.010,A,,,20240702010203,\n900\n")
    assert values_of(row) == [Decimal("0.1"), Decimal("1.25"), Decimal("10.01")]
    assert row["total_nano"] == 11_360_000_000
    assert (row["date"], row["interval_minutes"], row["intervals"], row["present"]) == (date(2024, 7, 1), 480, 3, 3)
    assert (row["service_point_id"], row["meter_id"], row["register_suffix"]) == ("6001234567", "METER1", "E1")
    assert (row["unit"], row["direction"], row["controlled_load"]) == ("KWH", "import", False)
    assert (row["qualities"], row["updated_at"]) == (None, "20240702010203")


def test_the_raw_row_keeps_all_but_the_values():
    [row] = days(f"{HEAD}{E1}300,20240701,1,2,3,S14,76,storm,20240702010203,20240702020304\n900\n")
    assert row["raw"].splitlines() == [
        "200,6001234567,E1B1,1,E1,N1,METER1,kWh,480",
        "300,20240701,[3],S14,76,storm,20240702010203,20240702020304",
    ]


@pytest.mark.parametrize(
    ("suffix", "unit", "stored", "direction", "total_nano"),
    [
        ("E1", "Wh", "KWH", "import", 6_000_000),
        ("B1", "MWh", "KWH", "export", 6_000_000_000_000),
        ("A1", "KWH", "KWH", "export", 6_000_000_000),
        ("D1", "kwh", "KWH", "import", 6_000_000_000),
        ("Q1", "kVArh", "KVARH", "reactive", 6_000_000_000),
        ("K1", "VARh", "KVARH", "reactive", 6_000_000),
        ("V1", "V", "V", "other", 6_000_000_000),
        ("G1", "pf", "PF", "other", 6_000_000_000),
        ("E1", "MJ", "MJ", "import", 6_000_000_000),
    ],
)
def test_unit_and_direction(suffix, unit, stored, direction, total_nano):
    [row] = days(f"{HEAD}200,6001,{suffix},1,{suffix},,M,{unit},480,\n300,20240701,1,2,3,A,,,,\n900\n")
    assert (row["unit"], row["direction"], row["total_nano"]) == (stored, direction, total_nano)


def test_quality_letters_and_their_methods():
    flags = {"A": None, "S14": "SUBSTITUTE", "F14": "FINAL_SUBSTITUTE", "E64": "ESTIMATED"}
    for flag, quality in flags.items():
        [row] = days(f"{HEAD}{E1}300,20240701,1,2,3,{flag},,,,\n900\n")
        assert row["qualities"] == (f'[[1,3,"{quality}"]]' if quality else None)


def test_null_reads_are_missing_and_never_in_the_total():
    [row] = days(f"{HEAD}{E1}300,20240701,1,2,3,V,,,,\n400,1,2,A,,\n400,3,3,N,,\n900\n")
    assert (row["total_nano"], row["present"], row["qualities"]) == (3_000_000_000, 2, '[[3,3,"MISSING"]]')


def test_null_reads_may_be_blank():
    [row] = days(f"{HEAD}{E1}300,20240701,,,,N,,,,\n900\n")
    assert (row["total_nano"], row["present"], row["intervals"]) == (0, 0, 3)


def test_event_rows_part_the_day():
    text = f"{HEAD}{E1}300,20240701,1,2,3,V,,,20240702,\n400,1,1,F14,76,\n400,2,2,A,,\n400,3,3,S14,1,\n900\n"
    [row] = days(text)
    assert row["qualities"] == '[[1,1,"FINAL_SUBSTITUTE"],[3,3,"SUBSTITUTE"]]'


@pytest.mark.parametrize(
    "events",
    [
        "400,1,2,A,,\n",  # the third interval is not told
        "400,1,3,A,,\n400,4,6,N,,\n",  # more intervals than the day has
        "400,1,2,A,,\n400,2,3,N,,\n",  # two that overlap
        "400,1,x,A,,\n",
        "400,1,3,Q,,\n",
        "",  # V promises some
    ],
)
def test_a_day_whose_event_rows_contradict_it_is_left_out(events):
    imported = read_text(f"{HEAD}{E1}300,20240701,1,2,3,V,,,,\n{events}300,20240702,4,5,6,A,,,,\n900\n")
    assert [row["date"].day for row in imported.tables["register_days"]] == [2]
    assert imported.rejected == 1
    assert [problem.severity for problem in imported.problems] == ["rejected"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("300,20240701,1,2,3,4,5,6,A,,,,", "has 6 reads where"),
        ("300,20240701,1,2,A,,,,", "has 2 reads where"),
        ("300,20240701,V,,,20240702120025,", "has 0 reads where"),
        ("300,20230229,1,2,3,A,,,,", "'20230229' is not a valid date"),
        ("300,20241301,1,2,3,A,,,,", "is not a valid date"),
        ("300,2.02407E+07,1,2,3,A,,,,", "is not a valid date"),
        ("300,20240701,1,-2,3,A,,,,", "interval 2 is negative"),
        ("300,20240701,1,,3,A,,,,", "interval 2 has no value"),
        ("300,20240701,1,1.2.3,3,A,,,,", "interval 2 has no value"),
        ("300,20240701,1,two,3,A,,,,", "interval 2 has no value"),
        ("300,20240701,1,99999999999999999999,3,A,,,,", "interval 2 has no value"),
        ("300,20240701,1,2,3,X,,,,", "'X' does not say whether"),
    ],
)
def test_a_row_that_cannot_be_true_is_left_out_by_line(row, words):
    imported = read_text(f"{HEAD}{E1}{row}\n300,20240702,4,5,6,A,,,,\n900\n")
    assert [day["date"].day for day in imported.tables["register_days"]] == [2]
    [problem] = imported.problems
    assert (problem.where, problem.severity, imported.rejected) == ("file.csv:3", "rejected", 1)
    assert words in problem.reason


def test_a_leap_day_is_a_day():
    [row] = days(f"{HEAD}{E1}300,20240229,1,2,3,A,,,,\n900\n")
    assert row["date"] == date(2024, 2, 29)


@pytest.mark.parametrize(
    ("unit", "value", "days", "severities"),
    [
        ("KWH", "250", 1, ["warning"]),  # Wh said to be kWh: 12,000 kWh a day
        ("KWH", "20", 1, []),
        ("WH", "0.3", 7, ["warning"]),  # kWh said to be Wh: 0.0144 kWh a day
        ("WH", "0.3", 6, []),
        ("WH", "3", 7, []),  # 0.144 kWh a day
        ("KWH", "0", 7, []),
    ],
)
def test_energy_unlike_a_homes_hints_at_another_unit(unit: str, value: str, days: int, severities: list[str]) -> None:
    rows = "".join(f"300,2025010{n},{','.join([value] * 48)},A,,,\n" for n in range(1, days + 1))
    found = read_text(f"{HEAD}200,4103000001,E1,1,E1,N1,M1,{unit},30,\n{rows}900\n")
    assert [problem.severity for problem in found.problems] == severities
    assert len(found.tables["register_days"]) == days


def test_a_file_in_which_all_reads_are_missing_is_named() -> None:
    found = read_text(f"{HEAD}{E1}300,20250101,0,0,0,N,,,\n900\n")
    assert said(found) == [("file.csv:1", "warning")]
    assert [row["present"] for row in found.tables["register_days"]] == [0]


@pytest.mark.parametrize(
    ("registers", "warned"),
    [
        (("V1,V1,N1,M1,V", "Q1,Q1,N1,M1,KVARH"), 1),
        (("V1,V1,N1,M1,V", "E1,E1,N1,M1,KWH"), 0),
        (("V1,V1,N1,M1,V", "B1,B1,N1,M1,WH"), 0),
    ],
)
def test_a_file_of_nothing_but_voltage_or_reactive_energy_is_kept_and_named(registers: list[str], warned: int) -> None:
    rows = (f"200,4103000001,E1,{register},480,\n300,20250101,1,1,1,A,,,\n" for register in registers)
    found = read_text(f"{HEAD}{''.join(rows)}900\n")
    assert said(found) == [("file.csv:1", "warning")] * warned
    assert all(names(problem.reason, "V1", "Q1", "KVARH") for problem in found.problems)
    assert len(found.tables["register_days"]) == 2


@pytest.mark.parametrize("bad", ["200,6001,E1,1,E1,,M,kWh,7,", "200,6001,E1,1,E1,,M,kWh,,", "200,,E1,1,,,M,kWh,30,"])
def test_rows_below_an_unreadable_register_are_left_out_and_the_next_register_goes_in(bad):
    imported = read_text(f"{HEAD}{bad}\n300,20240701,1,2,3,A,,,,\n{E1}300,20240702,1,2,3,A,,,,\n900\n")
    assert said(imported) == [("file.csv:2", "rejected"), ("file.csv:3", "rejected")]
    assert imported.rejected == 1  # counted in register-days
    assert len(imported.tables["register_days"]) == 1


def test_without_header_or_end_it_is_read_and_said():
    imported = read_text(f"\n{E1}300,20240701,1,2,3,A,,,,\n")
    assert len(imported.tables["register_days"]) == 1
    assert [problem.severity for problem in imported.problems] == ["warning", "warning"]
    assert "row 100" in imported.problems[0].reason
    assert "row 900" in imported.problems[1].reason


def test_a_file_without_reads_says_so():
    imported = read_text(f"{HEAD}900\n")
    assert (imported.tables["register_days"], imported.rejected) == ([], 0)
    assert [problem.severity for problem in imported.problems] == ["warning"]


def test_what_a_spreadsheet_did_to_it():
    text = (
        "100,NEM12,2.01811E+11,MDP,RET,,,,\n"
        '200,6001,E1,1,E1,,"METER1",KWH,480,,,\n'
        "300,20181101,1,2.5E-05,3,A,,,2.01811E+13,,\n"
        "300,20181102,1,2,3,A,,,2.01811E+13,,\n"
        "900,,,,,,\n"
    )
    imported = read_text(text)
    first, second = imported.tables["register_days"]
    assert (first["meter_id"], first["updated_at"], first["total_nano"]) == ("METER1", None, 4_000_025_000)
    assert second["total_nano"] == 6_000_000_000
    [problem] = imported.problems
    assert (problem.severity, problem.where) == ("warning", "file.csv:3")
    assert "2 rows" in problem.reason


def test_a_row_broken_over_two_lines_is_made_whole():
    for broken in ("300,20240701,1,2\n.5,3,A,,,,", "300,20240701,1,2.5\n,3,A,,,,", "300,20240701,1,2.5,\n3,A,,,,"):
        [row] = days(f"{HEAD}{E1}{broken}\n900\n")
        assert values_of(row) == [Decimal(1), Decimal("2.5"), Decimal(3)]


def test_a_strange_line_costs_nothing_but_itself():
    imported = read_text(f"{HEAD}{E1}300,20240701,1,2,3,A,,,,\nhello\n300,20240702,1,2,3,A,,,,\n900\n")
    assert len(imported.tables["register_days"]) == 2
    assert said(imported) == [("file.csv:4", "warning")]


def test_two_files_in_one_and_a_day_given_twice():
    row = "300,20240701,{v},{v},{v},A,,,{t},\n"
    text = (
        HEAD + E1 + row.format(v=1, t="20240705000000") + "900\n\n" + E1 + row.format(v=2, t="202407030000") + "900\n"
    )
    imported = read_text(text)
    [kept] = imported.tables["register_days"]
    assert kept["total_nano"] == 3_000_000_000  # updated later, though read earlier
    assert said(imported) == [("file.csv:6", "warning"), ("file.csv:7", "warning")]
    assert "900" in imported.problems[0].reason
    assert "file.csv:3" in imported.problems[1].reason


def test_files_put_together_whole_need_no_remark_and_a_cut_last_one_does():
    one, other = (f"{HEAD}{E1}300,2024070{day},1,2,3,A,,,,\n" for day in (1, 2))
    assert said(read_text(f"{one}900\n{other}900\n")) == []
    cut = read_text(f"{one}900\n{other}")
    assert len(cut.tables["register_days"]) == 2
    assert said(cut) == [("file.csv:7", "warning")]


@pytest.mark.parametrize("time", ["", "20240705000000"])
def test_of_equal_or_unknown_update_times_the_later_read_counts(time):
    row = "300,20240701,{v},{v},{v},A,,,{t},\n"
    [kept] = days(HEAD + E1 + row.format(v=1, t=time) + row.format(v=2, t=time) + "900\n")
    assert kept["total_nano"] == 6_000_000_000


def test_two_meters_of_one_suffix_are_two_registers():
    other = E1.replace("METER1", "METER2")
    imported = read_text(f"{HEAD}{E1}300,20240701,1,1,1,A,,,,\n{other}300,20240701,2,2,2,A,,,,\n900\n")
    assert [row["meter_id"] for row in imported.tables["registers"]] == ["METER1", "METER2"]
    assert len(imported.tables["register_days"]) == 2


def test_the_interval_length_may_change_within_a_file():
    text = f"{HEAD}{E1}300,20240701,1,2,3,A,,,,\n{E1.replace('480', '720')}300,20240702,1,2,A,,,,\n900\n"
    assert [row["interval_minutes"] for row in days(text)] == [480, 720]


def test_a_day_of_five_minutes_below_a_row_that_says_half_an_hour_is_read_as_such():
    """288 reads of 0.01 kWh are 2.88; a day cut in its reads, or of another number of them, stays out."""
    half_hourly = E1.replace("480", "30")
    whole, cut, other = (
        f"300,2024070{number},{','.join(['0.01'] * count)}{flag}\n"
        for number, count, flag in ((1, 288, ",A,,,,"), (2, 288, ""), (3, 200, ",A,,,,"))
    )
    usual = f"300,20240704,{','.join(['0.5'] * 48)},A,,,,\n"
    imported = read_text(f"{HEAD}{half_hourly}{whole}{usual}{cut}{other}900\n")
    kept = [(row["date"].day, row["interval_minutes"], row["total_nano"]) for row in imported.tables["register_days"]]
    assert kept == [(1, 5, 2_880_000_000), (4, 30, 24_000_000_000)]
    assert said(imported) == [("file.csv:5", "rejected"), ("file.csv:6", "rejected"), ("file.csv:3", "warning")]
    assert names(imported.problems[-1].reason, "30 minutes", "288", "5 minutes")


def test_controlled_load_only_where_it_is_named():
    text = f"{HEAD}{E1.replace(',E1,', ',E2,')}300,20240701,1,2,3,A,,,,\n900\n"
    plain = read_text(text)
    assert [row["controlled_load"] for row in plain.tables["register_days"]] == [False]
    assert plain.notes == [Note("controlled_load_possible", register="E2")]
    named = read_text(text, controlled_load=["e2"])
    assert [row["controlled_load"] for row in named.tables["register_days"]] == [True]
    assert [row["controlled_load"] for row in named.tables["registers"]] == [True]
    missing = Note("controlled_load_register_missing", unknown="E9", found="E2")
    assert read_text(text, controlled_load=["E9"]).notes[0] == missing


def test_the_service_point_is_the_nmi():
    [point] = read_text(f"{HEAD}{E1}300,20240701,1,2,3,A,,,,\n900\n").tables["service_points"]
    assert (point["service_point_id"], point["fuel"], point["source"]) == ("6001234567", "ELECTRICITY", "file")


def test_dial_readings_are_no_energy():
    [row] = days(f"{HEAD}{E1}300,20240701,1,2,3,A,,,,\n500,O,S01009,20240701155500,001123.5\n900\n")
    assert row["total_nano"] == 6_000_000_000


def test_more_than_nine_decimals_are_rounded_to_nine():
    [row] = days(f"{HEAD}{E1}300,20240701,0.12345678949,0.1,0.1,A,,,,\n900\n")
    assert values_of(row)[0] == Decimal("0.123456789")


def test_text_marked_as_utf_16_or_with_a_byte_order_mark():
    text = f"{HEAD}{E1}300,20240701,1,2,3,A,,,,\n900\n"
    for data in (text.encode("utf-16"), text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode()):
        assert len(read_text(data).tables["register_days"]) == 1


def test_asked_for_by_name_and_not_one():
    with pytest.raises(ImportFailedError, match="NEM12"):
        read_text("Date,Amount\n", kind="nem12")


def nem12(days_of_values: list[list[Decimal]], flag: str = "A") -> str:
    rows = [
        f"300,202407{number:02},{','.join(format(value, 'f') for value in values)},{flag},,,20240801000000,\n"
        for number, values in enumerate(days_of_values, start=1)
    ]
    return HEAD + E1 + "".join(rows) + "900\n"


kilowatt_hours = st.decimals(min_value=0, max_value=10**6, places=6) | st.decimals(min_value=0, max_value=99, places=3)


@given(st.lists(st.lists(kilowatt_hours, min_size=3, max_size=3), min_size=1, max_size=28))
def test_every_value_comes_back_and_sums_are_conserved(written):
    rows = days(nem12(written))
    assert [values_of(row) for row in rows] == written
    assert [row["total_nano"] for row in rows] == [int(sum(values) * 10**9) for values in written]


@pytest.mark.filterwarnings("ignore")  # the referee's own
def test_the_referee_reads_the_same(tmp_path):
    """nemreader (another hand's importer) gives the same values and qualities on a month of half hours."""
    import nemreader

    random = np.random.default_rng(1)
    lines = [HEAD]
    for suffix in ("E1", "B1"):
        lines.append(f"200,6001234567,E1B1,1,{suffix},N1,METER1,kWh,30,\n")
        for number in range(1, 32):
            values = ",".join(f"{value:.3f}" for value in random.random(48) * 3)
            lines.append(f"300,202407{number:02},{values},{'V' if number % 7 == 0 else 'A'},,,20240801000000,\n")
            if number % 7 == 0:
                lines.append("400,1,20,A,,\n400,21,48,S14,1,\n")
    lines.append("900\n")
    path = tmp_path / "month.csv"
    path.write_text("".join(lines))
    theirs = nemreader.read_nem_file(str(path)).readings["6001234567"]
    for suffix in ("E1", "B1"):
        ours = [row for row in days("".join(lines)) if row["register_suffix"] == suffix]
        values = [float(value) for row in ours for value in values_of(row)]
        assert values == [reading.read_value for reading in theirs[suffix]]
        substituted = sum(28 for row in ours if row["qualities"] == '[[21,48,"SUBSTITUTE"]]')
        assert substituted == sum(reading.quality_method == "S14" for reading in theirs[suffix])


def test_rows_that_belong_to_no_day_or_to_another_kind_of_file_are_told():
    stray = "400,1,3,F14,76,\n"
    dial = "250,6001234567,11,1,11,11,M1,E,1,20240401,A,,,2,20240701,A,,,1,KWH,20241001,20240702104410,\n"
    imported = read_text(f"{HEAD}{E1}{stray}300,20240701,1,2,3,A,,,,\n{dial}900\n")
    assert len(imported.tables["register_days"]) == 1
    assert said(imported) == [("file.csv:5", "rejected"), ("file.csv:3", "warning")]
