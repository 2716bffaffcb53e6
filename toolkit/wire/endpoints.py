"""Every endpoint, one row each: client, sandbox, sync and the OpenAPI document read this table.

Paths are spelled as the specification spells them. What it marks "not shown" is filled in here and in `parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

from toolkit.wire import parameters as p
from toolkit.wire.parameters import Parameter

Auth = Literal["none", "bearer", "mtls"]
ErrorShape = Literal["token", "data", "goa", "consent"]
Origin = Literal["spec", "live"]

DATA_STATUSES = (400, 401, 403, 404, 429, 500)
GOA_STATUSES = (400, 401, 403, 404, 429, 500)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One row of the table."""

    name: str
    method: str
    path: str
    summary: str
    record: str | None = None
    """Struct of a list's items, or of the one object."""
    array: str | None = None
    """Key of the list in the response; None where the response is one object, or empty."""
    parameters: tuple[Parameter, ...] = ()
    body: str | None = None
    """Struct of the request's body."""
    meta: str | None = None
    """Struct of `meta`."""
    auth: Auth = "bearer"
    errors: ErrorShape = "data"
    success: int = 200
    statuses: tuple[int, ...] = DATA_STATUSES
    """Statuses of errors."""
    scopes: tuple[str, ...] = ()
    core: bool = False
    """Whether the deployment may put its own prefix before the path."""
    origin: Origin = "spec"
    """`live`: the running service has it beyond the specification."""

    @property
    def paged(self) -> bool:
        """Whether the list is given in pages."""
        return p.PAGE_AFTER in self.parameters

    def query(self) -> tuple[Parameter, ...]:
        """Return the parameters of the query string."""
        return tuple(parameter for parameter in self.parameters if parameter.place == "query")


def _data(name: str, path: str, array: str, record: str, summary: str, *filters: Parameter) -> Endpoint:
    """Describe a list of an end user's records."""
    parameters = (p.END_USER, *filters, *p.PAGING)
    return Endpoint(name, "GET", path, summary, record, array, parameters)


BANKING = (
    _data("banking.accounts", "/v1/banking/accounts", "accounts", "BankAccount", "Bank accounts"),
    replace(
        _data(
            "banking.balances",
            "/v1/banking/balances",
            "balances",
            "Balance",
            "Balances; `fetch=true` with `account_id` asks the institution in real time",
            p.ACCOUNT,
            p.FETCH,
            p.CONSUMER_ADDRESS,
            p.CONSUMER_AGENT,
        ),
        statuses=(*DATA_STATUSES, 502, 504),
    ),
    replace(
        _data(
            "banking.transactions",
            "/v1/banking/transactions",
            "transactions",
            "Transaction",
            "Transactions, by posting else execution date-time",
            p.ACCOUNT,
            p.FROM,
            p.TO,
            p.STATUS,
            p.SECONDARY_CATEGORY,
        ),
        meta="TransactionsMeta",
    ),
    _data("banking.payees", "/v1/banking/payees", "payees", "Payee", "Payees"),
    _data(
        "banking.scheduled_payments",
        "/v1/banking/payments/scheduled",
        "scheduled_payments",
        "ScheduledPayment",
        "Scheduled payments",
    ),
    _data(
        "banking.direct_debits",
        "/v1/banking/acccounts/direct-debits",  # sic: three c's, in the specification and on the live service
        "direct_debits",
        "DirectDebit",
        "Direct debit authorisations",
    ),
    Endpoint(
        "banking.products",
        "GET",
        "/v1/banking/products",
        "Products of an institution",
        "BankProduct",
        "products",
        (p.PRODUCTS_INSTITUTION, *p.PAGING),
    ),
)

ENERGY = (
    _data("energy.accounts", "/v1/energy/accounts", "accounts", "EnergyAccount", "Energy accounts with their plans"),
    _data(
        "energy.invoices",
        "/v1/energy/invoice",
        "invoices",
        "Invoice",
        "Invoices",
        p.ACCOUNT,
        p.SERVICE_POINT,
        p.INVOICE_NUMBER,
    ),
    _data(
        "energy.billing",
        "/v1/energy/billing",
        "billing",
        "BillingTransaction",
        "Billing transactions",
        p.ACCOUNT,
        p.INVOICE_NUMBER,
    ),
    _data("energy.service_points", "/v1/energy/service-points", "service_points", "ServicePoint", "Service points"),
    _data(
        "energy.usage",
        "/v1/energy/usage",
        "usage",
        "UsageRecord",
        "Meter reads",
        p.SERVICE_POINT,
        p.READ_OLDEST,
        p.READ_NEWEST,
    ),
    _data("energy.der_records", "/v1/energy/der", "der_records", "DerRecord", "Solar, batteries and other resources"),
    _data("energy.concessions", "/v1/energy/concessions", "concessions", "Concession", "Concessions"),
)

IDENTITY = (
    Endpoint(
        "token",
        "POST",
        "/v1/token",
        "Exchange credentials for a bearer token",
        "Token",
        body="TokenBody",
        auth="none",
        errors="token",
        statuses=(400, 401, 403, 429, 500),
    ),
    Endpoint(
        "end_users.create",
        "POST",
        "/v1/end-users",
        "Create an end user",
        "EndUserCreated",
        body="EndUserBody",
        errors="goa",
        statuses=GOA_STATUSES,
    ),
    Endpoint(
        "end_users.list",
        "GET",
        "/end-users",
        "End users",
        "EndUser",
        "end_users",
        (p.EMAIL, *p.PAGING),
        core=True,
    ),
    Endpoint(
        "end_users.get",
        "GET",
        "/end-users/{id}",
        "One end user",
        "EndUser",
        parameters=(p.ID,),
        errors="goa",
        statuses=GOA_STATUSES,
        core=True,
    ),
    Endpoint(
        "auth.session",
        "POST",
        "/v1/auth/session",
        "Start the consent flow of an end user",
        "Session",
        body="SessionBody",
        errors="goa",
        statuses=GOA_STATUSES,
    ),
    Endpoint(
        "institutions.get",
        "GET",
        "/institutions/{id}",
        "One institution with its connection health",
        "Institution",
        parameters=(p.ID,),
        errors="goa",
        statuses=GOA_STATUSES,
        core=True,
    ),
)

CONSENT = (
    Endpoint(
        "consents.create",
        "POST",
        "/consents",
        "Request a consent",
        "ConsentRequest",
        body="ConsentBody",
        auth="mtls",
        errors="consent",
        statuses=(400, 401, 403, 429, 500),
    ),
    Endpoint(
        "consents.get",
        "GET",
        "/consents/{consent_id}",
        "One consent arrangement",
        "ConsentArrangement",
        parameters=(p.CONSENT_ID,),
        auth="mtls",
        errors="consent",
        statuses=(400, 401, 403, 404, 429, 500),
    ),
)

PROVIDER = (
    Endpoint(
        "data_provider.products",
        "GET",
        "/v1/data-provider/cdr/products",
        "Products that the caller itself provides",
        "BankProduct",
        "products",
        p.PAGING,
        scopes=("api:provider.products.read",),
    ),
)

LIVE = (
    Endpoint(
        "institutions.list",
        "GET",
        "/v1/institutions",
        "Institutions that can be connected; the answer is a bare array",
        "Institution",
        "",
        (p.CLIENT_ID, p.INDUSTRY),
        errors="goa",
        statuses=GOA_STATUSES,
        origin="live",
    ),
    Endpoint(
        "consents.list",
        "GET",
        "/v1/consent",
        "Consents of an end user",
        "ConsentRecord",
        "consents",
        (p.END_USER, p.ACTIVE, *p.PAGING),
        origin="live",
    ),
    Endpoint(
        "consents.withdraw",
        "DELETE",
        "/v1/consent/{arrangement_id}",
        "Withdraw a consent",
        parameters=(p.ARRANGEMENT_ID,),
        success=204,
        origin="live",
    ),
    Endpoint(
        "data_freshness",
        "GET",
        "/v1/data-freshness",
        "When each data set was last refreshed; shape guessed, only its existence is known",
        "DataFreshness",
        "data_freshness",
        (p.END_USER, *p.PAGING),
        origin="live",
    ),
)

ENDPOINTS: tuple[Endpoint, ...] = (*IDENTITY, *CONSENT, *BANKING, *ENERGY, *PROVIDER, *LIVE)

_BY_NAME = {row.name: row for row in ENDPOINTS}


def endpoint(name: str) -> Endpoint:
    """Return the endpoint called `name`. Raises KeyError for an unknown name."""
    return _BY_NAME[name]


def python_name(parameter: Parameter) -> str:
    """Return a parameter's Python name: `from_` for `from`, `page_size` for `page[size]`."""
    name = parameter.name.replace(".", "_").replace("[", "_").replace("]", "").replace("-", "_").lower()
    return name + "_" if name == "from" else name


def query(row: Endpoint, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Build a request's query from values by Python name; None is left out.

    Raises TypeError for an unknown name or a missing required one.
    """
    known = {python_name(parameter): parameter for parameter in row.query()}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise TypeError(f"{row.name} has no parameter {', '.join(unknown)}; it has {', '.join(known)}")
    missing = sorted(name for name, p in known.items() if p.required and values.get(name) is None)
    if missing:
        raise TypeError(f"{row.name} needs {', '.join(missing)}")
    pairs = []
    for name, value in values.items():
        parameter = known[name]
        several = parameter.repeatable and isinstance(value, Iterable) and not isinstance(value, str)
        spellings = [parameter.name, parameter.also] if parameter.also else [parameter.name]
        given = [each for each in (value if several else [value]) if each is not None]
        pairs += [(spelling, text(each)) for each in given for spelling in spellings]
    return pairs


def text(value: object) -> str:
    """Return a parameter's value as the service reads it. Raises ValueError for a date-time without a zone."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a date-time needs its zone")
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)
