"""Answers of flows, kept until the database changes. The only cache of the project is here, in front of its flows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

import streamlit as st

from toolkit import settings
from toolkit.errors import ToolkitError
from toolkit.flows.household.billing_cycle import data_age
from toolkit.flows.household.context import Context, open_home
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import sentence

Answer = dict[str, Any]
P = ParamSpec("P")
R = TypeVar("R")
Version = tuple[tuple[int, int], ...]

COMMON_ZONE = "Australia/Sydney"


def context(household: str | None = None) -> Context:
    """The database and the day of this launch, else of the settings."""
    launch = launched.current()
    if launch is not None and launch.today is not None:
        return Context(launch.db, launch.today, household)
    chosen = settings.load()
    today = datetime.now(ZoneInfo(chosen.timezone or COMMON_ZONE)).date()
    return Context(launch.db if launch else chosen.db, today, household)


class State(NamedTuple):
    """A question's context and the state of the database it was asked in: what an answer is kept by."""

    db: str
    stamp: Version
    today: date
    household: str | None
    service_point: str | None

    @classmethod
    def now(cls, ctx: Context) -> State:
        return cls(str(ctx.db), version(ctx.db), ctx.today, ctx.household, ctx.service_point)

    @property
    def context(self) -> Context:
        return Context(Path(self.db), self.today, self.household, self.service_point)


def ask(flow: Callable[Concatenate[Context, P], R], ctx: Context, *args: P.args, **options: P.kwargs) -> R:
    """Return the flow's answer for the context, from the cache while the database is unchanged. Raises as the flow."""
    name = f"{flow.__module__}.{flow.__qualname__}"
    key = (*(("", value) for value in args), *sorted(options.items()))
    answer: R = _kept(name, State.now(ctx), key, _flow=lambda context: flow(context, *args, **options))
    return answer


@st.cache_data(max_entries=200, show_spinner="Working it out …")
def _kept(name: str, state: State, options: tuple[tuple[str, object], ...], *, _flow: Callable[[Context], R]) -> R:  # noqa: ARG001  part of the key
    return _flow(state.context)


def last_day_if_old(ctx: Context) -> date | None:
    """The last day of the meter's data where that is so long ago that every figure shows it; else None."""
    age = ask(data_age, ctx)
    last: date = age["last_read"]
    return last if age["is_old"] else None


def version(db: Path) -> Version:
    """Changes whenever the database does."""
    files = (db, db.with_name(f"{db.name}-wal"))
    return tuple((file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.exists())


@dataclass(frozen=True, slots=True)
class Holdings:
    """Which kinds of data a household has at all."""

    transactions: bool = False
    meter: bool = False
    plans: bool = False


def holdings(ctx: Context) -> Holdings:
    return _holdings(State.now(ctx)) if ctx.db.exists() else Holdings()


@st.cache_data(max_entries=50, show_spinner=False)
def _holdings(state: State) -> Holdings:
    try:
        with open_home(state.context) as (store, home):
            own = home.household_id
            meter = store.count("register_days", own) + store.count("meter_reads", own)
            plans = store.count("plans", where={"household_id": ["", own]})
            return Holdings(store.count("transactions", own) > 0, meter > 0, plans > 0)
    except ToolkitError:
        return Holdings()


def account_names(ctx: Context) -> dict[str, str]:
    """Account id → what the person calls it, else the bank's name for it with the number as the bank masks it."""
    return _account_names(State.now(ctx)) if ctx.db.exists() else {}


@st.cache_data(max_entries=50, show_spinner=False)
def _account_names(state: State) -> dict[str, str]:
    with open_home(state.context) as (store, home):
        accounts = store.rows("accounts", home.household_id)
    named = {}
    for row in accounts:
        parts = (row["nickname"] or row["display_name"] or row["product_name"], row["masked_number"])
        named[row["account_id"]] = " ".join(part for part in parts if part) or row["account_id"]
    return named


def plan_names(ctx: Context, plans: tuple[str, ...] | None = None) -> dict[str, str]:
    """Plan id → its name, of the stored plans of the household and of the public; of `plans` only, where given."""
    with open_home(ctx) as (store, home):
        chosen = {} if plans is None else {"plan_id": list(plans)}
        where = {"household_id": ["", home.household_id], **chosen}
        found = store.read("plans", where=where, columns=["plan_id", "name"])
    return {plan: name for plan, name in found.iter_rows() if name}


@contextmanager
def explained() -> Iterator[None]:
    """A failure inside is one clear sentence on the page, and the rest of the page goes on."""
    try:
        yield
    except ToolkitError as error:
        st.warning(sentence(error))
