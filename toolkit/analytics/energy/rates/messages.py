"""Messages about a plan: notes (assumptions made) and problems (what could not be priced)."""

from __future__ import annotations

from toolkit.answers.notes import Figure, Note
from toolkit.errors import Problem


class PlanMessages:
    """Collect notes and problems, each once, in order. where: prefix of a problem's location, usually the plan id."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._notes: dict[Note, None] = {}
        self._problems: dict[Problem, None] = {}

    def note(self, code: str, /, **figures: Figure) -> None:
        """Add a note by its code in `toolkit.answers.notes.WORDING`, with the figures of its sentence."""
        self._notes[Note(code, **figures)] = None

    def problem(self, part: str, reason: str) -> None:
        """Add a problem: the part of the plan that is not priced, and why."""
        self._problems[Problem(f"{self.where}: {part}" if part else self.where, reason)] = None

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(self._notes)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)
