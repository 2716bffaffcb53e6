"""Lone surrogates, as where a text was cut inside an emoji: `\\ud83d` alone. JSON allows them, strict decoders do not.

One such text would make a whole response unreadable. The response is split with surrogates replaced, and each piece
is then taken from the original text.
"""

from __future__ import annotations

import re

from msgspec import Raw
from msgspec.json import Decoder

from toolkit.wire.decoding.json_errors import BROKEN

_ESCAPES = re.compile(
    rb"(\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)

_MEMBERS = Decoder(dict[str, Raw])


def with_surrogates_replaced(body: bytes) -> bytes:
    """Replace each lone surrogate of a JSON text by a replacement character; the length stays the same."""
    return _ESCAPES.sub(lambda found: found[1] or rb"\ufffd", body)


def as_given(body: bytes, whole: bytes, pieces: list[bytes]) -> list[bytes]:
    """Return the original text in `body` of consecutive pieces of `whole`, its form with replaced surrogates."""
    if whole is body:
        return pieces
    at, found = 0, []
    for piece in pieces:
        at = whole.index(piece, at)
        found.append(body[at : at + len(piece)])
        at += len(piece)
    return found


def members(body: bytes) -> dict[str, bytes]:
    """Return the members of a JSON object as raw text. Raises an error of `json_errors.BROKEN` for anything else."""
    whole = body
    try:
        found = _MEMBERS.decode(body)
    except BROKEN:
        whole = with_surrogates_replaced(body)
        found = _MEMBERS.decode(whole)
    return dict(zip(found, as_given(body, whole, [bytes(raw) for raw in found.values()]), strict=True))
