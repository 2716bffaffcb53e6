"""`rules`: what people decide shows at once and can be undone."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.answers.decisions import Override, TransferSuggestion
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money import rules
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.summary import spending

ROWS = (
    movement("-10.00", "2026-03-01", "CORNER SHOP"),
    movement("-20.00", "2026-03-02", "Corner shop 77"),
    movement("-500.00", "2026-03-05", "Transfer to savings"),
    movement("500.00", "2026-03-06", "DEPOSIT", account_id="savings"),
)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "household.db", date(2026, 3, 31))
    with home(ctx.db, *ROWS):
        return ctx


def spent(ctx: Context) -> dict[str | None, Decimal]:
    return {row.secondary_category or row.primary_category: row.spent for row in spending(ctx).rows}


def test_a_rule_is_tried_added_removed_and_brought_back(ctx: Context) -> None:
    tried = rules.try_rule(ctx, "corner shop", "travel lodging")
    assert [row.id for row in tried.transactions] == ["t1", "t0"]
    assert tried.category == "TRAVEL_LODGING"
    assert "TRAVEL_LODGING" not in spent(ctx)
    assert rules.add_rule(ctx, "corner shop", "TRAVEL_LODGING").added.number == 1
    assert spent(ctx)["TRAVEL_LODGING"] == Decimal("30.00")
    rules.set_category(ctx, "t0", "MEDICAL")
    assert (spent(ctx)["TRAVEL_LODGING"], spent(ctx)["MEDICAL"]) == (Decimal("20.00"), Decimal("10.00"))
    assert [row.id for row in rules.try_rule(ctx, "corner shop").transactions] == ["t1"]
    rules.remove_rule(ctx, 1)
    assert "TRAVEL_LODGING" not in spent(ctx)
    assert [rule.number for rule in rules.list_rules(ctx).rules] == [2]
    undo(ctx)
    assert spent(ctx)["TRAVEL_LODGING"] == Decimal("20.00")
    undo(ctx)
    assert spent(ctx)["TRAVEL_LODGING"] == Decimal("30.00")
    undo(ctx)
    assert rules.list_rules(ctx).rules == ()
    with pytest.raises(UsageError):
        undo(ctx)


def test_a_suggested_transfer_is_accepted_or_rejected(ctx: Context) -> None:
    suggestion = TransferSuggestion("t2", "t3", date(2026, 3, 5), Decimal("500.00"), "AUD")
    assert rules.list_rules(ctx).suggestions == (suggestion,)
    assert spending(ctx).transfers == 0
    assert rules.accept_transfer(ctx, "t3", "t2").added == Override(1, "transfer", "t2", "t3")  # in any order
    assert spending(ctx).transfers == Decimal("500.00")
    undo(ctx)
    rules.reject_transfer(ctx, "t2", "t3")
    assert rules.list_rules(ctx).suggestions == ()
    assert spending(ctx).transfers == 0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda ctx: rules.add_rule(ctx, " ", "MEDICAL"),
        lambda ctx: rules.add_rule(ctx, "/(/", "MEDICAL"),
        lambda ctx: rules.add_rule(ctx, "shop", " "),
        lambda ctx: rules.set_category(ctx, "t99", "MEDICAL"),
        lambda ctx: rules.accept_transfer(ctx, "t0", "t1"),
        lambda ctx: rules.accept_transfer(ctx, "t0", "t3"),
        lambda ctx: rules.remove_rule(ctx, 1),
    ],
)
def test_what_cannot_be_is_said(ctx: Context, wrong) -> None:
    with pytest.raises(UsageError):
        wrong(ctx)
    assert rules.list_rules(ctx).rules == ()


def test_undo_takes_back_the_latest_decision_of_any_kind(ctx: Context) -> None:
    rules.accept_transfer(ctx, "t2", "t3")
    rules.add_rule(ctx, "corner shop", "TRAVEL_LODGING")
    assert undo(ctx).undone.kind == "rule"
    assert undo(ctx).undone == Override(1, "transfer", "t2", "t3")
    assert spending(ctx).transfers == 0
