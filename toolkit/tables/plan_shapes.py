"""Energy contracts in one shape, whatever the spelling they were published in.

Canonical shape: the service's (snake_case), with older forms folded into today's:
`daily_supply_charges` → `daily_supply_charge`; a controlled load with `rates` and `daily_charge` → `single_rate`;
`single_tariff.amount` → one rate; `time_varying_tariffs` (object, or array, or `_v2`) → one list; days given as an
object of booleans → a list. Lists hold objects only; what else stood there is a Problem.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from toolkit.errors import Problem

JsonObject = dict[str, Any]
"""A JSON object of the service, of a plan register or of a file."""

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FLAGGED = {"weekdays": ("MON", "TUE", "WED", "THU", "FRI"), "saturday": ("SAT",), "sunday": ("SUN",)}
_CONTRACT_LISTS = ("discounts", "fees", "green_power_charges", "eligibility", "incentives")


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """`rateBlockUType` → `rate_block_u_type`; snake_case stays as it is."""
    return _WORD_START.sub("_", key).lower()


def snake_keys(given: JsonObject) -> JsonObject:
    """Return the same JSON object with every key in it, at any depth, in snake_case."""
    return {snake(key): _snake_inside(inner) for key, inner in given.items()}


def _snake_inside(value: object) -> object:
    if isinstance(value, dict):
        return snake_keys(value)
    if isinstance(value, list):
        return [_snake_inside(inner) for inner in value]
    return value


class Shaper:
    """Fold one contract into the canonical shape and remember what could not be read (`problems`).

    where: prefix of the problems' place, such as `PLAN1.electricity_contract`.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def contract(self, given: JsonObject) -> JsonObject:
        """Return the contract in the canonical shape."""
        shaped = snake_keys(given)
        shaped["tariff_period"] = [self._period(p) for p in self.objects(shaped, "tariff_period")]
        shaped["controlled_load"] = [self._controlled_load(c) for c in self.objects(shaped, "controlled_load")]
        shaped["solar_feed_in_tariff"] = [self._feed_in(f) for f in self.objects(shaped, "solar_feed_in_tariff")]
        for key in _CONTRACT_LISTS:
            shaped[key] = self.objects(shaped, key)
        return shaped

    def objects(self, parent: JsonObject, key: str) -> list[JsonObject]:
        """Return the objects under `key`: a list's, or the only one; [] where absent."""
        value = parent.get(key)
        if value is None:
            return []
        entries = value if isinstance(value, list) else [value]
        for entry in entries:
            if not isinstance(entry, dict) and entry is not None:
                self._refuse(key, "an object was expected", entry)
        return [entry for entry in entries if isinstance(entry, dict)]

    def _object(self, parent: JsonObject, key: str) -> JsonObject | None:
        found = self.objects(parent, key)
        return found[0] if found else None

    def _refuse(self, key: str, reason: str, value: object) -> None:
        self.problems.append(Problem(f"{self.where}.{key}", f"{reason}, not {str(value)[:40]!r}"))

    def _period(self, period: JsonObject) -> JsonObject:
        supply = period.get("daily_supply_charge")
        return {
            **period,
            "daily_supply_charge": supply if supply is not None else period.get("daily_supply_charges"),
            "banded_daily_supply_charges": self.objects(period, "banded_daily_supply_charges"),
            "single_rate": self._rated(self._object(period, "single_rate")),
            "time_of_use_rates": self._bands(period),
            "demand_charges": [self._with_days(d) for d in self.objects(period, "demand_charges")],
        }

    def _bands(self, parent: JsonObject) -> list[JsonObject]:
        return [
            {
                **self._with_rates(band),
                "display_name": band.get("display_name") or band.get("name"),
                "time_of_use": [self._with_days(window) for window in self.objects(band, "time_of_use")],
            }
            for band in self.objects(parent, "time_of_use_rates")
        ]

    def _rated(self, rate: JsonObject | None) -> JsonObject | None:
        return None if rate is None else self._with_rates(rate)

    def _with_rates(self, holder: JsonObject) -> JsonObject:
        """The holder with a list of rates; an older bare `amount` is one rate."""
        rates = self.objects(holder, "rates")
        if not rates and holder.get("amount") is not None:
            rates = [{"unit_price": holder["amount"]}]
        return {**holder, "rates": rates}

    def _with_days(self, window: JsonObject) -> JsonObject:
        return {**window, "days": self._days(window.get("days"))}

    def _days(self, given: object) -> list[str]:
        if given is None:
            return []
        if isinstance(given, dict):
            return self._flagged_days(given)
        days = given if isinstance(given, list) else [given]
        for day in days:
            if not isinstance(day, str):
                self._refuse("days", "a day's name was expected", day)
        return [day.strip().upper() for day in days if isinstance(day, str)]

    def _flagged_days(self, given: JsonObject) -> list[str]:
        """The old form: {weekdays, saturday, sunday}, each true or false."""
        for name, flag in given.items():
            if name not in _FLAGGED or not isinstance(flag, bool | None):
                self._refuse("days", "weekdays, saturday and sunday as true or false were expected", {name: flag})
        return [day for name, days in _FLAGGED.items() if given.get(name) is True for day in days]

    def _controlled_load(self, load: JsonObject) -> JsonObject:
        single = self._object(load, "single_rate")
        if single is None and "rates" in load:
            single = {
                "display_name": load.get("display_name"),
                "daily_supply_charge": load.get("daily_charge"),
                "period": load.get("period"),
                "rates": load.get("rates"),
            }
        return {**load, "single_rate": self._rated(single), "time_of_use_rates": self._bands(load)}

    def _feed_in(self, tariff: JsonObject) -> JsonObject:
        varying = self.objects(tariff, "time_varying_tariffs_v2") or self.objects(tariff, "time_varying_tariffs")
        return {
            **tariff,
            "single_tariff": self._rated(self._object(tariff, "single_tariff")),
            "time_varying_tariffs": [
                {
                    **self._with_rates(entry),
                    "time_variations": [self._with_days(window) for window in self.objects(entry, "time_variations")],
                }
                for entry in varying
            ],
        }
