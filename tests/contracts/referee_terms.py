"""A contract's terms for the referee: tariff periods, controlled load, feed-in, discounts, fees; see referee_plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from typing import Any

from tests.contracts.referee_plan import (
    Band,
    Block,
    Demand,
    Season,
    TariffPeriod,
    Window,
    bands_of,
    beside,
    blocks_of,
    days_of,
    minute_of,
    number,
    order_of,
    seasons,
    snake,
    window_of,
)


@dataclass
class Controlled:
    season: Season
    bands: list[Band]
    supply: Fraction | None


@dataclass
class FeedIn:
    name: str
    season: Season
    single: bool
    bands: list[Band]
    width_on_last: bool


@dataclass
class Discount:
    season: Season
    guaranteed: bool
    method: str
    rate: Fraction
    threshold: Fraction


@dataclass
class Terms:
    clock: str  # of the bill's dates
    other_clock: str  # of what stands beside the tariff periods: controlled load, feed-in
    periods: list[TariffPeriod]
    controlled: list[Controlled]
    feed_in: list[FeedIn]
    discounts: list[Discount]
    recurring: list[tuple[str, str, Fraction, str]]  # component, period, amount, gst
    scale: Fraction
    refused: list[str] = field(default_factory=list)


def read_terms(
    plan: Mapping[str, Any], fuel: str, feed_in_name: str | None = None, on: date | None = None
) -> Terms | None:
    """None where the plan has no contract of that fuel. on: the day it is priced for; None: the household's own."""
    top = snake(plan)
    top = top["data"] if isinstance(top.get("data"), dict) else top
    detail = top.get("plan_detail") or top
    contract = detail.get(f"{fuel}_contract")
    if not contract:
        return None
    refused: list[str] = []
    scale = scale_of(contract, Fraction(3) if fuel == "electricity" else Fraction(3, 10))
    order = order_of(*by_energy(contract), *(listed(contract, key) for key in DATED))
    periods = tariff_periods(contract, order, scale, refused)
    if fuel == "gas":
        periods = [replace(period, demand=[]) for period in periods]  # a gas meter has no half hours
    clocks = [period.clock for period in periods if period.energetic]
    named = [item["time_zone"] for item in contract.get("tariff_period") or [] if item.get("time_zone")]
    contracts = contract.get("time_zone") or (named[0] if named else "AEST")
    return Terms(
        clock=clocks[0] if clocks else contracts,
        other_clock=contracts,
        periods=periods,
        controlled=controlled_loads(contract, order, scale, refused, on),
        feed_in=feed_ins(contract, order, scale, feed_in_name, refused, on),
        discounts=discounts_of(listed(contract, "discounts"), order, on),
        recurring=recurring(contract.get("fees") or [], detail.get("metering_charges") or [], scale),
        scale=scale,
        refused=refused,
    )


def usage_rates(period: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    bands = [period.get("single_rate") or {}, *(period.get("time_of_use_rates") or [])]
    return [rate for band in bands for rate in band.get("rates") or []]


def scale_of(contract: Mapping[str, Any], most: Fraction) -> Fraction:
    """100 where prices are in cents (pricing rule 12)."""
    periods = contract.get("tariff_period") or []
    prices = [number(rate.get("unit_price")) for period in periods for rate in usage_rates(period)]
    prices += [number((period.get("single_rate") or {}).get("general_unit_price")) for period in periods]
    return Fraction(100 if max((p for p in prices if p is not None), default=Fraction()) > most else 1)


DATED = ("controlled_load", "solar_feed_in_tariff", "discounts")


def listed(contract: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """A list, also of the older form that holds one object instead."""
    value = contract.get(key) or []
    return [value] if isinstance(value, Mapping) else list(value)


def by_energy(contract: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """The tariff periods with energy rates, and those that hold only demand charges."""
    raw = listed(contract, "tariff_period")
    return [each for each in raw if has_energy(each)], [each for each in raw if not has_energy(each)]


def tariff_periods(contract: Mapping[str, Any], order: str, scale: Fraction, refused: list[str]) -> list[TariffPeriod]:
    in_force = {
        id(each): season
        for items in by_energy(contract)
        for each, season in zip(items, seasons(items, [order] * len(items)), strict=True)
    }
    out = []
    for item in listed(contract, "tariff_period"):
        season = in_force[id(item)]
        if season is None:
            refused.append(f"{item.get('display_name')}: unreadable dates")
            continue
        out.append(tariff_period(item, season, contract, scale, refused))
    return out


def has_energy(item: Mapping[str, Any]) -> bool:
    return bool(item.get("single_rate") or item.get("time_of_use_rates"))


def tariff_period(
    item: Mapping[str, Any], season: Season, contract: Mapping[str, Any], scale: Fraction, refused: list[str]
) -> TariffPeriod:
    supply = item.get("daily_supply_charge")
    supply = number(item.get("daily_supply_charges") if supply is None else supply)
    return TariffPeriod(
        label=str(item.get("display_name") or ""),
        clock=item.get("time_zone") or contract.get("time_zone") or "AEST",
        season=season,
        bands=energy_bands(item, scale, refused, quota=contract.get("pricing_model") == "QUOTA"),
        supply=None if supply is None else supply / scale,
        supply_bands=supply_bands(item, scale),
        demand=demands(item.get("demand_charges") or [], scale, refused),
        energetic=has_energy(item),
    )


def energy_bands(item: Mapping[str, Any], scale: Fraction, refused: list[str], *, quota: bool) -> list[Band]:
    single, many = item.get("single_rate"), item.get("time_of_use_rates")
    if many and (not single or item.get("rate_block_u_type") == "timeOfUseRates"):
        return bands_of(many, "time_of_use", "P1M", scale, refused)
    if not single:
        return []
    label = str(single.get("display_name") or "")
    blocks = blocks_of(single.get("rates"), single.get("period"), "P1D", scale)
    general = number(single.get("general_unit_price"))
    if general is not None and (quota or not blocks) and len(blocks) == len(single.get("rates") or []):
        blocks = quota_blocks(single, blocks, general / scale)
    if not blocks:
        refused.append(f"{label}: no price")
    return [Band(label, blocks)] if blocks else []


def quota_blocks(single: Mapping[str, Any], blocks: list[Block], general: Fraction) -> list[Block]:
    """The included usage at its own price, the rest at the general one, which includes GST (pricing rule 1)."""
    widths = [number(rate.get("volume")) for rate in single.get("rates") or []]
    included = [replace(block, width=width) for block, width in zip(blocks, widths, strict=True) if width]
    return [*included, Block(general, None, "P1D", taxed=True)]


def supply_bands(item: Mapping[str, Any], scale: Fraction) -> list[Block]:
    if item.get("daily_supply_charge_type") != "BAND" and not item.get("banded_daily_supply_charges"):
        return []
    rates = [rate | {"measure_unit": None} for rate in item.get("banded_daily_supply_charges") or []]
    return blocks_of(rates, None, "P1Y", scale)


def demands(items: list[Mapping[str, Any]], scale: Fraction, refused: list[str]) -> list[Demand]:
    out = []
    for item in items:
        label, amount = str(item.get("display_name") or ""), number(item.get("amount"))
        window = demand_window(item)
        if window is None or amount is None:
            refused.append(f"{label}: no window or price")
            continue
        least = number(item.get("min_demand")) or Fraction()
        out.append(Demand(label, amount / scale, window, least, number(item.get("max_demand"))))
    return out


def demand_window(item: Mapping[str, Any]) -> Window | None:
    """Both times midnight or absent: the whole of the days named, and no window where none is (pricing rule 7)."""
    times = [minute_of("0" if item.get(key) is None else item[key]) for key in ("start_time", "end_time")]
    if times == [0, 0]:
        return window_of(item, times_optional=True) if days_of(item.get("days")) else None
    return window_of(item)


def controlled_loads(
    contract: Mapping[str, Any], order: str, scale: Fraction, refused: list[str], on: date | None
) -> list[Controlled]:
    items = listed(contract, "controlled_load")
    out = []
    for item, season in zip(items, beside(items, order, on), strict=True):
        bands, supply = controlled_bands(item, scale, refused)
        if season is not None and (bands or supply is not None):
            out.append(Controlled(season, bands, None if supply is None else supply / scale))
    return out


def controlled_bands(
    item: Mapping[str, Any], scale: Fraction, refused: list[str]
) -> tuple[list[Band], Fraction | None]:
    many = item.get("time_of_use_rates") or []
    if many and item.get("rate_block_u_type") != "singleRate":
        supplies = [number(each.get("daily_supply_charge")) for each in many]
        return bands_of(many, "time_of_use", "P1M", scale, refused), next((s for s in supplies if s is not None), None)
    single = item.get("single_rate") or item
    supply = single.get("daily_supply_charge", single.get("daily_charge", item.get("daily_charge")))
    blocks = blocks_of(single.get("rates"), single.get("period") or item.get("period"), "P1M", scale)
    return [Band(str(item.get("display_name") or ""), blocks)] if blocks else [], number(supply)


def feed_ins(
    contract: Mapping[str, Any], order: str, scale: Fraction, name: str | None, refused: list[str], on: date | None
) -> list[FeedIn]:
    items = [item for item in listed(contract, "solar_feed_in_tariff") if named_or_open(item, name)]
    out = []
    for item, season in zip(items, beside(items, order, on), strict=True):
        bands, single, width = feed_in_bands(item, scale, refused)
        if season is not None and bands:
            out.append(FeedIn(str(item.get("display_name") or ""), season, single, bands, width))
    return out


def named_or_open(item: Mapping[str, Any], name: str | None) -> bool:
    if name is not None:
        return item.get("display_name") == name
    return item.get("payer_type") != "GOVERNMENT" and item.get("scheme") != "PREMIUM"


def feed_in_bands(item: Mapping[str, Any], scale: Fraction, refused: list[str]) -> tuple[list[Band], bool, bool]:
    single = item.get("single_tariff")
    many = item.get("time_varying_tariffs_v2") or item.get("time_varying_tariffs")
    if many and (not single or item.get("tariff_u_type") == "timeVaryingTariffs"):
        many = [many] if isinstance(many, Mapping) else many
        return bands_of(many, "time_variations", "P1D", scale, refused), False, False
    single = single or {}
    amount = single.get("amount")
    rates = single.get("rates") or ([] if amount is None else [{"unit_price": amount}])
    blocks = blocks_of(rates, single.get("period"), "P1D", scale)
    if not blocks:
        refused.append(f"{item.get('display_name')}: no feed-in price")
        return [], True, False
    last = number(rates[-1].get("volume"))
    full = [*blocks[:-1], replace(blocks[-1], width=last or None)]
    return [Band(str(item.get("display_name") or ""), full)], True, bool(last)


METHODS = {
    "percentOfBill": "percent_of_bill",
    "percentOfUse": "percent_of_use",
    "percentOverThreshold": "percent_over_threshold",
}
"""Where `method_u_type` is not stated, the first of these that is there."""


def discounts_of(items: list[Mapping[str, Any]], order: str, on: date | None) -> list[Discount]:
    out = []
    for item, season in zip(items, beside(items, order, on), strict=True):
        method = str(item.get("method_u_type") or "")
        key = METHODS.get(method) or next((key for key in METHODS.values() if item.get(key)), "")
        body = item.get(key) or {}
        rate = number(body.get("rate"))
        if method == "fixedAmount" or rate is None or season is None:
            continue
        rate = rate / 100 if rate >= 1 else rate
        threshold = number(body.get("usage_amount")) or Fraction()
        out.append(Discount(season, item.get("type") == "GUARANTEED", key, rate, threshold))
    return out


FEE_PERIODS = {"ANNUAL": "P1Y", "MONTHLY": "P1M", "WEEKLY": "P1W", "DAILY": "P1D"}


def recurring(
    fees: list[Mapping[str, Any]], metering: list[Mapping[str, Any]], scale: Fraction
) -> list[tuple[str, str, Fraction, str]]:
    out = []
    for fee in fees:
        period = FEE_PERIODS.get(str(fee.get("term"))) or ("P1Y" if fee.get("type") == "MEMBERSHIP" else None)
        amount = number(fee.get("amount"))
        if period and amount:
            out.append(("fee", period, amount, "included"))
    for charge in metering:
        amount, period = number(charge.get("minimum_value")), charge.get("period")
        if amount and period:
            out.append(("metering", str(period), amount / scale, "added"))
    return out
