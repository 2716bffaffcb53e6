"""Text from outside, made safe to look at: nothing in it can hide, turn or move what stands beside it."""

from __future__ import annotations

import unicodedata

_SPACES = "\t\n\v\f\r\x85\u2028\u2029"


def with_signs(text: object, *, length: int | None = None) -> str:
    """Return text with control, format and direction characters as signs (⟨U+202E⟩), and line breaks as spaces.

    Joiners of zero width among them, so that a picture of several characters comes apart. length: cut longer text, with
    "…" at its end.
    """
    whole = str(text)
    shown = whole if length is None or len(whole) <= length else whole[: length - 1].rstrip() + "…"
    return shown if shown.isprintable() else "".join(map(_sign, shown))


def _sign(char: str) -> str:
    if char in _SPACES:
        return " "
    return f"⟨U+{ord(char):04X}⟩" if unicodedata.category(char)[0] == "C" else char
