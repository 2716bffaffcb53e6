"""What is stored, how fresh it is, and until when it may be renewed."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.households import HouseholdStatus
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.status import status
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.text import plain

NAMES = {
    "banking.accounts": "Bank accounts",
    "banking.balances": "Balances",
    "banking.transactions": "Transactions",
    "energy.accounts": "Energy accounts and plans",
    "energy.invoices": "Energy bills",
    "energy.usage": "Meter data",
    "energy.der_records": "Solar and batteries",
}


def render(ctx: Context) -> None:
    """Show how fresh the stored data is, and how much of the meter data is there."""
    st.subheader("Stored data")
    st.caption(plain(f"In {ctx.db}, which only you can read."))
    if not ctx.db.exists():
        st.write("Nothing yet.")
        return
    with explained():
        answer = ask(status, ctx)
        for household in answer.households:
            _household(household)
        widgets.problems(answer.problems, key="status")


def _household(household: HouseholdStatus) -> None:
    fresh = [
        {"what": NAMES.get(name, style.words(name.rpartition(".")[2].upper())), "at": at}
        for name, at in sorted(household.freshness.items())
    ]
    if fresh:
        columns = {
            "what": widgets.words("What"),
            "at": widgets.timestamp("Last updated"),
        }
        widgets.table(fresh, columns, name="freshness", download=False)
    if household.meter_coverage:
        columns = {
            "service_point_id": widgets.words("Meter"),
            "from": widgets.day("From"),
            "to": widgets.day("To"),
            "coverage": st.column_config.NumberColumn("Meter data", format="percent"),
        }
        widgets.table(household.meter_coverage, columns, name="coverage", download=False)
    if not fresh and not household.consents:
        st.write("Only data from files is stored. No accounts are connected.")
