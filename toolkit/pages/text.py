"""Text from outside, made safe to stand in Streamlit's markdown. Tables and `st.text` need none of this."""

from __future__ import annotations

import re
from typing import Final

from toolkit.answers.base import with_signs
from toolkit.flows.wording import with_local_dates
from toolkit.remedies import page_wording

_LONGEST: Final = 600
"""Characters of a text or sentence; no honest name or remark is longer."""
WORD_JOINER: Final = "\u2060"
_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_BREAKS_LINKS: Final = re.compile(r"([:@]|www)", re.IGNORECASE)


def plain(text: object) -> str:
    """Markdown that shows `text` as it is: no link, image, formula, colour, icon or HTML, whatever it holds.

    Control and direction characters are shown as signs, and what is longer than 600 characters is cut.
    Backslashes stop what the parser reads. Addresses, e-mail addresses and `:icon:` names are found in the parsed
    text afterwards, backslashes or not; an invisible joiner inside them stops that.
    """
    escaped = _PUNCTUATION.sub(r"\\\1", readable(text))
    return _BREAKS_LINKS.sub(rf"\1{WORD_JOINER}", escaped)


def readable(text: object) -> str:
    """Return text for a field or HTML: control and direction characters as signs, cut as `plain`. Not escaped."""
    return with_signs(text, length=_LONGEST)


def is_typed(typed: str, name: str) -> bool:
    """Return whether somebody typed a name as the page shows it, however it is spaced and capitalised."""
    words, shown = (" ".join(text.split()).casefold() for text in (typed, readable(name)))
    return words == shown


def message(text: object) -> str:
    """Word a message of a flow for the pages: local dates, and fields and buttons in place of commands. Not escaped."""
    return with_local_dates(page_wording(text).strip())


def sentence(text: object) -> str:
    """Return `message(text)` as one escaped sentence, with a capital (unless it begins with a file) and a full stop."""
    shown = message(text)
    if shown and not shown.rstrip("”").endswith((".", "!", "?")):
        shown += "."
    first, *_ = shown.split(" ")
    is_file = "/" in first or re.search(r"\.\w", first) is not None  # as in odd.csv:3
    return plain(shown if is_file else shown[:1].upper() + shown[1:])
