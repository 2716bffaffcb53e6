"""`spending` and `transactions` over a store: the command's answers, and the roll-up that must agree with the rows."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tests.analytics.money.built import movement
from tests.flows.money.homes import ACCOUNTS, HOUSEHOLD, home
from toolkit.analytics.money.sums.months import Question
from toolkit.answers.base import to_builtins, to_json
from toolkit.answers.money import Found, Transaction
from toolkit.errors import ChoiceRequiredError, NothingStoredError
from toolkit.flows.household.context import Context
from toolkit.flows.household.settings import set_home
from toolkit.flows.money.edits.settings import set_transaction, split
from toolkit.flows.money.rules import add_rule
from toolkit.flows.money.spending import mark_all, refresh, spending_from_rows
from toolkit.flows.money.summary import can_use_rollups, spending, spending_of
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store
from toolkit.tables.schema.identity import HouseholdRow

GROCERIES = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_GROCERIES"}


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home" / "household.db", date(2026, 3, 31))


ROWS = (
    # on 1 March in Sydney
    movement("-54.30", "2026-02-28T13:30:00Z", "WOOLWORTHS 1294 SYDNEY", category_confidence="HIGH", **GROCERIES),
    movement("4.30", "2026-03-10", "WOOLWORTHS 1294 SYDNEY", **GROCERIES),
    movement("-500.00", "2026-03-16", "Transfer to savings"),
    movement("500.00", "2026-03-16", "Transfer from everyday", account_id="savings"),
    movement("2000.00", "2026-03-17", "ACME", primary_category="INCOME", secondary_category="INCOME_SALARY"),
    movement("-9.00", "2026-03-18", "NETFLIX.COM", status="PENDING"),
    movement("-1200", "2026-03-19", "HOTEL TOKYO", currency="JPY"),
)


@pytest.mark.parametrize(
    ("came_in", "said"),
    [("10.00", False), ("10.01", True)],  # a tenth of 100.00
)
def test_deposits_without_a_category_are_said_where_they_are_much(ctx: Context, came_in: str, said: bool) -> None:
    rows = (
        movement("-100.00", "2026-03-02", "WOOLWORTHS 1294 SYDNEY", **GROCERIES),
        movement(came_in, "2026-03-20", "DIRECT CREDIT 301500 ZZYZX"),
    )
    with home(ctx.db, *rows):
        pass
    for by in ("category", "merchant"):  # from the monthly sums, and from the rows
        notes = [note for note in spending(ctx, by=by).notes if note.code == "deposits_without_category"]
        assert [note.figures["came_in"] for note in notes] == ([Decimal(came_in)] if said else [])


def test_deposits_that_may_be_transfers_are_not_said_to_need_a_category(ctx: Context) -> None:
    rows = (
        movement("-100.00", "2026-03-02", "WOOLWORTHS 1294 SYDNEY", **GROCERIES),
        movement("-700.00", "2026-03-03", "Transfer to savings"),
        movement("700.00", "2026-03-04", "DEPOSIT", account_id="savings"),
        movement("90.00", "2026-03-20", "DIRECT CREDIT 301500 ZZYZX"),
    )

    def came_in(**asked: Any) -> list[Decimal]:
        answer = spending(ctx, **asked)
        return [note.figures["came_in"] for note in answer.notes if note.code == "deposits_without_category"]

    with home(ctx.db, *rows):
        pass
    for by in ("category", "merchant"):  # from the monthly sums, and from the rows
        assert came_in(by=by) == [Decimal("90.00")]
        assert came_in(by=by, to=date(2026, 3, 19)) == []
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("transactions", [movement("20.00", "2026-03-21", "DIRECT CREDIT 301500 ZZYZX", id="later")])
        mark_all(store, "h")
    assert came_in() == [Decimal("110.00")]  # of rows that are not rolled up yet


def test_the_answer_of_the_contract(ctx: Context) -> None:
    with home(ctx.db, *ROWS):
        pass
    assert to_builtins(spending(ctx)) == {
        "from": date(2026, 3, 1),
        "to": date(2026, 3, 19),
        "by": "category",
        "rows": [
            {
                "primary_category": "FOOD_AND_DRINK",
                "secondary_category": "FOOD_AND_DRINK_GROCERIES",
                "spent": Decimal("50.00"),
                "count": 2,
            }
        ],
        "spent": Decimal("50.00"),
        "income": Decimal("2000.00"),
        "transfers": Decimal("500.00"),
        "excluded": Decimal("0.00"),
        "pending": Decimal("9.00"),
        "other_currencies": (
            {
                "currency": "JPY",
                "spent": Decimal("1200"),
                "income": Decimal(0),
                "transfers": Decimal(0),
                "pending": Decimal(0),
                "count": 1,
            },
        ),
        "notes": (),
        "note_codes": (),
        "problems": (),
        "category_names": {},
    }
    with_pending = spending(ctx, by="merchant", months=True, pending=True, from_=date(2026, 3, 5), to=date(2026, 3, 18))
    assert to_builtins(with_pending.rows) == [
        {"month": "2026-03", "merchant": "Netflix", "spent": Decimal("9.00"), "count": 1},
        {"month": "2026-03", "merchant": "Woolworths", "spent": Decimal("-4.30"), "count": 1},
    ]
    (by_account,) = spending(ctx, by="account").rows
    assert to_builtins(by_account) == {
        "account_id": "everyday",
        "account_name": "Everyday",
        "spent": Decimal("50.00"),
        "count": 2,
    }
    assert (with_pending.from_, with_pending.to) == (date(2026, 3, 5), date(2026, 3, 18))


def test_pending_transactions_are_listed_by_themselves(ctx: Context) -> None:
    with home(ctx.db, *ROWS):
        pass
    for limit in (None, 500):
        assert [row.description for row in transactions(ctx, pending=True, limit=limit).transactions] == ["NETFLIX.COM"]


def test_rows_without_a_date_are_listed(ctx: Context) -> None:
    with home(ctx.db, movement("-12.00", None, "SHOP"), *ROWS):
        pass
    undated = spending(ctx, months=True)
    assert undated.rows[-1].month is None
    assert [(problem.where, problem.severity) for problem in undated.problems] == [("t0", "warning")]
    in_range = spending(ctx, from_=date(2026, 3, 1), to=date(2026, 3, 31))
    assert in_range.spent == Decimal("50.00")
    assert len(in_range.problems) == 1


def test_the_rows_behind_the_sums(ctx: Context) -> None:
    with home(ctx.db, movement("-12.00", None, "SHOP"), *ROWS):
        pass
    every = transactions(ctx).transactions
    assert [row.id for row in every] == ["t7", "t6", "t5", "t3", "t4", "t2", "t1", "t0"]
    assert every[-2] == Transaction(
        id="t1",
        date=date(2026, 3, 1),
        account_id="everyday",
        amount=Decimal("-54.30"),
        currency="AUD",
        status="POSTED",
        description="WOOLWORTHS 1294 SYDNEY",
        merchant="Woolworths",
        primary_category="FOOD_AND_DRINK",
        secondary_category="FOOD_AND_DRINK_GROCERIES",
        category_source="provider",
        category_confidence="HIGH",
        kind="expense",
        transfer_partner=None,
        possible_partners=(),
    )
    assert [row.transfer_partner for row in every[3:5]] == ["t4", "t3"]


def test_own_account_numbers_are_masked(ctx: Context) -> None:
    with home(ctx.db, movement("-5.00", "2026-03-01", "To 062000 111222333 dinner")) as store:
        store.upsert("accounts", [{**ACCOUNTS[1], "account_number": "111222333"}])
    (row,) = transactions(ctx).transactions
    assert row.description == "To 062000 xxxxxx333 dinner"
    assert "111222333" not in str(row)


@pytest.mark.parametrize(
    ("how", "ids"),
    [
        ({"from_": date(2026, 3, 16), "to": date(2026, 3, 17)}, ["t4", "t2", "t3"]),
        ({"account": "savings"}, ["t3"]),
        ({"account": "Savings"}, ["t3"]),
        ({"category": "food_and_drink"}, ["t1", "t0"]),
        ({"category": "Food and Drink"}, ["t1", "t0"]),
        ({"category": "travel lodging"}, []),
        ({"category": "INCOME_SALARY"}, ["t4"]),
        ({"search": "sydney WOOLWORTHS"}, ["t1", "t0"]),
        ({"search": "100%"}, []),
        ({"limit": 2}, ["t6", "t5"]),
    ],
)
def test_what_may_be_asked_for(ctx: Context, how: dict, ids: list[str]) -> None:
    with home(ctx.db, *ROWS):
        pass
    assert [row.id for row in transactions(ctx, **how).transactions] == ids


def test_an_empty_database_says_what_to_do(ctx: Context) -> None:
    with pytest.raises(NothingStoredError, match="toolkit import"):
        spending(ctx)
    with home(ctx.db) as store:
        store.upsert("households", [{**HOUSEHOLD, "household_id": "g", "name": "Other"}])
    with pytest.raises(ChoiceRequiredError) as refused:
        spending(ctx)
    assert refused.value.choices == ["Home", "Other"]


MORE_ROWS = st.lists(
    st.builds(
        lambda cents, day, kind, more: {**movement("0.00", day, **kind), **more, "amount_minor": cents},
        st.integers(-200, 200),
        st.dates(date(2026, 1, 25), date(2026, 3, 10)).map(str) | st.just("2026-01-31T13:30:00Z"),
        st.sampled_from([GROCERIES, {}, {"primary_category": "INCOME"}, {"description": "Transfer to savings"}]),
        st.fixed_dictionaries(
            {
                "account_id": st.sampled_from(["everyday", "savings"]),
                "status": st.sampled_from(["POSTED", "PENDING"]),
                "currency": st.sampled_from(["AUD", "AUD", "NZD"]),
            }
        ),
    ),
    max_size=12,
)
QUESTIONS = st.builds(
    Question,
    st.sampled_from([None, date(2026, 2, 1)]),
    st.sampled_from([None, date(2026, 2, 28), date(2026, 1, 31)]),
    st.sampled_from(["category", "account", "person"]),
    st.booleans(),
    st.booleans(),
)


@given(rows=MORE_ROWS, later=MORE_ROWS, questions=st.lists(QUESTIONS, min_size=1, max_size=3))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_roll_up_gives_what_the_rows_give(tmp_path_factory, rows, later, questions) -> None:
    path = tmp_path_factory.mktemp("home") / "household.db"
    with home(path, *rows) as store:
        store.upsert("transactions", [{"id": f"later{number}", **row} for number, row in enumerate(later)])
        mark_all(store, "h")
        refresh(store, "h")
        household = store.load(HouseholdRow)[0]
        for question in questions:
            assert can_use_rollups(store, household, question)
            (one,), (other,) = (answer(store, household, [question]) for answer in (spending_of, spending_from_rows))
            assert to_json(one) == to_json(other)
            assert_frame_equal(one.rows.frame(), other.rows.frame())


def test_what_is_found_is_summed_whatever_is_listed(ctx: Context) -> None:
    with home(ctx.db, *ROWS):
        pass
    everything = transactions(ctx, limit=2)
    assert len(everything.transactions) == 2
    assert everything.found == Found(
        count=len(ROWS), spent=Decimal("50.00"), income=Decimal("2000.00"), transfers=Decimal("500.00")
    )
    shop = transactions(ctx, search="woolworths", from_=date(2026, 3, 2), limit=1).found
    assert (shop.count, shop.spent) == (1, Decimal("-4.30"))
    nothing = transactions(ctx, search="nobody").found
    assert (nothing.count, nothing.spent) == (0, Decimal("0.00"))


SELECTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"search": "woolworths SYDNEY"},
    {"search": "netflix"},
    {"account": "Savings"},
    {"category": "food and drink"},
    {"category": "no category"},
    {"payee": "woolworths"},
    {"payee": ""},
    {"tag": "trip"},
    {"tag": ""},
    {"kind": "income"},
    {"from_": date(2026, 3, 10), "to": date(2026, 3, 17), "search": "transfer"},
)


@pytest.mark.parametrize("selection", SELECTIONS, ids=str)
def test_a_short_list_is_the_beginning_of_the_long_one(ctx: Context, selection: dict[str, Any]) -> None:
    """A short list takes texts from the records, a long one from what is kept by column."""
    with home(ctx.db, *ROWS, movement("-7.00", None, "  ")):
        pass
    add_rule(ctx, "woolworths", "Shopping", new_category=True)
    split(ctx, "t1", [("3.00", "FOOD_AND_DRINK"), ("1.30", "TRAVEL")])
    set_transaction(ctx, "t5", tag="trip", note="again")
    everything = transactions(ctx, **selection)
    assert everything.transactions
    for limit in (1, 3, 100):
        few = transactions(ctx, **selection, limit=limit)
        assert few.transactions == everything.transactions[:limit]
        assert few.found == everything.found


def test_a_cold_summary_by_month_and_category_loads_no_frames(ctx: Context) -> None:
    with home(ctx.db, *ROWS):
        pass
    asked = ["toolkit", "spending", "--months", "--json", "--db", str(ctx.db)]
    program = (
        f"import sys; sys.argv = {asked!r}\nfrom toolkit.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "sys.stderr.write(','.join({'polars', 'numpy', 'pandas'} & {*sys.modules}))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["spent"] == "50.00"
    assert ran.stderr == ""


def test_a_roll_up_that_is_out_of_date_is_never_used(ctx: Context) -> None:
    with home(ctx.db, *ROWS) as store:
        household = store.load(HouseholdRow)[0]
        assert can_use_rollups(store, household, Question())
        assert not can_use_rollups(store, household, Question(by="merchant"))
        assert not can_use_rollups(store, household, Question(from_=date(2026, 3, 2)))
        assert not can_use_rollups(store, household, Question(to=date(2026, 3, 30)))
        store.upsert("households", [{**HOUSEHOLD, "timezone": "Australia/Perth"}])
        assert not can_use_rollups(store, store.load(HouseholdRow)[0], Question())
    assert spending(ctx, months=True).rows[0].month == "2026-02"  # 21:30 on 28 February in Perth
    with open_store(ctx.db) as store:
        assert refresh(store, "h") > 0
        assert can_use_rollups(store, store.load(HouseholdRow)[0], Question())
        assert refresh(store, "h") == 0
        store.delete("transactions", {"id": "t0"})
        mark_all(store, "h")
        assert not can_use_rollups(store, store.load(HouseholdRow)[0], Question())
        refresh(store, "h")
    assert spending(ctx).spent == Decimal("-4.30")


def test_a_new_time_zone_recomputes_the_roll_up(ctx: Context) -> None:
    with home(ctx.db, *ROWS) as store:
        assert can_use_rollups(store, store.load(HouseholdRow)[0], Question())
    set_home(ctx, timezone="Australia/Perth")
    with open_store(ctx.db) as store:
        assert can_use_rollups(store, store.load(HouseholdRow)[0], Question())
    assert spending(ctx, months=True).rows[0].month == "2026-02"  # 21:30 on 28 February in Perth
