"""The folder of this computer that a household's files come from: chosen once, and looked at again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, household_for_files, open_home
from toolkit.flows.household.listed import homes
from toolkit.importers.source import LARGEST_TABLE_BYTES, files_under
from toolkit.store import open_store
from toolkit.store.connection import is_stored

BILLS = {".pdf"}
FILES = {".csv", ".txt", ".xlsx", ".xml", ".ofx", ".qfx", ".qif", ".json", ".ndjson", ".zip", ".gz"}
"""Endings of the files that may hold data."""
USUAL = ("Downloads", "Documents", "Desktop")
MOST_FILES = 1_000


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """Files of a folder. files, bills: tables and PDFs, to be read. others: number of files of other kinds."""

    files: list[Path]
    bills: list[Path]
    others: int


def kept_folder(ctx: Context) -> Path | None:
    """Return the folder that was kept for the household; None where there is none yet."""
    if not is_stored(ctx.db) or not homes(ctx).households:
        return None
    with open_home(ctx) as (_, household):
        return Path(household.folder) if household.folder else None


def keep_folder(ctx: Context, folder: Path) -> None:
    """Keep a folder for the household, which is made where none is stored."""
    with open_store(ctx.db) as store, store.transaction():
        home = household_for_files(store, ctx.household)
        store.update("households", {"folder": str(folder)}, {"household_id": home.household_id})


def files_in(folder: Path) -> FolderFiles:
    """List the files of a folder and its folders by what they may be.

    Raises UsageError where there is no such folder, or where it holds so many files that it is hardly the right one.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder on this computer.")
    found = files_under(folder)
    files = [path for path in found if path.suffix.lower() in FILES and path.stat().st_size <= LARGEST_TABLE_BYTES]
    bills = [path for path in found if path.suffix.lower() in BILLS]
    if len(files) + len(bills) > MOST_FILES:
        raise UsageError(f"{folder} holds more than {MOST_FILES:,} files. Choose a folder with your own files only.")
    return FolderFiles(files, bills, len(found) - len(files) - len(bills))


def usual_folders(home: Path) -> list[Path]:
    """Return the folders in which people keep such files, with those inside them; home: the person's own folder."""
    there = [home / name for name in USUAL if (home / name).is_dir()]
    inside = [each for folder in there for each in sorted(folder.iterdir()) if each.is_dir()]
    return [*there, *(each for each in inside if not each.name.startswith("."))]
