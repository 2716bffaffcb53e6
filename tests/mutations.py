"""Mutants of the pricing modules: `python -m tests.mutations [--sample N] [--seed S] [MODULE …]`.

Changes one operator, comparison or constant at a time in a copy of the package, runs the tests of bills on it, and
prints which mutants survive. A test that fails, or takes ten times as long as on the unchanged copy, kills the mutant.
All mutants take a day of one processor; `--sample` takes some at random.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
PRICING = ROOT / "toolkit/analytics/energy/pricing"
TESTS = (
    *("bills/test_worked_bills.py", "bills/test_odd_plans.py", "bills/test_plan_segments.py", "bills/test_trace.py"),
    *("bills/test_clock_and_gaps.py", "bills/test_published_bills.py", "compare/test_two_clocks.py"),
    *("compare/test_dated_offers.py", "pricing", "bills/test_two_engines.py", "compare/test_market.py"),
)
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.USub: ast.UAdd,
    ast.Invert: ast.UAdd,
}


@dataclass(frozen=True)
class Mutant:
    """One change. number: of the node in the order of `ast.walk`."""

    path: Path
    number: int
    line: int
    change: str

    def source(self) -> str:
        tree = ast.parse(self.path.read_text())
        node = list(ast.walk(tree))[self.number]
        if isinstance(node, ast.Constant):
            node.value = not node.value if isinstance(node.value, bool) else node.value + 1
        else:
            place = "op" if hasattr(node, "op") else "ops"
            swapped = SWAPS[type(node.op if place == "op" else node.ops[0])]()
            setattr(node, place, swapped if place == "op" else [swapped, *node.ops[1:]])
        return ast.unparse(tree)


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a module; annotations and texts are left alone."""
    tree = ast.parse(path.read_text())
    skipped = {id(inner) for node in ast.walk(tree) for left in _annotations(node) for inner in ast.walk(left)}
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        operator = getattr(node, "op", None) or (node.ops[0] if isinstance(node, ast.Compare) else None)
        if operator is not None and type(operator) in SWAPS:
            change = f"{type(operator).__name__} → {SWAPS[type(operator)].__name__}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            change = f"{node.value} → {not node.value if isinstance(node.value, bool) else node.value + 1}"
        else:
            continue
        yield Mutant(path, number, node.lineno, change)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is no code that runs, or only says how a class is made."""
    yield from (value for name in ("annotation", "returns") if (value := getattr(node, name, None)))
    yield from getattr(node, "decorator_list", [])


class Copy:
    """A copy of the package and its tests in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("toolkit", "tests"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", folder)
        began = perf_counter()
        if not self.passes(None):
            raise SystemExit("the tests fail on the unchanged package")
        self.limit = 10 * (perf_counter() - began)

    def passes(self, limit: float | None) -> bool:
        tests = [f"tests/analytics/energy/{name}" for name in TESTS]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
        environ = {**os.environ, "PYTHONPATH": str(self.folder), "BILL_EXAMPLES": "60", "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            ended = subprocess.run(
                command, cwd=self.folder, env=environ, capture_output=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0

    def survives(self, mutant: Mutant) -> bool:
        target = self.folder / mutant.path.relative_to(ROOT)
        kept = target.read_text()
        target.write_text(mutant.source())
        try:
            return self.passes(self.limit)
        finally:
            target.write_text(kept)


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.mutations")
    reader.add_argument("modules", nargs="*", type=Path, default=sorted(PRICING.glob("*.py")))
    reader.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn at random")
    reader.add_argument("--seed", type=int, default=0)
    asked = reader.parse_args()
    drawn = [mutant for path in asked.modules for mutant in mutants(path.resolve())]
    total = len(drawn)
    if asked.sample is not None:
        drawn = random.Random(asked.seed).sample(drawn, min(asked.sample, total))
    survivors = 0
    with tempfile.TemporaryDirectory() as name:
        changed = Copy(Path(name))
        for mutant in drawn:
            survived = changed.survives(mutant)
            survivors += survived
            state = "SURVIVED" if survived else "killed"
            print(f"{state:<8} {mutant.path.name}:{mutant.line} {mutant.change}", flush=True)
    print(f"{len(drawn)} of {total} mutants, {len(drawn) - survivors} killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
