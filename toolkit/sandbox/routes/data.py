"""Banking and energy data."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.sandbox.routes.call import Call, Handler
from toolkit.sandbox.routes.identity import institution_of
from toolkit.sandbox.service.consents import rfc3339
from toolkit.sandbox.service.lists import (
    Filter,
    account_filters,
    apply_filters,
    billing_filters,
    invoice_filters,
    transaction_filters,
    usage_filters,
)
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.service.rows import KINDS, plain_row
from toolkit.sandbox.world.money.accounts import product_records
from toolkit.sandbox.world.people import INSTITUTIONS_BY_ID, IRONBARK, OUTAGE
from toolkit.wire import JsonObject


def records(call: Call) -> JsonObject:
    """List all records of the endpoint's resource."""
    return call.listed(call.service.rows(call.required("end_user_id"), call.endpoint.name))


def _filtered_records(filters: Callable[[dict[str, str]], list[Filter]]) -> Handler:
    def _handler(call: Call) -> JsonObject:
        rows = call.service.rows(call.required("end_user_id"), call.endpoint.name)
        return call.listed(apply_filters(rows, filters(call.query)))

    return _handler


def balances(call: Call) -> JsonObject:
    """List balances; fetch=true, for one account only, asks the institution, which may not answer."""
    fetch = call.query.get("fetch", "false")
    if fetch not in ("true", "false"):
        raise ServiceRefusalError("bad_request", "fetch is neither true nor false.")
    if fetch == "true" and "account_id" not in call.query:
        raise ServiceRefusalError("bad_request", "fetch=true needs account_id.")
    all_rows = call.service.rows(call.required("end_user_id"), call.endpoint.name)
    rows = apply_filters(all_rows, account_filters(call.query))
    if fetch == "true" and not rows:
        raise ServiceRefusalError("account_not_found", "No account has this id.")
    if fetch == "true" and call.service.health_of(INSTITUTIONS_BY_ID[rows[0].record["institution_id"]]) == OUTAGE:
        raise ServiceRefusalError("bad_gateway", "The institution does not answer.")
    return call.listed(rows)


def transactions(call: Call) -> JsonObject:
    """List transactions, with `meta.last_updated`: when each account was last read."""
    filters = transaction_filters(call.query, call.values("secondary_category"))
    end_user_id = call.required("end_user_id")
    rows = apply_filters(call.service.rows(end_user_id, call.endpoint.name), filters)
    accounts = apply_filters(call.service.rows(end_user_id, "banking.accounts"), account_filters(call.query))
    updated = [{"account_id": row.record["account_id"], "updated_at": rfc3339(call.service.now)} for row in accounts]
    return call.listed(rows, meta={"last_updated": updated})


def products(call: Call) -> JsonObject:
    """List an institution's products; its id also in the spelling of the live service's older documents."""
    also = next((p.also for p in call.endpoint.parameters if p.name == "institution_id"), None)
    institution = institution_of(call.required("institution_id", also))
    rows = [plain_row(record, record["product_id"]) for record in product_records(institution)]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def provided_products(call: Call) -> JsonObject:
    """List the products that the caller itself offers; here those of the first bank."""
    rows = [plain_row(record, record["product_id"]) for record in product_records(IRONBARK)]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def freshness(call: Call) -> JsonObject:
    """List when each data set of the active consents was last read."""
    service, user = call.service, call.required("end_user_id")
    active = [consent for consent in service.consents_of(service.end_user(user).id) if consent.active(service.now)]
    rows = [
        plain_row(
            {
                "data_set": name,
                "end_user_id": user,
                "institution_id": consent.institution.id,
                "status": "STALE" if service.health_of(consent.institution) == OUTAGE else "FRESH",
                "last_updated": rfc3339(service.now),
            },
            f"{name} {consent.arrangement_id}",
        )
        for consent in active
        for name in KINDS
        if name.startswith(consent.institution.industry)
    ]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


DATA: dict[str, Handler] = {
    **dict.fromkeys(KINDS, records),
    "banking.balances": balances,
    "banking.transactions": transactions,
    "banking.products": products,
    "energy.invoices": _filtered_records(invoice_filters),
    "energy.billing": _filtered_records(billing_filters),
    "energy.usage": _filtered_records(usage_filters),
    "data_provider.products": provided_products,
    "data_freshness": freshness,
}
