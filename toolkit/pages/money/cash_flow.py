"""Cash flow, a tab of Coming up: how long the money lasts, together and by account."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from toolkit.answers.money import Cashflow, CashflowDay, LowPoint
from toolkit.charts import cash as charts
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.money.cashflow import cashflow
from toolkit.pages import widgets
from toolkit.pages.answers import ask
from toolkit.pages.text import message, plain, sentence
from toolkit.pages.widgets import Metric

SOURCES = {
    "scheduled_payment": "Set up at the bank",
    "direct_debit": "Direct debit",
    "loan": "Loan instalment",
    "card": "Due on the card",
    "detected": "Past payments",
    "issued_bill": "Energy bill received",
    "energy_bill": "Energy bill forecast",
    "transfer": "Between your accounts",
}
ALL = "All together"
DUE = "due"
"""The anchor of the list of payments."""


def render(ctx: Context) -> None:
    """Show the balance of the next 90 days with its range, its lowest point, and what is due."""
    answer = ask(cashflow, ctx)
    if answer.low_point is None:
        st.info("No balance of an everyday, savings or card account is known. Enter one once on the Accounts page.")
        widgets.link("accounts", "**Go to Accounts →**")
        _due(answer.days)
        return
    _figures(answer)
    labels = ask(account_labels, ctx)
    for note in answer.balances_missing:
        st.caption(sentence(note))
    if answer.balances_missing:
        widgets.link("accounts", "**Enter the balance →**")
    choices = {ALL: (answer.days, answer.low_point)} | {
        labels.get(account.account_id, account.account_id): (account.days, account.low_point)
        for account in answer.accounts
    }
    chosen = st.selectbox("Account", list(choices), key="cash-account", width=320) if len(choices) > 2 else ALL
    days, low = choices[chosen or ALL]
    widgets.chart(charts.balance(days, low, look=widgets.look()), key="balance")
    if low is not None:
        st.write(_lowest(low))
    tried = [note for note in answer.notes if note.code == "range_checked"]
    for note in tried:
        st.caption(plain(message(note)))
    st.subheader("What is due", anchor=DUE)
    _due(days)
    widgets.notes([note for note in answer.notes if note not in (*tried, *answer.balances_missing)])


def _figures(answer: Cashflow) -> None:
    low = answer.low_point
    assert low is not None
    what, due = "Everyday, savings and card accounts together.", ("What is due", DUE)
    read = answer.start_day or answer.from_
    when = "Now" if read == answer.from_ else f"On {style.day(read)}"
    shown = [Metric(when, style.aud(answer.start or 0, cents=False), what, page="accounts")]
    text, note = f"Lowest on {style.day(low.date)}", _range(low, cents=False)
    about = "Best guess. It lies in the range below 8 times in 10." if note else "Almost all of it is known."
    shown.append(Metric(text, style.aud(low.p50 or 0, cents=False), about, note, place=due))
    if (pay := answer.until_pay) is not None:
        after = f"{style.aud(pay.p50 or 0, cents=False)} after usual spending"
        balance = "Today's balance" if when == "Now" else f"The balance on {style.day(read)}"
        help_ = f"{balance} less the payments that are known to come before your next pay."
        label = f"Left until pay on {style.day(pay.date)}"
        shown.append(Metric(label, style.aud(pay.left, cents=False), help_, after, place=due))
    widgets.metrics(shown)


def _range(low: LowPoint, *, cents: bool) -> str | None:
    """Word the range of a balance; None where it has none, or both ends are the same dollar."""
    if low.p10 is None or low.p90 is None or round(low.p10) == round(low.p90):
        return None
    return f"{style.aud(low.p10, cents=cents)} to {style.aud(low.p90, cents=cents)}"


def _lowest(low: LowPoint) -> str:
    words = f"The lowest balance is about {style.aud(low.p50 or 0)} on {style.day(low.date)}"
    if likely := _range(low, cents=True):
        words += f", likely {likely} (8 in 10)"
    if low.cause:
        words += f", after {', '.join(f'{item.name} ({style.aud(abs(item.amount))})' for item in low.cause)}"
    return plain(f"{words}.")


def _due(days: Sequence[CashflowDay]) -> None:
    rows = [
        {
            "date": day.date,
            "amount": item.amount,
            "name": item.name,
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
