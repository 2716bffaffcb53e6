"""A small PNG: one pixel a value, colours from a palette."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

SHADES = 254
"""Shades of a palette; place 0 is transparent, for a gap."""


def heat_png(values: Sequence[Sequence[float | None]], stops: Sequence[tuple[float, str]]) -> str:
    """Return a `data:` address of an image with a row of pixels for each row of values; a gap is transparent.

    stops: places from 0 (lowest value) to 1 (highest) with their colours, `#rrggbb`. The bytes are the same on every
    machine: the image is stored without compression, which libraries do differently.
    """
    known = [value for row in values for value in row if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    lines = [
        bytes([0, *(0 if value is None else 1 + round(share(value, low, high) * (SHADES - 1)) for value in row)])
        for row in values
    ]
    palette = b"\0\0\0" + b"".join(bytes(mixed(number / (SHADES - 1), stops)) for number in range(SHADES))
    size = struct.pack(">IIBBBBB", len(values[0]), len(values), 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", size), (b"PLTE", palette), (b"tRNS", b"\0"), (b"IDAT", zlib.compress(b"".join(lines), 0)))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in (*chunks, (b"IEND", b"")))
    return "data:image/png;base64," + base64.b64encode(data).decode()


def share(value: float, low: float, high: float) -> float:
    """Return where a value lies between the lowest (0) and the highest (1)."""
    return (value - low) / (high - low) if high > low else 0.0


def mixed(place: float, stops: Sequence[tuple[float, str]]) -> tuple[int, int, int]:
    """Return the colour at a place from 0 to 1, between the two nearest stops."""
    above = next((number for number, (stop, _) in enumerate(stops) if stop >= place), len(stops) - 1)
    below = max(0, above - 1)
    (first, start), (last, end) = stops[below], stops[above]
    part = share(place, first, last)
    red, green, blue = (
        round(a + (b - a) * part) for a, b in zip(bytes.fromhex(start[1:]), bytes.fromhex(end[1:]), strict=True)
    )
    return red, green, blue


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
