"""One thing that the doctor looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """name: what was looked at. message: what was found, and the remedy where something is wrong."""

    name: str
    state: Literal["ok", "warning", "error"]
    message: str
