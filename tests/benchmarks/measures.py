"""Measure how the package reads: `python -m tests.benchmarks.measures [--write]`; `--write` puts it into changes.md.

Words, sizes, types and imports are counted in the source text and its syntax trees. `BEFORE` holds what the same
functions count in commit 6c02155 of 22 November 2026. The files of a journey
are those that `tests.benchmarks.journeys` wrote into the reference last.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "toolkit"
REFERENCE = PACKAGE / "docs"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

WORDS = re.compile(
    r"\b(told|tells|tell|said|says|held|whose|afresh|beside|unbury|graves?|weed|weeded|sieve|keeper|shelf|patience"
    r"|persist|moment|reckoned|cannot be told|led astray|halves|squashed|mended|brought|stands? for|goes on|came on"
    r"|nameless)\b",
    re.IGNORECASE,
)
"""A sample of the words that stood for standard terms in names and messages."""
ORDINARY = re.compile(r"as[-_ ]?told|brought forward|AsTold", re.IGNORECASE)
"""The command `as-told`, and a balance brought forward."""
NEGATED = re.compile(r"(?<![Tt]here )\bis no\b")
LOOSE = re.compile(r"(?:dict|Mapping)\[str, (?:Any|object)\]")
LOOSE_ALLOWED = ("wire/", "api/", "sandbox/", "importers/plans", "tables/rows/")

BEFORE = {
    "lines of Python": "49,042",
    "files, and the longest, lines": "454, 399",
    "private words in names and messages (a sample), without `as-told` and “brought forward”": "1,357",
    "strings with “is no …”": "96",
    "`dict[str, Any]` and the like outside `wire`, `api`, `sandbox`, `importers/plans`, `tables/rows`": "436",
    "imports inside functions (heavy libraries, and what only an upgrade needs)": "394",
    "functions of ≤ 3 statements with one use in their file, %": "19",
    "longest function, lines": "56",
    "public functions with docstring, %": "73",
    "most files in one folder": "86",
    "modules that import each other in a circle": "yes",
    "lines of the README": "1,074",
    "files of a journey as traced: meter read, transaction, published plan": "69, 91, 81",
}
GOALS = {
    "private words in names and messages (a sample), without `as-told` and “brought forward”": "≤ 60",
    "strings with “is no …”": "0",
    "`dict[str, Any]` and the like outside `wire`, `api`, `sandbox`, `importers/plans`, `tables/rows`": "0",
    "imports inside functions (heavy libraries, and what only an upgrade needs)": "those that keep `--help` light",
    "functions of ≤ 3 statements with one use in their file, %": "≤ 7",
    "longest function, lines": "≤ 60",
    "public functions with docstring, %": "≥ 90",
    "most files in one folder": "≤ 14",
    "modules that import each other in a circle": "no",
    "lines of the README": "≤ 250",
    "files of a journey as traced: meter read, transaction, published plan": "≤ 40",
}


def main(*, write: bool) -> None:
    text = "\n".join(table())
    if write:
        page = REFERENCE / "changes.md"
        marked = r"(?<=<!-- measures -->\n).*?(?=<!-- /measures -->)"
        page.write_text(re.sub(marked, lambda _: f"{text}\n", page.read_text(), flags=re.DOTALL))
    else:
        print(text)


def table() -> Iterator[str]:
    """Yield the table of measures, before and now."""
    yield "| measure of `toolkit/` | 22 November 2026 | now | goal |"
    yield "|---|--:|--:|--:|"
    for (name, before), now in zip(BEFORE.items(), measures(), strict=True):
        yield f"| {name} | {before} | {now} | {GOALS.get(name, '')} |"


def measures() -> Iterator[object]:
    """Yield what is measured, in the order of `BEFORE`."""
    texts = {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    public = [each for each in functions if not each.name.startswith("_")]
    lines = {path: text.count("\n") for path, text in texts.items()}
    words = [word for text in texts.values() for word in spoken(text)]
    typed = [text for path, text in texts.items() if not path.relative_to(PACKAGE).as_posix().startswith(LOOSE_ALLOWED)]
    yield f"{sum(lines.values()):,}"
    yield f"{len(texts)}, {max(lines.values())}"
    yield sum(len(WORDS.findall(ORDINARY.sub("", word))) for word in words)
    yield sum(len(NEGATED.findall(word)) for word in words if word.startswith(('"', "'", "f", "r")))
    yield sum(len(LOOSE.findall(text)) for text in typed)
    yield sum(isinstance(node, ast.Import | ast.ImportFrom) for each in functions for node in ast.walk(each))
    yield round(100 * sum(map(small_functions, trees.values())) / len(functions))
    yield max(map(length, functions))
    yield round(100 * sum(ast.get_docstring(each) is not None for each in public) / len(public))
    yield max(Counter(path.parent for path in texts).values())
    yield cycles(trees)
    yield (PACKAGE.parent / "README.md").read_text().count("\n")
    yield ", ".join(re.findall(r"\((\d+) files\)", (REFERENCE / "architecture.md").read_text()))


def spoken(text: str) -> Iterable[str]:
    """Yield names, comments and strings of a file, words of a name parted by spaces."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.NAME, tokenize.COMMENT, tokenize.STRING):
            yield token.string.replace("_", " ")


def small_functions(tree: ast.Module) -> int:
    """Count the functions of up to three statements that are used once in their file."""
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    plain = [
        node
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS) and not node.decorator_list and not node.name.startswith("__")
    ]
    return sum(uses[each.name] == 1 and statements(each) <= 3 for each in plain)


def statements(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the statements of a function, nested ones included, the docstring left out."""
    count = sum(isinstance(node, ast.stmt) for node in ast.walk(function)) - 1
    return count - (ast.get_docstring(function) is not None)


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function, the docstring left out."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    end, doc_end = function.end_lineno or 0, first.end_lineno or 0
    return end - function.lineno + 1 - (doc_end - first.lineno + 1 if documented else 0)


def cycles(trees: dict[Path, ast.Module]) -> str:
    """Return whether modules import each other in a circle at the top of their files."""
    names = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in trees}
    modules = {names[path].removesuffix(".__init__"): tree for path, tree in trees.items()}
    graph = {name: (imported(tree) & modules.keys()) - {name} for name, tree in modules.items()}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError:
        return "yes"
    return "no"


def imported(tree: ast.Module) -> set[str]:
    """Return the modules that a file imports at its top."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update({node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)})
    return found


if __name__ == "__main__":
    main(write="--write" in sys.argv)
