"""The bank's side of an invoice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolkit.flows.money import NEEDED, zone_of

if TYPE_CHECKING:
    from toolkit.analytics.energy.reconcile import Stated
    from toolkit.store import Store


@dataclass(slots=True)
class Payments:
    """Payments of the household that could settle its invoices; each settles one at most."""

    rows: list[dict[str, Any]]
    retailers: Mapping[str, str]
    _taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, store: Store, household: dict[str, Any], invoices: Sequence[Stated]) -> Payments:
        """Posted money out in AUD, of an amount that one of the invoices has."""
        amounts = sorted({-stated.minor for stated in invoices if stated.minor})
        names = {row["institution_id"]: row["name"] for row in store.rows("institutions") if row["name"]}
        return cls(_with_days(store, household, amounts), names)

    def of_invoice(self, stated: Stated, institution_id: str | None) -> dict[str, Any] | None:
        """The payment that settled it (`linked`), or those that may have (`suggested`); None where there is none."""
        from toolkit.analytics.energy.reconcile import settled

        name = self.retailers.get(institution_id or "")
        found = settled(stated, [name] if name else [], self.rows, self._taken)
        if found is None:
            return None
        if found.certain:
            self._taken.add(str(found.candidates[0]["id"]))
            return {"state": "linked", **_payment(found.candidates[0])}
        return {"state": "suggested", "candidates": [_payment(row) for row in found.candidates]}


def _with_days(store: Store, household: dict[str, Any], amounts: Sequence[int]) -> list[dict[str, Any]]:
    import polars as pl

    from toolkit.analytics.spending.days import with_days

    if not amounts:
        return []
    rows = store.read("transactions", household["household_id"], columns=NEEDED)
    wanted = rows.filter(
        pl.col("amount_minor").is_in(amounts)
        & (pl.col("currency") == "AUD")
        & (pl.col("status") == "POSTED")
        & pl.col("vanished_at").is_null()
    )
    return with_days(wanted.lazy(), zone_of(household)).sort("day", "id").collect().to_dicts()


def _payment(row: Mapping[str, Any]) -> dict[str, Any]:
    from toolkit.analytics.energy.bills.model import aud

    return {
        "transaction_id": row["id"],
        "account_id": row["account_id"],
        "date": row["day"],
        "amount": aud(row["amount_minor"]),
        "description": row["biller_name"] or row["merchant_name"] or row["description"],
    }
