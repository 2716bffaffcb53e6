"""What stored decisions set of transactions, accounts and categories, from rows of table `choices` without frames."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from toolkit.tables.schema.journal import OverrideRow

CATEGORY = "own_category"
"""The kind of a decision about a category; its subject is the code, its value `CategorySettings` as JSON."""

S = TypeVar("S", bound=msgspec.Struct)


class CategorySettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What people set of a category. name: to show; group: code of the primary category that it belongs to."""

    name: str = ""
    group: str = ""


def merged_settings(overrides: Iterable[OverrideRow], settings: type[S]) -> dict[str, S]:
    """Return subject → what overrides of one kind set of it, each field as last set. Their values are JSON objects.

    overrides: those in force, oldest first.
    """
    merged: dict[str, dict[str, object]] = {}
    for override in overrides:
        merged.setdefault(override.subject, {}).update(json.loads(override.value))
    return {subject: msgspec.convert(given, settings) for subject, given in merged.items()}


def names_set(settings: dict[str, CategorySettings]) -> dict[str, str]:
    """Return category code → the name that the household gave it."""
    return {code: own.name for code, own in sorted(settings.items()) if own.name}
