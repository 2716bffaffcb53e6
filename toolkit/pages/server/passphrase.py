"""The passphrase of the pages: only a salted scrypt hash is kept, and each wrong try makes the next one wait longer.

It guards the pages, not the database file. Whoever can write the settings file can remove it there.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import secrets
import time
from dataclasses import dataclass

from toolkit.flows.wording import counted

LEAST_LETTERS = 8
MOST_WAIT = 60.0
"""Seconds."""
_COST, _BLOCK, _PARALLEL = 2**15, 8, 1
_MEMORY = 64 * 1024 * 1024


def hashed(passphrase: str) -> str:
    """Return what is kept of a passphrase: `scrypt$COST$BLOCK$PARALLEL$SALT$HASH`."""
    salt = secrets.token_bytes(16)
    return "$".join(
        ("scrypt", str(_COST), str(_BLOCK), str(_PARALLEL), salt.hex(), _derived(passphrase, salt, _COST).hex())
    )


def is_right(passphrase: str, kept: str) -> bool:
    """Return whether it is the passphrase of a kept hash; an unreadable hash has none."""
    try:
        method, cost, block, parallel, salt, digest = kept.split("$")
        if (method, int(block), int(parallel)) != ("scrypt", _BLOCK, _PARALLEL):
            return False
        return hmac.compare_digest(_derived(passphrase, bytes.fromhex(salt), int(cost)).hex(), digest)
    except ValueError:
        return False


def _derived(passphrase: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(passphrase.encode(), salt=salt, n=cost, r=_BLOCK, p=_PARALLEL, maxmem=_MEMORY)


@dataclass(slots=True)
class Tries:
    """Tries at the passphrase since the last right one."""

    wrong: int = 0
    next_at: float = 0.0
    """When the next try is looked at, on the monotonic clock."""

    def wait_seconds(self) -> float:
        """Return how long until the next try is looked at."""
        return max(0.0, self.next_at - time.monotonic())

    def opens(self, passphrase: str, kept: str) -> bool:
        """Return whether a try opens the pages. After the third wrong one each doubles the wait, up to a minute."""
        if self.wait_seconds():
            return False
        if is_right(passphrase, kept):
            self.wrong = 0
            return True
        self.wrong += 1
        self.next_at = time.monotonic() + (0.0 if self.wrong < 3 else min(2.0 ** (self.wrong - 2), MOST_WAIT))
        return False


TRIES = Tries()
"""The tries of this process: one server a process."""


def refusal(passphrase: str, kept: str) -> str:
    """Try a passphrase; return why it opens nothing, empty where it is the one that is kept."""
    if (wait := TRIES.wait_seconds()) > 0:
        return f"Too many wrong tries. Wait {counted(math.ceil(wait), 'second')}, then try again."
    return "" if TRIES.opens(passphrase, kept) else "That is not the passphrase."
