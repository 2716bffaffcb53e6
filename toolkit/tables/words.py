"""Numbers and names in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

ALIKE = 0.75
"""Two names of which this share of letters agrees, in order, are close: one typing error in four letters."""


def closest(wanted: str, known: Iterable[str], *, most: int = 5) -> list[str]:
    """Return the known names that are close to the one wanted, whole or in part, closest first; at most `most`.

    Case, spaces and signs do not count.
    """
    plain = _plain(wanted)
    scored = [(_likeness(plain, _plain(name)), name) for name in dict.fromkeys(known)]
    return [name for score, name in sorted(scored, key=lambda found: (-found[0], found[1])) if score >= ALIKE][:most]


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.casefold().replace("_", " ")))


def _likeness(wanted: str, known: str) -> float:
    """Return 0 to 1, that of the whole name or, a little less, of as many of its words as are wanted."""
    many, words = len(wanted.split()), known.split()
    parts = {" ".join(words[start : start + many]) for start in range(len(words) - many + 1)}
    shorter = 1 - 0.01 * (len(known) - len(wanted)) / max(len(known), 1)
    return max([_ratio(wanted, known), *(_ratio(wanted, part) * shorter for part in parts)])


def _ratio(one: str, other: str) -> float:
    from difflib import SequenceMatcher  # only a misspelt name needs it

    return SequenceMatcher(None, one.replace(" ", ""), other.replace(" ", "")).ratio()


def not_one(kind: str, wanted: str, matches: int, plural: str | None = None) -> str:
    """Say that a name belongs to none of a kind, `No account is named 'x'.`, or to several. plural: as in `counted`."""
    if not matches:
        return f"No {kind} is named {wanted!r}."
    return f"{wanted!r} matches {counted(matches, kind, plural)}. Give the full id."


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 plan`, `1,234 plans`. plural: where it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"
