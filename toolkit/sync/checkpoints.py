"""Resume an interrupted list sync at the page stored last, if that page is unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256

from toolkit.wire.decoding.pages import Page

KEPT_FOR = timedelta(days=7)
"""Older checkpoints are ignored, because cursors expire and lists change."""
LONGEST_CURSOR = 4096


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The page of a list sync that was stored last.

    cursor: the service's cursor of that page; it is valid for its list only and grants no access.
    content: hash of the page, see `content_of`.
    first: whether nothing of the list was stored before the list sync, so that no row can have vanished.
    newest: latest day on the pages up to this one.
    """

    cursor: str
    content: str
    first: bool
    newest: date | None


def content_of(page: Page) -> str:
    """Hash the ids of a page's records, in order. The hash changes if rows were added or removed before them."""
    known = [str(getattr(record, "platform_id", None) or "") for record in page.records]
    ids = [identity or raw.hex() for identity, raw in zip(known, page.raws, strict=True)]
    return sha256("\n".join([*ids, *(entry.raw.hex() for entry in page.rejected)]).encode()).hexdigest()


def question(parameters: Mapping[str, str], arrangements: Iterable[str], platform: str) -> str:
    """Return the key of a list sync: its parameters, the consents in force and the platform (`TOOLKIT_PLATFORM`).

    Other consents may give another list, and another platform gives its records other ids.
    """
    key = {"consents": sorted(arrangements), "parameters": dict(parameters), "platform": platform}
    return json.dumps(key, sort_keys=True, separators=(",", ":"))


def is_recent(reached_at: datetime, now: datetime) -> bool:
    """Whether a checkpoint is young enough; False also if the clock was set back since."""
    return timedelta(0) <= now - reached_at < KEPT_FOR
