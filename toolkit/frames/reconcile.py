"""Are the bills right? Each recomputed from one home's reads and its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

import polars as pl

from toolkit.analytics.energy.bills import Options, Period, PlanSegment, Usage, prepare
from toolkit.analytics.energy.plans.in_force import InForce, named_in_force
from toolkit.analytics.energy.rates import compile_plan
from toolkit.analytics.energy.reconcile import (
    BilledInvoice,
    Metered,
    Recomputed,
    checked_invoice,
    conventions_of,
    judge,
    recompute,
)
from toolkit.answers.energy.invoices import Reconciliation
from toolkit.errors import FrameError, PricingError
from toolkit.frames.checks import FrameLike, checked, checked_reads, column, polars_frame, refuse_where
from toolkit.frames.holidays import holidays_for
from toolkit.frames.money import cents_of
from toolkit.tables.rows.plans import Fuel, Plan
from toolkit.units import DEFAULT_ZONE


@checked
def reconcile(  # noqa: PLR0913 - the columns of a frame, and what a bill depends on
    reads: FrameLike,
    plan: Plan | Sequence[Plan],
    bills: FrameLike,
    *,
    first: str = "from",
    last: str = "to",
    amount: str = "amount",
    number: str | None = None,
    since: date | None = None,
    fuel: Fuel = "ELECTRICITY",
    zone: str = DEFAULT_ZONE,
    state: str | None = None,
) -> Reconciliation:
    """Check one home's bills against its reads, as the command `toolkit reconcile` does.

    Args:
        reads: Interval reads of one service point: frame `reads`, from `toolkit.reads` or `toolkit.read_usage`.
        plan: The home's plan, or its versions, each priced from its first day on.
        bills: A row for each bill: a polars or pandas DataFrame, an Arrow table or a DuckDB result.
        first: Column of the first day of each bill.
        last: Column of its last day, inclusive.
        amount: Column of what is due for these days, AUD with GST.
        number: Column of the bill's number. Default: without.
        since: Since when the home is on the plan. Default: the first day of the bills.
        fuel: Fuel of the reads; gas reads are in MJ.
        zone: IANA time zone of the home.
        state: State of the public holidays, for plans with windows that name them: ACT, NSW, NT, QLD, SA, TAS, VIC or
            WA. Default: the state of the plan's network, else of the time zone, which is warned about.

    Returns:
        The checked bills, in order of their days: verdict, difference and causes of each, AUD. A bill "differs" only
        where the plan and its prices are known for every day of it; else it "cannot be checked". The verdicts are
        `agrees`, `differs` and `cannot check`. `toolkit.table(answer, "invoices")` is a frame.

    Raises:
        FrameError: The reads are not those of one service point and fuel, a column is missing, days are not dates or
            not in order, or amounts are not whole cents.
        PricingError: A plan prices no such energy.

    Source:
        The rules by which a published plan becomes a bill: toolkit/docs/pricing-rules.md

    Examples:
        >>> bills = pl.DataFrame(
        ...     {
        ...         "from": [date(2026, 4, 1), date(2026, 5, 1)],
        ...         "to": [date(2026, 4, 30), date(2026, 5, 31)],
        ...         "amount": [155.10, 200.00],
        ...     }
        ... )
        >>> checked = toolkit.reconcile(reads, plan, bills)
        >>> toolkit.table(checked, "invoices").select("from", "billed", "recomputed", "difference", "verdict")
        shape: (2, 5)
        ┌────────────┬───────────────┬───────────────┬───────────────┬─────────┐
        │ from       ┆ billed        ┆ recomputed    ┆ difference    ┆ verdict │
        │ ---        ┆ ---           ┆ ---           ┆ ---           ┆ ---     │
        │ date       ┆ decimal[38,2] ┆ decimal[38,2] ┆ decimal[38,2] ┆ str     │
        ╞════════════╪═══════════════╪═══════════════╪═══════════════╪═════════╡
        │ 2026-04-01 ┆ 155.10        ┆ 155.10        ┆ 0.00          ┆ agrees  │
        │ 2026-05-01 ┆ 200.00        ┆ 177.68        ┆ 22.32         ┆ differs │
        └────────────┴───────────────┴───────────────┴───────────────┴─────────┘
    """
    checked = checked_reads(reads, fuel=fuel)
    versions = [plan] if isinstance(plan, Plan) else sorted(plan, key=lambda one: one.first_day or date.min)
    if not versions:
        raise FrameError("plan= names no plan.")
    invoices = _invoices(polars_frame(bills), (first, last, amount, number))
    usage = prepare(checked, zone=zone, unit="MJ" if fuel == "GAS" else "kWh")
    began = since or min((invoice.period.first for invoice in invoices), default=None)
    done = []
    for invoice in invoices:
        parts = named_in_force(versions[-1], versions, began, (invoice.period.first, invoice.period.last))
        done.append(_recomputed(invoice, usage, parts, fuel=fuel, zone=zone, state=state))
    conventions = conventions_of(invoices, [None] * len(invoices))
    point = [str(checked["service_point_id"][0])] if checked.height else []
    answers = [
        checked_invoice(
            each, point, judge(each, conventions), None, [other for other in invoices if other is not each.invoice]
        )
        for each in done
    ]
    verdicts = Counter(invoice.verdict for invoice in answers)
    return Reconciliation(
        invoices=tuple(answers),
        accounts=(),
        switches=(),
        agrees=verdicts["agrees"],
        differs=verdicts["differs"],
        cannot_check=verdicts["cannot check"],
        problems=(),
    )


def _recomputed(
    invoice: BilledInvoice, usage: Usage, parts: Sequence[InForce], *, fuel: Fuel, zone: str, state: str | None
) -> Recomputed:
    segments = [PlanSegment(compile_plan(part.chosen.plan, fuel), Period(part.first, part.last)) for part in parts]
    for segment in segments:
        if not segment.rates.priceable:
            raise PricingError(segment.rates.plan_id, "; ".join(each.reason for each in segment.rates.problems))
    plans, rates = [part.chosen.plan for part in parts], [segment.rates for segment in segments]
    holidays = holidays_for(plans, rates, invoice.period, state=state, zone=zone)
    return recompute(invoice, [Metered(usage, tuple(segments), Options(holidays=holidays))], parts)


def _invoices(bills: pl.DataFrame, names: tuple[str, str, str, str | None]) -> list[BilledInvoice]:
    """Return the rows in order of their days."""
    first, last, amount, number = names
    begins, ends = (_days(column(bills, name, argument)) for name, argument in ((first, "first"), (last, "last")))
    refuse_where(begins > ends, begins, f"lies after its last day in column {last!r}")
    cents = cents_of(column(bills, amount, "amount"))
    numbers = [None] * bills.height if number is None else column(bills, number, "number").cast(pl.String).to_list()
    rows = zip(begins.to_list(), ends.to_list(), cents.to_list(), numbers, strict=True)
    invoices = [BilledInvoice(name, None, Period(begin, end), minor) for begin, end, minor, name in rows]
    return sorted(invoices, key=lambda invoice: (invoice.period.first, invoice.period.last))


def _days(values: pl.Series) -> pl.Series:
    refuse_where(values.is_null(), values, "where a date is needed")
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.date()
    if values.dtype != pl.Date:
        kind = "text" if values.dtype == pl.String else values.dtype
        raise FrameError(f"Column {values.name!r} holds {kind}, and dates are needed.")
    return values
