"""Section 2: where the money goes, from records as the service gives them. Sums by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.contracts.served import category, pull, row

FOOD = {"category": category("FOOD_AND_DRINK", "FOOD_AND_DRINK_GROCERIES")}
PAY = {"category": category("INCOME", "INCOME_SALARY")}


def spending(run: Run, *options: object) -> dict[str, Any]:
    ended = run("spending", "--json", *options)
    assert ended.code == 0, ended.err
    return ended.json


def test_refunds_reduce_and_may_make_negative(run: Run, home: Path) -> None:
    pull(home, row(1, "-10.00", **FOOD), row(2, "25.50", **FOOD), row(3, "-1.10", category=category("TRAVEL")))
    answer = spending(run)
    assert answer["rows"] == [
        {"primary_category": "TRAVEL", "secondary_category": "TRAVEL_OTHER", "spent": "1.10", "count": 1},
        {
            "primary_category": "FOOD_AND_DRINK",
            "secondary_category": "FOOD_AND_DRINK_GROCERIES",
            "spent": "-15.50",
            "count": 2,
        },
    ]
    assert (answer["spent"], answer["income"], answer["transfers"]) == ("-14.40", "0.00", "0.00")


def test_income_is_by_category_whatever_the_sign(run: Run, home: Path) -> None:
    pull(home, row(1, "2000.00", **PAY), row(2, "-150.00", **PAY), row(3, "99.00", description="FRIEND"))
    answer = spending(run)
    assert answer["income"] == "1850.00"
    assert answer["spent"] == "-99.00"


@pytest.mark.parametrize(
    ("written", "sydney", "perth"),
    [
        ("2026-02-28T13:00:00Z", "2026-03-01", "2026-02-28"),  # midnight in Sydney, 21:00 in Perth
        ("2026-02-28T12:59:59Z", "2026-02-28", "2026-02-28"),
        ("2026-03-01T00:00:00Z", "2026-03-01", "2026-03-01"),  # a date without a time
        ("2026-03-01T00:00:00+11:00", "2026-03-01", "2026-03-01"),
        ("2026-03-01T00:00:00.000+10:00", "2026-03-01", "2026-03-01"),
        ("2026-03-01T00:00:01+11:00", "2026-03-01", "2026-02-28"),
        ("2026-03-01T02:59:59.999+11:00", "2026-03-01", "2026-02-28"),
        ("2026-03-01T00:00:00.500+10:00", "2026-03-01", "2026-02-28"),
        ("2026-02-28T15:30:00.25Z", "2026-03-01", "2026-02-28"),
    ],
)
def test_a_rows_day_is_the_local_day(run: Run, home: Path, written: str, sydney: str, perth: str) -> None:
    pull(home, row(1, "-5.00", written))
    assert run("transactions", "--json").json["transactions"][0]["date"] == sydney
    run("household", "set", "--timezone", "Australia/Perth")
    assert run("transactions", "--json").json["transactions"][0]["date"] == perth
    (by_month,) = spending(run, "--months")["rows"]
    assert by_month["month"] == perth[:7]


def test_execution_counts_before_posting_before_value(run: Run, home: Path) -> None:
    posting, value = {"posting_date_time": "2026-03-12T00:00:00Z"}, {"value_date_time": "2026-03-13T00:00:00Z"}
    pull(
        home,
        row(1, "-1.00", **posting, **value),
        row(2, "-2.00", None, **posting, **value),
        row(3, "-4.00", None, **value),
    )
    days = {entry["amount"]: entry["date"] for entry in run("transactions", "--json").json["transactions"]}
    assert days == {"-1.00": "2026-03-10", "-2.00": "2026-03-12", "-4.00": "2026-03-13"}


def test_from_and_to_are_inclusive(run: Run, home: Path) -> None:
    pull(home, *(row(day, f"-{day}.00", f"2026-03-{day:02}T00:00:00Z") for day in range(1, 6)))
    answer = spending(run, "--from", "2026-03-02", "--to", "2026-03-04")
    assert (answer["spent"], answer["from"], answer["to"]) == ("9.00", "2026-03-02", "2026-03-04")
    assert spending(run, "--from", "2026-03-05")["spent"] == "5.00"
    assert spending(run, "--to", "2026-03-01")["spent"] == "1.00"
    everything = spending(run)
    assert (everything["spent"], everything["from"], everything["to"]) == ("15.00", "2026-03-01", "2026-03-05")


def test_a_row_without_a_date_is_in_no_range_and_listed(run: Run, home: Path) -> None:
    pull(home, row(1, "-1.00"), row(2, "-2.00", None))
    months = spending(run, "--months")
    assert [(entry["month"], entry["spent"]) for entry in months["rows"]] == [("2026-03", "1.00"), (None, "2.00")]
    assert (months["spent"], [problem["where"] for problem in months["problems"]]) == ("3.00", ["t2"])
    ranged = spending(run, "--from", "1900-01-01", "--to", "2999-12-31")
    assert (ranged["spent"], [problem["where"] for problem in ranged["problems"]]) == ("1.00", ["t2"])


def test_pending_stands_apart_until_asked_for(run: Run, home: Path) -> None:
    pending = {"status": "PENDING"}
    pull(home, row(1, "-10.00", **FOOD), row(2, "-3.00", **FOOD, **pending), row(3, "500.00", **PAY, **pending))
    answer = spending(run)
    assert (answer["spent"], answer["pending"], answer["income"]) == ("10.00", "3.00", "0.00")
    answer = spending(run, "--pending")
    assert (answer["spent"], answer["pending"], answer["rows"][0]["spent"]) == ("13.00", "3.00", "13.00")
    assert answer["rows"][0]["count"] == 2
    assert spending(run, "--pending", "--to", "2026-03-01")["pending"] == "0.00"


def test_other_currencies_are_listed_and_never_added(run: Run, home: Path) -> None:
    pull(
        home,
        row(1, "-10.00"),
        row(2, "-7.25", currency="USD"),
        row(3, "-1200", currency="JPY"),
        row(4, "-1", currency="USD"),
    )
    answer = spending(run)
    assert answer["spent"] == "10.00"
    listed = {entry["currency"]: (entry["spent"], entry["count"]) for entry in answer["other_currencies"]}
    assert listed == {"JPY": ("1200", 1), "USD": ("8.25", 2)}


def test_a_move_between_own_accounts_is_in_no_category(run: Run, home: Path) -> None:
    out = row(1, "-300.00", description="Transfer to 444555666", type="TRANSFER_OUTGOING")
    into = row(2, "300.00", description="Transfer from 111222333", type="TRANSFER_INCOMING", account_id="savings")
    pull(home, out, into, row(3, "-5.00", **FOOD))
    answer = spending(run)
    assert (answer["transfers"], answer["spent"], answer["income"]) == ("300.00", "5.00", "0.00")
    assert len(answer["rows"]) == 1
    kinds = {entry["id"]: entry["kind"] for entry in run("transactions", "--json").json["transactions"]}
    assert kinds == {"t1": "transfer", "t2": "transfer", "t3": "expense"}


def test_equal_and_opposite_is_no_evidence(run: Run, home: Path) -> None:
    pull(home, row(1, "-40.00", description="DINNER"), row(2, "40.00", description="REFUND", account_id="savings"))
    answer = spending(run)
    assert (answer["transfers"], answer["spent"]) == ("0.00", "0.00")
    assert sum(entry["count"] for entry in answer["rows"]) == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--by", how, *more)
        for how in ("category", "merchant", "account")
        for more in ((), ("--months",), ("--pending",))
    ],
)
def test_rows_sum_to_spent_and_no_row_is_in_two(run: Run, home: Path, options: tuple[str, ...]) -> None:
    rows = [
        row(n, f"{(-1) ** n * n}.{n % 100:02}", f"2026-0{1 + n % 3}-15T00:00:00Z", description=f"SHOP {n % 4}")
        for n in range(1, 30)
    ]
    rows += [row(40, "-3.30", status="PENDING"), row(41, "-9.99", account_id="savings"), row(42, "-1.01", None)]
    pull(home, *rows)
    answer = spending(run, *options)
    cents = sum(round(float(entry["spent"]) * 100) for entry in answer["rows"])
    assert f"{cents / 100:.2f}" == answer["spent"]
    assert sum(entry["count"] for entry in answer["rows"]) == 31 + ("--pending" in options)
    name = {"category": "primary_category", "merchant": "merchant", "account": "account_id"}[options[1]]
    assert all(name in entry for entry in answer["rows"])
    assert all(("month" in entry) == ("--months" in options) for entry in answer["rows"])


def test_a_row_without_a_category_says_null(run: Run, home: Path) -> None:
    pull(home, row(1, "-2.00", description="QX 77 ZZT"))
    (entry,) = spending(run)["rows"]
    assert entry == {"primary_category": None, "secondary_category": None, "spent": "2.00", "count": 1}


def test_an_unknown_category_is_kept(run: Run, home: Path) -> None:
    pull(home, row(1, "-2.00", category=category("SPACE_TRAVEL", "SPACE_TRAVEL_MOON")))
    (entry,) = spending(run)["rows"]
    assert (entry["primary_category"], entry["secondary_category"]) == ("SPACE_TRAVEL", "SPACE_TRAVEL_MOON")


def test_the_keys_of_a_transaction_and_its_filters(run: Run, home: Path) -> None:
    pull(
        home,
        row(1, "-2.00", **FOOD),
        row(2, "-3.00", "2026-03-11T00:00:00Z", description="BOOK NOOK", account_id="savings"),
    )
    every = run("transactions", "--json").json["transactions"]
    assert {
        *("id", "date", "account_id", "amount", "currency", "status", "description", "merchant", "primary_category"),
        *("secondary_category", "category_source", "kind"),
    } <= set(every[0])
    for options, found in (
        (("--from", "2026-03-11"), ["t2"]),
        (("--to", "2026-03-10"), ["t1"]),
        (("--account", "savings"), ["t2"]),
        (("--category", "FOOD_AND_DRINK"), ["t1"]),
        (("--search", "nook"), ["t2"]),
        (("--limit", "1"), ["t2"]),
    ):
        assert [entry["id"] for entry in run("transactions", "--json", *options).json["transactions"]] == found


def test_the_same_question_gives_the_same_bytes(run: Run, home: Path) -> None:
    pull(home, *(row(n, f"-{n}.00", f"2026-03-{n:02}T04:00:00Z", description=f"SHOP {n % 5}") for n in range(1, 29)))
    for options in (("spending",), ("spending", "--by", "merchant", "--months"), ("transactions",)):
        assert len({run(*options, "--json").out for _ in range(3)}) == 1


def test_days_at_the_ends_of_the_calendar_are_days(run: Run, home: Path) -> None:
    pull(home, row(1, "-1.00", "0001-01-01T00:00:00Z"), row(2, "-2.00", "9999-12-31T23:59:59Z"))
    rows = spending(run, "--months")["rows"]
    assert {entry["month"]: entry["spent"] for entry in rows} == {"0001-01": "1.00", "9999-12": "2.00"}


@pytest.mark.parametrize("written", ["2024-02-30T00:00:00Z", "", "yesterday", "2024-01-01T24:00:00Z"])
def test_a_date_that_cannot_be_read_is_none(run: Run, home: Path, written: str) -> None:
    pull(home, row(1, "-1.00", written), row(2, "-2.00", written, posting_date_time="2026-03-12T00:00:00Z"))
    answer = spending(run, "--from", "2026-03-01", "--to", "2026-03-31")
    assert (answer["spent"], [problem["where"] for problem in answer["problems"]]) == ("2.00", ["t1"])


OUT, INTO = {"type": "TRANSFER_OUTGOING"}, {"type": "TRANSFER_INCOMING", "account_id": "savings"}
LATER = "2026-03-12T00:00:00Z"


@pytest.mark.parametrize(
    ("rows", "transfers"),
    [
        ([row(1, "-50.00", **OUT), row(2, "50.00", LATER, **INTO)], "50.00"),
        ([row(1, "-50.00", **OUT), row(2, "50.00", **INTO), row(3, "50.00", LATER, **INTO)], "0.00"),  # which of two?
        ([row(1, "-50.00", **OUT), row(2, "50.00", account_id="savings")], "0.00"),  # only one leg says so
        ([row(1, "-50.00", description="To 444555666"), row(2, "50.00", account_id="savings")], "50.00"),
        ([row(1, "-50.00", **OUT), row(2, "50.00", currency="NZD", **INTO)], "0.00"),
        ([row(1, "-50.00", **OUT), row(2, "50.00", type="TRANSFER_INCOMING")], "0.00"),  # the same account
        ([row(1, "-40.00", **FOOD), row(2, "40.00", **INTO)], "0.00"),  # a friend's half of a dinner
        ([row(1, "-50.00", **OUT), row(2, "50.00", "2026-03-30T00:00:00Z", **INTO)], "0.00"),
    ],
)
def test_a_transfer_needs_evidence_and_one_candidate(
    run: Run, home: Path, rows: list[dict[str, Any]], transfers: str
) -> None:
    pull(home, *rows)
    answer = spending(run)
    assert answer["transfers"] == transfers
    moved = sum(entry["kind"] == "transfer" for entry in run("transactions", "--json").json["transactions"])
    assert moved == (2 if transfers == "50.00" else 0)


def test_a_doubtful_pair_is_a_suggestion(run: Run, home: Path) -> None:
    pull(home, row(1, "-50.00", **OUT), row(2, "50.00", account_id="savings"))
    found = {entry["id"]: entry["possible_partners"] for entry in run("transactions", "--json").json["transactions"]}
    assert found == {"t1": ["t2"], "t2": ["t1"]}
