"""One import, one account or one service point taken back alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.flows.sync.written import WrittenService, purchase, register_day
from tests.json_answers import allow_again, forget, sync
from tests.problems import names
from toolkit.errors import ChoiceRequiredError, ConsentRequiredError, NothingStoredError
from toolkit.flows.data.backup import backup
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.store import open_store

BANK = "Date,Description,Amount\n2026-03-01,{word} SHOP,-4.50\n2026-03-02,{word} CAFE,-3.00\n"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "data" / "home.db", date(2026, 3, 15))


def ids(ctx: Context, table: str) -> list[str]:
    with open_store(ctx.db) as store:
        assert store.damage() == []
        return [row["id"] for row in store.rows(table)]


def holding(folder: Path, word: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def test_an_import_goes_and_may_be_imported_again(ctx: Context, tmp_path: Path) -> None:
    for name, word in (("first.csv", "SENTINEL"), ("second.csv", "OTHER")):
        (tmp_path / name).write_text(BANK.format(word=word))
        load(ctx, [tmp_path / name], account=name.removesuffix(".csv"))
    backup(ctx)
    kept = set(ids(ctx, "transactions"))
    answer = forget(ctx, file="first.csv")
    assert answer["deleted"]["transactions"] == 2
    assert (answer["deleted"]["files"], answer["deleted"]["accounts"], answer["left"]) == (1, 1, [])
    assert holding(ctx.db.parent, "SENTINEL") == []
    with open_store(ctx.db) as store:
        assert {row["description"] for row in store.rows("transactions")} == {"OTHER SHOP", "OTHER CAFE"}
        assert sum(row["count"] for row in store.rows("spending_months")) == 2
    assert load(ctx, [tmp_path / "first.csv"], account="first").files[0].added == 2
    assert set(ids(ctx, "transactions")) == kept


def put(ctx: Context, folder: Path, name: str, text: str) -> dict[str, Any]:
    (folder / name).write_text(text)
    [report] = load(ctx, [folder / name]).files
    return report


def words(ctx: Context) -> list[str]:
    with open_store(ctx.db) as store:
        assert store.damage() == []
        return sorted(row["description"] for row in store.rows("transactions"))


JUNE = "30/06/2026,-5.00,COFFEE,95.00\n30/06/2026,-5.00,COFFEE,100.00\n"
JULY = "01/07/2026,-7.00,LUNCH,88.00\n" + JUNE


@pytest.mark.parametrize(("gone", "left"), [("june.csv", ["COFFEE", "COFFEE", "LUNCH"]), ("july.csv", ["COFFEE"] * 2)])
def test_rows_that_another_file_gave_too_stay_as_that_files(
    ctx: Context, tmp_path: Path, gone: str, left: list[str]
) -> None:
    put(ctx, tmp_path, "june.csv", JUNE)
    put(ctx, tmp_path, "july.csv", JULY)
    answer = forget(ctx, file=gone)
    assert (words(ctx), answer["lost_with_it"]) == (left, [])
    other = "july.csv" if gone == "june.csv" else "june.csv"
    assert forget(ctx, file=other)["deleted"]["transactions"] == len(left)
    assert words(ctx) == []
    with open_store(ctx.db) as store:
        assert (store.count("claims"), store.count("accounts")) == (0, 0)


rows_of_files = st.lists(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=5), min_size=2, max_size=4)


@given(rows_of_files, st.data())
@settings(max_examples=15)
def test_what_is_left_is_what_the_other_files_alone_would_have_brought(
    files: list[list[str]], data: st.DataObject
) -> None:
    """Each file has a note of its own, so that no two are the same file."""
    texts = [
        "".join(f"30/06/2026,-5.00,{word},\n" for word in words) + f"01/07/2026,-1.00,NOTE {number},\n"
        for number, words in enumerate(files)
    ]
    gone = data.draw(st.permutations(range(len(files))))[: data.draw(st.integers(1, len(files)))]
    with TemporaryDirectory() as folder:
        all_of_them, the_rest = (Context(Path(folder) / name, date(2026, 8, 1)) for name in ("a.db", "b.db"))
        for number, text in enumerate(texts):
            put(all_of_them, Path(folder), f"{number}.csv", text)
            if number not in gone:
                put(the_rest, Path(folder), f"{number}.csv", text)
        for number in gone:
            assert forget(all_of_them, file=f"{number}.csv")["lost_with_it"] == []
        left = words(the_rest) if the_rest.db.exists() else []
        assert words(all_of_them) == left


NEM12 = "100,NEM12,202602020000,MDP,RET\n200,6001234567,E1,1,E1,N1,M1,kWh,480,\n{days}900\n"


def nem12(*days: str) -> str:
    return NEM12.format(days="".join(f"300,{day}\n" for day in days))


def reads(ctx: Context) -> dict[int, int]:
    """Day of the month → sum of the values."""
    with open_store(ctx.db) as store:
        return {row["date"].day: row["total_nano"] // 10**9 for row in store.rows("register_days")}


def test_without_a_file_that_replaced_meter_days_they_are_as_the_earlier_file_gave_them(
    ctx: Context, tmp_path: Path
) -> None:
    put(ctx, tmp_path, "first.csv", nem12("20260101,1,1,1,A,,,,", "20260102,2,2,2,A,,,,"))
    put(ctx, tmp_path, "second.csv", nem12("20260101,1,1,1,A,,,,", "20260102,9,9,9,A,,,,", "20260103,4,4,4,A,,,,"))
    assert reads(ctx) == {1: 3, 2: 27, 3: 12}
    answer = forget(ctx, file="second.csv")
    assert (answer["lost_with_it"], answer["deleted"]["register_days"]) == ([], 1)
    assert reads(ctx) == {1: 3, 2: 6}
    assert forget(ctx, file="first.csv")["deleted"]["register_days"] == 2
    assert rows_left(ctx) == {"register_days": 0, "claims": 0, "service_points": 0, "registers": 0}


def rows_left(ctx: Context) -> dict[str, int]:
    with open_store(ctx.db) as store:
        return {name: store.count(name) for name in ("register_days", "claims", "service_points", "registers")}


def test_an_older_read_that_did_not_count_counts_when_the_newer_goes(ctx: Context, tmp_path: Path) -> None:
    put(ctx, tmp_path, "newer.csv", nem12("20260101,2,2,2,A,,,20260105000000,"))
    put(ctx, tmp_path, "older.csv", nem12("20260101,1,1,1,A,,,20260103000000,"))
    assert reads(ctx) == {1: 6}
    answer = forget(ctx, file="newer.csv")
    assert (answer["lost_with_it"], answer["deleted"].get("register_days")) == ([], None)
    assert reads(ctx) == {1: 3}
    assert holding(ctx.db.parent, "20260105000000") == []


def local_day(day: int, value: int) -> str:
    times = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30)]
    return "Start,kWh\n" + "".join(f"2026-01-{day} {time},{value}\n" for time in times)


@pytest.mark.parametrize(("gone", "left"), [("a.csv", {10: 4, 11: 92}), ("b.csv", {9: 2, 10: 46})])
def test_of_a_day_that_two_files_filled_each_keeps_its_part(
    ctx: Context, tmp_path: Path, gone: str, left: dict[int, int]
) -> None:
    """Midnight in Sydney's summer is 23:00 in meter time, so both files give some of the tenth."""
    put(ctx, tmp_path, "a.csv", local_day(10, 1))
    put(ctx, tmp_path, "b.csv", local_day(11, 2))
    assert reads(ctx) == {9: 2, 10: 46 + 4, 11: 92}
    assert forget(ctx, file=gone)["lost_with_it"] == []
    assert reads(ctx) == left


def test_the_register_of_a_day_that_is_given_back_is_controlled_load_as_it_was_said_last(
    ctx: Context, tmp_path: Path
) -> None:
    put(ctx, tmp_path, "first.csv", nem12("20260101,1,1,1,A,,,,"))
    (tmp_path / "second.csv").write_text(nem12("20260101,9,9,9,A,,,,"))
    load(ctx, [tmp_path / "second.csv"], controlled_load=["E1"])
    forget(ctx, file="second.csv")
    with open_store(ctx.db) as store:
        [row] = store.rows("register_days")
    assert (row["total_nano"], row["controlled_load"]) == (3 * 10**9, True)


imports = st.lists(st.sampled_from("abc"), max_size=3).flatmap(lambda more: st.permutations([*"abc", *more]))
"""Each of the files once, some of them again."""
forgotten = st.permutations("abc").flatmap(lambda names: st.integers(1, 2).map(lambda count: names[:count]))


def assert_forgetting_equals_never_importing(texts: dict[str, str], order: list[str], gone: list[str]) -> None:
    """Without some of the files the store is as if only the others had been imported, in the same order."""
    with TemporaryDirectory() as folder:
        everything, the_rest = (Context(Path(folder) / name, date(2026, 7, 15)) for name in ("a.db", "b.db"))
        for name in order:
            put(everything, Path(folder), name, texts[name] + "\n" * ord(name))
            if name not in gone:
                put(the_rest, Path(folder), name, texts[name] + "\n" * ord(name))
        for name in gone:
            before = len(stored_days(everything))
            answer = forget(everything, file=name)
            assert answer["lost_with_it"] == []
            assert answer["deleted"].get("register_days", 0) == before - len(stored_days(everything))
        assert stored_days(everything) == stored_days(the_rest)
        for name in [*order, *gone]:
            for ctx in (everything, the_rest):
                put(ctx, Path(folder), name, texts[name] + "\n" * ord(name))
        assert stored_days(everything) == stored_days(the_rest)


def stored_days(ctx: Context) -> list[tuple[Any, ...]]:
    """Register-days: date, values, qualities, sum and number of values."""
    columns = ("date", "interval_minutes", "reads", "exponent", "qualities", "total_nano", "present", "updated_at")
    with open_store(ctx.db) as store:
        assert store.damage() == []
        return store.tuples("register_days", columns)


meter_file = st.dictionaries(
    st.integers(1, 2), st.tuples(st.integers(1, 2), st.integers(1, 2), st.sampled_from("AEN")), min_size=1
)
"""Day of the month → value of its three reads, day of the month on which it was updated, and quality."""


@given(st.tuples(meter_file, meter_file, meter_file), imports, forgotten)
@example(({1: (1, 1, "A")}, {1: (1, 1, "A"), 2: (1, 1, "A")}, {1: (2, 2, "A")}), ["a", "b", "c"], ["c"])
@example(({1: (1, 2, "A")}, {1: (1, 2, "A")}, {1: (2, 2, "A")}), ["a", "b", "c", "a"], ["a"])
@settings(max_examples=30)
def test_meter_days_are_as_if_a_forgotten_file_had_never_been_imported(
    files: tuple[dict[int, tuple[int, int, str]], ...], order: list[str], gone: list[str]
) -> None:
    texts = [
        nem12(*(f"202601{d:02},{v},{v},{v},{q},,,202602{u:02}000000," for d, (v, u, q) in days.items()))
        for days in files
    ]
    assert_forgetting_equals_never_importing(dict(zip("abc", texts, strict=True)), order, gone)


part_file = st.dictionaries(st.integers(0, 3), st.integers(1, 2), min_size=1)
"""Quarter of the day → value of each of its half-hours."""


def quarters(given: dict[int, int]) -> str:
    times = [(hour, minute) for hour in range(24) for minute in (0, 30) if hour // 6 in given]
    return "Start,kWh\n" + "".join(f"2026-06-10 {h:02}:{m:02},{given[h // 6]}\n" for h, m in times)


@given(st.tuples(part_file, part_file, part_file), imports, forgotten)
@example(({0: 2}, {0: 1}, {0: 2, 1: 1}), ["c", "b", "a", "c"], ["c"])
@example(({0: 1}, {0: 1}, {1: 2}), ["a", "b", "c"], ["c"])
@example(({0: 1}, {1: 2}, {2: 1}), ["a", "b", "a", "c"], ["a"])
@settings(max_examples=30)
def test_parts_of_a_day_are_as_if_a_forgotten_file_had_never_been_imported(
    files: tuple[dict[int, int], ...], order: list[str], gone: list[str]
) -> None:
    """In winter Sydney's day is the meter's own, and its quarters are twelve half-hours each."""
    texts = dict(zip("abc", map(quarters, files), strict=True))
    assert_forgetting_equals_never_importing(texts, order, gone)


NEM13 = (
    "100,NEM13,202407020000,MDP,RET\n"
    "250,6001234567,11,1,11,11,M1,E,000021.2,20240331000000,A,,,{now},20240701000000,{quality},,,{used},kWh,,20240702000000,\n"
    "900\n"
)


def test_reads_between_two_dates_are_as_the_other_file_gave_them(ctx: Context, tmp_path: Path) -> None:
    put(ctx, tmp_path, "estimated.csv", NEM13.format(now="000321.2", used="300", quality="E64"))
    put(ctx, tmp_path, "actual.csv", NEM13.format(now="000331.2", used="310", quality="A"))
    assert accumulated(ctx) == [(310 * 10**9, "ACTUAL")]
    assert forget(ctx, file="actual.csv")["lost_with_it"] == []
    assert accumulated(ctx) == [(300 * 10**9, "ESTIMATED")]
    assert holding(ctx.db.parent, "331.2") == []


def accumulated(ctx: Context) -> list[tuple[Any, ...]]:
    with open_store(ctx.db) as store:
        return store.tuples("meter_reads", ("value_nano", "quality"))


def test_a_quarter_that_only_the_forgotten_file_gave_goes(ctx: Context, tmp_path: Path) -> None:
    """Imported c, b, a, c; without c the first quarter is a's, as a came after b, and the second is missing."""
    ctx = Context(ctx.db, date(2026, 8, 1))
    for name, given_quarters in {"c": {0: 2, 1: 1}, "b": {0: 1}, "a": {0: 2}}.items():
        put(ctx, tmp_path, name, quarters(given_quarters) + "\n" * ord(name))
    put(ctx, tmp_path, "c", (tmp_path / "c").read_text())
    assert stored_quarters(ctx) == {0: 2, 1: 1}
    assert forget(ctx, file="c")["lost_with_it"] == []
    assert stored_quarters(ctx) == {0: 2}
    forget(ctx, file="a")
    assert stored_quarters(ctx) == {0: 1}


def stored_quarters(ctx: Context) -> dict[int, int]:
    with open_store(ctx.db) as store:
        if not store.count("register_days"):
            return {}
        [home] = store.rows("households")
        values = store.reads(home["household_id"])["energy_nano"].to_list()
    assert len(values) == 48
    return {quarter: values[12 * quarter] // 10**9 for quarter in range(4) if values[12 * quarter] is not None}


def test_meter_days_of_which_an_earlier_release_kept_no_version_go_and_the_files_are_named(
    ctx: Context, tmp_path: Path
) -> None:
    """Earlier releases kept that another file gave the day otherwise, and not what it gave."""
    put(ctx, tmp_path, "first.csv", nem12("20260101,1,1,1,A,,,,"))
    put(ctx, tmp_path, "second.csv", nem12("20260101,2,2,2,A,,,,"))
    with open_store(ctx.db) as store:
        [first] = [row["file_id"] for row in store.rows("files") if row["name"] == "first.csv"]
        store.delete("claims", {"share": "all"})
        store.update("claims", {"sequence": None, "fills": None, "given": None}, {"file_id": first})
    assert forget(ctx, file="second.csv")["lost_with_it"] == [{"file": "first.csv", "rows": 1}]
    assert reads(ctx) == {}


def test_a_plan_that_two_files_gave_stays(ctx: Context, tmp_path: Path) -> None:
    plan = json.dumps({"planId": "P1", "electricityContract": {"tariffPeriod": []}})
    put(ctx, tmp_path, "a.json", plan)
    put(ctx, tmp_path, "b.json", plan + "\n")
    forget(ctx, file="a.json")
    with open_store(ctx.db) as store:
        assert store.count("plans") == 1
    forget(ctx, file="b.json")
    with open_store(ctx.db) as store:
        assert store.count("plans") == 0


def test_claims_name_no_account_or_meter_that_was_forgotten(ctx: Context, tmp_path: Path) -> None:
    days = ("20260101,1,1,1,A,,,,", "20260102,2,2,2,A,,,,")
    put(ctx, tmp_path, "first.csv", nem12(days[0]))
    put(ctx, tmp_path, "second.csv", nem12(*days))
    put(ctx, tmp_path, "third.csv", nem12("20260101,3,3,3,A,,,,"))
    with open_store(ctx.db) as store:
        assert store.count("claims") == 3
    forget(ctx, service_point="6001234567")
    assert holding(ctx.db.parent, "6001234567") == []


def home() -> WrittenService:
    """Two accounts and two service points under one consent."""
    service = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [
        {"platform_id": f"p{n}", "account_id": f"a{n}", "display_name": f"Account {n}", **of} for n in (1, 2)
    ]
    service.lists["energy.service_points"] = [
        {"platform_id": f"psp{n}", "service_point_id": f"sp{n}", "national_metering_id": f"410400000{n}", **of}
        for n in (1, 2)
    ]
    service.lists["banking.transactions"] = [
        purchase(n, account_id="a1" if n % 2 else "a2", description=f"{'SENTINEL' if n % 2 else 'OTHER'} {n}")
        for n in range(6)
    ]
    service.lists["banking.transactions"].append(purchase(9, "1,0,0", account_id="a1", description="SENTINEL odd"))
    service.lists["energy.usage"] = [
        register_day("2026-03-01", platform_id=f"u{n}", service_point_id=f"sp{n}") for n in (1, 2)
    ]
    return service


@pytest.mark.parametrize("called", ["a1", "Account 1"])
def test_an_account_goes_and_does_not_come_back(ctx: Context, called: str) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    answer = forget(ctx, account=called)
    assert answer["forgotten"] == {"account": "a1"}
    assert (answer["deleted"]["transactions"], answer["deleted"]["quarantine"]) == (3, 1)
    assert holding(ctx.db.parent, "SENTINEL") == []
    for full in (False, True):
        sync(ctx, service, full=full)
        assert ids(ctx, "transactions") == ["t0", "t2", "t4"]
        assert ids(ctx, "accounts") == ["p2"]
    assert ids(ctx, "service_points") == ["psp1", "psp2"]


@pytest.mark.parametrize("called", ["sp1", "4104000001"])
def test_a_service_point_goes_and_does_not_come_back(ctx: Context, called: str) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    assert forget(ctx, service_point=called)["deleted"]["register_days"] == 1
    sync(ctx, service, full=True)
    assert (ids(ctx, "service_points"), ids(ctx, "register_days")) == (["psp2"], ["u2"])
    assert len(ids(ctx, "transactions")) == 6


def contents(ctx: Context) -> dict[str, list[dict[str, Any]]]:
    with open_store(ctx.db) as store:
        names = ("accounts", "transactions", "spending_months", "service_points", "register_days")
        found = {name: store.rows(name) for name in names}
        waiting = store.rows("quarantine")
    return {**found, "quarantine": [{**row, "seen_at": None} for row in waiting]}


@pytest.mark.parametrize("asked", [{"account": "Account 1"}, {"service_point": "4104000001"}])
def test_what_is_allowed_again_comes_back_whole(ctx: Context, asked: dict[str, Any]) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    before = contents(ctx)
    answer = forget(ctx, **asked)
    sync(ctx, service)
    assert contents(ctx) != before
    (kind, identity), *_ = answer["forgotten"].items()
    assert names(answer["way_back"], f"toolkit forget --allow-again {identity}", "toolkit sync")
    assert allow_again(ctx, identity)["allowed_again"] == {kind: identity}
    sync(ctx, service)
    assert contents(ctx) == before


def test_a_consent_that_could_not_be_ended_may_be_allowed_again(ctx: Context) -> None:
    service = home()
    sync(ctx, service, end_user="eu")
    before = contents(ctx)
    forget(ctx, consent="arr")
    with pytest.raises(ConsentRequiredError):
        sync(ctx, service)
    allow_again(ctx, "arr")
    sync(ctx, service)
    assert contents(ctx) == before


def test_a_consent_allowed_again_by_one_of_its_names_is_not_forgotten_by_the_other(ctx: Context) -> None:
    sync(ctx, home(), end_user="eu")
    with open_store(ctx.db) as store:
        store.update("consents", {"consent_id": "consent-7"}, {"arrangement_id": "arr"})
    forget(ctx, consent="consent-7")
    assert sum(forget(ctx, consent="consent-7")["deleted"].values()) == 0
    allow_again(ctx, "arr")
    with pytest.raises(ChoiceRequiredError, match=r"consent .*'consent-7'"):
        forget(ctx, consent="consent-7")


def test_only_what_was_forgotten_can_be_allowed_again(ctx: Context) -> None:
    with pytest.raises(NothingStoredError):
        allow_again(ctx, "a1")
    sync(ctx, home(), end_user="eu")
    with pytest.raises(ChoiceRequiredError, match="'a1'"):
        allow_again(ctx, "a1")
    forget(ctx, account="a1")
    allow_again(ctx, "a1")
    with pytest.raises(ChoiceRequiredError, match=r"account .*'a1'"):
        forget(ctx, account="a1")


@pytest.mark.parametrize("kind", ["file", "account", "service_point"])
def test_what_is_called_so_must_be_there(ctx: Context, kind: str) -> None:
    sync(ctx, home(), end_user="eu")
    asked: Callable[..., dict[str, Any]] = forget
    with pytest.raises(ChoiceRequiredError, match=f"{kind.replace('_', ' ')} .*'nothing'"):
        asked(ctx, **{kind: "nothing"})
