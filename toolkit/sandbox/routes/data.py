"""Banking and energy data."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.sandbox.routes.calls import Answer, Call, Handler
from toolkit.sandbox.routes.identity import institution_of
from toolkit.sandbox.service import filters
from toolkit.sandbox.service.consents import rfc3339
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.service.filters import Keep
from toolkit.sandbox.service.rows import KINDS, Row, plain_row
from toolkit.sandbox.world.institutions import BY_ID, IRONBARK, OUTAGE
from toolkit.sandbox.world.money.products import product_records


def _rows(call: Call) -> list[Row]:
    return call.service.rows(call.required("end_user_id"), call.endpoint.name)


def _filtered(tests: Callable[[dict[str, str]], list[Keep]]) -> Handler:
    return lambda call: call.listed(filters.kept(_rows(call), tests(call.query)))


def everything(call: Call) -> Answer:
    return call.listed(_rows(call))


def balances(call: Call) -> Answer:
    """fetch=true asks the institution at once, for one account; here it always knows."""
    fetch = call.query.get("fetch", "false")
    if fetch not in ("true", "false"):
        raise ServiceRefusalError("bad_request", "fetch is neither true nor false.")
    if fetch == "true" and "account_id" not in call.query:
        raise ServiceRefusalError("bad_request", "fetch=true needs account_id.")
    found = filters.kept(_rows(call), filters.accounts(call.query))
    if fetch == "true" and not found:
        raise ServiceRefusalError("account_not_found", "No account has this id.")
    if fetch == "true" and call.service.health_of(BY_ID[found[0].record["institution_id"]]) == OUTAGE:
        raise ServiceRefusalError("bad_gateway", "The institution does not answer.")
    return call.listed(found)


def transactions(call: Call) -> Answer:
    """With `meta.last_updated`: when each account was last read."""
    tests = filters.transactions(call.query, call.every("secondary_category"))
    found = filters.kept(_rows(call), tests)
    accounts = call.service.rows(call.required("end_user_id"), "banking.accounts")
    wanted = filters.kept(accounts, filters.accounts(call.query))
    updated = [{"account_id": row.record["account_id"], "updated_at": rfc3339(call.service.now)} for row in wanted]
    return call.listed(found, meta={"last_updated": updated})


def products(call: Call) -> Answer:
    """The parameter also in the spelling of the live service's older documents."""
    also = next((p.also for p in call.endpoint.parameters if p.name == "institution_id"), None)
    institution = institution_of(call.required("institution_id", also))
    rows = [plain_row(record, record["product_id"]) for record in product_records(institution)]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def provided_products(call: Call) -> Answer:
    """What the caller itself sells; here the first bank's products."""
    rows = [plain_row(record, record["product_id"]) for record in product_records(IRONBARK)]
    return call.listed(sorted(rows, key=lambda row: row.anchor))


def freshness(call: Call) -> Answer:
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
    **dict.fromkeys(KINDS, everything),
    "banking.balances": balances,
    "banking.transactions": transactions,
    "banking.products": products,
    "energy.invoices": _filtered(filters.invoices),
    "energy.billing": _filtered(filters.billing),
    "energy.usage": _filtered(filters.usage),
    "data_provider.products": provided_products,
    "data_freshness": freshness,
}
