"""The answers that sections are made from, each worked out once, and the texts they share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from msgspec.structs import replace

from toolkit.answers.base import Note
from toolkit.answers.energy.invoices import CheckedInvoice
from toolkit.answers.energy.plans import Comparison, PlanCost
from toolkit.answers.report.income_expenses import GAS_PAID, IncomeExpenses, StatementPer
from toolkit.charts.style import day
from toolkit.errors import ToolkitError
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.reconcile import reconcile
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import fuel_of, service_points
from toolkit.flows.plans.here import plan_prices
from toolkit.flows.report.income_expenses import EnergyForecast, energy_forecasts, income_expenses
from toolkit.flows.wording import with_local_dates
from toolkit.remedies import without_remedies

PLAIN_NOTES = frozenset(
    (
        *(
            "substituted_reads",
            "missing_reads",
            "missing_at_edge",
            "missing_reads_compared",
            "estimated_use",
            "energy_from_bills",
        ),
        *("too_old_to_forecast", "too_few_days_to_forecast", "few_past_bills", "short_history", "empty_meter"),
        *("long_gap", "night_use_rose", "year_other_days", "year_not_the_sum"),
        *("no_reads", "too_old_for_year", "too_few_days_for_year", "part_of_year", "most_of_year"),
        *("prices_old", "place_unknown", "network_not_known", "network_missing", "place_missing"),
        *("current_plan_unknown", "current_plan_incomplete", "embedded_network", "concession_lapsed"),
        *("choice_in_wa", "choice_in_nt", "choice_in_tas", "choice_in_regional_qld", "prices_will_change"),
        *("use_rose", "use_fell", "solar_began", "roof_assumed", "sunshine_of_sydney", "repayments_hold_principal"),
        *("statement_without_transactions", "statement_whole_cycles", "statement_of_few_days"),
        *("cash_may_count_twice", "debt_grew"),
        *("account_part_known", "own_name_not_counted"),
    )
)
"""Notes that somebody who gets the report needs; how a plan was read is not among them."""


_SENTENCE_START = re.compile(r"(?<=[a-z][.!?] )[a-z]")
"""What was the middle of a sentence, before its remedy was left out."""
COMPARED = 40
"""Cheapest plans that a comparison lists; the report leaves out those that read alike."""


@dataclass(frozen=True)
class Compared:
    """The comparison of one meter, or the reason why there is none. meter: as the report names it."""

    meter: str
    answer: Comparison | None
    reason: str = ""


NO_PLACE = "The postcode of this home is not stored, so it is not known which plans it can get, and none is compared."


@dataclass(frozen=True)
class Material:
    """What one report is made from. from_, to: days asked for, inclusive; per: of income and expenses."""

    ctx: Context
    from_: date | None
    to: date | None
    per: StatementPer

    @cached_property
    def meters(self) -> list[tuple[str, str, str]]:
        """Return id, fuel and name of each meter of the home."""
        with open_home(self.ctx) as (store, household):
            points = [(point.id, fuel_of(point)) for point in service_points(store, household)]
        fuels = [fuel for _, fuel in points]
        return [
            (id_, fuel, fuel.capitalize() + ("" if fuels.count(fuel) == 1 else f", meter ending {id_[-4:]}"))
            for id_, fuel in points
        ]

    @cached_property
    def has_postcode(self) -> bool:
        """Return whether the home's postcode is stored, which tells the plans that are offered there."""
        with open_home(self.ctx) as (_store, household):
            return household.postcode is not None

    @cached_property
    def statement(self) -> IncomeExpenses:
        """Return income and expenses of the days."""
        return income_expenses(self.ctx, from_=self.from_, to=self.to, per=self.per, forecasts=self.forecasts)

    @property
    def gas_from_bank(self) -> str | None:
        """Return the sentence that gas is known from bank payments alone; None where it is not."""
        return next((worded(note) for note in self.statement.notes if note.code == GAS_PAID), None)

    @cached_property
    def forecasts(self) -> list[EnergyForecast]:
        """Return the forecast of each meter."""
        return energy_forecasts(self.ctx)

    @cached_property
    def comparisons(self) -> list[Compared]:
        """Return the comparison of plans for each meter."""
        made = []
        for point, _, name in self.meters:
            try:
                if not plan_prices(self.ctx).place_known:
                    made.append(Compared(name, None, NO_PLACE))
                    continue
                answer = compare(replace(self.ctx, service_point=point), top=COMPARED, distinct=True)
                made.append(Compared(name, answer))
            except ToolkitError as error:
                made.append(Compared(name, None, worded(error)))
        return made

    @cached_property
    def invoices(self) -> tuple[CheckedInvoice, ...]:
        """Return the checked bills of the days; none where there is nothing to check."""
        return reconcile(self.ctx, from_=self.from_, to=self.to).invoices


def worded(text: object) -> str:
    """Return a message or note as somebody reads it who has the report alone: local dates, no command or page."""
    said = with_local_dates(without_remedies(text)).strip()
    return _SENTENCE_START.sub(lambda start: start[0].upper(), said)


def plain_notes(notes: Iterable[Note]) -> list[str]:
    """Return the notes that a reader of the report needs, each once."""
    sentences = dict.fromkeys(worded(note) for note in notes if note.code in PLAIN_NOTES)
    return [sentence for sentence in sentences if sentence]


def span(first: date | None, last: date | None) -> str:
    """Word a range of days."""
    return " to ".join(day(end) for end in (first, last) if end)


def plan_name(plan: PlanCost) -> str:
    """Return the name of a plan with its retailer."""
    name = plan.name or plan.plan_id
    return f"{name} ({plan.retailer})" if plan.retailer and plan.retailer.casefold() not in name.casefold() else name
