"""Questions about a million stored transactions, beside the time that is meant and pandas on the same rows."""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pandas as pd

from tests.benchmarks.harness import Action, Result, Times, side_by_side
from toolkit.flows.household.context import Context
from toolkit.flows.money.overrides import record, undo
from toolkit.flows.money.spending import refresh
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store
from toolkit.tables.schema import table

ROWS, FEWER_ROWS = 1_000_000, 100_000
ACCOUNTS, DAYS = 4, 3_700
PAGE = 20_000
HOME = "home_0123456789ab"
SHOPS = tuple(
    f"{first} {second}"
    for first in ("Blue", "Green", "Happy", "Corner", "Little", "Golden", "Old", "Royal", "Sunny", "River")
    for second in ("Cafe", "Bakery", "Butcher", "Pharmacy", "Florist", "Deli", "Books", "Hardware", "Gym", "Motors")
)
SUBURBS = ("Newtown NSW", "Fitzroy VIC", "Carlton VIC", "Toowong QLD", "Glenelg SA", "Subiaco WA", "Hobart TAS")
FIRST, LAST = date(2020, 3, 5), date(2024, 2, 7)


def filled(path: Path, rows: int) -> Path:
    """Store a household with so many transactions in four accounts over ten years, classified."""
    chance, names = random.Random(5), table("transactions").names  # made up, the same every time
    page = []
    with open_store(path) as store:
        store.upsert("households", [{"household_id": HOME, "name": "Home"}])
        own = {"household_id": HOME, "source": "file"}
        accounts = [f"account {number}" for number in range(ACCOUNTS)]
        store.upsert("accounts", [{**own, "id": account, "account_id": account} for account in accounts])
        for nth in range(rows):
            day = date(2016, 7, 1) + timedelta(nth * DAYS // rows)
            shop = f"{chance.choice(SHOPS)} {chance.randrange(100, 140)} {chance.choice(SUBURBS)}"
            cents = -chance.randrange(200, 30_000)
            row = {
                **own, "id": f"{chance.getrandbits(96):024x}", "account_id": chance.choice(accounts),
                "status": "POSTED", "amount": f"{cents / 100:.2f}", "amount_minor": cents, "currency": "AUD",
                "posting_date_time": f"{day}T00:00:00+10:00", "description": f"VISA DEBIT PURCHASE {shop}",
            }  # fmt: skip
            page.append(tuple(row.get(name) for name in names))
            if len(page) == PAGE or nth == rows - 1:
                store.upsert("transactions", page)
                page = []
        refresh(store, HOME)
    return path


def by_pandas(path: Path) -> object:
    """Sum by account and month as somebody would who knows pandas and the database."""
    with closing(sqlite3.connect(path)) as db:
        rows = pd.read_sql_query("SELECT account_id, posting_date_time, amount_minor FROM transactions", db)
    return rows.groupby(["account_id", rows["posting_date_time"].str.slice(0, 7)])["amount_minor"].sum()


def results(repeats: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        path = filled(Path(folder) / "many.db", ROWS)
        ctx = Context(path, date(2026, 11, 1))
        questions: dict[str, tuple[Action, float]] = {
            "month × category": (partial(spending, ctx, months=True), 0.1),
            "categories of some days": (partial(spending, ctx, from_=FIRST, to=LAST), 0.1),
            "payees": (partial(spending, ctx, by="merchant"), 0.1),
            "two ranges": (partial(spending, ctx, from_=FIRST, to=LAST, against="previous"), 0.1),
            "one account, newest 500": (partial(transactions, ctx, account="account 1", limit=500), 0.1),
            "text search, newest 500": (partial(transactions, ctx, search="blue bakery", limit=500), 0.1),
        }
        for what, (question, seconds) in questions.items():
            ours, theirs = side_by_side(question, partial(by_pandas, path), repeats)
            meant = Times(seconds, seconds)
            yield Result(f"{ROWS:,} transactions: {what}", ours, theirs, "pandas: sums by account and month", 0.1)
            yield Result(f"{ROWS:,} transactions: {what}", ours, meant, f"{1_000 * seconds:.0f} ms", 1)
        fewer = filled(Path(folder) / "fewer.db", FEWER_ROWS)
        ours, theirs = side_by_side(partial(decide, fewer), partial(by_pandas, fewer), repeats)
        yield Result(f"{FEWER_ROWS:,} transactions: a rule and its undo", ours, theirs, "pandas: one sum")


def decide(path: Path) -> None:
    """Add a rule and take it back."""
    with open_store(path) as store, store.transaction():
        record(store, HOME, "rule", "corner deli", "FOOD_AND_DRINK")
    undo(Context(path, date(2026, 11, 1)))
