"""The script runs that a page asks the app for, followed in what browser and app send each other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
UNTIL_ASKED = 200
"""Milliseconds in which the browser makes a request of a click or of what was typed."""
MOST_UNTIL_ASKED = 1000
"""The same where it is known that a request follows, unless the app answers sooner."""
STEP = 50


_followed: WeakKeyDictionary[Page, ScriptRuns] = WeakKeyDictionary()


class ScriptRuns:
    """Follows one page, from before its address is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_asked = self._is_running = False
        self.asked = 0
        """How many runs were asked for so far."""
        page.on("websocket", self._follow)
        _followed[page] = self

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)
        socket.on("close", self._closed)

    def _sent(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self._is_asked = True
            self.asked += 1

    def _received(self, frame: bytes | str) -> None:
        if not isinstance(frame, bytes):
            return
        told = ForwardMsg.FromString(frame)
        match told.WhichOneof("type"):
            case "new_session":
                self._is_asked, self._is_running = False, True
            case "script_finished":
                self._is_running = told.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            case _:
                pass

    def _closed(self, _: WebSocket) -> None:
        self._is_asked = self._is_running = False

    def wait(self, milliseconds: float) -> None:
        """Wait until every run that was asked for has ended, and the browser knows it.

        The state that the page shows is not enough: a busy app begins a run later than any fixed time after a click.
        """
        self._page.wait_for_timeout(UNTIL_ASKED)
        self.wait_until_done(milliseconds)

    def wait_after(self, asked: int, milliseconds: float) -> None:
        """Wait as `wait` does, but no longer than until a run is asked for. asked: how many were before the click."""
        latest = time.monotonic() + MOST_UNTIL_ASKED / 1000
        while self.asked == asked and time.monotonic() < latest:
            self._page.wait_for_timeout(STEP / 5)
        self.wait_until_done(milliseconds)

    def wait_until_done(self, milliseconds: float) -> None:
        """Wait until no run is asked for or under way, and the browser knows it."""
        latest = time.monotonic() + milliseconds / 1000
        while self._is_asked or self._is_running:
            assert time.monotonic() < latest, f"the app had not answered after {milliseconds / 1000:.0f} seconds"
            self._page.wait_for_timeout(STEP)
        self._page.locator(READY).wait_for(timeout=milliseconds)


@contextmanager
def answered(page: Page, milliseconds: float) -> Iterator[None]:
    """Wait, after what is done inside, until the run that it asks the app for has ended; on a page that is followed."""
    runs = _followed[page]
    asked = runs.asked
    yield
    runs.wait_after(asked, milliseconds)


def wait(page: Page, milliseconds: float) -> None:
    """Wait as `ScriptRuns` does, on a page that is followed."""
    _followed[page].wait(milliseconds)
