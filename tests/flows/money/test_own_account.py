"""Payments to an account of the household's own that is not among the data, and between the people of a household."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money import rules
from toolkit.flows.money.accounts import set_account
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.edits import settings as edits
from toolkit.flows.money.edits.review import list_to_review, mark_fine
from toolkit.flows.money.edits.rule_file import export_rules, import_rules
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.recurring import recurring
from toolkit.flows.money.spending import refresh
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions
from toolkit.flows.money.years.budgets import income, set_budget
from toolkit.flows.report.income_expenses import income_expenses
from toolkit.store import open_store

LAST = date(2026, 6, 30)
MONTHS = [date(2025, month, 12) for month in range(9, 13)] + [date(2026, month, 12) for month in range(1, 7)]
SENT, RETURNED = 10, 1
ROWS = (
    *(movement("-400.00", str(day), "Transfer To Bramble Saver", primary_category="TRANSFER_OUT") for day in MONTHS),
    movement("150.00", "2026-06-20", "Transfer From Bramble Saver", primary_category="TRANSFER_IN"),
    *(movement("-90.00", str(LAST - timedelta(days=7 * week)), "WOOLWORTHS 1") for week in range(40)),
    *(movement("2000.00", str(LAST - timedelta(days=14 * pay)), "SALARY ACME") for pay in range(20)),
)
GROCERIES, PAID = Decimal("3600.00"), Decimal("40000.00")


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "household.db", LAST)
    with home(ctx.db, *ROWS):
        return ctx


def sums(ctx: Context) -> tuple[Decimal, Decimal, Decimal]:
    """Spent, income and transfers; from the roll-ups and, with days, from the rows: they must agree."""
    whole, rows = spending(ctx), spending(ctx, from_=date(2025, 9, 2), to=LAST)
    assert (whole.spent, whole.income, whole.transfers) == (rows.spent, rows.income, rows.transfers)
    assert (whole.notes, whole.note_codes) == (rows.notes, rows.note_codes)
    return whole.spent, whole.income, whole.transfers


def test_a_payee_that_is_an_own_account_is_neither_spending_nor_income(ctx: Context) -> None:
    before = sums(ctx)
    assert before == (GROCERIES + 4000 - 150, PAID, Decimal("0.00"))
    assert spending(ctx).note_codes == ("transfers_count_as_spending",)
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    # only the outgoing legs are `transfers`
    assert sums(ctx) == (GROCERIES, PAID, Decimal("4000.00"))
    assert spending(ctx).note_codes == ()
    moved = [row for row in transactions(ctx).transactions if row.merchant == "Bramble Saver"]
    assert {(row.kind, row.primary_category, row.secondary_category) for row in moved} == {("transfer", None, None)}
    assert len(moved) == SENT + RETURNED
    assert {row.rule for row in moved} == {1}
    assert transactions(ctx, kind="transfer").found.transfers == Decimal("4000.00")
    assert [source.name for source in income(ctx, from_=MONTHS[0], to=LAST)] == ["Acme"]
    with open_store(ctx.db) as store:
        kept = sums(ctx)
        refresh(store, "h")  # classified from the beginning: the same
    assert sums(ctx) == kept
    undo(ctx)
    assert sums(ctx) == before


def test_the_newest_decision_counts_and_one_row_can_be_chosen(ctx: Context) -> None:
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    rules.add_rule(ctx, "Bramble Saver", "rent", payee=True)
    assert sums(ctx)[2] == Decimal("0.00")
    rules.set_category(ctx, "t0", "OWN_ACCOUNT")
    assert sums(ctx) == (GROCERIES + 3600 - 150, PAID, Decimal("400.00"))


def test_a_part_of_a_split_can_go_to_an_own_account(ctx: Context) -> None:
    edits.split(ctx, "t0", [("250", "own account"), ("150", "rent")])
    assert sums(ctx) == (GROCERIES + 4000 - 150 - 250, PAID, Decimal("250.00"))
    (part,) = [row for row in transactions(ctx).transactions if row.id == "t0#1"]
    assert (part.kind, part.primary_category) == ("transfer", None)


def test_it_is_a_line_of_the_file_of_rules(ctx: Context, tmp_path: Path) -> None:
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    export_rules(ctx, tmp_path / "rules.txt")
    assert "Payee: Bramble Saver = Own account" in (tmp_path / "rules.txt").read_text().splitlines()
    other = Context(tmp_path / "other.db", LAST)
    with home(other.db, *ROWS):
        assert import_rules(other, tmp_path / "rules.txt").added == 1
    assert sums(other) == sums(ctx)


def test_cash_flow_has_it_once_on_its_day_and_the_list_of_bills_has_not(ctx: Context) -> None:
    set_account(ctx, "everyday", balance="1000", at=LAST)
    set_account(ctx, "savings", balance="0", at=LAST)

    def due() -> list[tuple[date, Decimal, str]]:
        return [
            (day.date, item.amount, item.source)
            for day in cashflow(ctx, days=40).days
            for item in day.items
            if item.name == "Bramble Saver"
        ]

    assert due() == [(date(2026, 7, 12), Decimal("-400.00"), "detected")]
    before = cashflow(ctx, days=40).days
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    assert due() == [(date(2026, 7, 12), Decimal("-400.00"), "transfer")]
    assert [day.p50 for day in cashflow(ctx, days=40).days] == [day.p50 for day in before]  # the money leaves as before
    assert "Bramble Saver" not in {row.name for row in recurring(ctx).recurring}


def test_the_report_counts_it_no_more(ctx: Context) -> None:
    def lines() -> set[tuple[str, Decimal | None]]:
        return {(line.name, line.total) for line in income_expenses(ctx, from_=date(2025, 7, 1), to=LAST).lines}

    before = lines()
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    assert lines() < before
    assert sum(total or 0 for _, total in before - lines()) == Decimal("3850.00")


def test_it_is_no_group_and_has_no_budget(ctx: Context) -> None:
    for decide in (
        lambda: set_budget(ctx, "own account", "100"),
        lambda: edits.name_category(ctx, "own account", group="travel"),
        lambda: edits.name_category(ctx, "groceries", group="own account"),
        lambda: edits.add_category(ctx, "Boat", group="Own account"),
    ):
        with pytest.raises(UsageError):
            decide()
    assert rules.list_rules(ctx).rules == ()


def test_it_is_asked_for_until_somebody_decides(ctx: Context) -> None:
    (item,) = [each for each in list_to_review(ctx).items if each.kind == "own_account"]
    assert (item.name, item.amount, item.count, item.own_person) == ("Bramble Saver", Decimal("4150.00"), 11, False)
    mark_fine(ctx, [item])
    assert "Bramble Saver" not in {each.name for each in list_to_review(ctx).items}
    undo(ctx)
    rules.add_rule(ctx, "Bramble Saver", "own account", payee=True)
    assert "Bramble Saver" not in {each.name for each in list_to_review(ctx).items}


@pytest.mark.parametrize("another", ["xx3720", "xx9999"])
def test_the_same_account_is_known_by_its_digits_whatever_the_payee_is_called(tmp_path: Path, another: str) -> None:
    """Top Up is the same account where all of it comes from …3720; Holiday has a category."""
    ctx = Context(tmp_path / "household.db", LAST)
    texts = [
        ("-450.00", "Transfer to xx3720 Savings"),
        ("500.00", "Transfer from xx3720 Top up"),
        ("20.00", f"Transfer from {another} Top up"),
        ("30.00", "Transfer from xx3720 Holiday"),
        ("-40.00", "Transfer to xx9999 Quux"),
    ]
    with home(ctx.db, *(movement(amount, f"2026-06-{day:02}", text) for day, (amount, text) in enumerate(texts, 1))):
        pass
    rules.set_category(ctx, "t3", "Other income")
    assert [each.name for each in list_to_review(ctx).items if each.kind == "unnamed"] == []  # part of Top Up
    (item,) = [each for each in list_to_review(ctx).items if each.amount == Decimal("450.00")]
    assert item.name
    assert rules.of_same_account(ctx, item.name) == (("Top Up",) if another == "xx3720" else ())
    rules.add_own_account(ctx, [item.name, "Top Up"], shown=item)
    kinds = {row.merchant: row.kind for row in transactions(ctx).transactions}
    assert (kinds[item.name], kinds["Top Up"]) == ("transfer", "transfer")
    undo(ctx)
    assert {row.kind for row in transactions(ctx).transactions} == {"income", "expense"}


def test_a_decided_leg_meets_its_partner_where_that_is_here(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "household.db", LAST)
    out = movement("-75.00", "2026-05-04", "Payment To Fern Holdings")
    into = movement("75.00", "2026-05-05", "Transfer Deposit", account_id="savings")
    with home(ctx.db, out, into):
        assert spending(ctx).transfers == Decimal("0.00")
    rules.add_rule(ctx, "Fern Holdings", "own account", payee=True)
    shown = {row.id: row.transfer_partner for row in transactions(ctx).transactions}
    assert shown == {"t0": "t1", "t1": "t0"}
    assert (spending(ctx).transfers, spending(ctx).spent) == (Decimal("75.00"), Decimal("0.00"))


COUPLE = ("Mira Castellan", "Jonas Oakley")
TO_JONAS = movement("-600.00", "2026-06-03", "Osko Payment To Jonas Oakley", primary_category="TRANSFER_OUT")
FROM_MIRA = movement(
    "600.00", "2026-06-03", "Osko Payment From Mira Castellan", account_id="savings", primary_category="TRANSFER_IN"
)


def couple(path: Path, *rows: dict) -> Context:
    with home(path, *rows) as store:
        store.upsert("persons", [{"household_id": "h", "name": name} for name in COUPLE])
        refresh(store, "h")
    return Context(path, LAST)


def test_a_couples_payments_to_each_other_are_no_spending_where_both_accounts_are_here(tmp_path: Path) -> None:
    ctx = couple(tmp_path / "household.db", TO_JONAS, FROM_MIRA)
    answer = spending(ctx)
    assert (answer.spent, answer.income, answer.transfers) == (Decimal("0.00"), Decimal("0.00"), Decimal("600.00"))
    assert answer.note_codes == ()
    assert list_to_review(ctx).items == ()


@pytest.mark.parametrize(
    ("row", "spent", "notes"), [(TO_JONAS, "600.00", ("transfers_count_as_spending",)), (FROM_MIRA, "-600.00", ())]
)
def test_where_one_account_is_missing_they_count_and_it_is_said(
    tmp_path: Path, row: dict, spent: str, notes: tuple[str, ...]
) -> None:
    ctx = couple(tmp_path / "household.db", row)
    answer = spending(ctx)
    assert (answer.spent, answer.transfers) == (Decimal(spent), Decimal("0.00"))
    assert answer.note_codes == notes
    (item,) = list_to_review(ctx).items
    assert (item.kind, item.name in COUPLE, item.own_person) == ("own_account", True, True)
