"""The week of prices as a figure."""

from __future__ import annotations

import polars as pl

from toolkit.charts import plans, style

WEEK = pl.DataFrame(
    {
        "weekday": [0, 0, 1, 1],
        "minute": [0, 30, 0, 30],
        "cents": [22.0, 44.0, None, 22.0],
        "label": ["Off <b>peak", "Peak", None, "Off <b>peak"],
        "stepped": [False, True, False, False],
    }
)


def test_days_stand_beside_each_other_and_a_gap_stays_blank():
    (heat,) = plans.price_map(WEEK).data
    assert list(heat.x) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert [list(row)[:3] for row in heat.z] == [[22.0, None, None], [44.0, 22.0, None]]


def test_what_it_says_is_escaped_and_names_the_first_step():
    (heat,) = plans.price_map(WEEK, unit="MJ").data
    assert heat.customdata[0][0] == "Mon 00:00<br>22.00 c/MJ<br>Off &lt;b&gt;peak"
    assert heat.customdata[1][0] == "Mon 00:30<br>44.00 c/MJ, first step<br>Peak"
    assert heat.customdata[0][1] == "Tue 00:00<br>no price"


def test_it_stands_on_its_own_in_both_looks():
    for look in (style.LIGHT, style.DARK):
        made = plans.price_map(WEEK, look=look)
        assert made.layout.template.layout.paper_bgcolor == look.background
        assert style.alt(made) == "Price through the week. Off <b>peak: 22.00 c/kWh; Peak: 44.00 c/kWh."
