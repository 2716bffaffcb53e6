"""What a person says of an account: its name, its kind, its balance on a day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from toolkit.analytics.money.categorise import active

KINDS = {
    "everyday": "TRANS_AND_SAVINGS_ACCOUNTS",
    "savings": "TRANS_AND_SAVINGS_ACCOUNTS",
    "offset": "TRANS_AND_SAVINGS_ACCOUNTS",
    "card": "CRED_AND_CHRG_CARDS",
    "loan": "PERS_LOANS",
    "term-deposit": "TERM_DEPOSITS",
}
"""Kind as a person says it → the product category that it stands for."""
_LOANS = ("RESIDENTIAL_MORTGAGES", "PERS_LOANS", "BUSINESS_LOANS", "LEASES", "MARGIN_LOANS", "OVERDRAFTS")
_CARDS = ("CRED_AND_CHRG_CARDS", "TRAVEL_CARDS", "BUY_NOW_PAY_LATER")


def settings_of(choices: pl.DataFrame | None) -> dict[str, dict[str, Any]]:
    """Account id → `name`, `kind`, `balance_minor` [cents] with `at` [YYYY-MM-DD], each as last set and where set."""
    found: dict[str, dict[str, Any]] = {}
    for choice in active(choices, "account"):
        found.setdefault(choice["subject"], {}).update(json.loads(choice["value"]))
    return found


def with_settings(accounts: pl.DataFrame, choices: pl.DataFrame | None) -> pl.DataFrame:
    """Table `accounts` with `nickname` and `product_category` as the household set them."""
    settings = settings_of(choices)
    names = {account: own["name"] for account, own in settings.items() if "name" in own}
    products = {account: KINDS[own["kind"]] for account, own in settings.items() if "kind" in own}
    loan = pl.col("account_id").is_in([account for account, own in settings.items() if own.get("kind") == "loan"])
    already = loan & pl.col("product_category").is_in(_LOANS)
    return accounts.with_columns(
        nickname=pl.coalesce(_set(names), "nickname"),
        product_category=pl.when(already)
        .then("product_category")
        .otherwise(pl.coalesce(_set(products), "product_category")),
    )


def _set(values: Mapping[str, str]) -> pl.Expr:
    return pl.col("account_id").replace_strict(values, default=None, return_dtype=pl.String)


def kind_of(account: Mapping[str, Any], said: str | None = None) -> str | None:
    """The kind as a person says it: as set, else by the bank's product; None where nothing says."""
    product = account["product_category"]
    if said is not None or product is None:
        return said
    if product in _LOANS:
        return "loan"
    if product in _CARDS:
        return "card"
    if product == "TERM_DEPOSITS":
        return "term-deposit"
    names = " ".join(str(account[name] or "") for name in ("display_name", "product_name")).casefold()
    return next((kind for word, kind in (("offset", "offset"), ("sav", "savings")) if word in names), "everyday")
