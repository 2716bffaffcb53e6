"""Importing into a store: counts, later reads, pending rows, households."""

from __future__ import annotations

import gzip
import json
import zipfile
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.json_answers import forget
from tests.problems import names, places
from toolkit.answers.base import Note
from toolkit.errors import ChoiceRequiredError, ImportFailedError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.merge import merge
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import list_accounts
from toolkit.store import open_store

HEAD = "100,NEM12,202407020000,MDP,RET\n200,6001234567,E1E2,1,{suffix},N1,M1,kWh,480,\n"
NAB_HEAD = (
    "Date,Amount,Account Number,,Transaction Type,Transaction Details,Balance,Category,Merchant Name,Processed On\n"
)


def nem12(*days: str, suffix: str = "E1") -> str:
    return HEAD.format(suffix=suffix) + "".join(f"300,{day}\n" for day in days) + "900\n"


@pytest.fixture
def home(tmp_path: Path):
    return Context(db=tmp_path / "data" / "household.db", today=date(2024, 8, 1))


@pytest.fixture
def put(home, tmp_path: Path):
    """Import text, as a file of that name; the one file's report."""

    def run(text: str, name: str = "file.csv", *, household: str | None = None, **options):
        path = tmp_path / name
        path.write_text(text)
        ctx = Context(home.db, home.today, household)
        [report] = load(ctx, [path], **options).files
        return report

    return run


def counts(report) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.rejected


def stored(home, table: str, household: str | None = None) -> list[dict]:
    with open_store(home.db, create=False) as store:
        return store.rows(table, household)


def test_meter_days_are_added_and_a_second_time_unchanged(home, put):
    text = nem12("20240701,1,2,3,A,,,,", "20240702,4,5,6,A,,,,", "20240231,1,2,3,A,,,,")
    report = put(text)
    assert (report.kind, counts(report)) == ("nem12", (2, 0, 0, 1))
    [problem] = report.problems
    assert (problem.where, problem.severity) == ("file.csv:5", "rejected")
    assert counts(put(text)) == (0, 0, 2, 1)
    assert [row["name"] for row in stored(home, "households")] == ["Home"]
    assert [(row["kind"], row["name"]) for row in stored(home, "files")] == [("nem12", "file.csv")]


def test_a_day_of_several_registers_is_one_day(home, put):
    """Use and export of two days; then the second of them with one more; then the same again."""
    header = HEAD.removeprefix("100,NEM12,202407020000,MDP,RET\n")
    parts = [header.format(suffix="B1"), "300,20240701,0,1,0,A,,,,\n", "300,20240702,0,2,0,A,,,,\n", "900\n"]
    first = nem12("20240701,1,2,3,A,,,,", "20240702,4,5,6,A,,,,").removesuffix("900\n") + "".join(parts)
    report = put(first)
    assert (report.added, report.days) == (4, 2)
    later = nem12("20240702,4,5,6,A,,,,", "20240703,7,8,9,A,,,,")
    report = put(later, "later.csv")
    assert (report.added, report.unchanged, report.days) == (1, 1, 1)
    assert put(later, "later.csv").days == 0


def test_the_name_of_an_account_does_not_tell_what_others_have(home, put):
    """The same bank's export in two households, and a second account in one; its later file goes on under its name."""
    line = "30/06/2024,-5.00,FEE,95.00\n"
    put(line, "CSVData.csv", household="Smith")
    put("30/06/2024,-8.00,TEA,40.00\n", "CSVData.csv", household="Jones")
    put("30/06/2024,-9.00,JAM,70.00\n", "CSVData (1).csv", household="Jones")
    put("01/07/2024,-1.00,BUN,39.00\n", "CSVData (2).csv", household="Jones")

    def accounts(name: str) -> dict[str, int]:
        ctx = Context(home.db, home.today, name)
        return {account.name: account.transactions for account in list_accounts(ctx).accounts}

    assert [accounts("Smith"), sorted(accounts("Jones").values())] == [{"CommBank account": 1}, [1, 2]]
    assert accounts("Jones")["CommBank account"] == 2
    merge(home, "Smith", "Jones")
    assert len(accounts("Smith")) == 3


def test_a_later_update_replaces_and_an_earlier_one_does_not(home, put):
    put(nem12("20240701,1,1,1,A,,,20240703000000,"))
    later = put(nem12("20240701,2,2,2,A,,,20240705000000,"), "later.csv")
    assert (counts(later), [p.severity for p in later.problems]) == ((0, 1, 0, 0), ["warning"])
    earlier = put(nem12("20240701,3,3,3,A,,,20240704000000,"), "earlier.csv")
    assert (counts(earlier), [p.severity for p in earlier.problems]) == ((0, 0, 1, 0), ["warning"])
    [row] = stored(home, "register_days")
    assert row["total_nano"] == 6 * 10**9


def test_days_that_are_stored_with_other_values_are_named_once_for_each_register(home, put):
    days = [f"202407{number:02}" for number in range(1, 31)]
    put(nem12(*(f"{day},1,1,1,A,,,," for day in days)))
    again = put(nem12(*(f"{day},{2 if number < 20 else 1},1,1,A,,,," for number, day in enumerate(days))), "again.csv")
    assert counts(again) == (0, 20, 10, 0)
    (problem,) = again.problems
    assert problem.where == "again.csv:3"
    assert names(problem.reason, "20 days", "E1", "2024-07-01", "2024-07-20")


NEM13 = (
    "100,NEM13,202407020000,MDP,RET\n250,6001234567,11,1,11,11,M1,E,000100,20240601000000,A,,,000150,20240630000000,A,,,"
    "50,KWH,,20240701000000,20240701000000\n250,6001234567,11,1,11,11,M1,E,000150,20240701000000,A,,,000190,"
    "20240930000000,E,,,40,KWH,,20240701000000,20240701000000\n900\n"
)
GREEN_BUTTON = """<feed xmlns:espi="http://naesb.org/espi">{}</feed>""".format(
    "".join(
        f"""<entry><content><espi:IntervalBlock><espi:interval><espi:duration>86400</espi:duration>
        <espi:start>{start}</espi:start></espi:interval><espi:IntervalReading><espi:timePeriod>
        <espi:duration>86400</espi:duration><espi:start>{start}</espi:start></espi:timePeriod>
        <espi:value>5000</espi:value></espi:IntervalReading></espi:IntervalBlock></content></entry>"""
        for start in (1722434400, 1722607200, 2921925600)  # days from 1 August 2024, 3 August 2024, 4 August 2062, AEST
    )
)


@pytest.mark.parametrize(
    ("text", "kind", "kept", "left_out"),
    [
        (nem12(*(f"{day},1,1,1,A,,,," for day in (20240731, 20240802, 20240803, 20620804))), "nem12", 2, 2),
        (
            "NMI,Date,kWh\n" + "".join(f"6001234567,{day},1\n" for day in ("2024-08-02", "2024-08-03", "2062-08-04")),
            "usage-csv",
            1,
            2,
        ),
        (NEM13, "nem13", 1, 1),
        (GREEN_BUTTON, "greenbutton", 1, 2),
    ],
    ids=["nem12", "usage-csv", "nem13", "greenbutton"],
)
def test_days_that_have_not_been_yet_are_left_out_and_named(
    home, put, text: str, kind: str, kept: int, left_out: int
) -> None:
    """Of 2 August it may be in another time zone already when it is the first here."""
    report = put(text)
    assert (report.kind, *counts(report)) == (kind, kept, 0, 0, left_out)
    (problem,) = (problem for problem in report.problems if "2024-08-01" in problem.reason)
    assert problem.severity == "rejected"
    assert problem.where.startswith("file.csv:")
    days = [*stored(home, "register_days"), *stored(home, "meter_reads")]
    assert len(days) == kept
    assert max(day.get("date") or day["end_date"] for day in days) <= date(2024, 8, 2)


def test_a_file_of_nothing_but_days_to_come_is_refused_and_read_once_they_have_been(home, put) -> None:
    text = nem12("20240901,1,1,1,A,,,,", "20240902,1,1,1,A,,,,")
    with pytest.raises(ImportFailedError) as failure:
        put(text)
    assert names(str(failure.value), "2024-09-01", "2024-09-02", "2024-08-01")
    later = Context(home.db, date(2024, 9, 3))
    path = home.db.parent.parent / "file.csv"
    assert load(later, [path]).files[0].added == 2


def test_without_update_times_the_later_read_counts(home, put):
    put(nem12("20240701,1,1,1,A,,,,"))
    assert counts(put(nem12("20240701,2,2,2,A,,,,"), "b.csv")) == (0, 1, 0, 0)
    assert stored(home, "register_days")[0]["total_nano"] == 6 * 10**9


def test_controlled_load_once_named_holds_for_all_days(home, put):
    put(nem12("20240701,1,1,1,A,,,,", suffix="E2"))
    put(nem12("20240702,1,1,1,A,,,,", suffix="E2"), "b.csv", controlled_load=["E2,E3"])
    put(nem12("20240703,1,1,1,A,,,,", suffix="E2"), "c.csv")
    assert [row["controlled_load"] for row in stored(home, "register_days")] == [True, True, True]
    assert [row["controlled_load"] for row in stored(home, "registers")] == [True]


def test_a_zone_once_said_stays(home, put):
    put(nem12("20240701,1,1,1,A,,,,"))
    assert stored(home, "service_points")[0]["timezone"] is None
    put(nem12("20240701,1,1,1,A,,,,"), timezone="Australia/Perth")
    put(nem12("20240702,1,1,1,A,,,,"), "b.csv")
    assert [row["timezone"] for row in stored(home, "service_points")] == ["Australia/Perth"]
    with pytest.raises(UsageError, match="Mars/Base"):
        put("x", timezone="Mars/Base")


def test_controlled_load_said_again_is_what_was_said_last(home, put):
    both = nem12("20240701,1,2,3,A,,,,")[:-4] + nem12("20240701,4,5,6,A,,,,", suffix="E2").split("\n", 1)[1]
    put(both, controlled_load=["E1"])
    report = put(both, controlled_load=["E2"])
    assert set(report.notes) == {
        Note("register_is_not_controlled", register="E1"),
        Note("register_is_controlled", register="E2"),
    }
    for table in ("registers", "register_days"):
        flags = {row["register_suffix"]: row["controlled_load"] for row in stored(home, table)}
        assert flags == {"E1": False, "E2": True}
    put(both)
    assert {row["register_suffix"]: row["controlled_load"] for row in stored(home, "registers")} == flags


def test_overlapping_bank_exports_add_only_what_is_new(home, put):
    june = "30/06/2024,-5.00,COFFEE,95.00\n30/06/2024,-5.00,COFFEE,100.00\n"
    assert counts(put(june)) == (2, 0, 0, 0)
    assert counts(put("01/07/2024,-7.00,LUNCH,88.00\n" + june, "july.csv")) == (1, 0, 2, 0)
    assert sum(row["amount_minor"] for row in stored(home, "transactions")) == -1700


def test_the_named_account_keeps_two_accounts_apart(home, put):
    fee = "30/06/2024,-5.00,FEE,95.00\n"
    put(fee, account="Everyday")
    assert counts(put(fee + "01/07/2024,-7.00,LUNCH,88.00\n", account="Savings")) == (2, 0, 0, 0)
    assert {row["account_id"] for row in stored(home, "transactions")} == {"Everyday", "Savings"}


def test_one_file_is_not_counted_under_two_accounts(home, put):
    """It was taken as "Bank" at first, which the import tells how to say better."""
    line = "30/06/2024,-5.00,FEE,95.00\n"
    assert counts(put(line)) == (1, 0, 0, 0)
    with pytest.raises(ImportFailedError, match="toolkit forget --file"):
        put(line, account="Everyday")
    assert len(stored(home, "transactions")) == 1
    forget(home, file="file.csv")
    assert counts(put(line, account="Everyday")) == (1, 0, 0, 0)


def test_a_name_written_otherwise_is_the_same_account(home, put):
    put("30/06/2024,-5.00,FEE,95.00\n", account="Everyday  account")
    put("01/07/2024,-7.00,LUNCH,88.00\n", account=" EVERYDAY account ")
    assert {row["account_id"] for row in stored(home, "transactions")} == {"Everyday account"}


def test_pending_rows_are_those_of_the_file_that_reaches_furthest(home, put):
    old = NAB_HEAD + "01 Jul 24,-20.00,123456789,,EFTPOS,PENDING SHOP,,,,\n"
    new = NAB_HEAD + "02 Jul 24,-21.50,123456789,,EFTPOS,SHOP SYDNEY,1.00,,,02 Jul 24\n"
    put(old, "old.csv")
    put(new, "new.csv")
    assert [row["description"] for row in stored(home, "transactions")] == ["SHOP SYDNEY"]
    assert counts(put(old, "old.csv")) == (0, 0, 1, 0)
    assert [row["status"] for row in stored(home, "transactions")] == ["POSTED"]


def test_a_pending_row_that_is_booked_unchanged_is_the_same_row(home, put):
    row = "01 Jul 24,-20.00,123456789,,EFTPOS,SHOP,1.00,,,"
    put(NAB_HEAD + row + "\n")
    assert counts(put(NAB_HEAD + row + "01 Jul 24\n", "new.csv")) == (0, 1, 0, 0)
    assert [row["status"] for row in stored(home, "transactions")] == ["POSTED"]


def test_roll_ups_are_up_to_date_afterwards(home, put):
    put("30/06/2024,-5.00,COFFEE,95.00\n")
    assert len(stored(home, "rollups")) == 1
    assert sum(row["amount_minor"] for row in stored(home, "spending_months")) == -500


def test_plan_versions_are_kept_and_the_last_read_comes_last(home, put):
    cheap, dear = (
        json.dumps({"planId": "P1", "electricityContract": {"tariffPeriod": [], "terms": terms}}) + "\n"
        for terms in ("cheap", "dear")
    )
    assert counts(put(cheap + dear, "plans.json")) == (2, 0, 0, 0)
    assert counts(put(cheap + dear, "plans.json")) == (0, 0, 2, 0)
    latest = max(stored(home, "plans"), key=lambda row: row["sequence"])
    assert "dear" in latest["raw"]
    assert counts(put(cheap, "again.json")) == (0, 0, 1, 0)
    latest = max(stored(home, "plans"), key=lambda row: row["sequence"])
    assert "cheap" in latest["raw"]


def test_a_meter_day_that_two_files_share_is_filled_up(home, put):
    """Midnight of Sydney's summer is 23:00 in meter time: each local day gives two half hours to the day before."""

    def local_day(day: int) -> str:
        times = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30)]
        return "Start,kWh\n" + "".join(f"2024-01-{day} {time},1\n" for time in times)

    put(local_day(10))
    put(local_day(11), "b.csv")
    assert counts(put(local_day(10))) == (0, 0, 2, 0)
    found = {row["date"].day: (row["present"], row["total_nano"]) for row in stored(home, "register_days")}
    assert found == {9: (2, 2 * 10**9), 10: (48, 48 * 10**9), 11: (46, 46 * 10**9)}


def test_a_bad_file_never_stops_the_rest(home, tmp_path):
    folder = tmp_path / "files"
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.txt").write_text("hello")
    (folder / "b.csv").write_text("30/06/2024,-5.00,COFFEE,95.00\n")
    (folder / "deeper" / "c.csv.gz").write_bytes(gzip.compress(nem12("20240701,1,2,3,A,,,,").encode()))
    (folder / "d.zip").write_bytes(b"PK\x03\x04 broken")
    reports = load(home, [folder]).files
    assert [(Path(report.path).name, report.kind) for report in reports] == [
        ("a.txt", None),
        ("b.csv", "bank-csv"),
        ("d.zip", None),
        ("c.csv.gz", "nem12"),
    ]
    assert [len(report.problems) for report in reports] == [1, 0, 1, 0]


def test_where_nothing_can_be_read_it_fails_and_makes_no_household(home, put, tmp_path):
    with pytest.raises(ImportFailedError, match=r"file\.csv"):
        put("hello")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ImportFailedError) as empty:
        load(home, [tmp_path / "empty"])
    assert empty.value.where == str(tmp_path / "empty")
    assert stored(home, "households") == []


def test_a_new_name_makes_a_household_and_several_must_be_named(home, put):
    line = "30/06/2024,-5.00,COFFEE,95.00\n"
    put(line, household="Alice")
    put(line, household="Bob")
    put(line, household="Alice")
    names = {row["household_id"]: row["name"] for row in stored(home, "households")}
    assert sorted(names.values()) == ["Alice", "Bob"]
    assert sorted(names[row["household_id"]] for row in stored(home, "transactions")) == ["Alice", "Bob"]
    with pytest.raises(ChoiceRequiredError):
        put(line)


def test_it_says_what_it_reads(home, tmp_path):
    (tmp_path / "a.csv").write_text("30/06/2024,-5.00,COFFEE,95.00\n")
    said: list[str] = []
    load(home, [tmp_path / "a.csv"], progress=said.append)
    assert [names(line, "a.csv") for line in said] == [True]


movements = st.lists(
    st.tuples(st.integers(1, 28), st.integers(-500, 500), st.sampled_from("AB")), min_size=1, max_size=8
)


@given(movements, movements)
@settings(max_examples=10)
def test_importing_twice_adds_nothing_and_money_is_conserved(one, other):
    def text(entries) -> str:
        return "".join(f'{day:02}/07/2024,"{cents / 100:.2f}",{words},\n' for day, cents, words in entries)

    with TemporaryDirectory() as folder:
        ctx = Context(db=Path(folder) / "x.db", today=date(2024, 8, 1))
        path = Path(folder) / "export.csv"
        for entries in (one, one + other, one, one + other):
            path.write_text(text(entries))
            [last] = load(ctx, [path]).files
        assert counts(last) == (0, 0, len(one + other), 0)
        assert sum(row["amount_minor"] for row in stored(ctx, "transactions")) == sum(c for _, c, _ in one + other)


def test_a_locked_member_of_a_zip_is_named_and_the_others_go_in(home, tmp_path):
    path = tmp_path / "both.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("locked.csv", "x")
        archive.writestr("meter.csv", nem12("20240701,1,2,3,A,,,,"))
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag of the first member, and in the central directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    locked, meter = load(home, [path]).files
    assert places(locked.problems) == [(f"{path.name}/locked.csv", "rejected")]
    assert (locked.kind, meter.kind, meter.added) == (None, "nem12", 1)


def test_which_file_reaches_furthest_goes_by_the_local_day(home, put):
    """Its last row is of 14:30 UTC on 1 July: in Sydney 00:30 on 2 July, later than the stored pending row's 1 July."""
    head = "Date,Description,Amount,Status,Account\n"
    put(head + "2024-07-01,WAITING,-5.00,PENDING,12345678\n", "old.csv")
    put(head + "2024-07-01T14:30:00Z,LUNCH,-7.00,POSTED,12345678\n", "new.csv")
    assert [row["description"] for row in stored(home, "transactions")] == ["LUNCH"]
    assert counts(put(head + "2024-07-01,LATE TO THE PARTY,-6.00,PENDING,12345678\n", "older.csv")) == (0, 0, 1, 0)


# ---- a file of another household


def warnings_of(report) -> list[str]:
    return [str(problem.reason) for problem in report.problems if problem.severity == "warning"]


def test_a_file_of_another_household_is_stored_with_a_warning(home, put):
    add_home(Context(home.db, home.today), "Abernathy")
    add_home(Context(home.db, home.today), "Carrington")
    day = nem12("20240701" + ",1" * 3 + ",A,,,20240702000000,")
    next_day = nem12("20240702" + ",1" * 3 + ",A,,,20240703000000,")
    assert warnings_of(put(day, household="Abernathy")) == []
    assert warnings_of(put(day, household="Abernathy")) == []  # its own
    [same] = warnings_of(put(day, "file.csv", household="Carrington"))
    assert same == (
        "another household has this very file. If it belongs there, take it back here (`toolkit forget --file "
        "file.csv`)."
    )
    assert warnings_of(put(next_day, "next.csv", household="Carrington")) == []  # the meter is its own by now


def test_a_meter_and_an_account_of_another_household_are_warned_of(home, put):
    add_home(Context(home.db, home.today), "Abernathy")
    add_home(Context(home.db, home.today), "Carrington")
    put(nem12("20240701" + ",1" * 3 + ",A,,,20240702000000,"), household="Abernathy")
    nab = "02 Jul 24,-5.00,123456789,,DEBIT,{shop},95.00,Food,{shop},02 Jul 24\n"
    put(NAB_HEAD + nab.format(shop="CAFE ONE"), "bank.csv", household="Abernathy")
    meter = put(nem12("20240702" + ",1" * 3 + ",A,,,20240703000000,"), "m.csv", household="Carrington")
    bank = put(NAB_HEAD + nab.format(shop="CAFE TWO"), "b.csv", household="Carrington")
    assert [warning.split(". ")[0] for report in (meter, bank) for warning in warnings_of(report)] == [
        "another household has this meter",
        "another household has this account",
    ]
