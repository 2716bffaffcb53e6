"""How to change to another energy plan, step by step, each step with its source."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Literal

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged

Circumstance = Literal["concession", "exit_fee", "no_exit_fee", "new_term", "new_exit_fee"]


class SwitchingStep(msgspec.Struct, frozen=True):
    """One step. text: with names in braces. when: the circumstance that it is for; None: always."""

    text: str
    source: str
    when: Circumstance | None = None


class _Switching(PackagedTable, frozen=True):
    steps: tuple[SwitchingStep, ...]


@cache
def _steps() -> tuple[SwitchingStep, ...]:
    return packaged("switching", _Switching).steps


def switching_steps(circumstances: Collection[Circumstance], **names: str) -> list[tuple[str, str]]:
    """Return the steps that apply, each as text and source. names: what fills the braces."""
    return [
        (step.text.format(**names), step.source) for step in _steps() if step.when is None or step.when in circumstances
    ]
