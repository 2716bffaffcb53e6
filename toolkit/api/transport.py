"""One HTTP request and its response, over httpx. Redirects are never followed; errors say what to do next."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from toolkit.api.access import LOOPBACK
from toolkit.errors import ConnectionFailedError, InvalidResponseError, SettingsError

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
LIMITS = httpx.Limits(max_connections=64, max_keepalive_connections=32)
LONGEST_BODY = 64 * 1024 * 1024
_ENCODINGS = ("gzip", "deflate")
"""Accepted encodings, one at a time: the first chunk of a body compressed twice can unpack to gigabytes."""
USER_AGENT = "finance-energy-toolkit"


@dataclass(frozen=True, slots=True)
class Response:
    """Status, headers (names in lower case) and body of an HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class RequestFailedError(ConnectionFailedError):
    """No whole response came.

    transient: another try may help.
    sent: the request may have reached the service and been acted on.
    """

    def __init__(self, message: str, *, transient: bool, sent: bool) -> None:
        super().__init__(message)
        self.transient, self.sent = transient, sent


class CorruptResponseError(InvalidResponseError):
    """A response broke off or cannot be decompressed."""


class Transport:
    """Thread-safe. Close it, or use it as a context manager."""

    def __init__(
        self,
        base_url: str,
        *,
        ca: Path | None = None,
        cert: Path | None = None,
        key: Path | None = None,
        setting: str = "TOOLKIT_BASE_URL",
    ) -> None:
        """setting: the name of the setting with the address, for the advice in errors."""
        self._host, self._setting = urlsplit(base_url).netloc, setting
        local = urlsplit(base_url).hostname in LOOPBACK
        self._local = local
        self._http = httpx.Client(
            verify=tls(base_url, ca, cert, key, trust_env=not local),
            trust_env=not local,
            follow_redirects=False,
            timeout=TIMEOUT,
            limits=LIMITS,
            headers={"user-agent": USER_AGENT, "accept": "application/json", "accept-encoding": ", ".join(_ENCODINGS)},
        )

    def close(self) -> None:
        self._http.close()

    def send(
        self,
        method: str,
        url: str,
        *,
        query: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Send one request.

        Raises RequestFailedError without a whole response, InvalidResponseError for one that is too large,
        CorruptResponseError for one that is broken.
        """
        typed = {"content-type": "application/json"} if body is not None else {}
        with (
            self._typed_errors(),
            self._http.stream(
                method, url, params=tuple(query) or None, headers={**(headers or {}), **typed}, content=body
            ) as response,
        ):
            return Response(response.status_code, _headers(response), _bounded(response))

    @contextmanager
    def _typed_errors(self) -> Iterator[None]:
        try:
            yield
        except httpx.DecodingError as problem:
            raise CorruptResponseError(
                f"{self._host}: the response cannot be decompressed. Try again later."
            ) from problem
        except httpx.TransportError as problem:
            raise self._request_failed(problem) from problem
        except httpx.InvalidURL as problem:
            raise SettingsError(
                f"{self._host} is not a usable address ({problem}). Check {self._setting}."
            ) from problem

    def _request_failed(self, problem: httpx.TransportError) -> RequestFailedError:
        host, cause = self._host, _root(problem)
        if isinstance(cause, ssl.SSLCertVerificationError):
            text = f"{host}: the certificate is not trusted ({cause.verify_message}). Set TOOLKIT_CA to its authority."
            return RequestFailedError(text, transient=False, sent=False)
        if isinstance(cause, ssl.SSLError):
            text = f"{host}: the secure connection failed ({cause.reason}). It may need TOOLKIT_CLIENT_CERT."
            return RequestFailedError(text, transient=False, sent=False)
        if isinstance(cause, socket.gaierror):
            text = f"{host}: the host was not found. Check {self._setting} and the network."
            return RequestFailedError(text, transient=True, sent=False)
        if isinstance(problem, httpx.ConnectError):
            text = f"{host}: the connection failed ({cause}). Check {self._setting}, and that it is running."
            return RequestFailedError(text, transient=not self._local, sent=False)
        if isinstance(problem, httpx.TimeoutException):
            text = f"{host}: the service did not respond in time. Try again later."
            return RequestFailedError(text, transient=True, sent=not isinstance(problem, httpx.ConnectTimeout))
        text = f"{host}: the connection was lost ({problem}). Try again. It may need a client certificate."
        return RequestFailedError(text, transient=True, sent=True)


def _root(problem: BaseException) -> BaseException:
    while problem.__cause__ is not None or problem.__context__ is not None:
        problem = problem.__cause__ or problem.__context__ or problem
    return problem


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _bounded(response: httpx.Response) -> bytes:
    """Read the body. Raises InvalidResponseError as soon as it exceeds LONGEST_BODY."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in (*_ENCODINGS, "identity", ""):
        raise InvalidResponseError(
            f"The response uses an encoding that was not requested ({encoding[:40]!r}), so it was not read."
        )
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > LONGEST_BODY:
            raise InvalidResponseError(f"The response is larger than {LONGEST_BODY // 2**20} MiB, so it was not read.")
        parts.append(part)
    return b"".join(parts)


def tls(
    base_url: str, ca: Path | None, cert: Path | None = None, key: Path | None = None, *, trust_env: bool = False
) -> ssl.SSLContext:
    """Return a context for TLS 1.2 or later that trusts the authority `ca` where one is set.

    For a plain http address the context trusts nobody, so that nothing can be sent over TLS by mistake.
    """
    if urlsplit(base_url).scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context = ssl.create_default_context(cafile=ca) if ca else httpx.create_ssl_context(trust_env=trust_env)
        if cert:
            context.load_cert_chain(cert, key)
    except (OSError, ssl.SSLError) as problem:
        raise SettingsError(
            f"TOOLKIT_CA, TOOLKIT_CLIENT_CERT or TOOLKIT_CLIENT_KEY cannot be read as PEM ({problem})."
        ) from problem
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
