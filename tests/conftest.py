"""A home of its own for every test: no setting, file or credential of this machine is seen or touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def isolated_from_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No setting of this machine holds, and the home folder is an empty one.

    The name is long so that no test takes it for a fixture of its own: that would take the isolation away.
    """
    for name in [name for name in os.environ if name.startswith(("TOOLKIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    folder = tmp_path / "toolkit-home"
    monkeypatch.setenv("TOOLKIT_DATA_DIR", str(folder))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


@pytest.fixture
def home(isolated_from_this_machine: Path) -> Path:
    """The empty data folder; settings come from nowhere else."""
    return isolated_from_this_machine
