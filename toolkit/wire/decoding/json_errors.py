"""What reading JSON that came from outside can raise."""

from __future__ import annotations

from msgspec import DecodeError

BROKEN = (DecodeError, RecursionError, UnicodeDecodeError)
"""Not JSON or of another shape; nested without end; a byte inside a text that is no UTF-8."""
