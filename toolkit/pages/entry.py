"""The app: who may see it, which home it shows, and its pages."""

from __future__ import annotations

import html
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from toolkit.charts.style import css_variables
from toolkit.errors import ToolkitError
from toolkit.flows.data.shortcut import NAME
from toolkit.flows.household.context import UNNAMED, Context
from toolkit.flows.household.holdings import Holdings
from toolkit.flows.household.listed import homes
from toolkit.pages import answers, attention, lock, overview, recovery, report, settings, welcome, widgets
from toolkit.pages.data import updating
from toolkit.pages.data.page import render as render_data
from toolkit.pages.desk.page import render as render_desk
from toolkit.pages.energy import bills, high_bill, plans, solar
from toolkit.pages.money import accounts, coming_up, spending
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.visit import (
    ON_SCREEN,
    OPENED,
    PAGE,
    SEVERAL,
    asked_home,
    field_key,
    note_in_address,
    note_names,
    open_overview,
    show_home,
)
from toolkit.pages.text import plain, readable, sentence
from toolkit.pages.usage.page import render as render_usage

ICON = Path(__file__).with_name("icon.png")


@dataclass(frozen=True, slots=True)
class View:
    """A page: its title, the question that it answers, its icon, its group, and the data that it is about."""

    title: str
    question: str
    icon: str
    render: Callable[[Context], None]
    group: str = ""
    needs: str | None = None
    """What of `Holdings` the page is about: without it the page is left out of the menu. None: always in the menu."""


MONEY, ENERGY, MORE = "Money", "Energy", "More"
VIEWS: Mapping[str, View] = {
    "households": View("Households", "Which household needs attention next?", "groups", render_desk),
    "overview": View("Overview", "What needs attention, and how is this month going?", "home", overview.render),
    "spending": View("Spending", "Where does the money go?", "payments", spending.render, MONEY, "transactions"),
    "coming-up": View(
        "Coming up",
        "What has to be paid next, and will the money last?",
        "calendar_month",
        coming_up.render,
        MONEY,
        "transactions",
    ),
    "accounts": View(
        "Accounts", "What do you have, and what do you owe?", "account_balance", accounts.render, MONEY, "transactions"
    ),
    "bills": View(
        "Energy bills", "What will the next bill be, and is the last one right?", "receipt_long", bills.render, ENERGY
    ),
    "too-high": View("My bill is too high", "What makes it higher than before?", "help", high_bill.render, ENERGY),
    "plans": View("Plans", "Is there a cheaper plan?", "compare_arrows", plans.render, ENERGY),
    "usage": View("Usage", "When is energy used?", "bolt", render_usage, ENERGY, "meter"),
    "solar": View("Solar", "Is the solar working, and what is it worth?", "solar_power", solar.render, ENERGY, "solar"),
    "report": View("Report", "What would you like to hand over?", "description", report.render, MORE),
    "data": View("Data", "What is here, and how recent is it?", "folder_open", render_data, MORE),
    "settings": View("Settings", "How should the app work on this computer?", "settings", settings.render, MORE),
}
BY_BUTTON = {"too-high"}
"""Pages that a button of another page leads to."""
ADD = {"transactions": "bank transactions", "meter": "meter data", "solar": "electricity meter data"}
WITHOUT_HOME = {"households", "settings"}
"""Pages that are about no household."""
FAILED = "This page could not be shown. Your data is safe. Close the app, start it again, and try once more."
GONE = "This household is not stored here"

OVERLAYS = "#stFloatingOverlayPortal"
"""Streamlit draws what opens over a page outside the app's element, where the app's style does not apply."""
STYLE = """<style>
#stFloatingOverlayPortal { color-scheme: light dark; }
/* Streamlit leaves six rem above a title, and cuts what stands over and under a figure and does not fit in one line. */
[data-testid="stMainBlockContainer"] { padding: 3.75rem min(2.5rem, 4vw) 2rem; }
[data-testid="stMetric"] [data-testid^="stMetric"] * { white-space: normal !important; overflow: visible; }
[data-testid="stMetricDelta"] { border-radius: 0.5rem; } [data-testid="stMetricDelta"] * { line-height: 1.2; }
/* Figures and the first chart of a page belong in the first screen of a laptop. */
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"],
[role="tabpanel"] > [data-testid="stVerticalBlock"] { gap: 0.75rem; }
/* The place of what was done is there before something is, so that nothing moves under the mouse. */
.st-key-review-done { min-height: 3.75rem; }
/* The second press of a double click is not an answer to the next question. */
.st-key-review-item button { animation: not-yet 0.6s; }
@keyframes not-yet { 0%, 99% { pointer-events: none; } }
.st-key-attention button { min-height: 2rem; padding: 0.1rem 0.6rem; }
[class*="st-key-figure-"] :is([data-testid="stMarkdown"] a, [data-testid^="stPageLink"] p) {
  font-size: 0.875rem; color: inherit; text-decoration: none; }
[class*="st-key-figure-"] { padding: 0.55rem 0.9rem; }
[class*="st-key-made-of-"] button { min-height: 1.5rem; padding: 0; text-align: left; }
[class*="st-key-figure-"] a[data-testid^="stPageLink"] { padding: 0; min-height: 1.5rem; }
[class*="st-key-figure-"] [data-testid^="stPageLink"] span:has(> [data-testid="stIconMaterial"]) { display: none; }
/* Streamlit shows nothing where the keyboard is on a link to a page, or on the button that adds files to others. */
[data-testid="stBaseButton-borderlessIcon"]:focus-visible,
[data-testid="stSidebarNavLink"]:focus-visible, [data-testid^="stPageLink"]:focus-visible {
  outline: 2px solid var(--text) !important; outline-offset: -2px; }
/* It cuts the words of a link that are wider than a phone, and leaves the open tab out of sight there. */
@media (max-width: 640px) { [data-testid^="stPageLink"] span { white-space: normal !important; } }
[role="tab"][aria-selected="true"] { scroll-initial-target: nearest; }
/* How a row is picked by keyboard: beside the download while the keyboard is in its table, else for those who listen.
It moves nothing: a page that moves under the mouse loses the click that takes the keyboard elsewhere. */
[class*="st-key-picked-from-"] { position: relative; }
[class*="st-key-picked-from-"] > [data-testid="stElementContainer"]:last-child { position: absolute; z-index: 1;
  top: calc(100% + 0.75rem); left: 9rem; width: auto; pointer-events: none; background: var(--background); }
[class*="st-key-picked-from-"]:not(:has(:focus-visible)) > [data-testid="stElementContainer"]:last-child {
  width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
/* The app's name stands beside its logo, over the menu. */
[data-testid="stSidebarHeader"] > :first-child { display: flex; align-items: center; }
[data-testid="stSidebarHeader"] > :first-child::after { content: "APP_NAME"; padding-left: 0.6rem; text-align: left;
  font-weight: 600; font-size: 0.9rem; line-height: 1.2; white-space: normal; color: var(--text); }
h1 { font-size: 1.8rem !important; padding: 0 !important; }
h2, h3 { font-size: 1.35rem !important; padding: 0.5rem 0 0.4rem !important; }
[data-testid="stHeader"] { background: var(--background); }
[data-testid="stElementContainer"]:has(.household-name) { position: absolute; }
.household-name { position: fixed; top: 1.1rem; left: 50%; transform: translateX(-50%); z-index: 999990;
  max-width: 45vw; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  font-size: 0.9rem; font-weight: 600; background: var(--background); padding: 0 0.6rem; border-radius: 0.4rem; }
/* Streamlit's captions are too pale to read, and on dark it writes white on the light primary colour. */
[data-testid="stCaptionContainer"] { opacity: 1; } [data-testid="stCaptionContainer"] p { color: var(--muted); }
button[data-testid^="stBaseButton-primary"]:enabled, button[data-testid^="stBaseButton-primary"]:enabled p {
  color: var(--background); }
/* Of a button under the mouse, and of one that is open, it darkens the text on dark as well. */
button[data-testid]:not([data-testid^="stBaseButton-primary"]):is(:hover, :active, [aria-expanded="true"]),
button[data-testid]:not([data-testid^="stBaseButton-primary"]):is(:hover, :active, [aria-expanded="true"]) p {
  color: var(--text); }
/* It shows two and a half of the files that are chosen. */
[data-testid="stFileChips"] { max-height: 16rem; }
button:disabled, button:disabled p { color: var(--muted) !important; }
[data-testid="stMultiSelect"] span[title], [data-testid="stMultiSelect"] span[title] ~ * { color: var(--background); }
</style>""".replace("APP_NAME", NAME)


def main() -> None:
    """Run the app once for one visit."""
    st.set_page_config(NAME, str(ICON), layout="wide")
    st.html(f"<style>[data-testid=stApp], {OVERLAYS} {{ {css_variables()} }}</style>{STYLE}")
    if not _unlocked():
        lock.show_locked()
        return
    if not lock.is_open():
        return
    st.logo(str(ICON), size="large")
    try:
        ctx = answers.context()
    except ToolkitError as error:
        st.error(sentence(error))
        return
    try:
        stored = homes(ctx).households
    except ToolkitError as error:
        _say_not_opened(ctx, error)
        return
    lock.watch(several=len(stored) > 1)
    names = {home.id: readable(home.name) for home in stored}
    asked = asked_home()
    if names and asked is not None and asked not in names:
        _say_not_stored(names)
        return
    active = {home.id: names[home.id] for home in stored if home.archived_on is None or home.id == asked}
    chosen = _chosen_home(ctx, active or names, asked)
    several = st.session_state[widgets.SEVERAL_HOMES] = len(names) > 1 or SEVERAL in st.session_state
    try:
        known = answers.holdings(chosen) if chosen.household or not names else None
    except ToolkitError as error:
        _say_not_opened(chosen, error)
        return
    widgets.PAGES = _pages(chosen, known, several=several)
    lock.button()
    menu: dict[str, list[Page]] = {}
    for key, page in widgets.PAGES.items():
        menu.setdefault(VIEWS[key].group, []).append(page)
    page = st.navigation(menu, expanded=True)
    _say_without_solar(known)
    shown = next(key for key, each in widgets.PAGES.items() if each is page)
    is_named = several and shown not in WITHOUT_HOME  # the only one is in the sidebar
    _name_household(names.get(chosen.household or "", "") if is_named else "")
    opened_on = st.session_state.pop(OPENED, None)
    st.session_state[PAGE] = shown
    if opened_on == shown and shown != "overview":
        # Fields of a page that stays would keep, in the browser, what was typed for the household before.
        widgets.go_to("overview")
    welcome.banner()
    if chosen.household is not None:
        updating.begin_if_due(chosen)
    page.run()
    attention.record_visit_of(chosen)


def prepare() -> None:
    """Work out the first page of the launch's household; nothing where there are several: a list is shown first."""
    with suppress(ToolkitError):
        ctx = answers.launch_context()
        stored = homes(ctx).households
        if len(stored) == 1:
            overview.prepare(Context(ctx.db, ctx.today, stored[0].id))


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


def _name_household(name: str) -> None:
    """Show the household's name in the app's bar; also an empty one, so that what follows keeps its place."""
    st.html(f'<div class="household-name">{html.escape(name)}</div>')


def _say_not_opened(ctx: Context, error: ToolkitError) -> None:
    """In place of every page: why nothing can be shown, and what can be done."""
    _name_household("")
    st.title("Your data cannot be opened")
    recovery.show(ctx, error)


def _say_not_stored(names: Mapping[str, str]) -> None:
    """In place of every page: nobody sees another family's figures behind a link to one that is gone."""
    _name_household("")
    st.title(GONE)
    st.write("It may have been deleted, or merged into another household. Choose one of those that are stored.")
    for household, name in names.items():
        st.button(plain(name), key=f"go-to-{household}", on_click=open_overview, args=(household,))


def _chosen_home(ctx: Context, names: Mapping[str, str], asked: str | None) -> Context:
    """Return the context of the household on screen; without one where none of several is chosen yet."""
    if not names:
        note_in_address(None)
        return ctx
    if len(names) == 1:
        chosen: str | None = next(iter(names))
    else:
        note_names(tuple(names.values()))
        with st.sidebar:
            chosen = st.selectbox(
                "Household",
                list(names),
                index=None if asked is None else list(names).index(asked),
                placeholder="Choose one",
                format_func=names.__getitem__,
                key=field_key(),
                on_change=_change_home,
                args=(field_key(), tuple(names)),
            )
    if chosen is None:
        st.session_state[ON_SCREEN] = None
        note_in_address(None)
        return ctx
    show_home(chosen)
    note_in_address(chosen if len(names) > 1 else None)
    if len(names) == 1 and names[chosen] != UNNAMED:
        st.sidebar.caption(plain(names[chosen]))
    return Context(ctx.db, ctx.today, chosen)


def _change_home(field: str, stored: tuple[str, ...]) -> None:
    chosen = st.session_state.get(field)
    # None: the browser sends a choice again where a page was opened while it was drawn: it is made. Not stored: it
    # sends the name that a household had.
    if chosen not in stored:
        return
    open_overview(chosen)


def _pages(ctx: Context, stored: Holdings | None, *, several: bool) -> dict[str, Page]:
    """Return the pages in the order of the menu; those without data are folded into a line below it.

    stored: what the household on screen has; None where none is chosen.
    """
    first = "households" if several and stored is None else "overview"
    lacking = {need for need in ADD if stored is not None and not getattr(stored, need)}
    pages = {}
    for name, view in VIEWS.items():
        hidden = name in BY_BUTTON or view.needs in lacking or (name == "households" and not several)
        pages[name] = st.Page(
            _page(name, view, ctx, chosen=stored is not None),
            title=view.title,
            icon=f":material/{view.icon}:",
            url_path=name,
            default=name == first,
            visibility="hidden" if hidden else "visible",
        )
    if stored is not None and ("meter" in lacking or stored.electricity):
        lacking.discard("solar")
    for need in sorted(lacking):
        needing = {need, "solar"} if need == "meter" else {need}
        titles = [view.title for view in VIEWS.values() if view.needs in needing]
        several_titles = f"{', '.join(titles[:-1])} and {titles[-1]}" if titles[1:] else titles[0]
        st.sidebar.caption(f"Add {ADD[need]} to see {several_titles}.")
    return pages


def _say_without_solar(stored: Holdings | None) -> None:
    """Below the menu: in place of the Solar page, what panels would save a home that has none."""
    if stored is not None and stored.electricity and not stored.solar:
        with st.sidebar:
            solar.invite(plans=stored.plans)


def _page(name: str, view: View, ctx: Context, *, chosen: bool) -> Callable[[], None]:
    """A page under its title and question; a failure is one sentence, never a traceback."""

    def run() -> None:
        st.title(view.title, anchor=False)  # a link to where one is would only be one more stop of the keyboard
        st.caption(view.question)
        if not chosen and name not in WITHOUT_HOME:
            st.write("Choose a household first.")
            widgets.link("households", "**All households →**")
            return
        try:
            view.render(ctx)
        except ToolkitError as error:
            recovery.show(ctx, error)
        except Exception:  # a defect of ours: the reader gets a sentence, the log what a developer needs
            logging.getLogger(__name__).exception("The page %s failed", view.title)
            st.error(FAILED)

    return run
