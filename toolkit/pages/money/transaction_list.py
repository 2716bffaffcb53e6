"""The list of transactions: category changed in the table, with a preview, and each one's details."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from zlib import crc32

import polars as pl
import streamlit as st
from msgspec.structs import replace

from toolkit.answers.base import frame_of, with_signs
from toolkit.answers.decisions import Override
from toolkit.answers.money import Transaction
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.overrides import latest_decision, undo
from toolkit.flows.money.rules import add_rule, list_rules, set_categories, try_rule
from toolkit.flows.money.transactions import transactions
from toolkit.flows.wording import OWN_ACCOUNT, counted, payees_of
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.money import transaction_details
from toolkit.pages.money.names import Names, months_between
from toolkit.pages.text import plain
from toolkit.pages.widgets import Period
from toolkit.units import HOME_CURRENCY

NEWEST = 500
SHOWN, OPENED, ROUND, DONE = "shown-transactions", "every-transaction", "edit-round", "money-done"
KEPT, NAMED = "money-done-kept", "money-done-named"
"""What was done last, and number of a decision → what was done by it."""
PLACE_OF_DONE = "review-done"
TAKEN_BACK = "Taken back:"
LONGEST_UNDO = 20
"""Characters of what is undone on its button."""
SOURCES = {
    "manual": "You chose it",
    "provider": "Your bank's data",
    "bank": "Your bank's category",
    "mcc": "Kind of shop",
    "type": "Kind of payment",
    "keyword": "Words in the description",
    "employer": "Comes regularly from an employer",
}
TRANSFER, EXCLUDED = "transfer", "excluded"
KINDS = {TRANSFER: "Between your accounts", EXCLUDED: "Excluded by you"}
ELSEWHERE = "Money to or from your own account is neither spending nor income."
NARROW_DATE, NARROW_PAYEE, NARROW_AMOUNT, DETAILS = 92, 148, 84, 84
"""Pixels, so that date, payee and amount are in sight on a phone."""


@dataclass(frozen=True, slots=True)
class Only:
    """Which transactions of the period are listed: those behind a bar or a row. label: what a person chose."""

    label: str
    category: str | None = None
    payee: str | None = None
    account: str | None = None
    tag: str | None = None
    person: str | None = None
    kind: str | None = "expense"
    month: str | None = None
    pending: bool = False
    below: str = ""
    """Key of the chart or table that was picked from: the list is shown below it."""


def show_only(only: Only) -> None:
    """List only these transactions."""
    st.session_state[SHOWN] = only


def listed_below(ctx: Context, chosen: Period, key: str) -> None:
    """List the transactions behind what a person picked in the chart or table of this key."""
    only: Only | None = st.session_state.get(SHOWN)
    if only is not None and only.below == key:
        with st.container(border=True), explained():
            listed(ctx, chosen)


def every_transaction(ctx: Context, chosen: Period) -> None:
    """Offer the list of all transactions of a period, unless some of them are listed on their own."""
    if SHOWN in st.session_state:
        return
    with st.expander("Every transaction", key=OPENED, on_change="rerun") as opened:
        if opened.open:
            with explained():
                listed(ctx, chosen)


def finish(done: str) -> None:
    """Show on the next run what was done, with empty tables of changes."""
    st.session_state[DONE] = done
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.session_state.pop(transaction_details.SENT, None)
    st.rerun()


def what_was_done(ctx: Context) -> None:
    """Confirm the last change, and offer to take it back; once, where it is called first."""
    if done := st.session_state.pop(DONE, None):
        _confirmed(ctx, done, is_new=True)


def keep_what_was_done(ctx: Context) -> None:
    """Confirm the last change until the next one, in a place that is there before: nothing below it moves."""
    new = st.session_state.pop(DONE, None)
    if new:
        st.session_state[KEPT] = new
    with st.container(key=PLACE_OF_DONE):
        if KEPT in st.session_state:
            _confirmed(ctx, st.session_state[KEPT], is_new=bool(new))
        else:
            st.caption("Each answer is confirmed here, and can be taken back.")


def forget_what_was_done() -> None:
    """Show no more what `keep_what_was_done` confirmed."""
    st.session_state.pop(KEPT, None)


def _confirmed(ctx: Context, done: str, *, is_new: bool) -> None:
    """Say what was done, with a button that names what it takes back; none where that is not known."""
    latest = ask(latest_decision, ctx)
    named: dict[int | None, str] = st.session_state.setdefault(NAMED, {})
    if is_new and not done.startswith(TAKEN_BACK):
        named[latest] = done
    said, taken_back = st.columns([3, 1], vertical_alignment="center")  # side by side, however long the words are
    with said:
        (widgets.say_done if is_new else st.success)(plain(done))
    if (last := named.get(latest)) is not None:
        label = plain(f"Undo: {with_signs(last, length=LONGEST_UNDO)}")
        with taken_back:
            st.button(label, key="undo-money", icon=":material/undo:", on_click=_undo, args=(ctx, latest, last))


def _undo(ctx: Context, latest: int | None, done: str) -> None:
    with explained():
        undo(ctx, shown=latest)
        st.session_state[DONE] = f"{TAKEN_BACK} {done}"
        st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def listed(ctx: Context, chosen: Period) -> None:
    """Show the transactions of a period, those chosen in a chart or table, or those found by words.

    What was done to one of them is confirmed below the list, where it was pressed.
    """
    _found(ctx, chosen)
    what_was_done(ctx)


def _found(ctx: Context, chosen: Period) -> None:
    search = st.text_input("Search", placeholder="a word from the description, or a shop", key="search").strip()
    only: Only = st.session_state.get(SHOWN) or Only("", kind=None)
    if only.label:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"Only **{plain(only.label)}**")
            st.button("Show all", key="show-all", icon=":material/close:", on_click=_show_all)
    period = _month(only.month, chosen) if only.month else chosen
    answer = ask(
        transactions,
        ctx,
        from_=period.first,
        to=period.last,
        limit=NEWEST,
        search=search or None,
        category=only.category,
        payee=only.payee,
        account=only.account,
        tag=only.tag,
        person=only.person,
        kind=only.kind,
        pending=only.pending,
    )
    if not answer.transactions:
        st.info("No transaction matches.")
        return
    found = answer.found
    sums = [("spent", found.spent), ("income", found.income)]
    named = ", ".join(f"{what} {style.aud(amount)}" for what, amount in sums if amount)
    st.caption(plain(f"{counted(found.count, 'transaction')}{': ' if named else ''}{named}."))
    if found.count > len(answer.transactions):
        st.caption(f"The newest {NEWEST} are shown. To see older ones, search, or choose dates above.")
    st.caption("Change a category in its cell. Tick Details for a note or tag, to split or to exclude.")
    _table(ctx, answer.transactions)


def _show_all() -> None:
    st.session_state.pop(SHOWN, None)
    st.session_state[OPENED] = True


def _month(month: str, within: Period) -> Period:
    """Return the days of a calendar month that are in a period."""
    first = date.fromisoformat(f"{month}-01")
    last = first.replace(day=monthrange(first.year, first.month)[1])
    return replace(within, first=max(first, within.first), last=min(last, within.last))


def _table(ctx: Context, rows: Sequence[Transaction]) -> None:
    names = Names.of(ctx)
    rules = {rule.number: rule for rule in ask(list_rules, ctx).rules} if any(row.rule for row in rows) else {}
    columns = {
        "date": st.column_config.DateColumn("Date", format="D MMM YYYY", width=NARROW_DATE),
        "who": st.column_config.TextColumn("Shop or payee", width=NARROW_PAYEE),
        "amount": st.column_config.NumberColumn(
            "Amount",
            format="dollar" if all(row.currency == HOME_CURRENCY for row in rows) else "%,.2f",
            width=NARROW_AMOUNT,
        ),
        "category": st.column_config.SelectboxColumn("Category", options=names.choices, width=170),
        "edit": st.column_config.CheckboxColumn(
            "Details", width=DETAILS, help="Tick for a note or tag, to split or to exclude"
        ),
        "why": widgets.words("Why this category"),
        "tag": widgets.words("Tag"),
        "note": widgets.words("Note"),
        "description": widgets.words("Description"),
        "currency": widgets.words("Currency"),
        "account": widgets.words("Account"),
        "status": widgets.words("Status"),
    }
    frame = _cells(rows, names, rules, ask(account_labels, ctx)).select(*columns)
    filled = [column.name for column in frame if not all(value in (None, "") for value in column)]
    kept = [name for name in columns if name in (*filled, "category")]
    # what can be chosen in `category` stays as it is among the choices
    shown = widgets.as_shown(frame.select(kept)).with_columns(frame["category"])
    key = f"transactions-{st.session_state.get(ROUND, 0)}-{crc32(repr([row.id for row in rows]).encode())}"
    st.data_editor(
        shown,
        key=key,
        column_config=columns,
        disabled=[name for name in shown.columns if name not in ("edit", "category")],
        hide_index=True,
        placeholder="",
        alt="Table: transactions. The category can be changed in its cell.",
    )
    st.download_button(
        "Download as CSV",
        widgets.csv_text(frame.drop("edit").to_dicts()),
        "transactions.csv",
        "text/csv",
        key="csv-transactions",
        on_click="ignore",
    )
    edited = st.session_state.get(key, {}).get("edited_rows", {})
    changed = {
        rows[int(place)]: names.code_of[new] for place, cells in edited.items() if (new := cells.get("category"))
    }
    if changed:
        _preview(ctx, changed, names)
    ticked = [rows[int(place)] for place, cells in edited.items() if cells.get("edit")]
    sent = [row for row in rows if row.id == st.session_state.get(transaction_details.SENT)]
    if transaction_details.SENT in st.session_state and not sent:
        del st.session_state[transaction_details.SENT]
        st.warning("The transaction was split or joined again after the page was opened. Nothing was saved.")
    if ticked := ticked or sent:
        transaction_details.render(ctx, ticked[-1], why(ticked[-1], rules), names, finish)


def _cells(
    rows: Sequence[Transaction], names: Names, rules: dict[int, Override], accounts: Mapping[str, str]
) -> pl.DataFrame:
    """Return the cells of the table, a row for each transaction. accounts: id → name."""
    return frame_of(rows).with_columns(
        edit=pl.lit(value=False),
        who=pl.Series([row.merchant or row.description for row in rows], dtype=pl.String),
        account=pl.col("account_id").replace(dict(accounts)),
        category=pl.Series([names.name(code) if (code := _code(row)) else None for row in rows], dtype=pl.String),
        why=pl.Series([why(row, rules) for row in rows], dtype=pl.String),
        status=pl.Series([style.words(row.status) for row in rows]),
        amount=pl.col("amount").cast(pl.Float64),
    )


def _code(row: Transaction) -> str | None:
    if row.kind == TRANSFER and row.category_source is not None:
        return OWN_ACCOUNT  # decided by a person, of this row or its payee
    return row.secondary_category or row.primary_category


def why(row: Transaction, rules: dict[int, Override]) -> str:
    """Say why a row has its category, or counts as what it does."""
    if row.kind == EXCLUDED or (row.kind == TRANSFER and row.category_source is None):
        return KINDS[row.kind]
    if row.rule in rules:
        rule = rules[row.rule]
        fits = "for" if rule.kind == "payee" else "for text with"
        return f"Your rule {fits} {payees_of(rule.subject)}"
    if row.category_source == "provider" and row.category_confidence == "LOW":
        return "Your bank's data (not sure)"
    return SOURCES.get(row.category_source or "", "Not recognised")


def _preview(ctx: Context, changed: dict[Transaction, str], names: Names) -> None:
    """Ask how far a change of category reaches, and store it."""
    with st.container(border=True):
        if any("#" in row.id for row in changed):
            st.warning("Parts of a split are changed in its details: tick the row.")
            return
        before = widgets.last_drawn({each.id: each for each in changed}, key="categories-shown")
        shown = [before.get(each.id, each) for each in changed]
        (row, code), *more = changed.items()
        if more:
            st.write(f"Change the category of {len(changed)} transactions?")
        else:
            now = names.name(_code(row))
            st.markdown(f"**{plain(row.merchant or row.description or '')}**: {plain(now)} → {plain(names.name(code))}")
        if OWN_ACCOUNT in changed.values():
            st.caption(ELSEWHERE)
        with st.container(horizontal=True):
            if st.button(
                "Only this one" if not more else f"Change these {len(changed)}", key="category-one", type="primary"
            ):
                with explained():
                    set_categories(ctx, {each.id: new for each, new in changed.items()}, shown=shown)
                    finish(f"{counted(len(changed), 'transaction')} changed.")
            if row.merchant and not more:
                tried = ask(try_rule, ctx, row.merchant, code, payee=True)
                months = f", {months_between(tried.months)}" if tried.months else ""
                all_of = f"All {tried.count} from {row.merchant}: {style.aud(tried.spent)}{months}"
                if st.button(plain(all_of), key="category-payee"):
                    with explained():
                        add_rule(ctx, row.merchant, code, payee=True, shown=shown)
                        finish(f"{counted(tried.count, 'transaction')} changed, and those to come.")
            if st.button("Cancel", key="category-cancel"):
                st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
                st.rerun()
