"""The documented commands, sentence by sentence, by the command line alone: files in, JSON and exit codes out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Run

Bring = Callable[..., None]


@pytest.fixture
def bring(run: Run, tmp_path: Path) -> Bring:
    """Import a file with this text, all of it good."""

    def write_and_import(text: str, *options: object, name: str = "file.csv") -> None:
        path = tmp_path / name
        path.write_text(text)
        ended = run("import", path, *options, "--json")
        assert ended.code == 0, ended.out + ended.err

    return write_and_import
