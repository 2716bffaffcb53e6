"""The banks and energy retailers of the sandbox. All names are invented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OUTAGE = "OUTAGE"
"""The health of an institution that does not answer; what was read from it before is still served."""


@dataclass(frozen=True, slots=True)
class Institution:
    id: str
    name: str
    industry: str
    priority: int
    health: str = "HEALTHY"
    is_accessible: bool = True
    bsb: str = ""
    abn: str = ""

    def as_record(self, health: str) -> dict[str, Any]:
        art = f"https://assets.example/{self.id}"
        return {
            "id": self.id,
            "name": self.name,
            "industry": self.industry,
            "icon": f"{art}/icon.svg",
            "logo": f"{art}/logo.svg",
            "is_accessible": self.is_accessible,
            "priority": self.priority,
            "status": {"connections": {"status": health}},
        }


IRONBARK = Institution("70001", "Ironbark Bank", "banking", 1, bsb="938201", abn="61938201555")
SALTBUSH = Institution("70002", "Saltbush Mutual", "banking", 2, bsb="938414", abn="19938414222")
CURRAWONG = Institution("70003", "Currawong Savings", "banking", 3, health="DEGRADED", bsb="938677", abn="44938677901")
LYREBIRD = Institution("80001", "Lyrebird Energy", "energy", 1, abn="83120987654")
QUOLL = Institution("80002", "Quoll Power & Gas", "energy", 2, abn="27120456123")
BILBY = Institution("80003", "Bilby Electric", "energy", 3, health="DEGRADED", is_accessible=False, abn="72120333444")

INSTITUTIONS = (IRONBARK, SALTBUSH, CURRAWONG, LYREBIRD, QUOLL, BILBY)
BY_ID = {institution.id: institution for institution in INSTITUTIONS}
