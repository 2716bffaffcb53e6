"""The table against the specification's own list of paths and parameters, copied here as data."""

from __future__ import annotations

import pytest

from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.endpoints import ENDPOINTS, endpoint

PATHS = {
    "token": "POST /v1/token",
    "end_users.create": "POST /v1/end-users",
    "auth.session": "POST /v1/auth/session",
    "end_users.list": "GET /end-users",
    "end_users.get": "GET /end-users/{id}",
    "institutions.get": "GET /institutions/{id}",
    "consents.create": "POST /consents",
    "consents.get": "GET /consents/{consent_id}",
    "banking.accounts": "GET /v1/banking/accounts",
    "banking.balances": "GET /v1/banking/balances",
    "banking.transactions": "GET /v1/banking/transactions",
    "banking.payees": "GET /v1/banking/payees",
    "banking.scheduled_payments": "GET /v1/banking/payments/scheduled",
    "banking.direct_debits": "GET /v1/banking/acccounts/direct-debits",
    "banking.products": "GET /v1/banking/products",
    "energy.accounts": "GET /v1/energy/accounts",
    "energy.invoices": "GET /v1/energy/invoice",
    "energy.billing": "GET /v1/energy/billing",
    "energy.service_points": "GET /v1/energy/service-points",
    "energy.usage": "GET /v1/energy/usage",
    "energy.der_records": "GET /v1/energy/der",
    "energy.concessions": "GET /v1/energy/concessions",
    "data_provider.products": "GET /v1/data-provider/cdr/products",
}
LIVE = {
    "institutions.list": "GET /v1/institutions",
    "consents.list": "GET /v1/consent",
    "consents.withdraw": "DELETE /v1/consent/{arrangement_id}",
    "data_freshness": "GET /v1/data-freshness",
}
ARRAYS = {
    "banking.scheduled_payments": "scheduled_payments",
    "banking.direct_debits": "direct_debits",
    "energy.invoices": "invoices",
    "energy.billing": "billing",
    "energy.usage": "usage",
    "energy.der_records": "der_records",
    "end_users.list": "end_users",
}
PAGING = {"page[before]", "page[after]", "page[size]"}
FILTERS = {
    "banking.accounts": {"end_user_id"},
    "banking.balances": {"end_user_id", "account_id", "fetch"},
    "banking.transactions": {"end_user_id", "account_id", "from", "to", "status", "secondary_category"},
    "banking.products": {"institution_id"},
    "energy.invoices": {"end_user_id", "account_id", "service_point_id", "invoice_number"},
    "energy.billing": {"end_user_id", "account_id", "invoice_number"},
    "energy.usage": {"end_user_id", "service_point_id", "read_start_date.oldest", "read_start_date.newest"},
    "end_users.list": {"email"},
}


def test_the_table_has_the_specifications_paths_and_the_live_ones():
    assert {r.name: f"{r.method} {r.path}" for r in ENDPOINTS if r.origin == "spec"} == PATHS
    assert {r.name: f"{r.method} {r.path}" for r in ENDPOINTS if r.origin == "live"} == LIVE


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_named_as_specified(name):
    assert endpoint(name).array == ARRAYS[name]


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_those_of_the_specification(name):
    assert {parameter.name for parameter in endpoint(name).query()} == FILTERS[name] | PAGING


def test_every_data_list_is_paged():
    assert all(r.paged for r in ENDPOINTS if r.path.startswith(("/v1/banking", "/v1/energy", "/end-users")) and r.array)


def test_only_the_unversioned_core_paths_take_a_prefix():
    core = {row.name for row in ENDPOINTS if row.core}
    assert core == {"end_users.list", "end_users.get", "institutions.get"}


def test_a_deployments_own_word():
    live = Spelling("fiskil")
    assert live.header("X-Platform-Version") == "X-Fiskil-Version"
    assert live.to_house(b'{"fiskil_id":"platform_id"}') == b'{"platform_id":"platform_id"}'
    assert live.to_wire(b'{"platform_id":"a"}') == b'{"fiskil_id":"a"}'
    assert live.field("platform_transaction_id") == "fiskil_transaction_id"
    with pytest.raises(ValueError, match="Not One"):
        Spelling("Not One")
