"""The public plan register on paper: the open energy-plan interface of the Consumer Data Standards.

Every retailer has a base address of its own, `<register>/<retailer>`; below it stand a list of plans and the detail of
each. No key. The version of an answer is asked for by the header `x-v`. A page beyond the last is refused with 422.
"""

from __future__ import annotations

import msgspec

from toolkit.errors import InvalidResponseError
from toolkit.wire import JsonObject
from toolkit.wire.decoding.lenient import BROKEN, with_surrogates_replaced
from toolkit.wire.decoding.pages import MalformedResponseError

PLANS = "/{retailer}/cds-au/v1/energy/plans"
PLAN = "/{retailer}/cds-au/v1/energy/plans/{plan_id}"
BRANDS = "/cdr-register/v1/{industry}/data-holders/brands/summary"
"""The public list of brands, each with its `publicBaseUri`."""

VERSION_HEADER = "x-v"
LEAST_VERSION_HEADER = "x-min-v"
BRANDS_VERSION = 2
LEAST_BRANDS_VERSION = 1
"""Version 2 has `productBaseUri`, where a brand's plans are."""
PLANS_VERSION = 1
PLAN_VERSION = 3

PAGE_SIZE = 25
"""Where `page-size` is not given."""
MAX_PAGE_SIZE = 1000

FILTERS: dict[str, tuple[str, ...]] = {
    "type": ("STANDING", "MARKET", "REGULATED", "ALL"),
    "fuelType": ("ELECTRICITY", "GAS", "DUAL", "ALL"),
    "effective": ("CURRENT", "FUTURE", "ALL"),
}
"""Query parameter → its values; each defaults to ALL but `effective`, which does to CURRENT."""

UPDATED_SINCE, BRAND, PAGE, SIZE = "updated-since", "brand", "page", "page-size"

ERRORS = "urn:au-cds:error:cds-all:"
"""What the code of an error begins with."""
ERROR_CODES: dict[str, tuple[int, str]] = {
    "Header/Missing": (400, "Missing Required Header"),
    "Header/InvalidVersion": (400, "Invalid Version"),
    "Header/UnsupportedVersion": (406, "Unsupported Version"),
    "Field/Invalid": (400, "Invalid Field"),
    "Field/InvalidPageSize": (400, "Invalid Page Size"),
    "Field/InvalidPage": (422, "Invalid Page"),
    "Field/InvalidDateTime": (400, "Invalid Date"),
    "Resource/NotFound": (404, "Resource Not Found"),
    "GeneralError/Unexpected": (500, "Unexpected Error Encountered"),
}
"""Code (without `ERRORS`) → status and title."""


class Struct(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """An object on the wire; fields that are not needed are passed over."""


class _Summary(Struct):
    plan_id: str
    last_updated: str | None = None
    brand_name: object = None


class Summary(msgspec.Struct, frozen=True):
    """One plan of a list. given: the entry as it came, for what else it states: customer type, fuel, geography."""

    plan_id: str
    last_updated: str | None
    brand: str | None
    given: msgspec.Raw


class _Listed(Struct):
    plans: list[msgspec.Raw] = []


class _Links(Struct):
    next: str | None = None


class _Meta(Struct):
    total_pages: int | None = None
    total_records: int | None = None


class _Plans(Struct):
    data: _Listed
    links: _Links | None = None
    meta: _Meta | None = None


class PlanPage(Struct):
    """One page of a retailer's list."""

    plans: list[Summary]
    rejected: list[str]
    """Entries without a plan id, as they came."""
    next: str | None
    """Link to the next page."""
    pages: int | None
    """Number of pages of the list, as this page states it."""
    records: int | None
    """Number of plans of the list, likewise."""


class Brand(Struct):
    """A brand of the register's list: below which address its plans stand; products' own where it differs."""

    brand_name: str = ""
    public_base_uri: str | None = None
    product_base_uri: str | None = None


class _Brands(Struct):
    data: list[msgspec.Raw] = []


class _Fault(Struct):
    code: str = ""
    title: str = ""
    detail: str = ""


class _Faults(Struct):
    errors: list[_Fault] = []


# Made once: two threads that make decoders of one struct at a time crash msgspec.
_READ_PLANS = msgspec.json.Decoder(_Plans, strict=False)
_READ_SUMMARY = msgspec.json.Decoder(_Summary)
_READ_BRANDS = msgspec.json.Decoder(_Brands)
_READ_BRAND = msgspec.json.Decoder(Brand)
_READ_FAULTS = msgspec.json.Decoder(_Faults)


def read_plans(body: bytes) -> PlanPage:
    """Read a page of the list. Raises InvalidResponseError if it is not one, as `_unreadable`."""
    try:
        found = _READ_PLANS.decode(with_surrogates_replaced(body))
    except BROKEN as problem:
        raise _unreadable("The plan register's list of plans cannot be read.", problem) from problem
    plans, rejected = [], []
    for raw in found.data.plans:
        try:
            summary = _READ_SUMMARY.decode(raw)
            brand = summary.brand_name if isinstance(summary.brand_name, str) else None
            plans.append(Summary(summary.plan_id, summary.last_updated, brand, raw.copy()))
        except BROKEN:
            rejected.append(bytes(raw).decode("utf-8", "replace"))
    links, meta = found.links or _Links(), found.meta or _Meta()
    return PlanPage(plans=plans, rejected=rejected, next=links.next, pages=meta.total_pages, records=meta.total_records)


def _unreadable(message: str, problem: Exception) -> InvalidResponseError:
    """Return MalformedResponseError for a text that breaks off or is not JSON: the same request may bring it whole."""
    is_json = isinstance(problem, msgspec.ValidationError)
    return (InvalidResponseError if is_json else MalformedResponseError)(message)


def read_brands(body: bytes) -> list[Brand]:
    """Read the list of brands; an entry of another shape is a brand without name and address.

    Raises InvalidResponseError if it is not a list of brands.
    """
    try:
        found = _READ_BRANDS.decode(with_surrogates_replaced(body))
    except BROKEN as problem:
        raise _unreadable("The plan register's list of brands cannot be read.", problem) from problem
    return [_brand(raw) for raw in found.data]


def _brand(raw: msgspec.Raw) -> Brand:
    try:
        return _READ_BRAND.decode(raw)
    except BROKEN:
        return Brand()


def read_plan_detail(body: bytes) -> JsonObject:
    """Return the plan inside a response, as it came. Raises InvalidResponseError if it has none."""
    try:
        found = msgspec.json.decode(with_surrogates_replaced(body))
    except BROKEN as problem:
        raise _unreadable("The plan register's answer cannot be read.", problem) from problem
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, dict):
        raise InvalidResponseError("The plan register's answer holds no plan.")
    return data


def read_fault(body: bytes) -> str:
    """Return the message of an error body as one printable line; empty without one."""
    try:
        found = _READ_FAULTS.decode(body)
    except BROKEN:
        return ""
    details = "; ".join(fault.detail or fault.title or fault.code for fault in found.errors[:3])
    return "".join(char if char.isprintable() else " " for char in details)[:300].strip()


def fault(code: str, detail: str) -> tuple[int, JsonObject]:
    """Return status and body of an error."""
    status, title = ERROR_CODES[code]
    return status, {"errors": [{"code": ERRORS + code, "title": title, "detail": detail}]}
