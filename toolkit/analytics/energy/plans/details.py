"""What a plan states besides its prices, in words: whom it is for, how long it lasts, how it is billed, whom to ask."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from urllib.parse import urlsplit

from toolkit.analytics.energy.plans.offers import RESTRICTIVE
from toolkit.analytics.energy.rates.compile import plan_terms
from toolkit.answers.energy.plans import CardRates, FreeHours, FuelTerms, PlanCondition, PlanLink
from toolkit.tables.rows.contracts import Condition, Contract, Incentive
from toolkit.tables.rows.plans import Fuel, Plan, snake_keys

FREE = Decimal("0.0005")
"""AUD per kWh up to which energy counts as free: retailers write 0.000001 for nothing."""

_FREQUENCIES = {
    "P7D": "every week",
    "P1W": "every week",
    "P14D": "every fortnight",
    "P2W": "every fortnight",
    "P1M": "every month",
    "P2M": "every two months",
    "P3M": "every three months",
    "P6M": "every six months",
    "P1Y": "every year",
}
_LINKS = {
    "overview_uri": "Overview",
    "terms_uri": "Terms",
    "eligibility_uri": "Who can have it",
    "pricing_uri": "Prices",
    "bundle_uri": "Bundles",
}
_MORE_CONDITIONS = {
    "NEW_CUSTOMER": "for new customers",
    "EXISTING_SMART_METER": "only with a smart meter",
    "EXISTING_BASIC_METER": "only with a basic meter",
    "ONLINE_ONLY": "managed online only",
    "NO_SOLAR_FIT": "without a solar feed-in tariff",
    "SPECIFIC_LOCATION": "only in certain places",
    "OTHER": "",
}
_PHONE = re.compile(r"(?<![\d+])(?:1[38]00[ -]?\d{3}[ -]?\d{3}|13[ -]?\d{2}[ -]?\d{2})(?!\d)")


def fuel_terms(plan: Plan, fuel: Fuel) -> FuelTerms:
    """Return what the contract for a fuel states besides its prices; texts are the retailer's own words."""
    contract: Contract = plan.contract(fuel) or {}
    known = plan_terms(plan, fuel)
    return FuelTerms(
        term=known.term or _in_words(contract.get("term_type")),
        benefit_period=_text(contract.get("benefit_period")),
        on_expiry=_text(contract.get("on_expiry_description")),
        exit_fee=known.exit_fee,
        bill_frequency=tuple(_FREQUENCIES.get(code, code) for code in _texts(contract.get("bill_frequency"))),
        cooling_off_days=_whole(contract.get("cooling_off_days")),
        payment_options=tuple(_in_words(code) or code for code in _texts(contract.get("payment_option"))),
        meter_types=_texts(contract.get("meter_types")),
        eligibility=tuple(map(_condition, contract.get("eligibility") or [])),
        incentives=tuple(map(_incentive, contract.get("incentives") or [])),
        terms=_text(contract.get("terms")),
        variation=_text(contract.get("variation")),
        fee_information=_text(contract.get("additional_fee_information")),
    )


def plan_links(plan: Plan) -> tuple[PlanLink, ...]:
    """Return the web addresses that a plan gives; those that are not plain http or https addresses are left out."""
    stated = snake_keys(plan.given)
    more = stated.get("additional_information")
    given = {"Apply": stated.get("application_uri")}
    given |= {name: more.get(key) for key, name in _LINKS.items()} if isinstance(more, dict) else {}
    return tuple(PlanLink(name, address) for name, text in given.items() if (address := _address(text)))


def plan_description(plan: Plan) -> str | None:
    """Return the retailer's description of a plan."""
    return _text(snake_keys(plan.given).get("description"))


def plan_phones(plan: Plan) -> tuple[str, ...]:
    """Return the Australian service numbers (13, 1300, 1800) in a plan's texts, each once."""
    numbers = (number for text in _all_texts(plan.given) for number in _PHONE.findall(text))
    return tuple(dict.fromkeys(numbers))


def free_hours(rates: CardRates) -> tuple[FreeHours, ...]:
    """Return the hours in which general use costs nothing, with the allowance where only a part is free."""
    return tuple(
        FreeHours(rate.season, rate.window, rate.block)
        for rate in rates
        if rate.component == "usage" and Decimal(rate.price) <= FREE
    )


def _condition(entry: Condition) -> PlanCondition:
    kind = str(entry.get("type") or "OTHER").upper()
    words = RESTRICTIVE.get(kind) or _MORE_CONDITIONS.get(kind, kind.replace("_", " ").lower())
    text = " ".join(filter(None, (_text(entry.get(key)) for key in ("information", "description"))))
    return PlanCondition(words, text or None)


def _incentive(entry: Incentive) -> PlanCondition:
    texts = dict.fromkeys(filter(None, (_text(entry.get(key)) for key in ("description", "eligibility"))))
    return PlanCondition(_text(entry.get("display_name")) or "", " ".join(texts) or None)


def _in_words(code: object) -> str | None:
    """`1_YEAR` → `1 year`, `DIRECT_DEBIT` → `direct debit`."""
    text = _text(code)
    return text.replace("_", " ").lower() if text else None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    given = value if isinstance(value, list) else [value]
    return tuple(entry.strip() for entry in given if isinstance(entry, str) and entry.strip())


def _whole(value: object) -> int | None:
    try:
        return int(str(value))
    except ValueError:
        return None


def _address(text: object) -> str | None:
    """Return a web address that can be shown as a link: http or https, printable ASCII, with a host, no user name."""
    address = _text(text) or ""
    if len(address) > 2000 or not address.isascii() or not address.isprintable() or set(address) & set(' "<>\\`'):
        return None
    try:
        parts = urlsplit(address)
        return address if parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc else None
    except ValueError:
        return None


def _all_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _all_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _all_texts(inner)
