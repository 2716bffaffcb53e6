"""What comes again, how the money will last, and decisions by hand, on the command line."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Run
from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import sync
from tests.problems import names
from toolkit.flows.household.context import Context
from toolkit.store import open_store


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> None:
    """Twelve fortnights of pay and one coffee."""
    days = [date(2026, 1, 8) + timedelta(14 * number) for number in range(12)]
    rows = [f'{day:%d/%m/%Y},"+2500.00","SALARY ACME PTY LTD",""' for day in days]
    (tmp_path / "bank.csv").write_text("\n".join([*rows, '12/06/2026,"-4.50","CORNER HOUSE 22",""']) + "\n")
    assert run("import", tmp_path / "bank.csv").code == 0


@pytest.mark.usefixtures("imported")
def test_pay_comes_every_fortnight(run: Run) -> None:
    (pay,) = run("recurring", "--today", "2026-06-20", "--json").json["recurring"]
    assert (pay["cadence"], pay["amount"]["usual"], pay["next"]) == ("fortnightly", "2500.00", "2026-06-25")


@pytest.mark.usefixtures("imported")
def test_a_rule_is_tried_added_and_undone(run: Run) -> None:
    (touched,) = run("rules", "test", "corner house", "FOOD_AND_DRINK_COFFEE", "--json").json["transactions"]
    assert touched["amount"] == "-4.50"
    run("rules", "add", "corner house", "FOOD_AND_DRINK_COFFEE")
    assert [row["secondary_category"] for row in run("spending", "--json").json["rows"]] == ["FOOD_AND_DRINK_COFFEE"]
    run("rules", "undo")
    assert [row["secondary_category"] for row in run("spending", "--json").json["rows"]] == [None]


@pytest.mark.usefixtures("imported")
def test_without_balances_the_future_is_not_invented(run: Run) -> None:
    assert run("cashflow", "--today", "2026-06-20", "--json").json["low_point"] is None


@pytest.mark.usefixtures("imported")
def test_the_end_of_an_id_that_is_shown_names_the_transaction(run: Run) -> None:
    (row,) = run("transactions", "--search", "corner house", "--json").json["transactions"]
    (*_, shown) = run("transactions", "--search", "corner house").out.splitlines()
    end = shown.split()[0]
    assert (len(end), row["id"].endswith(end)) == (8, True)
    assert run("rules", "test", "corner house").out.splitlines()[-2].split()[0] == end
    added = run("rules", "category", end, "Coffee", "--json").json["added"]
    assert (added["subject"], added["value"]) == (row["id"], "FOOD_AND_DRINK_COFFEE")
    (row,) = run("transactions", "--search", "corner house", "--json").json["transactions"]
    assert (row["secondary_category"], row["category_source"]) == ("FOOD_AND_DRINK_COFFEE", "manual")
    assert run("rules", "category", "NOTX", "TRAVEL").code == 2
    assert run("rules", "category", end[-1], "TRAVEL").code == 2


@pytest.mark.usefixtures("imported")
def test_a_category_is_asked_for_by_its_code_or_by_the_words_that_are_printed(run: Run) -> None:
    run("rules", "add", "corner house", "FOOD_AND_DRINK_COFFEE")
    asked = ("food_and_drink", "Food and drink", "FOOD AND DRINK COFFEE", "Food and drink coffee", "coffee")
    for category in asked:
        assert len(run("transactions", "--category", category, "--json").json["transactions"]) == 1
    assert " Coffee " in run("transactions", "--category", "Coffee").out
    unnamed = run("transactions", "--category", "no category", "--json").json["transactions"]
    assert {row["primary_category"] for row in unnamed} <= {None}
    assert run("transactions", "--category", "Accommodation", "--json").json["transactions"] == []


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize(("option", "choice"), [("--category", "INCOME_SALARY"), ("--account", "bank")])
def test_an_unknown_name_is_wrong_usage_with_choices(run: Run, option: str, choice: str) -> None:
    ended = run("transactions", option, "nope")
    assert (ended.code, ended.out) == (2, "")
    assert names(ended.err, "'nope'", choice)
    assert run("transactions", option, choice, "--json").json["transactions"] != []


@pytest.mark.usefixtures("imported")
def test_why_the_range_is_not_known_is_said(run: Run) -> None:
    assert "note: " in run("cashflow", "--today", "2026-06-20").out


def test_a_debt_is_no_money_to_spend_whether_or_not_its_kind_is_set(run: Run, tmp_path: Path) -> None:
    everyday = ['10/06/2026,"+500.00","PAY ACME","+500.00"', '18/06/2026,"-20.00","CORNER HOUSE 22","+480.00"']
    loan = ['15/05/2026,"-1500.00","INTEREST","-301500.00"', '15/06/2026,"+2400.00","REPAYMENT","-299100.00"']
    overdrawn = ['01/06/2026,"+90.00","GIFT","+90.00"', '17/06/2026,"-130.00","RENT","-40.00"']
    for name, rows in (("everyday", everyday), ("loan", loan), ("overdrawn", overdrawn)):
        (tmp_path / f"{name}.csv").write_text("\n".join(reversed(rows)) + "\n")
        assert run("import", tmp_path / f"{name}.csv", "--account", name).code == 0

    def asked() -> dict[str, Any]:
        return run("cashflow", "--today", "2026-06-20", "--json").json

    before = asked()
    assert before["start"] == "440.00"
    assert {each["account_id"] for each in before["accounts"]} == {"everyday", "overdrawn"}
    assert "debt_left_out" in before["note_codes"]
    assert run("accounts", "set", "loan", "--kind", "loan").code == 0
    after = asked()
    assert (after["start"], after["days"]) == (before["start"], before["days"])
    assert "debt_left_out" not in after["note_codes"]
    assert run("accounts", "set", "loan", "--kind", "card").code == 0  # what is owed on a card is due
    assert asked()["start"] == "-298660.00"


def test_the_cash_flow_names_accounts_that_it_leaves_out(run: Run, tmp_path: Path) -> None:
    """A card's file has no balance: what it owes is not known. A loan is never money to spend."""
    (tmp_path / "everyday.csv").write_text('18/06/2026,"-20.00","CORNER HOUSE 22","+480.00"\n')
    for name, words in (("card", "SHOES 8"), ("loan", "INTEREST")):
        (tmp_path / f"{name}.csv").write_text(f"Date,Amount,Description\n17/06/2026,-130.00,{words}\n")
    for name in ("everyday", "card", "loan"):
        assert run("import", tmp_path / f"{name}.csv", "--account", name).code == 0
    run("accounts", "set", "card", "--name", "Joint card", "--kind", "card")
    run("accounts", "set", "loan", "--kind", "loan")
    asked = run("cashflow", "--today", "2026-06-20", "--json").json
    assert (asked["start"], asked["without_balance"]) == ("480.00", ["card"])
    (note,) = [note for note in asked["notes"] if "left out" in note]
    assert note.startswith("The balance of Joint card is not known")
    run("accounts", "set", "card", "--balance", "-130", "--at", "2026-06-19")
    assert run("cashflow", "--today", "2026-06-20", "--json").json["without_balance"] == []


@pytest.mark.parametrize(("today", "later"), [("2030-01-01", "."), ("2020-01-01", ", after 1 Jan 2020")])
def test_the_day_of_the_balances_is_said(run: Run, home: Path, today: str, later: str) -> None:
    service = WrittenService()
    of = {"arrangement_id": "arr", "institution_id": "bank"}
    service.lists["banking.accounts"] = [{"platform_id": "pa1", "account_id": "a1", **of}]
    service.lists["banking.balances"] = [
        {"platform_id": "pb1", "account_id": "a1", "current_balance": "1250.00", "currency": "AUD", **of}
    ]
    service.lists["banking.transactions"] = [purchase(1)]
    sync(Context(home / "household.db", date(2026, 3, 15)), service, end_user="eu")
    with open_store(home / "household.db") as store:
        store.update("balances", {"as_of": "2026-03-14T20:00:00.000000Z"}, {})  # 15 March in Sydney
    said = run("cashflow", "--today", today, "--days", "3").out
    assert "$1,250.00" in said
    assert names(said, f"15 Mar 2026{later}")


@pytest.mark.usefixtures("imported")
def test_all_days_may_be_asked_for_by_the_ends_of_the_calendar(run: Run) -> None:
    everything = run("spending", "--json").json["spent"]
    assert run("spending", "--from", "0001-01-01", "--to", "9999-12-31", "--json").json["spent"] == everything


@pytest.mark.usefixtures("imported")
@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("FOOD_AND_DRINK_COFFE", "FOOD_AND_DRINK_COFFEE"),
        ("groceris", "FOOD_AND_DRINK_GROCERIES"),
        ("Travel loging", "TRAVEL_LODGING"),
        ("Foood", "FOOD_AND_DRINK,"),
    ],
)
def test_an_unknown_category_is_refused_with_the_nearest(run: Run, typed: str, near: str) -> None:
    end = run("transactions", "--search", "corner house", "--json").json["transactions"][0]["id"]
    for words in (("add", "corner house"), ("category", end), ("test", "corner house")):
        refused = run("rules", *words, typed)
        assert refused.code == 2
        assert names(refused.err, repr(typed), near)
    assert run("rules", "list", "--json").json["rules"] == []


@pytest.mark.usefixtures("imported")
def test_a_category_of_ones_own_is_made_once_and_then_known(run: Run) -> None:
    assert run("rules", "add", "corner house", "Dog walking").code == 2
    added = run("rules", "add", "corner house", "Dog walking", "--new-category", "--json").json["added"]
    assert added["value"] == "DOG_WALKING"
    assert run("rules", "add", "acme", "dog walking", "--json").json["added"]["number"] == 2
    assert "DOG_WALKING" in run("rules", "add", "acme", "dog wallking").err


@pytest.mark.usefixtures("imported")
def test_the_same_rule_twice_is_one(run: Run) -> None:
    run("rules", "add", "Corner House", "TRAVEL")
    again = run("rules", "add", "corner  house", "travel", "--json").json
    assert (again["added"]["number"], len(again["notes"])) == (1, 1)
    assert len(run("rules", "list", "--json").json["rules"]) == 1
    assert again["notes"][0] in run("rules", "add", "corner house", "travel").out
    assert run("rules", "add", "corner house", "MEDICAL", "--json").json["added"]["number"] == 2
    assert run("rules", "add", "corner house", "TRAVEL", "--json").json["added"]["number"] == 3  # the latest counts
    (row,) = run("transactions", "--search", "corner house", "--json").json["transactions"]
    assert row["primary_category"] == "TRAVEL"
    for number in (4, 4):
        assert run("rules", "category", row["id"], "MEDICAL", "--json").json["added"]["number"] == number


@pytest.mark.usefixtures("imported")
def test_two_periods_are_compared_and_a_year_is_reviewed(run: Run) -> None:
    """Twelve fortnights of 2,500 from 8 January 2026; a coffee of 4.50 on 12 June."""
    june = ("--from", "2026-06-01", "--to", "2026-06-30")
    answer = run("spending", *june, "--against", "previous", "--json").json
    against = answer["against"]
    assert (answer["spent"], against["spent"], against["income"]) == ("4.50", "0.00", "0.00")  # paid on 14 and 28 May
    assert (against["from"], against["to"]) == ("2026-05-01", "2026-05-12")
    assert answer["note_codes"] == ["compared_before_its_end"]  # the last row is of 12 June
    without = run("spending", *june, "--against", "last-year", "--json").json
    assert (without["against"]["income"], without["note_codes"]) == ("0.00", ["compared_with_nothing"])
    partly = ("--from", "2026-03-01", "--to", "2026-04-30", "--against", "previous", "--json")
    assert run("spending", *partly).json["note_codes"] == ["compared_with_a_part"]
    assert run("spending", "--against", "previous").code == 2
    year = run("review", "--year", "2026", "--json").json
    assert (year["from"], year["to"], year["spending"]["income"]) == ("2025-07-01", "2026-06-30", "30000.00")
    assert [(row["amount"], row["count"]) for row in year["income"]] == [("30000.00", 12)]
    assert [row["amount"] for row in year["largest"]] == ["-4.50"]
    assert run("review", "--year", "2026").code == 0


@pytest.mark.usefixtures("imported")
def test_budgets_are_set_removed_and_undone(run: Run) -> None:
    run("rules", "add", "corner house", "FOOD_AND_DRINK_COFFEE")
    (row,) = run("budget", "set", "food and drink", "4", "--today", "2026-06-20", "--json").json["budgets"]
    assert (row["category"], row["budget"], row["spent"], row["left"], row["state"]) == (
        *("FOOD_AND_DRINK", "4.00", "4.50", "-0.50", "over"),
    )
    assert run("budget", "remove", "FOOD_AND_DRINK", "--json").json["budgets"] == []
    run("undo")
    assert len(run("budget", "list", "--json").json["budgets"]) == 1
    for wrong in (("set", "FOOD_AND_DRINK", "-3"), ("set", "NO SUCH THING", "3"), ("remove", "TRAVEL")):
        assert run("budget", *wrong).code == 2
