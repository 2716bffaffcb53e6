"""`whatif`: a battery, more panels, an electric vehicle, use at other hours, or no gas."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypedDict, Unpack

import click

from toolkit.answers.energy.whatif import WhatIf
from toolkit.cli import options
from toolkit.cli.show import market as show
from toolkit.flows.energy.whatif import OffGas, Size
from toolkit.flows.energy.whatif import whatif as run_whatif
from toolkit.flows.household.context import Context


@click.group()
def whatif() -> None:
    """Calculate what a battery, solar, an electric vehicle, other hours or leaving gas would save."""


class ChangeOptions(TypedDict):
    """Options that every change has."""

    plan: str | None
    price: str | None
    from_: date | None
    to: date | None
    best: bool


class GasOptions(ChangeOptions):
    """Options of leaving gas."""

    hot_water: bool
    heating: bool
    hot_water_efficiency: float
    hot_water_cop: float
    heating_efficiency: float
    heating_cop: float


_SHARE = click.FloatRange(0, 1, min_open=True)
_COP = click.FloatRange(1, 10)


def change(command: Callable[..., WhatIf]) -> Callable[..., None]:
    """Add the options of every change, and print its answer."""
    plan = click.option("--plan", metavar="PLAN", help="Plan: a stored plan's id, or a file [default: today's].")
    price = click.option("--price", metavar="AMOUNT", help="Installed price in AUD after rebates, for the payback.")
    best = click.option(
        "--best", is_flag=True, help="Also on the cheapest plans that this home can have, without and with the change."
    )
    reported = options.reports(show.whatif)(options.data(command))
    return plan(price(best(options.service_point(options.period(reported)))))


@whatif.command("battery")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), required=True, help="Usable capacity in kWh.")
@click.option(
    "--kw", type=click.FloatRange(min=0, min_open=True), help="Power in kW [default: half of the capacity an hour]."
)
@click.option(
    "--efficiency",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Round-trip efficiency, as a share.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="KWH[=AMOUNT]",
    help="Another size in kWh to compare, with its price in AUD: --also 5=6000. Repeat for several.",
)
@change
def battery(
    ctx: Context,
    *,
    kwh: float,
    kw: float | None,
    efficiency: float,
    also: tuple[str, ...],
    **shared: Unpack[ChangeOptions],
) -> WhatIf:
    """Add a battery, run for self-consumption or by the tariff, whichever is cheaper."""
    return run_whatif(ctx, "battery", kwh=kwh, kw=kw, efficiency=efficiency, sizes=list(map(_size, also)), **shared)


def _size(text: str) -> Size:
    kwh, _, price = text.partition("=")
    try:
        return Size(float(kwh), price or None)
    except ValueError:
        raise click.UsageError(f"--also {text!r}: write a size in kWh, with its price behind it: 5=6000.") from None


@whatif.command("solar")
@click.option(
    "--kw", type=click.FloatRange(min=0, min_open=True), required=True, help="Rated size of the added panels in kW."
)
@change
def solar(ctx: Context, *, kw: float, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """Add solar panels."""
    return run_whatif(ctx, "solar", kw=kw, **shared)


@whatif.command("ev")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), help="Energy a day in kWh [default: 7.5].")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), help="Power of the charger in kW [default: 7].")
@click.option("--window", metavar="HH:MM-HH:MM", help="Hours in which it charges [default: 00:00-06:00].")
@change
def ev(
    ctx: Context, *, kwh: float | None, kw: float | None, window: str | None, **shared: Unpack[ChangeOptions]
) -> WhatIf:
    """Add an electric vehicle, charged at home in certain hours."""
    return run_whatif(ctx, "ev", kwh=kwh, kw=kw, window=window, **shared)


@whatif.command("shift")
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    required=True,
    help="Share of the use in --window that moves.",
)
@click.option("--window", metavar="HH:MM-HH:MM", required=True, help="Hours in which less is used.")
@click.option("--to-window", metavar="HH:MM-HH:MM", help="Hours in which it is used instead [default: not at all].")
@change
def shift(ctx: Context, *, share: float, window: str, to_window: str | None, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """Move use to another time of the day, or use less."""
    return run_whatif(ctx, "shift", share=share, window=window, to_window=to_window, **shared)


@whatif.command("gas")
@click.option(
    "--hot-water/--no-hot-water", default=True, show_default=True, help="Whether a heat pump heats the water."
)
@click.option(
    "--heating/--no-heating",
    default=True,
    show_default=True,
    help="Whether reverse-cycle air conditioning heats the rooms.",
)
@click.option(
    "--hot-water-efficiency",
    type=_SHARE,
    default=0.65,
    show_default=True,
    help="Efficiency of the gas water heater, as a share.",
)
@click.option(
    "--hot-water-cop",
    type=_COP,
    default=3.0,
    show_default=True,
    help="COP of the hot-water heat pump: kWh of heat for each kWh of electricity.",
)
@click.option(
    "--heating-efficiency",
    type=_SHARE,
    default=0.9,
    show_default=True,
    help="Efficiency of the gas heating, as a share.",
)
@click.option(
    "--heating-cop",
    type=_COP,
    default=3.8,
    show_default=True,
    help="COP of the reverse-cycle heating: kWh of heat for each kWh of electricity.",
)
@click.option("--window", metavar="HH:MM-HH:MM", help="Hours in which water is heated [default: 10:00-15:00].")
@click.option(
    "--heating-window",
    "to_window",
    metavar="HH:MM-HH:MM",
    help="Hours in which rooms are heated [default: 16:00-22:00].",
)
@change
def gas(ctx: Context, *, window: str | None, to_window: str | None, **more: Unpack[GasOptions]) -> WhatIf:
    """Leave gas: hot water and heating by electricity, without gas bills."""
    shared: ChangeOptions = {
        "plan": more["plan"],
        "price": more["price"],
        "from_": more["from_"],
        "to": more["to"],
        "best": more["best"],
    }
    leaving = OffGas(
        more["hot_water"],
        more["heating"],
        more["hot_water_efficiency"],
        more["hot_water_cop"],
        more["heating_efficiency"],
        more["heating_cop"],
    )
    return run_whatif(ctx, "gas", window=window, to_window=to_window, off_gas=leaving, **shared)
