"""Detect records that carry the platform id under another name than the one set."""

from __future__ import annotations

from toolkit.errors import Problem
from toolkit.wire.decoding.keys import possible_words
from toolkit.wire.decoding.pages import Page
from toolkit.wire.decoding.spelling import Spelling
from toolkit.wire.records import EndUserRecord


def other_word(where: str, page: Page, spelling: Spelling) -> list[Problem]:
    """Return a warning if a record lacks the id of `spelling` but carries another; it names the setting to change."""
    lacking = (
        raw
        for record, raw in zip(page.records, page.raws, strict=True)
        if isinstance(record, EndUserRecord) and not record.platform_id
    )
    raw = next(lacking, None)
    words = [word for word in possible_words(raw) if word != spelling.word] if raw is not None else []
    return [Problem(where, which_word(words, spelling.word), "warning")] if words else []


def which_word(words: list[str], word: str) -> str:
    """Say which setting to change. words: prefixes of ids in the records. word: the prefix that is set."""
    if len(words) == 1:
        return f"Records carry {words[0]}_id, not {word}_id: set TOOLKIT_PLATFORM={words[0]}."
    others = f"{' and '.join(f'{found}_id' for found in words)}, but " if words else ""
    return f"Records carry {others}no {word}_id: look up the deployment's own word for TOOLKIT_PLATFORM."
