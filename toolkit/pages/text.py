"""Text from outside, made safe to stand in Streamlit's markdown. Tables and `st.text` need none of this."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

WORD_JOINER: Final = "\u2060"
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_BREAKS_LINKS: Final = re.compile(r"([:@]|www)", re.IGNORECASE)


def plain(text: object) -> str:
    """Markdown that shows `text` as it is: no link, image, formula, colour, icon or HTML, whatever it holds.

    Backslashes stop what the parser reads. Addresses, e-mail addresses and `:icon:` names are found in the parsed
    text afterwards, backslashes or not; an invisible joiner inside them stops that.
    """
    printable = "".join(char if unicodedata.category(char)[0] != "C" else " " for char in str(text))
    escaped = _PUNCTUATION.sub(r"\\\1", printable)
    return _BREAKS_LINKS.sub(rf"\1{WORD_JOINER}", escaped)


def sentence(text: object) -> str:
    """An error's message as one sentence."""
    said = str(text).strip()
    if said and said[-1] not in ".!?":
        said += "."
    return plain(said[:1].upper() + said[1:]) if "/" not in said.split(" ")[0] else plain(said)
