"""Where does the money go? `spending`."""

from __future__ import annotations

from datetime import date
from typing import Any

from toolkit.analytics.money import Question, Spending, spending_of_buckets, spending_of_rows
from toolkit.analytics.money.summary import By
from toolkit.errors import Problem
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money import rollups
from toolkit.flows.money.classified import (
    account_names,
    account_suggestions,
    classified,
    suggested_links,
    without_a_date,
)
from toolkit.store import Store
from toolkit.tables.reference.currencies import amount


def spending(  # the command's options, each by name
    ctx: Context,
    *,
    by: By = "category",
    months: bool = False,
    pending: bool = False,
    from_: date | None = None,
    to: date | None = None,
) -> dict[str, Any]:
    """Spending of the household by category, merchant or account (docs/commands.md); amounts in AUD.

    Refunds reduce their category and may make it negative; moves between own accounts are in no row. Days are local
    days of the household's zone, both ends inclusive.
    """
    question = Question(from_, to, by, months, pending)
    with open_home(ctx) as (store, household):
        answer, problems = answered(store, household, question)
        names = account_names(store, household["household_id"]) if by == "account" else {}
    return _as_json(answer, problems, names)


def answered(store: Store, household: dict[str, Any], question: Question) -> tuple[Spending, list[Problem]]:
    """The answer, from the roll-ups where these hold it exactly, else from the rows."""
    if rollups.can_answer(store, household, question):
        home = household["household_id"]
        warnings = [problem for _, problem in account_suggestions(store, home)]
        return spending_of_buckets(rollups.read(store, home, question), question), warnings
    return from_rows(store, household, question)


def from_rows(store: Store, household: dict[str, Any], question: Question) -> tuple[Spending, list[Problem]]:
    """The answer from the rows themselves."""
    found = classified(store, household)
    names = account_names(store, household["household_id"])
    maybe = [(suggestion.account_ids, suggestion.reason) for suggestion in found.links.suggestions]
    return spending_of_rows(found.rows, question), [*suggested_links(maybe, names), *without_a_date(found.rows)]


def _as_json(answer: Spending, problems: list[Problem], names: dict[str, str]) -> dict[str, Any]:
    return {
        "from": answer.from_,
        "to": answer.to,
        "by": answer.question.by,
        "rows": [_row(row, names) for row in answer.rows.iter_rows(named=True)],
        "spent": amount(answer.spent_minor),
        "income": amount(answer.income_minor),
        "transfers": amount(answer.transfers_minor),
        "pending": amount(answer.pending_minor),
        "other_currencies": [_currency(row) for row in answer.other_currencies.iter_rows(named=True)],
        "problems": [problem.as_json() for problem in problems],
    }


def _row(row: dict[str, Any], accounts: dict[str, str]) -> dict[str, Any]:
    names = {name: value for name, value in row.items() if name not in {"spent_minor", "count"}}
    if "account_id" in row:
        names["account_name"] = accounts.get(row["account_id"])
    return {**names, "spent": amount(row["spent_minor"]), "count": row["count"]}


def _currency(row: dict[str, Any]) -> dict[str, Any]:
    sums = {name.removesuffix("_minor"): value for name, value in row.items() if name.endswith("_minor")}
    spelled = {name: amount(value, row["currency"]) for name, value in sums.items()}
    return {"currency": row["currency"], **spelled, "count": row["count"]}
