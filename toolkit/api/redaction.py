"""Remove secrets from error bodies of the service, in any escaped form.

Base64 is not looked for: nothing is sent as `Authorization: Basic`, so a service cannot echo it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

REDACTED = "(hidden)"


def redacted(body: bytes, secrets: Iterable[str]) -> bytes:
    """Return an error body (JSON) with the secrets replaced; empty unless the body is a JSON object.

    Secrets are found plain, escaped as in JSON (`\\/`, `\\u002b`) and as in a URL (`%2B`), also escaped twice.
    """
    try:
        members = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return b""
    if not isinstance(members, dict):
        return b""
    patterns = [_pattern(secret) for secret in secrets if secret]
    return msgspec.json.encode({name: _without(value, patterns) for name, value in members.items()})


def _without(value: object, patterns: Iterable[re.Pattern[str]]) -> object:
    if isinstance(value, str):
        for pattern in patterns:
            value = pattern.sub(REDACTED, value)
    return value


def _pattern(secret: str) -> re.Pattern[str]:
    return re.compile("".join(map(_spellings, secret)))


def _spellings(character: str) -> str:
    units = character.encode("utf-16-be")
    escaped = r"\\*".join(f"u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in character.encode())
    return rf"\\*(?:{re.escape(character)}|(?i:{escaped}|{percent}))"
