"""How far reads can be relied on: measured, substituted or missing, and how old."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from math import sqrt

from toolkit.analytics.energy.intervals.matrix import ROLES, IntervalMatrix
from toolkit.analytics.energy.rates.model import DAYS_PER_YEAR
from toolkit.answers.notes import Note
from toolkit.errors import Problem
from toolkit.tables.words import counted
from toolkit.units import NANO


@dataclass(frozen=True, slots=True)
class Quality:
    """How complete the reads of a bill are, over all its days."""

    energy: int
    """Energy read, in 10^-9 kWh or MJ."""
    measured: int
    """Energy flagged ACTUAL or BILLED, in 10^-9 kWh or MJ."""
    missing: int
    """Minutes without a value; their energy is not in the bill's lines."""
    expected: int
    """Minutes of the bill."""
    gaps: tuple[date, ...]
    """Days without any value."""

    @property
    def present_share(self) -> float:
        """Return the minutes with a value ÷ the minutes of the bill."""
        return 1 - self.missing / self.expected if self.expected else 1.0

    @property
    def measured_share(self) -> float | None:
        """Return the present share × the share of ACTUAL energy; with the other two shares it makes one."""
        return self.present_share * self.measured / self.energy if self.energy else None

    @property
    def substituted_share(self) -> float | None:
        """Return the present share × the share of substituted or estimated energy; None without energy."""
        return self.present_share * (self.energy - self.measured) / self.energy if self.energy else None

    @property
    def missing_share(self) -> float | None:
        """Return the minutes without a value ÷ the minutes of the bill."""
        return self.missing / self.expected if self.expected else None

    def __add__(self, other: Quality) -> Quality:
        """Return the quality of the days of both."""
        return Quality(
            self.energy + other.energy,
            self.measured + other.measured,
            self.missing + other.missing,
            self.expected + other.expected,
            self.gaps + other.gaps,
        )

    def notes(self, unit: str) -> tuple[Note, ...]:
        """Return what to note where reads are substituted or missing. unit: kWh or MJ."""
        notes = []
        if self.measured < self.energy:
            substituted = (self.energy - self.measured) / NANO
            notes.append(Note("substituted_reads", substituted=substituted, energy=self.energy / NANO, unit=unit))
        if self.missing:
            notes.append(Note("missing_reads", share=self.missing / self.expected))
        return tuple(notes)

    def problems(self) -> tuple[Problem, ...]:
        """Return the days without any read, as one problem."""
        if not self.gaps:
            return ()
        listed = ", ".join(_runs(self.gaps))
        reason = f"no reads on {counted(len(self.gaps), 'day')} ({listed}); their energy is not priced"
        return (Problem("reads", reason, "warning"),)


def _runs(days: Sequence[date]) -> list[str]:
    """Word days, consecutive ones as a range: `2026-01-03 to 2026-01-05`."""
    runs: list[list[date]] = []
    for day in days:
        if runs and day - runs[-1][-1] == timedelta(1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return [f"{run[0]}" if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs]


def quality_of(matrices: Sequence[IntervalMatrix]) -> Quality:
    """Measure the reads of a bill's days. matrices: one a billing period."""
    gaps = [
        day
        for matrix in matrices
        for day, missing, expected in zip(matrix.dates, matrix.missing, matrix.expected, strict=True)
        if missing >= expected
    ]
    return Quality(
        energy=sum(int(matrix.total(role).sum()) for matrix in matrices for role in ROLES),
        measured=sum(int(matrix.measured.sum()) for matrix in matrices),
        missing=sum(int(matrix.missing.sum()) for matrix in matrices),
        expected=sum(int(matrix.expected.sum()) for matrix in matrices),
        gaps=tuple(gaps),
    )


def yearly_energy(matrix: IntervalMatrix, last: date) -> Decimal | None:
    """Return import of the 365 days up to `last`, scaled to 365 where fewer have reads; None without reads."""
    year = matrix.sliced(last - timedelta(DAYS_PER_YEAR - 1), last)
    energy = int((year.total("general") + year.total("controlled")).sum())
    days = int((year.missing < year.expected).sum())
    return Decimal(energy) / NANO * DAYS_PER_YEAR / days if days else None


CURRENT_DAYS = 45
"""Beyond it a figure shows the last day of its reads."""

LONGEST_DAYS = 100
"""Beyond it no bill is forecast, however long the billing period."""

_LONGEST_MONTH = 31


@dataclass(frozen=True, slots=True)
class ReadsAge:
    """How old the reads of a service point are."""

    last_read: date
    """Last day with reads."""
    today: date
    """The day that the question is about."""
    billing_days: int
    """Length of one billing period."""

    @property
    def days(self) -> int:
        """Return the days since the last read; 0 where reads reach today or beyond."""
        return max((self.today - self.last_read).days, 0)

    @property
    def limit(self) -> int:
        """Return the greatest age in days at which a next bill and yearly savings are shown.

        45 days; where bills are longer than a month one billing period, between 45 and 100 days.
        """
        if self.billing_days <= _LONGEST_MONTH:
            return CURRENT_DAYS
        return min(max(self.billing_days, CURRENT_DAYS), LONGEST_DAYS)

    @property
    def is_old(self) -> bool:
        """Return whether every energy figure shows its last day."""
        return self.days > CURRENT_DAYS

    @property
    def is_past_limit(self) -> bool:
        """Return whether neither a next bill nor a yearly saving is shown."""
        return self.days > self.limit

    @property
    def spread_factor(self) -> float:
        """Return how much the range of a next bill widens: errors of a drifting level grow with the root of time."""
        return sqrt(self.days / CURRENT_DAYS) if self.is_old else 1.0
