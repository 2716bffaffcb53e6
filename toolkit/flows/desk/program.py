"""Which program worked a figure out: a checksum of the parts that figures are made with."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import toolkit

_PARTS = ("analytics", "answers", "flows", "store", "tables", "units.py")
"""Packages and files that a figure of the desk depends on, with their packaged tables."""


@cache
def program_checksum(folder: Path = Path(toolkit.__file__).parent) -> str:
    """Return a checksum of the program's code and packaged tables: another one may give other figures.

    The release's number would not do: it stays in a checkout that is brought up to date. folder: of the package.
    """
    found = sha256()
    for part in _PARTS:
        place = folder / part
        files = [place] if place.is_file() else [each for each in place.rglob("*") if each.is_file()]
        for file in sorted(each for each in files if each.parent.name != "__pycache__"):
            found.update(f"{file.relative_to(folder).as_posix()}\0{file.stat().st_size}\0".encode())
            found.update(file.read_bytes())
    return found.hexdigest()
