"""The deployment's own name for *platform*: the prefix of one field and of the header names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
    """The deployment's word and version by the headers of an answer (names in lower case); None where these differ."""
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
        """`X-Platform-Version` as this deployment writes it."""
        return name.replace(HOUSE_WORD.title(), self.word.title())

    def field(self, name: str) -> str:
        """`platform_id` or `platform_transaction_id` as this deployment writes it."""
        return f"{self.word}_{name.removeprefix(HOUSE_WORD + '_')}" if name.startswith(HOUSE_WORD + "_") else name

    def to_house(self, body: bytes) -> bytes:
        """A JSON body with the deployment's word as the specification spells it."""
        return body if self.word == HOUSE_WORD else _respelled(body, self.word, HOUSE_WORD)

    def to_wire(self, body: bytes) -> bytes:
        """A JSON body in the specification's spelling as the deployment writes it."""
        return body if self.word == HOUSE_WORD else _respelled(body, HOUSE_WORD, self.word)


def _respelled(body: bytes, old: str, new: str) -> bytes:
    """Also where the name is written `oldId`, as some institutions leak it."""
    for name in (f"{old}_id", f"{old}Id", f"{old.title()}Id"):
        body = body.replace(f'"{name}"'.encode(), f'"{new}_id"'.encode())
    return body
