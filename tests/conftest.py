"""A home of its own for every test: no setting, file or credential of this machine is seen or touched."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.command_line import Run, command_line
from tests.many_cases import EXPLORE

# No test asserts a time, and every run generates the same examples unless asked to explore.
hypothesis.settings.register_profile("toolkit", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None, derandomize=False, print_blob=True)
hypothesis.settings.load_profile("explore" if EXPLORE else "toolkit")


TESTS = Path(__file__).parent
QUICK = {"answers", "analytics", "charts", "frames", "importers", "report", "store", "sync", "tables", "wire"}
"""Folders of tests that start no process, server or page."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that a person runs while working: those of `QUICK`, and of this folder itself."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        if (folder in QUICK or item.path.parent == TESTS) and item.get_closest_marker("slow") is None:
            item.add_marker("quick")


def isolate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forget this machine's settings; `folder` is the home, and the data folder in it does not exist yet."""
    for name in [name for name in os.environ if name.startswith(("TOOLKIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    data = folder / "toolkit-home"
    monkeypatch.setenv("TOOLKIT_DATA_DIR", str(data))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("HOME", str(folder))
    return data


@pytest.fixture(autouse=True, scope="session")
def session_isolated_from_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For what is made once for many tests: fixtures of a file or of the session come before those of a test."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        isolate(tmp_path_factory.mktemp("session-home"), monkeypatch)
        yield


@pytest.fixture(autouse=True)
def isolated_from_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of one test. The name is long so that no test takes it, and the isolation with it, away."""
    return isolate(tmp_path, monkeypatch)


@pytest.fixture
def home(isolated_from_this_machine: Path) -> Path:
    """The empty data folder; settings come from nowhere else."""
    return isolated_from_this_machine


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: `run("usage", "--json")`."""
    return command_line(monkeypatch, capsys)
