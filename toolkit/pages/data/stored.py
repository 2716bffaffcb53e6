"""What is stored, how fresh it is, and until when it may be renewed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st
from msgspec.structs import replace

from toolkit.answers.base import to_builtins
from toolkit.answers.households import HouseholdStatus
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import meter_labels
from toolkit.flows.household.status import status
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.text import message, plain
from toolkit.problems import Problem

_NAMES = {
    "banking.accounts": "Bank accounts",
    "banking.balances": "Balances",
    "banking.transactions": "Transactions",
    "energy.accounts": "Energy accounts and plans",
    "energy.billing": "Energy charges and payments",
    "energy.invoices": "Energy bills",
    "energy.service_points": "Meters",
    "energy.usage": "Meter data",
    "energy.der_records": "Solar and batteries",
}


_RESOURCE = re.compile(r"\b(?:banking|energy)\.[a-z_]+")
_OF_RESOURCE = re.compile(rf"({_RESOURCE.pattern}): ")


def render(ctx: Context) -> None:
    """Show how fresh the stored data is, and how much of the meter data is there."""
    st.subheader("Stored data")
    st.caption(plain(f"Your data is in {ctx.db}, which only you can open."))
    if not ctx.db.exists():
        st.write("Nothing yet.")
        return
    with explained():
        answer = ask(status, ctx)
        for household in answer.households:
            _household(household, ask(meter_labels, replace(ctx, household=household.id)))
        widgets.problems(in_words(answer.problems), key="status")


def name_of(resource: str) -> str:
    """Return the name of a kind of data of the service, such as `banking.scheduled_payments`."""
    return _NAMES.get(resource) or style.words(resource.rpartition(".")[2].upper())


def in_words(problems: Sequence[Problem]) -> list[Problem]:
    """Return problems of the service's data with `Transactions` in place of `banking.transactions`, and without ids."""
    return [_in_words(problem) for problem in problems]


def _in_words(problem: Problem) -> Problem:
    where, reason = message(problem.where), message(problem.reason)
    if of_record := _OF_RESOURCE.match(reason):  # where is the id of a record, which says nothing to a person
        where, reason = of_record[1], reason[of_record.end() :]

    def named(text: str) -> str:
        return _RESOURCE.sub(lambda found: name_of(found[0]), text)

    return Problem(named(where), named(reason), problem.severity)


def _household(household: HouseholdStatus, meters: Mapping[str, str]) -> None:
    """Show one household's data. meters: service point id → its label."""
    fresh: list[widgets.Row] = [{"what": name_of(name), "at": at} for name, at in sorted(household.freshness.items())]
    if fresh:
        columns = {
            "what": widgets.words("What"),
            "at": widgets.timestamp("Last updated", in_utc=True),
        }
        widgets.table(fresh, columns, name="freshness", download=False)
    if household.meter_coverage:
        columns = {
            "meter": widgets.words("Meter"),
            "from": widgets.day("From"),
            "to": widgets.day("To"),
            "coverage": st.column_config.NumberColumn("Meter data", format="percent"),
        }
        rows = [
            {**to_builtins(row), "meter": meters.get(row.service_point_id, row.service_point_id)}
            for row in household.meter_coverage
        ]
        widgets.table(rows, columns, name="coverage", download=False)
    if not fresh and not household.consents:
        st.write("Only data from files is stored. No accounts are connected.")
