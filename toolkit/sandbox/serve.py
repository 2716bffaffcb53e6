"""Serve the sandbox on a real socket, in a thread of this process."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from toolkit.errors import ToolkitError, UsageError
from toolkit.sandbox.certificates import Certificates, make_certificates
from toolkit.sandbox.control import ControlledApp, control_path, make_webhook_sender
from toolkit.sandbox.faults import Fault, Schedule, resolve_faults
from toolkit.sandbox.protocol import SandboxProtocol
from toolkit.sandbox.register.routes import ROOT as REGISTER
from toolkit.sandbox.service import Service
from toolkit.sandbox.service.persistence import restore, save
from toolkit.sandbox.webhooks import Delivery
from toolkit.sandbox.world import World
from toolkit.wire.decoding.lenient import HOUSE_WORD, Spelling


@dataclass(frozen=True)
class Running:
    """A running sandbox: its addresses, credentials and files."""

    base_url: str
    client_id: str
    client_secret: str = field(repr=False)
    limited_client_id: str
    """A client without scopes."""
    limited_client_secret: str = field(repr=False)
    redirect_uri: str
    ca: str | None
    """PEM files of certificates, with TLS only; see `certificates.Certificates`."""
    client_cert: str | None
    client_key: str | None
    other_client_cert: str | None
    other_client_key: str | None
    expired_client_cert: str | None
    expired_client_key: str | None
    webhook_secret: str = field(repr=False)
    control_url: str | None
    register_url: str
    people: list[tuple[str, str, str]]
    """(email, end user id, persona) of the seeded households."""
    service: Service = field(repr=False)


@contextmanager
def running(  # noqa: PLR0913  one parameter an option of the command
    *,
    seed: int = 1,
    today: date,
    households: int = 3,
    years: int = 2,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: bool = False,
    state: Path | None = None,
    faults: Path | Sequence[Fault] | Schedule | None = None,
    platform: str = HOUSE_WORD,
    core_prefix: str | None = None,
    webhooks: Delivery | None = None,
) -> Iterator[Running]:
    """Run the sandbox over real HTTP in a thread of this process; stop it at the end.

    tls: whether to use TLS, with an authority that has files as long as the sandbox runs.
    state: file to resume from, if it exists, and to write after each change.
    faults: a list, a seeded schedule, or a file with either.
    platform, core_prefix: the deployment's own spelling; without a prefix the core paths are served with and without
    `/v1`.
    Raises UsageError if it cannot listen on the port or a file is invalid.
    """
    service = Service(World(seed, today, households, years), spelling=Spelling(platform), core_prefix=core_prefix)
    service.mutual_tls = tls
    if state:
        restore(service, state)
    sender = make_webhook_sender(service)
    sender.set(webhooks or Delivery())
    app: ASGIApp = ControlledApp(service, sender, resolve_faults(faults))
    if state:
        app = _saving_app(app, service, state)
    with (
        closing(sender),
        _listening_socket(host, port) as listening,
        _certificates(host, tls=tls) as certificates,
        _serving(_server(app, certificates), listening),
    ):
        yield _running(service, listening, certificates)


@contextmanager
def _serving(server: uvicorn.Server, listening: socket.socket) -> Iterator[None]:
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="sandbox", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise ToolkitError("The sandbox did not start.")
            time.sleep(0.005)
        yield
    finally:
        server.should_exit = True
        thread.join(timeout=10)


@contextmanager
def _certificates(host: str, *, tls: bool) -> Iterator[Certificates | None]:
    if not tls:
        yield None
        return
    with TemporaryDirectory(prefix="toolkit-sandbox-") as folder:
        yield make_certificates(Path(folder), host)


def _saving_app(app: ASGIApp, service: Service, state: Path) -> ASGIApp:
    """Save the service's state after every request that may have changed it."""

    async def _app_then_save(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, send)
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            save(service, state)

    return _app_then_save


def _listening_socket(host: str, port: int) -> socket.socket:
    """Bind a socket. Raises UsageError if the address is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without IPPROTO_TCP asyncio does not set TCP_NODELAY, and every response takes 44 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise UsageError(f"The sandbox cannot listen on {host} port {port}: {error.strerror}.") from None
    return listening


def _server(app: ASGIApp, certificates: Certificates | None) -> uvicorn.Server:
    """Configure the server: TLS 1.2 or later; a client certificate is optional, but checked."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=SandboxProtocol,
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    if certificates:
        config.ssl_certfile, config.ssl_keyfile = certificates.server, certificates.server_key
        config.ssl_ca_certs = str(certificates.ca)
        config.ssl_cert_reqs = ssl.CERT_OPTIONAL
    config.load()
    if config.ssl:
        config.ssl.minimum_version = ssl.TLSVersion.TLSv1_2
    return uvicorn.Server(config)


def _running(service: Service, listening: socket.socket, certificates: Certificates | None) -> Running:
    host, port = listening.getsockname()[:2]
    scheme = "https" if certificates else "http"
    service.base_url = f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
    full, limited = service.full_client, service.limited_client
    return Running(
        base_url=service.base_url,
        client_id=full.id,
        client_secret=full.secret,
        limited_client_id=limited.id,
        limited_client_secret=limited.secret,
        redirect_uri=service.redirect_uris[0],
        ca=str(certificates.ca) if certificates else None,
        client_cert=str(certificates.client) if certificates else None,
        client_key=str(certificates.client_key) if certificates else None,
        other_client_cert=str(certificates.other) if certificates else None,
        other_client_key=str(certificates.other_key) if certificates else None,
        expired_client_cert=str(certificates.expired) if certificates else None,
        expired_client_key=str(certificates.expired_key) if certificates else None,
        webhook_secret=service.webhook_secret,
        control_url=service.base_url + control_path(service),
        register_url=service.base_url + REGISTER,
        people=[(p.email, p.end_user_id(service.world.seed), p.persona) for p in service.world.people],
        service=service,
    )
