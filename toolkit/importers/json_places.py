"""Find where the values of a JSON text begin, which `json` does not report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

Path = tuple[str | int, ...]
"""Names and list positions (from 0) that lead from the outermost value to one inside it."""

_BLANK = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()


def with_surrogates_replaced(text: str) -> str:
    """The text with each half of a character replaced: a text cut inside an emoji can be neither stored nor shown."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


class JsonPlaces:
    """The places in `text`, which is sound JSON; names in paths are as `with_surrogates_replaced` gives them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._inside: dict[Path, dict[str | int, int]] = {}

    def offset(self, path: Path) -> int:
        """Where the value at `path` begins, in characters from 0; of a name given twice, the last."""
        if not path:
            return _skip(self._text, 0)
        above = path[:-1]
        if above not in self._inside:
            self._inside[above] = dict(_entries(self._text, self.offset(above)))
        return self._inside[above][path[-1]]


def _entries(text: str, start: int) -> Iterator[tuple[str | int, int]]:
    """Name or position, and the start, of each value in the object or list that begins at `start`."""
    at, position = _skip(text, start + 1), 0
    while text[at] not in "]}":
        step: str | int = position
        if text[start] == "{":
            name, at = _DECODER.raw_decode(text, at)
            step, at = with_surrogates_replaced(name), _skip(text, _skip(text, at) + 1)
        yield step, at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
        position += 1


def _skip(text: str, at: int) -> int:
    """The next character that is not blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at
