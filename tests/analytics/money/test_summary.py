"""Sums that agree to the cent: worked examples, and laws."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.money.built import accounts, movement, overrides, transactions
from tests.many_cases import examples
from toolkit.frames.money import spending

GROCERIES = {"primary_category": "FOOD_AND_DRINK", "secondary_category": "FOOD_AND_DRINK_GROCERIES"}
CLOTHES = {"primary_category": "GENERAL_MERCHANDISE", "secondary_category": "GENERAL_MERCHANDISE_CLOTHING"}
PAY = {"primary_category": "INCOME", "secondary_category": "INCOME_SALARY"}


def rows_of(answer) -> list[tuple]:
    """The rows as tuples, amounts as text."""
    return answer.rows.frame().with_columns(pl.col("spent").cast(pl.String)).rows()


def test_a_month_worked_by_hand() -> None:
    march = transactions(
        movement("-54.30", "2026-03-02", **GROCERIES),
        movement("-20.15", "2026-03-09", **GROCERIES),
        movement("4.30", "2026-03-10", **GROCERIES),  # a refund
        movement("-30.00", "2026-03-11", **CLOTHES),
        movement("80.00", "2026-03-12", **CLOTHES),  # a refund of something bought in February
        movement("-7.00", "2026-03-13", "cash in hand"),
        movement("2000.00", "2026-03-14", **PAY),
        movement("-150.00", "2026-03-15", **PAY),  # pay taken back
        movement("-500.00", "2026-03-16", "Transfer to savings"),
        movement("500.00", "2026-03-16", "Transfer from everyday", account_id="savings"),
        movement("-9.00", "2026-03-17", status="PENDING", **GROCERIES),
        movement("-90.00", "2026-03-18", currency="USD", **CLOTHES),
    )
    answer = spending(march, accounts())
    assert rows_of(answer) == [
        ("FOOD_AND_DRINK", "FOOD_AND_DRINK_GROCERIES", "70.15", 3),
        (None, None, "7.00", 1),
        ("GENERAL_MERCHANDISE", "GENERAL_MERCHANDISE_CLOTHING", "-50.00", 2),
    ]
    totals = (answer.spent, answer.income, answer.transfers, answer.pending)
    assert totals == (Decimal("27.15"), Decimal("1850.00"), Decimal("500.00"), Decimal("9.00"))
    (dollars,) = answer.other_currencies
    assert (dollars.currency, dollars.spent, dollars.count) == ("USD", Decimal("90.00"), 1)
    assert (answer.from_, answer.to) == (date(2026, 3, 2), date(2026, 3, 18))
    with_pending = spending(march, accounts(), pending=True)
    assert rows_of(with_pending)[0][2:] == ("79.15", 4)
    assert (with_pending.spent, with_pending.pending) == (Decimal("36.15"), Decimal("9.00"))


def test_both_ends_of_the_range_count_and_rows_without_a_date_are_in_none() -> None:
    rows = transactions(
        *(movement("-1.00", day) for day in ("2025-06-30", "2025-07-01", "2026-06-30", "2026-07-01", None))
    )
    year = spending(rows, accounts(), from_=date(2025, 7, 1), to=date(2026, 6, 30))
    assert year.spent == 2
    assert spending(rows, accounts()).spent == 5
    months = spending(rows, accounts(), months=True).rows.frame()
    assert months["month"].to_list() == ["2025-06", "2025-07", "2026-06", "2026-07", None]


def test_by_merchant_one_spelling_and_by_account_the_linked_one() -> None:
    rows = transactions(
        movement("-1.00", merchant_name="Corner Store"),
        movement("-2.00", merchant_name="CORNER STORE", account_id="export"),
        movement("-4.00"),
    )
    assert rows_of(spending(rows, accounts(), by="merchant")) == [(None, "4.00", 1), ("Corner Store", "3.00", 2)]
    both = accounts({"account_id": "everyday"}, {"account_id": "export", "source": "file"})
    linked = overrides(("link", "export", '[["export", "everyday"]]'))
    assert rows_of(spending(rows, both, by="account", overrides=linked)) == [("everyday", "7.00", 3)]


def test_nothing_stored_is_nothing_spent() -> None:
    assert spending(transactions(movement("-1.00")), accounts()[:0]).spent == 1
    nothing = spending(transactions(), accounts()[:0])
    assert (nothing.spent, nothing.income, nothing.from_, len(nothing.rows)) == (0, 0, None, 0)


DAYS = st.dates(date(2025, 3, 25), date(2025, 7, 10)).map(str)
MOMENTS = st.tuples(DAYS, st.sampled_from(["T00:00:00Z", "T13:30:00Z", "T14:30:00Z", "T23:59:59+08:00", ""])).map(
    "".join
)
KINDS = st.sampled_from([GROCERIES, CLOTHES, PAY, {}, {"type": "TRANSFER_OUTGOING"}, {"type": "TRANSFER_INCOMING"}])
CENTS = st.integers(-300, 300).map(lambda cents: f"{cents / 100:.2f}")
MORE = st.fixed_dictionaries(
    {"account_id": st.sampled_from(["everyday", "savings"]), "status": st.sampled_from(["POSTED", "PENDING"])}
)
ROWS = st.lists(
    st.builds(
        lambda amount, moment, kind, more: movement(amount, moment, **kind, **more),
        *(CENTS, MOMENTS, KINDS, MORE),
    ),
    min_size=16,
    max_size=40,
)  # fmt: skip
"""Many rows in few examples: a call takes as long for 40 rows as for one."""
BY = st.sampled_from(["category", "merchant", "account"])
FEW = settings(max_examples=examples(6))


@given(ROWS, BY, st.booleans())
@FEW
def test_rows_sum_to_the_whole_however_they_are_cut(rows, by, pending) -> None:
    table = transactions(*rows)
    whole = spending(table, accounts(), by=by, pending=pending)
    months = spending(table, accounts(), by=by, pending=pending, months=True)
    middle = date(2025, 5, 10)
    parts = [
        spending(table, accounts(), by=by, pending=pending, to=middle),
        spending(table, accounts(), by=by, pending=pending, from_=middle + timedelta(days=1)),
    ]
    assert sum(row.spent for row in whole.rows) == whole.spent == sum(row.spent for row in months.rows)
    assert sum(row.count for row in whole.rows) == sum(row.count for row in months.rows)
    assert sum(part.spent for part in parts) == whole.spent
    assert sum(part.income for part in parts) == whole.income
    assert sum(part.transfers for part in parts) == whole.transfers


@given(ROWS, st.randoms(use_true_random=False))
@FEW
def test_the_order_of_the_rows_changes_nothing(rows, random) -> None:
    named = [{**row, "id": f"t{number}"} for number, row in enumerate(rows)]
    shuffled = random.sample(named, len(named))
    first, second = (spending(transactions(*order), accounts(), months=True) for order in (named, shuffled))
    assert first.rows == second.rows
    assert (first.income, first.transfers) == (second.income, second.transfers)


@given(ROWS, st.integers(1, 10_000))
@FEW
def test_a_refund_reduces_exactly_one_category(rows, cents) -> None:
    refund = {**movement("0.00", "2025-05-01", **CLOTHES), "amount_minor": cents, "id": "refund"}
    before, after = spending(transactions(*rows), accounts()), spending(transactions(*rows, refund), accounts())
    keys = ["primary_category", "secondary_category"]
    both = (
        before.rows.frame().join(after.rows.frame(), on=keys, how="full", coalesce=True, nulls_equal=True).fill_null(0)
    )
    changed = both.filter(pl.col("spent") != pl.col("spent_right"))
    assert changed["secondary_category"].to_list() == [CLOTHES["secondary_category"]]
    assert after.spent == before.spent - Decimal(cents) / 100
    assert after.income == before.income


@given(ROWS)
@FEW
def test_a_pair_of_transfers_changes_only_transfers(rows) -> None:
    legs = (
        movement("-777.00", "2025-05-01", "Transfer to savings", id="out"),
        movement("777.00", "2025-05-02", "Transfer from everyday", account_id="savings", id="in"),
    )
    before, after = spending(transactions(*rows), accounts()), spending(transactions(*rows, *legs), accounts())
    assert before.rows == after.rows
    assert (after.income, after.transfers) == (before.income, before.transfers + 777)


@given(ROWS, st.integers(1, 10_000))
@FEW
def test_pending_moves_a_row_between_exactly_two_totals(rows, cents) -> None:
    row = {**movement("0.00", "2025-05-01", **CLOTHES), "amount_minor": -cents, "id": "x"}
    posted = spending(transactions(*rows, row), accounts())
    pending = spending(transactions(*rows, {**row, "status": "PENDING"}), accounts())
    assert posted.spent - Decimal(cents) / 100 == pending.spent
    assert posted.pending + Decimal(cents) / 100 == pending.pending
    assert (posted.income, posted.transfers) == (pending.income, pending.transfers)


@given(ROWS)
@FEW
def test_every_expense_is_in_exactly_one_month_of_every_zone(rows) -> None:
    count = sum(row.count for row in spending(transactions(*rows), accounts()).rows)
    for zone in ("Australia/Sydney", "Australia/Perth", "Australia/Brisbane"):
        months = spending(transactions(*rows), accounts(), zone=zone, months=True)
        assert sum(row.count for row in months.rows) == count
