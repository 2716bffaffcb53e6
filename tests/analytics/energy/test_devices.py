"""What in a record of solar, storage and inverters does not fit together."""

from __future__ import annotations

import pytest

from toolkit.analytics.energy.devices import findings, in_kw
from toolkit.answers.energy.devices import Connection, Device


def panels(count: int, kw: float | None, *, is_active: bool = True) -> Device:
    return Device("SOLAR_PV", count, kw, None, "Panels", "P", is_active)


def battery(kwh: float | None) -> Device:
    return Device("STORAGE", 1, 5.0, kwh, "Cells", "B", is_active=True)


def inverter(kva: float | None, *devices: Device, is_active: bool = True) -> Connection:
    return Connection("INVERTER", 1, kva, "Inverters", "I", None, is_active, devices)


def codes(*connections: Connection, approved: float | None = None, home: float | None = None) -> list[str]:
    rated = [device.rated_kw or 0 for connection in connections for device in connection.devices]
    return [note.code for note in findings(connections, approved_kva=approved, rated=rated, home_kw=home)]


@pytest.mark.parametrize(
    ("connections", "approved", "home", "found"),
    [
        ([inverter(5.0, panels(20, 0.33))], 5.0, 6.6, []),
        ([inverter(5.0, panels(40, 0.33))], 5.0, None, ["der_panels_exceed_inverter"]),
        ([inverter(10.0, panels(20, 0.33))], 5.0, None, ["der_inverter_exceeds_approval"]),
        ([inverter(5.0, panels(20, 0.33))], None, 10.0, ["der_differs_from_home"]),
        (
            [inverter(5.0, panels(20, None), battery(None))],
            None,
            None,
            ["der_panels_without_size", "der_storage_without_size"],
        ),
        ([inverter(5.0, panels(20, 0.33), is_active=False)], None, 10.0, ["der_nothing_active"]),
        (
            [inverter(5.0, panels(20, 0.33)), inverter(5.0, battery(10.0), is_active=False)],
            None,
            6.6,
            ["der_device_without_inverter"],
        ),
        ([inverter(5.0, panels(20, 0.33), panels(20, 0.4, is_active=False))], None, 6.6, []),
        ([], None, 6.6, []),
    ],
)
def test_findings(connections: list[Connection], approved: float | None, home: float | None, found: list[str]) -> None:
    assert codes(*connections, approved=approved, home=home) == found


def test_a_rating_of_hundreds_is_in_watts_and_zero_is_unknown() -> None:
    assert (in_kw(330.0), in_kw(6.6), in_kw(0.0), in_kw(None)) == (0.33, 6.6, None, None)
    notes = list(findings([inverter(5.0, panels(20, 0.33))], approved_kva=None, rated=[330.0], home_kw=None))
    assert [note.code for note in notes] == ["der_in_watts"]
