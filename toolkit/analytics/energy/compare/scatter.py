"""Add the lines of many plans up by plan and component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import COMPONENTS

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScatterIndex:
    """For each line the row of the sums that it is added to: plan × number of components + component.

    layers: pairs of (line indices, sum rows). No sum row occurs twice in a layer, so that a plain indexed addition,
    which is much quicker than `np.add.at`, adds every line.
    """

    layers: tuple[tuple[Ints, Ints], ...]

    @classmethod
    def of(cls, plans: Ints, components: Ints | int) -> ScatterIndex:
        number = plans * len(COMPONENTS) + components
        left, layers = np.arange(len(number)), list[tuple[Ints, Ints]]()
        while left.size:
            numbers, firsts = np.unique(number[left], return_index=True)
            layers.append((left[firsts], numbers))
            left = np.delete(left, firsts)
        return cls(tuple(layers))

    def add(self, sums: Ints, cents: Ints) -> None:
        """Add cents [line, period] to sums [plan × components + component, period], in place."""
        for lines, numbers in self.layers:
            sums[numbers] += cents.take(lines, axis=0)
