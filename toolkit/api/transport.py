"""One request, one answer, over httpx. Redirects are never followed; failures say what to do about them."""

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
_PACKINGS = ("gzip", "deflate")
"""One of them once: of an answer packed twice, the first chunk unpacks to gigabytes."""
USER_AGENT = "finance-energy-toolkit"


@dataclass(frozen=True, slots=True)
class Answer:
    """headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class RequestFailedError(ConnectionFailedError):
    """transient: trying again may help. sent: the request may have reached the service and been acted on."""

    def __init__(self, message: str, *, transient: bool, sent: bool) -> None:
        super().__init__(message)
        self.transient, self.sent = transient, sent


class CorruptResponseError(InvalidResponseError):
    """An answer that broke off or cannot be unpacked."""


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
        """setting: the name of the setting that holds the address, for the advice in failures."""
        self._where, self._setting = urlsplit(base_url).netloc, setting
        local = urlsplit(base_url).hostname in LOOPBACK
        self._local = local
        self._http = httpx.Client(
            verify=tls(base_url, ca, cert, key, trust_env=not local),
            trust_env=not local,
            follow_redirects=False,
            timeout=TIMEOUT,
            limits=LIMITS,
            headers={"user-agent": USER_AGENT, "accept": "application/json", "accept-encoding": ", ".join(_PACKINGS)},
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
    ) -> Answer:
        """Send one request.

        Raises RequestFailedError without a whole response, InvalidResponseError for one that is too large,
        CorruptResponseError for one that is broken.
        """
        typed = {"content-type": "application/json"} if body is not None else {}
        with (
            self._explained(),
            self._http.stream(
                method, url, params=tuple(query) or None, headers={**(headers or {}), **typed}, content=body
            ) as answer,
        ):
            return Answer(answer.status_code, _headers(answer), _bounded(answer))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except httpx.DecodingError as problem:
            raise CorruptResponseError(f"{self._where}: the answer cannot be unpacked.") from problem
        except httpx.TransportError as problem:
            raise self._no_answer(problem) from problem
        except httpx.InvalidURL as problem:
            raise SettingsError(f"{self._where} is no usable address ({problem}).") from problem

    def _no_answer(self, problem: httpx.TransportError) -> RequestFailedError:
        where, cause = self._where, _root(problem)
        if isinstance(cause, ssl.SSLCertVerificationError):
            text = f"{where}: its certificate is not trusted ({cause.verify_message}). Set TOOLKIT_CA to its authority."
            return RequestFailedError(text, transient=False, sent=False)
        if isinstance(cause, ssl.SSLError):
            text = f"{where}: no secure connection ({cause.reason}). Does it want TOOLKIT_CLIENT_CERT?"
            return RequestFailedError(text, transient=False, sent=False)
        if isinstance(cause, socket.gaierror):
            text = f"{where}: no such host is known. Check {self._setting} and the network."
            return RequestFailedError(text, transient=True, sent=False)
        if isinstance(problem, httpx.ConnectError):
            text = f"{where}: nothing answers there ({cause}). Is the service running, and {self._setting} right?"
            return RequestFailedError(text, transient=not self._local, sent=False)
        if isinstance(problem, httpx.TimeoutException):
            text = f"{where}: no answer in time. Try again later."
            return RequestFailedError(text, transient=True, sent=not isinstance(problem, httpx.ConnectTimeout))
        text = f"{where}: the connection broke off ({problem}). Try again; with TLS, it may want a client certificate."
        return RequestFailedError(text, transient=True, sent=True)


def _root(problem: BaseException) -> BaseException:
    while problem.__cause__ is not None or problem.__context__ is not None:
        problem = problem.__cause__ or problem.__context__ or problem
    return problem


def _headers(answer: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in answer.headers.items()}


def _bounded(answer: httpx.Response) -> bytes:
    """The body, refused while it comes in once it is larger than any honest page."""
    packing = answer.headers.get("content-encoding", "identity").strip().lower()
    if packing not in (*_PACKINGS, "identity", ""):
        raise InvalidResponseError(
            f"The answer is packed in a way that was not asked for ({packing[:40]!r}); it was not read."
        )
    parts, size = [], 0
    for part in answer.iter_bytes():
        size += len(part)
        if size > LONGEST_BODY:
            raise InvalidResponseError(f"The answer is larger than {LONGEST_BODY // 2**20} MiB; it was not read.")
        parts.append(part)
    return b"".join(parts)


def tls(
    base_url: str, ca: Path | None, cert: Path | None = None, key: Path | None = None, *, trust_env: bool = False
) -> ssl.SSLContext:
    """TLS 1.2 or later, checked against the own authority where one is set.

    For a plain address the context trusts nobody, so that nothing can be sent over TLS by mistake; making it is cheap.
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
