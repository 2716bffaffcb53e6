"""Measured homes from a folder that is not part of the project: `index.json` and one CSV of reads a home."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

from tests.truth.forecasts.homes import Home


def measured_homes(folder: Path, count: int | None = None) -> Iterator[Home]:
    """Yield the homes of a folder, each as half hours; a day counts as read where at most an hour is missing."""
    for entry in json.loads((folder / "index.json").read_text())[:count]:
        reads = pl.read_csv(folder / entry["file"], schema_overrides={"import_kwh": pl.Float64})
        starts = reads["start"].str.to_datetime("%Y-%m-%dT%H:%M")
        written = reads["start"].sort()
        begin, end = (date.fromisoformat(str(day)[:10]) for day in (written[0], written[-1]))
        days = (end - begin).days + 1
        half_hours = (starts.dt.epoch("s").to_numpy() - (begin - date(1970, 1, 1)).days * 86_400) // 1800
        energy, counts = np.zeros(days * 48), np.zeros(days * 48)
        np.add.at(energy, half_hours, reads["import_kwh"].fill_null(0).to_numpy())
        np.add.at(counts, half_hours, reads["import_kwh"].is_not_null().to_numpy())
        read = (counts.reshape(days, 48) > 0).sum(axis=1) >= 46
        bought = energy.reshape(days, 48)
        yield Home(f"measured {entry['country']}", 0, begin, bought, np.zeros_like(bought), read)
