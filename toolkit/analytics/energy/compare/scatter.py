"""Lines added up by plan and component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.bills.model import COMPONENTS

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Into:
    """Where lines add up: a number for plan and component. layers: lines and their numbers, none twice in a layer."""

    layers: tuple[tuple[Ints, Ints], ...]

    @classmethod
    def of(cls, plans: Ints, components: Ints | int) -> Into:
        number = plans * len(COMPONENTS) + components
        left, layers = np.arange(len(number)), list[tuple[Ints, Ints]]()
        while left.size:
            numbers, firsts = np.unique(number[left], return_index=True)
            layers.append((left[firsts], numbers))
            left = np.delete(left, firsts)
        return cls(tuple(layers))

    def add(self, sums: Ints, cents: Ints) -> None:
        """sums: [plan and component, period]. cents: [line, period]."""
        for lines, numbers in self.layers:
            sums[numbers] += cents.take(lines, axis=0)
