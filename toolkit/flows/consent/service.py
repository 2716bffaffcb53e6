"""The door to the configured service."""

from __future__ import annotations

from toolkit.api.client import Client
from toolkit.api.retry import RetryPolicy
from toolkit.errors import AuthenticationError
from toolkit.settings import Settings


def service(settings: Settings, retry_policy: RetryPolicy | None = None) -> Client:
    """A client of the service that `settings` name; close it, or use it as a context manager.

    Raises AuthenticationError where no address or no credentials are set.
    """
    missing = [
        name
        for name, value in (
            ("TOOLKIT_BASE_URL", settings.base_url),
            ("TOOLKIT_CLIENT_ID", settings.client_id),
            ("TOOLKIT_CLIENT_SECRET", settings.client_secret),
        )
        if value is None
    ]
    if missing:
        raise AuthenticationError(
            f"{', '.join(missing)}: not set. Set {'it' if len(missing) == 1 else 'them'} in the environment or with "
            "`toolkit credentials set`; `toolkit demo` shows everything without an account."
        )
    return Client(settings, retry_policy=retry_policy)
