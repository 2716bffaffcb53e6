"""Options that many commands share, and how a command becomes a printed answer."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from datetime import date, datetime, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypedDict, TypeVar, cast
from zoneinfo import ZoneInfo

import click
from click.core import ParameterSource
from msgspec.structs import replace

from toolkit.answers.base import Period
from toolkit.cli.output import A, Show, emit, exit_code, printable, say
from toolkit.errors import SimilarNameError, UsageError
from toolkit.flows.household.context import Context
from toolkit.settings import Settings
from toolkit.settings import load as load_settings
from toolkit.units import DEFAULT_ZONE

if TYPE_CHECKING:
    from toolkit.answers.energy.bills import Blocks, Cut, Discounts

P = ParamSpec("P")
R = TypeVar("R")

YEARS = range(1900, 2200)
"""Years accepted for --today, so that days before and after it are dates too."""


class Billing(TypedDict):
    """Options of `period` and `pricing`, and --plan: the fields of `BillingQuestion`."""

    from_: date | None
    to: date | None
    period: Cut | None
    blocks: Blocks
    discounts: Discounts
    plan: str | None


class Day(click.ParamType[date]):
    """A day as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Parse the day, or fail with a hint."""
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a date like 2026-06-30.", param, ctx)


class DayOrNone(Day):
    """A day as YYYY-MM-DD, or an empty text, which deletes the stored one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the day; an empty text stays."""
        return value if value == "" else super().convert(value, param, ctx)


class FuelName(click.ParamType[str]):
    """`electricity` or `gas`, as the database names them."""

    name = "electricity|gas"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the fuel in capitals, or fail."""
        if str(value).upper() not in ("ELECTRICITY", "GAS"):
            self.fail(f"{value!r} is neither electricity nor gas.", param, ctx)
        return str(value).upper()


class Amount(click.ParamType[Decimal]):
    """A positive amount in AUD with at most two decimal places."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Parse the amount, or fail with a hint."""
        text = str(value).replace("$", "").replace(",", "")
        if not re.fullmatch(r"\d{1,9}(\.\d{1,2})?", text) or not Decimal(text):
            self.fail(f"{value!r} is not an amount in dollars like 350 or 350.00.", param, ctx)
        return Decimal(text)


class Today(Day):
    """A day to look ahead from, and back."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Parse the day, within `YEARS`."""
        given = super().convert(value, param, ctx)
        if given.year not in YEARS:
            self.fail(f"{value!r} lies outside the years {YEARS[0]} to {YEARS[-1]}.", param, ctx)
        return given


AgainstBill = Literal["previous", "last-year"] | Period
"""Another bill to compare with."""


class Against(click.ParamType[AgainstBill]):
    """The bill before, the same time last year, or days as YYYY-MM-DD..YYYY-MM-DD."""

    name = "bill"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> AgainstBill:
        """Parse the bill to compare with, or fail with a hint."""
        if isinstance(value, Period) or value in ("previous", "last-year"):
            return cast(AgainstBill, value)
        first, dots, last = str(value).partition("..")
        if not dots:
            self.fail(f"{value!r} is neither previous, last-year nor days like 2026-01-01..2026-03-31.", param, ctx)
        days = Period(Day().convert(first, param, ctx), Day().convert(last, param, ctx))
        if days.days < 1:
            self.fail(f"The first day {first} is after the last day {last}.", param, ctx)
        return days


class NamedPath(click.Path):
    """A path that is not empty, as that of a variable that is not set would be."""

    def __init__(self, **how: Any) -> None:
        super().__init__(path_type=Path, **how)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty path."""
        if str(value) == "":
            self.fail("is empty: name one.", param, ctx)
        return super().convert(value, param, ctx)


def data(command: Callable[..., R]) -> Callable[..., R]:
    """--db, --today, --household, --json, --debug: the command gets them as one `ctx`."""

    @click.option("--db", type=NamedPath(dir_okay=False), help="Database [default: $TOOLKIT_DB].")
    @click.option("--today", type=Today(), help="The day that “next” and “so far” are counted from [default: today].")
    @click.option("--household", metavar="ID|NAME", help="Household to use, where several are stored.")
    @functools.wraps(command)
    def with_context(*args: Any, db: Path | None, today: date | None, household: str | None, **options: Any) -> R:
        return command(*args, ctx=context(db, today, household, options.pop("service_point", None)), **options)

    return debugged(with_context)


def debugged(command: Callable[P, R]) -> Callable[P, R]:
    """--debug: read by `main`, which alone decides whether a traceback is shown."""
    option = click.option(
        "--debug", is_flag=True, expose_value=False, help="Show the traceback when the command fails."
    )
    return option(command)


def context(db: Path | None, today: date | None, household: str | None, service_point: str | None) -> Context:
    """Return the context of a command from its options and the settings."""
    settings = load_settings({"TOOLKIT_DB": str(db)} if db else {})
    day = today or datetime.now(_zone(settings)).date()
    return Context(settings.db, day, household, service_point, progress=say)


def _zone(settings: Settings) -> tzinfo:
    return ZoneInfo(settings.timezone or DEFAULT_ZONE)


def in_local_time(instant: datetime) -> datetime:
    """Convert an instant to the time zone in which the answer is read."""
    return instant.astimezone(_zone(load_settings({})))


def unless_subcommand(command: Callable[P, None]) -> Callable[..., None]:
    """Run a group's own command where none of its sub-commands is named; then its options stand behind that name."""

    @click.pass_context
    @functools.wraps(command)
    def run(group: click.Context, /, *args: P.args, **options: P.kwargs) -> None:
        if group.invoked_subcommand is None:
            command(*args, **options)
        elif any(group.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in group.params):
            raise click.UsageError(f"Put options after {group.invoked_subcommand}.")

    return run


def new_household(command: Callable[P, R]) -> Callable[P, R]:
    """--new: reaches the command as `new`; see `asking_if_new`."""
    return click.option("--new", is_flag=True, help="Let --household be a new name that is close to an existing one.")(
        command
    )


def asking_if_new(ctx: Context, run: Callable[[Context], R], *, new: bool) -> R:
    """Run with a household that may be new; where it nearly has the name of another, ask on a terminal."""
    try:
        return run(replace(ctx, new_household=new))
    except SimilarNameError as slip:
        question = f"No household is called {ctx.household!r}, but there is {', '.join(slip.choices)}. Make a new one?"
        if not sys.stdin.isatty() or not click.confirm(printable(question), err=True):
            raise
        return run(replace(ctx, new_household=True))


def period(command: Callable[P, R]) -> Callable[P, R]:
    """--from and --to, both inclusive. Raises UsageError where the first day is after the last."""

    @functools.wraps(command)
    def in_order(*args: P.args, **options: P.kwargs) -> R:
        first, last = options["from_"], options["to"]
        if isinstance(first, date) and isinstance(last, date) and first > last:
            raise UsageError(f"--from {first} is after --to {last}.")
        return command(*args, **options)

    first = click.option("--from", "from_", type=Day(), help="First day, inclusive.")
    last = click.option("--to", type=Day(), help="Last day, inclusive.")
    return first(last(in_order))


def pricing(command: Callable[P, R]) -> Callable[P, R]:
    """--period, --blocks, --discounts: how a bill is made where the person may choose."""
    cut = click.option(
        "--period",
        type=click.Choice(["whole", "month", "invoice"]),
        help="Billing periods: the whole range, calendar months, or those of the invoices.",
    )
    blocks = click.option(
        "--blocks",
        type=click.Choice(["pooled", "daily"]),
        default="pooled",
        show_default=True,
        help="Blocks (tiers) that a plan states by day: pooled over the billing period, or day by day.",
    )
    discounts = click.option(
        "--discounts",
        type=click.Choice(["all", "guaranteed", "none"]),
        default="guaranteed",
        show_default=True,
        help="Discounts that count: all, those without conditions, or none.",
    )
    return cut(blocks(discounts(command)))


def service_point(command: Callable[P, R]) -> Callable[P, R]:
    """--service-point: reaches the command inside its `ctx`."""
    option = click.option(
        "--service-point", metavar="ID", help="Service point (id or NMI) to use, where several are stored."
    )
    return option(command)


def reports(show: Show[A]) -> Callable[[Callable[..., A]], Callable[..., None]]:
    """Add --json, print the answer, and end with the exit code that it asks for. show: makes text of the answer."""

    def decorate(command: Callable[..., A]) -> Callable[..., None]:
        @click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
        @functools.wraps(command)
        def run(*args: Any, as_json: bool, **options: Any) -> None:
            answer = command(*args, **options)
            emit(answer, as_json=as_json, show=show)
            sys.exit(exit_code(answer))

        return run

    return decorate
