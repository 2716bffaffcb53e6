"""Which roofs a home can have: arrays of panels, and what each would generate under a clear sky."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolkit.analytics.energy.solar.sun import Plane, Sun, clear_sky_planes

__all__ = ["CANDIDATES", "Array", "Roof", "clear_kwh", "roof_of"]

Values = NDArray[np.float64]


class Array(NamedTuple):
    """Panels that face one way. kw: rated size; azimuth: degrees clockwise from north; tilt: degrees from level.

    None where not known.
    """

    kw: float | None = None
    azimuth: float | None = None
    tilt: float | None = None


@dataclass(frozen=True, slots=True)
class Roof:
    """Planes with panels on them, and the share of the panels on each."""

    planes: tuple[Plane, ...]
    shares: tuple[float, ...] = (1.0,)


def _even(*planes: Plane) -> Roof:
    return Roof(planes, tuple(1 / len(planes) for _ in planes))


CANDIDATES = (
    *(_even(Plane(tilt, azimuth)) for tilt in (10.0, 20.0, 30.0) for azimuth in range(-135, 136, 45)),
    *(_even(Plane(20.0, azimuth)) for azimuth in (-60.0, -30.0, 30.0, 60.0, 180.0)),
    *(_even(Plane(tilt, azimuth)) for tilt in (10.0, 30.0) for azimuth in (-30.0, 30.0)),
    _even(Plane(0.0, 0.0)),
    *(_even(Plane(tilt, -90.0), Plane(tilt, 90.0)) for tilt in (12.0, 25.0)),
    *(_even(Plane(20.0, 0.0), Plane(20.0, side)) for side in (-90.0, 90.0)),
)
"""Roofs that an unknown one is likened to: all ways, three tilts, level, and even splits over two sides."""

_USUAL_TILT = 20.0


def roof_of(arrays: tuple[Array, ...]) -> Roof | None:
    """Return the roof that arrays describe; None where an orientation is not known, or the sizes of several are not."""
    if not arrays or any(array.azimuth is None for array in arrays):
        return None
    sizes = [array.kw for array in arrays]
    known = [size for size in sizes if size]
    if len(arrays) > 1 and len(known) < len(sizes):
        return None
    shares = tuple(size / sum(known) for size in known) if len(arrays) > 1 else (1.0,)
    planes = tuple(Plane(_USUAL_TILT if array.tilt is None else array.tilt, array.azimuth or 0.0) for array in arrays)
    return Roof(planes, shares)


def clear_kwh(sun: Sun, roofs: tuple[Roof, ...]) -> Values:
    """Return kWh per kW of panels in each half hour under a clear sky, without losses; axes: roof, half hour."""
    planes = list({plane for roof in roofs for plane in roof.planes})
    by_plane = {plane: sky / 2000 for plane, sky in zip(planes, clear_sky_planes(sun, planes), strict=True)}
    return np.array(
        [sum(share * by_plane[plane] for plane, share in zip(roof.planes, roof.shares, strict=True)) for roof in roofs]
    )
