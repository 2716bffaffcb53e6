"""Mutants of the pricing modules: `python -m tests.mutations --results FILE [--sample N] [--seed S] [MODULE …]`.

Changes one operator, comparison or constant at a time, runs the tests that execute the changed statement, each mutant
in a process of its own, and prints which survive. A test that fails kills the mutant, as does taking ten times the
processor time that those tests take on the unchanged package. The tests that killed most for their time run first, and
those of one mutant for at most `--seconds`, so that the share killed is a lower bound.

Results are added to FILE one by one: a run that was ended is continued, and one that is over repeats the mutants that
survived, so that a new test can be tried on them. A changed module starts again.
"""

from __future__ import annotations

import argparse
import ast
import gc
import math
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from itertools import accumulate
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import hypothesis
import pytest

ROOT = Path(__file__).parent.parent
PRICING = ROOT / "toolkit/analytics/energy/pricing"
TESTS = (
    *("tests/analytics/energy/bills", "tests/analytics/energy/pricing", "tests/analytics/energy/compare"),
    *("tests/contracts/test_bill_rules.py", "tests/contracts/test_bill_rules_dates.py"),
    *("tests/contracts/test_bill_rules_more.py", "tests/frames/test_price_all.py"),
    # The first two start polars' threads when they are imported, and no thread survives a fork; the others take long.
    *(
        f"--ignore=tests/analytics/energy/{name}.py"
        for name in ("bills/test_against", "compare/test_dated_offers", "bills/test_concessions", "bills/test_trace")
    ),
)
LOADED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # of hypothesis, imported before pytest
KILLED, SURVIVED = "killed", "SURVIVED"
OPTIONS = ("-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-o", "timeout=0", *LOADED)
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
    """One change of a module."""

    path: Path
    number: int
    """Of the node in the order of `ast.walk`."""
    line: int
    change: str
    lines: range
    """Of the statement that holds the node, without the statements inside it."""

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

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line} {self.change}"

    @property
    def key(self) -> str:
        """What a line of results says of it, with a checksum of the module."""
        return f"{self.path.name} {zlib.crc32(self.path.read_bytes()):08x} {self.number}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a module; texts, and what `_left_alone` says, stay as they are."""
    tree = ast.parse(path.read_text())
    skipped = {id(inner) for node in ast.walk(tree) for left in _left_alone(node) for inner in ast.walk(left)}
    spans = _statements(tree)
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
        yield Mutant(path, number, node.lineno, change, spans[id(node)])


def _left_alone(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node is no code that runs, only says how a class is made, or only checks that lengths are equal."""
    yield from (value for name in ("annotation", "returns") if (value := getattr(node, name, None)))
    yield from getattr(node, "decorator_list", [])
    yield from (keyword.value for keyword in getattr(node, "keywords", []) if keyword.arg == "strict")


def _statements(tree: ast.AST) -> dict[int, range]:
    """The lines of the innermost statement of each node, by the node's id."""
    spans: dict[int, range] = {}
    for statement in ast.walk(tree):  # outer ones first
        if isinstance(statement, ast.stmt):
            body = getattr(statement, "body", None)
            end = body[0].lineno if body else (statement.end_lineno or statement.lineno) + 1
            lines = range(statement.lineno, max(end, statement.lineno + 1))
            spans |= dict.fromkeys(map(id, ast.walk(statement)), lines)
    return spans


# ---- changing a module


def put_in_place(mutant: Mutant) -> bool:
    """Give the functions of the imported module the code of the mutant; return whether the change is in a function."""
    old = compile(ast.unparse(ast.parse(mutant.path.read_text())), str(mutant.path), "exec")
    new = compile(mutant.source(), str(mutant.path), "exec")
    changed = dict(_changed(old, new))
    # Decorators and dataclasses with slots copy or wrap functions: whatever runs the code is looked up by its name.
    functions = [
        each
        for each in gc.get_objects()
        if isinstance(each, FunctionType) and each.__code__.co_filename == str(mutant.path)
    ]
    done = set()
    for function in functions:
        if code := changed.get(function.__code__.co_qualname):
            with suppress(ValueError):  # another number of variables from outside: the module is imported anew
                function.__code__ = code
                done.add(code.co_qualname)
    return bool(changed) and done == set(changed)


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[str, CodeType]]:
    """Yield the name and the new code of the outermost functions that differ; the module itself where it does."""
    pairs = [
        (a, b)
        for a, b in zip(old.co_consts, new.co_consts, strict=False)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
    ]
    if old.co_code != new.co_code or _plain(old) != _plain(new):
        yield new.co_qualname, new
        return
    for a, b in pairs:
        if a != b:
            is_class = not a.co_flags & 0x0002  # CO_NEWLOCALS: functions have it, bodies of classes do not
            yield from _changed(a, b) if is_class else [(b.co_qualname, b)]


def _plain(code: CodeType) -> list[object]:
    return [(type(each), each) for each in code.co_consts if not isinstance(each, CodeType)]


class Mutated(Loader, MetaPathFinder):
    """Imports one module from a changed source."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.source = ".".join(mutant.path.relative_to(ROOT).with_suffix("").parts), mutant.source()

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.name, "exec"), module.__dict__)


# ---- running the tests


def in_child(work: Callable[[], str], limit: int) -> tuple[int, str]:
    """Do the work in a fork without output; return its exit code and the text that it returned.

    limit: seconds of processor time after which the system ends the child, however busy the machine is.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            out.write(work())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as text:
        answer = text.read()
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), answer


@dataclass
class Run:
    """A pytest plugin that runs the collected tests again for each mutant, in forks of the process that collected."""

    mutants: Sequence[Mutant]
    results: Path
    budget: float
    """Seconds of processor time that the tests of one mutant may take, as they do on the unchanged package."""
    kills: Counter[int] = field(default_factory=Counter)
    seconds: dict[int, float] = field(default_factory=dict)
    """Of each test, on the unchanged package."""
    breadth: dict[int, float] = field(default_factory=dict)
    """Of each test, the share of all lines executed by some test that it executes."""
    reach: dict[tuple[str, int], set[int]] = field(default_factory=lambda: defaultdict(set))
    """The tests that execute a line, by file and line."""

    def pytest_collection(self) -> None:
        """A failing example is enough: none is made smaller, and none is kept."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        parent = hypothesis.settings.get_profile("toolkit")
        hypothesis.settings.register_profile("mutants", parent, phases=phases, database=None)
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for line in self._kept_trace(session).splitlines():
            number, seconds, *places = line.split("\t")
            self.seconds[int(number)] = float(seconds)
            for path, _, at in (place.rpartition(":") for place in places):
                self.reach[path, int(at)].add(int(number))
            self.breadth[int(number)] = len(places)
        self.breadth = {number: lines / len(self.reach) for number, lines in self.breadth.items()}
        for number, mutant in enumerate(self.mutants, start=1):
            print(f"{number:>4} of {len(self.mutants)} {self._tried(session, mutant)}", flush=True)
        return True

    def _kept_trace(self, session: pytest.Session) -> str:
        """Return what `_traced` does, from beside the results where no test and no pricing module has changed since."""
        files = sorted({*(item.path for item in session.items), *PRICING.glob("*.py")})
        names = "".join(item.nodeid for item in session.items)
        kept = self.results.with_suffix(f".{zlib.crc32(names.encode() + b''.join(map(Path.read_bytes, files))):08x}")
        if not kept.exists():
            code, traced = in_child(lambda: self._traced(session), 3600)
            if code or not traced:
                raise SystemExit("the tests fail on the unchanged package")
            kept.write_text(traced)
        return kept.read_text()

    def _traced(self, session: pytest.Session) -> str:
        """Run all tests; return, of each, its seconds and the lines of the pricing modules that it executes."""
        prefix, places = str(PRICING), set[tuple[str, int]]()

        def enter(frame: FrameType, event: str, arg: object) -> object:
            return line if frame.f_code.co_filename.startswith(prefix) else None

        def line(frame: FrameType, event: str, arg: object) -> object:
            places.add((frame.f_code.co_filename, frame.f_lineno))
            return line

        out = []
        sys.settrace(enter)
        for n in range(len(session.items)):
            places.clear()
            started = time.process_time()
            if self._first_failure(session, [n]) is not None:
                return ""
            out.append("\t".join([str(n), f"{time.process_time() - started}", *(f"{f}:{at}" for f, at in places)]))
        return "\n".join(out)

    def _first_failure(self, session: pytest.Session, order: Sequence[int]) -> int | None:
        items = [session.items[n] for n in order]
        for n, item, following in zip(order, items, [*items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return n
        return None

    def _order(self, tests: set[int]) -> list[int]:
        """The tests that killed most for their time first, as many as take `budget` seconds, and one at least.

        Before any has killed one, those that execute most lines: twenty small tests say less than one of everything.
        """
        worth = {n: (self.kills[n] + self.breadth[n] ** 2) / (self.seconds[n] + 0.2) for n in tests}
        by_worth = sorted(tests, key=worth.__getitem__, reverse=True)
        until = accumulate(self.seconds[n] for n in by_worth)
        return [n for n, seconds in zip(by_worth, until, strict=True) if seconds <= self.budget] or by_worth[:1]

    def _tried(self, session: pytest.Session, mutant: Mutant) -> str:
        """Run the tests that reach the mutant until one fails; return what became of it."""
        reaching = set().union(*(self.reach[str(mutant.path), line] for line in mutant.lines))
        order = self._order(reaching or set(self.seconds))
        limit = 10 + math.ceil(10 * sum(self.seconds[n] for n in order))
        started = time.monotonic()

        def run() -> str:
            if not put_in_place(mutant):
                return "outside functions"
            return str(self._first_failure(session, order))

        code, answer = in_child(run, limit)
        if code > 0:
            raise SystemExit(f"{mutant}: the tests could not be run")
        if answer == "outside functions":
            command = [sys.executable, "-m", "tests.mutations", "--only", mutant.key]
            code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
            by = "a new process"
        elif answer.isdecimal():
            self.kills[int(answer)] += 1
            by, code = session.items[int(answer)].nodeid, 1
        else:
            by = "its time"
        state = KILLED if code else SURVIVED
        with self.results.open("a") as out:
            out.write(f"{state} {mutant.key}\n")
        took = time.monotonic() - started
        return f"{state} {mutant} ({f'by {by}' if code else f'{len(order)} tests'}, {took:.1f} s)"


def only(key: str) -> int:
    """Run the tests with one mutant imported; return 1 if one of them fails."""
    [mutant] = [each for path in PRICING.glob("*.py") for each in mutants(path) if each.key == key]
    sys.meta_path.insert(0, Mutated(mutant))
    return int(bool(pytest.main([*OPTIONS, "-x", "--no-header", *TESTS])))


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tests.mutations")
    reader.add_argument("modules", nargs="*", type=Path, default=sorted(PRICING.glob("*.py")))
    reader.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "mutants.txt", metavar="FILE")
    reader.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn at random")
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--seconds", type=float, default=10, help="of tests for each mutant (default 10)")
    reader.add_argument("--only", metavar="MUTANT", help=argparse.SUPPRESS)
    asked = reader.parse_args()
    os.chdir(ROOT)
    os.environ.setdefault("BILL_EXAMPLES", "10")
    os.environ["PUBLISHED_PLANS"] = str(ROOT / "none")  # which most clones do not have
    if asked.only:
        return only(asked.only)
    drawn = [mutant for path in asked.modules for mutant in mutants(path.resolve())]
    total = len(drawn)
    random.Random(asked.seed).shuffle(drawn)
    drawn = drawn[: asked.sample]
    states = read_results(asked.results)
    left = [mutant for mutant in drawn if mutant.key not in states]
    left = left or [mutant for mutant in drawn if states[mutant.key] == SURVIVED]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(left, asked.results, asked.seconds)
        pytest.main([*OPTIONS, f"--basetemp={folder}/tests", *TESTS], plugins=[run])
    states = read_results(asked.results)
    survivors = [mutant for mutant in drawn if states[mutant.key] == SURVIVED]
    print(*sorted(map(str, survivors)), sep="\n")
    print(f"{len(drawn)} of {total} mutants, {len(drawn) - len(survivors)} killed")
    return int(bool(survivors))


def read_results(path: Path) -> dict[str, str]:
    """The latest state of each mutant that was tried, by its key."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {key: state for state, _, key in (line.partition(" ") for line in lines)}


if __name__ == "__main__":
    raise SystemExit(main())
