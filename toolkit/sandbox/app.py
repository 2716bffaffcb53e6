"""The service as a Starlette application: endpoints, consent pages, plan register and OpenAPI document."""

from __future__ import annotations

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
from toolkit.sandbox.routes import HANDLERS, Call
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.refusals import ServiceRefusalError
from toolkit.sandbox.world import World
from toolkit.sandbox.world.chance import uuid
from toolkit.wire.endpoints import ENDPOINTS, Endpoint, ErrorShape
from toolkit.wire.errors import JSON, STATUSES, write_error
from toolkit.wire.parameters import VERSION

LARGEST_BODY = 1_000_000
VERSIONS = ("v1", "v2", "v3")
BARE_BEFORE_V3 = ("end_users.list", "consents.list")
"""Endpoints that returned a bare array before version 3."""


def make_app(world: World | Service) -> Starlette:
    """Build the application of a world, or of a service with state that the caller may change meanwhile."""
    service = world if isinstance(world, Service) else Service(world)
    routes = [route for row in ENDPOINTS if row.name in HANDLERS for route in _routes(service, row)]

    async def _openapi(request: Request) -> Response:
        origin = str(request.base_url).rstrip("/")
        described = document(origin, core_prefix=service.core_prefix or "", spelling=service.spelling)
        return Response(msgspec.json.encode(described), media_type=JSON)

    routes += [
        *consent_routes(service),
        *register_routes(service.market),
        Route("/openapi.json", _openapi, methods=["GET"]),
    ]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _unknown_path, Exception: _internal_error})
    app.state.service = service
    return app


def _routes(service: Service, row: Endpoint) -> list[Route]:
    """Route the path as the specification spells it; core paths also below /v1, as on the live service."""
    handler = HANDLERS[row.name]

    async def _respond(request: Request) -> Response:
        try:
            version = _version(service, request)
            content = handler(_authorised(await _call(service, row, request)))
        except ServiceRefusalError as refusal:
            response = _error_response(row.errors, refusal.name, refusal.message, service.identity("err"))
            response.headers.update(refusal.headers)
            return response
        headers = {service.spelling.header(VERSION.name): version}
        if content is None:
            return Response(status_code=row.success, headers=headers)
        if row.name in BARE_BEFORE_V3 and version != VERSIONS[-1] and isinstance(content, dict):
            content = content[row.array]
        body = service.spelling.to_wire(msgspec.json.encode(content))
        return Response(body, row.success, headers, media_type=JSON)

    prefixes = ("", "/v1") if service.core_prefix is None else (service.core_prefix,)
    paths = [prefix + row.path for prefix in prefixes] if row.core else [row.path]
    return [Route(path, _respond, methods=[row.method]) for path in paths]


def _version(service: Service, request: Request) -> str:
    """Return the version requested, else the newest. Accepts major versions only, as the live service does."""
    version = request.headers.get(service.spelling.header(VERSION.name)) or VERSIONS[-1]
    if version not in VERSIONS:
        raise ServiceRefusalError("bad_request", f"The version is one of {', '.join(VERSIONS)}.")
    return version


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


def _authorised(call: Call) -> Call:
    """Add the client to a call of an endpoint that requires a token; check token, scopes and rate limit.

    A token that is bound to a certificate is valid with that one only; the consent API accepts only such tokens.
    """
    if call.endpoint.auth == "none":
        return call
    scheme, _, text = call.headers.get("authorization", "").partition(" ")
    token = call.service.bearer(text.strip() if scheme.lower() == "bearer" else "")
    unbound = call.endpoint.auth == "mtls" and call.service.mutual_tls and token.thumbprint is None
    if unbound or token.thumbprint not in (None, call.thumbprint):
        raise ServiceRefusalError("unauthorized", "The access token and the client certificate do not belong together.")
    client = token.client
    call.service.rate_limit.count(client.id)
    if not set(call.endpoint.scopes) <= set(client.scopes):
        raise ServiceRefusalError("insufficient_scope", f"The token lacks the scope {' '.join(call.endpoint.scopes)}.")
    return replace(call, client=client)


def _error_response(shape: ErrorShape, name: str, message: str, reference: str) -> Response:
    media_type, body = write_error(shape, name, message, reference)
    status = STATUSES[name]
    headers = {"www-authenticate": "Bearer"} if status == 401 else None
    return Response(msgspec.json.encode(body), status, headers=headers, media_type=media_type)


def _unknown_path(request: Request, exception: Exception) -> Response:
    """Respond with 404 or 405 in the shape of the data endpoints."""
    assert isinstance(exception, HTTPException)
    name = "method_not_allowed" if exception.status_code == 405 else "not_found"
    return _error_response(
        "data", name, f"{request.method} {request.url.path} is not served.", f"err_{uuid(request.url.path)}"
    )


def _internal_error(_request: Request, exception: Exception) -> Response:
    return _error_response("data", "internal_error", "The sandbox failed.", f"err_{uuid(type(exception).__name__)}")
