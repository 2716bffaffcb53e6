"""Find names in files, as a program of its own that reads and writes JSON on stdin and stdout.

A separate process, because POSIX drops all of a process's locks on a file when it closes that file once: reading a
database here would drop the locks of the app's other connections to it.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

CHUNK = 1 << 20
CONTEXT = 2
"""Characters after a name that decide whether it ends there."""
SQLITE_HEADER = b"SQLite format 3\x00"


def main() -> None:
    """Read a question from stdin and write the files with names to stdout."""
    question = json.load(sys.stdin)
    results = (search(Path(path), question["ids"], question["words"]) for path in question["paths"])
    json.dump([entry for entry in results if entry["names"]], sys.stdout)


class FileNames(TypedDict):
    """The names that occur in a file."""

    path: str
    database: bool
    names: list[str]


def search(path: Path, ids: list[str], words: list[str]) -> FileNames:
    """Return the names that occur in the file; none if it cannot be read.

    A database has no separator between values, so ids count anywhere in it, and words are not searched.
    """
    names: set[str] = set()
    is_database = False
    try:
        with path.open("rb") as file:
            is_database = file.read(len(SQLITE_HEADER)) == SQLITE_HEADER
        searched = ids if is_database else sorted({*ids, *words})
        for piece in pieces(path, max(map(len, searched), default=0)):
            names.update(name for name in searched if is_in(piece, name, whole=not is_database))
    except OSError:
        pass
    return {"path": str(path), "database": is_database, "names": sorted(names)}


def pieces(path: Path, longest: int) -> Iterator[tuple[str, int, int]]:
    """Yield the file in overlapping pieces: text, first and last offset at which a name may start and end in it.

    At a cut the characters around a name are unknown; the neighbouring piece has them.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    tail, first = "", 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            text = tail + decoder.decode(chunk)
            yield text, first, len(text) - CONTEXT
            tail, first = text[-(longest + 2 * CONTEXT) :], 1 if len(text) > longest + 2 * CONTEXT else 0
    text = tail + decoder.decode(b"", final=True)
    yield text, first, len(text)


def is_in(piece: tuple[str, int, int], name: str, *, whole: bool) -> bool:
    """Whether a piece contains the name. whole: not as part of a longer word, name, address or file name."""
    text, first, last = piece
    if not whole or name not in text:
        return name in text
    pattern = rf"(?<![\w\-'@.]){re.escape(name)}(?![\w\-'@]|\.\w)"
    return any(first <= match.start() and match.end() <= last for match in re.finditer(pattern, text))


if __name__ == "__main__":
    main()
