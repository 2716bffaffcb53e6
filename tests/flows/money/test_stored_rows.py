"""What transactions are classified as is stored with them: questions read it, and it is never out of date."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.money.built import accounts, movement, overrides, transactions
from tests.flows.money.homes import home
from toolkit.analytics.money.basis import classification_version
from toolkit.analytics.money.categorise import searchable
from toolkit.analytics.money.classify import classify, newest_first
from toolkit.analytics.money.edits.affected import MOST_RULES, affected_by
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money.edits.rule_file import import_rules_text
from toolkit.flows.money.overrides import record, undo, undo_latest
from toolkit.flows.money.spending import (
    classified,
    classified_now,
    mark_all,
    refresh,
)
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions as listed
from toolkit.store import open_store
from toolkit.store.frames import PART_ROWS, drop_frames, keep_frame, kept_frame
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.tables.schema.journal import OverrideRow

ROWS = (
    movement("-54.30", "2026-02-28", "WOOLWORTHS 1294 SYDNEY"),
    movement("-20.00", "2026-03-10", "WOOLWORTHS 1294 SYDNEY"),
    movement("-500.00", "2026-03-16", "Transfer to savings"),
    movement("500.00", "2026-03-16", "Transfer from everyday", account_id="savings"),
    movement("-9.00", None, "KIOSK"),
)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "home" / "household.db", date(2026, 3, 31))


def test_a_frame_is_kept_by_column(ctx: Context) -> None:
    frame = pl.DataFrame({"id": ["a", "b", "c", "d"], "shop": ["x", None, "x", "x"], "cents": [1, None, 3, 4]})
    with open_store(ctx.db) as store:
        keep_frame(store, "h", "rows", frame.with_columns(more=pl.lit(1)))
        keep_frame(store, "h", "rows", frame)
        kept = kept_frame(store, "h", "rows", ["cents", "shop"])
        assert kept is not None
        assert kept.schema == {"cents": pl.Int64(), "shop": pl.Categorical()}
        assert kept.cast({"shop": pl.String}).equals(frame.select("cents", "shop"))
        assert kept_frame(store, "h", "rows", ["cents", "more"]) is None
        assert kept_frame(store, "other", "rows", ["cents"]) is None
        drop_frames(store, "h")
        assert kept_frame(store, "h", "rows", ["cents"]) is None


def test_a_few_rows_of_a_frame_are_read_from_parts_of_its_columns(ctx: Context) -> None:
    names = [f"row {number}" for number in range(3 * PART_ROWS)]
    frame = pl.DataFrame({"id": names, "shop": ["x", None, "y"] * PART_ROWS, "cents": range(3 * PART_ROWS)})
    with open_store(ctx.db) as store:
        keep_frame(store, "h", "rows", frame)
        whole = kept_frame(store, "h", "rows", ["id", "shop", "cents"], enums=True)
        assert whole is not None
        assert whole.cast({"shop": pl.String}).equals(frame)
        wanted = [2 * PART_ROWS + 1, 0, PART_ROWS]
        some = kept_frame(store, "h", "rows", ["shop", "id"], enums=True, rows=wanted)
        assert some is not None
        assert some.cast({"shop": pl.String}).equals(frame.select("shop", "id")[wanted])
        keep_frame(store, "h", "rows", frame.head(PART_ROWS))
        fewer = kept_frame(store, "h", "rows", ["id"])
        assert fewer is not None
        assert fewer.equals(frame.select("id").head(PART_ROWS))
        assert store.count("frame_columns", "h") == 3  # no part of the longer column stays


def test_a_snapshot_does_not_see_what_is_written_meanwhile(ctx: Context) -> None:
    with open_store(ctx.db) as store, open_store(ctx.db) as other:
        with store.snapshot():
            assert store.count("households") == 0
            other.upsert("households", [{"household_id": "h", "name": "Home"}])
            assert store.count("households") == 0
        assert store.count("households") == 1


def test_what_is_stored_is_what_classifying_gives_after_every_decision(ctx: Context) -> None:
    with home(ctx.db, *ROWS) as store:
        household = store.load(HouseholdRow)[0]
        decisions = (("rule", "kiosk", "TRAVEL"), ("category", "t0", "MEDICAL"), ("not_transfer", "t2", "t3"))
        for decision in decisions:
            with store.transaction():
                record(store, "h", *decision)
            stored = classified(store, household)
            assert store.count("frame_columns", "h") > 0
            drop_frames(store, "h")
            fresh = classified(store, household)
            assert stored.rows.equals(newest_first(fresh.rows).select(stored.rows.columns))
            assert stored.suggestions.equals(fresh.suggestions)
            assert stored.links == fresh.links
            mark_all(store, "h")
            refresh(store, "h")
    before = listed(ctx)
    undo(ctx)
    assert listed(ctx) != before


def test_many_rules_from_a_file_classify_as_one_by_one(ctx: Context) -> None:
    """More rules than are tried one by one; the last two are about rows, and the later one of them counts."""
    lines = [f"Text: shop {number} = TRAVEL" for number in range(MOST_RULES)]
    lines += ["Text: kiosk = TRAVEL", "Payee: Woolworths = MEDICAL"]
    with home(ctx.db, *ROWS) as store:
        refresh(store, "h")
    assert import_rules_text(ctx, "\n".join(lines), name="rules.txt").added == MOST_RULES + 2
    shown = {row.id: row.primary_category for row in listed(ctx).transactions}
    assert (shown["t0"], shown["t1"], shown["t4"]) == ("MEDICAL", "MEDICAL", "TRAVEL")
    with open_store(ctx.db) as store:
        household = store.load(HouseholdRow)[0]
        stored = classified(store, household)
        assert stored.rows.equals(newest_first(classified_now(store, household).rows).select(stored.rows.columns))


def test_a_decision_about_one_pay_leaves_the_others_stored_as_pay(ctx: Context) -> None:
    days = ("2026-01-08", "2026-01-22", "2026-02-05", "2026-02-19")
    amounts = ("2100.00", "2104.50", "2091.25", "2112.00")  # rows of the same amount are looked at anyway
    text = "Direct Credit 458106 KOALA LOGISTICS PTY LTD"
    pays = [movement(amount, day, text) for amount, day in zip(amounts, days, strict=True)]
    others = [movement(f"-{cents}.00", "2026-03-02", "KIOSK") for cents in range(100, 150)]  # few rows can change
    with home(ctx.db, *pays, *others) as store:
        refresh(store, "h")
        for _ in range(2):
            with store.transaction():
                record(store, "h", "category", "t1", "TRAVEL")
            with store.transaction():
                undo_latest(store, "h")
        with store.transaction():
            record(store, "h", "transaction", "t2", '{"tag":"trip"}')
        rows = classified(store, store.load(HouseholdRow)[0]).rows
    kept = dict(rows.select("id", "category_source").iter_rows())
    assert [kept[id_] for id_ in ("t0", "t1", "t2", "t3")] == ["employer"] * 4


def test_other_rules_of_the_program_classify_anew_at_the_next_opening(ctx: Context) -> None:
    with home(ctx.db, *ROWS) as store:
        store.update("rollups", {"version": "1-00000000", "basis": "00000000"}, {"household_id": "h"})
        drop_frames(store, "h")
    assert spending(ctx).spent == Decimal("83.30")
    with open_store(ctx.db) as store:
        assert store.tuples("rollups", ("version",), "h") == [(classification_version(),)]
        assert store.count("frame_columns", "h") > 0


# ---- classified again by the rows alone that a decision can change

_DAYS = [f"2026-03-{day:02d}" for day in (2, 3, 5, 9)]
_TEXTS = (
    *("COLES 0456 RYDE", "Transfer to savings", "Transfer from everyday", "Payment to card", "Payment thank you"),
    *("Loan repayment", "INTEREST CHARGED", "DINNER", "Transfer xx4444"),
)
_SOME_ROWS = st.lists(
    st.builds(
        lambda cents, day, text, account: movement(f"{cents}.00", day, text, account_id=account),
        st.sampled_from((-50, 50, -70, 70, -9)),
        st.sampled_from(_DAYS),
        st.sampled_from(_TEXTS),
        st.sampled_from(("everyday", "savings", "card", "loan")),
    ),
    min_size=4,
    max_size=14,
)
_IDS = st.sampled_from([f"t{number}" for number in range(5)])
_CATEGORIES = st.sampled_from(("FOOD_AND_DRINK", "LOAN_PAYMENTS", "TRANSFER_OUT", "INCOME", "MINE"))
_SETTINGS = st.sampled_from(
    (
        '{"tag":"trip"}',
        '{"note":"see receipt"}',
        '{"excluded":true}',
        '{"excluded":false}',
        '{"parts":[{"amount_minor":-2000,"category":"FOOD_AND_DRINK"},{"amount_minor":-3000,"category":"INCOME"}]}',
        '{"parts":[]}',
    )
)
_DECISIONS = st.lists(
    st.one_of(
        st.tuples(st.just("category"), _IDS, _CATEGORIES),
        st.tuples(st.just("transaction"), _IDS, _SETTINGS),
        st.tuples(st.just("rule"), st.sampled_from(("coles", "/loan|interest/", "dinner", "transfer")), _CATEGORIES),
        st.tuples(st.just("payee"), st.sampled_from(("Coles", "Dinner")), _CATEGORIES),
        st.tuples(st.just("not_transfer"), _IDS, st.one_of(st.just(""), _IDS)),
        st.tuples(st.just("no_such_transfers"), _IDS, _IDS),
        st.tuples(st.just("transfer"), _IDS, _IDS),
        st.tuples(st.just("own_category"), st.just("MINE"), st.just('{"group":"INCOME"}')),
        st.tuples(st.just("reviewed"), st.just(""), st.just('{"transactions":[],"payees":[]}')),
        st.just(("undo", "", "")),
    ),
    min_size=1,
    max_size=5,
)


@given(_SOME_ROWS, _DECISIONS)
@settings(max_examples=15, deadline=None)
def test_decisions_leave_stored_what_classifying_every_row_gives(
    rows: list[dict[str, Any]], decisions: list[tuple[str, str, str]]
) -> None:
    products = {"card": "CRED_AND_CHRG_CARDS", "loan": "RESIDENTIAL_MORTGAGES"}
    others = [movement(f"-{cents}.00", "2026-03-02", "KIOSK") for cents in range(100, 150)]
    with tempfile.TemporaryDirectory() as folder, home(Path(folder) / "household.db", *rows, *others) as store:
        own = {"household_id": "h", "source": "service"}
        more = [{**own, "id": name, "account_id": name, "product_category": kind} for name, kind in products.items()]
        store.upsert("accounts", more)
        mark_all(store, "h")
        refresh(store, "h")
        for kind, subject, value in decisions:
            with store.transaction(), suppress(UsageError):  # nothing is left to undo
                undo_latest(store, "h") if kind == "undo" else record(store, "h", kind, subject, value)
        household = store.load(HouseholdRow)[0]
        stored, sums = classified(store, household), store.rows("spending_months", "h")
        fresh = classified_now(store, household)
        assert stored.rows.equals(fresh.rows.select(stored.rows.columns))
        assert stored.suggestions.equals(fresh.suggestions)
        mark_all(store, "h")
        refresh(store, "h")
        assert sums == store.rows("spending_months", "h")


def test_a_decision_changes_its_row_and_those_that_could_be_its_other_leg() -> None:
    rows = transactions(
        movement("-50.00", "2026-03-02", "COLES 0456 RYDE"),
        movement("50.00", "2026-03-03", "Transfer from everyday", account_id="savings"),
        movement("-9.00", "2026-03-03", "DINNER"),
        movement("-8.00", "2026-03-04", "DINNER"),
        movement("-7.00", "2026-03-05", "KIOSK"),
    )
    own = accounts({"account_id": "everyday"}, {"account_id": "savings"})
    known = classify(rows, own, zone="Australia/Sydney")
    kept = replace(known, rows=known.rows.with_columns(searchable().alias("text")))

    def ids(kind: str, subject: str, value: str) -> frozenset[str] | None:
        decision = OverrideRow("h", 1, kind, subject, value, active=True)
        found = affected_by(kept, [decision], own, overrides((kind, subject, value)))
        return None if found is None else found.ids

    assert ids("transaction", "t4", '{"tag":"trip"}') == {"t4"}
    assert ids("rule", "coles", "FOOD_AND_DRINK") is None  # two of five rows are many
    assert ids("payee", "Kiosk", "FOOD_AND_DRINK") == {"t4"}
    assert ids("reviewed", "", '{"transactions":[],"payees":[]}') == frozenset()
    assert ids("transfer", "t0", "t1") is None
