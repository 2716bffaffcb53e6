"""Find the settings (version, prefix, platform word) under which a deployment answers, by trying them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from operator import ne

from toolkit.api.transport import RetryPolicy
from toolkit.errors import RequestRejectedError, ToolkitError
from toolkit.flows.consent.service import service
from toolkit.settings import Settings, SettingValue
from toolkit.wire.decoding.lenient import Stated

VERSIONS = ("v3", "v2", "v1")
PREFIXES = ("", "/v1")
_NAMES = ("TOOLKIT_PLATFORM", "TOOLKIT_API_VERSION", "TOOLKIT_CORE_PREFIX")
_Values = tuple[str, str, str]
"""Of `_NAMES`."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of a request with `settings`. headers: of the answer. stated: version and word in its headers.

    refused: why there was none.
    """

    settings: Settings
    headers: Mapping[str, str]
    stated: Stated | None = None
    refused: RequestRejectedError | None = None


def quick_retry_policy() -> RetryPolicy:
    """Return a policy of one retry within a few seconds, as a person waits."""
    return RetryPolicy(tries=2, longest=5.0)


def attempts(settings: Settings) -> tuple[Attempt, Attempt]:
    """Return the attempt with `settings`, and the one with the fewest changes to them under which the service answers.

    Version, prefix and word are tried together; a word is one that an answer's own headers state. Where none of them
    is accepted, or the first is, both are the first. Raises what `Client.sign_in` does, but for RequestRejectedError.
    """
    first = _attempt(settings)
    if first.refused is None and (first.stated is None or first.stated.word == settings.platform):
        return first, first
    tried: set[_Values] = {_values(settings)}
    words = [first.stated.word] if first.stated else []
    if first.refused is not None:
        words.append(settings.platform)
    for attempt in _others(settings, words, tried):
        if attempt.refused is None:
            return first, attempt
        if attempt.stated is not None and attempt.stated.word not in words:
            words.append(attempt.stated.word)
            later = next((one for one in _others(settings, words, tried) if one.refused is None), first)
            return first, later
    return first, first


def _others(settings: Settings, words: list[str], tried: set[_Values]) -> Iterator[Attempt]:
    """Attempts with other values, the fewest changes first. One that fails otherwise than refused is passed over."""
    own = _values(settings)
    versions, prefixes = dict.fromkeys((own[1], *VERSIONS)), dict.fromkeys((own[2], *PREFIXES))
    options = sorted(product(words, versions, prefixes), key=lambda values: sum(map(ne, own, values)))
    for values in options:
        if values not in tried:
            tried.add(values)
            try:
                changed = {name: SettingValue(value, "tried") for name, value in zip(_NAMES, values, strict=True)}
                yield _attempt(Settings({**settings.values, **changed}))
            except ToolkitError:
                continue


def _values(settings: Settings) -> _Values:
    return settings.platform, settings.api_version, settings.core_prefix


def _attempt(settings: Settings) -> Attempt:
    with service(settings, quick_retry_policy()) as client:
        try:
            client.sign_in()
            return Attempt(settings, client.headers(), client.stated)
        except RequestRejectedError as error:
            return Attempt(settings, {}, client.stated, error)
