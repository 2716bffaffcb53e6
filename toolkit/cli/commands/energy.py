"""Power and gas: usage, bills, the next bill, solar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolkit.cli import options

if TYPE_CHECKING:
    from datetime import date

    from toolkit.cli.output import Answer
    from toolkit.flows.household.context import Context


@click.command()
@options.service_point
@options.period
@options.reports("energy.usage")
@options.data
def usage(ctx: Context, **how: Any) -> Answer:
    """When energy is used: totals by register, average days, base load, peak, coverage."""
    from toolkit.flows.energy.usage import usage as run

    return run(ctx, **how)


@click.command()
@click.option("--plan", metavar="PLAN", help="Plan id in the store, or a file or folder [default: the one in force].")
@options.pricing
@options.service_point
@options.period
@click.option("--by-day", is_flag=True, help="Also what each price took of each day.")
@click.option("--reads", type=options.Day(), help="Also each read of that day, with the price it falls under.")
@options.reports("energy.bill")
@options.data
def bill(ctx: Context, *, by_day: bool, reads: date | None, **how: Any) -> Answer:
    """Price the reads on a plan, line by line; --by-day and --reads follow a line back to the meter."""
    from toolkit.flows.energy.bill import bill as run
    from toolkit.flows.energy.bill_trace import bill_trace

    answer = run(ctx, **how)
    followed = bill_trace(ctx, **how, day=reads) if by_day or reads else {}
    wanted = [name for name, asked in (("by_day", by_day), ("reads", reads)) if asked]
    return answer | {name: followed[name] for name in wanted}


@click.command()
@click.option("--plan", metavar="PLAN", help="Plan id in the store, or a file [default: the one in force].")
@options.service_point
@options.reports("energy.forecast")
@options.data
def forecast(ctx: Context, **how: Any) -> Answer:
    """The next bill, with its range, and how such forecasts fared on the household's own past."""
    from toolkit.flows.energy.forecast import forecast as run

    return run(ctx, **how)


@click.command()
@click.option("--panels-kw", type=click.FloatRange(min=0, min_open=True), help="Rated size of the panels in kW.")
@click.option("--postcode", help="Where the home is.")
@options.service_point
@options.period
@options.reports("energy.solar")
@options.data
def solar(ctx: Context, **how: Any) -> Answer:
    """What the panels make, how much is used at home, and what it is worth."""
    from toolkit.flows.energy.solar import solar as run

    return run(ctx, **how)


COMMANDS = (usage, bill, forecast, solar)
