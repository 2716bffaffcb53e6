"""Small tables, said by what matters in them; every other column is null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from toolkit.analytics.money.classify import classify
from toolkit.tables.data_types import frame_schema
from toolkit.tables.schema import table


def frame(name: str, rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    types = frame_schema(table(name))
    assert all(set(row) <= set(types) for row in rows)
    return pl.DataFrame([{column: row.get(column) for column in types} for row in rows], types)


def movement(amount: str, day: str | None = "2026-03-10", description: str = "", **more: Any) -> dict[str, Any]:
    """One posted AUD row of the account `everyday`; the amount as dollars, the day as an execution date-time."""
    return {
        "household_id": "h",
        "source": "service",
        "account_id": "everyday",
        "status": "POSTED",
        "amount": amount,
        "amount_minor": int(amount.replace(".", "")),
        "currency": "AUD",
        "execution_date_time": day and (day if "T" in day else f"{day}T00:00:00+10:00"),
        "description": description,
        **more,
    }


def transactions(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows get the ids t0, t1, … in order where they have none."""
    return frame("transactions", [{"id": f"t{number}", **row} for number, row in enumerate(rows)])


def accounts(*rows: dict[str, Any]) -> pl.DataFrame:
    """Accounts by id; without arguments an everyday account, a savings account, a card and a home loan."""
    usual = (
        {"account_id": "everyday", "account_number": "111222333", "product_category": "TRANS_AND_SAVINGS_ACCOUNTS"},
        {"account_id": "savings", "account_number": "444555666", "product_category": "TRANS_AND_SAVINGS_ACCOUNTS"},
        {"account_id": "card", "masked_number": "xxxx xxxx xxxx 7788", "product_category": "CRED_AND_CHRG_CARDS"},
        {"account_id": "loan", "account_number": "999888777", "product_category": "RESIDENTIAL_MORTGAGES"},
    )
    given = rows or usual
    return frame(
        "accounts", [{"household_id": "h", "source": "service", "id": row["account_id"], **row} for row in given]
    )


def overrides(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Overrides as (kind, subject, value), numbered from 1, all active."""
    return frame(
        "choices",
        [
            {"household_id": "h", "number": number, "kind": kind, "subject": subject, "value": value, "active": True}
            for number, (kind, subject, value) in enumerate(rows, 1)
        ],
    )


def found(*rows, chosen=(), people=()):
    """({(outgoing, incoming)} taken, the same only suggested), by the rows' places."""
    chosen = overrides(*chosen)
    known = classify(transactions(*rows), accounts(), zone="Australia/Sydney", overrides=chosen, people=people)
    pairs = known.rows.filter(known.rows["partner"].is_not_null(), known.rows["amount_minor"] < 0)
    return set(pairs.select("id", "partner").iter_rows()), set(known.suggestions.select("out_id", "in_id").iter_rows())
