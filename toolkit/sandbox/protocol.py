"""Pass the client's certificate and the transport of a connection from uvicorn to the application."""

from __future__ import annotations

import asyncio
import ssl
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

TRANSPORT, THUMBPRINT = "sandbox.transport", "sandbox.thumbprint"


class KnownConnection(H11Protocol):
    """Adds to each scope the transport and, under mutual TLS, the thumbprint of the client's certificate.

    uvicorn 0.54 does not fill the ASGI extension `tls`.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast("asyncio.Transport", transport))  # what asyncio gives to protocols of streams
        known: Scope = {TRANSPORT: transport, THUMBPRINT: _thumbprint(transport)}
        self.app = _told(self.app, known)


def _told(app: ASGIApp, known: Scope) -> ASGIApp:
    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, **known}, receive, send)

    return call


def _thumbprint(transport: asyncio.BaseTransport) -> str | None:
    """`x5t#S256` of RFC 8705: the certificate's digest; None without TLS or without a certificate."""
    connection: Any = transport.get_extra_info("ssl_object")
    if not isinstance(connection, ssl.SSLObject):
        return None
    certificate = connection.getpeercert(binary_form=True)
    return urlsafe_b64encode(sha256(certificate).digest()).decode().rstrip("=") if certificate else None
