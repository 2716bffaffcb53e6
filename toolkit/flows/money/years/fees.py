"""Fees and interest by account and financial year, and the rates that are known: `fees`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from toolkit.analytics.money.years.fees import Rates, fees_by_year
from toolkit.answers.money import Fees
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.spending import account_names, classified
from toolkit.store import Store
from toolkit.tables.schema.banking import AccountRow, ProductRow


def fees(ctx: Context) -> Fees:
    """List fees, interest charged and interest earned of each account by financial year, the newest first; AUD."""
    with open_home(ctx) as (store, household):
        money = classified(store, household)
        names = account_names(store, household.household_id)
        rates = dict(_rates(store, household.household_id))
    return Fees(accounts=fees_by_year(money.rows, names, rates))


def _rates(store: Store, household_id: str) -> Iterable[tuple[str, Rates]]:
    """Yield each account's own rate, and the lowest published one where one product of the bank has its name."""
    products = store.load(ProductRow)
    for account in store.load(AccountRow, household_id):
        named = [
            product
            for product in products
            if (product.institution_id, product.name) == (account.institution_id, account.product_name)
        ]
        own = _shares(account.raw, "lending_rate") or _shares(account.raw, "deposit_rate")
        published = [
            share
            for product in named
            for share in (*_shares(product.raw, "lending_rates"), *_shares(product.raw, "deposit_rates"))
        ]
        rate = Rates(own[0] if own else None, min(published) if len(named) == 1 and published else None)
        yield account.linked_account_id or account.account_id, rate


def _shares(raw: str | None, key: str) -> list[float]:
    """Return the rates under a key of a record: one as text, or a list of records with `rate`."""
    record = json.loads(raw or "{}")
    given = record.get(key) if isinstance(record, dict) else None
    shares = []
    for rate in given if isinstance(given, list) else [given]:
        written = rate.get("rate") if isinstance(rate, dict) else rate
        with suppress(ValueError):
            shares += [float(written)] if isinstance(written, str | float) else []
    return shares
