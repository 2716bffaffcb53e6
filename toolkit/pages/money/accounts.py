"""The Accounts page: what the household has and owes, each account, what can be changed of it, and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit.answers.households import ImportedFile
from toolkit.answers.money import Account, Accounts, NetWorth
from toolkit.charts import cash as charts
from toolkit.charts import style
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.household.status import status
from toolkit.flows.money.accounts import far_from_known, link, list_accounts, set_account, unlink
from toolkit.flows.money.cashflow import net_worth
from toolkit.flows.money.overrides import latest_decision, undo
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained, refused_below
from toolkit.pages.importing.outcome import contents
from toolkit.pages.keeping import TAKING_BACK
from toolkit.pages.text import plain, sentence
from toolkit.pages.widgets import Metric

HOW_TO_START = "Add your bank's exports or connect your accounts. What you have and what you owe then shows up here."
KINDS = {
    "everyday": "Everyday",
    "savings": "Savings",
    "offset": "Offset",
    "card": "Credit card",
    "loan": "Loan",
    "term-deposit": "Term deposit",
}
OWING = ("card", "loan")
"""The kinds of accounts on which money is owed."""
SOURCES = {"service": "Bank", "file": "File"}
BALANCE, OWED = "Balance", "What you owe"
EXAMPLES = {
    BALANCE: "1,250.40, or -300,000 where you owe it",
    OWED: "1,250.40, or -20 where it is in credit",
}
"""What is asked of an account → an example of it."""
MOST_ASKED = 2
"""So many accounts without a balance have a field of their own."""
LISTED = "accounts-listed"
"""The anchor of the list of accounts."""
DONE, SHOWN = "accounts-done", "account-shown-"
CORRECT, JOIN, FILES, ASKED = "correct-an-account", "join-accounts", "take-a-file-back", "asked-of-accounts"
"""Parts of the page: what was done in one is confirmed below it, and it stays open."""
FAR = "balance-asked-about-"
"""Begins the key of a balance that is far from the known one, and was asked about."""
AGAIN = "accounts-drawn-again"
"""Whether what is stored was changed outside the form, which then shows it in place of what it showed before."""


def render(ctx: Context) -> None:
    """Show net worth, every account, and forms to correct, join and take back."""
    answer = ask(list_accounts, ctx)
    if not answer.accounts:
        _confirm(FILES)
        widgets.empty("No accounts yet", HOW_TO_START)
        return
    labels = ask(account_labels, ctx)
    _confirm(ASKED)
    _ask_for_cards(ctx, answer, labels)
    _ask_for_links(ctx, answer)
    with explained():
        worth = ask(net_worth, ctx)
        _ask_for_balances(ctx, worth, answer, labels)
        _net_worth(worth, answer, labels)
    st.subheader("Your accounts", anchor=LISTED)
    _listed(answer.accounts)
    with st.expander("Correct an account", key=CORRECT):
        _change(ctx, answer.accounts, labels)
        _confirm(CORRECT)
    with st.expander("One account that is listed twice", key=JOIN):
        _join(ctx, answer, labels)
        _confirm(JOIN)
    with explained():
        homes = [home for home in ask(status, ctx).households if ctx.household in (None, home.id, home.name)]
        if files := [file for home in homes for file in home.files]:
            st.subheader("Files you added")
            _files(ctx, files, labels)
    _confirm(FILES)


def _net_worth(answer: NetWorth, accounts: Accounts, labels: Mapping[str, str]) -> None:
    known = [month for month in answer.months if month.net is not None]
    if known:
        last = known[-1]
        unknown = [*last.missing, *answer.without_balance]
        read = ", ".join(filter(None, [f"on {style.day(last.date)}", _without(unknown, labels)]))
        unknown_debts = [account for account in unknown if account in _owing(accounts)]
        elsewhere = [*answer.loans_elsewhere, *answer.cards_elsewhere]
        debts = "Not known" if unknown_debts and not last.debts else style.aud(last.debts or 0, cents=False)
        what = "Loans, cards and overdrawn accounts."
        shown = [
            Metric("Net worth", style.aud(last.net or 0, cents=False), "What you have less what you owe.", read),
            Metric("You have", style.aud(last.assets or 0, cents=False), "Accounts with money in them."),
            Metric("You owe", debts, what, _owed_where(unknown_debts, elsewhere, labels)),
        ]
        widgets.metrics([replace(metric, place=("Accounts", LISTED)) for metric in shown])
        for note in answer.debt_notes:
            st.caption(sentence(note))
            widgets.link("data", "**Add it →**")
        widgets.chart(charts.net_worth(answer.months, look=widgets.look()), key="net-worth")


def _owing(accounts: Accounts) -> set[str]:
    """Return the ids of accounts on which money is owed: cards and loans, and those that look like a card."""
    return {account.id for account in accounts.accounts if account.kind in OWING} | set(accounts.likely_cards)


def _ask_for_balances(ctx: Context, worth: NetWorth, answer: Accounts, labels: Mapping[str, str]) -> None:
    """Ask for the balance of accounts whose files have none: without it no figure of today or to come has them."""
    unknown = [*(account for month in worth.months[-1:] for account in month.missing), *worth.without_balance]
    by_id = {account.id: account for account in answer.accounts}
    for account in filter(None, map(by_id.get, unknown[:MOST_ASKED])):
        _ask_for_balance(ctx, account, labels.get(account.id, account.id), owes=account.id in _owing(answer))
    for other in unknown[MOST_ASKED:]:
        name = labels.get(other, other)
        st.caption(plain(f"The balance of {name} is not known. Enter it once under “Correct an account”."))


def _ask_for_balance(ctx: Context, account: Account, name: str, *, owes: bool) -> None:
    """Ask for the balance of an account; of one that money is owed on for what is owed, as statements have it."""
    with st.form(f"balance-of-{account.id}"):
        st.write(plain(f"The balance of {name} is not known, so net worth and cash flow leave it out. Enter it once."))
        amount, when = st.columns(2)
        label = OWED if owes else BALANCE
        typed = amount.text_input(label, placeholder=EXAMPLES[label], key=f"asked-balance-{account.id}")
        below = amount.container()
        at = widgets.day_field(when, "At the end of", ctx.today, key=f"asked-at-{account.id}")
        below_day = when.container()
        if not st.form_submit_button("Save the balance"):
            return
    if not typed.strip():
        below.info("Enter the balance as your bank shows it.")
        return
    with refused_below({"--balance": below, "--at": below_day}):
        saved = set_account(ctx, account.id, balance=typed.strip(), is_owed=owes, at=at, shown=account)
        st.session_state[AGAIN] = True
        _finish(_balance_saved(saved, account.id, at), ASKED)


def _balance_saved(saved: Accounts, account: str, day: date | None) -> str:
    """Confirm the balance of a day, and say which way it counts."""
    read = next((each.balance for each in saved.accounts if (each.id, each.balance_at) == (account, day)), None)
    if read is None:  # that of a later day is known
        return "The balance is saved."
    return plain(f"The balance is saved: you {'owe' if read < 0 else 'have'} {style.aud(abs(read))}.")


def _without(accounts: Sequence[str], labels: Mapping[str, str]) -> str | None:
    """Say which accounts a figure is without; None where it has all."""
    if not accounts:
        return None
    one = labels.get(accounts[0], accounts[0])
    return plain(f"without {one if len(accounts) == 1 else counted(len(accounts), 'account')}")


def _owed_where(unknown: Sequence[str], elsewhere: Sequence[str], labels: Mapping[str, str]) -> str | None:
    """Say of what is owed that it is that of the accounts here, where other debts are paid. elsewhere: payees."""
    if not elsewhere:
        return _without(unknown, labels)
    others = plain(elsewhere[0]) if len(elsewhere) == 1 else counted(len(elsewhere), "debt")
    return ", ".join(filter(None, ["in the accounts here", f"without {others}", _without(unknown, labels)]))


def _ask_for_cards(ctx: Context, answer: Accounts, labels: Mapping[str, str]) -> None:
    """Ask of an account that looks like a credit card whether it is one: its file does not say."""
    for account in answer.accounts:
        if account.id not in answer.likely_cards:
            continue
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            name = labels.get(account.id, account.id)
            st.markdown(
                plain(f"{name} has purchases, and payments received for them. Is it a credit card?"), width="stretch"
            )
            for kind, label in {"card": "Yes, a credit card", "everyday": "No, an everyday account"}.items():
                if st.button(label, key=f"is-{kind}-{account.id}"):
                    with explained():
                        set_account(ctx, account.id, kind=kind, shown=account)
                        st.session_state[AGAIN] = True
                        _finish("The account is saved.", ASKED)


def _ask_for_links(ctx: Context, answer: Accounts) -> None:
    """Ask of accounts that may be one whether they are: until then what both have counts twice."""
    for accounts, problem in zip(answer.may_be_one, answer.problems, strict=True):
        key = "-".join(accounts)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(sentence(problem.reason), width="stretch")
            if st.button("Yes, one account", key=f"one-{key}"):
                _link(ctx, accounts, answer, ASKED)
            if st.button("No, different accounts", key=f"different-{key}"):
                _unlink(ctx, accounts, answer, ASKED)


def _link(ctx: Context, accounts: Sequence[str], shown: Accounts, part: str) -> None:
    with explained():
        link(ctx, accounts, shown=shown)
        _finish("They count as one account now.", part)


def _unlink(ctx: Context, accounts: Sequence[str], shown: Accounts, part: str) -> None:
    with explained():
        unlink(ctx, accounts, shown=shown)
        _finish("They count as different accounts now.", part)


def _listed(accounts: Sequence[Account]) -> None:
    names = {account.id: account.name or account.id for account in accounts}
    rows = [
        {
            "name": account.name or account.id,
            "balance": account.balance,
            "at": account.balance_at,
            "kind": KINDS.get(account.kind or "", account.kind),
            "number": account.number,
            "from": account.from_,
            "to": account.to,
            "transactions": account.transactions,
            "institution": account.institution,
            "source": SOURCES[account.source],
            "linked": ", ".join(names.get(other, other) for other in account.linked_to),
        }
        for account in accounts
    ]
    columns = {
        "name": widgets.words("Account"),
        "balance": widgets.money("Balance"),
        "at": widgets.day("Balance on"),
        "kind": widgets.words("Kind"),
        "number": widgets.words("Number"),
        "from": widgets.day("First transaction"),
        "to": widgets.day("Last transaction"),
        "transactions": widgets.count("Transactions"),
        "institution": widgets.words("Bank"),
        "source": widgets.words("Source"),
        "linked": widgets.words("Same account as"),
    }
    widgets.table(rows, columns, name="accounts")


def _change(ctx: Context, accounts: Sequence[Account], labels: Mapping[str, str]) -> None:
    """Show the form that sets name, kind and balance of one account; what was typed stays where it is refused."""
    by_id = {account.id: account for account in accounts}
    if st.session_state.pop(AGAIN, False):
        _draw_again(accounts)
    names = widgets.distinct({id_: labels.get(id_, id_) for id_ in by_id})
    chosen = st.selectbox("Account", list(names), format_func=names.__getitem__, key="account-to-set")
    account = by_id[chosen or accounts[0].id]
    shown = widgets.shown_by_form(account, key=SHOWN + account.id, field=f"name-{account.id}")
    with st.form(f"set-{account.id}", border=False):
        name = st.text_input("Name", account.name or "", key=f"name-{account.id}")
        kinds = [None, *KINDS]
        kind = st.selectbox(
            "Kind",
            kinds,
            index=kinds.index(account.kind) if account.kind in KINDS else 0,
            format_func=lambda kind: KINDS.get(kind or "", "Not set"),
            key=f"kind-{account.id}",
        )
        person = st.text_input(
            "Owner",
            account.person or "",
            key=f"person-{account.id}",
            help="For spending by person.",
        )
        label = OWED if account.kind in OWING else BALANCE
        balance = st.text_input(label, placeholder=EXAMPLES[label], key=f"balance-{account.id}")
        below_balance = st.container()
        at = widgets.day_field(st.container(), "Balance at the end of", ctx.today, key=f"at-{account.id}")
        below_day = st.container()
        if st.form_submit_button("Save", type="primary"):
            del st.session_state[SHOWN + account.id]  # what differs is shown once
            typed = _Typed(name.strip(), kind, person.strip(), balance.strip(), label == OWED, at)
            with refused_below({"--balance": below_balance, "--at": below_day}):
                if _is_meant(account, typed, below_balance):
                    _save(ctx, shown, typed)
    latest = widgets.last_drawn(ask(latest_decision, ctx), key=f"accounts-latest-{ctx.household}")
    if st.button("Undo the last change", key="accounts-undo"):
        with explained():
            undo(ctx, shown=latest)
            st.session_state[AGAIN] = True
            _finish("The last change is undone.", CORRECT)


def _draw_again(accounts: Sequence[Account]) -> None:
    """Let the fields of the form show what is stored."""
    for account in accounts:
        st.session_state.pop(SHOWN + account.id, None)
        kind = account.kind if account.kind in KINDS else None
        stored = {"name": account.name or "", "kind": kind, "person": account.person or ""}
        for field, value in stored.items():
            if (key := f"{field}-{account.id}") in st.session_state:
                st.session_state[key] = value


class _Typed(NamedTuple):
    """What a person typed about an account; texts are stripped."""

    name: str
    kind: str | None
    person: str
    balance: str
    is_owed: bool
    at: date | None


def _is_meant(account: Account, typed: _Typed, below: DeltaGenerator) -> bool:
    """Return whether a typed balance is near the known one, or was sent again after the difference was shown."""
    key = f"{FAR}{account.id}"
    asked = st.session_state.pop(key, None)
    more = far_from_known(account, typed.balance, is_owed=typed.is_owed) if typed.balance else None
    if more is None or account.balance is None or asked == typed.balance:
        return True
    st.session_state[key] = typed.balance
    known, day = style.aud(account.balance), style.day(account.balance_at) if account.balance_at else ""
    way = "more" if more > 0 else "less"
    below.warning(
        plain(
            f"The balance known so far is {known}{f' on {day}' if day else ''}: what you typed is "
            f"{style.aud(abs(more))} {way}. If it is right, press Save again. It is not saved yet."
        )
    )
    return False


def _save(ctx: Context, shown: Account, typed: _Typed) -> None:
    new_name = typed.name if typed.name not in ("", shown.name) else None
    new_kind = typed.kind if typed.kind != shown.kind else None
    new_person = typed.person if typed.person != (shown.person or "") else None
    if not (new_name or new_kind or typed.balance) and new_person is None:
        st.info("Nothing was changed.")
        return
    saved = set_account(
        ctx,
        shown.id,
        shown=shown,
        name=new_name,
        kind=new_kind,
        person=new_person,
        balance=typed.balance or None,
        is_owed=typed.is_owed,
        at=typed.at if typed.balance else None,
    )
    _finish(_balance_saved(saved, shown.id, typed.at) if typed.balance else "The account is saved.", CORRECT)


def _join(ctx: Context, answer: Accounts, labels: Mapping[str, str]) -> None:
    st.write("A transaction that is in both then counts once.")
    names = widgets.distinct({account.id: labels.get(account.id, account.id) for account in answer.accounts})
    chosen = st.multiselect("Accounts", list(names), format_func=names.__getitem__, key="to-join")
    shown = widgets.last_drawn(answer, key=f"accounts-joined-{ctx.household}")
    together, apart = st.columns(2)
    if together.button("They are one account", disabled=len(chosen) < 2, key="join"):
        _link(ctx, chosen, shown, JOIN)
    if apart.button("They are different accounts", disabled=not chosen, key="part"):
        _unlink(ctx, chosen, shown, JOIN)


def _files(ctx: Context, files: Sequence[ImportedFile], labels: Mapping[str, str]) -> None:
    rows = [
        {
            "name": file.name,
            "account": labels.get(file.account_id or "", file.account_id),
            "holds": contents([file]),
            "from": file.from_,
            "to": file.to,
            "at": file.imported_at,
        }
        for file in files
    ]
    columns = {
        "name": widgets.words("File"),
        "holds": widgets.words("Holds"),
        "from": widgets.day("First day"),
        "to": widgets.day("Last day"),
        "account": widgets.words("Account"),
        "at": widgets.timestamp("Added", in_utc=True),
    }
    widgets.table(rows, columns, name="files", download=False)
    names = widgets.distinct({file.id: file.name for file in files})
    with st.expander("Take a file back"):
        chosen = st.selectbox("File", list(names), format_func=names.__getitem__, key="file-to-forget")
        st.write(TAKING_BACK)
        sure = st.checkbox("Delete the file's data", key=f"file-sure-{chosen}")
        if st.button("Take it back", disabled=not sure or chosen is None, key="forget-file"):
            with explained():
                answer = forget(ctx, file=chosen)
                count = answer.deleted.get("transactions", 0)
                gone = f"{counted(count, 'transaction')} deleted" if count else "what came only from it is deleted"
                _finish(plain(f"{names[str(chosen)]} was taken back: {gone}."), FILES)


def _finish(done: str, part: str) -> None:
    """Show on the next run what was done in a part of the page."""
    st.session_state[DONE] = (part, done)
    st.rerun()


def _confirm(part: str) -> None:
    """Show what was done last, where that was in this part of the page."""
    kept = st.session_state.get(DONE)
    if kept is not None and kept[0] == part:
        widgets.say_done(kept[1])
        del st.session_state[DONE]
