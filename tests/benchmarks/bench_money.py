"""Questions about a million stored transactions, beside the time that is meant and other tools on the same rows.

Each question is asked in a process of its own: `first` is the first answer after the imports, with the database open
for the first time, `again` the least of those after it; the command is timed whole, from starting Python to its last
byte. hledger and bean-query, where they are on the PATH, read a journal of fewer of the rows, as their time and memory
grow with every row; DuckDB reads the stored table into memory first, which is not timed, and pandas the database.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, timedelta
from functools import partial
from itertools import product
from pathlib import Path

import msgspec
import pandas as pd

from tests.benchmarks.harness import Action, Result, Times, exactly, seconds, side_by_side, summary
from toolkit.analytics.money.classify import classify
from toolkit.flows.household.context import Context
from toolkit.flows.money.overrides import record, undo
from toolkit.flows.money.spending import refresh
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store
from toolkit.tables.schema import table

ROWS, FEWER_ROWS, PEER_ROWS = 1_000_000, 100_000, 10_000
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


def questions(path: Path) -> dict[str, Action]:
    ctx = Context(path, date(2026, 11, 1))
    return {
        "categories of a range": partial(spending, ctx, from_=FIRST, to=LAST),
        "payees of a range": partial(spending, ctx, by="merchant", from_=FIRST, to=LAST),
        "accounts of a range": partial(spending, ctx, by="account", from_=FIRST, to=LAST),
        "two ranges compared": partial(spending, ctx, from_=FIRST, to=LAST, against="previous"),
        "one account, newest 500": partial(transactions, ctx, account="account 1", limit=500),
        "one payee, newest 500": partial(transactions, ctx, payee="Blue Bakery", limit=500),
        "text search, newest 500": partial(transactions, ctx, search="blue bakery", limit=500),
        "text search, sums over all that is found": partial(transactions, ctx, search="visa debit", limit=1),
    }


class Asked(msgspec.Struct, frozen=True):
    """How long a question took in a process of its own, in seconds; peak: most memory of the process, in MB."""

    first: float
    again: float
    peak: float


def ask(path: Path, name: str) -> Asked:
    """Ask a question three times and say how long it took; runs in a process of its own."""
    question = questions(path)[name]
    first, *again = (seconds(question) for _ in range(3))
    return Asked(first, min(again), most_memory())


def most_memory() -> float:
    """The most memory of this process, in MB. `ru_maxrss` begins with that of the process that started this one."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def asked(path: Path, name: str, repeats: int) -> list[Asked]:
    command = [sys.executable, "-m", "tests.benchmarks.bench_money", str(path), name]
    runs = (subprocess.run(command, check=True, capture_output=True).stdout for _ in range(repeats))
    return [msgspec.json.decode(answered, type=Asked) for answered in runs]


def run(*command: str, environment: Mapping[str, str] | None = None) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)


def compiled_in(folder: Path) -> dict[str, str]:
    """The environment of a command whose modules Python has compiled, as it does where a package is installed."""
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return here | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def by_pandas(path: Path) -> object:
    """Sum by account and month as somebody would who knows pandas and the database."""
    with closing(sqlite3.connect(path)) as db:
        rows = pd.read_sql_query("SELECT account_id, posting_date_time, amount_minor FROM transactions", db)
    return rows.groupby(["account_id", rows["posting_date_time"].str.slice(0, 7)])["amount_minor"].sum()


def journals(path: Path, folder: Path, rows: int) -> tuple[Path, Path]:
    """Write the newest transactions as a journal of hledger and as one of beancount, by account and shop."""
    query = "SELECT substr(posting_date_time, 1, 10), account_id, description, amount_minor FROM transactions "
    with closing(sqlite3.connect(path)) as db:
        stored = db.execute(query + "ORDER BY posting_date_time DESC, id LIMIT ?", (rows,)).fetchall()
    hledger, beancount = [], [f"2016-01-01 open Assets:Account-{number}" for number in range(ACCOUNTS)]
    shops = ["-".join(shop.split()) for shop in SHOPS]
    beancount += [f"2016-01-01 open Expenses:{shop}" for shop in shops]
    for day, account, text, cents in reversed(stored):
        shop = "-".join(text.split()[3:5])
        amount, own = f"{-cents / 100:.2f} AUD", f"Assets:Account-{account.split()[1]}"
        hledger.append(f"{day} {text}\n    Expenses:{shop}  {amount}\n    {own}\n")
        beancount.append(f'{day} * "{text}"\n  Expenses:{shop}  {amount}\n  {own}\n')
    found = folder / "money.journal", folder / "money.beancount"
    found[0].write_text("\n".join(hledger))
    found[1].write_text("\n".join(beancount))
    return found


def peers(path: Path, folder: Path) -> Iterator[tuple[str, Action]]:
    """Yield the other tools that are installed, each with its own month by category, or by account."""
    hledger, beancount = journals(path, folder, PEER_ROWS)
    few = f"{PEER_ROWS:,} of the rows"
    if program := shutil.which("hledger"):
        yield f"hledger balance -M, {few}", partial(run, program, "-f", str(hledger), "balance", "-M", "Expenses")
    if program := shutil.which("bean-query"):
        query = "SELECT year, month, account, sum(position) WHERE account ~ 'Expenses' GROUP BY year, month, account"
        yield f"bean-query, {few}", partial(run, program, "-q", str(beancount), query)
    yield "pandas: read, sums by account and month", partial(by_pandas, path)
    try:
        import duckdb
    except ImportError:
        return
    with closing(sqlite3.connect(path)) as db:
        rows = pd.read_sql_query("SELECT account_id, posting_date_time, amount_minor FROM transactions", db)
    memory = duckdb.connect()
    memory.register("given", rows)
    memory.execute("CREATE TABLE kept AS SELECT * FROM given")
    grouped = "SELECT account_id, posting_date_time[:7] m, sum(amount_minor) FROM kept GROUP BY ALL"
    yield "DuckDB, rows in its memory: sums by account and month", lambda: memory.execute(grouped).fetchall()


def results(repeats: int) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("BENCH_MONEY_DB")
        path = Path(kept) if kept else filled(Path(folder) / "many.db", ROWS)
        rows = f"{ROWS:,} transactions"
        command = [sys.executable, "-m", "toolkit", "spending", "--months", "--json", "--db", str(path)]
        environment = compiled_in(Path(folder))
        cold, bare = side_by_side(
            partial(run, *command, environment=environment), partial(run, sys.executable, "-c", "pass"), repeats
        )
        meant = Times(bare.least + 0.08, bare.median + 0.08)
        yield Result(f"{rows}: month × category, the whole command", cold, meant, "Python alone and 80 ms", 1)
        for name, action in peers(path, Path(folder)):
            theirs = summary([seconds(action) for _ in range(3)])
            yield Result(f"{rows}: month × category, the whole command", cold, theirs, name)
        peak = 0.0
        for name in questions(path):
            found = asked(path, name, min(repeats, 3))
            first, again = (summary([getattr(each, kind) for each in found]) for kind in ("first", "again"))
            peak = max(peak, *(each.peak for each in found))
            goal = 0.6 if "sums over" in name else 0.4
            yield Result(f"{rows}: {name}, first", first, exactly(goal), f"{1_000 * goal:.0f} ms", 1)
            if "sums over" not in name:
                yield Result(f"{rows}: {name}, again", again, exactly(0.1), "100 ms", 1)
        yield Result(f"{rows}: most memory of these", exactly(peak), exactly(400), "400 MB", 1, "MB")
        whole, added = sizes(path)
        yield Result(f"{rows}: what the database grows by", exactly(added), exactly(whole), "without it", 0.4, "MB")
        yield from decisions(Path(folder), repeats)


def sizes(path: Path) -> tuple[float, float]:
    """Return MB of the database without what is kept of classified rows, and of that."""
    kept = ("frame_columns", "spending_months", "rollups", "key_frame_columns", "key_spending_months", "key_rollups")
    with closing(sqlite3.connect(path)) as db:
        pages = dict(db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
    added = sum(size for name, size in pages.items() if name in kept or name.startswith("idx_spending_months"))
    return (sum(pages.values()) - added) / 1e6, added / 1e6


def decisions(folder: Path, repeats: int) -> Iterator[Result]:
    fewer = filled(folder / "fewer.db", FEWER_ROWS)
    ours, theirs = side_by_side(partial(decide, fewer), partial(by_pandas, fewer), repeats)
    yield Result(f"{FEWER_ROWS:,} transactions: a rule and its undo", ours, theirs, "pandas: one sum")
    with open_store(fewer) as store:
        rows, accounts = store.read("transactions", HOME), store.read("accounts", HOME)
        without = store.read("choices", HOME)
        for shop, number in product(SHOPS, range(100, 105)):
            record(store, HOME, "rule", f"{shop.lower()} {number}", "FOOD_AND_DRINK")
        rules = store.read("choices", HOME)

    def classified(overrides: object) -> None:
        classify(rows, accounts, zone="Australia/Sydney", overrides=overrides)

    some, none = side_by_side(partial(classified, rules), partial(classified, without), repeats)
    more = Times(some.least - none.least, some.median - none.median)
    yield Result(f"500 rules, added to classifying {FEWER_ROWS:,} rows", more, exactly(0.3), "300 ms", 1)


def decide(path: Path) -> None:
    """Add a rule and take it back."""
    with open_store(path) as store, store.transaction():
        record(store, HOME, "rule", "corner deli", "FOOD_AND_DRINK")
    undo(Context(path, date(2026, 11, 1)))


if __name__ == "__main__":
    print(msgspec.json.encode(ask(Path(sys.argv[1]), sys.argv[2])).decode())
