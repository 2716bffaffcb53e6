"""What tests read of problems and messages: places, severities, and the values that a message names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def places(problems: Iterable[Any]) -> list[tuple[str, str]]:
    """Return (where, severity) of each problem, given as `Problem` or as its JSON."""
    return [
        (problem["where"], problem["severity"]) if isinstance(problem, dict) else (problem.where, problem.severity)
        for problem in problems
    ]


def names(message: object, *values: object) -> bool:
    """Return whether a message, or an error's, names each value: what was typed, a field, a file, a date, a command."""
    return all(str(value) in str(message) for value in values)
