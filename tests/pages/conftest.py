"""A database with a household in it, and an app that serves it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.pages.seen import TODAY
from toolkit.pages.server import background
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.launch import ENTRY
from toolkit.pages.server.launch_settings import Launch

PROGRAM = """
import sys
from pathlib import Path
from toolkit.pages.server.launch import launch
launch(Path(sys.argv[1]), port=None, open_browser=False, announce=lambda url: print(url, flush=True))
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """One household, called by a name that occurs nowhere else."""
    from datetime import date

    from toolkit.flows.household.context import Context, add_home

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
            process.wait(timeout=120)


@pytest.fixture
def visit() -> Iterator[Callable[..., AppTest]]:
    """Opens a page of the app over a database, with the token; what an address holds of the launch is a function."""

    def at(db: Path, page: str, token: str = "secret", **query: str | Callable[[], str]) -> AppTest:
        launched.begin(Launch(db, "secret", TODAY))
        test = AppTest.from_file(str(ENTRY), default_timeout=120)
        for name, value in {"token": token, **query}.items():
            test.query_params[name] = value() if callable(value) else value
        test._page_hash = "" if page == "overview" else calc_hash(page)
        return test.run()

    yield at
    launched.begin(None)
    background.stop_all()  # work in the background would go on without its database
