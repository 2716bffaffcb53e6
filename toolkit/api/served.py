"""A small server of this process, in a thread for as long as its context lasts."""

from __future__ import annotations

import sys
from http.server import HTTPServer, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Self


class Local(ThreadingHTTPServer):
    """Serve each connection in a thread, without printing errors of connections that close early."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Served:
    """A context manager: serves on entering, and on leaving has closed its port and ended its thread."""

    def __init__(self, server: HTTPServer) -> None:
        self._server = server
        self._thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
