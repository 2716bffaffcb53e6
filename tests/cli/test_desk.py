"""What needs attention, the adviser's notes, and all households in a table, on the command line."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from toolkit.store import open_store

TODAY = "2026-06-20"


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> Path:
    """A year of monthly payments of 50 AUD, the last two of 60; the newest row is of 1 June."""
    months = [date(2025, month, 1) for month in range(6, 13)] + [date(2026, month, 1) for month in range(1, 7)]
    amounts = ["50.00"] * 11 + ["60.00"] * 2
    rows = [f'{day:%d/%m/%Y},"-{price}","CITY GYM CLUB",""' for day, price in zip(months, amounts, strict=True)]
    (tmp_path / "bank.csv").write_text("\n".join(rows) + "\n")
    assert run("import", tmp_path / "bank.csv", "--household", "Smith").code == 0
    return tmp_path / "bank.csv"


def listed(run: Run, *arguments: str) -> list[dict[str, Any]]:
    insights: list[dict[str, Any]] = run("insights", *arguments, "--json").json["insights"]
    return insights


@pytest.mark.usefixtures("imported")
def test_a_price_that_rose_is_listed_until_it_is_done(run: Run) -> None:
    (price,) = listed(run, "--today", TODAY)
    # 10 AUD more in each of 12 months
    assert {"kind": "price", "amount": "120.00", "date": "2026-05-01", "page": "coming-up"}.items() <= price.items()
    assert listed(run, "--today", "2026-06-21")[0]["id"] == price["id"]
    assert listed(run, "later", price["id"], "--until", "2026-06-23", "--today", TODAY) == []
    assert listed(run, "--today", "2026-06-22") == []
    assert [row["id"] for row in listed(run, "--today", "2026-06-23")] == [price["id"]]
    assert listed(run, "done", price["id"], "--today", "2026-06-23") == []
    assert listed(run, "--today", "2026-06-24") == []


@pytest.mark.usefixtures("imported")
def test_a_wrong_id_a_past_day_and_options_before_the_word_are_refused(run: Run) -> None:
    (price,) = listed(run, "--today", TODAY)
    assert run("insights", "done", "price-0", "--today", TODAY).code == 2
    assert run("insights", "later", price["id"], "--until", TODAY, "--today", TODAY).code == 2
    assert run("insights", "--today", TODAY, "done", price["id"]).code == 2
    assert len(listed(run, "--today", TODAY)) == 1


@pytest.mark.usefixtures("imported")
def test_new_data_changes_the_list_at_once(run: Run, tmp_path: Path) -> None:
    assert [row["kind"] for row in listed(run, "--today", "2026-07-20")] == ["price", "data"]
    (tmp_path / "more.csv").write_text('01/07/2026,"-60.00","CITY GYM CLUB",""\n')
    assert run("import", tmp_path / "more.csv").code == 0
    assert [row["kind"] for row in listed(run, "--today", "2026-07-20")] == ["price"]


@pytest.mark.usefixtures("imported")
def test_the_desk_shows_stored_figures_with_their_day(run: Run) -> None:
    run("household", "add", "Baker")
    assert [(row["name"], row["as_of"]) for row in run("desk", "--json").json["households"]] == [
        ("Baker", None),
        ("Smith", None),
    ]
    assert run("insights", "--household", "Smith", "--today", TODAY).code == 0
    stored = {row["name"]: row for row in run("desk", "--today", "2026-06-30", "--json").json["households"]}
    assert (stored["Smith"]["as_of"], stored["Smith"]["data_to"]) == (TODAY, "2026-06-01")
    assert stored["Baker"]["as_of"] is None
    refreshed = run("desk", "--refresh", "--today", "2026-06-30", "--json")
    assert refreshed.err.splitlines() == ["0 of 2 households", "1 of 2 households"]
    fresh = refreshed.json["households"]
    assert [row["as_of"] for row in fresh] == ["2026-06-30", "2026-06-30"]
    assert {key: fresh[0][key] for key in ("data_to", "next_bill", "saving", "low_point", "bills_that_differ")} == {
        "data_to": None,
        "next_bill": None,
        "saving": None,
        "low_point": None,
        "bills_that_differ": None,
    }


@pytest.mark.usefixtures("imported")
def test_a_link_is_sent_until_it_ends_and_expired_after_it_on_the_day_that_is_asked_for(run: Run, home: Path) -> None:
    (smith,) = run("household", "list", "--json").json["households"]
    with open_store(home / "household.db") as store:
        sent, ends = datetime(2026, 6, 18, 9, tzinfo=UTC), datetime(2026, 6, 23, 9, tzinfo=UTC)
        person = {
            "household_id": smith["id"],
            "end_user_id": "eu",
            "state": "invited",
            "invite_url": "https://x.example",
        }
        store.upsert("end_users", [{**person, "invited_at": sent, "invite_expires_at": ends}])
    states = []
    for day in (TODAY, "2026-06-22", "2026-06-24"):
        (row,) = run("desk", "--today", day, "--json").json["households"]
        states += [link["state"] for link in row["links"]]
    assert states == ["sent", "sent", "expired"]
    head, _, row = run("desk", "--today", "2026-06-24").out.splitlines()
    assert row[head.index("link") :].split()[0] == "expired"
    assert "consent from" not in head  # no household has one


@pytest.mark.usefixtures("imported")
def test_the_advisers_own_words_are_kept_and_deleted(run: Run) -> None:
    run("household", "set", "--note", "Call about gas", "--follow-up", "2026-07-01", "--purpose", "Energy advice")
    (row,) = run("desk", "--json").json["households"]
    assert (row["note"], row["follow_up"]) == ("Call about gas", "2026-07-01")
    assert (row["purpose"], row["consents"]) == ("Energy advice", [])  # of files alone
    (home,) = run("household", "list", "--json").json["households"]
    assert home["purpose"] == "Energy advice"
    run("household", "set", "--note", "", "--follow-up", "")
    (row,) = run("desk", "--json").json["households"]
    assert (row["note"], row["follow_up"]) == (None, None)


@pytest.mark.usefixtures("imported")
def test_an_archived_household_is_kept_and_not_on_the_desk(run: Run) -> None:
    run("household", "archive", "Smith", "--today", TODAY)
    desk = run("desk", "--json").json
    assert (desk["households"], desk["archived"]) == ([], 1)
    (home,) = run("household", "list", "--json").json["households"]
    assert home["archived_on"] == TODAY
    assert run("spending", "--json").json["spent"] == "670.00"
    run("household", "unarchive", "Smith")
    assert len(run("desk", "--json").json["households"]) == 1


def test_forgetting_a_file_deletes_the_figures_that_it_gave(run: Run, imported: Path) -> None:
    listed(run, "--today", TODAY)
    run("forget", "--file", imported.name, "--yes")
    (row,) = run("desk", "--json").json["households"]
    assert (row["as_of"], row["data_to"]) == (None, None)
