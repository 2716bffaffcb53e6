"""SQL functions that open interval blobs, on every connection of the store; for Datasette, name this file as a plugin.

SELECT date, interval_values(reads, exponent, width) FROM register_days     -- JSON list of numbers
SELECT interval_value(reads, exponent, width, 1) FROM register_days         -- the first of the day
"""

from __future__ import annotations

import json
import sqlite3


def interval_values(blob: bytes | None, exponent: int, width: int) -> str | None:
    """The values of a register-day as a JSON list, in the register's unit."""
    if blob is None:
        return None
    return json.dumps([_value(blob, exponent, width, start) for start in range(0, len(blob), width)])


def interval_value(blob: bytes | None, exponent: int, width: int, number: int) -> float | None:
    """One value of a register-day; the first is number 1. Null outside the day."""
    if blob is None or not 1 <= number <= len(blob) // width:
        return None
    return _value(blob, exponent, width, (number - 1) * width)


def _value(blob: bytes, exponent: int, width: int, start: int) -> float:
    return float(int.from_bytes(blob[start : start + width], "little", signed=True) / 10**exponent)


def prepare_connection(connection: sqlite3.Connection) -> None:
    """Register the functions; the name is that of Datasette's plugin hook."""
    connection.create_function("interval_values", 3, interval_values, deterministic=True)
    connection.create_function("interval_value", 4, interval_value, deterministic=True)
