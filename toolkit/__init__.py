"""Personal finance and energy for Australian households: the public functions, loaded when first used.

Each has a page in toolkit/docs/python. The examples there, and in `help()`, share this set-up:

    >>> from datetime import date
    >>> import polars as pl
    >>> import toolkit
    >>> registers = {"import": "import_kwh", "controlled load": "controlled_load_kwh", "export": "export_kwh"}
    >>> reads = toolkit.reads(toolkit.sample("meter"), time="time", registers=registers, zone="AEST")
    >>> plans = toolkit.sample_plans()
    >>> plan = plans[0]
    >>> bank = {"date": "date", "account": "account", "amount": "amount", "description": "description"}
    >>> transactions, accounts = toolkit.transactions(toolkit.sample("bank"), **bank)
    >>> first, last = date(2026, 4, 1), date(2026, 6, 30)
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.charts.answers import chart
    from toolkit.errors import FrameError, InputWarning
    from toolkit.flows.fleet.run import over_households
    from toolkit.flows.samples import sample, sample_plans
    from toolkit.flows.sources import demo_database, read_balances, read_plans, read_transactions, read_usage
    from toolkit.frames.bills import compile_plan, price, price_all
    from toolkit.frames.cash import cashflow, recurring
    from toolkit.frames.compare import compare
    from toolkit.frames.energy import backtest, forecast, solar, usage
    from toolkit.frames.money import classify, spending, transactions
    from toolkit.frames.plans import plans_frame
    from toolkit.frames.reads import reads
    from toolkit.frames.reconcile import reconcile
    from toolkit.frames.tables import table
    from toolkit.frames.usage import carbon, load_duration, typical_days, usage_costs
    from toolkit.frames.whatif import whatif
    from toolkit.store import open_store

__all__ = [
    "FrameError",
    "InputWarning",
    "backtest",
    "carbon",
    "cashflow",
    "chart",
    "classify",
    "compare",
    "compile_plan",
    "demo_database",
    "forecast",
    "load_duration",
    "open_store",
    "over_households",
    "plans_frame",
    "price",
    "price_all",
    "read_balances",
    "read_plans",
    "read_transactions",
    "read_usage",
    "reads",
    "reconcile",
    "recurring",
    "sample",
    "sample_plans",
    "solar",
    "spending",
    "table",
    "transactions",
    "typical_days",
    "usage",
    "usage_costs",
    "whatif",
]

_MODULES = {
    "FrameError": "toolkit.errors",
    "InputWarning": "toolkit.errors",
    "backtest": "toolkit.frames.energy",
    "carbon": "toolkit.frames.usage",
    "cashflow": "toolkit.frames.cash",
    "chart": "toolkit.charts.answers",
    "classify": "toolkit.frames.money",
    "compare": "toolkit.frames.compare",
    "compile_plan": "toolkit.frames.bills",
    "forecast": "toolkit.frames.energy",
    "load_duration": "toolkit.frames.usage",
    "open_store": "toolkit.store",
    "over_households": "toolkit.flows.fleet.run",
    "plans_frame": "toolkit.frames.plans",
    "price": "toolkit.frames.bills",
    "price_all": "toolkit.frames.bills",
    "reads": "toolkit.frames.reads",
    "reconcile": "toolkit.frames.reconcile",
    "recurring": "toolkit.frames.cash",
    "sample": "toolkit.flows.samples",
    "sample_plans": "toolkit.flows.samples",
    "solar": "toolkit.frames.energy",
    "spending": "toolkit.frames.money",
    "table": "toolkit.frames.tables",
    "transactions": "toolkit.frames.money",
    "typical_days": "toolkit.frames.usage",
    "usage": "toolkit.frames.energy",
    "usage_costs": "toolkit.frames.usage",
    "whatif": "toolkit.frames.whatif",
}
"""Where public names are defined; those not listed in `toolkit.flows.sources`."""

_RENAMED = {
    "InputProblem": "InputWarning",
    "next_bill": "forecast",
    "service_point_usage": "usage",
}
"""Names of the release before this one; they warn, and go with the next release."""

if not TYPE_CHECKING:  # so that type checkers report a misspelt name

    def __getattr__(name: str) -> object:
        if name in _RENAMED:
            warnings.warn(f"toolkit.{name} is now toolkit.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
            name = _RENAMED[name]
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES.get(name, "toolkit.flows.sources")), name)


def __dir__() -> list[str]:
    return __all__
