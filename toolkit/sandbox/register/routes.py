"""The open plan interface of the Consumer Data Standards, over the invented market."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import blake2b
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolkit.sandbox.register.market import LISTED_FIELDS, RETAILERS, Market, RetailerPlans
from toolkit.sandbox.world.chance import uuid
from toolkit.wire import JsonObject
from toolkit.wire import plan_register as wire
from toolkit.wire.errors import JSON

ROOT = "/register"
"""Path of the register on the sandbox; each retailer has one below it."""


class RegisterRefusalError(Exception):
    """A request refused with one of the standard's error codes."""

    def __init__(self, code: str, detail: str) -> None:
        """Code: a key of `wire.plan_register.ERROR_CODES`."""
        super().__init__(detail)
        self.code, self.detail = code, detail


def register_routes(market: Market) -> list[Route]:
    """Return the routes of brands, plan lists and plan details."""

    def route(path: str, version: int, content: Callable[[Request, Market], JsonObject]) -> Route:
        async def _route(request: Request) -> Response:
            return _respond(request, version, lambda: content(request, market))

        return Route(ROOT + path, _route, methods=["GET"])

    return [
        route(wire.BRANDS, wire.LEAST_BRANDS_VERSION, _brands),
        route(wire.PLANS, wire.PLANS_VERSION, _page),
        route(wire.PLAN, wire.PLAN_VERSION, _detail),
    ]


def _respond(request: Request, version: int, content: Callable[[], JsonObject]) -> Response:
    """Respond with the content and its tag; with 304 to a caller that has it already."""
    try:
        _check_version(request.headers, version)
        body = msgspec.json.encode(content())
    except RegisterRefusalError as refusal:
        status, fault = wire.fault(refusal.code, refusal.detail)
        return Response(msgspec.json.encode(fault), status, media_type=JSON)
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {wire.VERSION_HEADER: str(version), "etag": tag, "access-control-allow-origin": "*"}
    known = [known_tag.strip().removeprefix("W/") for known_tag in request.headers.get("if-none-match", "").split(",")]
    if tag in known or known == ["*"]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)


def _check_version(headers: Mapping[str, str], served: int) -> None:
    """Check the versions that the caller reads: up to `x-v`, from `x-min-v`; without that exactly `x-v`."""
    if wire.VERSION_HEADER not in headers:
        raise RegisterRefusalError("Header/Missing", wire.VERSION_HEADER)
    newest, oldest = (headers.get(name) for name in (wire.VERSION_HEADER, wire.LEAST_VERSION_HEADER))
    if not all(text is None or (text.isascii() and text.isdigit() and int(text[:9]) > 0) for text in (newest, oldest)):
        raise RegisterRefusalError("Header/InvalidVersion", "Versions are positive whole numbers.")
    high, low = int((newest or "0")[:9]), int((oldest or newest or "0")[:9])
    if not min(low, high) <= served <= high:
        raise RegisterRefusalError("Header/UnsupportedVersion", f"Served is version {served}.")


def _brands(request: Request, market: Market) -> JsonObject:
    """List every brand with the base address of its plans."""
    industry = request.path_params["industry"]
    if industry not in ("all", "energy"):
        raise RegisterRefusalError("Field/Invalid", "industry is all or energy.")
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


def _retailer_plans(request: Request, market: Market) -> RetailerPlans:
    plans = market.retailer_plans(request.path_params["retailer"])
    if plans is None:
        raise RegisterRefusalError("Resource/NotFound", "No retailer of that name.")
    return plans


def _detail(request: Request, market: Market) -> JsonObject:
    plan = _retailer_plans(request, market).plans.get(request.path_params["plan_id"])
    if plan is None:
        raise RegisterRefusalError("Resource/NotFound", "No plan has this id.")
    return {"data": plan, "links": {"self": str(request.url)}, "meta": {}}


def _page(request: Request, market: Market) -> JsonObject:
    query, offered = dict(request.query_params), _retailer_plans(request, market)
    matching = [plan for plan in offered.plans.values() if _matches(plan, query, str(offered.today))]
    size = _number(query, wire.SIZE, wire.PAGE_SIZE, "Field/InvalidPageSize")
    if size > wire.MAX_PAGE_SIZE:
        raise RegisterRefusalError("Field/InvalidPageSize", f"At most {wire.MAX_PAGE_SIZE}.")
    page = _number(query, wire.PAGE, 1, "Field/Invalid")
    pages = max(1, -(-len(matching) // size))
    if page > pages:
        raise RegisterRefusalError("Field/InvalidPage", f"The last page is {pages}.")
    shown = matching[(page - 1) * size :][:size]
    rows = [{name: plan[name] for name in LISTED_FIELDS if name in plan} for plan in shown]
    return {
        "data": {"plans": rows},
        "links": _links(request, page, pages),
        "meta": {"totalRecords": len(matching), "totalPages": pages},
    }


def _number(query: Mapping[str, str], name: str, default: int, code: str) -> int:
    text = query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise RegisterRefusalError(code, f"{name} is not a positive whole number.")
    return int(text[:9])


def _links(request: Request, page: int, pages: int) -> JsonObject:
    def _page_url(number: int) -> str:
        others = {name: value for name, value in request.query_params.items() if name != wire.PAGE}
        return str(request.url.replace(query=urlencode({**others, wire.PAGE: number})))

    links = {"self": _page_url(page), "first": _page_url(1), "last": _page_url(pages)}
    links |= {"prev": _page_url(page - 1)} if page > 1 else {}
    return links | ({"next": _page_url(page + 1)} if page < pages else {})


def _matches(plan: JsonObject, query: Mapping[str, str], today: str) -> bool:
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
        raise RegisterRefusalError("Field/Invalid", f"{name} is one of {', '.join(wire.FILTERS[name])}.")
    return value


def _since(query: Mapping[str, str]) -> datetime:
    text = query.get(wire.UPDATED_SINCE, "0001-01-01T00:00:00Z")
    try:
        timestamp = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        timestamp = None
    if timestamp is None or timestamp.tzinfo is None:
        raise RegisterRefusalError("Field/InvalidDateTime", f"{wire.UPDATED_SINCE} is not a date-time with an offset.")
    return timestamp
