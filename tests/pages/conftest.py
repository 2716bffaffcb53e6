"""A database with a household in it, and an app that serves it."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
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


def with_a_home(path: Path) -> Path:
    """A database with one household, called by a name that occurs nowhere else."""
    from toolkit.flows.household.context import Context
    from toolkit.flows.household.listed import add_home

    add_home(Context(path, date(2026, 7, 1)), "Sentinel Family")
    return path


@contextmanager
def serving(command: list[str], folder: Path) -> Iterator[str]:
    """The address, with the token, of an app in a process of its own."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=120)


def command_for(db: Path) -> list[str]:
    return [sys.executable, "-c", PROGRAM, str(db)]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """One household, called by a name that occurs nowhere else."""
    return with_a_home(tmp_path / "home" / "household.db")


@pytest.fixture
def app_command(db: Path) -> list[str]:
    """Starts the app over `db`; its first line is the address."""
    return command_for(db)


@pytest.fixture
def served(app_command: list[str], tmp_path: Path) -> Iterator[str]:
    """The address, with the token, of an app over `db`."""
    with serving(app_command, tmp_path) as address:
        yield address


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address, with the token, of one app for all tests of a file that only ask it something."""
    folder = tmp_path_factory.mktemp("shared-app")
    with serving(command_for(with_a_home(folder / "home" / "household.db")), folder) as address:
        yield address


@pytest.fixture(autouse=True, scope="session")
def components_searched_once() -> Iterator[None]:
    """Let Streamlit search the installed packages for components once, as an app does: it was half of a visit."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


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


@pytest.fixture
def set_up_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of a service that nobody asks."""
    for name, value in {"BASE_URL": "http://127.0.0.1:9", "CLIENT_ID": "us", "CLIENT_SECRET": "hush"}.items():
        monkeypatch.setenv(f"TOOLKIT_{name}", value)
