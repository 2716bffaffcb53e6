"""The pages of the public Python functions: complete, fresh, and with examples that run as they are printed."""

from __future__ import annotations

import doctest
import inspect
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import toolkit
from tests.reference import FOLDER, SUBJECTS, documented_columns, named_docs, pages, setup

PAGES = pages()
DOCS = named_docs()
SLOW = {"demo_database": 20, "over_households": 10}
"""Examples that start a service, or workers: about how many seconds."""
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow, pytest.mark.filterwarnings("ignore")] if name in SLOW else [])
    for name in toolkit.__all__
]


@pytest.fixture(scope="module")
def shared() -> dict[str, Any]:
    """The names that the set-up of all examples gives."""
    names: dict[str, Any] = {}
    exec(setup(), names)
    return names


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_fresh(name: str) -> None:
    assert (FOLDER / name).read_text() == PAGES[name], "run: python -m tests.readme"


def test_no_page_is_left_over() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PAGES)


def test_every_name_stands_in_the_index_once() -> None:
    assert Counter(" ".join(SUBJECTS.values()).split()) == Counter(toolkit.__all__)


@pytest.mark.parametrize("name", [name for name in toolkit.__all__ if inspect.isfunction(getattr(toolkit, name))])
def test_every_argument_and_the_answer_are_explained(name: str) -> None:
    assert list(DOCS[name].entries("Args")) == list(inspect.signature(getattr(toolkit, name)).parameters)
    assert DOCS[name].summary
    assert DOCS[name].sections["Returns"]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_its_page_says(
    name: str, shared: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(DOCS[name].sections["Examples"], dict(shared), name, None, None)
    assert example.examples
    assert not any(each.options for each in example.examples)  # none is skipped, no output is matched loosely
    report: list[str] = []
    doctest.DocTestRunner().run(example, out=report.append, clear_globs=False)
    assert not report, "".join(report)
    columns = {column: kind for column, (kind, _) in documented_columns(DOCS[name]).items()}
    frames = [value for value in example.globs.values() if isinstance(value, pl.DataFrame)]
    assert not columns or columns in [
        dict(zip(frame.columns, map(_named, frame.dtypes), strict=True)) for frame in frames
    ]


def _named(kind: pl.DataType) -> str:
    """Return a data type without the digits of decimals."""
    return "Decimal" if isinstance(kind, pl.Decimal) else str(kind)
