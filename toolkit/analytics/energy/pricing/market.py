"""Plans compiled for pricing: their charges as arrays, built once and used for every household and billing period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from toolkit.analytics.energy.pricing.arithmetic import Ints
from toolkit.analytics.energy.pricing.columns import Columns
from toolkit.analytics.energy.pricing.ranges import DayRanges, day_ranges_of
from toolkit.analytics.energy.pricing.rows import Clock, Layout, RowReader, Rows, Season
from toolkit.analytics.energy.rates.model import Rates
from toolkit.answers.base import Period


@dataclass(frozen=True, slots=True)
class Market:
    """Plans compiled for pricing, all of one fuel."""

    plans: tuple[Rates, ...]
    rows: Rows
    columns: Columns
    clocks: tuple[Clock, ...]
    seasons: tuple[Season, ...]
    layouts: tuple[Layout, ...]
    days: Ints
    """[row, 2], season and number of a tariff in it: the days that the tariff is charged for."""
    cells: Ints
    """[cell, 4], row of `days`, layout, column of the layout, and the season of the plan's controlled loads."""
    _ranges: dict[tuple[tuple[Period, ...], tuple[Period, ...]], DayRanges] = field(default_factory=dict)

    def ranges(self, periods: Sequence[Period], whole_periods: Sequence[Period] | None = None) -> DayRanges:
        """Return the day ranges of the billing periods, the same for every household (cached)."""
        key = tuple(periods), tuple(whole_periods or periods)
        if key not in self._ranges:
            self._ranges[key] = day_ranges_of(self.seasons, self.days, *key)
        return self._ranges[key]

    @classmethod
    def of(cls, plans: Sequence[Rates]) -> Market:
        """Compile the plans, all of one fuel, into a market."""
        rows = Rows()
        for number, rates in enumerate(plans):
            RowReader(rows, number, rates).read()
        return cls(
            plans=tuple(plans),
            rows=rows,
            columns=Columns.of(rows),
            clocks=tuple(rows.clocks.items),
            seasons=tuple(rows.seasons.items),
            layouts=tuple(rows.layouts.items),
            days=np.array(list(rows.days.items), dtype=np.int64).reshape(-1, 2),
            cells=np.array(list(rows.cells.items), dtype=np.int64).reshape(-1, 4),
        )
