"""How copies of a database are called and where they are kept, and logs that cannot be read into one.

Names are matched whole: several databases may lie in one folder, and one's name may begin with another's.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "backups"
_STAMP = "[0-9]{8}T[0-9]{12}Z"
_ASIDE = rf"\.before-restore-{_STAMP}\.bak"
_UPGRADED = r"\.format[0-9]+-[0-9a-f]{8}\.bak"
_PART, _UNVERIFIED, _RESTORING = ".part", ".unverified", ".restoring"
_UNFINISHED = "|".join(map(re.escape, (_PART, _UNVERIFIED, _RESTORING)))


def new_backup(path: Path) -> Path:
    """Where a backup is kept that is made now. One of `home.db` differs in name from one of `home.sqlite`."""
    return path.parent / FOLDER / f"{path.stem}-{_now()}{path.suffix}"


def new_aside(path: Path) -> Path:
    """Where the present database is kept when another is restored now."""
    return path.with_name(f"{path.name}.before-restore-{_now()}.bak")


def new_log(path: Path) -> Path:
    """Where a log is to be set aside now."""
    return path.with_name(f"{path.name}.{_now()}.wal.bak")


def before_upgrade(path: Path, version: int, fingerprint: int) -> Path:
    """Where the database is kept as it was before an upgrade to the schema of that fingerprint."""
    return path.with_name(f"{path.name}.format{version}-{fingerprint:08x}.bak")


def unfinished(path: Path) -> Path:
    """What a copy is called until it is whole."""
    return path.with_name(path.name + _PART)


def unverified(path: Path) -> Path:
    """What a backup is called until it was checked."""
    return path.with_name(path.name + _UNVERIFIED)


def restoring(path: Path) -> Path:
    """What is to be restored, until it was checked."""
    return path.with_name(path.name + _RESTORING)


def backups_of(path: Path) -> list[Path]:
    """Backups in the usual place, oldest first."""
    return _called(path.parent / FOLDER, _backup(path))


def set_aside_of(path: Path) -> list[Path]:
    """What restores have kept, oldest first."""
    return _called(path.parent, re.escape(path.name) + _ASIDE)


def upgraded_of(path: Path) -> list[Path]:
    """What upgrades have kept."""
    return _called(path.parent, re.escape(path.name) + _UPGRADED)


def logs_of(path: Path) -> list[Path]:
    """Logs that were set aside: of a database that was lost or damaged, or with an end that cannot be read."""
    return _called(path.parent, rf"{re.escape(path.name)}\.{_STAMP}\.wal\.bak")


def copies_of(path: Path) -> list[Path]:
    """What upgrades, restores and backups have kept of the database, the likeliest to be wanted last."""
    return [*upgraded_of(path), *set_aside_of(path), *backups_of(path)]


def remains_of(path: Path) -> list[Path]:
    """What nobody restores: kept by upgrades, of backups too; backups and restores cut short; logs set aside."""
    rest = rf"({_UPGRADED}|{_UNFINISHED})+(-wal|-shm|-journal)?"
    own = _called(path.parent, rf"{re.escape(path.name)}({_ASIDE})?{rest}")
    return [*own, *_called(path.parent / FOLDER, _backup(path) + rest), *logs_of(path)]


def _backup(path: Path) -> str:
    return f"{re.escape(path.stem)}-{_STAMP}{re.escape(path.suffix)}"


def _called(folder: Path, form: str) -> list[Path]:
    return sorted(path for path in folder.glob("*") if re.fullmatch(form, path.name) and path.is_file())


def _now() -> str:
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
