"""Analyses over many households, side by side on Dask: this machine's processes, or a cluster by its address."""

from __future__ import annotations

from toolkit.fleet.run import over_households

__all__ = ["over_households"]
