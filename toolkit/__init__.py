"""Personal finance and energy for Australian households: the names a notebook needs, loaded when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.analytics.energy.rates import compile_plan
    from toolkit.analytics.energy.usage import service_point_usage
    from toolkit.analytics.money import classify, spending
    from toolkit.flows.many import price_all
    from toolkit.flows.plain import (
        InputProblem,
        demo_database,
        next_bill,
        price,
        read_plans,
        read_transactions,
        read_usage,
    )
    from toolkit.store import open_store

__all__ = [
    "InputProblem",
    "classify",
    "compile_plan",
    "demo_database",
    "next_bill",
    "open_store",
    "price",
    "price_all",
    "read_plans",
    "read_transactions",
    "read_usage",
    "service_point_usage",
    "spending",
]

_HOMES = {
    "classify": "toolkit.analytics.money",
    "compile_plan": "toolkit.analytics.energy.rates",
    "open_store": "toolkit.store",
    "price_all": "toolkit.flows.many",
    "service_point_usage": "toolkit.analytics.energy.usage",
    "spending": "toolkit.analytics.money",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "toolkit.flows.plain")), name)


def __dir__() -> list[str]:
    return __all__
