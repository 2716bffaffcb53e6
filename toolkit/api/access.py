"""What a client must know to reach a service; `toolkit.settings.Settings` is one such."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from toolkit.errors import AuthenticationError, SettingsError
from toolkit.wire.endpoints import Endpoint

LOOPBACK = ("localhost", "127.0.0.1", "::1")
DEFAULT_PORTS = {"http": 80, "https": 443}


class SecretText(Protocol):
    """A secret that shows itself only when asked to."""

    def reveal(self) -> str: ...


class Access(Protocol):
    """Address, credentials and spelling of a deployment."""

    @property
    def base_url(self) -> str | None: ...
    @property
    def client_id(self) -> str | None: ...
    @property
    def client_secret(self) -> SecretText | None: ...
    @property
    def platform(self) -> str: ...
    @property
    def api_version(self) -> str: ...
    @property
    def core_prefix(self) -> str: ...
    @property
    def ca(self) -> Path | None: ...
    @property
    def client_cert(self) -> Path | None: ...
    @property
    def client_key(self) -> Path | None: ...


Origin = tuple[str, str, int]


def origin(url: str) -> Origin | None:
    """Scheme, host and port of an http address in plain ASCII without user name; None for anything else."""
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
    """The checked base address. Raises SettingsError where it is missing or would send secrets in the clear."""
    url = access.base_url
    if not url:
        raise SettingsError(
            "No service is set: put its address in TOOLKIT_BASE_URL (or try `toolkit demo`, which needs none)."
        )
    found = origin(url)
    if found is None:
        raise SettingsError(f"TOOLKIT_BASE_URL = {url!r} is not an address such as https://api.example.com.")
    if found[0] == "http" and found[1] not in LOOPBACK:
        raise SettingsError(f"TOOLKIT_BASE_URL = {url!r} is plain http to another machine: use https.")
    return url.rstrip("/")


def credentials(access: Access) -> dict[str, str]:
    """The body of a token request. Raises AuthenticationError where id or secret is missing."""
    if not access.client_id or access.client_secret is None:
        raise AuthenticationError(
            "Client id or secret is missing: `toolkit credentials set`, or TOOLKIT_CLIENT_ID and TOOLKIT_CLIENT_SECRET."
        )
    return {"client_id": access.client_id, "client_secret": access.client_secret.reveal()}


def address(access: Access, row: Endpoint, parts: Mapping[str, str]) -> str:
    """The address of an endpoint; `parts` fill the braces of its path."""
    path = row.path.format_map({name: quote(value, safe="") for name, value in parts.items()})
    return base_address(access) + (access.core_prefix if row.core else "") + path
