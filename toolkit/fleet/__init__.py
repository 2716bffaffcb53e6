"""Many partitions side by side on Dask: processes of this machine, or a cluster."""

from __future__ import annotations

from toolkit.fleet.run import Cluster, run_all

__all__ = ["Cluster", "run_all"]
