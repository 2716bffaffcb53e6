"""The tab Budgets: what may be spent, what was, and whether the pace keeps to it; unusual spending."""

from __future__ import annotations

import streamlit as st

from toolkit.answers.money import Budget, Per
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.money.spending import typed_cents
from toolkit.flows.money.years.budgets import list_budgets, remove_budget, set_budget
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below
from toolkit.pages.money.names import Names
from toolkit.pages.money.transaction_list import finish
from toolkit.pages.text import plain

PERS: dict[str, Per] = {"A week": "week", "A month": "month", "A year": "year"}
STATES = {"ok": "on track", "fast": "faster than planned", "over": "over budget"}


def render(ctx: Context) -> None:
    """Show each budget with its pace, unusual spending, and the forms that set and remove a budget."""
    answer = ask(list_budgets, ctx)
    names, is_current = Names.of(ctx), answer.as_of == ctx.today
    if answer.budgets and not is_current:
        st.write(f"Your transactions end on {style.day(answer.as_of)}, so this is how the budgets stood that day.")
    for row in answer.unusual:
        most = f" Most of it at {row.merchant}, {style.aud(row.merchant_more)} more." if row.merchant else ""
        spent, usual = style.aud(row.spent), style.aud(row.usual)
        when = "in the last 30 days" if is_current else f"in the 30 days to {style.day(answer.as_of)}"
        st.warning(plain(f"{names.name(row.category)} {when}: {spent}, usually {usual}.{most}"))
    if not answer.budgets:
        st.info("No budgets yet. Set one below for a category or a whole group.")
    for budget in answer.budgets:
        _budget(budget, names, "today" if is_current else style.day(answer.as_of))
    shown = widgets.last_drawn(answer, key=f"budgets-shown-{ctx.household}")
    # open where there is no budget yet, and then for the whole visit: often more are set
    is_open = st.session_state.setdefault(f"budgets-open-{ctx.household}", not answer.budgets)
    with st.expander("Set or remove a budget", expanded=is_open):
        with st.form("set-budget", border=False):
            category = st.selectbox("Category", names.spending, index=None, key="budget-category")
            below_category = st.container()
            amount = st.text_input("Amount", key="budget-amount", placeholder="400")
            below = st.container()
            per = st.selectbox("For", list(PERS), index=1, key="budget-per")
            if st.form_submit_button("Save", type="primary"):
                if not category:
                    below_category.warning("Choose a category.")
                with refused_below({"AMOUNT": below}):
                    typed_cents("AMOUNT", amount)  # said also where no category is chosen
                    if category:
                        set_budget(ctx, names.code_of[category], amount, per=PERS[per or "A month"], shown=shown)
                        finish(f"The budget for {category} is saved.")
        if answer.budgets:
            of = {names.name(budget.category): budget.category for budget in answer.budgets}
            gone = st.selectbox("Budget to remove", list(of), index=None, key="budget-to-remove")
            if st.button("Remove", key="remove-budget", disabled=gone is None) and gone:
                with explained():
                    remove_budget(ctx, of[gone], shown=shown)
                    finish(f"The budget for {gone} is removed.")


def _budget(budget: Budget, names: Names, by: str) -> None:
    with st.container(border=True):
        st.markdown(f"**{plain(names.name(budget.category))}**: {STATES[budget.state]}")
        share = min(max(float(budget.spent / budget.budget), 0.0), 1.0)
        left = f"{style.aud(budget.left)} left" if budget.left >= 0 else f"{style.aud(-budget.left)} over"
        st.progress(share, plain(f"{style.aud(budget.spent)} of {style.aud(budget.budget)} a {budget.per}, {left}"))
        days = f"{style.day(budget.from_)} to {style.day(budget.to)}"
        st.caption(plain(f"{days}. At an even pace you would have spent {style.aud(budget.pace)} by {by}."))
