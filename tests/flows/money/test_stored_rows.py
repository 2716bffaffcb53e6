"""What transactions are classified as is stored with them: questions read it, and it is never out of date."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.analytics.money.transactions import newest_first
from toolkit.flows.household.context import Context
from toolkit.flows.money.overrides import record, undo
from toolkit.flows.money.spending import classified, mark_all, refresh, spending
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store
from toolkit.store.frame_columns import drop_frames, keep_frame, kept_frame
from toolkit.tables.classification import classification_version
from toolkit.tables.schema.identity import HouseholdRow

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
    before = transactions(ctx)
    undo(ctx)
    assert transactions(ctx) != before


def test_other_rules_of_the_program_classify_anew_at_the_next_opening(ctx: Context) -> None:
    with home(ctx.db, *ROWS) as store:
        store.update("rollups", {"version": "1-00000000", "basis": "00000000"}, {"household_id": "h"})
        drop_frames(store, "h")
    assert spending(ctx).spent == Decimal("83.30")
    with open_store(ctx.db) as store:
        assert store.tuples("rollups", ("version",), "h") == [(classification_version(),)]
        assert store.count("frame_columns", "h") > 0
