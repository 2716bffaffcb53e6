"""A cache of answers of flows, valid until the database changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import date, datetime
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar
from zoneinfo import ZoneInfo

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from toolkit import settings
from toolkit.errors import (
    ChoiceRequiredError,
    PlanRequiredError,
    StoreDamagedError,
    StoreMissingError,
    ToolkitError,
    UsageError,
)
from toolkit.flows.household import holdings as flow
from toolkit.flows.household.billing_periods import data_age
from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import Holdings
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.text import sentence
from toolkit.remedies import field_of
from toolkit.units import DEFAULT_ZONE

P = ParamSpec("P")
R = TypeVar("R")

OTHER_DB = "other-db"
"""Where this visit shows another database than the launch's own: that of the demo family."""
MOST_NAMED = 5
"""Names that a message may list to choose from."""


def context(household: str | None = None) -> Context:
    """Return the database and the day of this launch, else of the settings."""
    if other := st.session_state.get(OTHER_DB):
        chosen = settings.load()
        return Context(Path(other), datetime.now(ZoneInfo(chosen.timezone or DEFAULT_ZONE)).date(), household)
    return launch_context(household)


def launch_context(household: str | None = None) -> Context:
    """Return the database and the day of this launch, else of the settings, whatever a visit shows."""
    launch = launched.current()
    if launch is not None and launch.today is not None:
        return Context(launch.db, launch.today, household)
    chosen = settings.load()
    today = datetime.now(ZoneInfo(chosen.timezone or DEFAULT_ZONE)).date()
    return Context(launch.db if launch else chosen.db, today, household)


class State(NamedTuple):
    """A question's context and the state of the database: the key of a cached answer."""

    db: str
    version: tuple[tuple[int, int], ...]
    """Time of change [ns] and size of the database's files: they change whenever the database does."""
    today: date
    household: str | None
    service_point: str | None

    @classmethod
    def now(cls, ctx: Context) -> State:
        """Return the state of the context's database as it is now."""
        version = []
        for file in (ctx.db, ctx.db.with_name(f"{ctx.db.name}-wal")):
            with suppress(FileNotFoundError):  # the log goes when the last connection closes
                found = file.stat()
                version.append((found.st_mtime_ns, found.st_size))
        return cls(str(ctx.db), tuple(version), ctx.today, ctx.household, ctx.service_point)

    @property
    def context(self) -> Context:
        """The context to ask flows in."""
        return Context(Path(self.db), self.today, self.household, self.service_point)


Options = tuple[tuple[str, object], ...]
"""Arguments of a question: name (empty for one by place) and value."""
Key = tuple[str, State, Options]
_ahead: dict[Key, Future[Any]] = {}
"""Answers that were asked for before the page that takes them, and those that a page takes meanwhile; of any type."""
_taken: set[Key] = set()
_is_ahead: ContextVar[bool] = ContextVar("is_ahead", default=False)
_preparing = threading.Event()


def ask(question: Callable[Concatenate[Context, P], R], ctx: Context, *args: P.args, **options: P.kwargs) -> R:
    """Return the flow's answer for the context, from the cache while the database is unchanged. Raises as the flow."""
    name, state = f"{question.__module__}.{question.__qualname__}", State.now(ctx)
    key = (*(("", value) for value in args), *sorted(options.items()))

    def flow(context: Context) -> R:
        return question(context, *args, **options)

    if _is_ahead.get():
        return _once((name, state, key), flow)

    def found(context: Context) -> R:
        known = (name, state, key)
        if _preparing.is_set():
            _taken.add(known)
            return _once(known, flow)
        ahead: Future[R] | None = _ahead.pop(known, None)
        return flow(context) if ahead is None else ahead.result()

    answer: R = _kept(name, state, key, _flow=found)
    return answer


@contextmanager
def ahead() -> Iterator[None]:
    """Keep the answers of this thread for the pages that will ask for them; a page meanwhile asks nothing twice."""
    token = _is_ahead.set(True)
    _preparing.set()
    try:
        yield
    finally:
        _is_ahead.reset(token)
        _preparing.clear()
        for key in list(_taken):
            _ahead.pop(key, None)
        _taken.clear()


def _once(key: Key, flow: Callable[[Context], R]) -> R:
    """Return the answer that another thread works out, or has; else work it out."""
    own: Future[R] = Future()
    known: Future[R] = _ahead.setdefault(key, own)
    if known is own:
        try:
            own.set_result(flow(key[1].context))
        except BaseException as error:  # whoever asks gets it
            own.set_exception(error)
    return known.result()


def forget_all() -> None:
    """Forget every answer."""
    _ahead.clear()
    st.cache_data.clear()


@st.cache_data(max_entries=200, show_spinner="Working it out …")
def _kept(name: str, state: State, options: Options, *, _flow: Callable[[Context], R]) -> R:  # noqa: ARG001  part of the key
    return _flow(state.context)


def last_day_if_old(ctx: Context) -> date | None:
    """Return the last day of meter data if it is old enough to show with every figure; else None."""
    age = ask(data_age, ctx)
    return age.last_read if age.is_old else None


def holdings(ctx: Context) -> Holdings:
    """Return which kinds of data the household has; none before anything is stored.

    Raises StoreDamagedError and StoreMissingError: what cannot be opened is not nothing.
    """
    try:
        return ask(flow.holdings, ctx)
    except (StoreDamagedError, StoreMissingError):
        raise
    except ToolkitError:
        return Holdings()


@contextmanager
def refused_below(fields: Mapping[str, DeltaGenerator]) -> Iterator[None]:
    """Show a refusal below the field that it is about, other failures as `explained`. fields: by option of the flow."""
    with explained():
        try:
            yield
        except UsageError as error:
            if error.option not in fields:
                raise
            below = error.page  # it stands at the field itself, which need not be named
            for name in (field_of(error.option).page, error.option):
                below = below.removeprefix(f"{name}: ")
            fields[error.option].warning(sentence(below))


def show_refusals(refusals: Iterable[UsageError], fields: Mapping[str, DeltaGenerator]) -> None:
    """Show each refusal as `refused_below` does."""
    for refusal in refusals:
        with refused_below(fields):
            raise refusal


@contextmanager
def explained() -> Iterator[None]:
    """Show a failure inside as one message; the rest of the page is still drawn."""
    try:
        yield
    except ChoiceRequiredError as error:  # a long list of names helps nobody: the field to choose in has them
        many = len(error.choices) > MOST_NAMED or isinstance(error, PlanRequiredError)
        st.warning(sentence(error.question if many else error))
    except ToolkitError as error:
        st.warning(sentence(error))
