"""Where a walk that was cut short goes on: at the page stored last, if that page is still what it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256

from toolkit.wire.decoding.pages import Page

KEPT_FOR = timedelta(days=7)
"""Cursors expire, and lists change: what was left off longer ago is read from its start."""
LONGEST_CURSOR = 4096


@dataclass(frozen=True, slots=True)
class Place:
    """The page of a walk that was stored last.

    cursor: the service's own, of that page; it serves its list only and opens nothing. content: as `content_of` the
    page says. first: whether nothing of the list was stored before the walk, so that none of it can have vanished.
    newest: latest day on the pages before, by which the service's windows go.
    """

    cursor: str
    content: str
    first: bool
    newest: date | None


def content_of(page: Page) -> str:
    """A hash of which records a page holds, in order. A list that rows have left or entered before it shows here."""
    known = [str(getattr(record, "platform_id", None) or "") for record in page.records]
    ids = [identity or raw.hex() for identity, raw in zip(known, page.raws, strict=True)]
    return sha256("\n".join([*ids, *(entry.raw.hex() for entry in page.rejected)]).encode()).hexdigest()


def asked(parameters: Mapping[str, str], arrangements: Iterable[str], platform: str) -> str:
    """What a walk is known by: its question, the consents in force, and the deployment's word (`TOOLKIT_PLATFORM`).

    Under other consents the list may be another one, under another word its records have other ids.
    """
    question = {"consents": sorted(arrangements), "parameters": dict(parameters), "platform": platform}
    return json.dumps(question, sort_keys=True, separators=(",", ":"))


def is_recent(reached_at: datetime, now: datetime) -> bool:
    """Also not where the clock has gone back since."""
    return timedelta(0) <= now - reached_at < KEPT_FOR
