"""What a bill is made of. Amounts in AUD with GST: charges positive, credits negative."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
import polars as pl

from toolkit.answers.energy.bills import PART_LABELS, DayQuantity
from toolkit.answers.energy.high_bill import HighBill
from toolkit.answers.wording.charges import charge_name
from toolkit.charts import style
from toolkit.charts.steps import StepColors, draw_steps
from toolkit.charts.style import LIGHT, Look

COMPONENTS = {
    "supply": "Daily supply",
    "usage": "Usage",
    "demand": "Demand (peak power)",
    "controlled_load": "Controlled load",
    "metering": "Metering",
    "green_power": "Green power",
    "fee": "Fees",
    "discount": "Discounts",
    "feed_in": "Solar exports",
    "concession": "Concessions",
}
LONGEST = 64


def component_label(component: str) -> str:
    """Return the name of a bill component for people."""
    return COMPONENTS.get(component, style.words(component))


def waterfall(components: pl.DataFrame, *, title: str = "How the bill adds up", look: Look = LIGHT) -> go.Figure:
    """Draw steps from nothing to the total, credits going down.

    components: `component` and `amount` [AUD]; drawn in the order of `COMPONENTS`, unknown ones last, without zeros.
    """
    order = {name: place for place, name in enumerate(COMPONENTS)}
    place = pl.col("component").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    steps = components.filter(pl.col("amount") != 0).sort(place, "component", maintain_order=True)
    labels = [style.safe(component_label(name)) for name in steps["component"]] + ["Total"]
    amounts = steps["amount"].cast(pl.Float64).to_list()
    shown = [*amounts, sum(amounts)]
    colors = StepColors(style.CHARGE, style.CREDIT, style.ORANGE)
    return draw_steps(title, labels, shown, colors, look=look)


def difference(answer: HighBill, *, look: Look = LIGHT) -> go.Figure:
    """Draw the steps from an earlier bill to a later one; parts that lower the bill go down."""
    before, now, parts = answer.before, answer.now, answer.parts
    is_stored = answer.billed_before is not None
    earlier = "Earlier bill" if is_stored else "Earlier days"
    labels = [earlier, *(PART_LABELS[part.name] for part in parts), "This bill"]
    amounts = [float(before.total), *(float(part.amount) for part in parts), float(now.total)]
    colors = StepColors(style.VERMILION, style.CREDIT, style.CHARGE)
    title = f"From the earlier {'bill' if is_stored else 'days'} to this bill"
    return draw_steps(title, labels, amounts, colors, from_total=True, cents=True, look=look)


def lines(rows: pl.DataFrame, *, most: int = 15, look: Look = LIGHT) -> go.Figure:
    """Draw one bar per line of the bill, largest first, coloured by component.

    rows: `label`, `component`, `amount` [AUD].
    """
    named = pl.Series("label", [charge_name(label) for label in rows["label"]], pl.String)
    summed = (
        rows.with_columns(named, pl.col("amount").cast(pl.Float64))
        .group_by("component", "label", maintain_order=True)
        .agg(pl.col("amount").sum())
        .filter(pl.col("amount") != 0)
        .sort(pl.col("amount").abs(), descending=True, maintain_order=True)
        .head(most)
    )
    # plotly stacks bars of one name: where two lines share the plan's words, these come with the component
    lines = zip(summed["component"], summed["label"], summed["label"].is_duplicated(), strict=True)
    names = [f"{component_label(name)}: {label}" if is_shared else label for name, label, is_shared in lines]
    labels = [style.safe(name, length=LONGEST) for name in names]
    amounts = summed["amount"].to_list()
    made = style.figure("What costs most", look, height=max(220, 90 + 36 * len(labels)))
    made.add_bar(
        x=amounts,
        y=labels,
        orientation="h",
        marker_color=[style.CREDIT if amount < 0 else style.CHARGE for amount in amounts],
        hovertemplate="%{y}<br>%{x:$,.2f}<extra></extra>",
        name="",
    )
    made.update_layout(showlegend=False)
    made.update_xaxes(title_text="AUD including GST", tickformat=style.MONEY_AXIS)
    made.update_yaxes(autorange="reversed", showgrid=False)
    made.update_yaxes(tickvals=labels, ticktext=[style.wrapped(name) for name in names])
    return style.described(made, [(label, style.aud(value)) for label, value in zip(labels, amounts, strict=True)])


def days(rows: Sequence[DayQuantity], *, look: Look = LIGHT) -> go.Figure:
    """Draw what one price took of each day; all rows have the unit of the first."""
    dates, amounts, unit = [row.date for row in rows], [row.quantity for row in rows], rows[0].unit
    made = style.figure("Day by day", look, height=280)
    made.add_bar(
        x=dates,
        y=amounts,
        marker_color=style.IMPORT,
        hovertemplate=f"%{{x|%-d %b %Y}}<br>%{{y:.3f}} {unit}<extra></extra>",
        name="",
    )
    made.update_layout(showlegend=False)
    made.update_xaxes(tickformat="%-d %b<br>%Y")
    made.update_yaxes(title_text=unit, rangemode="tozero")
    highest = max(range(len(dates)), key=amounts.__getitem__)
    return style.described(made, {"highest": f"{style.day(dates[highest])}, {amounts[highest]:,.3f} {unit}"})
