"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, singular: str, plural: str | None = None) -> str:
    """`1 plan`, `1,234 plans`. plural: where it is not the singular with an s."""
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"
