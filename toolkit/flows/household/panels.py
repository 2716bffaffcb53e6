"""What a person knows of the panels: sizes, arrays with their orientation, inverter and battery; checked and stored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from toolkit.answers.households import PanelArray
from toolkit.errors import UsageError
from toolkit.tables.schema.identity import HouseholdRow

FACINGS = {
    name: 45.0 * place
    for place, name in enumerate(
        ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
    )
}
"""Compass points → degrees clockwise from north."""
_SHORT = {"".join(part[0] for part in name.split("-")): azimuth for name, azimuth in FACINGS.items()}
_EXAMPLE = "size, direction and tilt, for example 4.4:north-east:22"


def checked_panels_kw(value: object) -> float:
    """Return the size of the solar panels in kW, 0 for none. Raises UsageError for an invalid size."""
    return _size(value, "panel size", "kilowatts, for example 6.6")


def checked_inverter_kw(value: object) -> float:
    """Return the inverter's rated output in kW. Raises UsageError for an invalid one."""
    return _size(value, "inverter size", "kilowatts, for example 5")


def checked_battery_kwh(value: object) -> float:
    """Return the battery's capacity in kWh, 0 for none. Raises UsageError for an invalid one."""
    return _size(value, "battery size", "kilowatt hours, for example 10; 0 for none")


def _size(value: object, what: str, expected: str) -> float:
    try:
        size = float(str(value))
    except ValueError as error:
        raise UsageError(f"{value!r} is not a valid {what} ({expected}).") from error
    if not 0 <= size < 10_000:
        raise UsageError(f"{value!r} is not a valid {what} ({expected}).")
    return size


def arrays_as_json(value: object) -> str | None:
    """Return arrays as stored, from texts `4.4:north-east:22` (a sequence, or one text with semicolons).

    Each is size in kW, the direction that it faces (compass point or degrees) and tilt in degrees; the last two may be
    left out. None where every text is empty. Raises UsageError for one that cannot be read.
    """
    texts = value.split(";") if isinstance(value, str) else list(value) if isinstance(value, Sequence) else [str(value)]
    arrays = [_array(str(text).strip()) for text in texts if str(text).strip()]
    return json.dumps([[array.kw, array.azimuth, array.tilt] for array in arrays]) if arrays else None


def _array(text: str) -> PanelArray:
    size, facing, tilt = (*(part.strip() for part in text.split(":")), "", "")[:3]
    named = re.sub(r"[ _]+", "-", facing.lower())
    azimuth = FACINGS.get(named, _SHORT.get(named))
    try:
        kw = checked_panels_kw(re.sub(r"(?i) *kw$", "", size))
        azimuth = float(facing.rstrip("°")) if facing and azimuth is None else azimuth
        degrees = float(tilt.rstrip("°")) if tilt else None
    except ValueError as error:
        raise UsageError(f"{text!r} is not a valid array ({_EXAMPLE}).") from error
    if text.count(":") > 2 or not -360 <= (azimuth or 0) <= 360 or not 0 <= (degrees or 0) <= 90 or not kw:
        raise UsageError(f"{text!r} is not a valid array ({_EXAMPLE}).")
    return PanelArray(kw, None if azimuth is None else azimuth % 360, degrees)


def arrays_of(household: HouseholdRow) -> tuple[PanelArray, ...]:
    """Return the arrays stored for a household."""
    return tuple(PanelArray(*values) for values in json.loads(household.arrays or "[]"))


def as_text(array: PanelArray) -> str:
    """Return an array as people type it: `4.4:north-east:22`."""
    facing = next((name for name, azimuth in FACINGS.items() if azimuth == array.azimuth), None)
    if facing is None and array.azimuth is not None:
        facing = f"{array.azimuth:g}"
    parts = (f"{array.kw or 0:g}", facing or "", "" if array.tilt is None else f"{array.tilt:g}")
    return ":".join(parts).rstrip(":")
