"""One transaction's details: note, tag, excluded or not, and its parts."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import polars as pl
import streamlit as st

from toolkit.answers.money import Transaction
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.edits.settings import set_transaction, split, wrong_texts
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below, show_refusals
from toolkit.pages.money.names import Names
from toolkit.pages.text import plain

FIRST_PARTS, SENT = 2, "details-sent"


def render(ctx: Context, row: Transaction, why: str, names: Names, finish: Callable[[str], None]) -> None:
    """Show one transaction with the forms that change it. finish: confirms what was done."""
    with st.container(border=True):
        st.subheader(plain(f"{row.merchant or row.description or 'Transaction'}, {style.aud(row.amount)}"))
        day = style.day(row.date) if row.date else "no date"
        account = ask(account_labels, ctx).get(row.account_id, row.account_id)
        st.caption(plain(f"{day} · {account} · {row.description or ''}"))
        category = row.secondary_category or row.primary_category
        st.caption(plain(why if row.kind == "transfer" else f"{names.name(category)}: {why}"))
        whole, is_part = row.id.partition("#")[0], "#" in row.id
        kept = f"details-shown-{whole}"
        shown = widgets.shown_by_form(row, key=kept, field=f"note-{whole}")
        # No form: what is typed in one is not known where the transaction is split instead.
        tag = st.text_input("Tag", row.tag or "", key=f"tag-{whole}", placeholder="for example: holiday in Perth")
        below = {"TAG": st.container()}
        note = st.text_input("Note", row.note or "", key=f"note-{whole}")
        below["NOTE"] = st.container()
        excluded = st.checkbox(
            "Exclude from every sum", row.kind == "excluded", key=f"exclude-{whole}", help="It stays listed."
        )

        def save() -> None:
            """Store what was typed and is different."""
            words = {name: text for name, text in (("tag", tag), ("note", note)) if text != _word(shown, name)}
            is_excluded = excluded if excluded != (shown.kind == "excluded") else None
            del st.session_state[kept]  # what is different is shown once
            if words or is_excluded is not None:
                set_transaction(ctx, whole, **words, excluded=is_excluded, shown=shown)

        is_sent = st.button("Save", key=f"save-{whole}", type="primary", on_click=_note_sent, args=(row.id,))
        if is_sent and (wrong := wrong_texts(note, tag)):
            show_refusals(wrong, below)
        elif is_sent:
            with refused_below(below):
                save()
                finish("The transaction is saved.")
        if is_part:
            st.write("This is a part of a split transaction.")
            if st.button("Make it whole again", key=f"unsplit-{whole}", on_click=_note_sent, args=(row.id,)):
                with explained():
                    split(ctx, whole, [], shown=row)
                    finish("The transaction is whole again.")
        elif row.kind == "transfer":
            st.write("It is one side of a move between your own accounts, so it cannot be split.")
        else:
            with refused_below(below):
                parts = _split(row, names)
                if parts and (wrong := wrong_texts(note, tag)):
                    show_refusals(wrong, below)
                elif parts:
                    save()
                    split(ctx, row.id, parts, shown=row)
                    finish("The transaction is split.")


def _note_sent(transaction: str) -> None:
    """Note the transaction of a form before the page runs again: a table that changed meanwhile has lost its ticks."""
    st.session_state[SENT] = transaction


def _word(row: Transaction, name: str) -> str:
    """Return the tag or note of a transaction, empty without one."""
    return str(getattr(row, name) or "")


def _split(row: Transaction, names: Names) -> list[tuple[str, str]]:
    """Show the fields for its parts; return amount and category of each once they are sent."""
    st.markdown("**Split it**")
    total = abs(row.amount)
    category = row.secondary_category or row.primary_category
    start = pl.DataFrame(
        {
            "amount": [float(total), None, *[None] * (FIRST_PARTS - 2)],
            "category": [names.name(category) if category else None, *[None] * (FIRST_PARTS - 1)],
        },
        schema={"amount": pl.Float64, "category": pl.String},
    )
    parts = st.data_editor(
        start,
        key=f"parts-{row.id}",
        num_rows="dynamic",
        hide_index=True,
        placeholder="",
        column_config={
            "amount": st.column_config.NumberColumn("Amount", format="dollar", step=0.01),
            "category": st.column_config.SelectboxColumn("Category", options=names.choices),
        },
        alt="Table: parts of the transaction, to be filled in",
    )
    filled = [
        (Decimal(str(amount)), str(category))
        for amount, category in zip(parts["amount"], parts["category"], strict=True)
        if amount is not None and category
    ]
    left = total - sum((Decimal(str(amount)) for amount in parts["amount"] if amount is not None), Decimal(0))
    if not left and len(filled) < sum(amount is not None for amount in parts["amount"]):
        st.caption("Choose a category for each part.")
    elif not left and len(filled) < FIRST_PARTS:
        st.caption("Change the amount, and add a second part in the row below.")
    else:
        st.caption(_left(left))
    assigned = sum((amount for amount, _ in filled), Decimal(0))
    incomplete = assigned != total or len(filled) < FIRST_PARTS
    if st.button("Split", key=f"split-{row.id}", disabled=incomplete, on_click=_note_sent, args=(row.id,)):
        return [(str(amount), names.code_of[category]) for amount, category in filled]
    return []


def _left(left: Decimal) -> str:
    """Say how much of a transaction is in no part. left: negative where the parts are more than the whole."""
    if not left:
        return "All of it is assigned."
    return f"{style.aud(left)} left to assign." if left > 0 else f"{style.aud(-left)} too much."
