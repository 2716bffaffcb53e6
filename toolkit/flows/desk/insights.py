"""What needs attention: `insights`, and what a person decided about it."""

from __future__ import annotations

from datetime import date

from toolkit.analytics.insights import shown
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.insights import DeskLowPoint, Insight, Insights
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.desk.figures import current_figures
from toolkit.flows.desk.stored import stored_figures
from toolkit.flows.household.context import Context, open_home
from toolkit.store import Store
from toolkit.tables.schema.desk import InsightDecisionRow


def insights(ctx: Context) -> Insights:
    """Return what needs attention, most important first, at most five (`insights`); what is done or put off is not."""
    figures = current_figures(ctx)
    with open_home(ctx) as (store, household):
        return Insights(insights=_shown(store, household.household_id, figures.insights, ctx.today))


def stored_insights(ctx: Context) -> tuple[Insights, date] | None:
    """Return the insights as last worked out, with the day that they are for; None before the first time."""
    with open_home(ctx) as (store, household):
        known = stored_figures(store, household.household_id)
        if known is None:
            return None
        figures, _ = known
        chosen = _shown(store, household.household_id, figures.insights, ctx.today)
        return Insights(insights=chosen), figures.as_of


def stored_low_point(ctx: Context) -> DeskLowPoint | None:
    """Return the day with the lowest balance ahead; None where it is not known or was not worked out today."""
    with open_home(ctx) as (store, household):
        known = stored_figures(store, household.household_id)
        return known[0].low_point if known and known[0].as_of == ctx.today else None


def stored_next_bills(ctx: Context) -> dict[str, Forecast]:
    """Return the forecast of the next bill of each meter, by service point, as last worked out."""
    with open_home(ctx) as (store, household):
        known = stored_figures(store, household.household_id)
        return {bill.service_point_id: bill for bill in known[0].next_bills} if known else {}


def decide(ctx: Context, insight_id: str, *, until: date | None = None) -> Insights:
    """Keep that an insight is done, or put off until a day, and return those left (`insights done|later`).

    Raises ChoiceRequiredError for an id that is not among those in force, UsageError where `until` is not after today.
    """
    if until is not None and until <= ctx.today:
        raise UsageError(f"{until} is not after {ctx.today}. Choose a later day.")
    figures = current_figures(ctx)
    in_force = {insight.id: insight for insight in figures.insights}
    if insight_id not in in_force:
        raise ChoiceRequiredError(f"Nothing that needs attention has the id {insight_id!r}.", list(in_force))
    decided = [each for each in (insight_id, in_force[insight_id].also) if each]
    with open_home(ctx) as (store, household):
        home = household.household_id
        rows = [{"household_id": home, "insight_id": each, "until": until} for each in decided]
        store.upsert("insight_decisions", rows)
        return Insights(insights=_shown(store, home, figures.insights, ctx.today))


def _shown(store: Store, household_id: str, found: list[Insight], today: date) -> tuple[Insight, ...]:
    decided = {row.insight_id: row.until for row in store.load(InsightDecisionRow, household_id)}
    return shown(found, decided, today)
