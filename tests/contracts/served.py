"""A bank of the service whose records the test writes itself, pulled into the database that the commands read."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from tests.flows.sync.written import WrittenService
from tests.json_answers import sync
from toolkit.flows.household.context import Context

OF = {"arrangement_id": "arr", "institution_id": "bank"}
NUMBERS = {"everyday": "111222333", "savings": "444555666"}


def row(number: int, amount: str, day: str | None = "2026-03-10T00:00:00Z", **more: Any) -> dict[str, Any]:
    """A posted AUD row of the account `everyday`; `day` is its execution date-time."""
    record = {"platform_id": f"t{number}", "transaction_id": f"bank-{number}", "account_id": "everyday", **OF}
    usual = {"amount": amount, "currency": "AUD", "status": "POSTED", "execution_date_time": day, "description": "SHOP"}
    return {**record, **usual, **more}


def category(primary: str, secondary: str | None = None) -> dict[str, str]:
    return {"primary_category": primary, "secondary_category": secondary or f"{primary}_OTHER"}


def pull(home: Path, *rows: dict[str, Any]) -> None:
    """Sync these rows, with two accounts of one person, into the default database."""
    service = WrittenService()
    service.lists["banking.accounts"] = [
        {"platform_id": f"p-{name}", "account_id": name, "account_number": number, **OF}
        for name, number in NUMBERS.items()
    ]
    service.lists["banking.transactions"] = list(rows)
    answer = sync(Context(home / "household.db", date(2026, 3, 31)), service, end_user="eu")
    assert answer["problems"] == [], answer["problems"]
