"""Exports of inverters: layouts, units, counters, dates; and research tables with gross generation."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.problems import places
from toolkit.errors import ImportFailedError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.read import read_source
from toolkit.importers.source import Source


def read(text: str, **options) -> Imported:
    return read_source(Source("file.csv", text.encode()), Options(**options))


def days(imported: Imported) -> dict[str, Decimal]:
    """kWh of each day, of intervals or of daily rows."""
    found = {str(row["date"]): Decimal(row["total_nano"]) / 10**9 for row in imported.tables["register_days"]}
    daily = {
        str(row["start_date"]): Decimal(row["value_nano"]) / 10**9 for row in imported.tables.get("meter_reads", ())
    }
    return found | daily


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Time,System Production (W)\n15/01/2025 10:00,1200\n15/01/2025 10:15,1400\n15/01/2025 10:30,\n",
            {"2025-01-15": Decimal("0.65")},  # a quarter of an hour at 1.2 kW, and one at 1.4 kW
            id="SolarEdge, power",
        ),
        pytest.param(
            "Time,System Production (Wh)\n13/01/2025,25000\n14/01/2025,26500\n",
            {"2025-01-13": Decimal(25), "2025-01-14": Decimal("26.5")},
            id="SolarEdge, days",
        ),
        pytest.param(
            "Date/Time,Energy Produced (Wh),Energy Consumed (Wh),Exported to Grid (Wh),Imported from Grid (Wh)\n"
            "13/07/2025 10:00,300,100,200,0\n13/07/2025 10:15,310,100,210,0\nTotal,610,200,410,0\n",
            {"2025-07-13": Decimal("0.61")},
            id="Enphase, with what is not generation",
        ),
        pytest.param(
            "Date/Time,Energy Produced (Wh)\n2025-07-29 00:00:00 +1000,29560\n2025-07-30 00:00:00 +1000,9468\n",
            {"2025-07-29": Decimal("29.56"), "2025-07-30": Decimal("9.468")},
            id="Enphase, days with an offset",
        ),
        pytest.param(
            "Date and time,Energy | Symo 5.0-3-M (1),Energy | Symo 3.0-3-M (2)\n[dd.MM.yyyy HH:mm],[Wh],[Wh]\n"
            "15.01.2025 10:00,120.5,60\n15.01.2025 10:05,122,60\n",
            {"2025-01-15": Decimal("0.3625")},
            id="Fronius, two inverters",
        ),
        pytest.param(
            "Date and time;PV production\n[dd.MM.yyyy];[kWh]\n15.01.2025;12,5\n16.01.2025;13,25\n",
            {"2025-01-15": Decimal("12.5"), "2025-01-16": Decimal("13.25")},
            id="Fronius, semicolons and decimal commas",
        ),
        pytest.param(
            "Time,PV Power(kW),Load Power(kW),Grid Power(kW)\n"
            "2025-01-15 10:00:00,1.5,0.4,-1.1\n2025-01-15 10:05:00,1.8,0.4,-1.4\n",
            {"2025-01-15": Decimal("0.275")},
            id="Sigenergy, power",
        ),
        pytest.param(
            "Date,Generation (kWh)\n15/01/2025,12.5\n16/01/2025,-0.02\n",
            {"2025-01-15": Decimal("12.5"), "2025-01-16": Decimal(0)},
            id="any table, with the inverter's own use",
        ),
        pytest.param(
            "Date,Generated,Efficiency,Exported,Peak Power,Peak Time\n"
            "15/01/25,22.112kWh,3.35kWh/kW,11.2kWh,4.2kW,12:05PM\n16/01/25,8.5kWh,1.3kWh/kW,2kWh,4.1kW,1:10PM\n",
            {"2025-01-15": Decimal("22.112"), "2025-01-16": Decimal("8.5")},
            id="PVOutput, units in the cells",
        ),
        pytest.param(
            "Date,Energy Produced (Wh)\n01/13/2025,1000\n01/14/2025,2000\n",
            {"2025-01-13": Decimal(1), "2025-01-14": Decimal(2)},
            id="month first",
        ),
    ],
)
def test_generation_by_layout(text: str, expected: dict[str, Decimal]) -> None:
    imported = read(text)
    assert imported.kind == "inverter"
    assert days(imported) == expected
    assert {row["direction"] for row in imported.tables["registers"]} == {"generation"}
    assert imported.problems == []


def test_any_table_of_times_and_power_that_is_named_as_an_inverters() -> None:
    """3 kW from 10:00 to 10:30. By itself the table may as well be of what a home uses."""
    text = "time;power W\n2025-01-15T10:00:00;3000\n2025-01-15T10:10:00;3000\n2025-01-15T10:20:00;3000\n"
    assert days(read(text, kind="inverter")) == {"2025-01-15": Decimal("1.5")}
    with pytest.raises(ImportFailedError):
        read(text)
    with pytest.raises(ImportFailedError):
        read("time;power W;grid W;heater W\n2025-01-15T10:00:00;2000;10;20\n", kind="inverter")


def test_counter_of_the_day_is_read_by_its_steps() -> None:
    """Sungrow counts up from 0 at dawn: 0.2 kWh each 5 minutes from 8:00 to 16:00, on two days."""
    times = [(hour, minute) for hour in range(6, 18) for minute in range(0, 60, 5)]
    rows = [
        f"2025-01-{day} {hour:02}:{minute:02},{0.2 * min(96, max(0, (hour - 8) * 12 + minute // 5)):.1f}"
        for day in (15, 16)
        for hour, minute in times
    ]
    imported = read("\n".join(["Time,Daily Yield(kWh)", *rows, ""]))
    assert days(imported) == {"2025-01-15": Decimal("19.2"), "2025-01-16": Decimal("19.2")}


def test_rows_that_are_not_values_are_rejected_by_line() -> None:
    imported = read("Date,Generation (kWh)\n15/01/2025,12.5\n31/02/2025,1\n16/01/2025,much\n")
    assert days(imported) == {"2025-01-15": Decimal("12.5")}
    assert places(imported.problems) == [("file.csv:3", "rejected"), ("file.csv:4", "rejected")]


def test_power_once_a_day_is_refused_and_a_wrong_unit_is_warned_of() -> None:
    with pytest.raises(ImportFailedError):
        read("Date,PV Power(kW)\n15/01/2025,12.5\n16/01/2025,13\n")
    [problem] = read("Date,Generation (kWh)\n15/01/2025,12500\n16/01/2025,13000\n").problems
    assert problem.severity == "warning"


def test_a_table_with_a_meter_number_is_of_a_meter() -> None:
    imported = read("NMI,Date,Start,Usage (kWh),Generation (kWh)\n4103,15/01/2025,10:00,0.1,0.7\n")
    assert imported.kind == "usage-csv"
    found = {row["register_suffix"]: row["direction"] for row in imported.tables["registers"]}
    assert found == {"IMPORT": "import", "GENERATION": "generation"}


def test_smart_grid_smart_city_has_gross_and_net_generation() -> None:
    header = (
        "CUSTOMER_ID, READING_DATETIME, CALENDAR_KEY, EVENT_KEY, GENERAL_SUPPLY_KWH, CONTROLLED_LOAD_KWH, "
        "GROSS_GENERATION_KWH, NET_GENERATION_KWH, OTHER_KWH\n"
    )
    imported = read(header + "10006414,2013-06-01 12:00:00,1,2,0.3,0.1,0.5,0.2,0\n")
    rows = {row["direction"] + "+" * row["controlled_load"]: row for row in imported.tables["register_days"][:4]}
    assert {name: row["total_nano"] for name, row in rows.items()} == {
        "import": 300_000_000,
        "import+": 100_000_000,
        "generation": 500_000_000,
        "export": 200_000_000,
    }
    assert {row["service_point_id"] for row in rows.values()} == {"10006414"}


def test_ausgrid_solar_homes_have_gross_generation() -> None:
    times = [f"{(number // 2) % 24}:{'30' if number % 2 else '00'}" for number in range(1, 49)]
    header = ",".join(["Customer", "Generator Capacity", "Postcode", "Consumption Category", "date", *times])
    values = {"GC": "0.2", "CL": "0.1", "GG": "0.3"}
    rows = [f"1,3.78,2076,{name},1/07/2012,{','.join([value] * 48)}," for name, value in values.items()]
    imported = read("\n".join(['"2012-2013 Solar home electricity data"', f"{header},Row Quality", *rows, ""]))
    found = {(row["direction"], row["controlled_load"]): row["total_nano"] for row in imported.tables["register_days"]}
    assert found == {
        ("import", False): 9_600_000_000,
        ("import", True): 4_800_000_000,
        ("generation", False): 14_400_000_000,
    }


def test_times_given_again_with_another_value_are_named() -> None:
    """The row of 10:15 comes twice: 1.0 and 2.0 kWh. That of 10:00 is only repeated."""
    head, rows = "Time,PV Energy(kWh)", "15/01/2025 10:00,0.5\n15/01/2025 10:15,1.0\n"
    imported = read(f"{head}\n{rows}15/01/2025 10:00,0.5\n15/01/2025 10:15,2.0\n")
    assert days(imported) == {"2025-01-15": Decimal("2.5")}
    assert places(imported.problems) == [("file.csv:5", "warning")]


def test_a_file_without_rows_says_so() -> None:
    imported = read("Time,System Production (Wh)\n")
    assert not imported.tables["register_days"]
    assert places(imported.problems) == [("file.csv:1", "warning")]


def test_a_morning_at_the_end_of_a_file_of_intervals_makes_no_counter_of_it() -> None:
    """Two days that rise and fall again, and one that was exported at noon."""
    by_hour = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0]  # from 6:00 to 18:00
    rows = [f"{day}/01/2025 {6 + hour:02}:00,{kwh}\n" for day in (13, 14) for hour, kwh in enumerate(by_hour)]
    rows += [f"15/01/2025 {4 + hour:02}:00,{kwh}\n" for hour, kwh in enumerate([0, 0, 0, 1, 2, 3, 4, 5, 6])]
    imported = read("Time,System Production (kWh)\n" + "".join(rows), timezone="Australia/Brisbane")
    assert days(imported) == {"2025-01-13": 36, "2025-01-14": 36, "2025-01-15": 21}


WIDE = ",".join(f"{slot // 2:02}:{30 * (slot % 2):02}" for slot in range(48))
DAYS_OF_A_TABLE = "".join(f"4103000001,{day:02}/03/2025,{','.join(['0.25'] * 48)}\n" for day in range(1, 5))
HALF_HOURS = "".join(f"01/03/2025 {slot // 2:02}:{30 * (slot % 2):02},125.5\n" for slot in range(48))


@pytest.mark.parametrize(
    ("whole", "lost"),
    [
        pytest.param(f"NMI,Date,{WIDE}\n{DAYS_OF_A_TABLE}", 100, id="a row a day, within its values"),
        pytest.param(f"NMI,Date,{WIDE}\n{DAYS_OF_A_TABLE}", 2, id="a row a day, within its last value"),
        pytest.param(f"Time,System Production (Wh)\n{HALF_HOURS}", 8, id="an inverter's file, within a time"),
        pytest.param(f"Time,System Production (Wh)\n{HALF_HOURS}", 3, id="an inverter's file, within a value"),
    ],
)
def test_a_table_that_breaks_off_is_warned_of(whole: str, lost: int) -> None:
    """A last row without its line end is usual, and says nothing."""
    assert read(whole).problems == read(whole.rstrip("\n")).problems == []
    rows = whole.count("\n")
    assert (f"file.csv:{rows}", "warning") in places(read(whole[:-lost]).problems)


def test_a_row_of_totals_at_the_end_of_a_file_is_not_taken_for_one_that_breaks_off() -> None:
    rows = "Date/Time,Energy Produced (Wh),Energy Consumed (Wh)\n13/07/2025 10:00,300,100\n13/07/2025 10:15,310,100\n"
    assert read(f"{rows}Total,610").problems == []
