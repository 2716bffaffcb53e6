"""`toolkit app`: the pages on a loopback port, for whoever holds this launch's token, until Ctrl-C."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit
import uvicorn
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from toolkit import settings
from toolkit.errors import SettingsError, ToolkitError, UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import several_homes
from toolkit.pages.server import appearance, idle, running
from toolkit.pages.server.guard import Guard
from toolkit.pages.server.launch_settings import Launch, begin, renew
from toolkit.settings import LOOPBACK

ENTRY = Path(__file__).with_name("script.py")
HOST = "127.0.0.1"
SHUTDOWN_SECONDS = 2
ORIGIN = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:\d+)?")
HEAVY = (
    "polars",
    "pandas",
    "pyarrow",
    "plotly.graph_objects",
    "streamlit.elements.plotly_chart",
    "toolkit.pages.entry",
)


def launch(
    db: Path, *, port: int | None, open_browser: bool, announce: Callable[[str], None], today: date | None = None
) -> None:
    """Serve the pages over `db` until interrupted.

    port: None takes a free one. announce: called with the address, including this launch's token, once the app answers.
    today: the day that the pages count from; None is each visit's own.
    Where an app already runs on `db` and no port is asked for, announce and open that one's address, and end.
    Raises UsageError where the port is taken.
    """
    if port is None and (known := running.find(db)):
        announce(known)
        if open_browser:
            webbrowser.open(known)
        return
    try:
        service = framed_origin(settings.load().base_url)
    except SettingsError:  # reported when the service is used; files need none
        service = None
    started = Launch(db, secrets.token_urlsafe(32), today, service)
    with _listening(port) as listener:
        address = f"http://{HOST}:{listener.getsockname()[1]}/?token={started.token}"
        begin(started)
        origin = f"http://{HOST}:{listener.getsockname()[1]}"

        def ready() -> None:
            running.note(db, address)
            idle.watch(partial(_idle_minutes, db), partial(_lock, db, origin))
            announce(address)
            if open_browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        try:
            with contextlib.suppress(KeyboardInterrupt):
                _serve(listener, started, ready)
        finally:
            running.clear(db)


def _prepare() -> None:
    """Import what the first page needs, and work it out, while the browser loads it."""
    for module in HEAVY:
        import_module(module)
    gc.freeze()  # Streamlit collects all garbage before a run's end reaches the browser; what is imported is none
    from toolkit.pages.entry import prepare

    prepare()


def _idle_minutes(db: Path) -> int:
    """Return the idle time: as chosen, else 15 minutes where several households are stored, else none (0)."""
    try:
        chosen = settings.load().idle_minutes
        if chosen is not None:
            return chosen
        return idle.DEFAULT_MINUTES if several_homes(Context(db, date.min)) else 0
    except ToolkitError:
        return idle.DEFAULT_MINUTES


def _lock(db: Path, origin: str) -> None:
    """Replace the token, forget cached answers, and keep the new address for the next start."""
    from toolkit.pages.answers import forget_all  # before Streamlit runs, its cache would warn on the terminal

    renewed = renew()
    forget_all()
    if renewed is not None:
        running.note(db, f"{origin}/?token={renewed.token}")


def framed_origin(address: str | None) -> str | None:
    """Return the origin of consent pages that may be framed: over https, or on this machine."""
    parts = urlsplit(address or "")
    trusted = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    if not trusted or not ORIGIN.fullmatch(parts.netloc):
        return None
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _listening(port: int | None) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name != "nt":  # there it would let two programs take the same port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port or 0))
        listener.listen()  # from here on a visitor waits instead of being refused
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(f"port {port} cannot be used ({error}); leave --port out to take a free one.") from error
    return listener


def _serve(listener: socket.socket, started: Launch, ready: Callable[[], None]) -> None:
    config = uvicorn.Config(
        _app(started, listener.getsockname()[1], ready),
        ws="websockets-sansio",
        ws_max_size=200 * 1024 * 1024,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listener])
    if not server.started:
        raise ToolkitError("The app could not be started; the lines above say why.")


def _app(started: Launch, port: int, ready: Callable[[], None]) -> ASGIApp:
    streamlit.config.get_config_options(force_reparse=True, options_from_flags=appearance.options(port))

    @contextlib.asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        """Answer at once: the browser loads its part while the server imports what the first page needs."""
        threading.Thread(target=_prepare, daemon=True).start()
        ready()
        yield

    return streamlit.App(ENTRY, lifespan=lifespan, middleware=[Middleware(Guard, launch=started, port=port)])
