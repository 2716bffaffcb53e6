"""Every test that the feature table names is there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.features import FEATURES

ROOT = Path(__file__).parent.parent
NAMED = sorted({(file, test) for rows in FEATURES.values() for _, file, test in rows})


@pytest.mark.parametrize(("file", "test"), NAMED, ids=[test for _, test in NAMED])
def test_the_test_of_a_feature_exists(file: str, test: str) -> None:
    functions = ast.walk(ast.parse((ROOT / file).read_text()))
    assert test in {node.name for node in functions if isinstance(node, ast.FunctionDef)}
