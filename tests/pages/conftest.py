"""A database with a household in it, and an app that serves it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
from toolkit.pages.launch import launch
launch(Path(sys.argv[1]), port=None, open_browser=False, announce=lambda url: print(url, flush=True))
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """One household, called by a name that occurs nowhere else."""
    from datetime import date

    from toolkit.flows.context import Context
    from toolkit.flows.homes import add_home

    path = tmp_path / "home" / "household.db"
    add_home(Context(path, date(2026, 7, 1)), "Sentinel Family")
    return path


@pytest.fixture
def app_command(db: Path) -> list[str]:
    """Starts the app over `db`; its first line is the address."""
    return [sys.executable, "-c", PROGRAM, str(db)]


@pytest.fixture
def served(app_command: list[str], tmp_path: Path) -> Iterator[str]:
    """The address, with the token, of an app in a process of its own."""
    with subprocess.Popen(app_command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=20)
