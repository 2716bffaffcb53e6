"""What this process was launched with. `streamlit run app.py` launches nothing: no token is asked there."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of `toolkit app`: its database, the token that opens its pages, and the day it shows (null: today).

    service: origin of the configured service; its link component may show consent pages in a frame (null: none may).
    """

    db: Path
    token: str = field(repr=False)
    today: date | None = None
    service: str | None = None

    def opens(self, token: str | None) -> bool:
        """Return whether this is the launch's token, compared in constant time."""
        return hmac.compare_digest((token or "").encode(), self.token.encode())


_launches: list[Launch] = []
_admitted: set[str] = set()
"""Tokens with which the passphrase was entered."""
RELOAD_SECONDS = 5.0
"""How long a page may be closed while it is loaded again."""
_keys: list[bytes] = [secrets.token_bytes(16)]
"""One, new for each launch, so that an address of an earlier launch names nobody."""
_shown: dict[str, str] = {}
"""Token of a household in an address → its id."""


def in_address(household_id: str) -> str:
    """Return the token of a household in the address of a page: nothing that somebody else could read."""
    name = hmac.new(_keys[0], household_id.encode(), hashlib.sha256).hexdigest()[:16]
    _shown[name] = household_id
    return name


def of_address(name: str) -> str | None:
    """Return the household that an address of this launch names; None for one of an earlier launch."""
    return _shown.get(name)


def visit_id() -> str:
    """Return the key of this launch in the store."""
    return hmac.new(_keys[0], b"visit", hashlib.sha256).hexdigest()[:16]


def begin(launch: Launch | None) -> None:
    """From now on this process serves that launch; None: it serves whoever asks, as under `streamlit run`."""
    if launch != current():
        _keys[0] = secrets.token_bytes(16)
        _shown.clear()
    _launches[:] = [launch] if launch else []


def renew() -> Launch | None:
    """Replace the launch's token: the old address, its cookie and open pages open nothing from now on."""
    launch = current()
    _admitted.clear()
    if launch is None:
        return None
    _launches[0] = replace(launch, token=secrets.token_urlsafe(32))
    return _launches[0]


def admit(launch: Launch) -> None:
    """Keep that the passphrase was entered: the pages open until the token is replaced."""
    _admitted.add(launch.token)


def lock() -> None:
    """Ask for the passphrase again, on every page."""
    _admitted.clear()


class OpenPages:
    """How many pages are open in browsers: once the last one is closed, the passphrase is asked for again."""

    def __init__(self) -> None:
        self._open, self._closed_at = 0, 0.0

    def opened(self) -> None:
        """Note that a page is opened."""
        if self._open == 0 and time.monotonic() - self._closed_at > RELOAD_SECONDS:
            lock()
        self._open += 1

    def closed(self) -> None:
        """Note that a page is closed, or is loaded again."""
        self._open -= 1
        self._closed_at = time.monotonic()


OPEN_PAGES = OpenPages()
"""The open pages of this process: one server a process."""


def is_admitted(launch: Launch) -> bool:
    """Return whether the passphrase was entered for this token."""
    return launch.token in _admitted


def current() -> Launch | None:
    """Return the launch that this process serves; None under `streamlit run`."""
    return _launches[0] if _launches else None
