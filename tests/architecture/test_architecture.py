"""The import rules of the design: one direction, one stop per room, no turning back."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import toolkit
from tests.import_rules import MAY_IMPORT

PACKAGE = Path(__file__).parents[2] / "toolkit"

LATE = {"cli": {"pages"}}
"""What a room may import at the place of use only, never at the top of a file."""

CENTRE = ("wire", "tables", "sync", "analytics", "frames")
NEVER_IN_THE_CENTRE = {"httpx", "sqlite3", "sqlite_utils", "streamlit", "random", "time", "socket", "subprocess", "os"}
NEVER = {
    "wire": {*NEVER_IN_THE_CENTRE, "polars"},
    "tables": NEVER_IN_THE_CENTRE,
    "sync": NEVER_IN_THE_CENTRE,
    "analytics": NEVER_IN_THE_CENTRE,
    "frames": NEVER_IN_THE_CENTRE,
    "charts": {"answers", "streamlit", "httpx", "sqlite3", "sqlite_utils"},
    "report": {"answers", "streamlit", "httpx", "sqlite3", "sqlite_utils"},
    "sandbox": {"httpx"},
    "flows": {"streamlit", "click", "httpx", "sqlite3", "sqlite_utils"},
    "cli": {"httpx", "sqlite3", "sqlite_utils", "streamlit"},
    "pages": {"httpx", "sqlite3", "sqlite_utils"},
    "importers": {"httpx", "sqlite3", "sqlite_utils", "streamlit"},
    "store": {"httpx", "streamlit"},
}
CLOCKS = {"now", "today", "utcnow"}
FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    """Every module named by an import, at whatever depth of the file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names.update({node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)})
    return names


def rooms(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("toolkit.")}


def at_top(tree: ast.Module) -> ast.Module:
    return ast.Module(body=[n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))], type_ignores=[])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_what_its_room_may(path: Path) -> None:
    room = room_of(path)
    if room in {"__init__", "__main__"}:
        return
    tree = ast.parse(path.read_text())
    existing = {entry.stem for entry in PACKAGE.iterdir()}
    late = LATE.get(room, set())
    allowed = MAY_IMPORT[room] | {room, "units", "remedies", "problems"} | late
    assert not (rooms(imported(tree)) & existing) - allowed
    assert not rooms(imported(at_top(tree))) & late
    assert not {name.split(".")[0] for name in imported(tree)} & NEVER.get(room, set())


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) in CENTRE], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_the_centre_reads_no_clock_and_opens_no_file(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not [call for call in calls if isinstance(call, ast.Name) and call.id in {"open", "print", "input"}]
    assert not [call for call in calls if isinstance(call, ast.Attribute) and call.attr in CLOCKS]


PYTHON_IN_POLARS = {"map_elements", "map_batches", "map_groups", "map_rows", "map_columns", "rolling_map"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_thread_of_polars_calls_python(path: Path) -> None:
    """It would wait for ever where Python waits for that thread: `converted` of `categorise.py` says when."""
    named = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    assert not named & PYTHON_IN_POLARS


def test_no_modules_import_each_other_in_a_circle() -> None:
    names = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in FILES}
    modules = {name.removesuffix(".__init__"): at_top(ast.parse(path.read_text())) for path, name in names.items()}
    graph = {name: (imported(tree) & modules.keys()) - {name} for name, tree in modules.items()}
    tuple(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_no_folder_has_more_files_than_a_reader_can_take_in() -> None:
    folders = Counter(path.parent for path in FILES)
    assert not {str(folder): count for folder, count in folders.items() if count > 14}


def test_no_file_is_longer_than_one_subject_needs() -> None:
    assert not [str(path) for path in FILES if len(path.read_text().splitlines()) > 700]


def running(*arguments: str) -> str:
    """A program that runs the command line and goes on after it. It names the exit code `failed`."""
    return (
        f"import sys; sys.argv = {['toolkit', *arguments]!r}\nfrom toolkit.cli.main import main\n"
        "sys.stdout = sys.stderr = open('/dev/null', 'w')\n"
        "try: main()\nexcept SystemExit as ended: failed = ended.code\nsys.stderr = sys.__stderr__"
    )


@pytest.mark.parametrize(
    "program",
    [
        "import toolkit",
        running("--help"),
        running("status", "--db", "nothing.db"),
    ],
)
def test_light_doors_load_nothing_heavy(program: str) -> None:
    heavy = ("polars", "pandas", "streamlit", "httpx", "sqlite_utils", "numpy", "plotly")
    listen = (
        "import sys\nopened = []\n"
        "sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == 'open' else None)"
    )
    check = f"[m for m in {heavy!r} if m in sys.modules] + [f for f in opened if 'reference' in f and '.toml' in f]"
    whole = f"{listen}\n{program}\nsys.stderr.write(','.join({check}))"
    loaded = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=True).stderr
    assert loaded == ""


@pytest.mark.parametrize("command", ["bill", "compare"])
def test_pricing_loads_no_network_client_chart_or_reader_of_bank_files(command: str) -> None:
    others = ("httpx", "ofxtools", "plotly", "requests", "streamlit")
    program = (
        f"{running(command, '--db', 'nothing.db')}\nsys.stderr.write(','.join({{*{others!r}}} & {{*sys.modules}}))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stderr
    assert loaded == ""


TESTS = Path(__file__).parents[1]
TRUTH = TESTS / "truth"
SCORING = [
    *(TRUTH / "score.py", TRUTH / "score_money.py"),
    *(TRUTH / "solar" / name for name in ("score.py", "clocks.py", "__main__.py")),
    *(TRUTH / "forecasts" / name for name in ("score.py", "__main__.py")),
]
INDEPENDENT = sorted(
    {
        *({*TRUTH.rglob("*.py")} - {*SCORING, TRUTH / "test_scores.py"}),
        *(path for path in (TESTS / "contracts").glob("referee_*.py") if path.stem != "referee_site"),
        TESTS / "analytics" / "energy" / "bills" / "generated.py",
    }
)
"""Generators of known homes, families and roofs, and the reference for bills."""


@pytest.mark.parametrize("path", INDEPENDENT, ids=lambda path: "/".join(path.parts[-2:]))
def test_what_answers_are_held_against_imports_nothing_of_the_toolkit(path: Path) -> None:
    assert not [name for name in reached(path) if name.split(".")[0] == "toolkit"]


def reached(path: Path, seen: frozenset[Path] = frozenset()) -> set[str]:
    """Return what a test module imports, and what the test modules that it imports do."""
    names = imported(ast.parse(path.read_text()))
    modules = {
        TESTS.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names if name.startswith("tests.")
    }
    own = {module for module in modules if module.is_file()} - seen - {path}
    return names.union(*(reached(module, seen | own | {path}) for module in own))


@pytest.mark.parametrize("path", SCORING, ids=lambda path: "/".join(path.parts[-2:]))
def test_scores_use_only_what_the_toolkit_exports(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert {name for name in imported(tree) if name.startswith("toolkit")} <= {"toolkit"}
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "toolkit"
    }
    assert used <= set(dir(toolkit))


def test_no_test_takes_the_isolation_of_all_tests_away() -> None:
    name = "isolated_from_this_" + "machine"
    tests = Path(__file__).parents[1]
    makers = [path for path in tests.rglob("*.py") if f"def {name}(" in path.read_text()]
    assert makers == [tests / "conftest.py"]
