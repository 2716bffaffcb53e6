"""Cash flow, a tab of Coming up: how long the money lasts, together and by account."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import streamlit as st

from toolkit.answers.money import AccountCashflow, Cashflow, CashflowDay
from toolkit.charts import cash as charts
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.accounts import list_accounts
from toolkit.flows.money.cashflow import cashflow
from toolkit.flows.money.how_long import Lasting, between, not_shown
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Metric

SOURCES = {
    "scheduled_payment": "Set up at the bank",
    "direct_debit": "Direct debit",
    "loan": "Loan instalment",
    "card": "Due on the card",
    "detected": "Past payments",
    "issued_bill": "Stored bill",
    "energy_bill": "Expected from your energy use",
    "transfer": "Between your accounts",
}
ALL = "All together"
HEIGHT = 275
"""Pixels of the chart, so that it ends in the first screen of a laptop, below the answer and the figures."""
DUE = "due"
"""The anchor of the list of payments."""


def render(ctx: Context) -> None:
    """Say whether the money of the next 90 days lasts, with the figures of all accounts or of one, and what is due."""
    answer = ask(cashflow, ctx)
    if answer.low_point is None:
        st.info("No balance of an everyday, savings or card account is known. Enter one once on the Accounts page.")
        widgets.link("accounts", "**Go to Accounts →**")
        _due(answer.days)
        return
    labels = ask(account_labels, ctx)
    choices: dict[str, Cashflow | AccountCashflow] = {ALL: answer} | {
        labels.get(account.account_id, account.account_id): account for account in answer.accounts
    }
    chosen = st.selectbox("Account", list(choices), key="cash-account", width=320) if len(choices) > 2 else ALL
    shown = choices[chosen or ALL]
    _answered(ctx, answer, shown, chosen or ALL)
    for note in answer.balances_missing:
        st.caption(sentence(note))
    if answer.balances_missing:
        widgets.link("accounts", "**Enter the balance →**")
    for note in answer.card_notes:
        st.caption(sentence(note))
        widgets.link("data", "**Add the card →**")
    _figures(shown, answer.from_, chosen or ALL)
    figure = charts.balance(shown.days, shown.low_point, look=widgets.look())
    figure.update_layout(height=HEIGHT)
    widgets.chart(figure, key="balance")
    st.subheader("What is due", anchor=DUE)
    _due(shown.days)
    _how_sure(answer)
    said = (*answer.range_notes, *answer.balances_missing, *answer.card_notes, *answer.bill_notes)
    widgets.notes([note for note in answer.notes if note not in said])


def _answered(ctx: Context, answer: Cashflow, shown: Cashflow | AccountCashflow, name: str) -> None:
    """Say in sentences whether the money lasts: of all accounts together, or of the one that is shown."""
    if answer.low_point is None or shown.low_point is None:
        return
    lasting = Lasting.of(shown.days, shown.low_point, but=not_shown(answer) if isinstance(shown, Cashflow) else None)
    if isinstance(shown, Cashflow):
        words = lasting.in_words()
    else:
        cards = {account.id for account in ask(list_accounts, ctx).accounts if account.kind == "card"}
        together = Lasting.of(answer.days, answer.low_point)
        lasts = not together.is_short and not together.may_be_short
        words = lasting.in_words(account=name, card=shown.account_id in cards, others_last=lasts)
    counted = isinstance(shown, Cashflow) or any(
        item.source == "issued_bill" for day in shown.days for item in day.items
    )
    bills = [sentence(note) for note in answer.bill_notes] if counted else []
    st.markdown(" ".join([plain(words), *bills]))


def _figures(shown: Cashflow | AccountCashflow, today: date, name: str) -> None:
    """Show the balance, its lowest point and what is left until pay. name: of the account, or `ALL`."""
    low = shown.low_point
    if low is None:
        return
    what = "Everyday, savings and card accounts together." if name == ALL else plain(name)
    due = ("What is due", DUE)
    read = shown.start_day or today
    when = "Now" if read == today else f"On {style.day(read)}"
    figures = [Metric(when, style.aud(shown.start or 0, cents=False), what, page="accounts")]
    note = between(low)
    about = "Our best guess, with its likely range." if note else "Almost all of it is known."
    lowest = style.aud(low.p50 or 0, cents=False)
    figures.append(Metric(f"Lowest on {style.day(low.date)}", lowest, about, note, place=due))
    if (pay := shown.until_pay) is not None:
        left, guess = (style.aud(amount, cents=False) for amount in (pay.left, pay.p50 or 0))
        after = None if guess == left else f"{guess} after usual spending"
        balance = "Today's balance" if when == "Now" else f"The balance on {style.day(read)}"
        help_ = f"{balance} less the payments that are known to come before your next pay."
        label = f"Left until pay on {style.day(pay.date)}"
        figures.append(Metric(label, left, help_, after, place=due))
    widgets.metrics(figures)


def _how_sure(answer: Cashflow) -> None:
    """Say exactly what "likely between" and "a bad month" mean, and how past ranges fared."""
    if not answer.range_notes:
        return
    with st.expander("How sure is this?"):
        st.write(
            "“Likely between” and the shaded range of the chart hold the real balance about 8 times in 10. “In a bad "
            "month” is the lower end of the range: about 1 time in 10 the balance is lower still."
        )
        for note in answer.range_notes:
            st.write(sentence(note))


def _due(days: Sequence[CashflowDay]) -> None:
    rows = [
        {
            "date": day.date,
            "amount": item.amount,
            "name": item.title,
            "balance": day.p50,
            "source": SOURCES.get(item.source, item.source),
        }
        for day in days
        for item in day.items
    ]
    columns = {
        "date": widgets.day("Date"),
        "amount": widgets.money("Amount"),
        "name": widgets.words("What"),
        "balance": widgets.money("Balance that day"),
        "source": widgets.words("Known from"),
    }
    if not rows:
        st.write("No payments are known to come.")
    widgets.table(rows, columns, name="cash-flow")
