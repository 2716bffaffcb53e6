"""The command line, called as a person calls it, within this process."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from toolkit.answers.schema import json_schema
from toolkit.cli.commands.schema import answer_types
from toolkit.cli.main import main
from toolkit.settings import load


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.out, f"nothing on stdout, exit code {self.code}: {self.err}"
        return json.loads(self.out)


Run = Callable[..., Ended]


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["toolkit", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        if "--json" in arguments and captured.out:
            check_schema(list(map(str, arguments)), captured.out)
        return Ended(int(ended.value.code or 0), captured.out, captured.err)

    return call


def filled_once(kept: Path, fill: Callable[[], None]) -> Path:
    """Return the database of a test: filled by the first, a copy of that for the others. kept: the file of the copy."""
    db = Path(load({}).db)
    if kept.exists():
        db.parent.mkdir(mode=0o700)
        shutil.copy(kept, db)
    else:
        fill()
        shutil.copy(db, kept)
    return db


def check_schema(arguments: Sequence[str], out: str) -> None:
    """Fail where the JSON of a command is not what `toolkit schema` says of it."""
    types = types_of(arguments[0])
    for length in (2, 1):
        if (name := " ".join(arguments[:length])) in types:
            schema_validator(name).validate(json.loads(out))
            return


@cache
def types_of(command: str) -> dict[str, Any]:
    return answer_types(command)


@cache
def schema_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Return a validator of a command's answer; keys that the schema does not list are refused.

    Made when it is first asked for, as those of all commands took each worker a second and what loads them two. A
    compiled one: the usual library took a tenth of the time of the tests of commands.
    """
    schema = json_schema(types_of(name.partition(" ")[0])[name])
    for component in schema["$defs"].values():
        component["additionalProperties"] = "additionalProperties" in component and component["additionalProperties"]
    return jsonschema_rs.Draft202012Validator(schema)
