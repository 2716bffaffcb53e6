"""Drives NREL's Utilityrate5 (package NREL-PySAM): a year of load and generation in, its charges out.

Its year has 365 days and begins on a Monday; its prices stand for whole hours of weekdays and weekends by month.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from PySAM import Utilityrate5

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NO_LIMIT = 1e38
NET_METERING, NET_BILLING = 0, 2
UNITS = {"month": 0, "day": 2}
UNUSED = (
    "ur_monthly_min_charge",
    "ur_annual_min_charge",
    "ur_en_ts_buy_rate",
    "ur_en_ts_sell_rate",
    "ur_nm_yearend_sell_rate",
    "ur_nm_credit_month",
    "ur_nm_credit_rollover",
)


@dataclass(frozen=True)
class Hours:
    """Which period holds each hour: 24 period numbers (from 1) for each of 12 months."""

    weekday: Sequence[Sequence[int]]
    weekend: Sequence[Sequence[int]]


@dataclass(frozen=True)
class Step:
    """Price of a kWh up to a limit (kWh a month or a day, pooled over the month), and what an exported one earns."""

    period: int
    tier: int
    limit: float
    buy: float
    sell: float = 0.0


@dataclass(frozen=True)
class Demand:
    """Dollars for the highest kW of each month: one price a month, and one for each period."""

    flat: Sequence[float]
    hours: Hours
    prices: Sequence[float]


@dataclass(frozen=True)
class Terms:
    hours: Hours
    steps: Sequence[Step]
    limits: Literal["month", "day"] = "month"
    fixed: float = 0.0  # dollars a month
    demand: Demand | None = None


def model_of(
    load: Sequence[float], generated: Sequence[float], terms: Terms, metering: int = NET_BILLING
) -> Utilityrate5.Utilityrate5:
    """The engine, ready to `execute(0)`. load, generated: kW of each interval of the year."""
    model = Utilityrate5.new()
    model.Lifetime.assign({"analysis_period": 1, "system_use_lifetime_output": 0, "inflation_rate": 0})
    model.SystemOutput.assign({"degradation": [0], "gen": list(generated)})
    model.Load.assign({"load": list(load)})
    rates = {"en_electricity_rates": 1, "rate_escalation": [0], "ur_metering_option": metering}
    rates |= {"ur_monthly_fixed_charge": terms.fixed} | _energy(terms) | _demand(terms.demand)
    model.ElectricityRates.assign(dict.fromkeys(UNUSED, 0) | rates)
    return model


def _energy(terms: Terms) -> dict[str, object]:
    unit = UNITS[terms.limits]
    return {
        "ur_ec_sched_weekday": terms.hours.weekday,
        "ur_ec_sched_weekend": terms.hours.weekend,
        "ur_ec_tou_mat": [[s.period, s.tier, s.limit, unit, s.buy, s.sell] for s in terms.steps],
    }


def _demand(demand: Demand | None) -> dict[str, object]:
    if demand is None:
        return {"ur_dc_enable": 0}
    return {
        "ur_dc_enable": 1,
        "ur_dc_sched_weekday": demand.hours.weekday,
        "ur_dc_sched_weekend": demand.hours.weekend,
        "ur_dc_flat_mat": [[month, 1, NO_LIMIT, price] for month, price in enumerate(demand.flat)],
        "ur_dc_tou_mat": [[period, 1, NO_LIMIT, price] for period, price in enumerate(demand.prices, start=1)],
    }


@dataclass(frozen=True)
class Charges:
    """What a year costs, in dollars by month (from 0); periods and tiers count from 1."""

    usage: dict[tuple[int, int, int], float] = field(default_factory=dict)  # month, period, tier
    demand: dict[tuple[int, int], float] = field(default_factory=dict)  # month, period
    flat_demand: Sequence[float] = ()
    fixed: Sequence[float] = ()
    earned: Sequence[float] = ()


def charges(load: Sequence[float], generated: Sequence[float], terms: Terms) -> Charges:
    """Usage and demand of the load; `earned` is what generation brings in the intervals in which it exceeds load.

    Usage is that of its monthly netting: net billing prices the whole interval that crosses a block in the upper one.
    """
    bought = model_of(load, [0.0] * len(load), terms, NET_METERING)
    sold = model_of(load, generated, terms, NET_BILLING)
    bought.execute(0)
    sold.execute(0)
    return Charges(
        usage=_usage_charges(bought),
        demand=_demand_charges(bought.Outputs.monthly_tou_demand_charge_wo_sys) if terms.demand else {},
        flat_demand=bought.Outputs.year1_monthly_dc_fixed_without_system,
        fixed=bought.Outputs.year1_monthly_fixed_without_system,
        earned=sold.Outputs.year1_net_billing_credits,
    )


def _usage_charges(model: Utilityrate5.Utilityrate5) -> dict[tuple[int, int, int], float]:
    usage = {}
    for month, name in enumerate(MONTHS):
        (_, *tiers, _), *rows, _ = getattr(model.Outputs, f"charge_wo_sys_ec_{name}_tp")
        for period, *amounts, _ in rows:
            usage |= {(month, int(period), int(tier)): each for tier, each in zip(tiers, amounts, strict=True)}
    return usage


def _demand_charges(table: Sequence[Sequence[float]]) -> dict[tuple[int, int], float]:
    periods, *months = table
    return {
        (month, int(period)): amount
        for month, amounts in enumerate(months)
        for period, amount in zip(periods, amounts, strict=True)
    }
