"""How a likely range is worded, the same on pages, charts, reports and the command line."""

from __future__ import annotations

LIKELY_RANGE = "Likely range"
MEANING = "It holds about 8 times in 10."
"""What a likely range means, where a figure has room for a help text."""


def likely_between(low: str, high: str) -> str:
    """Word a range by its ends, as they are shown: `likely between $154 and $167`."""
    return f"likely between {low} and {high}"
