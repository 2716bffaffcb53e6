"""A bank's CSV in an unknown layout: its columns are named once, and kept for files of the same header."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

import polars as pl
import streamlit as st

from toolkit.answers.data import ColumnsTried, ImportedFile
from toolkit.charts import style
from toolkit.errors import ImportFailedError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.columns import (
    DATES,
    SIGNS,
    Columns,
    forget_columns,
    list_columns,
    preview_table,
    try_columns,
)
from toolkit.flows.imports.load import load
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.importing import outcome, unrecognised
from toolkit.pages.importing.upload import written
from toolkit.pages.text import plain, readable
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
FORGOTTEN = "columns-forgotten"
_WIDTH = 260
"""Pixels of a field: three stand side by side."""
_SELDOM = 0.2
"""The largest share of transactions that are money out at which the sign is doubted."""


def render(ctx: Context) -> None:
    """Show the form: the file, its first ten rows, what each column holds, and how the rows are then read."""
    waiting = unrecognised.waiting()
    with st.expander(unrecognised.LABEL, expanded=bool(waiting)):
        st.write("Say once which column is which. Other files with the same headings are then read without asking.")
        given: unrecognised.GivenFile | None = st.file_uploader("CSV file", type=["csv", "txt"], key="unknown-csv")
        if given is None and waiting:
            names = {file.file_id: file.name for file in waiting}
            chosen = st.selectbox(
                "Files that were not recognised", list(names), format_func=names.__getitem__, key="unknown-waiting"
            )
            given = next(file for file in waiting if file.file_id == (chosen or waiting[0].file_id))
        if given is not None:
            with explained(), written([given]) as [path]:
                _name_columns(ctx, path, given)
        _forget(ctx)


def _forget(ctx: Context) -> None:
    """Offer to forget how the files of a header are read: it may have been named wrongly."""
    kept = {each.header: each.columns for each in ask(list_columns, ctx)}
    if not kept:
        return
    st.markdown("**Files whose columns you named**")
    header = st.selectbox(
        "Headings", list(kept), index=None, format_func=readable, key="header-to-forget", label_visibility="collapsed"
    )
    if header:
        named = "; ".join(f"{FIELDS.get(field, field)}: {column}" for field, column in kept[header].items())
        st.caption(plain(f"{named}. Transactions that were read this way stay until you take their file back."))
    if st.button("Forget these columns", key="forget-columns", disabled=header is None) and header:
        with explained():
            forget_columns(ctx, header)
            st.session_state[FORGOTTEN] = True
            st.rerun()
    if st.session_state.pop(FORGOTTEN, False):
        widgets.say_done("Forgotten. You are asked again about the next file with these headings.")


def _name_columns(ctx: Context, path: Path, given: unrecognised.GivenFile) -> None:
    table = preview_table(path)
    layout = crc32(repr(table.columns).encode())  # of a file of another layout nothing is chosen yet
    shown = [dict(zip(table.columns, row, strict=False)) for row in table.rows]
    st.dataframe(
        as_shown(pl.DataFrame(shown)),
        column_config={name: words(name) for name in table.columns},
        hide_index=True,
        alt="Table: first rows of the file",
    )
    with st.container(horizontal=True):
        chosen = {
            field: st.selectbox(label, table.columns, index=None, key=f"column-{field}-{layout}", width=_WIDTH)
            for field, label in FIELDS.items()
        }
    with st.container(horizontal=True):
        dates = st.selectbox(
            "Dates are written as",
            list(DATE_NAMES),
            format_func=DATE_NAMES.__getitem__,
            key=f"column-dates-{layout}",
            width=_WIDTH,
        )
        sign = st.selectbox(
            "Sign of the amounts",
            list(SIGNS),
            format_func=SIGN_NAMES.__getitem__,
            key=f"column-sign-{layout}",
            width=_WIDTH,
        )
        account = st.text_input("Name of the bank account", key=f"column-account-name-{layout}", width=_WIDTH).strip()
    columns = Columns({field: name for field, name in chosen.items() if name}, dates or "any", sign or "out-negative")
    if missing := _missing(columns):
        st.caption(missing)
        return
    tried = try_columns(path, columns)
    _show_read(tried, is_signed="amount" in columns.places and columns.sign == "out-negative")
    if st.button("Import", type="primary", key="import-columns", disabled=not tried.rows):
        files = load(ctx, [path], account=account or None, columns=columns).files
        outcome.keep([*files, *_read_waiting(ctx, given)])
        st.rerun()


def _missing(columns: Columns) -> str | None:
    """Say which columns are still to be chosen; None where they suffice."""
    places = columns.places
    lacking = [FIELDS[field] for field in ("date", "description") if field not in places]
    if "amount" not in places and not {"debit", "credit"} <= places.keys():
        lacking.append("Amount, or Money out and Money in")
    return f"Still to choose: {'; '.join(lacking)}." if lacking else None


def _show_read(tried: ColumnsTried, *, is_signed: bool) -> None:
    """Show the first rows as they are read, and what speaks against it. is_signed: a minus is taken for money out."""
    st.markdown("**This is how the rows are read**")
    columns = {"day": widgets.day("Date"), "amount": widgets.money("Amount"), "description": words("Description")}
    widgets.table(tried.rows, columns, name="read-with-columns", download=False)
    number = tried.money_out + tried.money_in
    if tried.first and tried.last:
        days = f"{style.day(tried.first)} to {style.day(tried.last)}"
        st.caption(plain(f"{days}: {tried.money_out:,} money out, {tried.money_in:,} money in."))
    if is_signed and number and tried.money_out <= number * _SELDOM:
        st.warning(
            f"Nearly all of it counts as money in. If these are purchases, choose “{SIGN_NAMES['out-positive']}”."
        )
    if tried.problems:
        st.warning(f"{counted(len(tried.problems), 'line')} cannot be read this way, or may be wrong.")
        widgets.problems(tried.problems, key="with-columns")


def _read_waiting(ctx: Context, given: unrecognised.GivenFile) -> Sequence[ImportedFile]:
    """Read the other files that were not recognised and have the same header now; the rest waits on."""
    waiting = [file for file in unrecognised.waiting() if file.name != given.name]
    unrecognised.wait(waiting)
    if not waiting:
        return ()
    with written(waiting) as paths:
        try:
            read = load(ctx, paths).files
        except ImportFailedError:  # none of them has that header
            return ()
    unrecognised.wait([file for file, came in zip(waiting, read, strict=True) if came.kind is None])
    return [came for came in read if came.kind is not None]
