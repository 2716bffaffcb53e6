"""What is wrong in data is not raised: it is returned as a `Problem` next to the good rows."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["rejected", "warning"]


class Problem(Struct, frozen=True):
    """One thing in the user's own input or the service's records that was not taken as given."""

    where: str
    """`file:line`, or the record's id."""
    reason: str
    """What is wrong; a `Message` where it names a remedy."""
    severity: Severity = "rejected"
    """`rejected` (left out), or `warning` (taken, but look at it)."""
