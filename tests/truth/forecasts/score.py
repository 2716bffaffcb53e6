"""How near forecasts come to the bill: homes generated apart from the model, and measured ones where a folder is.

Every origin is a day of a home's past on which only the reads up to then are known; the truth is the bill by the
engine once the period is read. The baselines are bills too: the last 28 days go on, and the same days a year ago times
the last 28 days over the same 28 a year before.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import toolkit
from tests.truth.forecasts.homes import Home, Values
from tests.truth.homes import reads

ZONE = "Australia/Brisbane"
_FEED_IN = {"displayName": "S", "payerType": "RETAILER", "scheme": "OTHER", "tariffUType": "singleTariff"}
_FEED_IN = {**_FEED_IN, "singleTariff": {"rates": [{"unitPrice": "0.05"}]}}
_EVENING = {"timeOfUse": [{"startTime": "15:00", "endTime": "20:59"}]}
_OTHERWISE = {"timeOfUse": [{"startTime": "21:00", "endTime": "14:59"}]}
_PEAK = {"type": "PEAK", "rates": [{"unitPrice": "0.42"}], **_EVENING}
_OFF_PEAK = {"type": "OFF_PEAK", "rates": [{"unitPrice": "0.24"}], **_OTHERWISE}
PLANS = (
    {"singleRate": {"rates": [{"unitPrice": "0.30"}]}},
    {"timeOfUseRates": [_PEAK, _OFF_PEAK]},
    {"singleRate": {"period": "P1D", "rates": [{"unitPrice": "0.26", "volume": 12}, {"unitPrice": "0.33"}]}},
)
"""One rate, two bands, two tiers; homes take them by turns."""
Plan = Any
"""A plan that `toolkit.read_plans` gave."""
SPOILT = 14
"""Days after a change of which forecasts are listed apart, as are those of the period that holds it."""


def plans() -> list[Plan]:
    """Read the plans, as a retailer would publish them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plans.ndjson"
        objects = (
            {
                "planId": f"TRUTH{n}",
                "fuelType": "ELECTRICITY",
                "electricityContract": {
                    "timeZone": "AEST",
                    "tariffPeriod": [{"dailySupplyCharge": "1.00", **prices}],
                    "solarFeedInTariff": [_FEED_IN],
                },
            }
            for n, prices in enumerate(PLANS)
        )
        path.write_text("\n".join(map(json.dumps, objects)))
        return toolkit.read_plans(path)


def frame(home: Home) -> pl.DataFrame:
    """Return the reads of a home, without the days that were not read."""
    both = [reads(home.first, home.bought.ravel())]
    if home.sold.any():
        both.append(reads(home.first, home.sold.ravel(), export=True))
    missing = [home.first + timedelta(int(n)) for n in np.flatnonzero(~home.read)]
    return pl.concat(both).filter(~pl.col("date").is_in(missing))


@dataclass(frozen=True)
class Origin:
    """One forecast, and what came. Cents. part: 0 no change yet, 1 within or just after one, 2 later."""

    kind: str
    home: int
    day: date
    part: int
    billed: int
    middle: int
    low: int | None
    high: int | None
    run_rate: int
    last_year: int | None

    def error(self, forecast: int | None) -> float | None:
        """Return how far a forecast was off, as a share of the bill."""
        return None if forecast is None or not self.billed else abs(forecast - self.billed) / abs(self.billed)


def origins(
    home: Home, number: int, plan: Plan, days: Sequence[int], least: int = 265, stride: int = 1
) -> Iterator[Origin]:
    """Forecast from some days of every month (0: before its first) once `least` days are known."""
    known_reads = frame(home)
    known_periods = [each for each in _periods(home) if (each[0] - home.first).days >= least - max(days)]
    for first, last in known_periods[number % stride :: stride]:
        for ahead in days:
            known = (first - home.first).days + ahead
            if known < least or not home.read[(first - home.first).days : (last - home.first).days + 1].all():
                continue
            today = home.first + timedelta(known - 1)
            answer = toolkit.forecast(
                known_reads.filter(pl.col("date") <= today),
                plan,
                today=today,
                zone=ZONE,
                billing_months=home.billing_months,
            )
            if answer.p50 is None or (answer.period.from_, answer.period.to) != (first, last):
                continue
            row, end = (first - home.first).days, (last - home.first).days + 1
            yield Origin(
                home.kind,
                number,
                today,
                _part(home, row, end, known),
                _cents(home.bought, home.sold, home.first, (row, end), plan),
                round(100 * answer.p50),
                None if answer.p10 is None else round(100 * answer.p10),
                None if answer.p90 is None else round(100 * answer.p90),
                _cents(*_going_on(home, known, end), home.first, (row, end), plan),
                _last_year(home, known, (row, end), plan),
            )


def _periods(home: Home) -> Iterator[tuple[date, date]]:
    first = home.first.replace(day=1)
    while True:
        months = home.billing_months
        after = date(first.year + (first.month - 1 + months) // 12, (first.month - 1 + months) % 12 + 1, 1)
        if (after - home.first).days > home.days:
            return
        if first >= home.first and (first.month - 1) % months == 0:
            yield first, after - timedelta(1)
        first = date(first.year + first.month // 12, first.month % 12 + 1, 1)


def _part(home: Home, row: int, end: int, known: int) -> int:
    if home.change is None or end <= (at := (home.change - home.first).days):
        return 0
    return 1 if row <= at or known <= at + SPOILT else 2


def _cents(bought: Values, sold: Values, first: date, span: tuple[int, int], plan: Plan) -> int:
    row, end = span
    day = first + timedelta(row)
    both = reads(day, bought[row:end].ravel())
    if sold[row:end].any():
        both = pl.concat([both, reads(day, sold[row:end].ravel(), export=True)])
    return toolkit.price(both, plan, day, first + timedelta(end - 1), zone=ZONE).total_minor


def _going_on(home: Home, known: int, end: int) -> tuple[Values, Values]:
    """Return the home's days, the last 28 read ones over and over from `known` on."""
    recent = np.flatnonzero(home.read[:known])[-28:]
    rows = np.concatenate([np.arange(known), np.resize(recent, end - known)])
    return home.bought[rows], home.sold[rows]


def _last_year(home: Home, known: int, span: tuple[int, int], plan: Plan) -> int | None:
    """Price the same days of a year ago at today's level; None where these or the level are not known."""
    now, rows = np.arange(known - 28, known), np.arange(known, span[1]) - 364
    if now[0] < 364 or not home.read[rows].all() or (home.read[now] & home.read[now - 364]).sum() < 21:
        return None
    now = now[home.read[now] & home.read[now - 364]]
    both = []
    for energy in (home.bought, home.sold):
        before = energy[now - 364].sum()
        ratio = float(np.clip(energy[now].sum() / before, 0.2, 5)) if before > 0 else 1.0
        both.append(np.concatenate([energy[:known], energy[rows] * ratio]))
    return _cents(both[0], both[1], home.first, span, plan)


STEADY = ("plain", "holidays", "solar", "quarterly")
"""Kinds of homes whose use does not change for good: only these can have their second year foretold."""


@dataclass(frozen=True)
class YearForecast:
    """A year forecast and what came. error: share of the year's bills. inside: of each month, whether in its range.

    covered: whether the payments that cover nine years in ten did.
    """

    error: float
    inside: list[bool]
    covered: bool


def year_of(home: Home, plan: Plan) -> YearForecast | None:
    """Forecast twelve months from the day on which a year is known; None where a day of the next was not read."""
    first = date(home.first.year + 1, home.first.month, 1)
    known, end = (first - home.first).days, (date(first.year + 1, first.month, 1) - home.first).days
    if end > home.days or not home.read[known:end].all():
        return None
    answer = toolkit.forecast(frame(home), plan, today=first - timedelta(1), zone=ZONE, months=12)
    even = answer.even_payments
    if even is None or len(answer.months) != 12:
        return None
    rows = [((m.from_ - home.first).days, (m.to - home.first).days + 1) for m in answer.months]
    came = [_cents(home.bought, home.sold, home.first, span, plan) for span in rows]
    ranged = [(m.p10, cents, m.p90) for m, cents in zip(answer.months, came, strict=True)]
    return YearForecast(
        abs(round(100 * even.year_p50) - sum(came)) / sum(came),
        [100 * low <= cents <= 100 * high for low, cents, high in ranged if low is not None and high is not None],
        sum(came) <= 100 * even.year_p90,
    )


@dataclass(frozen=True)
class Row:
    """Forecasts of one kind of home. errors: medians, shares of the bill. ratio: error ÷ that of the better baseline.

    interval: 90 % of the ratios when homes are drawn again and again.
    """

    kind: str
    origins: int
    error: float
    run_rate: float
    last_year: float | None
    ratio: float
    interval: tuple[float, float]
    held: float | None
    """Share of the bills inside p10 to p90, of those with a range."""
    ranged: int
    """Forecasts with a range."""


Errors = Mapping[str, Values]
"""Errors of the forecasts and of the two baselines, those that are known."""


def _errors(these: Iterable[Origin]) -> Errors:
    listed = list(these)
    return {
        name: np.array([e for each in listed if (e := each.error(getattr(each, name))) is not None])
        for name in ("middle", "run_rate", "last_year")
    }


def _ratio(errors: Errors) -> float:
    middle, run_rate, last_year = errors["middle"], errors["run_rate"], errors["last_year"]
    best = min(np.median(run_rate), np.median(last_year) if 2 * len(last_year) >= len(middle) else np.inf)
    return float(np.median(middle) / best) if best else float("nan")


def row(kind: str, these: Sequence[Origin]) -> Row:
    """Sum up origins."""
    errors = _errors(these)
    ranged = [each.low <= each.billed <= each.high for each in these if each.low is not None and each.high is not None]
    return Row(
        kind,
        len(errors["middle"]),
        float(np.median(errors["middle"])),
        float(np.median(errors["run_rate"])),
        float(np.median(errors["last_year"])) if len(errors["last_year"]) else None,
        _ratio(errors),
        _ratio_interval(these),
        sum(ranged) / len(ranged) if ranged else None,
        len(ranged),
    )


def _ratio_interval(these: Sequence[Origin], draws: int = 500) -> tuple[float, float]:
    homes = sorted({(each.kind, each.home) for each in these})
    of_home = [_errors(each for each in these if (each.kind, each.home) == home) for home in homes]
    chance = np.random.default_rng(5)
    ratios = []
    for _ in range(draws):
        drawn = [of_home[n] for n in chance.integers(0, len(homes), len(homes))]
        ratios.append(_ratio({name: np.concatenate([each[name] for each in drawn]) for name in drawn[0]}))
    low, high = np.nanquantile(ratios, (0.05, 0.95))
    return float(low), float(high)


PARTS = ("", " (change within the bill or a fortnight)", " (from day 15 after the change)")


def table(results: Sequence[Origin]) -> list[Row]:
    """Return a row for each kind and part, those without a change just before the bill first; then over parts."""
    keys = sorted({(each.part, each.kind) for each in results})
    rows = [row(kind + PARTS[part], [e for e in results if (e.part, e.kind) == (part, kind)]) for part, kind in keys]
    changing = sorted({each.kind for each in results if each.part == 2})
    rows += [row(f"{kind} (both)", [e for e in results if e.kind == kind and e.part != 1]) for kind in changing]
    for part, name in ((0, "all without a change"), (2, "all from day 15 after a change")):
        if these := [each for each in results if each.part == part]:
            rows.append(row(name, these))
    judged = [each for each in results if each.part != 1]
    return [*rows, row("all but those within", judged)] if judged else rows


@dataclass(frozen=True)
class Named:
    """A lasting change that a forecast names. row: its day, counted from the home's first. ratio: of use after it."""

    row: int
    ratio: float


def named_on(home: Home, plan: Plan, days: Iterable[int]) -> Iterator[Named | None]:
    """Yield the change that is named once so many days are known."""
    known_reads = frame(home)
    for known in days:
        today = home.first + timedelta(known - 1)
        change = toolkit.forecast(known_reads.filter(pl.col("date") <= today), plan, today=today, zone=ZONE).change
        yield None if change is None else Named((change.date - home.first).days, change.ratio)
