"""Published plans from the public register, asked for by hand: those for the home's address, or of chosen retailers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st
from msgspec.structs import asdict

from toolkit import settings
from toolkit.answers.base import Note
from toolkit.answers.energy.plans import Comparison, PlanFetch
from toolkit.charts import style
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.plans.fetch import Watcher, fetch, register, retailer_names
from toolkit.flows.plans.here import NO_PLANS_HERE, PlanPrices, fetch_here, plan_prices
from toolkit.flows.wording import counted
from toolkit.pages import plan_problems, widgets
from toolkit.pages.answers import ask
from toolkit.pages.data import YOUR_HOME
from toolkit.pages.server import background
from toolkit.pages.server import progress as watched
from toolkit.pages.server.background import Job
from toolkit.pages.text import message, plain, sentence

ABOUT = (
    "Retailers publish their plans in a public register. This gets the plans that your home could have. Nothing about "
    "you is sent. It takes a few minutes, continues when you leave this page, and can be stopped and resumed."
)
OF_RETAILERS = "All plans of the retailers you choose, for every address. It takes a minute or so for each retailer."
WHERE = (
    "Which plans you can get depends on where the home is. Its postcode is on your bill, in the address that power is "
    "supplied to. Until it is known, no plan is compared: those stored may be for another state."
)
WHICH_NETWORK = "Which distributor supplies your home?"
NETWORKS = (
    "It owns the poles and wires; your bill names it beside the number to call when the power is out. Your postcode "
    "is in the area of {count} distributors, and plans of all of them are listed here: those of the others are not for "
    "your home. No saving is named until it is known."
)
UNFINISHED = "A cheaper one may be among those to come."
NAME, DONE = "Reading published plans", "The published plans are stored."
_NETWORK, _NETWORK_KEPT = "home-network", "home-network-kept"
_SHOWN, _CLOSE = "plans-fetched-shown", "plans-fetched-close"


def render(ctx: Context, *, expanded: bool, progress: bool = True) -> None:
    """Offer to fetch the plans for the home's address, or those of chosen retailers.

    progress: also show how far a fetch is.
    """
    with st.expander("Get published plans", expanded=expanded):
        _offer_to_fetch(ctx)
    if progress:
        show_progress(ctx)


def ask_for_plans(ctx: Context) -> None:
    """Offer to fetch plans where a page cannot do without them, and show how far that is."""
    watched.show(key_of(ctx), DONE)
    if not _is_running(ctx):
        _offer_to_fetch(ctx)


def asks_for_place(ctx: Context) -> bool:
    """Ask for the postcode where neither it nor the distributor is known; return whether it was asked for."""
    prices = ask(plan_prices, ctx)
    if prices.place_known:
        return False
    with st.container(border=True):
        st.subheader("Where is this home?", anchor=False)
        st.write(WHERE)
        _for_address(ctx, prices)
    return True


def ask_for_network(ctx: Context, answer: Comparison) -> None:
    """Ask which of the plans' distributors supplies the home, where that is not known; keep it with the home."""
    if kept := st.session_state.pop(_NETWORK_KEPT, None):
        widgets.say_done(plain(f"Only plans for homes of {kept} are compared now. It can be changed on the Data page."))
    if not answer.open_networks:
        return
    with st.container(border=True):
        st.subheader(WHICH_NETWORK, anchor=False)
        st.write(NETWORKS.format(count=len(answer.open_networks)))
        st.selectbox(
            "Electricity distributor (as on the bill)",
            answer.open_networks,
            index=None,
            format_func=plain,
            placeholder="Choose the one on your bill",
            key=_NETWORK,
            width=320,
            on_change=_keep_network,
            args=(ctx,),
        )


def _keep_network(ctx: Context) -> None:
    if chosen := st.session_state.get(_NETWORK):
        set_home(ctx, network=chosen)
        st.session_state[_NETWORK_KEPT] = chosen


def _offer_to_fetch(ctx: Context) -> None:
    st.write(ABOUT)
    _for_address(ctx, ask(plan_prices, ctx))
    with st.popover("Only some retailers"):
        _of_retailers(ctx)


def show_progress(ctx: Context) -> None:
    """Show how far a fetch is, or what came of it; nothing where none was asked for, or the page was left since."""
    job = background.job(key_of(ctx))
    if job is not None and _is_done(job):
        # The browser's state of a button goes where a page is drawn without it: then somebody was elsewhere.
        if st.session_state.get(_SHOWN) == id(job) and _CLOSE not in st.session_state:
            background.clear(key_of(ctx))
            return
        st.session_state[_SHOWN] = id(job)
    none_here = _none_here(job.answer) if job is not None and job.ended else None
    watched.show(key_of(ctx), None if none_here else DONE, partial(_fetched, ctx))
    if job is not None and job.ended:
        st.button("Close", key=_CLOSE, on_click=background.clear, args=(key_of(ctx),))


def _is_done(job: Job) -> bool:
    """Return whether a fetch ended with nothing left to do for the person."""
    answer = job.answer
    return isinstance(answer, PlanFetch) and not (answer.failed or answer.to_go or _none_here(answer))


def offer(ctx: Context) -> None:
    """Offer newer prices where those stored are old; nothing where they are recent, or none are stored."""
    prices = ask(plan_prices, ctx)
    if _is_running(ctx):
        watched.show(key_of(ctx), DONE)
        return
    if not prices.old or prices.looked_up is None:
        return
    age = (ctx.today - prices.looked_up).days
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.write(f"Plan prices were last looked up on {style.day(prices.looked_up)}, {age} days ago.")
        if prices.postcode is None:
            widgets.link("plans", "**Get current prices →**")
        elif st.button(f"Get current prices for {plain(prices.postcode)}", key="offer-plans"):
            _start_here(ctx)
            st.rerun()


def key_of(ctx: Context) -> str:
    """Return the key of the background job that fetches plans: of each household, as its result names the postcode."""
    several = ctx.db.exists() and len(ask(homes, ctx).households) > 1
    return f"plans {ctx.db} {ctx.household}" if several else f"plans {ctx.db}"


def reading(ctx: Context) -> str | None:
    """Return how far plans are read, in words, while they are: a figure of the cheapest may change until they are."""
    job = background.job(key_of(ctx))
    if job is None or job.ended:
        return None
    return message(job.lines[-1]) if job.lines else "the lists of the retailers come first"


def say_unfinished(ctx: Context) -> None:
    """Say beside figures of plans how far these are read, while they are."""
    if reading(ctx):
        _unfinished(ctx)


@st.fragment(run_every=1.0)
def _unfinished(ctx: Context) -> None:
    so_far = reading(ctx)
    if so_far is None:
        st.rerun()
    st.info(plain(f"Still getting plans: {so_far}. {UNFINISHED}"), icon=":material/hourglass_top:")


def _is_running(ctx: Context) -> bool:
    job = background.job(key_of(ctx))
    return job is not None and not job.ended


def _for_address(ctx: Context, prices: PlanPrices) -> None:
    """Ask for the postcode where it is not known, then offer the plans for it."""
    if prices.looked_up is not None and prices.offered:
        st.caption(f"{counted(prices.offered, 'plan')} stored, last looked up on {style.day(prices.looked_up)}.")
    with st.form("plans-here", border=False):
        typed = prices.postcode
        if prices.postcode is None:
            typed = st.text_input(
                "Postcode of the home", max_chars=4, placeholder="2000", key="here-postcode", width=220
            )
            if refused := st.session_state.pop("here-refused", None):
                st.caption(f":red[{sentence(refused)}]")
        place = f"for {plain(prices.postcode)}" if prices.postcode else "for this address"
        asked = st.form_submit_button(f"Get the plans {place}", type="primary", disabled=_is_running(ctx))
    if asked:
        try:
            if prices.postcode is None:
                set_home(ctx, postcode=(typed or "").strip())
            _start_here(ctx)
        except UsageError as error:
            st.session_state["here-refused"] = error
        st.rerun()


def _start_here(ctx: Context) -> None:
    background.start(key_of(ctx), NAME, partial(_fetch_here, ctx), stoppable=True)


def _of_retailers(ctx: Context) -> None:
    st.write(OF_RETAILERS)
    chosen = st.multiselect(
        "Retailers",
        list(retailer_names()),
        format_func=_named,
        accept_new_options=True,
        placeholder="Choose retailers, or type another name",
        key="register-retailers",
    )
    if st.button("Get their plans", disabled=not chosen or _is_running(ctx)):
        background.start(key_of(ctx), NAME, partial(_fetch, ctx, chosen), stoppable=True)
        st.rerun()


def _named(retailer: str) -> str:
    """The brand, where it is known; a name that was typed stays as it is."""
    return retailer_names().get(retailer, retailer)


def _fetch_here(ctx: Context, job: Job) -> PlanFetch:
    with register(settings.load()) as source:
        return fetch_here(ctx, source, watcher=Watcher(job.say, job.is_stopped))


def _fetch(ctx: Context, retailers: Sequence[str], job: Job) -> PlanFetch:
    with register(settings.load()) as source:
        return fetch(ctx, source, retailers=retailers, watcher=Watcher(job.say, job.is_stopped))


def _none_here(answer: object) -> Note | None:
    """Return the note that none of the plans is for the home, if there is one. answer: of a fetch."""
    notes = answer.notes if isinstance(answer, PlanFetch) else ()
    return next((note for note in notes if note.code == NO_PLANS_HERE), None)


def _fetched(ctx: Context, answer: PlanFetch) -> None:
    if none_here := _none_here(answer):
        st.warning(sentence(none_here))
        widgets.link("data", "**Change the postcode →**", tab=YOUR_HOME)
    read = sum(counts.fetched for counts in answer.retailers)
    known = sum(counts.unchanged for counts in answer.retailers)
    where = f" for {plain(answer.postcode)}" if answer.postcode else ""
    unchanged = f", {known:,} as before" if known else ""
    st.caption(f"{counted(len(answer.retailers), 'retailer')}{where}: {counted(read, 'plan')} read{unchanged}.")
    for failed in answer.failed:
        st.warning(f"{plain(_named(failed.retailer))}: {sentence(failed.reason)}")
    if answer.to_go and answer.postcode and st.button("Go on", key="plans-go-on"):
        _start_here(ctx)
        st.rerun()
    rows = [{**asdict(counts), "retailer": _named(counts.retailer)} for counts in answer.retailers]
    columns = {
        "retailer": widgets.words("Retailer"),
        "listed": widgets.count("Plans"),
        "not_here": widgets.count("Not for this home"),
        "added": widgets.count("New"),
        "updated": widgets.count("Changed"),
        "removed": widgets.count("No longer offered"),
        "to_go": widgets.count("Still to be read"),
    }
    with st.expander("By retailer"):
        for note in answer.notes:
            if note != none_here:
                st.markdown(sentence(note))
        widgets.table([row for row in rows if row["listed"]], columns, name="fetched-plans", download=False)
    plan_problems.show(ctx, answer.problems, key="fetched-plans", names=answer.names)
