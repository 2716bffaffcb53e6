"""More panels, in the shape of what panels there would make."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.climate import City
from toolkit.analytics.energy.solar.output import expected_kwh, with_clear_output
from toolkit.analytics.energy.whatif.profile import Profile
from toolkit.units import NANO

Values = NDArray[np.float64]

_HALF_HOUR_US = 1_800_000_000


def more_panels(profile: Profile, kw: float, city: City, own: tuple[pl.DataFrame, float] | None = None) -> Profile:
    """The home with `kw` more panels; intervals without reads stay without.

    own: half hours with `starts_at` and `generation_kwh`, and the size of the panels that made it: the new ones make
    as much per kW. Without: a clear sky's shape, scaled to what panels in the city typically make.
    """
    at_half = profile.starts_us - profile.starts_us % _HALF_HOUR_US
    halves = np.unique(at_half)
    slots = pl.DataFrame({"starts_at": pl.Series(halves).cast(pl.Datetime("us", "UTC"))})
    made = _like_own(slots, *own) if own else _modelled(slots, city)
    per_interval = made[np.searchsorted(halves, at_half)] * profile.minutes / 30
    nano = np.rint(per_interval * kw * NANO).astype(np.int64)
    return profile.with_generation(np.where(profile.known, nano, 0))


def _modelled(slots: pl.DataFrame, city: City) -> Values:
    """[half hour] → kWh per kW."""
    clear = with_clear_output(slots, city)["clear_kwh"].to_numpy()
    whole = float(clear.sum())
    return np.asarray(clear * (expected_kwh(whole, city, 1.0)["mid"] / whole if whole else 0.0))


def _like_own(slots: pl.DataFrame, made: pl.DataFrame, kw: float) -> Values:
    joined = slots.join(made.select("starts_at", "generation_kwh"), on="starts_at", how="left", maintain_order="left")
    return np.asarray(joined["generation_kwh"].fill_null(0.0).to_numpy() / kw)
