"""The answer of `forecast`: the next bill, its range, and how such forecasts fared on past bills."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.errors import Problem

CycleSource = Literal["invoices", "household", "plan", "payments", "calendar month"]


class ForecastPeriod(msgspec.Struct, frozen=True):
    """The billing period of the next bill."""

    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    source: CycleSource
    """What the billing cycle is known from."""


class Backtest(msgspec.Struct, frozen=True):
    """How such forecasts fared on the household's own past bills; null where the past is too short to say."""

    origins: int
    """Past bills that were forecast."""
    mae: Decimal | None = None
    """Mean absolute error, AUD."""
    wape: float | None = None
    """Sum of absolute errors ÷ sum of the bills."""
    bias: Decimal | None = None
    """Mean error, AUD; positive where forecasts were too high."""
    coverage: float | None = None
    """Share of the past bills inside the range that the others give."""
    skill: float | None = None
    """1 − mean error ÷ that of the same days a year before."""


class Forecast(Answer, Noted, frozen=True, kw_only=True):
    """The next bill: what `forecast` answers. Amounts in AUD with GST, null where `reason` explains why."""

    service_point_id: str
    plan_id: str
    period: ForecastPeriod
    metered_through: date | None
    """Last metered day."""
    certain: Decimal | None = None
    """Bill of the metered days, with supply and fixed fees of the rest."""
    p10: Decimal | None = None
    """One bill in ten ends below; null with fewer than nine past bills to test on."""
    p50: Decimal | None = None
    """The best guess."""
    p90: Decimal | None = None
    """One bill in ten ends above."""
    components: dict[str, Decimal] = msgspec.field(default_factory=dict)
    """The best guess by component of the bill; credits negative."""
    backtest: Backtest = Backtest(0)
    reason: Note | None = None
    """Why there is no forecast."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    due: date | None = None
    """Last day of the period and the usual delay of the stored bills; null without any."""
    problems: tuple[Problem, ...] = ()
