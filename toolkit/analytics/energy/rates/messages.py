"""What a reader of plans noticed on the way: notes (assumptions) and problems (not priced)."""

from __future__ import annotations

from toolkit.errors import Problem


class Findings:
    """Collects each sentence once, in order. where: prefix of the problems' place, usually the plan's id."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._notes: dict[str, None] = {}
        self._problems: dict[Problem, None] = {}

    def note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def problem(self, part: str, reason: str) -> None:
        self._problems[Problem(f"{self.where}: {part}" if part else self.where, reason)] = None

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)
