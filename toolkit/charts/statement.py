"""Income and expenses as steps from what comes in to what is left. Amounts in AUD."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import plotly.graph_objects as go

from toolkit.answers.report.income_expenses import IncomeExpenses
from toolkit.charts import style
from toolkit.charts.steps import StepColors, draw_steps
from toolkit.charts.style import LIGHT, Look

SECTION_NAMES = {
    "pay": "Pay",
    "centrelink": "Centrelink",
    "other_income": "Other income",
    "housing": "Housing",
    "energy": "Energy",
    "bills": "Other bills",
    "food": "Food",
    "transport": "Transport",
    "debts": "Debts and repayments",
    "other": "Other spending",
    "gambling": "Gambling",
}


def income_to_left(answer: IncomeExpenses, *, look: Look = LIGHT) -> go.Figure:
    """Draw income, what each section of expenses takes of it, and what is left."""
    sums = section_sums(answer)
    income = [(name, amount) for name, amount in sums if name in ("pay", "centrelink", "other_income")]
    steps = [*income, *((name, -amount) for name, amount in sums[len(income) :])]
    labels = [*(SECTION_NAMES[name] for name, _ in steps), "Left"]
    amounts = [*(float(amount) for _, amount in steps), float(answer.left)]
    colors = StepColors(style.GREEN, style.VERMILION, style.BLUE)
    title, unit = f"From income to what is left, each {answer.per}", f"AUD each {answer.per}"
    return draw_steps(title, labels, amounts, colors, unit=unit, look=look)


def section_sums(answer: IncomeExpenses) -> Sequence[tuple[str, Decimal]]:
    """Return the sum of each section that has lines, in the order of the statement."""
    sums: dict[str, Decimal] = {}
    for line in answer.lines:
        sums[line.section] = sums.get(line.section, Decimal("0.00")) + line.amount
    return list(sums.items())
