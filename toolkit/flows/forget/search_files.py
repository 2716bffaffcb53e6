"""Run as a program of its own: which of some files hold one of some names. stdin and stdout: JSON.

In another process, because POSIX drops all locks that a process has on a file as soon as it closes it once: looking
into a database from here would leave the app's other connections to it without theirs.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 20
CONTEXT = 2
"""Characters after a name that say whether it ends there."""
SQLITE_HEADER = b"SQLite format 3\x00"


def main() -> None:
    asked = json.load(sys.stdin)
    found = (look(Path(path), asked["ids"], asked["words"]) for path in asked["paths"])
    json.dump([entry for entry in found if entry["names"]], sys.stdout)


def look(path: Path, ids: list[str], words: list[str]) -> dict[str, object]:
    """Names that stand in the file; none where it cannot be read.

    In a database nothing stands between two values: there ids count wherever they stand, and words do not.
    """
    names: set[str] = set()
    is_database = False
    try:
        with path.open("rb") as file:
            is_database = file.read(len(SQLITE_HEADER)) == SQLITE_HEADER
        searched = ids if is_database else sorted({*ids, *words})
        for piece in pieces(path, max(map(len, searched), default=0)):
            names.update(name for name in searched if stands_in(piece, name, whole=not is_database))
    except OSError:
        pass
    return {"path": str(path), "database": is_database, "names": sorted(names)}


def pieces(path: Path, longest: int) -> Iterator[tuple[str, int, int]]:
    """The file in texts that overlap by a name and what stands around it, and where in each a name may start and end.

    Where a text is cut, the characters beside a name are not known: the text before or after has them.
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


def stands_in(piece: tuple[str, int, int], name: str, *, whole: bool) -> bool:
    """Whether the name stands there; whole: not as a part of a longer word, name, address or file name."""
    text, first, last = piece
    if not whole or name not in text:
        return name in text
    pattern = rf"(?<![\w\-'@.]){re.escape(name)}(?![\w\-'@]|\.\w)"
    return any(first <= match.start() and match.end() <= last for match in re.finditer(pattern, text))


if __name__ == "__main__":
    main()
