"""Run as a program of its own: which of some files hold one of some texts. stdin and stdout: JSON.

In another process, because POSIX drops all locks that a process has on a file as soon as it closes it once: looking
into a database from here would leave the app's other connections to it without theirs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

CHUNK = 1 << 20


def main() -> None:
    asked = json.load(sys.stdin)
    words = [word.encode() for word in asked["words"]]
    json.dump([path for path in asked["paths"] if holds(Path(path), words)], sys.stdout)


def holds(path: Path, words: list[bytes]) -> bool:
    """Whether one of the words stands in the file; no where it cannot be read."""
    longest = max(map(len, words))
    tail = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                text = tail + chunk
                if any(word in text for word in words):
                    return True
                tail = text[-longest:]
    except OSError:
        return False
    return False


if __name__ == "__main__":
    main()
