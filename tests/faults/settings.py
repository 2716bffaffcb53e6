"""How many faults: few in CI; the long form takes its numbers from the environment (see the README)."""

from __future__ import annotations

import os


def count(name: str, usual: int) -> int:
    """The number of faults `name` in the environment, else the usual one."""
    return int(os.environ.get(name, usual))
