"""How newer data comes from a bank or an electricity distributor, in its own steps where these were read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache

import msgspec

from toolkit.tables.reference.packaged import PackagedTable, packaged


class Steps(msgspec.Struct, frozen=True):
    """Steps to newer data. steps: with the last stored day as `{since}`. source: None of words for any bank."""

    steps: str
    source: str | None = None
    words: tuple[str, ...] = ()
    """Names of the bank or distributor, in lower case."""


class _NewerData(PackagedTable, frozen=True):
    any_bank: str
    any_network: str
    any_gas: str
    banks: tuple[Steps, ...]
    networks: tuple[Steps, ...]


def bank_steps(name: str) -> Steps:
    """Return the steps of the bank that a name, or the layout of a file, mentions; else those of any bank."""
    table = _table()
    return _mentioned(name, table.banks) or Steps(table.any_bank)


def network_steps(name: str) -> Steps:
    """Return the steps of an electricity distributor; else those of any."""
    table = _table()
    return _mentioned(name, table.networks) or Steps(table.any_network)


def gas_steps() -> Steps:
    """Return the steps to newer reads of a gas meter: no distributor's portal for them is known."""
    return Steps(_table().any_gas)


def steps_read() -> date:
    """Return the day on which the sources were read."""
    return _table().read


def _mentioned(name: str, entries: Iterable[Steps]) -> Steps | None:
    text = name.casefold()
    return next(
        (entry for entry in entries if any(re.search(rf"\b{re.escape(word)}\b", text) for word in entry.words)), None
    )


@cache
def _table() -> _NewerData:
    return packaged("newer_data", _NewerData)
