"""The command line, called as a person calls it, within this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from toolkit.cli.main import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


Run = Callable[..., Ended]


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["toolkit", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Ended(int(ended.value.code or 0), captured.out, captured.err)

    return call
