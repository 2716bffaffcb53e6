"""An archived household is kept, and nothing is pulled for it."""

from __future__ import annotations

from datetime import date

import pytest

from tests.flows.sync.written import WrittenService, purchase
from tests.json_answers import sync
from toolkit.errors import ConsentRequiredError
from toolkit.flows.household.context import Context
from toolkit.store import open_store


def test_nothing_is_pulled_for_an_archived_household(service: WrittenService, home_context: Context) -> None:
    sync(home_context, service, end_user="eu")
    service.lists["banking.transactions"] = [purchase(1)]
    with open_store(home_context.db) as store:
        store.update("households", {"archived_on": date(2026, 6, 1)}, {})
    with pytest.raises(ConsentRequiredError):
        sync(home_context, service)
    with open_store(home_context.db) as store:
        assert store.count("transactions") == 0
        store.update("households", {"archived_on": None}, {})
    sync(home_context, service)
    with open_store(home_context.db) as store:
        assert store.count("transactions") == 1
