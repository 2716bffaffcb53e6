"""A small server of this process, in a thread for as long as its context lasts."""

from __future__ import annotations

from http.server import HTTPServer
from threading import Thread
from types import TracebackType
from typing import Self


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
