"""Analyses of one household: functions from the folder of its Parquet files to one row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from toolkit.analytics.energy.usage import service_point_usage
from toolkit.analytics.money import spending as work_out

Row = dict[str, Any]


def spending(folder: Path) -> Row:
    """household, from, to [days], spent, income [AUD as text] of one household."""
    home = _home(folder)
    names = ("transactions", "accounts", "choices")
    transactions, accounts, choices = (pl.read_parquet(folder / f"{name}.parquet") for name in names)
    answer = work_out(transactions, accounts, zone=home["timezone"], choices=choices, people=home["people"])
    money = {"spent": str(answer.spent), "income": str(answer.income)}
    return {"household": home["name"], "from": _day(answer.from_), "to": _day(answer.to), **money}


def usage(folder: Path) -> Row:
    """household, from, to [meter days], import_kwh, export_kwh, base_load_kw, coverage of one household."""
    home = _home(folder)
    facts = service_point_usage(pl.read_parquet(folder / "reads.parquet"), zone=home["timezone"])
    kept = ("import_kwh", "export_kwh", "base_load_kw", "coverage")
    return {
        "household": home["name"],
        "from": _day(facts["from"]),
        "to": _day(facts["to"]),
        **{name: facts[name] for name in kept},
    }


KERNELS: dict[str, Callable[[Path], Row]] = {"spending": spending, "usage": usage}


def _home(folder: Path) -> Row:
    home: Row = json.loads((folder / "home.json").read_text("utf-8"))
    return home


def _day(day: object) -> str | None:
    return None if day is None else str(day)
