"""The app: who may see it, which home it shows, and its pages."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from toolkit.errors import ToolkitError
from toolkit.flows.household.context import Context, homes
from toolkit.pages import answers, overview, widgets
from toolkit.pages.data.page import render as render_data
from toolkit.pages.energy import bills, high_bill, plans, solar
from toolkit.pages.money import accounts, cash_flow, coming_up, spending
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import plain, sentence
from toolkit.pages.usage.page import render as render_usage

ICON = Path(__file__).with_name("icon.png")
RENDERERS = {
    "overview": ("Overview", overview.render),
    "spending": ("Spending", spending.render),
    "coming-up": ("Coming up", coming_up.render),
    "cash-flow": ("Cash flow", cash_flow.render),
    "accounts": ("Accounts", accounts.render),
    "bills": ("Energy bills", bills.render),
    "too-high": ("My bill is too high", high_bill.render),
    "plans": ("Plans", plans.render),
    "usage": ("Usage", render_usage),
    "solar": ("Solar", solar.render),
    "data": ("Data", render_data),
}
BY_BUTTON = {"too-high"}
"""Pages that a button of another page leads to."""

STYLE = """<style>
/* Streamlit leaves six rem above a title, and cuts the label of a figure that does not fit in one line. */
[data-testid="stMainBlockContainer"] { padding-top: 3.5rem; }
[data-testid="stMetricLabel"] p { white-space: normal; }
</style>"""


def main() -> None:
    """One run of the app for one visit."""
    st.set_page_config("Home finance and energy", str(ICON), layout="wide")
    st.html(STYLE)
    if not _unlocked():
        st.title("This page is locked")
        st.write("Open it with the whole address that was printed when the app started. It ends in a token.")
        return
    try:
        ctx = answers.context()
        names = {home.id: home.name for home in homes(ctx).households}
    except ToolkitError as error:
        st.error(sentence(error))
        return
    asked = st.query_params.get("household") or st.session_state.get("household_id")
    if names and asked not in (None, *names, *names.values()):  # the address of a choice carries its name
        _say_not_stored(names)
        return
    chosen = _chosen_home(ctx, names)
    widgets.PAGES = {
        name: st.Page(
            _page(title, render, chosen),
            title=title,
            url_path=name,
            default=name == "overview",
            visibility="hidden" if name in BY_BUTTON else "visible",
        )
        for name, (title, render) in RENDERERS.items()
    }
    st.navigation(list(widgets.PAGES.values())).run()


def _unlocked() -> bool:
    """Whether this visit came with the token; the address keeps it, so that a reload still opens."""
    launch = launched.current()
    if launch is None:
        return True
    if launch.opens(st.query_params.get("token")):
        st.session_state["unlocked"] = launch.token
    if not launch.opens(st.session_state.get("unlocked")):
        return False
    if "token" not in st.query_params:
        st.query_params["token"] = launch.token
    return True


def _say_not_stored(names: dict[str, str]) -> None:
    """In place of every page: nobody sees another family's figures behind a link to one that is gone."""
    st.title("This household is not stored here")
    st.write("It may have been deleted, or merged into another household. Choose one of those that are stored.")
    for household, name in names.items():
        st.button(plain(name), key=f"go-to-{household}", on_click=_go_to, args=(household,))


def _go_to(household: str) -> None:
    st.query_params["household"] = household
    st.session_state["household"] = st.session_state["household_id"] = household


def _chosen_home(ctx: Context, names: dict[str, str]) -> Context:
    """The context of the household that is on screen; a choice appears where there are several."""
    if not names:
        return ctx
    with st.sidebar:
        if len(names) > 1:
            chosen = st.selectbox(
                "Household",
                list(names),
                format_func=names.__getitem__,
                key="household",
                bind="query-params",
            )
        else:
            chosen = next(iter(names))
    st.session_state["household_id"], st.session_state["household_name"] = chosen, names[chosen]
    return Context(ctx.db, ctx.today, chosen)


def _page(title: str, render: Callable[[Context], None], ctx: Context) -> Callable[[], None]:
    """A page under its title and the name of the household; a failure is one sentence, never a traceback."""

    def run() -> None:
        st.title(title)
        name = st.session_state.get("household_name")
        if name:
            st.caption(plain(name))
        try:
            render(ctx)
        except ToolkitError as error:
            st.error(sentence(error))
        except Exception:  # a defect of ours: the reader gets a sentence, the log what a developer needs
            logging.getLogger(__name__).exception("The page %s failed", title)
            st.error("This page could not be shown. Your data is safe; what went wrong is in the terminal's log.")

    return run
