"""Money as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolkit.cli.output import Answer, aud, day, printable, show_problems, table

PLAIN_MOST = 40


def spending(answer: Answer) -> Iterator[str]:
    yield f"Spent {aud(answer['spent'])} from {day(answer['from'])} to {day(answer['to'])}."
    moved = f"moved between own accounts {aud(answer['transfers'])}"
    yield f"Income {aud(answer['income'])}; {moved}; pending {aud(answer['pending'])}."
    rows = answer["rows"]
    yield from table(_head(answer), [_cells(row, answer["by"]) for row in rows[:PLAIN_MOST]], right=_right(answer))
    if len(rows) > PLAIN_MOST:
        yield f"… and {len(rows) - PLAIN_MOST} more rows (all of them with --json)"
    for currency, amount in _other_currencies(answer):
        yield f"Not counted, in another currency: {amount} {currency}"
    yield from show_problems(answer)


def _head(answer: Answer) -> tuple[str, ...]:
    month = ("month",) if any("month" in row for row in answer["rows"]) else ()
    return (*month, answer["by"], "spent", "rows")


def _right(answer: Answer) -> tuple[int, int]:
    width = len(_head(answer))
    return width - 2, width - 1


def _cells(row: dict[str, Any], by: str) -> tuple[object, ...]:
    month = (row["month"] or "no date",) if "month" in row else ()
    return (*month, _name(row, by), aud(row["spent"]), row["count"])


def _name(row: dict[str, Any], by: str) -> str:
    if by == "category":
        return words(row["secondary_category"] or row["primary_category"])
    return row["merchant" if by == "merchant" else "account_id"] or "not named"


def words(category: str | None) -> str:
    """FOOD_AND_DRINK_GROCERIES as `Food and drink groceries`."""
    return category.replace("_", " ").capitalize() if category else "no category"


def _other_currencies(answer: Answer) -> list[tuple[str, object]]:
    found = answer["other_currencies"]
    if isinstance(found, dict):
        return list(found.items())
    return [(entry["currency"], entry.get("spent", entry.get("amount"))) for entry in found]


def transactions(answer: Answer) -> Iterator[str]:
    rows = [
        (
            day(row["date"]),
            aud(row["amount"]) if row["currency"] == "AUD" else f"{row['amount']} {row['currency']}",
            row["merchant"] or row["description"] or "",
            words(row["secondary_category"] or row["primary_category"]),
            row["status"].lower(),
        )
        for row in answer["transactions"]
    ]
    yield from table(("date", "amount", "who", "category", "status"), rows, right=(1,))
    if not rows:
        yield "No transactions match."
    yield from (printable(line) for line in show_problems(answer))
