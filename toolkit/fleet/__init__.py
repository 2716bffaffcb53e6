"""Analyses of many households in parallel on Dask: processes of this machine, or a cluster."""

from __future__ import annotations

from toolkit.fleet.run import over_households

__all__ = ["over_households"]
