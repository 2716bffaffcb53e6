"""The open plan interface of the Consumer Data Standards, over the invented market."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolkit.sandbox.register.market import OF_THE_LIST, Market, RetailerPlans
from toolkit.sandbox.register.places import RETAILERS
from toolkit.sandbox.world.chance import uuid
from toolkit.wire import plan_register as wire
from toolkit.wire.errors import JSON

Json = dict[str, Any]
ROOT = "/register"
"""The register's own place on the sandbox; its retailers are below."""


class RegisterFaultError(Exception):
    """code: a key of `wire.register.ERROR_CODES`."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


def register_routes(market: Market) -> list[Route]:
    async def listed(request: Request) -> Response:
        return _answered(request, wire.PLANS_VERSION, lambda: _page(request, _retailer_plans(market, request)))

    async def detailed(request: Request) -> Response:
        return _answered(request, wire.PLAN_VERSION, lambda: _detail(request, _retailer_plans(market, request)))

    async def branded(request: Request) -> Response:
        return _answered(request, wire.BRANDS_VERSION, lambda: _brands(request, market))

    return [
        Route(ROOT + wire.BRANDS, branded, methods=["GET"]),
        Route(ROOT + wire.PLANS, listed, methods=["GET"]),
        Route(ROOT + wire.PLAN, detailed, methods=["GET"]),
    ]


def _answered(request: Request, version: int, answer: Callable[[], Json]) -> Response:
    """The answer with its tag; 304 for whoever has it already."""
    try:
        _check_version(request.headers, version)
        body = msgspec.json.encode(answer())
    except RegisterFaultError as faulted:
        status, fault = wire.fault(faulted.code, faulted.detail)
        return Response(msgspec.json.encode(fault), status, media_type=JSON)
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {wire.VERSION_HEADER: str(version), "etag": tag, "access-control-allow-origin": "*"}
    known = [found.strip().removeprefix("W/") for found in request.headers.get("if-none-match", "").split(",")]
    if tag in known or known == ["*"]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)


def _check_version(headers: Mapping[str, str], served: int) -> None:
    """`x-v` is the newest that the caller reads, `x-min-v` the oldest; without that one only `x-v` itself will do."""
    if wire.VERSION_HEADER not in headers:
        raise RegisterFaultError("Header/Missing", wire.VERSION_HEADER)
    newest, oldest = (headers.get(name) for name in (wire.VERSION_HEADER, wire.LEAST_VERSION_HEADER))
    if not all(text is None or (text.isascii() and text.isdigit() and int(text[:9]) > 0) for text in (newest, oldest)):
        raise RegisterFaultError("Header/InvalidVersion", "Versions are positive whole numbers.")
    high, low = int((newest or "0")[:9]), int((oldest or newest or "0")[:9])
    if not min(low, high) <= served <= high:
        raise RegisterFaultError("Header/UnsupportedVersion", f"Served is version {served}.")


def _brands(request: Request, market: Market) -> Json:
    """Every brand with the address that its plans are below."""
    industry = request.path_params["industry"]
    if industry not in ("all", "energy"):
        raise RegisterFaultError("Field/Invalid", "industry is all or energy.")
    brands = [
        {
            "dataHolderBrandId": uuid(market.seed, "brand", brand),
            "brandName": name,
            "publicBaseUri": f"{str(request.base_url).rstrip('/')}{ROOT}/{retailer.slug}",
            "logoUri": f"https://assets.example/{brand}.svg",
            "industries": ["energy"],
            "lastUpdated": f"{market.today}T00:00:00Z",
        }
        for retailer in RETAILERS
        for brand, name in retailer.brands
    ]
    return {"data": brands, "links": {"self": str(request.url)}, "meta": {}}


def _retailer_plans(market: Market, request: Request) -> RetailerPlans:
    found = market.retailer_plans(request.path_params["retailer"])
    if found is None:
        raise RegisterFaultError("Resource/NotFound", "No retailer of that name.")
    return found


def _detail(request: Request, retailer_plans: RetailerPlans) -> Json:
    plan = retailer_plans.plans.get(request.path_params["plan_id"])
    if plan is None:
        raise RegisterFaultError("Resource/NotFound", "No plan has this id.")
    return {"data": plan, "links": {"self": str(request.url)}, "meta": {}}


def _page(request: Request, retailer_plans: RetailerPlans) -> Json:
    query = dict(request.query_params)
    found = [plan for plan in retailer_plans.plans.values() if _fits(plan, query, str(retailer_plans.today))]
    size, page = _size(query), _number(query, wire.PAGE, 1, "Field/Invalid")
    pages = max(1, -(-len(found) // size))
    if page > pages:
        raise RegisterFaultError("Field/InvalidPage", f"The last page is {pages}.")
    rows = [{name: plan[name] for name in OF_THE_LIST if name in plan} for plan in found[(page - 1) * size :][:size]]
    return {
        "data": {"plans": rows},
        "links": _links(request, page, pages),
        "meta": {"totalRecords": len(found), "totalPages": pages},
    }


def _size(query: Mapping[str, str]) -> int:
    size = _number(query, wire.SIZE, wire.PAGE_SIZE, "Field/InvalidPageSize")
    if size > wire.MAX_PAGE_SIZE:
        raise RegisterFaultError("Field/InvalidPageSize", f"At most {wire.MAX_PAGE_SIZE}.")
    return size


def _number(query: Mapping[str, str], name: str, otherwise: int, code: str) -> int:
    text = query.get(name, str(otherwise))
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise RegisterFaultError(code, f"{name} is not a positive whole number.")
    return int(text[:9])


def _links(request: Request, page: int, pages: int) -> Json:
    def at(number: int) -> str:
        others = {name: value for name, value in request.query_params.items() if name != wire.PAGE}
        return str(request.url.replace(query=urlencode({**others, wire.PAGE: number})))

    links = {"self": at(page), "first": at(1), "last": at(pages)}
    links |= {"prev": at(page - 1)} if page > 1 else {}
    return links | ({"next": at(page + 1)} if page < pages else {})


def _fits(plan: Json, query: Mapping[str, str], today: str) -> bool:
    kind, fuel, effective = (_choice(query, name) for name in wire.FILTERS)
    future = plan["effectiveFrom"][:10] > today
    return (
        kind in ("ALL", plan["type"])
        and fuel in ("ALL", plan["fuelType"])
        and effective in ("ALL", "FUTURE" if future else "CURRENT")
        and query.get(wire.BRAND) in (None, plan["brand"])
        and _since(query) <= datetime.fromisoformat(plan["lastUpdated"])
    )


def _choice(query: Mapping[str, str], name: str) -> str:
    value = query.get(name, "CURRENT" if name == "effective" else "ALL")
    if value not in wire.FILTERS[name]:
        raise RegisterFaultError("Field/Invalid", f"{name} is one of {', '.join(wire.FILTERS[name])}.")
    return value


def _since(query: Mapping[str, str]) -> datetime:
    text = query.get(wire.UPDATED_SINCE, "0001-01-01T00:00:00Z")
    try:
        timestamp = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        timestamp = None
    if timestamp is None or timestamp.tzinfo is None:
        raise RegisterFaultError("Field/InvalidDateTime", f"{wire.UPDATED_SINCE} is not a date-time with an offset.")
    return timestamp
