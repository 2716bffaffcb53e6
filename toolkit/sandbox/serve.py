"""The service on a real socket: for a while in a thread, or until interrupted."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

import uvicorn

from toolkit.errors import ToolkitError, WrongUsage
from toolkit.sandbox.app import make_app
from toolkit.sandbox.service import Service
from toolkit.sandbox.world import World

REDIRECT_URI = "http://127.0.0.1:8765/callback"


@dataclass(frozen=True)
class Running:
    """Where the sandbox is and how to sign in. people: (email, end user id, persona) of the seeded households."""

    base_url: str
    client_id: str
    client_secret: str
    limited_client_id: str
    limited_client_secret: str
    redirect_uri: str
    ca: str | None
    client_cert: str | None
    client_key: str | None
    webhook_secret: str | None
    control_url: str | None
    people: list[tuple[str, str, str]]
    service: Service

    def as_json(self) -> dict[str, Any]:
        """What `toolkit sandbox --json` prints first."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "service"}


@contextmanager
def running(
    *,
    seed: int = 1,
    today: date,
    households: int = 3,
    years: int = 2,
    host: str = "127.0.0.1",
    port: int = 0,
) -> Iterator[Running]:
    """The sandbox over real HTTP in a thread of this process, stopped at the end."""
    service = Service(World(seed, today, households, years))
    with _bound(host, port) as listening:
        server = _server(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="sandbox", daemon=True)
        thread.start()
        try:
            _wait(server, thread)
            yield _running(service, listening)
        finally:
            server.should_exit = True
            thread.join(timeout=10)


def serve_forever(announce: Callable[[Running], None], **settings: Any) -> None:
    """Serves until interrupted; `announce` is told where. `settings` are those of `running`."""
    with running(**settings) as sandbox:
        announce(sandbox)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


def _bound(host: str, port: int) -> socket.socket:
    """A listening socket. With proto left at 0 asyncio would not set TCP_NODELAY, and every answer take 44 ms."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise WrongUsage(f"The sandbox cannot listen on {host} port {port}: {error.strerror}.") from None
    return listening


def _server(service: Service) -> uvicorn.Server:
    app = make_app(service)
    config = uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", loop="asyncio", http="h11", ws="none",
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    return uvicorn.Server(config)


def _wait(server: uvicorn.Server, thread: threading.Thread) -> None:
    """Until it answers. Raises ToolkitError where it does not start."""
    while not server.started:
        if not thread.is_alive():
            raise ToolkitError("The sandbox did not start.")
        time.sleep(0.005)


def _running(service: Service, listening: socket.socket) -> Running:
    host, port = listening.getsockname()[:2]
    service.base_url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    full, limited = service.full_client, service.limited_client
    people = [(p.email, p.end_user_id(service.world.seed), p.persona) for p in service.world.people]
    return Running(
        service.base_url, full.id, full.secret, limited.id, limited.secret, REDIRECT_URI,
        None, None, None, None, None, people, service,
    )  # fmt: skip
