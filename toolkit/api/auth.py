"""The bearer token: got when needed, renewed before it ends, once for any number of callers."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

from toolkit.errors import AuthenticationError, InvalidResponseError
from toolkit.wire.records import Token

USUAL_LIFE = 900.0
SHORTEST_LIFE, LONGEST_LIFE = 5.0, 86_400.0
MARGIN = 60.0


def value(token: Token) -> str:
    """The token's text. Raises InvalidResponseError where the answer has none, for nothing may be sent in its stead."""
    text = token.token or token.access_token
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidResponseError("The answer to the sign-in holds no token.")
    return text


def life(token: Token) -> float:
    """Seconds after which to renew: before the end by a margin. A life that makes no sense is bounded.

    Below five seconds the service's 401 tells sooner than a clock that the token has ended.
    """
    stated = USUAL_LIFE if token.expires_in is None else float(min(token.expires_in, int(LONGEST_LIFE)))
    return max(stated - min(MARGIN, stated / 5), SHORTEST_LIFE)


class TokenKeeper:
    """Thread-safe. fetch: one sign-in. clock: monotonic seconds, so that no change of the time of day matters."""

    def __init__(self, fetch: Callable[[], Token], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._lock = Lock()
        self._flight: Future[str] | None = None
        self._text: str | None = None
        self._renew_at = 0.0
        self._refusal: AuthenticationError | None = None

    def __repr__(self) -> str:
        return "TokenKeeper(hidden)"

    def token(self, *, unlike: str | None = None) -> str:
        """A token in force, other than `unlike`, which the service has just refused.

        Callers that come while a renewal is under way share its result or its failure. A refusal of the credentials
        is final: they are not sent a second time.
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
        asked_at = self._clock()
        try:
            fresh = self._fetch()
            text = value(fresh)
        except BaseException as problem:
            with self._lock:
                self._flight = None
                self._refusal = problem if isinstance(problem, AuthenticationError) else None
            flight.set_exception(problem)
            return
        with self._lock:
            self._text, self._renew_at, self._flight = text, asked_at + life(fresh), None
        flight.set_result(text)
