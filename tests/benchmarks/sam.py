"""NREL's Utilityrate5 (package NREL-PySAM, not among the test dependencies: 47 MB) on a year of 5-minute load."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from PySAM import Utilityrate5

PEAK, REST = 2, 1
NO_LIMIT = 1e38


def one_rate(reads: pl.DataFrame) -> Callable[[], object]:
    """One call prices one rate of two bands, without demand; setting it up beforehand is not counted."""
    energy = reads.filter(pl.col("register_suffix") == "E1")["energy_nano"].to_numpy() / 10**9
    model = Utilityrate5.new()
    model.Lifetime.assign({"analysis_period": 1, "system_use_lifetime_output": 0, "inflation_rate": 0})
    model.SystemOutput.assign({"degradation": [0], "gen": [0.0] * len(energy)})
    model.Load.assign({"load": (energy * 12).tolist()})  # kW
    weekday = [PEAK if 15 <= hour < 21 else REST for hour in range(24)]
    model.ElectricityRates.assign(
        {
            **dict.fromkeys(UNUSED, 0),
            "rate_escalation": [0],
            "en_electricity_rates": 1,
            "ur_metering_option": 2,
            "ur_monthly_fixed_charge": 30,
            "ur_ec_sched_weekday": [weekday] * 12,
            "ur_ec_sched_weekend": [[REST] * 24] * 12,
            "ur_ec_tou_mat": [[REST, 1, NO_LIMIT, 0, 0.22, 0.05], [PEAK, 1, NO_LIMIT, 0, 0.44, 0.05]],
        }
    )
    return lambda: model.execute(0)


UNUSED = (
    "ur_monthly_min_charge",
    "ur_annual_min_charge",
    "ur_en_ts_buy_rate",
    "ur_en_ts_sell_rate",
    "ur_nm_yearend_sell_rate",
    "ur_nm_credit_month",
    "ur_nm_credit_rollover",
    "ur_dc_enable",
)
