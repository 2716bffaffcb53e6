"""Secrets taken out of what a service says back, however it spells them.

Not as base64: nothing is sent as `Authorization: Basic`, so nothing can come back so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

HIDDEN = "(hidden)"


def hidden(body: bytes, secrets: Iterable[str]) -> bytes:
    """The texts of an error body without the secrets, as JSON; nothing of what is no JSON object.

    Found plain, escaped as in JSON (`\\/`, `\\u002b`) and as in an address (`%2B`), also where that was done again.
    """
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return b""
    if not isinstance(said, dict):
        return b""
    patterns = [_pattern(secret) for secret in secrets if secret]
    return msgspec.json.encode({name: _without(value, patterns) for name, value in said.items()})


def _without(value: object, patterns: Iterable[re.Pattern[str]]) -> object:
    if isinstance(value, str):
        for pattern in patterns:
            value = pattern.sub(HIDDEN, value)
    return value


def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, secret)))


def _spellings(character: str) -> str:
    units = character.encode("utf-16-be")
    escaped = r"\\*".join(f"u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode())
    return rf"\\*(?:{re.escape(character)}|(?i:{escaped}|{percent}))"
