"""Published plans: one JSON object, a list of them, or one object a line (NDJSON), each with its place in the file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from toolkit.errors import ImportFailedError, PricingError
from toolkit.importers.imported import Imported, Options
from toolkit.importers.source import Source
from toolkit.problems import Problem
from toolkit.tables.rows.plans import UNNAMED, looks_like_plan, plan_row, read_plan

_MOST_NESTED = 12


@dataclass(frozen=True, slots=True)
class Located:
    """One JSON value of a file. where: `file:line` of its start. file_stem: the file's, where it is all of the file."""

    where: str
    value: Any
    file_stem: str | None = None


def read_plans(source: Source, options: Options) -> Imported:  # noqa: ARG001  # every importer is called alike
    """Read rows of table `plans` (of no household), in the order read. What is not a plan is left out by `file:line`.

    Raises ImportFailedError where not one plan is in it.
    """
    imported = Imported("plans", "plans", {"plans": []})
    for given in plan_objects(source):
        try:
            plan = read_plan(given.value, plan_id=given.file_stem)
            imported.tables["plans"].append(plan_row(plan, source="file"))
        except (PricingError, RecursionError) as error:
            imported.reject(given.where, _refused(error))
            continue
        for problem in plan.problems:  # by its line in the file; the plan's id and field go to the reason
            reason = f"{problem.where}: {problem.reason}"
            imported.problems.append(replace(problem, where=given.where, reason=reason))
    if not imported.tables["plans"]:
        first = imported.problems[0] if imported.problems else Problem(source.at(1), "the list is empty")
        raise ImportFailedError(first.where, f"the file has no energy plan that can be read ({first.reason})")
    return imported


def _refused(error: PricingError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "is built in a way that cannot be read"
    is_named = error.plan_id != UNNAMED and not error.plan_id.startswith("plan:")
    return f"plan {error.plan_id}: {error.reason}" if is_named else error.reason


def plan_objects(source: Source) -> Iterator[Located]:
    """Yield the JSON value of the whole text, the elements of its list of plans, or one value a line.

    A line that is not JSON comes as None, which is not a plan. Raises ImportFailedError where neither the text nor a
    line of it is JSON.
    """
    first, *rest = source.text.lstrip().splitlines()[:2] or [""]
    is_ndjson = bool(rest) and isinstance(_parsed(first), dict)
    whole = None if is_ndjson else _parsed(source.text)
    if whole is None:
        yield from _by_line(source)
        return
    places = JsonPlaces(source.text)
    listed = [((), whole)] if looks_like_plan(whole) else list(_inside(whole, ()))
    for path, value in listed or [((), whole)]:
        where = source.at_offset(places.offset(path))
        yield Located(where, value, None if path else source.name.rpartition("/")[2].partition(".")[0])


def _by_line(source: Source) -> Iterator[Located]:
    found = [(source.at(number), _parsed(line)) for number, line in enumerate(source.lines, start=1) if line.strip()]
    if not any(isinstance(value, dict) for _, value in found):
        raise ImportFailedError(_first_break(source), "the file is damaged or cut short here. Download it again")
    yield from (Located(where, value) for where, value in found)


def _first_break(source: Source) -> str:
    """Return `file:line` where the text stops being JSON."""
    try:
        json.loads(source.text)
    except json.JSONDecodeError as error:
        return source.at_offset(min(error.pos, max(0, len(source.text.rstrip()) - 1)))
    except (ValueError, RecursionError):
        return source.at(1)
    return source.at(1)


def _inside(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the plans inside a value that is not one itself (`{"data": {"plans": […]}}` and deeper), with their paths.

    A list with a plan in it is a list of plans: what else is in it comes along, to be refused by its line.
    """
    children = _children(value)
    if isinstance(value, list) and (not path or any(looks_like_plan(child) for _, child in children)):
        yield from (((*path, step), child) for step, child in children)
        return
    for step, child in children if len(path) <= _MOST_NESTED else ():
        if looks_like_plan(child):
            yield (*path, step), child
        else:
            yield from _inside(child, (*path, step))


def _children(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _parsed(text: str) -> Any:
    """Parse JSON; None if it is invalid, or has a number that JSON does not allow (NaN, 1e999)."""
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_refuse)
        return _whole(value) if "\\ud" in text or "\\uD" in text else value
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """Replace lone surrogates in all texts of a value."""
    if isinstance(value, str):
        return with_surrogates_replaced(value)
    if isinstance(value, dict):
        return {_whole(name): _whole(inside) for name, inside in value.items()}
    return [_whole(inside) for inside in value] if isinstance(value, list) else value


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


Path = tuple[str | int, ...]
"""Names and list positions (from 0) that lead from the outermost value to one inside it."""

_BLANK = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_DECODER = json.JSONDecoder()


def with_surrogates_replaced(text: str) -> str:
    """Replace each half of a character: a text cut inside an emoji can be neither stored nor shown."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


class JsonPlaces:
    """Where the values in `text` begin, which `json` does not report.

    `text` is sound JSON; names in paths are as `with_surrogates_replaced` gives them.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._inside: dict[Path, dict[str | int, int]] = {}

    def offset(self, path: Path) -> int:
        """Return where the value at `path` begins, in characters from 0; of a name given twice, the last."""
        if not path:
            return _skip(self._text, 0)
        above = path[:-1]
        if above not in self._inside:
            self._inside[above] = dict(_entries(self._text, self.offset(above)))
        return self._inside[above][path[-1]]


def _entries(text: str, start: int) -> Iterator[tuple[str | int, int]]:
    """Yield name or position, and the start, of each value in the object or list that begins at `start`."""
    at, position = _skip(text, start + 1), 0
    while text[at] not in "]}":
        step: str | int = position
        if text[start] == "{":
            name, at = _DECODER.raw_decode(text, at)
            step, at = with_surrogates_replaced(name), _skip(text, _skip(text, at) + 1)
        yield step, at
        at = _skip(text, _DECODER.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _skip(text, at + 1)
        position += 1


def _skip(text: str, at: int) -> int:
    """Return the position of the next character that is not blank."""
    match = _BLANK.match(text, at)
    return match.end() if match else at
