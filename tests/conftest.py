"""A home of its own for every test: no setting, file or credential of this machine is seen or touched."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.command_line import Run, command_line
from tests.many_cases import EXPLORE

# No test asserts a time, and every run generates the same examples unless asked to explore.
hypothesis.settings.register_profile("toolkit", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None, derandomize=False, print_blob=True)
hypothesis.settings.register_profile("quick", deadline=None, derandomize=True, max_examples=25)
hypothesis.settings.load_profile("explore" if EXPLORE else "toolkit")

# Compiled modules are kept, whatever the machine's setting: else each process that a test starts compiles the package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

if "PYTEST_XDIST_WORKER" in os.environ:
    # The workers share the processors: a pool of threads in each, of tests and what they start, took a fifth more time.
    os.environ.setdefault("POLARS_MAX_THREADS", "1")

MEMORY = Path("/dev/shm")
"""A folder of memory, on Linux."""
ROOM = 4 << 30
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    # Databases of tests are written to memory where there is room: syncing them to a disk took a third of the time.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

TESTS = Path(__file__).parent
QUICK = {
    *("answers", "analytics", "charts", "frames", "importers", "report", "store", "sync", "tables", "wire"),
    "flows/energy/test_concessions.py",
}
"""Folders and files of tests that start no process, server or page."""


def _is_quick(path: Path) -> bool:
    """Whether the tests of a file or folder are quick: those of `QUICK`, and of this folder itself."""
    parts = path.relative_to(TESTS).parts
    return (len(parts) < 2 and path.suffix == ".py") or any(
        "/".join(parts[: n + 1]) in QUICK for n in range(len(parts))
    )


def pytest_configure(config: pytest.Config) -> None:
    """Generate fewer examples while working, unless a profile is asked for (`--hypothesis-profile=toolkit`)."""
    if config.getoption("markexpr") == "quick" and not config.getoption("--hypothesis-profile") and not EXPLORE:
        hypothesis.settings.load_profile("quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the other files where only quick tests are asked for: importing them takes as long as many tests."""
    if config.getoption("markexpr") != "quick" or not collection_path.is_relative_to(TESTS):
        return None
    within = collection_path.relative_to(TESTS).as_posix()
    leads_to_quick = within == "." or any(name.startswith(f"{within}/") for name in QUICK)
    return None if leads_to_quick or _is_quick(collection_path) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the quick tests."""
    for item in items:
        if _is_quick(item.path) and item.get_closest_marker("slow") is None:
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
