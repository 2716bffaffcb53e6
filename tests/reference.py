"""The reference of the public Python functions: a page for each, made from signature, docstring and answer type.

A docstring has a summary, and below it the sections Args, Returns, Columns, Raises, Warns, Source and Examples, each
with its text indented. Examples share the set-up of the package's own docstring.
"""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import polars as pl

import toolkit
from toolkit.answers.base import Rows
from toolkit.answers.data import FleetRow
from toolkit.answers.schema import descriptions
from toolkit.frames.checks import ArrowTable
from toolkit.frames.whatif import ChangeOptions
from toolkit.tables.schema import Table
from toolkit.tables.schema import table as table_of

FOLDER = Path(__file__).parent.parent / "toolkit" / "docs" / "python"
SUBJECTS = {
    "Data in": "reads read_usage transactions read_transactions read_balances read_plans plans_frame",
    "Data to try": "sample sample_plans demo_database open_store",
    "Use of energy": "usage typical_days load_duration usage_costs carbon solar",
    "Bills and plans": "price price_all compile_plan compare reconcile forecast backtest whatif",
    "Money": "spending classify recurring cashflow",
    "Many homes": "over_households",
    "Answers out": "table chart",
    "What goes wrong": "FrameError InputWarning",
}
"""Subject → public names, in the order of the index."""
INTRODUCTION = """# Python

The functions of `import toolkit`, on polars frames. They need no database, and answer as the commands do. Energy is in
kWh (gas in MJ), power in kW, money in AUD with GST. `help(toolkit.usage)`, and Shift-Tab in Jupyter, say the same.

- Days are dates, first and last inclusive: `from_` and `to`. No function but `over_households` asks the clock: where an
  answer depends on the day, it is the argument `today`.
- `zone` is the IANA time zone of the home; Australia/Sydney where none is named. Meter days are AEST (UTC+10).
- An answer is a frozen object with named fields; [table](table.md) makes frames of it. In a field's name a trailing
  underscore (`from_`) keeps it from being a Python keyword; the column is called `from`.
- What is not known is None, never 0. `notes` say why; [notes.md](../notes.md) has all of them by their codes.
- A table is a polars or pandas frame, an Arrow table or a DuckDB result.
- What would be read wrongly is refused: [FrameError](FrameError.md)."""
COMMON = {
    "notes": "What was assumed, left out or not measured (notes.md).",
    "problems": "What of the data was not taken as given: where, and why.",
}
"""Meaning of fields that many answers have."""
ALSO: dict[str, tuple[str, type]] = {
    "over_households": ("Columns that an analysis can have", FleetRow),
    "whatif": ("Options of a change", ChangeOptions),
}
"""Name → a type that its page explains as well, and how that is introduced."""
SECTIONS = ("Args", "Returns", "Columns", "Raises", "Warns", "Source", "Examples")


@dataclasses.dataclass(frozen=True)
class Docs:
    """A docstring in its parts."""

    summary: str
    about: str
    sections: dict[str, str]

    @classmethod
    def of(cls, text: str) -> Docs:
        head, *parts = re.split(rf"^({'|'.join(SECTIONS)}):$", inspect.cleandoc(text), flags=re.MULTILINE)
        summary, _, about = head.strip().partition("\n\n")
        sections = {name: textwrap.dedent(body).strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
        return cls(joined(summary), about.strip(), sections)

    def entries(self, section: str) -> dict[str, str]:
        """Return the entries `name: meaning` of a section; further lines of an entry are indented."""
        found = re.findall(r"^(\w[^:\n]*): (.*(?:\n[ \n].*)*)", self.sections.get(section, ""), flags=re.MULTILINE)
        return {name: joined(meaning) for name, meaning in found}


def joined(text: str) -> str:
    return " ".join(text.split())


def named_docs() -> dict[str, Docs]:
    """Return the docstrings of the public names."""
    return {name: Docs.of(getattr(toolkit, name).__doc__ or "") for name in toolkit.__all__}


def setup() -> str:
    """Return the set-up that the examples share, as written in the docstring of the package."""
    examples = doctest.DocTestParser().get_examples(toolkit.__doc__ or "")
    return "".join(example.source for example in examples).rstrip()


def documented_columns(docs: Docs) -> dict[str, tuple[str, str]]:
    """Return column → data type and meaning."""
    found = {}
    for entry, meaning in docs.entries("Columns").items():
        name, _, kind = entry.partition(" (")
        found[name] = kind.removesuffix(")"), meaning
    return found


def pages() -> dict[str, str]:
    """Return file name → text of every page, the index first."""
    docs = named_docs()
    return {
        "README.md": "\n".join(index(docs)) + "\n",
        **{f"{name}.md": "\n".join(page(name, own)) + "\n" for name, own in docs.items()},
    }


def index(docs: dict[str, Docs]) -> Iterator[str]:
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "The examples of all pages share this set-up:"
    yield from block("python", setup())
    for subject, names in SUBJECTS.items():
        yield ""
        yield f"## {subject}"
        yield ""
        yield "| name | what it does |"
        yield "|---|---|"
        for name in names.split():
            yield f"| [{name}]({name}.md) | {docs[name].summary.replace('|', chr(92) + '|')} |"


def page(name: str, docs: Docs) -> Iterator[str]:
    public = getattr(toolkit, name)
    yield f"# toolkit.{name}"
    yield from prose(f"{docs.summary}\n\n{docs.about}", name)
    yield ""
    if inspect.isclass(public):
        yield f"A subclass of {', '.join(f'`{base.__name__}`' for base in public.__mro__[1:-1])}."
    else:
        yield from fenced("python", signature(name, public))
        yield from arguments(name, public, docs)
        yield from returned(name, public, docs)
    for section in ("Raises", "Warns"):
        if section in docs.sections:
            yield from headed(f"## {section}")
            for error, when in docs.entries(section).items():
                yield f"- `{error}`: {linked(when, name)}"
    if "Source" in docs.sections:
        yield from headed("## Source")
        yield linked(joined(docs.sections["Source"]), name)
    yield from headed("## Example")
    yield "The set-up that all pages share:"
    yield from block("python", setup())
    yield from examples(docs.sections["Examples"], name)
    if not inspect.isclass(public):
        yield from details(name, public, docs)
    yield ""
    yield "[All functions](README.md)"


def headed(heading: str) -> Iterator[str]:
    yield from ("", heading, "")


def prose(text: str, here: str) -> Iterator[str]:
    """Write each paragraph as one line below an empty one."""
    for part in paragraphs(text):
        yield ""
        yield linked(part, here)


def paragraphs(text: str) -> list[str]:
    return [joined(part) for part in re.split(r"\n\n+", text) if part.strip()]


def linked(text: str, here: str) -> str:
    """Turn names of public functions and of reference pages into links."""
    text = re.sub(r"(?:toolkit/docs/|\b)([\w-]+\.md)(?!\))", lambda match: f"[{match[1]}](../{match[1]})", text)
    names = "|".join(name for name in toolkit.__all__ if name != here)
    return re.sub(rf"`toolkit\.({names})`", r"[`toolkit.\1`](\1.md)", text)


def fenced(language: str, text: str) -> Iterator[str]:
    yield f"```{language}"
    yield from text.splitlines()
    yield "```"


def signature(name: str, function: Callable[..., Any]) -> str:
    """Return the signature, an argument a line, without types: the list below it has them."""
    written = []
    star = False
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is argument.VAR_POSITIONAL:
            star = True
        elif argument.kind is argument.KEYWORD_ONLY and not star:
            star = True
            written.append("*")
        default = "" if argument.default is argument.empty else f"={shown(argument.default, function)}"
        written.append(f"{'*' if argument.kind is argument.VAR_POSITIONAL else ''}{argument.name}{default}")
    line = f"toolkit.{name}({', '.join(written)})"
    return line if len(line) <= 100 else f"toolkit.{name}(\n" + "".join(f"    {one},\n" for one in written) + ")"


def shown(default: object, function: Callable[..., Any]) -> str:
    """Return a default as it is written: text in double quotes, an object by the name that its module has for it."""
    if isinstance(default, str):
        return f'"{default}"'
    if dataclasses.is_dataclass(default):
        return next(name for name, value in vars(inspect.getmodule(function)).items() if value is default)
    return repr(default)


def arguments(name: str, function: Callable[..., Any], docs: Docs) -> Iterator[str]:
    meanings, hints = docs.entries("Args"), hints_of(function)
    yield from headed("## Arguments")
    for argument in inspect.signature(function).parameters.values():
        default = (
            "" if argument.default in (argument.empty, None) else f", default `{shown(argument.default, function)}`"
        )
        several = "any number of " if argument.kind is argument.VAR_POSITIONAL else ""
        kind = several + type_name(hints[argument.name])
        yield f"- **`{argument.name}`** ({kind}{default}): {linked(meanings[argument.name], name)}"


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a function, with the names that its module knows for type checkers only."""
    module = inspect.getmodule(function)
    assert module is not None
    return get_type_hints(function, {**vars(module), "pl": pl})


def type_name(hint: Any) -> str:
    """Return a type as a reader says it: `"pooled"` or `"daily"`."""
    options = get_args(hint)
    if get_origin(hint) is Literal:
        return " or ".join(f'`"{option}"`' for option in options)
    if ArrowTable in options:  # of `FrameLike`
        return "a table or `None`" if NoneType in options else "a table"
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(type_name(one) for one in options if one is not msgspec.UnsetType)
    if isinstance(hint, type) and issubclass(hint, Rows):
        return f"table of `{hint.row_type.__name__}`"
    if get_origin(hint) is tuple and options[1:] == (...,):
        return f"tuple of {type_name(options[0])}"
    return f"`{plain(hint)}`"


PLAIN = {date: "datetime.date", datetime: "datetime.datetime", pl.DataFrame: "polars.DataFrame", NoneType: "None"}


def plain(hint: Any) -> str:
    """Return a type as Python writes it."""
    options = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(plain(one) for one in options)
    if get_origin(hint) is Literal:
        return " | ".join(f'"{option}"' for option in options)
    if options:
        return f"{plain(get_origin(hint))}[{', '.join('…' if one is ... else plain(one) for one in options)}]"
    return PLAIN.get(hint) or getattr(hint, "__name__", str(hint))


def returned(name: str, function: Callable[..., Any], docs: Docs) -> Iterator[str]:
    yield from headed("## Returns")
    yield f"{type_name(hints_of(function)['return'])}"
    yield from prose(docs.sections["Returns"], name)
    columns = documented_columns(docs)
    if columns:
        yield from ("", "| column | type | meaning |", "|---|---|---|")
        for column, (kind, meaning) in columns.items():
            yield f"| `{column}` | {kind} | {linked(meaning, name)} |"


def details(name: str, function: Callable[..., Any], docs: Docs) -> Iterator[str]:
    """Explain the frames and types that the function returns, field by field."""
    if name in ALSO:
        introduction, kind = ALSO[name]
        yield from headed(f"## {introduction}")
        yield from fields(kind, name)
    for frame in re.findall(r"(?:[Ff]rame|[Tt]able)\s+`(\w+)`", docs.sections["Returns"]):
        yield from stored_columns(table_of(frame))
    hint = hints_of(function)["return"]
    own = [
        kind for kind in (hint, *get_args(hint)) if isinstance(kind, type) and kind.__module__.startswith("toolkit.")
    ]
    for kind in own:
        yield from explanation(kind, name)


def stored_columns(table: Table) -> Iterator[str]:
    yield from headed(f"## Frame `{table.name}`")
    yield table.meaning
    yield from ("", "| column | kind | unit | meaning |", "|---|---|---|---|")
    for column in table.columns:
        yield f"| `{column.name}` | {column.kind} | {column.unit} | {column.meaning.replace('|', chr(92) + '|')} |"


def explanation(kind: type, here: str) -> Iterator[str]:
    """Explain a type and, of an answer, the types of its parts."""
    for number, one in enumerate(parts_of(kind, [])):
        yield ""
        yield f"##{'#' if number else ''} {one.__name__}"
        yield from prose(inspect.getdoc(one) or "", here)
        if dataclasses.is_dataclass(one) or issubclass(one, msgspec.Struct):
            yield ""
            yield from fields(one, here)
        yield from members(one, here)


def parts_of(kind: type, seen: list[type]) -> list[type]:
    """Return an answer and the answers inside it, each once, in the order met; of other types the type itself."""
    if kind in seen:
        return seen
    seen.append(kind)
    if issubclass(kind, msgspec.Struct) and kind.__module__.startswith("toolkit.answers"):
        for field in msgspec.structs.fields(kind):
            for part in inside(field.type):
                parts_of(part, seen)
    return seen


def inside(hint: Any) -> Iterator[type]:
    """Yield the answers that a type is made of; of a table its rows."""
    if isinstance(hint, type) and issubclass(hint, Rows):
        yield hint.row_type
    elif isinstance(hint, type) and issubclass(hint, msgspec.Struct) and get_origin(hint) is None:
        yield hint
    for one in get_args(hint):
        yield from inside(one)


def fields(kind: type, here: str) -> Iterator[str]:
    meanings, hints = {**COMMON, **descriptions(kind)}, get_type_hints(kind)
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name in getattr(kind, "__struct_fields__", None) or getattr(kind, "__dataclass_fields__", kind.__annotations__):
        cells = type_name(hints[name]), linked(joined(meanings.get(name, "")), here)
        yield f"| `{name}` | {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def members(kind: type, here: str) -> Iterator[str]:
    """List the public properties of a type, and the methods of one that is no answer, with what each returns."""
    methods = () if issubclass(kind, msgspec.Struct) else (FunctionType,)
    found = {name: value for name, value in vars(kind).items() if isinstance(value, (property, *methods))}
    told = {name: value for name, value in found.items() if not name.startswith("_") and inspect.getdoc(value)}
    if told:
        yield ""
    for name, value in told.items():
        first = (inspect.getdoc(value) or "").partition("\n\n")[0]
        yield f"- **`.{name}{'' if isinstance(value, property) else '()'}`**: {linked(joined(first), here)}"


def examples(text: str, here: str) -> Iterator[str]:
    """Write examples as code and, below it, what that prints; text between them stays."""
    code = ""
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, doctest.Example):
            code += part.source
            if part.want:
                yield from block("python", code)
                yield from block("text", part.want)
                code = ""
        elif part.strip():
            if code:
                yield from block("python", code)
                code = ""
            yield from prose(part, here)
    if code:
        yield from block("python", code)


def block(language: str, text: str) -> Iterator[str]:
    """Write a block; imports are followed by an empty line, as Python code is formatted."""
    spaced = re.sub(r"\A((?:(?:from|import) .*\n)+)(?=.)", r"\1\n", text) if language == "python" else text
    yield ""
    yield from fenced(language, spaced.rstrip())


def write() -> None:
    """Write every page, and delete those of names that are gone."""
    written = pages()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text)
