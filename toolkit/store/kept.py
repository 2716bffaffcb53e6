"""Where copies of a database are kept."""

from __future__ import annotations

from glob import escape
from pathlib import Path

FOLDER = "backups"


def backups_of(path: Path) -> list[Path]:
    """Backups in the usual place, oldest first."""
    return sorted((path.parent / FOLDER).glob(f"{escape(path.stem)}-*.db"))


def copies_of(path: Path) -> list[Path]:
    """What upgrades, restores and backups have kept of the database, the likeliest to be wanted last."""
    aside = sorted(path.parent.glob(f"{escape(path.name)}.before-restore-*Z.bak"))
    return [*sorted(path.parent.glob(f"{escape(path.name)}.format*.bak")), *aside, *backups_of(path)]
