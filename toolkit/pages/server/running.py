"""Which app runs on a database: kept in a file that only this user can read, so that a second start opens it."""

from __future__ import annotations

import hashlib
import os
import urllib.request
from pathlib import Path

import msgspec

from toolkit.settings import data_dir

TRY_SECONDS = 3


class Running(msgspec.Struct, frozen=True):
    """The app of a process."""

    url: str
    """Its address, with the token."""
    pid: int


def _file(db: Path) -> Path:
    name = hashlib.sha256(str(db.expanduser().absolute()).encode()).hexdigest()[:16]
    return data_dir() / "running" / f"{name}.json"


def note(db: Path, url: str) -> None:
    """Keep the address, with its token, of the app of this process; replaces an earlier one."""
    file = _file(db)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(msgspec.json.encode(Running(url, os.getpid())))
    fresh.replace(file)


def clear(db: Path) -> None:
    """Forget the address, if it is that of this process."""
    file = _file(db)
    kept = _read(file)
    if kept is not None and kept.pid == os.getpid():
        file.unlink(missing_ok=True)


def find(db: Path) -> str | None:
    """Return the address of an app that answers on this database; None where none does."""
    kept = _read(_file(db))
    if kept is None or not kept.url.startswith("http://127.0.0.1:"):
        return None
    try:
        with urllib.request.urlopen(kept.url, timeout=TRY_SECONDS) as answer:  # noqa: S310  loopback, checked above
            return kept.url if answer.status == 200 else None
    except OSError:
        return None


def _read(file: Path) -> Running | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Running)
    except (OSError, msgspec.DecodeError):
        return None
