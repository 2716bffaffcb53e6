"""The idle time: after it open pages are emptied, and the launch's token is replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

CHECK_SECONDS = 2.0
DEFAULT_MINUTES = 15
"""Where several households are stored and nobody chose another time."""

_last = (time.monotonic(), time.time())


def touch() -> None:
    """Note that a person is using the app."""
    global _last  # noqa: PLW0603  one server a process
    _last = (time.monotonic(), time.time())


def idle_seconds() -> float:
    """Return for how long nobody has used the app.

    The longer of two clocks: one may stand still while the machine sleeps, the other may be set back.
    """
    monotonic, wall = _last
    return max(time.monotonic() - monotonic, time.time() - wall)


def watch(limit: Callable[[], int], lock: Callable[[], None]) -> None:
    """Call `lock` whenever nobody has used the app for `limit()` minutes (0: never), in a thread of its own."""
    touch()
    threading.Thread(target=_watch, args=(limit, lock), name="idle", daemon=True).start()


def _watch(limit: Callable[[], int], lock: Callable[[], None]) -> None:
    while True:
        time.sleep(CHECK_SECONDS)
        minutes = limit()
        if minutes and idle_seconds() >= minutes * 60:
            lock()
            touch()
