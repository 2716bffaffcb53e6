"""The chart of an answer, whichever it is."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from toolkit.answers.base import Answer
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.plans import Comparison
from toolkit.answers.energy.solar import ServicePointSolar
from toolkit.answers.energy.usage import ServicePointUsage
from toolkit.answers.energy.usage_costs import UsageCosts
from toolkit.answers.money import Cashflow, Spending
from toolkit.charts import cash, forecast, plans, solar, spending, usage
from toolkit.charts.style import LIGHT, Look
from toolkit.errors import FrameError

_GROUPS = ("primary_category", "merchant", "account_id", "tag", "person")
"""Columns of `spending` that say what a row is the sum of."""


def chart(answer: Answer | pl.DataFrame, *, look: Look = LIGHT) -> go.Figure:  # noqa: PLR0911  one a kind of answer
    """Draw an answer as a plotly figure, which an exported notebook shows as SVG.

    Args:
        answer: From `toolkit.usage` (an average day), `toolkit.usage_costs` (the cost of each hour), `toolkit.solar`
            (where generation goes), `toolkit.forecast` (past forecasts and the next bill), `toolkit.compare` or one
            meter of `toolkit.price_all` (plans and their components), `toolkit.spending` (by what was asked for, or by
            month), `toolkit.cashflow` (the balance by day).
        look: Colours: `LIGHT` or `DARK` of `toolkit.charts.style`.

    Returns:
        The figure; its axes name the units.

    Raises:
        FrameError: There is no chart of the answer, or generation is not known.

    Examples:
        >>> figure = toolkit.chart(toolkit.price_all(reads, plans[:3], first, last))
        >>> [bar.name for bar in figure.data]
        ['Daily supply', 'Usage', 'Solar exports']
        >>> figure.layout.xaxis.title.text
        'AUD including GST'
    """
    match answer:
        case pl.DataFrame() if {"plan_id", "total", "reason"} <= set(answer.columns):
            return plans.comparison(answer, look=look)
        case Comparison():
            bars = [plans.PlanBar(plan.name or plan.plan_id, plan.total, plan.components) for plan in answer.plans]
            return plans.comparison(bars, look=look)
        case ServicePointUsage():
            return usage.average_day(answer.average_day.frame(), look=look)
        case UsageCosts():
            return usage.hour_costs(answer, look=look)
        case ServicePointSolar():
            exported = answer.exported_of_generation
            if answer.generation_kwh.values is None or exported is None:
                raise FrameError(f"Generation is not known. {answer.reason or ''}".rstrip())
            return solar.where_it_goes(answer.generation_kwh.values, exported, look=look)
        case Forecast():
            return forecast.fan(answer, look) if answer.past else forecast.next_bill(answer, look=look)
        case Spending():
            rows = answer.rows.frame()
            name = next((column for column in _GROUPS if column in rows.columns), "primary_category")
            draw = spending.by_month if "month" in rows.columns else spending.by_category
            return draw(rows, name=name, look=look)
        case Cashflow():
            return cash.balance(answer.days, answer.low_point, look=look)
    raise FrameError(f"There is no chart of a {type(answer).__name__}. Make a frame with toolkit.table, and draw that.")
