"""The page: files first, because they need no account anywhere."""

from __future__ import annotations

import streamlit as st

from toolkit.flows.household.context import Context
from toolkit.pages import keeping
from toolkit.pages.data import accounts, bank_columns, concessions, files, home, stored
from toolkit.pages.energy import my_plan


def render(ctx: Context) -> None:
    """Show the Data page."""
    files.render(ctx)
    bank_columns.render(ctx)
    st.divider()
    home.render(ctx)
    concessions.render(ctx)
    st.divider()
    my_plan.render(ctx)
    st.divider()
    accounts.render(ctx)
    st.divider()
    stored.render(ctx)
    keeping.render(ctx)
