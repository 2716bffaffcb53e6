"""The tab To review: one decision a keystroke, most money first, applied to all alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

import streamlit as st

from toolkit.answers.decisions import ReviewItem
from toolkit.charts import style
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.money.edits.review import decided_together, item_key, list_to_review, mark_fine
from toolkit.flows.money.rules import (
    accept_transfer,
    add_own_account,
    add_rule,
    of_same_account,
    reject_transfers,
    set_categories,
)
from toolkit.flows.money.summary import spending
from toolkit.flows.plans.my_plan import retailer_in
from toolkit.flows.wording import OWN_ACCOUNT, categories_in, counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.money.names import Names
from toolkit.pages.money.transaction_list import finish, keep_what_was_done
from toolkit.pages.text import plain, readable

PLACE, SHOWN, LISTED, LAST = "review-place", "review-shown", "review-listed", "review-last"
LEFT = "review-left"
NOTHING = "Nothing to review."
DECIDED = "The one shown before has been decided already. This is the next one."
ENERGY = "RENT_AND_UTILITIES_GAS_AND_ELECTRICITY"
UNTIL_DECIDED = "Likely transfers need a yes or a no. Until then each counts as spending and as money in."
QUICK, USUAL = 6, "review-usual"
"""Categories with a number for a key, 1 to 6; and where those of a visit are kept, each with its number."""
SUGGESTED = 2
"""Categories that a name suggests, beside those."""
GROCERIES = "FOOD_AND_DRINK_GROCERIES"
SALARY, RENT = "INCOME_SALARY", "RENT_AND_UTILITIES_RENT"
CAME_IN = {
    SALARY: "s",
    "INCOME_UNEMPLOYMENT": "k",
    "INCOME_RETIREMENT_PENSION": "p",
    "INCOME_TAX_REFUND": "t",
    "INCOME_OTHER_INCOME": "o",
    RENT: "h",
}
"""The categories offered for money that came in, with their keys, which are letters as the numbers are of money spent;
what a housemate pays makes the household's own rent less."""
EACH = {"weekly": "each week", "fortnightly": "each fortnight", "monthly": "each month"}
WHAT = {
    "pay": "Looks like pay",
    "payee": "Payee",
    "own_account": "Your own account?",
    "transfer": "Transfer?",
    "unnamed": "No payee",
    "unusual": "Unusual amount",
}
Groups = Sequence[Sequence[ReviewItem]]
"""Items, each with those that are decided together with it."""


def render(ctx: Context) -> None:
    """Show the first item with its decisions, the list, and what was left as it is."""
    keep_what_was_done(ctx)
    answer, names = ask(list_to_review, ctx), Names.of(ctx)
    groups = decided_together(answer.items)
    if groups:
        order = ""
        if len(groups) > 1:
            order = ", what looks like pay first" if groups[0][0].kind == "pay" else ", most money first"
        follow = " More follow once these are decided." if answer.more else ""
        st.write(f"{counted(len(groups), 'thing')} to look at{order}.{follow} You can do this at any time.")
    else:
        st.success(f"{NOTHING} New payees, likely transfers and unusual amounts will show up here.")
    if (shown := _shown(groups, answer.left)) is not None:
        _decide(ctx, shown, groups, names)
    if groups:
        _listed(groups, names, name="to-review")
        _all_fine(ctx, answer.items)
    if answer.left:
        with st.expander(f"Left as they are ({len(answer.left)})", key=LEFT, on_change="rerun"):
            _listed([(item,) for item in answer.left], names, name="left-as-they-are")


def open_left() -> None:
    """Open the list of what was left as it is when the tab is drawn next."""
    st.session_state[LEFT] = True


def _close_left() -> None:
    st.session_state[LEFT] = False
    del st.session_state[SHOWN]


def _shown(groups: Groups, left: Sequence[ReviewItem]) -> Sequence[ReviewItem] | None:
    """Return what is on screen, with those alike; where that was decided since, the next, which the page states."""
    by_key = {item_key(item): group for group in groups for item in group}
    asked = st.session_state.get(SHOWN)
    if (last := st.session_state.get(LAST)) in by_key:
        asked = last  # the decision was taken back: what it was about is shown again
        del st.session_state[LAST]
    every = by_key | {item_key(item): (item,) for item in left}
    if asked in every:
        chosen = every[asked]
    elif groups:
        chosen = groups[min(st.session_state.get(PLACE, 0), len(groups) - 1)]
        if asked is not None:
            st.info(DECIDED)
    elif left and st.session_state.get(LEFT):
        chosen = left[:1]
    else:
        return None
    _show(chosen, groups)
    return chosen


def _show(chosen: Sequence[ReviewItem], groups: Groups) -> None:
    """Keep what is on screen, and its place in the list."""
    st.session_state[SHOWN] = item_key(chosen[0])
    if chosen in groups:
        st.session_state[PLACE] = groups.index(chosen)


def _decide(ctx: Context, same: Sequence[ReviewItem], groups: Groups, names: Names) -> None:
    """Show an item with its decisions. same: it, and those alike.

    What it is about stands below the buttons, which so stay where they are from one item to the next.
    """
    item = same[0]
    with st.container(border=True, key="review-item"):
        if item.left:
            st.caption("You left this as it is.")
        _question(ctx, same, names)
        with st.container(horizontal=True):
            if item.left:
                st.button("Close", key="review-close", on_click=_close_left)
            else:
                _leave_or_wait(ctx, same, groups)
        if item.kind != "transfer":
            _rows(item)
        if len(same) > 1 and not item.left:
            _alike(same[1:])


def _question(ctx: Context, same: Sequence[ReviewItem], names: Names) -> None:
    """Ask what an item is, with a button for each likely answer."""
    item = same[0]
    if item.kind == "transfer":
        _transfer(ctx, same)
    elif item.kind == "own_account":
        _own_account(ctx, item, names)
    elif item.kind == "pay":
        _pay(ctx, item, names)
    elif item.kind == "unnamed":
        _unnamed(ctx, item, names)
    else:
        _payee(ctx, item, names)


def _leave_or_wait(ctx: Context, same: Sequence[ReviewItem], groups: Groups) -> None:
    """Offer to leave an item as it is, and to come back to it later."""
    item = same[0]
    if item.kind != "transfer" and st.button("Fine as it is", key=f"review-fine-{item_key(item)}", shortcut="f"):
        _fine(ctx, same)
    later = groups[(groups.index(same) + 1) % len(groups)]
    is_only = len(groups) == 1
    st.button("Later", key="review-later", shortcut="l", disabled=is_only, on_click=_show, args=(later, groups))


def _all_fine(ctx: Context, items: Sequence[ReviewItem]) -> None:
    """Offer to leave everything as it is but for likely transfers, which take a yes or a no."""
    shown = widgets.last_drawn(frozenset(map(item_key, items)), key=LISTED)
    fine = [item for item in items if item.kind != "transfer"]
    if len(fine) < len(items):
        st.caption(UNTIL_DECIDED)
    if not fine:
        return
    what = "others" if len(fine) < len(items) else f"{len(fine)}"
    label = f"All {what} are fine" if len(fine) > 1 else "The other is fine" if what == "others" else "This one is fine"
    if st.button(label, key="review-all-fine", icon=":material/done_all:"):
        _fine(ctx, [each for each in fine if item_key(each) in shown])


@contextmanager
def _deciding(ctx: Context, decided: Sequence[ReviewItem], done: str) -> Iterator[None]:
    """Confirm a decision once it is made, and say how many others on the list it answers, too."""
    before = decided_together(ask(list_to_review, ctx).items)
    with explained():
        yield
        now = ask(list_to_review, ctx)
        listed = {item_key(item) for item in (*now.items, *decided)}
        gone = [] if now.more else [group for group in before if listed.isdisjoint(map(item_key, group))]
        also = f" It answers {counted(len(gone), 'other')} on the list, too." if gone else ""
        st.session_state[LAST] = st.session_state.pop(SHOWN, None)
        finish(f"{done}{also}")


def _fine(ctx: Context, items: Sequence[ReviewItem]) -> None:
    left = f"{counted(len(items), 'thing')} left as {'it is' if len(items) == 1 else 'they are'}."
    with _deciding(ctx, items, left):
        mark_fine(ctx, items)


def _transfer(ctx: Context, same: Sequence[ReviewItem]) -> None:
    """Show the two sides of what may be a transfer, and those like it. same: them, the first one in full."""
    item = same[0]
    st.subheader(f"{style.aud(item.amount)} between your own accounts?")
    labels = ask(account_labels, ctx)
    legs = sorted(item.transactions, key=lambda row: row.amount)
    for column, leg, direction in zip(st.columns(2), legs, ("Out of", "Into"), strict=True):
        with column:
            st.markdown(f"**{plain(f'{direction} {labels.get(leg.account_id, leg.account_id)}')}**")
            st.text(f"{style.aud(leg.amount)}, {style.day(leg.date) if leg.date else 'no date'}")
            st.text(readable(leg.description or ""))
    if len(same) > 1:
        st.write(f"{counted(len(same) - 1, 'more pair')} between these accounts with the same names are listed below.")
    out, into = (leg.id for leg in legs)
    with st.container(horizontal=True):
        if st.button(
            "Yes, a transfer, and those like it", key=f"review-yes-{item_key(item)}", type="primary", shortcut="y"
        ):
            with _deciding(ctx, same, "Counted as a transfer, and those like it."):
                accept_transfer(ctx, out, into, item=item)
        no = f"No, none of the {len(same)}" if len(same) > 1 else "No"
        if st.button(no, key=f"review-no-{item_key(item)}", shortcut="n"):
            with _deciding(ctx, same, f"{counted(len(same), 'pair')} not counted as a transfer."):
                reject_transfers(ctx, same)


def _alike(others: Sequence[ReviewItem]) -> None:
    """List pairs that are decided with the one on screen, below its buttons: they may be many."""
    rows: list[widgets.Row] = [{"date": each.date, "amount": each.amount} for each in others]
    columns = {"date": widgets.day("Date"), "amount": widgets.money("Amount")}
    rows.sort(key=lambda row: str(row["date"]), reverse=True)
    widgets.table(rows, columns, name="review-alike", download=False)


def _own_account(ctx: Context, item: ReviewItem, names: Names) -> None:
    who = item.name or "Not named"
    st.subheader(plain(f"{who}: {style.aud(item.amount)} {_days(item)}. Your own account?"))
    if item.own_person:
        st.caption(plain(f"{who} is one of your household's people, and that account is not in your data."))
    st.caption(
        plain(
            f"{_counted_as(item, names)} Money between your own accounts is neither spending nor "
            "income. Add that account's file, or connect it, and both sides are found."
        )
    )
    _confirm_or_choose(ctx, item, names, "Yes, our own account", OWN_ACCOUNT)


def _pay(ctx: Context, item: ReviewItem, names: Names) -> None:
    usual = style.aud(item.usual or item.amount)
    st.subheader(plain(f"{item.name}: {usual} {EACH.get(item.cadence or '', '')}. Is it pay?"))
    st.caption(
        plain(
            f"{style.aud(item.amount)} {_days(item)}. {_counted_as(item, names)} Until you choose, it counts as "
            "money back, so spending looks too small."
        )
    )
    _confirm_or_choose(ctx, item, names, "Yes, it is pay", SALARY)


def _confirm_or_choose(ctx: Context, item: ReviewItem, names: Names, yes: str, likely: str) -> None:
    """Confirm an item's likely category by one key, and offer others as `_choose_category` does."""
    if st.button(yes, key=f"review-yes-{item_key(item)}", type="primary", shortcut="y"):
        _categorise(ctx, item, likely, names)
    _choose_category(ctx, item, names, but=likely)


def _payee(ctx: Context, item: ReviewItem, names: Names) -> None:
    who = item.name or "Not named"
    if item.usual is not None:
        usual = f"usually {style.aud(item.usual)}"
        st.subheader(plain(f"{who}: {style.aud(item.amount)} on {style.day(item.date)}, {usual}"))
        st.caption("Fine as it is? If not, ask the shop or your bank.")
    else:
        st.subheader(plain(f"{who}: {style.aud(item.amount)} {_days(item)}"))
        which = (
            "Which category is right?" if item.count == 1 else "Which category is right for all of its transactions?"
        )
        st.caption(plain(f"{_counted_as(item, names)} {which}"))
    if item.name is not None and item.usual is None:
        _choose_category(ctx, item, names)


def _unnamed(ctx: Context, item: ReviewItem, names: Names) -> None:
    way = "came in" if item.transactions[0].amount > 0 else "went out"
    st.subheader(f"{style.aud(item.amount)} {way} on {style.day(item.date)}, and the bank does not say who it is")
    st.caption("It has no category yet. Which one is right for it?")
    _choose_category(ctx, item, names)


def _days(item: ReviewItem) -> str:
    """Say how many transactions the amount is of, and from when they are."""
    if item.count == 1:
        return f"on {style.day(item.date)}"
    return f"in {counted(item.count, 'transaction')} since {style.day(item.since)}"


def _counted_as(item: ReviewItem, names: Names) -> str:
    return f"Counted as {names.name(item.category)} now." if item.category else "It has no category yet."


def _rows(item: ReviewItem) -> None:
    rows = [{"date": row.date, "amount": row.amount, "description": row.description} for row in item.transactions]
    columns = {
        "date": widgets.day("Date"),
        "amount": widgets.money("Amount"),
        "description": widgets.words("Description"),
    }
    widgets.table(rows, columns, name="review-rows", download=False)


def _choose_category(ctx: Context, item: ReviewItem, names: Names, *, but: str | None = None) -> None:
    """Offer likely categories by a key, and all others. but: what another button confirms by the key of a yes.

    Save is there before there is something to save: what is below would take its place, and a second press, afterwards.
    """
    came_in = all(row.amount > 0 for row in item.transactions)
    suggested = [] if came_in else _suggested(ctx, item.name or "")
    likely = suggested[0] if suggested and but is None else None
    usual = CAME_IN if came_in else _numbered(ctx)
    new = {code: "y" if code == likely else None for code in suggested if code not in usual}
    with st.container(horizontal=True):
        for code, key in (*usual.items(), *new.items()):
            if code == but:
                continue
            name = f"{names.name(code)}: a housemate's share" if came_in and code == RENT else names.name(code)
            kind: Literal["primary", "secondary"] = "primary" if code == likely else "secondary"
            if st.button(plain(name), key=f"review-category-{key}-{code}-{item_key(item)}", type=kind, shortcut=key):
                _categorise(ctx, item, code, names)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        other = st.selectbox(
            "Another category",
            names.choices,
            index=None,
            format_func=names.found_by,
            placeholder="Type what it is, such as phone or petrol",
            key=f"review-other-{item_key(item)}",
            width=420,
        )
        save = "Save for all of its transactions" if item.name else "Save"
        if st.button(save, key=f"review-save-{item_key(item)}", type="primary", disabled=not other) and other:
            _categorise(ctx, item, names.code_of[other], names)


def _categorise(ctx: Context, item: ReviewItem, code: str, names: Names) -> None:
    if item.name and code == OWN_ACCOUNT and (others := ask(of_same_account, ctx, item.name)):
        payees = [item.name, *others]
        done = f"{' and '.join(payees)} are {names.name(code)} now, as they name the same account"
        with _deciding(ctx, [item], f"{done}: all of their transactions, and those to come."):
            add_own_account(ctx, payees, shown=item)
        return
    who = item.name or f"{style.aud(item.amount)} on {style.day(item.date)}"
    every = ": all of its transactions, and those to come" if item.name else ""
    with _deciding(ctx, [item], f"{who} is {names.name(code)} now{every}."):
        if item.name:
            add_rule(ctx, item.name, code, payee=True, shown=item)
        else:
            set_categories(ctx, {row.id: code for row in item.transactions}, shown=item.transactions)


def _suggested(ctx: Context, name: str) -> list[str]:
    """Return the categories that words of a payee's name, or a bill of its, suggest."""
    retailers = [bill.retailer for bill in ask(list_invoices, ctx).invoices if bill.retailer]
    is_retailer = retailer_in(name, retailers) is not None
    by_words = [code for code in categories_in(name) if not code.startswith("INCOME")]  # Supercheap, Pay Anyone
    return list(dict.fromkeys([*([ENERGY] if is_retailer else []), *by_words]))[:SUGGESTED]


def _numbered(ctx: Context) -> dict[str, str]:
    """Return groceries and the categories with most transactions, each with its number; one keeps it for the visit."""
    kept: list[str] = st.session_state.setdefault(USUAL, [])
    if len(kept) < QUICK:
        counts: dict[str, int] = {}
        for row in ask(spending, ctx).rows:
            code = row.secondary_category or row.primary_category
            if isinstance(code, str):
                counts[code] = counts.get(code, 0) + row.count
        by_count = sorted(counts, key=lambda code: (-counts[code], code))
        st.session_state[USUAL] = kept = list(dict.fromkeys([*kept, GROCERIES, *by_count]))[:QUICK]
    return {code: str(number) for number, code in enumerate(kept, 1)}


def _listed(groups: Groups, names: Names, *, name: str) -> None:
    """List what to look at, those that take one decision in one row."""
    rows = [
        {
            "name": item.name or item.transactions[0].description,
            "amount": item.amount,
            "what": WHAT[item.kind] if len(group) == 1 else f"{WHAT[item.kind]} {len(group)} alike",
            "date": max(each.date for each in group),
            "category": names.name(item.category),
        }
        for group in groups
        for item in group[:1]
    ]
    columns = {
        "name": widgets.words("Who"),
        "amount": widgets.money("Amount"),
        "what": widgets.words("What"),
        "date": widgets.day("Newest"),
        "category": widgets.words("Category"),
    }

    def jump(place: int) -> None:
        _show(groups[place], groups)

    widgets.table(rows, columns, name=name, download=False, on_pick=jump)
