"""Query, path and header parameters of the endpoints, each described once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["string", "integer", "boolean", "date", "date-time"]
Place = Literal["query", "path", "header"]

MAX_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True)
class Parameter:
    """name: as on the wire; `Platform` in a header's name is replaced by the deployment's own name.

    also: a second spelling under which live versions of the service read the same value.
    values: those that occur, for documents and tests; the set is open unless `closed`.
    """

    name: str
    meaning: str
    kind: Kind = "string"
    place: Place = "query"
    required: bool = False
    repeatable: bool = False
    values: tuple[str, ...] = ()
    closed: bool = False
    also: str | None = None


PAGE_BEFORE = Parameter("page[before]", "cursor: the page before it")
PAGE_AFTER = Parameter("page[after]", "cursor: the page after it")
PAGE_SIZE = Parameter("page[size]", f"most items on a page, capped at {MAX_PAGE_SIZE}", "integer")
PAGING = (PAGE_BEFORE, PAGE_AFTER, PAGE_SIZE)

END_USER = Parameter("end_user_id", "person who owns the records", required=True)
ACCOUNT = Parameter("account_id", "only this account")
SERVICE_POINT = Parameter("service_point_id", "only this service point")
INVOICE_NUMBER = Parameter("invoice_number", "only this invoice")
EMAIL = Parameter("email", "only the end users with this address")
CLIENT_ID = Parameter("client_id", "the caller's client id", required=True)
INDUSTRY = Parameter("industry", "only this industry", values=("banking", "energy"))
ACTIVE = Parameter("active", "only consents that are, or are not, in force", "boolean")
PRODUCTS_INSTITUTION = Parameter(
    "institution_id",
    "institution that offers the products",
    required=True,
    also="instituition_id",  # sic: so spelled in the service's documents of versions 1 and 2
)

FETCH = Parameter("fetch", "with account_id: ask the institution now", "boolean")
FROM = Parameter("from", "oldest posting, else execution date-time, inclusive", "date-time")
TO = Parameter("to", "newest posting, else execution date-time, inclusive", "date-time")
STATUS = Parameter("status", "only transactions of this status", values=("PENDING", "POSTED"), closed=True)
SECONDARY_CATEGORY = Parameter("secondary_category", "one of these secondary categories", repeatable=True)
READ_OLDEST = Parameter("read_start_date.oldest", "reads that start on this day or later", "date")
READ_NEWEST = Parameter("read_start_date.newest", "reads that start on this day or earlier", "date")

CONSUMER_ADDRESS = Parameter("X-Platform-Client-Ip-Address", "address of the consumer who is present", place="header")
CONSUMER_AGENT = Parameter("X-Platform-Client-User-Agent", "user agent of the consumer who is present", place="header")
VERSION = Parameter("X-Platform-Version", "major version of the interface, such as v3", place="header")

_PATH = Parameter("id", "identifier", place="path", required=True)
ID = _PATH
CONSENT_ID = replace(_PATH, name="consent_id", meaning="identifier of the consent")
ARRANGEMENT_ID = replace(_PATH, name="arrangement_id", meaning="identifier of the arrangement")
