"""Bank rows of one's own: what they come to, and what is refused in a sentence that names column and row."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pytest

import toolkit

ROWS = pl.DataFrame(
    {
        "day": [date(2026, 2, 1), date(2026, 2, 1), date(2026, 3, 3), date(2026, 3, 4)],
        "aud": [-45.6, -45.6, -4.4, 2000.0],
        "text": ["SHOP", "SHOP", "CAFE", "SALARY ACME PTY LTD"],
        "bank": ["everyday", "everyday", "card", "everyday"],
    }
)
NAMES = {"date": "day", "amount": "aud", "description": "text"}


def test_spending_of_a_frame() -> None:
    for frame in (ROWS, ROWS.to_pandas(), ROWS.to_arrow(), ROWS.with_columns(pl.col("aud").cast(pl.Decimal(10, 2)))):
        transactions, accounts = toolkit.transactions(frame, **NAMES, account="bank")
        assert accounts["account_id"].to_list() == ["everyday", "card"]
        answer = toolkit.spending(transactions, accounts, by="account", from_=date(2026, 2, 1), to=date(2026, 3, 31))
        assert (answer.spent, answer.income) == (Decimal("95.60"), Decimal("2000.00"))  # equal rows are two purchases
        assert {row.account_id: row.spent for row in answer.rows} == {
            "everyday": Decimal("91.20"),
            "card": Decimal("4.40"),
        }


def test_times_with_a_zone_count_on_their_local_day() -> None:
    late = pd.DataFrame({"t": pd.DatetimeIndex(["2026-01-31 20:00"], tz="UTC"), "a": [-1], "d": ["X"]})
    transactions, accounts = toolkit.transactions(late, date="t", amount="a", description="d")
    of_sydney = toolkit.spending(transactions, accounts, months=True, zone="Australia/Sydney")
    assert [row.month for row in of_sydney.rows] == ["2026-02"]
    assert [row.month for row in toolkit.spending(transactions, accounts, months=True, zone="UTC").rows] == ["2026-01"]


def test_other_currencies_are_not_added_up() -> None:
    transactions, accounts = toolkit.transactions(
        ROWS.with_columns(c=pl.Series(["aud", "USD", "aud", "aud"])), **NAMES, currency="c"
    )
    assert toolkit.spending(transactions, accounts).spent == Decimal("50.00")


REFUSED = {
    "a fraction of a cent": (ROWS.with_columns(aud=pl.Series([-1.0, -1.005, -1.0, 1.0])), {}, ["'aud'", "row 1"]),
    "no amount": (ROWS.with_columns(aud=pl.Series([-1.0, None, -1.0, 1.0])), {}, ["'aud'", "row 1"]),
    "an infinite amount": (ROWS.with_columns(aud=pl.Series([float("inf"), -1.0, -1.0, 1.0])), {}, ["'aud'", "row 0"]),
    "amounts as text": (ROWS.with_columns(pl.col("aud").cast(pl.String)), {}, ["'aud'"]),
    "dates as text": (ROWS.with_columns(pl.col("day").cast(pl.String)), {}, ["'day'"]),
    "an id twice": (ROWS, {"id": "text"}, ["'text'", "row 0"]),
    "no such column": (ROWS, {"account": "iban"}, ["'iban'"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_counted_wrongly_is_refused(name: str) -> None:
    frame, options, said = REFUSED[name]
    with pytest.raises(toolkit.FrameError) as refused:
        toolkit.transactions(frame, **NAMES, **options)
    assert [word for word in said if word not in str(refused.value)] == []


def test_rows_given_twice_are_never_summed() -> None:
    transactions, accounts = toolkit.transactions(ROWS, **NAMES)
    with pytest.raises(toolkit.FrameError, match="'id'"):
        toolkit.spending(pl.concat([transactions, transactions]), accounts)
    with pytest.raises(toolkit.FrameError, match="transactions"):
        toolkit.spending(ROWS, accounts)


def test_naive_times_are_local_ones() -> None:
    when = [datetime.fromisoformat("2026-01-31T23:30")]
    frame = pl.DataFrame({"t": when, "a": [-1], "d": ["X"]})
    transactions, accounts = toolkit.transactions(frame, date="t", amount="a", description="d")
    assert [row.month for row in toolkit.spending(transactions, accounts, months=True).rows] == ["2026-01"]


def _fortnights(last: date, count: int) -> list[tuple[date, str, float]]:
    days = [last - timedelta(days=14 * back) for back in reversed(range(count))]
    return [row for day in days for row in ((day, "SALARY ACME PTY LTD", 2000.0), (day, "RAY WHITE RENT", -1500.0))]


def test_days_since_the_rows_ended_are_projected_too() -> None:
    """Rows to Thursday 5 March, looked at on 1 April: 500 dollars were left on 19 March as on each such Thursday."""
    rows = pl.DataFrame(_fortnights(date(2026, 3, 5), 10), ["day", "text", "aud"], orient="row")
    transactions, accounts = toolkit.transactions(rows, **NAMES)
    bank = accounts["account_id"].item()
    balances = pl.DataFrame({"account_id": [bank], "date": [date(2026, 3, 5)], "balance": [1000.0]})
    answer = toolkit.cashflow(transactions, accounts, balances, today=date(2026, 4, 1), days=14)
    assert (answer.start, answer.start_day, answer.note_codes[0]) == (
        *(1000, date(2026, 3, 5)),
        "balances_estimated_since",
    )
    assert [(day.date.day, day.p50) for day in answer.days[:3]] == [(1, 1500), (2, 2000), (3, 2000)]
    assert [day.p50 for day in answer.accounts[0].days[:2]] == [1500, 2000]
    read = balances.with_columns(date=date(2026, 3, 31), balance=pl.lit(1234.0))  # the balance alone is newer
    fresh = toolkit.cashflow(transactions, accounts, read, today=date(2026, 4, 1), days=14)
    assert (fresh.start, fresh.start_day) == (1234, date(2026, 3, 31))
    assert [day.p50 for day in fresh.days[:2]] == [1234, 1734]
    assert (toolkit.recurring(transactions, accounts, today=date(2026, 4, 1)).notes, answer.to) == (
        (),
        date(2026, 4, 14),
    )


def test_tables_that_were_elsewhere_in_between_mean_the_same() -> None:
    """Tables come back from pyarrow and DuckDB without the data types of polars."""
    transactions, accounts = toolkit.transactions(ROWS, **NAMES, account="bank")
    expected = toolkit.cashflow(transactions, accounts, today=date(2026, 3, 5))
    assert toolkit.cashflow(transactions.to_arrow(), accounts.to_arrow(), today=date(2026, 3, 5)) == expected
    again, owned = duckdb.sql("from transactions"), duckdb.sql("from accounts")
    assert toolkit.spending(again, owned) == toolkit.spending(transactions, accounts)
    assert toolkit.cashflow(again, owned, today=date(2026, 3, 5)) == expected
    rows = toolkit.classify(transactions, accounts).rows
    assert toolkit.classify(transactions.lazy(), accounts.lazy()).rows.equals(rows)
