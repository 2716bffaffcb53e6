"""Half a character, as where a text was cut inside an emoji: `\\ud83d` alone. JSON allows it, strict decoders do not.

One such text would make a whole answer unreadable. The answer is split with the halves replaced, and each piece is
then what was given.
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


def mended(body: bytes) -> bytes:
    """The same JSON text, as long, with a replacement character for each half of one."""
    return _ESCAPES.sub(lambda found: found[1] or rb"\ufffd", body)


def as_given(body: bytes, whole: bytes, pieces: list[bytes]) -> list[bytes]:
    """What stands in `body` where `whole`, itself or as mended, has these pieces, which follow each other."""
    if whole is body:
        return pieces
    at, found = 0, []
    for piece in pieces:
        at = whole.index(piece, at)
        found.append(body[at : at + len(piece)])
        at += len(piece)
    return found


def members(body: bytes) -> dict[str, bytes]:
    """The members of a JSON object, each as given. Raises what `broken.BROKEN` names where it is none."""
    whole = body
    try:
        found = _MEMBERS.decode(body)
    except BROKEN:
        whole = mended(body)
        found = _MEMBERS.decode(whole)
    return dict(zip(found, as_given(body, whole, [bytes(raw) for raw in found.values()]), strict=True))
