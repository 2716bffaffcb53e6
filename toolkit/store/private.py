"""Files that only their owner can read, under any umask."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from toolkit.errors import StoreError

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_MAKING = threading.Lock()


def private_folder(folder: Path) -> Path:
    """Make `folder` with mode 0700, its missing parents too. A folder that exists is left as it is."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=FOLDER_MODE, exist_ok=True)
        place.chmod(FOLDER_MODE)
    return folder


def private_file(path: Path) -> Path:
    """Make an empty file with mode 0600 before anything is written to it; one that exists only gets the mode.

    SQLite gives its `-wal` and `-shm` files the mode of the database file. A file that exists is never opened here:
    closing it would end every POSIX lock that this process has on it, those of SQLite in other threads too, and
    whoever closes the database next would take away the log that they write to.
    """
    private_folder(path.parent)
    with _MAKING, suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))
    if path.is_dir():
        raise StoreError(f"{path} is a folder: name a file in it.")
    if path.stat().st_mode & 0o777 != FILE_MODE:
        with suppress(PermissionError):  # somebody else's file: `doctor` reports it
            path.chmod(FILE_MODE)
    return path


def replace_private(target: Path, write: Callable[[Path], object]) -> None:
    """Write to a temporary file, then rename it to `target`, so that a reader sees the old or the new file, complete.

    Raises StoreError if the disk is full or not writable.
    """
    unfinished = private_file(target.with_name(f".{target.name}.part"))
    try:
        write(unfinished)
        unfinished.replace(target)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise StoreError(
                f"{target} cannot be written ({error.strerror or error}): make room and repeat."
            ) from error
        raise
