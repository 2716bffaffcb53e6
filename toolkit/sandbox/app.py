"""The service as a Starlette application: one route per row of the endpoint table, and the consent pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolkit.sandbox.consent.pages import consent_routes
from toolkit.sandbox.openapi import document
from toolkit.sandbox.protocol import THUMBPRINT
from toolkit.sandbox.register.routes import register_routes
from toolkit.sandbox.routes import HANDLERS, Call, Handler
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.faults import ServiceRefusalError
from toolkit.sandbox.world import World
from toolkit.sandbox.world.chance import uuid
from toolkit.wire.endpoints import ENDPOINTS, Endpoint, ErrorShape
from toolkit.wire.errors import JSON, STATUSES, write_error
from toolkit.wire.parameters import VERSION

Respond = Callable[[Request], Awaitable[Response]]
LARGEST_BODY = 1_000_000
VERSIONS = ("v1", "v2", "v3")
BARE_BEFORE_V3 = ("end_users.list", "consents.list")


def make_app(world: World | Service) -> Starlette:
    """The application over a world, or over a service whose state the caller keeps a hand on."""
    service = world if isinstance(world, Service) else Service(world)
    served = [row for row in ENDPOINTS if row.name in HANDLERS]
    routes = [route for row in served for route in _routes(service, row)]
    app = Starlette(
        routes=[*routes, *consent_routes(service), *register_routes(service.market), _described(service)],
        exception_handlers={HTTPException: _unknown_path, Exception: _broken},
    )
    app.state.service = service
    return app


def _routes(service: Service, row: Endpoint) -> list[Route]:
    """The path as the specification spells it; core paths also below /v1, as the live service has them."""
    prefixes = ("", "/v1") if service.core_prefix is None else (service.core_prefix,)
    paths = [prefix + row.path for prefix in prefixes] if row.core else [row.path]
    respond = _responder(service, row, HANDLERS[row.name])
    return [Route(path, respond, methods=[row.method]) for path in paths]


def _responder(service: Service, row: Endpoint, handler: Handler) -> Respond:
    async def respond(request: Request) -> Response:
        try:
            version = _version(service, request)
            answer = handler(_admitted(await _call(service, row, request)))
        except ServiceRefusalError as refusal:
            return _refused(service, row.errors, refusal)
        headers = {service.spelling.header(VERSION.name): version}
        if answer is None:
            return Response(status_code=row.success, headers=headers)
        return Response(_written(service, row, answer, version), row.success, headers, media_type=JSON)

    return respond


def _version(service: Service, request: Request) -> str:
    """The version asked for, else the newest. Refuses all but the names of major versions, as the live service does."""
    asked = request.headers.get(service.spelling.header(VERSION.name)) or VERSIONS[-1]
    if asked not in VERSIONS:
        raise ServiceRefusalError("bad_request", f"The version is one of {', '.join(VERSIONS)}.")
    return asked


def _written(service: Service, row: Endpoint, answer: object, version: str) -> bytes:
    """Before version 3 the lists of end users and of consents were bare arrays."""
    if row.name in BARE_BEFORE_V3 and version != VERSIONS[-1] and isinstance(answer, dict):
        answer = answer[row.array]
    return service.spelling.to_wire(msgspec.json.encode(answer))


async def _call(service: Service, row: Endpoint, request: Request) -> Call:
    body = await request.body()
    if len(body) > LARGEST_BODY:
        raise ServiceRefusalError("bad_request", "The body is too large.")
    return Call(
        service=service,
        endpoint=row,
        url=str(request.url.replace(query="", fragment="")),
        pairs=request.query_params.multi_items(),
        path=request.path_params,
        headers=request.headers,
        raw_body=body,
        thumbprint=request.scope.get(THUMBPRINT),
    )


def _admitted(call: Call) -> Call:
    """The call with its client, where the endpoint wants one. Refuses whoever is unknown, unscoped or too hasty.

    A token that is bound to a certificate comes with that one or not at all; the consent API takes only such tokens.
    """
    if call.endpoint.auth == "none":
        return call
    scheme, _, text = call.headers.get("authorization", "").partition(" ")
    token = call.service.bearer(text.strip() if scheme.lower() == "bearer" else "")
    unbound = call.endpoint.auth == "mtls" and call.service.mutual_tls and token.thumbprint is None
    if unbound or token.thumbprint not in (None, call.thumbprint):
        raise ServiceRefusalError("unauthorized", "The access token and the client certificate do not belong together.")
    client = token.client
    call.service.limit.count(client.id)
    if not set(call.endpoint.scopes) <= set(client.scopes):
        raise ServiceRefusalError("insufficient_scope", f"The token lacks the scope {' '.join(call.endpoint.scopes)}.")
    return replace(call, client=client)


def _refused(service: Service, shape: ErrorShape, refusal: ServiceRefusalError) -> Response:
    answer = _error(shape, refusal.name, refusal.message, service.identity("err"))
    answer.headers.update(refusal.headers)
    return answer


def _error(shape: ErrorShape, name: str, message: str, reference: str) -> Response:
    media_type, body = write_error(shape, name, message, reference)
    status = STATUSES[name]
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    return Response(msgspec.json.encode(body), status, headers=headers, media_type=media_type)


def _described(service: Service) -> Route:
    """The OpenAPI document of what is served here."""

    async def describe(request: Request) -> Response:
        origin = str(request.base_url).rstrip("/")
        found = document(origin, core_prefix=service.core_prefix or "", spelling=service.spelling)
        return Response(msgspec.json.encode(found), media_type=JSON)

    return Route("/openapi.json", describe, methods=["GET"])


def _unknown_path(request: Request, exception: Exception) -> Response:
    """404 and 405 speak like the data endpoints do."""
    assert isinstance(exception, HTTPException)
    name = "method_not_allowed" if exception.status_code == 405 else "not_found"
    return _error("data", name, f"{request.method} {request.url.path} is not served.", f"err_{uuid(request.url.path)}")


def _broken(_request: Request, exception: Exception) -> Response:
    return _error("data", "internal_error", "The sandbox failed.", f"err_{uuid(type(exception).__name__)}")
