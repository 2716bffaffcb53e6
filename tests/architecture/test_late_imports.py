"""Imports inside functions: each spares a program what it does not need, or would make a circle."""

from __future__ import annotations

import ast
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.architecture.test_architecture import FILES, PACKAGE, running
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

TODAY = date(2026, 6, 20)
BANK = '01/04/2026,"-100.00","WOOLWORTHS 1234 SYDNEY","+900.00"\n05/05/2026,"-50.00","ZZYZX","+850.00"\n'
STORED = ("--db", "household.db", "--today", str(TODAY))

STATUS = running("status", *STORED)
DESK = running("desk", *STORED)
"""It shows what is stored, and works nothing out."""
SPENDING = running("spending", "--from", "2026-04-01", "--to", "2026-05-31", *STORED)
"""Whole months are answered from stored sums, so that no row is read."""
IMPORT = running("import", "everyday.csv", *STORED)
DOCTOR = running("doctor", *STORED)
FLEET = running("fleet", "--help")
HELP = running("--help")
SETTINGS = "import sys, toolkit.settings"
"""Every command and the first page of the app import them before anything else."""
APP = "import sys, toolkit.pages.server.launch"
"""The app answers the browser before its pages are imported."""

LATE: dict[str, dict[str, set[str]]] = {
    SPENDING: {
        "analytics/money/sums/months.py": {"polars", "polars.selectors"},
        "answers/base.py": {"polars", "toolkit.answers.wording.sentence"},
        "flows/household/context.py": {
            "hashlib",
            "toolkit.flows.household.facts",
            "toolkit.flows.money.spending",
            "toolkit.flows.plans.catalogue",
        },
        "flows/money/summary.py": {
            "toolkit.analytics.money.account_summary",
            "toolkit.analytics.money.years.periods",
            "toolkit.flows.money.spending",
        },
        "store/database.py": {"toolkit.store.frames", "toolkit.store.schema", "toolkit.tables.registers"},
        "store/schema.py": {"sqlite_utils", "toolkit.tables.rows.plans"},
        "tables/money.py": {"polars"},
    },
    DESK: {"cli/commands/households/desk.py": {"toolkit.flows.desk.refresh"}},
    IMPORT: {"importers/read.py": {"toolkit.importers.banks.ofx"}},
    STATUS: {
        "tables/words.py": {"difflib"},
        "tables/reference/places.py": {"difflib"},
    },
    SETTINGS: {"settings.py": {"keyring", "platformdirs", "tomllib"}},
    DOCTOR: {"cli/commands/start.py": {"toolkit.pages.server.launch"}},
    HELP: {"cli/main.py": {"toolkit.cli.output"}},
    FLEET: {"fleet/run.py": {"dask", "distributed", "distributed.security"}},
    APP: {"pages/server/launch.py": {"toolkit.pages.answers", "toolkit.pages.entry"}},
}
"""A program → what it must not load, by the file that imports it inside a function."""
CIRCLES = {"answers/base.py": {"toolkit.answers.html"}}
"""Modules that import the file at their top."""


def test_no_other_import_stands_inside_a_function() -> None:
    late = [*(entry for of_program in LATE.values() for entry in of_program.items()), *CIRCLES.items()]
    listed = {(path, module) for path, modules in late for module in modules}
    assert {entry for path in FILES for entry in within_functions(path)} == listed


def within_functions(path: Path) -> set[tuple[str, str]]:
    """Return the modules that the functions of a file import, with the file's path."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    imports = [node for function in functions for node in ast.walk(function)]
    modules = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    return {(path.relative_to(PACKAGE).as_posix(), module) for module in modules}


@pytest.mark.parametrize(
    "program", LATE, ids=["spending", "desk", "import", "status", "settings", "doctor", "help", "fleet", "app"]
)
def test_a_program_that_does_not_need_them_does_not_load_them(program: str, tmp_path: Path) -> None:
    (tmp_path / "everyday.csv").write_text(BANK)
    load(Context(tmp_path / "household.db", TODAY), [tmp_path / "everyday.csv"])
    late = set().union(*LATE[program].values())
    whole = (
        f"failed = None\n{program}\nassert not failed, failed\nsys.stderr.write(','.join({late!r} & {{*sys.modules}}))"
    )
    command = [sys.executable, "-c", whole]
    assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stderr == ""


@pytest.mark.parametrize("path", CIRCLES)
def test_what_would_be_a_circle_imports_the_file(path: str) -> None:
    importer = "toolkit." + path.removesuffix(".py").replace("/", ".")
    for module in CIRCLES[path]:
        tree = ast.parse((PACKAGE.parent / f"{module.replace('.', '/')}.py").read_text())
        assert importer in {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
