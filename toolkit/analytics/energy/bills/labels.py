"""How the label of a bill's line names a price and one of its blocks: written and taken apart here alone."""

from __future__ import annotations

import re
from collections.abc import Container

_OF_BLOCK = re.compile(r"(?P<price>.*), block (?P<number>[0-9]+)", re.DOTALL)


def of_block(price: str, number: int) -> str:
    """The label of a line for one block of a price, counted from 1."""
    return f"{price}, block {number}"


def apart(label: str, prices: Container[str]) -> tuple[str, int | None]:
    """Whose line it is, and of which block; None where the price has none.

    prices: the labels of all prices, since a plan may call one as the line of a block is called.
    """
    found = _OF_BLOCK.fullmatch(label)
    return (label, None) if label in prices or found is None else (found["price"], int(found["number"]))
