"""What a person sees on a page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

TODAY = date(2026, 6, 20)


def with_bank_rows(folder: Path, rows: str) -> Context:
    """A household with one account. rows: lines of a bank's file: day, amount, description, balance."""
    ctx = Context(folder / "home.db", TODAY)
    (folder / "everyday.csv").write_text(rows)
    load(ctx, [folder / "everyday.csv"])
    return ctx


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def said(test: AppTest) -> str:
    """All sentences, as they are written in markdown."""
    kinds = (test.markdown, test.caption, test.info, test.success, test.warning, test.error, test.text, test.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def read(test: AppTest) -> str:
    """All sentences as they are shown: one backslash before a sign of markdown is not."""
    return _as_shown(said(test))


def _as_shown(markdown: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace("\u2060", "")


def problems(test: AppTest) -> list[str]:
    """What could not be used, of which there are few: place and reason of each."""
    folded = [box for box in test.expander if box.label.endswith("to look at")]
    lines = [line for box in folded for text in box.markdown for line in str(text.value).splitlines()]
    return [_as_shown(line.removeprefix("- ")) for line in lines]


PLAN = {
    "data": {
        "planId": "EXA100001MRE",
        "displayName": "Example Saver",
        "brandName": "Example Energy",
        "fuelType": "ELECTRICITY",
        "customerType": "RESIDENTIAL",
        "type": "MARKET",
        "effectiveFrom": "2025-01-01",
        "lastUpdated": "2026-01-01T00:00:00Z",
        "electricityContract": {
            "pricingModel": "SINGLE_RATE",
            "timeZone": "AEST",
            "tariffPeriod": [
                {
                    "displayName": "All year",
                    "startDate": "01-01",
                    "endDate": "12-31",
                    "dailySupplyCharge": "1.00",
                    "rateBlockUType": "singleRate",
                    "singleRate": {"displayName": "Anytime", "rates": [{"unitPrice": "0.30"}]},
                }
            ],
        },
    }
}


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


FIELDS = ("text_input", "date_input", "selectbox", "text_area", "number_input")
ALERTS = ("warning", "error", "info", "success")


def beside(test: AppTest, field: str) -> list[str]:
    """Return the messages that stand right below the first field of this label or key."""
    shown = list(_elements(test.main))
    start = next(
        n for n, element in enumerate(shown) if element.type in FIELDS and field in (element.label, element.key)
    )
    following = itertools.takewhile(lambda element: element.type in ALERTS, shown[start + 1 :])
    return [str(element.value) for element in following]


def _elements(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from _elements(child)
        else:
            yield child
