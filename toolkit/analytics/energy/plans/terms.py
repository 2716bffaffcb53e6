"""Read the terms of a plan: whom it is for and how its prices are set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from toolkit.tables.plans import Fuel, JsonObject, Plan

Equipment = Literal["solar", "controlled_load"]

STANDING = {"STANDING", "REGULATED"}
"""Plan types with prices set by law or a regulator: the benchmark of an area."""

_NOT_SOLAR = r"\b(?:non|no|not|without)[- ](?:solar|pv)\b|\bsolar[- ](?:sharer|soak\w*|sponge)\b"
_NAMES_SOLAR = re.compile(r"\bsolar\b", re.IGNORECASE)
_NAMES_NO_SOLAR = re.compile(_NOT_SOLAR, re.IGNORECASE)
_NAMES_LOAD = re.compile(r"\bcontrolled loads?\b|\bdedicated circuit\b|\+ ?CL\b|\bCL ?\+|\bwith CL\b", re.IGNORECASE)
_NAMES_NO_LOAD = re.compile(
    r"\b(?:no|without|excl\w*\.?) (?:a )?(?:controlled load|CL\b|dedicated circuit)", re.IGNORECASE
)
_DEMANDS_SOLAR = re.compile(
    r"\bnet[- ]metered|\byour solar|\b(?:have|own|with|purchase|buy) (?:an? )?(?:\w+ )?(?:eligible |existing )?solar\b"
    r"|\bexisting solar|\bsolar customers",
    re.IGNORECASE,
)
_DEMANDS_LOAD = re.compile(
    r"\b(?:must|need to) have (?:an? )?(?:existing )?(?:controlled load|dedicated circuit)"
    r"|\b(?:requires|customers with) (?:an? )?(?:controlled load|dedicated circuit)|\band controlled load\.",
    re.IGNORECASE,
)
_EXCLUDES_SOLAR = re.compile(
    r"\b(?:non|without|not have)[- ](?:a |any )?(?:rooftop )?(?:solar|pv)\b"
    r"|\bnot available (?:to|for) (?:\w+ ){0,3}solar",
    re.IGNORECASE,
)
_ASKS_IN_TEXT = {
    "SENIOR_CARD": re.compile(r"\bseniors? card", re.IGNORECASE),
    "EXISTING_BATTERY": re.compile(r"\b(?:have|own|with) an? (?:\w+ )?battery\b|\bbattery installed", re.IGNORECASE),
    "ELECTRIC_VEHICLE": re.compile(r"\b(?:have|own|with|drive) an? (?:electric vehicle|EV)\b", re.IGNORECASE),
    "OTHER_CUSTOMER": re.compile(r"\b(?:also|existing) customers of [A-Z]", re.IGNORECASE),
}
"""Conditions that retailers publish as text, under the type `OTHER`; the words are those of October 2024."""

_VARIES_BY_NAME = re.compile(r"\bwholesale|\bspot\b|\bestimate|\bvariable prices", re.IGNORECASE)
_VARIES_BY_TEXT = re.compile(
    r"\bspot price|\bestimates? only"
    r"|\bwholesale (?:electricity |energy )?(?:price|cost)s?\b.{0,40}\b(?:charged to us|directly)"
    r"|\b(?:passes|passed|pass)[- ](?:through|on)\b.{0,30}\bwholesale",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """Whom a plan is for and how its prices are made."""

    eligibility: tuple[str, ...] = ()
    """Types (`SENIOR_CARD` …), `OTHER` left out."""
    asked: tuple[str, ...] = ()
    """Types that only a text states; two are our own, `ELECTRIC_VEHICLE` and `OTHER_CUSTOMER` (of another company)."""
    demands: tuple[Equipment, ...] = ()
    """Equipment that a home must have."""
    excludes_solar: str = ""
    """The text that closes the plan to homes with solar; empty without one."""
    variable: bool = False
    """Whether prices follow the wholesale market, or are estimates."""
    exit_fee: Decimal | None = None
    """AUD as stated, with GST; None where none is published."""


def plan_terms(plan: Plan, fuel: Fuel) -> PlanTerms:
    """Read the terms of a plan for one fuel from its name, its eligibility entries, its fees and its texts."""
    contract = plan.contract(fuel) or {}
    entries: list[JsonObject] = contract.get("eligibility") or []
    kinds = dict.fromkeys(str(entry.get("type") or "").upper() for entry in entries)
    texts = [
        " ".join(str(entry[key]) for key in ("information", "description") if isinstance(entry.get(key), str))
        for entry in entries
    ]
    name = plan.name or ""
    fees: list[JsonObject] = contract.get("fees") or []
    exit_fees = [_amount(fee.get("amount")) for fee in fees if str(fee.get("type") or "").upper() == "EXIT"]
    return PlanTerms(
        eligibility=tuple(kind for kind in kinds if kind and kind != "OTHER"),
        # Conditions of type OTHER are published as text only: patterns recognise the frequent ones.
        asked=tuple(
            kind for kind, words in _ASKS_IN_TEXT.items() if any(map(words.search, texts)) and kind not in kinds
        ),
        demands=tuple(_demands(name, texts, "EXISTING_SOLAR" in kinds)),
        excludes_solar=next((text for text in (name, *texts) if _EXCLUDES_SOLAR.search(text)), ""),
        variable=plan.plan_type not in STANDING and _varies(name, contract),
        exit_fee=max((amount for amount in exit_fees if amount is not None), default=None),
    )


def _demands(name: str, texts: list[str], existing_solar: bool) -> Iterator[Equipment]:
    """Yield the equipment that a home must have, by the plan's name or its eligibility."""
    # Retailers name plans `Solar Boost`, but also `No Solar` and `Solar Soak` (cheap midday prices for anyone).
    by_name = bool(_NAMES_SOLAR.search(name)) and not _NAMES_NO_SOLAR.search(name)
    if existing_solar or by_name or any(map(_DEMANDS_SOLAR.search, texts)):
        yield "solar"
    by_name = bool(_NAMES_LOAD.search(name)) and not _NAMES_NO_LOAD.search(name)
    if by_name or any(map(_DEMANDS_LOAD.search, texts)):
        yield "controlled_load"


def _varies(name: str, contract: JsonObject) -> bool:
    """Return whether the plan's name, or its texts on price changes, follow the wholesale market."""
    # Texts of ordinary plans mention wholesale costs, too; only these patterns mean prices that follow them.
    texts = (contract.get(key) for key in ("variation", "terms"))
    return bool(_VARIES_BY_NAME.search(name)) or any(
        isinstance(text, str) and _VARIES_BY_TEXT.search(text) for text in texts
    )


def _amount(value: object) -> Decimal | None:
    """Read an amount in AUD, to the cent; None where it is not a plausible one."""
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount.quantize(Decimal("0.01")) if amount.is_finite() and 0 <= amount < 1_000_000 else None
