"""A database that was moved or deleted: no command begins anew while its backups are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Run
from tests.problems import names


@pytest.mark.parametrize("asked", ["spending", "status", "household list", "plans list", "export --out out", "doctor"])
def test_a_missing_database_names_its_backup(run: Run, home: Path, tmp_path: Path, asked: str) -> None:
    (tmp_path / "bank.csv").write_text('01/02/2026,"-4.50","CORNER CAFE","+1949.90"\n')
    assert run("import", tmp_path / "bank.csv").code == 0
    saved = run("backup", "--json").json["backup"]
    (home / "household.db").unlink()
    ended = run(*asked.split())
    assert ended.code == 1
    assert names(ended.out + ended.err, home / "household.db", f"toolkit restore {saved}")
    assert not (home / "household.db").exists()
    assert run("restore", saved).code == 0
    assert run("spending", "--json").json["spent"] == "4.50"
