"""Numbers and names in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

ALIKE = 0.75
"""Two names of which this share of letters agrees, in order, are close: one typing error in four letters."""


def closest(wanted: str, known: Iterable[str], *, most: int = 5) -> list[str]:
    """The known names that are close to the one wanted, or hold all of its words, closest first; at most so many.

    Case, spaces and signs do not count.
    """
    plain = _plain(wanted)
    scored = [(_likeness(plain, _plain(name)), name) for name in dict.fromkeys(known)]
    return [name for score, name in sorted(scored, key=lambda found: (-found[0], found[1])) if score >= ALIKE][:most]


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.casefold().replace("_", " ")))


def _likeness(wanted: str, known: str) -> float:
    words = set(wanted.split())
    if words and words <= set(known.split()):
        return 1 - 0.01 * (len(known) - len(wanted)) / max(len(known), 1)
    return SequenceMatcher(None, wanted.replace(" ", ""), known.replace(" ", "")).ratio()


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 plan`, `1,234 plans`. plural: where it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"
