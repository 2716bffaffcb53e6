"""The names under which accounts are shown for choice."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from toolkit.flows.household.context import Context
from toolkit.flows.household.holdings import account_labels
from toolkit.flows.imports.load import load
from toolkit.flows.money.accounts import set_account


@pytest.mark.usefixtures("home")
def test_an_account_is_shown_under_the_name_that_a_person_set(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "my.db", date(2026, 6, 30))
    (tmp_path / "june.csv").write_text("Date,Description,Amount\n2026-06-01,RENT,-400.00\n")
    load(ctx, [tmp_path / "june.csv"])
    assert account_labels(ctx) == {"june": "june"}
    set_account(ctx, "june", name="Bills")
    assert account_labels(ctx) == {"june": "Bills"}
