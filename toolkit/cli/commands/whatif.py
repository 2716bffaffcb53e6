"""`whatif`: a battery, more panels, an electric vehicle, or use at other hours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TypedDict, Unpack

import click

from toolkit.answers.energy.whatif import WhatIf
from toolkit.cli import options
from toolkit.cli.show import market as show
from toolkit.flows.energy.whatif import whatif as run_whatif
from toolkit.flows.household.context import Context


@click.group()
def whatif() -> None:
    """Work out what a battery, solar, a vehicle or other hours would save."""


class ChangeOptions(TypedDict):
    """Options that every change has."""

    plan: str | None
    price: str | None
    from_: date | None
    to: date | None


def change(command: Callable[..., WhatIf]) -> Callable[..., None]:
    """Add the options of every change, and print its answer."""
    plan = click.option("--plan", metavar="PLAN", help="Plan id in the store, or a file [default: today's].")
    price = click.option("--price", metavar="AMOUNT", help="Cost of the change, for the payback.")
    reported = options.reports(show.whatif)(options.data(command))
    return plan(price(options.service_point(options.period(reported))))


@whatif.command("battery")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), required=True, help="Usable size.")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), help="Power [default: half of the size an hour].")
@click.option(
    "--efficiency",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.9,
    show_default=True,
    help="Share of the stored energy that comes back.",
)
@change
def battery(
    ctx: Context, *, kwh: float, kw: float | None, efficiency: float, **shared: Unpack[ChangeOptions]
) -> WhatIf:
    """A battery, run for self-consumption or by the tariff, whichever is cheaper."""
    return run_whatif(ctx, "battery", kwh=kwh, kw=kw, efficiency=efficiency, **shared)


@whatif.command("solar")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), required=True, help="Rated size of more panels.")
@change
def solar(ctx: Context, *, kw: float, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """More panels."""
    return run_whatif(ctx, "solar", kw=kw, **shared)


@whatif.command("ev")
@click.option("--kwh", type=click.FloatRange(min=0, min_open=True), help="Energy a day [default: 7.5].")
@click.option("--kw", type=click.FloatRange(min=0, min_open=True), help="Power of the charger [default: 7].")
@click.option("--window", metavar="HH:MM-HH:MM", help="When it charges [default: 00:00-06:00].")
@change
def ev(
    ctx: Context, *, kwh: float | None, kw: float | None, window: str | None, **shared: Unpack[ChangeOptions]
) -> WhatIf:
    """An electric vehicle, charged at home in a window."""
    return run_whatif(ctx, "ev", kwh=kwh, kw=kw, window=window, **shared)


@whatif.command("shift")
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), required=True, help="Share of that use, 0 to 1.")
@click.option("--window", metavar="HH:MM-HH:MM", required=True, help="Hours in which less is used.")
@click.option("--to-window", metavar="HH:MM-HH:MM", help="Hours in which it is used instead [default: not at all].")
@change
def shift(ctx: Context, *, share: float, window: str, to_window: str | None, **shared: Unpack[ChangeOptions]) -> WhatIf:
    """Use at another time of the day, or less use."""
    return run_whatif(ctx, "shift", share=share, window=window, to_window=to_window, **shared)
