"""Facts from outside the project: each file states where it comes from, and is shipped with the package."""

from __future__ import annotations

import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest

import toolkit
from toolkit.tables.reference.packaged import PackagedTable, out_of_date, packaged

PACKAGE = Path(toolkit.__file__).parent
FILES = sorted((PACKAGE / "tables" / "reference").glob("*.toml"))
OTHERS = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc"}]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_states_source_licence_and_date(path: Path) -> None:
    table = packaged(path.stem, PackagedTable)
    assert all(len(text) > 4 for text in (table.title, table.source, table.licence))
    assert table.read >= date(2026, 11, 21)
    assert table.valid_until is None or table.valid_until > table.read


def test_every_file_beside_the_code_is_shipped_with_the_package() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    patterns = project["tool"]["setuptools"]["package-data"]["toolkit"]
    shipped = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    assert set(FILES) <= set(OTHERS) <= shipped


def test_a_file_is_out_of_date_from_the_day_after_its_validity() -> None:
    (retailers,) = [packaged(path.stem, PackagedTable) for path in FILES if path.stem == "retailers"]
    assert retailers.valid_until is not None
    assert retailers.title not in [table.title for table in out_of_date(retailers.valid_until)]
    assert retailers.title in [table.title for table in out_of_date(retailers.valid_until + timedelta(days=1))]
    assert out_of_date(date(2026, 11, 21)) == []
