"""How the service is reached: address, credentials, bearer token; requests over httpx with retries and pagination.

Redirects are never followed; errors say what to do next.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Event, Lock
from types import TracebackType
from typing import Protocol, Self, TypeVar
from urllib.parse import parse_qs, quote, urljoin, urlsplit

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

from toolkit.errors import (
    AuthenticationError,
    ConnectionFailedError,
    InvalidResponseError,
    RateLimitError,
    RequestRejectedError,
    ServerError,
    SettingsError,
)
from toolkit.remedies import Message, Remedy
from toolkit.wire.decoding.pages import MalformedResponseError, Page
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.records import Token

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}


class SecretText(Protocol):
    """A secret that shows itself only when asked to."""

    def reveal(self) -> str:
        """Return the secret."""


class Access(Protocol):
    """Address, credentials and spelling of a deployment."""

    @property
    def base_url(self) -> str | None:
        """Return the address of the deployment."""

    @property
    def client_id(self) -> str | None:
        """Return the client id."""

    @property
    def client_secret(self) -> SecretText | None:
        """Return the client secret."""

    @property
    def platform(self) -> str:
        """Return the deployment's own name for *platform*, in field and header names."""

    @property
    def api_version(self) -> str:
        """Return the version of the API to request, such as `v3`."""

    @property
    def core_prefix(self) -> str:
        """Return what stands before the paths of core endpoints."""

    @property
    def ca(self) -> Path | None:
        """Return the PEM file of the certificate authority to trust, if one is set."""

    @property
    def client_cert(self) -> Path | None:
        """Return the PEM file of the client certificate for mutual TLS."""

    @property
    def client_key(self) -> Path | None:
        """Return the PEM file of its private key."""


Origin = tuple[str, str, int]


def origin(url: str) -> Origin | None:
    """Return scheme, host and port of an http address in plain ASCII without user name; None for anything else."""
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or "@" in parts.netloc:
        return None
    return parts.scheme, parts.hostname, port if port is not None else DEFAULT_PORTS[parts.scheme]


def base_address(access: Access) -> str:
    """Return the checked base address. Raises SettingsError where it is missing or would send secrets in the clear."""
    url = access.base_url
    if not url:
        raise SettingsError(Message("No service is set: ", Remedy.SET_ADDRESS, "."))
    found = origin(url)
    if found is None:
        raise SettingsError(Message(Remedy.ADDRESS, f" = {url!r} is not an address such as https://api.example.com."))
    if found[0] == "http" and found[1] not in LOOPBACK:
        raise SettingsError(Message(Remedy.ADDRESS, f" = {url!r} is plain http to another machine: use https."))
    return url.rstrip("/")


def credentials(access: Access) -> dict[str, str]:
    """Return the body of a token request. Raises AuthenticationError where id or secret is missing."""
    if not access.client_id or access.client_secret is None:
        raise AuthenticationError(Message("Client id or secret is missing: ", Remedy.SET_CREDENTIALS, "."))
    return {"client_id": access.client_id, "client_secret": access.client_secret.reveal()}


def address(access: Access, row: Endpoint, parts: Mapping[str, str]) -> str:
    """Return the address of an endpoint; `parts` fill the braces of its path."""
    path = row.path.format_map({name: quote(value, safe="") for name, value in parts.items()})
    return base_address(access) + (access.core_prefix if row.core else "") + path


USUAL_LIFE = 900.0
SHORTEST_LIFE, LONGEST_LIFE = 5.0, 86_400.0
MARGIN = 60.0


def value(token: Token) -> str:
    """Return the token's text. Raises InvalidResponseError where the response has no usable token."""
    text = token.token or token.access_token
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidResponseError("The response to the sign-in contains no token.", name="no_token")
    return text


def life(token: Token) -> float:
    """Return the seconds after which to renew the token: its life less a margin, within bounds.

    Below five seconds the service's 401 shows sooner than a clock that the token has expired.
    """
    lifetime = USUAL_LIFE if token.expires_in is None else float(min(token.expires_in, int(LONGEST_LIFE)))
    return max(lifetime - min(MARGIN, lifetime / 5), SHORTEST_LIFE)


class TokenCache:
    """Share one token between threads.

    fetch: signs in once.
    clock: monotonic seconds, which changes to the time of day do not affect.
    """

    def __init__(self, fetch: Callable[[], Token], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._lock = Lock()
        self._flight: Future[str] | None = None
        self._text: str | None = None
        self._renew_at = 0.0
        self._refusal: AuthenticationError | None = None

    def __repr__(self) -> str:
        return "TokenCache(hidden)"

    def token(self, *, unlike: str | None = None) -> str:
        """Return a valid token other than `unlike`, which the service has just refused.

        Callers that arrive during a renewal share its result or its failure. Refused credentials are not sent again.
        """
        with self._lock:
            if self._refusal is not None:
                raise self._refusal
            if self._text is not None and self._text != unlike and self._clock() < self._renew_at:
                return self._text
            flight, mine = self._flight or Future(), self._flight is None
            self._flight = flight
        if mine:
            self._renew(flight)
        return flight.result()

    def _renew(self, flight: Future[str]) -> None:
        requested_at = self._clock()
        try:
            token = self._fetch()
            text = value(token)
        except BaseException as problem:
            with self._lock:
                self._flight = None
                self._refusal = problem if isinstance(problem, AuthenticationError) else None
            flight.set_exception(problem)
            return
        with self._lock:
            self._text, self._renew_at, self._flight = text, requested_at + life(token), None
        flight.set_result(text)


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
        """Whether the request succeeded (2xx)."""
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
    """Sends requests to one host; thread-safe. Close it when done."""

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
        """Close the connections."""
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
            received = {name.lower(): value for name, value in response.headers.items()}
            return Response(response.status_code, received, _bounded(response))

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
            why = f"{host}: the certificate is not trusted ({cause.verify_message}). "
            return RequestFailedError(Message(why, Remedy.TRUST_CERTIFICATE, "."), transient=False, sent=False)
        if isinstance(cause, ssl.SSLError):
            why = f"{host}: the secure connection failed ({cause.reason}). "
            return RequestFailedError(Message(why, Remedy.ADD_CERTIFICATE, "."), transient=False, sent=False)
        if isinstance(cause, socket.gaierror):
            check = Remedy.CHECK_SETTING.with_(setting=self._setting)
            return RequestFailedError(
                Message(f"{host}: the host was not found. ", check, "."), transient=True, sent=False
            )
        if isinstance(problem, httpx.ConnectError):
            check = Remedy.CHECK_RUNNING.with_(setting=self._setting)
            why = f"{host}: the connection failed ({cause}). "
            return RequestFailedError(Message(why, check, "."), transient=not self._local, sent=False)
        if isinstance(problem, httpx.TimeoutException):
            text = f"{host}: the service did not respond in time. Try again later."
            return RequestFailedError(text, transient=True, sent=not isinstance(problem, httpx.ConnectTimeout))
        text = f"{host}: the connection was lost ({problem}). Try again. It may need a client certificate."
        return RequestFailedError(text, transient=True, sent=True)


def _root(problem: BaseException) -> BaseException:
    while problem.__cause__ is not None or problem.__context__ is not None:
        problem = problem.__cause__ or problem.__context__ or problem
    return problem


def _bounded(response: httpx.Response) -> bytes:
    """Read the body. Raises InvalidResponseError as soon as it exceeds LONGEST_BODY."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in (*_ENCODINGS, "identity", ""):
        raise InvalidResponseError(
            f"The response uses an encoding that was not requested ({encoding[:40]!r}), so it was not read.",
            name="unrequested_encoding",
        )
    parts, size = [], 0
    for part in response.iter_bytes():
        size += len(part)
        if size > LONGEST_BODY:
            raise InvalidResponseError(
                f"The response is larger than {LONGEST_BODY // 2**20} MiB, so it was not read.", name="too_large"
            )
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
        raise SettingsError(Message(Remedy.CERTIFICATE_SETTINGS, f" cannot be read as PEM ({problem}).")) from problem
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


T = TypeVar("T")

TRANSIENT_STATUSES = frozenset({408, 425})
FULL_JITTER = wait_random_exponential(multiplier=0.5, max=20)
"""0 to ½·2ⁿ seconds at random after failure n + 1, at most 20: callers that failed together do not return together."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a request is sent again, and how long the waits before are.

    tries: attempts in all.
    back_off: the wait after a failure; a longer one that the service asks for (`Retry-After`) counts instead.
    longest: seconds of waiting in all; the failure is raised rather than waiting longer.
    sleep: None: a sleep that ends when the client closes.
    """

    tries: int = 5
    back_off: Callable[[RetryCallState], float] = FULL_JITTER
    longest: float = 60.0
    sleep: Callable[[float], None] | None = None


def with_retries(action: Callable[[], T], policy: RetryPolicy) -> T:
    """Return the result of `action`, retried while its failure is transient. Raises the last failure."""
    retrying = Retrying(
        retry=retry_if_exception(_is_transient),
        wait=lambda tried: max(policy.back_off(tried), _requested_wait(tried)),
        stop=lambda tried: (
            tried.attempt_number >= policy.tries or tried.idle_for + tried.upcoming_sleep > policy.longest
        ),
        sleep=policy.sleep or time.sleep,
        reraise=True,
    )
    return retrying(action)


def _requested_wait(tried: RetryCallState) -> float:
    """Seconds of the failure's `Retry-After`, 0 without one."""
    failure = tried.outcome.exception() if tried.outcome else None
    return (failure.retry_after or 0.0) if isinstance(failure, RateLimitError) else 0.0


def _is_transient(problem: BaseException) -> bool:
    if isinstance(problem, RequestFailedError):
        return problem.transient
    if isinstance(problem, RequestRejectedError):
        return problem.status in TRANSIENT_STATUSES
    return isinstance(problem, RateLimitError | ServerError | CorruptResponseError | MalformedResponseError)


MOST_PAGES = 100_000
MOST_IDLE_PAGES = 50
"""Limit of consecutive pages that are empty or repeat an earlier page exactly."""


class HttpClient:
    """Base of a client: a transport, retries and the current time. Close it, or use it as a context manager.

    now: aware; against it a `Retry-After` date is counted.
    """

    def __init__(self, transport: Transport, retry_policy: RetryPolicy, now: Callable[[], datetime]) -> None:
        self._closed = Event()
        self._transport, self._now = transport, now
        self._retry_policy = replace(retry_policy, sleep=retry_policy.sleep or self._sleep)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and end back-off waits of other threads, which then raise ConnectionFailedError."""
        self._closed.set()
        self._transport.close()

    def _sleep(self, seconds: float) -> None:
        if self._closed.wait(seconds):
            raise ConnectionFailedError("The connection was closed before the request could be sent again.")

    def _with_retries(self, action: Callable[[], T]) -> T:
        """Return the result of `action`, retried while its failure is transient. Raises the last failure."""
        return with_retries(action, self._retry_policy)


class PaginationError(InvalidResponseError):
    """The links of a list point to another server, have no cursor, repeat or never end."""


def paginate(url: str, fetch: Callable[[str | None], Page], start: str | None = None) -> Iterator[Page]:
    """Yield all pages of a list from the cursor `start`; None is the first page.

    url: the list's own address. fetch: the page at a cursor. Raises PaginationError on a link to elsewhere, a cursor
    that comes again, or pages without end; the pages before it have been given out by then.
    """
    seen: set[str] = set() if start is None else {start}
    contents: set[int] = set()
    cursor = start
    idle = 0
    for _ in range(MOST_PAGES):
        page = replace(fetch(cursor), cursor=cursor)
        yield page
        if page.next is None:
            return
        content = _content(page)
        idle = idle + 1 if content in contents or not (page.raws or page.rejected) else 0
        contents.add(content)
        cursor = cursor_of(url, page.next)
        if cursor in seen or idle > MOST_IDLE_PAGES:
            raise PaginationError(
                f"{urlsplit(url).path}: the service repeated a page; the pages read so far were kept.",
                name="repeated_page",
            )
        seen.add(cursor)
    raise PaginationError(f"{urlsplit(url).path}: more than {MOST_PAGES} pages; the pages read so far were kept.")


def _content(page: Page) -> int:
    """Hash what distinguishes a page from another: the lengths of its records, its ends, and what it rejects.

    Hashing all of it takes as long as a tenth of decoding it.
    """
    return hash((tuple(map(len, page.raws)), *page.raws[:1], *page.raws[-1:], *(row.raw for row in page.rejected)))


def cursor_of(url: str, link: str) -> str:
    """Return the `page[after]` cursor of a link to the next page of the list at `url`; links may be relative.

    Raises PaginationError for a link to another origin or path, or without a cursor: following it would carry the token
    off.
    """
    target = _resolved(url, link)
    here = urlsplit(url)
    if target is None or origin(target) != origin(url) or urlsplit(target).path != here.path:
        raise PaginationError(
            f"{here.path}: the link to the next page points to another address and was not followed.",
            name="other_address",
        )
    try:
        cursors = parse_qs(urlsplit(target).query, max_num_fields=100).get("page[after]", [])
    except ValueError:
        cursors = []
    if len(cursors) != 1:
        raise PaginationError(f"{here.path}: the link to the next page has no single cursor.", name="no_cursor")
    return cursors[0]


def _resolved(url: str, link: str) -> str | None:
    """Return the absolute form of a link in plain ASCII; None for one that libraries may read in two ways."""
    if not link.isascii() or not link.isprintable() or "\\" in link or " " in link:
        return None
    try:
        return urljoin(url, link)
    except ValueError:
        return None
