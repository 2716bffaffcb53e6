"""A bank's CSV in an unknown layout: its columns are named once, and kept for files of the same header."""

from __future__ import annotations

import polars as pl
import streamlit as st

from toolkit.flows.household.context import Context
from toolkit.flows.imports.columns import DATES, SIGNS, Columns, preview_table
from toolkit.flows.imports.load import load
from toolkit.pages.answers import explained
from toolkit.pages.data import files
from toolkit.pages.widgets import as_shown, words

FIELDS = {
    "date": "Date",
    "description": "Description",
    "amount": "Amount (one column with a sign)",
    "debit": "Money out (debit)",
    "credit": "Money in (credit)",
    "direction": "Debit or credit (DR, CR)",
    "balance": "Balance",
    "account": "Account",
    "merchant": "Shop or payee",
    "category": "Category",
    "reference": "Reference",
}
SIGN_NAMES = {"out-negative": "Money out has a minus", "out-positive": "Money out has no minus (some cards)"}
DATE_NAMES = {"any": "Recognise them"} | {style: look for style, look in DATES.items() if style != "any"}


def render(ctx: Context) -> None:
    """Show the form: the file, its first ten rows, and what each column holds."""
    with st.expander("A bank's CSV that is not recognised"):
        st.write("Say once which column is which. Other files with the same header are then read without asking.")
        uploaded = st.file_uploader("CSV file", type=["csv", "txt"], key="unknown-csv")
        if uploaded is None:
            return
        with explained(), files.written([uploaded]) as [path]:
            table = preview_table(path)
            shown = [dict(zip(table.columns, row, strict=False)) for row in table.rows]
            config = {name: words(name) for name in table.columns}
            st.dataframe(
                as_shown(pl.DataFrame(shown)),
                column_config=config,
                hide_index=True,
                alt="Table: first rows of the file",
            )
            with st.form("columns", border=False):
                chosen = {
                    field: st.selectbox(label, table.columns, index=None, key=f"column-{field}")
                    for field, label in FIELDS.items()
                }
                dates = st.selectbox(
                    "Dates are written as", list(DATE_NAMES), format_func=DATE_NAMES.__getitem__, key="column-dates"
                )
                sign = st.selectbox(
                    "Sign of the amounts", list(SIGNS), format_func=SIGN_NAMES.__getitem__, key="column-sign"
                )
                account = st.text_input("Name of the bank account", key="column-account-name").strip()
                if st.form_submit_button("Import", type="primary"):
                    places = {field: name for field, name in chosen.items() if name}
                    columns = Columns(places, dates or "any", sign or "out-negative")
                    st.session_state[files.RESULT] = load(ctx, [path], account=account or None, columns=columns).files
                    st.rerun()
