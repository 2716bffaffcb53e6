"""Errors that decoding foreign JSON can raise."""

from __future__ import annotations

from msgspec import DecodeError

BROKEN = (DecodeError, RecursionError, UnicodeDecodeError)
"""Not JSON or of another shape; nested too deeply; a text that is not valid UTF-8."""
