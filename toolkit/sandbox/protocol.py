"""Pass the transport of a connection and the client's certificate from uvicorn to the application."""

from __future__ import annotations

import asyncio
import ssl
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

TRANSPORT, THUMBPRINT = "sandbox.transport", "sandbox.thumbprint"


class SandboxProtocol(H11Protocol):
    """Adds to each scope the transport and, under mutual TLS, the thumbprint of the client's certificate.

    uvicorn 0.54 does not fill the ASGI extension `tls`.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wrap the application for this connection."""
        super().connection_made(cast("asyncio.Transport", transport))  # what asyncio gives to protocols of streams
        app: ASGIApp = self.app
        added: Scope = {TRANSPORT: transport, THUMBPRINT: _thumbprint(transport)}

        async def _app_with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, **added}, receive, send)

        self.app = _app_with_connection


def _thumbprint(transport: asyncio.BaseTransport) -> str | None:
    """Return `x5t#S256` of RFC 8705, the certificate's digest; None without TLS or without a certificate."""
    connection: Any = transport.get_extra_info("ssl_object")
    if not isinstance(connection, ssl.SSLObject):
        return None
    certificate = connection.getpeercert(binary_form=True)
    return urlsafe_b64encode(sha256(certificate).digest()).decode().rstrip("=") if certificate else None
