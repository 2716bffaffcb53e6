"""A household with 100,000 transactions and two years of 5-minute reads, made by the embedded service and by rule."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from unittest.mock import patch

from tests.benchmarks.bench_money import SHOPS, SUBURBS
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.sandbox.world import people
from toolkit.store import open_store

TRANSACTIONS = 100_000
YEARS = 10
TODAY = date(2026, 6, 20)
ACCOUNTS = ("12345678", "87654321")


def make(db: Path) -> Path:
    """Store the demo family with a 5-minute meter, and ten years of a bank's export: 100,000 rows in all."""
    metered = replace(people.FAMILY, five_minute_from_days_ago=800)
    context = Context(db, TODAY)
    with patch.object(people, "PERSONAS", (people.RENTER, metered, people.SOLAR_BATTERY)):
        demo(context)
    with open_store(db) as store:
        stored = store.count("transactions")
    export = db.with_name("bank.csv")
    _write_export(export, TRANSACTIONS - stored)
    load(context, [export])
    with open_store(db) as store:
        assert store.count("transactions") == TRANSACTIONS
    return db


def _write_export(path: Path, rows: int) -> None:
    chance = random.Random(18)
    days = YEARS * 365
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Date", "Amount", "Description", "Account"])
        for nth in range(rows):
            day = TODAY - timedelta(days - nth * days // rows)
            cents = -chance.randrange(200, 9_000)
            shop = f"{chance.choice(SHOPS)} {chance.randrange(100, 140)} {chance.choice(SUBURBS)}"
            writer.writerow([f"{day:%d/%m/%Y}", f"{cents / 100:.2f}", f"VISA {shop} {nth}", chance.choice(ACCOUNTS)])
