"""Where copies of a database are kept, and logs that cannot be read into one."""

from __future__ import annotations

from datetime import UTC, datetime
from glob import escape
from pathlib import Path

FOLDER = "backups"


def backups_of(path: Path) -> list[Path]:
    """Backups in the usual place, oldest first."""
    return sorted((path.parent / FOLDER).glob(f"{escape(path.stem)}-*.db"))


def logs_of(path: Path) -> list[Path]:
    """Logs that were set aside: of a database that was lost or damaged, or with an end that cannot be read."""
    return sorted(path.parent.glob(f"{escape(path.name)}.*.wal.bak"))


def new_log(path: Path) -> Path:
    """Where a log is to be set aside now."""
    return path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.wal.bak")


def copies_of(path: Path) -> list[Path]:
    """What upgrades, restores and backups have kept of the database, the likeliest to be wanted last."""
    aside = sorted(path.parent.glob(f"{escape(path.name)}.before-restore-*Z.bak"))
    return [*sorted(path.parent.glob(f"{escape(path.name)}.format*.bak")), *aside, *backups_of(path)]
