"""How many faults: few in CI; the long form (toolkit/docs/reliability.md) sets numbers by the environment."""

from __future__ import annotations

import os


def count(name: str, usual: int) -> int:
    """The number of faults `name` in the environment, else the usual one."""
    return int(os.environ.get(name, usual))
