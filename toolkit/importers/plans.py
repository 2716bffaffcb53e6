"""Published plans: one JSON object, a list of them, or one object a line (NDJSON)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from toolkit.errors import CannotPrice, ImportFailed
from toolkit.importers.imported import Imported, Options
from toolkit.importers.source import Source
from toolkit.tables.plans import looks_like_plan, plan_row, read_plan

_MOST_NESTED = 12
_HALF = re.compile("[\ud800-\udfff]")


def read_plans(source: Source, options: Options) -> Imported:  # noqa: ARG001  # every importer is called alike
    """Rows of table `plans` (of no household), in the order read. What is no plan is left out by line or id.

    Raises ImportFailed where not one plan is in it.
    """
    imported = Imported("plans", "plans", {"plans": []})
    for where, given in plan_objects(source):
        try:
            plan = read_plan(given, plan_id=_stem(source.name) if where == source.name else None)
            imported.tables["plans"].append(plan_row(plan, source="file"))
        except (CannotPrice, RecursionError) as error:
            imported.reject(where, error.reason if isinstance(error, CannotPrice) else "is nested too deeply")
            continue
        imported.problems.extend(plan.problems)
    if not imported.tables["plans"]:
        first = next((f" ({problem.where}: {problem.reason})" for problem in imported.problems), "")
        raise ImportFailed(source.name, f"holds no energy plan{first}")
    return imported


def plan_objects(source: Source) -> Iterator[tuple[str, Any]]:
    """Where and what: the JSON value of the whole text, the elements of its list of plans, or one value a line.

    A line that is no JSON comes as text, which no plan is.
    """
    whole = None if _is_ndjson(source) else _parsed(source.text)
    if whole is None:
        for number, line in enumerate(source.text.split("\n"), start=1):
            if line.strip():
                yield source.at(number), _parsed(line)
    elif isinstance(listed := _listed(whole), list):
        yield from ((f"{source.name}[{number}]", value) for number, value in enumerate(listed, start=1))
    else:
        yield source.name, whole


def _is_ndjson(source: Source) -> bool:
    first, _, rest = source.text.lstrip().partition("\n")
    return bool(rest.strip()) and isinstance(_parsed(first), dict)


def _listed(value: Any) -> Any:
    """The plans inside an object that is none itself (`{"data": {"plans": […]}}` and deeper); else the value."""
    if isinstance(value, list) or looks_like_plan(value):
        return value
    return list(_inside(value, 0)) or value


def _inside(value: Any, deep: int) -> Iterator[Any]:
    """A list with a plan in it is a list of plans: what else is in it comes along, to be refused by name."""
    children = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if isinstance(value, list) and any(looks_like_plan(child) for child in children):
        yield from children
        return
    for child in children if deep < _MOST_NESTED else ():
        if looks_like_plan(child):
            yield child
        else:
            yield from _inside(child, deep + 1)


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0]


def _parsed(text: str) -> Any:
    """The JSON value; None where it is none, or holds what is no JSON number (NaN, 1e999)."""
    try:
        value = json.loads(text, parse_float=_finite, parse_constant=_refuse)
        return _whole(value) if "\\ud" in text or "\\uD" in text else value
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> Any:
    """The value with each half of a character replaced: a text cut inside an emoji can be neither stored nor shown."""
    if isinstance(value, str):
        return value if value.isascii() else _HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(name): _whole(inside) for name, inside in value.items()}
    return [_whole(inside) for inside in value] if isinstance(value, list) else value


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")
