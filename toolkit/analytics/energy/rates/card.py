"""A plan as people read one: a card of its prices, and what a kWh costs at every half hour of a week."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Literal

import polars as pl

from toolkit.analytics.energy.rates.dates import span_text
from toolkit.analytics.energy.rates.model import (
    UNCLAIMED,
    BandRate,
    DemandCharge,
    Discount,
    Gst,
    Rates,
    Supply,
    Tariff,
    any_of,
    cells_of,
    shown_price,
    windows_text,
    with_gst,
)

MapRole = Literal["general", "controlled", "export"]

ALL_YEAR = "all year"
HALF_HOURS = range(0, 1440, 30)
_FINEST = Decimal("0.000001")
_DISCOUNT_BASES = {"bill": "of the bill", "use": "of usage", "over": "of usage above"}

_CARD = pl.Schema(
    {
        "component": pl.String,
        "label": pl.String,
        "season": pl.String,
        "window": pl.String,
        "block": pl.String,
        "price": pl.String,
        "price_with_gst": pl.String,
        "unit": pl.String,
        "gst": pl.String,
        "conditions": pl.String,
    }
)
_MAP = pl.Schema(
    {
        "weekday": pl.Int64,
        "minute": pl.Int64,
        "cents": pl.Float64,
        "label": pl.String,
        "stepped": pl.Boolean,
    }
)


def rate_card(rates: Rates) -> pl.DataFrame:
    """Return every price of a plan, one row each, in the order of a bill's components.

    component, label, season (`all year`, also where the price is the same in each, or `1 Dec to 28 Feb`), window (`any
    time` or `Mon–Fri 15:00–21:00`, on the plan's time zone), block (`first 15 kWh a day`; empty where there is one
    price), price and price_with_gst (decimal text: AUD per `unit`; for a discount per cent, and no second price), unit,
    gst (`added`, `included` or `none`: as a bill treats it), conditions. Premium feed-in, optional green power and
    fixed amounts are in the plan's notes.
    """
    rows = [
        *_supplies("supply", rates.periods, rates.unit),
        *_energy("usage", rates.periods, rates.unit),
        *(_demand(charge) for charge in rates.demands),
        *_supplies("controlled_load", rates.controlled_loads, rates.unit),
        *_energy("controlled_load", rates.controlled_loads, rates.unit),
        *(
            _row(charge.component, charge.label, None, unit=str(charge.every), **_prices(charge.price, charge.gst))
            for charge in rates.recurring
        ),
        *(_discount(discount, rates.unit) for discount in rates.discounts),
        *_energy("feed_in", rates.feed_ins, rates.unit),
    ]
    return pl.DataFrame(list(_joined(rows)), schema=_CARD)


def _joined(rows: Sequence[dict[str, str]]) -> Iterator[dict[str, str]]:
    """Yield the rows; of a price that is the same in every season of its component one, in the first one's place."""
    every: dict[str, set[str]] = {}
    alike: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        every.setdefault(row["component"], set()).add(row["season"])
        alike.setdefault(_but_season(row), set()).add(row["season"])
    joined = {key for key, seasons in alike.items() if len(seasons) > 1 and seasons == every[key[0]]}
    done = set()
    for row in rows:
        key = _but_season(row)
        if key not in done:
            yield row | {"season": ALL_YEAR} if key in joined else row
        if key in joined:
            done.add(key)


def _but_season(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(value for name, value in row.items() if name != "season")


def price_map(rates: Rates, *, role: MapRole = "general", on: date | str) -> pl.DataFrame:
    """Return what energy costs in a week of a season: a row for each weekday (0 is Monday) and half hour.

    on: a day, or a season as `price_seasons` names it. role: general use, controlled load, or export (what is paid).
    weekday, minute (start, in the plan's time zone), cents (AUD cents per kWh or MJ with GST; the first block's where
    `stepped`; null where no window holds the half hour's start), label, stepped. Empty where nothing holds on `on`.
    """
    tariffs = _tariffs(rates, role)
    if isinstance(on, date):
        tariff = next((tariff for tariff in tariffs if tariff.span.covers(on)), None)
    else:
        tariff = next((tariff for tariff in tariffs if season_name(tariff) == on), None)
    if tariff is None:
        return pl.DataFrame(schema=_MAP)
    cells = cells_of(tariff.bands)
    rows = [_cell(tariff, int(cells[day, minute]), day, minute) for day in range(7) for minute in HALF_HOURS]
    return pl.DataFrame(rows, schema=_MAP, orient="row")


def price_seasons(rates: Rates, *, role: MapRole = "general") -> list[str]:
    """Return the seasons in which prices differ, as plain words, in listed order."""
    return list(dict.fromkeys(season_name(tariff) for tariff in _tariffs(rates, role)))


def season_name(tariff: Tariff) -> str:
    """Return the tariff's season in words, `all year` without one."""
    return span_text(tariff.span) or ALL_YEAR


def _tariffs(rates: Rates, role: MapRole) -> Sequence[Tariff]:
    """Return the tariffs of a role, in listed order."""
    return {"general": rates.periods, "controlled": rates.controlled_loads, "export": rates.feed_ins}[role]


def _cell(tariff: Tariff, band: int, day: int, minute: int) -> tuple[int, int, float | None, str | None, bool]:
    """Return a row of the price map; without a price where no window claims the half hour (pricing rule 4)."""
    if band == UNCLAIMED or band >= len(tariff.rates):
        return day, minute, None, None, False
    rate = tariff.rates[band]
    first = rate.blocks[0]
    cents = with_gst(first.price, first.gst) * 100
    return day, minute, float(cents), rate.label or tariff.label, len(rate.blocks) > 1


def _prices(price: Decimal, gst: Gst) -> dict[str, str]:
    """Return the price without and with GST; to a ten-thousandth of a cent where it has to be taken out."""
    without_gst = (price / with_gst(Decimal(1), "added")).quantize(_FINEST) if gst == "included" else price
    return {"price": _plain(without_gst), "price_with_gst": _plain(with_gst(price, gst)), "gst": gst}


def _plain(price: Decimal) -> str:
    """Return decimal text without trailing zeros or an exponent."""
    return f"{shown_price(price).normalize():f}"


def _row(component: str, label: str, tariff: Tariff | DemandCharge | None = None, **more: str) -> dict[str, str]:
    """Return a row of the card; `more` are its price and unit, and what is not blank."""
    season = (span_text(tariff.span) if tariff else "") or ALL_YEAR
    blank = {"window": "", "block": "", "conditions": ""}
    return {"component": component, "label": label, "season": season, **blank, **more}


def _energy(component: str, tariffs: Sequence[Tariff], unit: str) -> Iterator[dict[str, str]]:
    """Yield a row for each block of each band."""
    for number, tariff in enumerate(tariffs):
        conditions = _alternative(component, tariffs, number)
        for band, rate in enumerate(tariff.rates):
            for block, words in zip(rate.blocks, block_names(rate, unit), strict=True):
                window = windows_text(tariff.bands[band])
                details = {"window": window, "block": words, "unit": unit, "conditions": conditions}
                label = rate.label or tariff.label
                yield _row(component, label, tariff, **details, **_prices(block.price, block.gst))


def _alternative(component: str, tariffs: Sequence[Tariff], number: int) -> str:
    """Word that a tariff repeats the dates of an earlier one: of alternatives the first counts (pricing rules 8, 9)."""
    if component == "usage" or not any(tariffs[n].span == tariffs[number].span for n in range(number)):
        return ""
    return "an alternative; the first is used"


def block_names(rate: BandRate, unit: str) -> list[str]:
    """Name the blocks: `first 15 kWh a day`, `next 10 kWh a day`, `the rest`; empty where there is one price."""
    if len(rate.blocks) == 1 and rate.blocks[0].width is None:
        return [""]
    names = []
    for number, block in enumerate(rate.blocks):
        which = "next" if number else "first"
        amount = None if block.width is None else f"{_plain(block.width)} {unit} {any_of(rate.period)}"
        names.append("the rest" if amount is None else f"{which} {amount}")
    return names


def _supplies(component: str, tariffs: Sequence[Tariff], unit: str) -> Iterator[dict[str, str]]:
    """Yield a row for each daily charge, and for each band of one that depends on the year's energy."""
    for number, tariff in enumerate(tariffs):
        for words, price in _steps(tariff.supply, unit):
            details = {"block": words, "unit": "day", "conditions": _alternative(component, tariffs, number)}
            yield _row(component, "Daily charge", tariff, **details, **_prices(price, "added"))


def _steps(supply: Supply | None, unit: str) -> Iterator[tuple[str, Decimal]]:
    """Yield the bands of a daily charge in words, with their prices (pricing rule 5)."""
    for upper, price in supply.steps if supply else ():
        if supply is None or not supply.banded:
            yield "", price
        else:
            yield f"up to {_plain(upper)} {unit} a year" if upper is not None else "above that", price


def _demand(charge: DemandCharge) -> dict[str, str]:
    """Return the row of a demand charge, with its limits as conditions."""
    limits = (("not below", charge.least), ("not above", charge.most))
    return _row(
        "demand",
        charge.label,
        charge,
        window=windows_text(tuple(window for windows in charge.bands for window in windows)),
        unit="kW and month" if charge.monthly else "kW and day",
        conditions=", ".join(f"{word} {_plain(limit)} kW" for word, limit in limits if limit is not None),
        **_prices(charge.price, "added"),
    )


def _discount(discount: Discount, unit: str) -> dict[str, str]:
    """Return the row of a discount: a percentage, so that it has no price with GST."""
    threshold = f" {_plain(discount.threshold)} {unit}" if discount.base == "over" else ""
    earned = "guaranteed" if discount.guaranteed else "conditional"
    return {
        **_row("discount", discount.label, unit=f"% {_DISCOUNT_BASES[discount.base]}{threshold}", conditions=earned),
        "season": span_text(discount.span) or ALL_YEAR,
        "price": _plain(discount.share * 100),
    }
