"""Mutants of the pricing modules: `python -m tests.mutations [--sample N] [--seed S] [MODULE …]`.

Changes one operator, comparison or constant at a time, runs the tests of bills on it in a process of its own, and
prints which survive. A test that fails, or takes ten times the processor time of the unchanged package, kills the
mutant. All of them take hours of one processor, in random order, so that the first ones are a sample; `--sample` takes
no more.
"""

from __future__ import annotations

import argparse
import ast
import math
import os
import random
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PRICING = ROOT / "toolkit/analytics/energy/pricing"
TESTS = (
    *("bills/test_worked_bills.py", "bills/test_published_bills.py", "pricing", "bills/test_odd_plans.py"),
    *("bills/test_two_engines.py", "bills/test_clock_and_gaps.py", "bills/test_plan_segments.py"),
    *("bills/test_trace.py", "compare/test_two_clocks.py", "compare/test_dated_offers.py", "compare/test_market.py"),
    "compare/test_market_kept.py",
)
LOADED = (
    "hypothesis.strategies",
    "numpy",
    "polars",
    "toolkit.analytics.energy.rates.compile",
    "toolkit.importers.plans",
)
"""Loaded once, before each mutant gets a process of its own."""
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


class Mutated(Loader, MetaPathFinder):
    """Imports one module from a changed source."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.name, "exec"), module.__dict__)


def run_tests(changed: Mutated | None) -> int:
    """Run the tests of bills in this process, with one module changed; return 1 if one of them failed."""
    if changed:
        sys.meta_path.insert(0, changed)
    loaded = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of what is imported before pytest
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *loaded]
    # File by file, those that are over soonest first: most mutants end with the first file.
    return int(any(pytest.main([*options, f"tests/analytics/energy/{name}"]) for name in TESTS))


def forked(changed: Mutated | None, limit: int) -> int:
    """Start `run_tests` in a child that has loaded all but the pricing modules; return its process id.

    limit: seconds of processor time after which the system ends the child, however busy the machine is.
    """
    pid = os.fork()
    if pid:
        return pid
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os._exit(run_tests(changed))


def tested(changed: Mutated | None, limit: int) -> tuple[bool, float]:
    """Run the tests in a child; return whether all passed, and the processor time in seconds."""
    _, status, used = os.wait4(forked(changed, limit), 0)
    return os.waitstatus_to_exitcode(status) == 0, used.ru_utime + used.ru_stime


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.mutations")
    reader.add_argument("modules", nargs="*", type=Path, default=sorted(PRICING.glob("*.py")))
    reader.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn at random")
    reader.add_argument("--seed", type=int, default=0)
    asked = reader.parse_args()
    drawn = [mutant for path in asked.modules for mutant in mutants(path.resolve())]
    total = len(drawn)
    random.Random(asked.seed).shuffle(drawn)
    drawn = drawn[: asked.sample]
    os.chdir(ROOT)
    os.environ.setdefault("BILL_EXAMPLES", "60")
    for name in LOADED:
        import_module(name)
    assert not [name for name in sys.modules if name.startswith("toolkit.analytics.energy.pricing")]
    passed, seconds = tested(None, limit=3600)
    if not passed:
        raise SystemExit("the tests fail on the unchanged package")
    limit = 10 * math.ceil(seconds)
    survivors = 0
    for number, mutant in enumerate(drawn, start=1):
        survived, _ = tested(Mutated(module_name(mutant.path), mutant.source()), limit)
        survivors += survived
        state = "SURVIVED" if survived else "killed"
        print(f"{number:>4} {state:<8} {mutant.path.name}:{mutant.line} {mutant.change}", flush=True)
    print(f"{len(drawn)} of {total} mutants, {len(drawn) - survivors} killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
