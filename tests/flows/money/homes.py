"""A stored household with accounts and transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolkit.flows.money.spending import mark_all, refresh
from toolkit.store import Store, open_store

HOUSEHOLD = {"household_id": "h", "name": "Home", "timezone": "Australia/Sydney"}

ACCOUNTS = [
    {"household_id": "h", "source": "service", "id": name, "account_id": name, "display_name": name.title()}
    for name in ("everyday", "savings")
]


@contextmanager
def home(path: Path, *rows: dict) -> Iterator[Store]:
    """A store with one household, two accounts and these rows, rolled up."""
    with open_store(path) as store:
        store.upsert("households", [HOUSEHOLD])
        store.upsert("accounts", ACCOUNTS)
        store.upsert("transactions", [{"id": f"t{number}", **row} for number, row in enumerate(rows)])
        mark_all(store, "h")
        refresh(store, "h")
        yield store
