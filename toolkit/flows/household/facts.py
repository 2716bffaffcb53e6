"""What a person says of a home, checked and stored: where it is, its plan, its bills and its panels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from toolkit.answers.households import PanelArray
from toolkit.errors import UsageError
from toolkit.flows.typed_days import check_day
from toolkit.tables.reference import places
from toolkit.tables.schema import Cell, Row
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import DEFAULT_ZONE, zone_key

FACTS = (
    *("postcode", "state", "network", "timezone", "customer_type", "panels_kw", "plan_id", "plan_since", "billing"),
    *("embedded_network", "note", "follow_up", "purpose", "arrays", "inverter_kw", "battery_kwh"),
)
Fact = str | float | date | tuple[str, ...] | None
"""What a fact may be given as: text is checked and converted."""
BILLING = ("monthly", "two-monthly", "quarterly")


def checked_facts(facts: Mapping[str, Fact]) -> Row:
    """Convert facts to table values; None is left out, an empty text is null. Raises UsageError for invalid ones."""
    given = {name: value for name, value in facts.items() if value is not None}
    unknown = given.keys() - set(FACTS)
    if unknown:
        raise UsageError(f"A household has no {', '.join(sorted(unknown))}; it has {', '.join(FACTS)}.")
    return {name: None if value == "" else _CHECKS[name](value) for name, value in given.items()}


def checked_postcode(value: object) -> str:
    """Check that a postcode has four digits. Raises UsageError if not."""
    if not re.fullmatch(r"\d{4}", str(value)):
        why = f"{value!r} is not a valid Australian postcode (four digits, for example 2000)."
        raise UsageError(why, option="--postcode")
    return str(value)


def _state(value: object) -> str:
    if str(value).upper() not in places.STATES:
        raise UsageError(f"{value!r} is not an Australian state or territory (expected {', '.join(places.STATES)}).")
    return str(value).upper()


def _zone(value: object) -> str:
    if (key := zone_key(str(value))) is None:
        raise UsageError(f"{value!r} is not a valid time zone (for example {DEFAULT_ZONE}).")
    return key


def _customer_type(value: object) -> str:
    if str(value).lower() not in ("residential", "business"):
        raise UsageError(f"{value!r}: a customer is residential or business.")
    return str(value).lower()


def _billing(value: object) -> str:
    if str(value).lower() not in BILLING:
        raise UsageError(f"{value!r} is not a billing frequency (expected {', '.join(BILLING)}).")
    return str(value).lower()


def _day(value: object) -> date:
    try:
        day = value if isinstance(value, date) else date.fromisoformat(str(value))
    except ValueError as error:
        raise UsageError(f"{value!r} is not a valid date (YYYY-MM-DD).") from error
    check_day(day)
    return day


# ---- panels

FACINGS = {
    name: 45.0 * place
    for place, name in enumerate(
        ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
    )
}
"""Compass points → degrees clockwise from north."""
_SHORT = {"".join(part[0] for part in name.split("-")): azimuth for name, azimuth in FACINGS.items()}
_WORDED = re.compile(
    r"(?i)([\d.]+ *(?:kw)?)[ ,]+((?!kw)[a-z]+(?:[ -][a-z]+)?|\d+(?:\.\d+)?°?)(?:[ ,]+(\d+(?:\.\d+)?) *°?)?"
)
"""An array in words: size, direction and tilt."""
_EXAMPLE = "size, direction and tilt, for example 4.4 kW north-east 22°"


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
    """Return arrays as stored, from texts `4.4:north-east:22` or `4.4 kW north-east 22°` (or one, with semicolons).

    Each is size in kW, the direction that it faces (compass point or degrees) and tilt in degrees; the last two may be
    left out. None where every text is empty. Raises UsageError for one that cannot be read.
    """
    texts = value.split(";") if isinstance(value, str) else list(value) if isinstance(value, Sequence) else [str(value)]
    return as_stored([_array(str(text).strip()) for text in texts if str(text).strip()])


def as_stored(arrays: Sequence[PanelArray]) -> str | None:
    """Return arrays as the database holds them; None without any."""
    return json.dumps([[array.kw, array.azimuth, array.tilt] for array in arrays]) if arrays else None


def _array(text: str) -> PanelArray:
    worded = _WORDED.fullmatch(text)
    parts = worded.groups("") if worded else text.split(":")
    size, facing, tilt = (*(part.strip() for part in parts), "", "")[:3]
    named = re.sub(r"[ _]+", "-", facing.lower())
    azimuth = FACINGS.get(named, _SHORT.get(named))
    try:
        kw = checked_panels_kw(re.sub(r"(?i) *kw$", "", size))
        azimuth = float(facing.rstrip("°")) if facing and azimuth is None else azimuth
        degrees = float(tilt.rstrip("°")) if tilt else None
    except (ValueError, UsageError) as error:
        raise UsageError(f"{text!r} cannot be read. Write {_EXAMPLE}.") from error
    if text.count(":") > 2 or not -360 <= (azimuth or 0) <= 360 or not 0 <= (degrees or 0) <= 90 or not kw:
        raise UsageError(f"{text!r} cannot be read. Write {_EXAMPLE}.")
    return PanelArray(kw, None if azimuth is None else azimuth % 360, degrees)


def arrays_of(household: HouseholdRow) -> tuple[PanelArray, ...]:
    """Return the arrays stored for a household."""
    return tuple(PanelArray(*values) for values in json.loads(household.arrays or "[]"))


def in_words(array: PanelArray) -> str:
    """Return an array as a page shows it, and as it can be typed: `4.4 kW north-east 22°`."""
    size, facing, tilt = (*as_text(array).split(":"), "", "")[:3]
    if tilt and not facing:  # words cannot leave out what stands in the middle
        return as_text(array)
    return " ".join(part for part in (f"{size} kW", facing, tilt and f"{tilt}°") if part)


def as_text(array: PanelArray) -> str:
    """Return an array as people type it on the command line: `4.4:north-east:22`."""
    facing = next((name for name, azimuth in FACINGS.items() if azimuth == array.azimuth), None)
    if facing is None and array.azimuth is not None:
        facing = f"{array.azimuth:g}"
    parts = (f"{array.kw or 0:g}", facing or "", "" if array.tilt is None else f"{array.tilt:g}")
    return ":".join(parts).rstrip(":")


_CHECKS: dict[str, Callable[[object], Cell]] = {
    "postcode": checked_postcode,
    "state": _state,
    "network": str,
    "timezone": _zone,
    "customer_type": _customer_type,
    "panels_kw": checked_panels_kw,
    "arrays": arrays_as_json,
    "inverter_kw": checked_inverter_kw,
    "battery_kwh": checked_battery_kwh,
    "plan_id": str,
    "plan_since": _day,
    "billing": _billing,
    "embedded_network": bool,
    "note": lambda text: str(text).strip() or None,
    "follow_up": _day,
    "purpose": lambda text: str(text).strip() or None,
}
