"""The answer of `forecast`: the next bill, its range, and how such forecasts fared on past bills."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.energy.bills import BillPart
from toolkit.problems import Problem

CycleSource = Literal["invoices", "household", "plan", "payments", "calendar month"]

ChangeKind = Literal["more use", "less use", "new solar", "night use"]
"""What changed for good: how much is used, whether any is exported, how much is used at night."""

Method = Literal["season and level", "run rate", "same days last year", "similar days", "bills"]
"""What forecasts the days to come: the home's seasons and today's level, its last four weeks, the same days a year ago
at today's level, or its days of this time of year and of the last weeks."""


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


class Change(msgspec.Struct, frozen=True):
    """A lasting change of use; what came before it carries no forecast of the level."""

    date: date
    """First day of the new use."""
    ratio: float
    """Energy a day since then ÷ that to be expected from the days before, for the same time of year."""
    kind: ChangeKind


class MonthAhead(msgspec.Struct, frozen=True):
    """A month to come, as a bill of its own. AUD with GST."""

    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    p10: Decimal | None
    """One month in ten ends below; null where the past is too short to say."""
    p50: Decimal
    p90: Decimal | None


class BillAhead(msgspec.Struct, frozen=True):
    """A bill to come. AUD with GST."""

    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    p10: Decimal | None
    p50: Decimal
    p90: Decimal | None
    due: date | None
    """Last day and the usual delay of the stored bills; null without any."""


class PastForecast(msgspec.Struct, frozen=True):
    """A past period as it would have been forecast, and what it came to. AUD with GST, at today's prices."""

    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    p10: Decimal | None
    p50: Decimal
    p90: Decimal | None
    billed: Decimal
    """Recomputed from the reads."""


class Instalments(msgspec.Struct, frozen=True):
    """Equal payments that cover twelve months: 52, 26 or 12 of them. AUD, rounded up to the cent."""

    weekly: Decimal
    fortnightly: Decimal
    monthly: Decimal


class EvenPayments(msgspec.Struct, frozen=True):
    """What covers the next twelve months in even payments."""

    p50: Instalments
    """Enough in one year of two."""
    p90: Instalments
    """Enough in nine years of ten."""
    year_p50: Decimal
    """The twelve months without arrears, AUD."""
    year_p90: Decimal
    arrears: Decimal | None = None
    """AUD owed, included in the payments of the first `over_months` months."""
    over_months: int | None = None


class SmoothedAccount(msgspec.Struct, frozen=True):
    """Even payments to the retailer in the bank rows, and where they lead the account. AUD."""

    name: str
    """Who is paid."""
    payment: Decimal
    every: str
    """week, fortnight, month …"""
    yearly: Decimal
    """The payments of twelve months."""
    in_a_year_p50: Decimal
    """The account after twelve months, from where it stands today: in credit above 0, owing below."""
    in_a_year_p90: Decimal
    """Not lower in nine years of ten."""


class NextBillAgainst(msgspec.Struct, frozen=True, kw_only=True):
    """The best guess of the next bill against the bill before it, in parts that add up to the cent. AUD with GST."""

    from_: date = msgspec.field(name="from")
    """First day of the bill before."""
    to: date
    """Last day, inclusive."""
    total: Decimal
    """As billed, else what the reads come to at the prices of then."""
    billed: bool
    parts: tuple[BillPart, ...]
    """`days`, `prices` and `level`, or `days` and `prices_and_use`; `not_explained` is what was billed besides."""
    sentence: Note


class Forecast(Answer, Noted, frozen=True, kw_only=True):
    """The next bill: what `forecast` answers. Amounts in AUD with GST, null where `reason` explains why."""

    service_point_id: str
    plan_id: str
    fuel: str = "ELECTRICITY"
    """ELECTRICITY or GAS."""
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
    energy: float | None = None
    """Energy taken from the grid in the best guess: kWh, or MJ of gas."""
    method: Method | None = None
    """What the forecast rests on most."""
    weights: dict[Method, float] = msgspec.field(default_factory=dict)
    """Share of each method, by how it fared on this home's own past."""
    change: Change | None = None
    """The last lasting change of use that the reads show."""
    backtest: Backtest = Backtest(0)
    past: tuple[PastForecast, ...] = ()
    """The past periods of the backtest, in order."""
    months: tuple[MonthAhead, ...] = ()
    """The months ahead, from the first day of the next bill's period on."""
    bills: tuple[BillAhead, ...] = ()
    """The bills that begin in those months; the first is the next bill."""
    even_payments: EvenPayments | None = None
    smoothing: SmoothedAccount | None = None
    """Null where no even payments are in the bank rows, or the home has several energy meters."""
    reason: Note | None = None
    """Why there is no forecast."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    due: date | None = None
    """Last day of the period and the usual delay of the stored bills; null without any."""
    problems: tuple[Problem, ...] = ()

    @property
    def is_tested_on_bills(self) -> bool:
        """Whether the past periods follow each other as bills do; longer ones start each month and overlap."""
        return all(one.to < following.from_ for one, following in pairwise(self.past))
