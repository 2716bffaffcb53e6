"""The idle time: after it open pages are emptied, and the launch's token is replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

CHECK_SECONDS = 2.0
DEFAULT_MINUTES = 15
"""Where several households are stored and nobody chose another time."""


class LastUse:
    """When a person last used the app."""

    def __init__(self) -> None:
        self.touch()

    def touch(self) -> None:
        """Note that a person is using the app."""
        self._monotonic, self._wall = time.monotonic(), time.time()

    def idle_seconds(self) -> float:
        """Return for how long nobody has used the app.

        The longer of two clocks: one may stand still while the machine sleeps, the other may be set back.
        """
        return max(time.monotonic() - self._monotonic, time.time() - self._wall)


LAST_USE = LastUse()
"""The last use of this process: one server a process."""


def watch(
    limit: Callable[[], int], lock: Callable[[], None], use: LastUse = LAST_USE, *, every: float = CHECK_SECONDS
) -> None:
    """Call `lock` whenever nobody has used the app for `limit()` minutes (0: never), in a thread of its own.

    every: seconds between two looks.
    """
    use.touch()
    threading.Thread(target=_watch, args=(limit, lock, use, every), name="idle", daemon=True).start()


def _watch(limit: Callable[[], int], lock: Callable[[], None], use: LastUse, every: float) -> None:
    while True:
        time.sleep(every)
        minutes = limit()
        if minutes and use.idle_seconds() >= minutes * 60:
            lock()
            use.touch()
