"""NEM13, portals' usage tables, Green Button."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.importers.imported_text import read_text, said, values_of
from tests.many_cases import examples
from toolkit.answers.base import Note
from toolkit.store.provenance import merged

AEST = ZoneInfo("Australia/Brisbane")


def dial(**changed: str) -> str:
    cells = {
        "nmi": "6001234567",
        "suffix": "11",
        "meter": "M1",
        "direction": "E",
        "before": "001000",
        "from": "20240401093206",
        "after": "001131",
        "to": "20240701074053",
        "quality": "A",
        "quantity": "131",
        "unit": "KWH",
        "updated": "20240702104410",
    } | changed
    return (
        "250,{nmi},11,1,{suffix},11,{meter},{direction},{before},{from},A,,,"
        "{after},{to},{quality},,,{quantity},{unit},20241001,{updated},\n"
    ).format(**cells)


def dials(*rows: str, **options):
    return read_text("100,NEM13,202407020000,MDP,RET\n" + "".join(rows) + "900\n", **options)


def test_a_dial_reading_counts_for_the_days_since_the_one_before():
    [row] = dials(dial()).tables["meter_reads"]
    assert (row["start_date"], row["end_date"]) == (date(2024, 4, 1), date(2024, 6, 30))
    assert (row["value"], row["value_nano"], row["unit"]) == ("131", 131_000_000_000, "KWH")
    assert (row["direction"], row["quality"], row["controlled_load"]) == ("import", "ACTUAL", False)


def test_readings_in_a_row_tile():
    first, second = dials(dial(), dial(**{"from": "20240701074053", "to": "20241001000000"})).tables["meter_reads"]
    assert second["start_date"] - first["end_date"] == timedelta(days=1)


@pytest.mark.parametrize("quantity", ["131", "-131"])
def test_energy_into_the_market_is_the_households_export_whatever_its_sign(quantity):
    [row] = dials(dial(direction="I", quantity=quantity)).tables["meter_reads"]
    assert (row["direction"], row["value"]) == ("export", "131")


def test_accumulated_controlled_load_and_units():
    [row] = dials(dial(suffix="41", quantity="131", unit="MWH")).tables["meter_reads"]
    assert (row["controlled_load"], row["unit"], row["value_nano"]) == (True, "KWH", 131_000 * 10**9)


def test_a_dial_that_moved_by_something_else_is_noted_but_not_a_multiplier_or_a_turn_over():
    assert dials(dial(quantity="2620")).problems == []  # multiplier 20
    assert dials(dial(before="999990", after="000121")).problems == []
    assert said(dials(dial(quantity="130"))) == [("file.csv:2", "warning")]


@pytest.mark.parametrize(
    "changed",
    [
        {"to": "20240231000000"},
        {"to": "20240101000000"},
        {"quantity": ""},
        {"quantity": "-5"},
        {"quantity": "NaN"},
        {"quality": "N"},
        {"nmi": ""},
    ],
)
def test_a_dial_reading_that_cannot_be_true_is_left_out(changed):
    imported = dials(dial(**changed), dial(meter="M2"))
    assert [row["meter_id"] for row in imported.tables["meter_reads"]] == ["M2"]
    assert (imported.rejected, said(imported)) == (1, [("file.csv:2", "rejected")])


def test_the_later_update_of_a_dial_reading_counts():
    imported = dials(dial(quantity="131", updated="20240705"), dial(quantity="262", updated="20240703"))
    assert [row["value"] for row in imported.tables["meter_reads"]] == ["131"]
    assert said(imported) == [("file.csv:3", "warning")]


# ---- usage tables


def table(first: str, days: int, zone: str, *, minutes: int = 30) -> str:
    """Half hours of one kWh on a local clock, as a portal writes them."""
    local = ZoneInfo(zone)
    start = datetime.fromisoformat(first).replace(tzinfo=local)
    end = (start.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=local).astimezone(UTC)
    rows, at = ["NMI,Start,End,Usage (kWh)"], start.astimezone(UTC)
    while at < end:
        later = at + timedelta(minutes=minutes)
        shown = (f"{moment.astimezone(local):%d/%m/%Y %H:%M}" for moment in (at, later))
        rows.append(f"6001234567,{','.join(shown)},1")
        at = later
    return "\n".join(rows) + "\n"


def test_a_day_of_half_hours_on_a_clock_without_daylight_saving():
    [row] = read_text(table("2024-01-10", 1, "Australia/Brisbane"), timezone="Australia/Brisbane").tables[
        "register_days"
    ]
    assert (row["date"], row["intervals"], row["present"], row["interval_minutes"]) == (date(2024, 1, 10), 48, 48, 30)
    assert values_of(row) == [Decimal(1)] * 48


@pytest.mark.parametrize(
    ("first", "days", "half_hours"),
    [("2024-04-06", 3, 146), ("2024-10-05", 3, 142), ("2024-07-01", 2, 96), ("2024-01-01", 1, 48)],
)
@pytest.mark.parametrize("zone", ["Australia/Sydney", "Australia/Adelaide", "Australia/Hobart"])
def test_days_of_23_and_25_hours_come_out_whole(first, days, half_hours, zone):
    imported = read_text(table(first, days, zone), timezone=zone)
    assert imported.problems == []
    rows = imported.tables["register_days"]
    assert sum(row["total_nano"] for row in rows) == half_hours * 10**9
    assert sum(row["present"] for row in rows) == half_hours
    inner = rows[1:-1]
    assert all(row["present"] == 48 for row in inner)


@example(date(2001, 10, 28), "Lord_Howe")  # the clock jumps half an hour: 01:30 to 02:30 is half an hour of real time
@given(st.dates(date(2000, 1, 1), date(2040, 12, 30)), st.sampled_from(["Sydney", "Adelaide", "Perth", "Lord_Howe"]))
@settings(max_examples=examples(40))
def test_energy_is_conserved_on_any_local_day(day, city):
    zone = f"Australia/{city}"
    text = table(day.isoformat(), 1, zone)
    rows = read_text(text, timezone=zone).tables["register_days"]
    assert sum(row["total_nano"] for row in rows) == (text.count("\n") - 1) * 10**9


def test_a_stated_clock_outranks_the_zone():
    aest = "Interval start (AEST),kWh\n2024-01-10 00:00,1\n2024-01-10 00:30,2\n"
    offset = "Timestamp,kWh\n2024-01-10T01:00:00+11:00,1\n2024-01-10T01:30:00+11:00,2\n"
    for text in (aest, offset):
        [row] = read_text(text, timezone="Australia/Perth").tables["register_days"]
        assert values_of(row)[:2] == [Decimal(1), Decimal(2)]


def test_a_value_in_an_hour_that_never_was_shows_that_the_clock_is_aest():
    text = "Date,Time,kWh\n2024-10-06,01:30,1\n2024-10-06,02:00,2\n2024-10-06,02:30,3\n2024-10-06,03:00,4\n"
    imported = read_text(text)
    [row] = imported.tables["register_days"]
    assert values_of(row)[3:7] == [Decimal(1), Decimal(2), Decimal(3), Decimal(4)]
    assert imported.notes[0] == Note("clock_read_as_aest")


def test_one_row_a_day_with_directions_and_estimates():
    slots = ",".join(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
    text = (
        f"NMI,SERIAL,CON/GEN,DATE,ESTIMATED?,{slots}\n"
        f"6001,M1,CON,01/Jul/2024,No,{','.join(['0.1'] * 48)}\n"
        f"6001,M1,GEN,1/7/24,Yes,{','.join(['0.2'] * 48)}\n"
    )
    imported = read_text(text)
    taken, sent = imported.tables["register_days"]
    assert (taken["direction"], taken["total_nano"], taken["qualities"]) == ("import", 4_800_000_000, None)
    assert (sent["direction"], sent["total_nano"]) == ("export", 9_600_000_000)
    assert sent["qualities"] == '[[1,48,"ESTIMATED"]]'
    assert imported.notes == [Note("usage_without_unit")]


def test_red_energys_rows():
    text = (
        "Nmi,Read Type,Meter,Register,Date,Interval,Start,End,Value,UOM\n"
        "6001,Interval,M1,E1,01/07/2024,1,00:00,00:30,100,WH\n"
        "6001,Interval,M1,B1,01/07/2024,48,23:30,00:00,200,WH\n"
    )
    e1, b1 = read_text(text).tables["register_days"]
    assert (e1["register_suffix"], e1["direction"], values_of(e1)[0]) == ("E1", "import", Decimal("0.1"))
    assert (b1["register_suffix"], b1["direction"], values_of(b1)[47]) == ("B1", "export", Decimal("0.2"))
    assert (e1["unit"], e1["meter_id"], e1["service_point_id"]) == ("KWH", "M1", "6001")


def test_agls_rows_end_with_the_last_minute():
    text = (
        "AccountNumber,NMI,DeviceNumber,DeviceType,RegisterCode,RateTypeDescription,StartDate,EndDate,"
        "ProfileReadValue,RegisterReadValue,QualityFlag\n"
        "1,6001,D1,COMMS4D,29641#E1,Usage,1/07/2024 12:00:00 AM,1/07/2024 12:29:59 AM,0.1,0,A\n"
        "1,6001,D1,COMMS4D,29641#E1,Usage,1/07/2024 12:30:00 AM,1/07/2024 12:59:59 AM,0.2,0,S\n"
    )
    [row] = read_text(text).tables["register_days"]
    assert (row["register_suffix"], row["interval_minutes"]) == ("E1", 30)
    assert values_of(row)[:2] == [Decimal("0.1"), Decimal("0.2")]
    assert row["qualities"] == '[[2,2,"SUBSTITUTE"],[3,48,"MISSING"]]'


def test_columns_of_import_export_and_controlled_load():
    text = "Start,Usage (kWh),Controlled load (kWh),Solar export (kWh),Net (kWh)\n2024-07-01 00:00,1,2,3,0\n"
    rows = read_text(text).tables["register_days"]
    found = [(row["register_suffix"], row["direction"], row["controlled_load"], row["total_nano"]) for row in rows]
    assert found == [
        ("IMPORT", "import", False, 10**9),
        ("CONTROLLED", "import", True, 2 * 10**9),
        ("EXPORT", "export", False, 3 * 10**9),
    ]


@pytest.mark.parametrize(("unit", "nano"), [("kWh", 10**9), ("Wh", 10**6), ("MWh", 10**12)])
def test_the_unit_is_in_the_header(unit, nano):
    [row] = read_text(f"Start,Usage ({unit})\n2024-07-01 00:00,1\n2024-07-01 00:30,\n").tables["register_days"]
    assert (row["total_nano"], row["unit"]) == (nano, "KWH")


def test_gas_by_the_day():
    imported = read_text("MIRN,Date,Usage (MJ)\n5201234567,01/07/2024,30.5\n5201234567,02/07/2024,31\n")
    first, second = imported.tables["meter_reads"]
    assert (first["start_date"], first["end_date"]) == (date(2024, 7, 1), date(2024, 7, 1))
    assert (first["value_nano"], second["unit"], imported.counts) == (30_500_000_000, "MJ", "meter_reads")
    assert imported.tables["service_points"][0]["fuel"] == "GAS"


def test_what_a_table_marks_as_missing_is_no_reading_of_0():
    text = "Start,kWh,Quality\n2024-07-01 00:00,1,A\n2024-07-01 00:30,0,Missing\n2024-07-01 01:00,0,Null\n"
    [row] = read_text(text).tables["register_days"]
    assert (row["present"], row["qualities"]) == (1, '[[2,48,"MISSING"]]')


def test_a_quality_that_is_not_known_is_noted_once_with_its_count():
    words = ["Good", "A", "good", "False", "Estimated", "Actual read", "", "N", "F14"]
    rows = "".join(f"2024-07-01 {number // 2:02}:{number % 2 * 30:02},1,{word}\n" for number, word in enumerate(words))
    imported = read_text(f"NMI,Start,kWh,Quality\n{rows.replace('2024', '6001,2024')}")
    [row] = imported.tables["register_days"]
    assert row["qualities"] == '[[5,5,"ESTIMATED"],[9,9,"FINAL_SUBSTITUTE"],[10,48,"MISSING"]]'
    assert imported.notes == [
        Note("read_quality_unknown", quality="false", count=1),
        Note("read_quality_unknown", quality="good", count=2),
    ]


def test_hours_of_a_half_hour_zone_are_cut_to_the_grid_and_sum_up():
    text = "Start,kWh\n2024-07-01 00:00,0.000000001\n2024-07-01 01:00,2\n"
    rows = read_text(text, timezone="Australia/Adelaide").tables["register_days"]
    assert {row["interval_minutes"] for row in rows} == {30}
    assert sum(row["total_nano"] for row in rows) == 2_000_000_001


@pytest.mark.parametrize(
    "bad",
    [
        "31/02/2024 00:00,1",
        "01/07/2024 25:00,1",
        "01/07/2024 00:00,x",
        "01/07/2024 00:00,-1",
        "01/07/2024 00:00,1,234.5",
    ],
)
def test_a_usage_row_that_cannot_be_true_is_left_out_by_line(bad):
    imported = read_text(f"Start,kWh\n{bad}\n01/07/2024 00:30,2\n")
    assert sum(row["total_nano"] for row in imported.tables["register_days"]) == 2 * 10**9
    assert (imported.rejected, said(imported)) == (1, [("file.csv:2", "rejected")])


def test_a_table_that_ends_with_its_header_says_that_it_holds_no_energy():
    imported = read_text("NMI,Register,Start,Usage (kWh)\n")
    assert not imported.tables["register_days"]
    assert [problem.where for problem in imported.problems] == ["file.csv:1"]


def test_a_meter_day_of_two_files_is_filled_up():
    text = table("2024-01-10", 2, "Australia/Sydney").splitlines(keepends=True)
    whole = read_text("".join(text)).tables["register_days"]
    first = read_text("".join(text[:49])).tables["register_days"]
    second = read_text("".join([text[0], *text[49:]])).tables["register_days"]
    shared, differing = merged(first[-1], second[0])
    assert (shared, differing) == (whole[1], 0)
    assert merged(shared, second[0]) == (shared, 0)


# ---- Green Button


def espi(readings: str, *, flow: int = 1, multiplier: int = 0, uom: int = 72) -> str:
    base = "https://example.test/espi/1_1/resource"
    reading = f"{base}/RetailCustomer/4/UsagePoint/1/MeterReading/01"
    return f"""<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <entry><link rel="self" href="{reading}"/><link rel="related" href="{base}/ReadingType/07"/>
    <content><MeterReading xmlns="http://naesb.org/espi"/></content></entry>
  <entry><link rel="self" href="{base}/ReadingType/07"/><content><ReadingType xmlns="http://naesb.org/espi">
    <flowDirection>{flow}</flowDirection><powerOfTenMultiplier>{multiplier}</powerOfTenMultiplier><uom>{uom}</uom>
  </ReadingType></content></entry>
  <entry><link rel="self" href="{reading}/IntervalBlock/1"/><content>
    <IntervalBlock xmlns="http://naesb.org/espi">{readings}</IntervalBlock></content></entry>
</feed>"""


def interval(start: str, seconds: int, value: object, quality: str = "") -> str:
    epoch = int(datetime.fromisoformat(start).timestamp())
    return (
        f"<IntervalReading>{quality}<timePeriod><duration>{seconds}</duration><start>{epoch}</start></timePeriod>"
        f"<value>{value}</value></IntervalReading>"
    )


def test_hours_of_green_button():
    quality = "<ReadingQuality><quality>8</quality></ReadingQuality>"
    text = espi(interval("2024-07-01T00:00+10:00", 3600, 450) + interval("2024-07-01T01:00+10:00", 3600, 50, quality))
    imported = read_text(text, name="usage.xml")
    [row] = imported.tables["register_days"]
    assert (row["service_point_id"], row["register_suffix"]) == ("RetailCustomer/4/UsagePoint/1", "01")
    assert (row["date"], row["interval_minutes"], row["present"]) == (date(2024, 7, 1), 60, 2)
    assert (row["total_nano"], row["unit"], row["direction"]) == (500_000_000, "KWH", "import")
    assert row["qualities"] == '[[2,2,"ESTIMATED"],[3,24,"MISSING"]]'
    assert imported.counts_reads


def test_days_of_green_button_and_its_scale():
    text = espi(interval("2024-07-01T00:00+10:00", 86400, 12), flow=19, multiplier=3)
    imported = read_text(text)
    [row] = imported.tables["meter_reads"]
    assert (row["start_date"], row["end_date"]) == (date(2024, 7, 1), date(2024, 7, 1))
    assert (row["value_nano"], row["direction"], imported.counts) == (12 * 10**9, "export", "meter_reads")


def test_a_green_button_reading_that_cannot_be_true_is_left_out():
    good = interval("2024-07-01T00:00+10:00", 3600, 450)
    imported = read_text(espi(good + interval("2024-07-01T01:00+10:00", 3600, "x") + "<IntervalReading/>"))
    assert (len(imported.tables["register_days"]), imported.rejected) == (1, 2)


def test_a_green_button_reading_given_twice_is_told():
    first, again = (interval("2024-07-01T00:00+10:00", 3600, value) for value in (450, 460))
    imported = read_text(espi(first + again))
    [row] = imported.tables["register_days"]
    assert (row["total_nano"], [severity for _, severity in said(imported)]) == (460_000_000, ["warning"])


def test_a_line_that_is_no_dial_reading_is_told():
    imported = dials(dial(), "300,20240701,1,2,3,A,,,,\n", "hello\n", "550,N,,,\n")
    assert len(imported.tables["meter_reads"]) == 1
    assert said(imported) == [("file.csv:3", "warning"), ("file.csv:4", "warning")]


def test_intervals_that_are_only_numbered():
    rows = "".join(f"6001,E1,01/07/2024,{number},0.5\n" for number in range(1, 49))
    imported = read_text(f"NMI,Register,Date,Interval,Value (kWh)\n{rows}6001,E1,01/07/2024,289,1\n")
    [row] = imported.tables["register_days"]
    assert (row["interval_minutes"], row["present"], row["total_nano"]) == (30, 48, 24 * 10**9)
    assert said(imported) == [("file.csv:50", "rejected")]


def test_registers_with_names_of_their_own_stay_apart():
    text = "NMI,Register,Start,kWh\n6001,001,2024-07-01 00:00,1\n6001,002,2024-07-01 00:00,2\n"
    found = read_text(text).tables["register_days"]
    assert [(row["register_suffix"], row["total_nano"]) for row in found] == [("001", 10**9), ("002", 2 * 10**9)]
