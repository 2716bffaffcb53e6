"""How a deployment spells JSON: its own name for *platform*, and lone surrogates.

A lone surrogate is left where a text was cut inside an emoji: `\\ud83d` alone. JSON allows it, strict decoders do not,
and one such text would make a whole response unreadable. The response is split with surrogates replaced, and each
piece is then taken from the original text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import DecodeError, Raw
from msgspec.json import Decoder

BROKEN = (DecodeError, RecursionError, UnicodeDecodeError)
"""Not JSON or of another shape; nested too deeply; a text that is not valid UTF-8."""


HOUSE_WORD = "platform"
_WORD = re.compile(r"[a-z][a-z0-9]{0,31}")
_VERSION_HEADER = re.compile(r"x-([a-z][a-z0-9]{0,31})-version")
_MAJOR = re.compile(r"(v[0-9]{1,3})(?:\.[0-9.]+)?")
_OF_SERVERS = frozenset({"api", "app", "server", "service"})
"""Words of version headers that servers and gateways add."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A response's version header (`X-Platform-Version: v3`). version: the major version."""

    word: str
    version: str


def stated(headers: Mapping[str, str]) -> Stated | None:
    """Read the deployment's word and version from response headers (names in lower case); None where these differ."""
    found = {
        Stated(name[1], version[1])
        for key, value in headers.items()
        if (name := _VERSION_HEADER.fullmatch(key)) and (version := _MAJOR.fullmatch(value.strip().lower()))
    }
    own = [one for one in found if one.word not in _OF_SERVERS]
    return own[0] if len(own) == 1 else None


@dataclass(frozen=True, slots=True)
class Spelling:
    """word: lower-case letters and digits, such as `platform`: field `<word>_id`, headers `X-<Word>-Version` …"""

    word: str = HOUSE_WORD

    def __post_init__(self) -> None:
        if not _WORD.fullmatch(self.word):
            raise ValueError(f"{self.word!r} is not a word of lower-case letters and digits")

    def header(self, name: str) -> str:
        """Return `X-Platform-Version` as this deployment writes it."""
        return name.replace(HOUSE_WORD.title(), self.word.title())

    def field(self, name: str) -> str:
        """Return `platform_id` or `platform_transaction_id` as this deployment writes it."""
        return f"{self.word}_{name.removeprefix(HOUSE_WORD + '_')}" if name.startswith(HOUSE_WORD + "_") else name

    def to_house(self, body: bytes) -> bytes:
        """Spell a JSON body with the deployment's word as the specification does."""
        return body if self.word == HOUSE_WORD else _respelled(body, self.word, HOUSE_WORD)

    def to_wire(self, body: bytes) -> bytes:
        """Spell a JSON body of the specification as the deployment does."""
        return body if self.word == HOUSE_WORD else _respelled(body, HOUSE_WORD, self.word)


def _respelled(body: bytes, old: str, new: str) -> bytes:
    """Replace the word in names `old_id`; also in `oldId`, as some institutions leak it."""
    for name in (f"{old}_id", f"{old}Id", f"{old.title()}Id"):
        body = body.replace(f'"{name}"'.encode(), f'"{new}_id"'.encode())
    return body


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
    """Return the members of a JSON object as raw text. Raises an error of `BROKEN` for anything else."""
    whole = body
    try:
        found = _MEMBERS.decode(body)
    except BROKEN:
        whole = with_surrogates_replaced(body)
        found = _MEMBERS.decode(whole)
    return dict(zip(found, as_given(body, whole, [bytes(raw) for raw in found.values()]), strict=True))
