"""The script runs that a page asks the app for, followed in what browser and app send each other."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocket

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
UNTIL_ASKED = 200
"""Milliseconds in which the browser makes a request of a click or of what was typed."""
STEP = 50


_followed: WeakKeyDictionary[Page, ScriptRuns] = WeakKeyDictionary()


class ScriptRuns:
    """Follows one page, from before its address is opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._is_asked = self._is_running = False
        page.on("websocket", self._follow)
        _followed[page] = self

    def _follow(self, socket: WebSocket) -> None:
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)
        socket.on("close", self._closed)

    def _sent(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and BackMsg.FromString(frame).WhichOneof("type") == "rerun_script":
            self._is_asked = True

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
        latest = time.monotonic() + milliseconds / 1000
        self._page.wait_for_timeout(UNTIL_ASKED)
        while self._is_asked or self._is_running:
            assert time.monotonic() < latest, f"the app had not answered after {milliseconds / 1000:.0f} seconds"
            self._page.wait_for_timeout(STEP)
        self._page.locator(READY).wait_for(timeout=milliseconds)


def wait(page: Page, milliseconds: float) -> None:
    """Wait as `ScriptRuns` does, on a page that is followed."""
    _followed[page].wait(milliseconds)
