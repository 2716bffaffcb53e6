"""Where the year's money came from and went (Sankey). Amounts in AUD."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import plotly.graph_objects as go

from toolkit.answers.money import Review
from toolkit.charts import style
from toolkit.charts.spending import OTHER, UNKNOWN
from toolkit.charts.style import LIGHT, Look
from toolkit.tables.reference.categories import category_name

MOST_SOURCES, MOST_GROUPS = 5, 8
POOL, LEFT, SHORT = "Money in", "Left over", "From savings or debt"
BACK, PAID_BACK = "Money back", "Income paid back"
"""Groups and sources that are below zero as far as they exceed the small ones."""
_SHORT = 14
"""Most letters of the name of a bar: on a phone the labels of both sides share the width of the screen."""
_NOTHING = Decimal(0)


def flow_chart(review: Review, *, look: Look = LIGHT) -> go.Figure:
    """Draw who paid, and the groups it was spent on; what is left over, or missing, makes both sides equal."""
    spending = review.spending
    sources = _largest([(row.name or "Not named", row.amount) for row in review.income], MOST_SOURCES)
    groups: dict[str, Decimal] = {}
    for row in spending.rows:
        code = row.primary_category
        name = (spending.category_names.get(code) or category_name(code)) if isinstance(code, str) else UNKNOWN
        groups[name] = groups.get(name, _NOTHING) + row.spent
    spent = _largest(list(groups.items()), MOST_GROUPS)
    if (back := _total(spent) - spending.spent) > 0:
        sources.append((BACK, back))
    if (paid_back := _total(sources) - max(back, _NOTHING) - spending.income) > 0:
        spent.append((PAID_BACK, paid_back))
    left = spending.income - spending.spent
    if left > 0:
        spent.append((LEFT, left))
    elif left < 0:
        sources.append((SHORT, -left))
    labels = [*(name for name, _ in sources), POOL, *(name for name, _ in spent)]
    pool, values = len(sources), [float(value) for _, value in (*sources, *spent)]
    amounts = [style.aud(value, cents=False) for _, value in (*sources, *spent)]
    whole = [f"{style.safe(name)}, {amount}" for (name, _), amount in zip((*sources, *spent), amounts, strict=True)]
    short = [
        f"{style.safe(name, length=_SHORT)} {amount}"
        for (name, _), amount in zip((*sources, *spent), amounts, strict=True)
    ]
    whole.insert(pool, POOL)
    short.insert(pool, "")  # its label would lie over those on the right
    made = style.figure("Where the money came from and went", look, height=max(300, 32 * max(pool, len(spent))))
    made.add_trace(
        go.Sankey(
            arrangement="snap",
            node={
                "label": short,
                "customdata": whole,
                "color": [style.BLUE if number <= pool else style.GREY for number in range(len(labels))],
                "pad": 14,
                "thickness": 14,
                "hovertemplate": "%{customdata}<extra></extra>",
            },
            link={
                "source": [*range(pool), *[pool] * len(spent)],
                "target": [*[pool] * pool, *range(pool + 1, len(labels))],
                "value": values,
                "color": look.grid,  # plotly's own grey leaves no contrast to the labels on dark
                "hovertemplate": "%{source.customdata} → %{target.customdata}<extra></extra>",
            },
            textfont={"size": 12, "color": look.text},
        )
    )
    described = [(style.safe(name), style.aud(value)) for name, value in (*sources, *spent)]
    return style.described(made, described)


def _total(amounts: Sequence[tuple[str, Decimal]]) -> Decimal:
    return sum((value for _, value in amounts), _NOTHING)


def _largest(amounts: Sequence[tuple[str, Decimal]], most: int) -> list[tuple[str, Decimal]]:
    """Return the largest amounts above zero, and the sum of the others under one name.

    What is below zero, such as a group with more refunds than purchases, is taken off the others as far as they go.
    """
    ranked = sorted(amounts, key=lambda pair: (-pair[1], pair[0]))
    kept = [pair for pair in ranked[:most] if pair[1] > 0]
    rest = sum((value for _, value in ranked[len(kept) :]), _NOTHING)
    return [*kept, (OTHER, rest)] if rest > 0 else kept
