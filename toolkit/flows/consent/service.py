"""The configured service, the embedded one, and its directory of institutions."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from toolkit.api.client import Client
from toolkit.api.transport import RetryPolicy
from toolkit.errors import AuthenticationError, Problem, RequestRejectedError
from toolkit.flows.consent.consents import NO_SUCH_PATH
from toolkit.sandbox.serve import Running, running
from toolkit.settings import Settings
from toolkit.sync.pages import problems_of
from toolkit.wire.records import Institution


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


def sandbox(**world: Any) -> AbstractContextManager[Running]:
    """The service on this machine for as long as the context lasts; `world` as `sandbox.serve.running` takes it."""
    return running(**world)


def institutions(client: Client) -> dict[str, Any]:
    """Banks and energy retailers of the service's directory, in its order, with how their connections are.

    Without a directory there are none, and a warning says so.
    """
    try:
        given = client.institutions()
    except RequestRejectedError as error:
        if error.status not in NO_SUCH_PATH:
            raise
        text = "This service has no directory of institutions: choose the bank or retailer on its own page."
        return {"institutions": [], "problems": [Problem("institutions", text, "warning").as_json()]}
    return {
        "institutions": [_listed(record) for record in sorted(given.records, key=_order)],
        "problems": [problem.as_json() for problem in problems_of("institutions", given)],
    }


def _order(record: Institution) -> tuple[bool, int, str]:
    return record.priority is None, record.priority or 0, record.name or record.id


def _listed(record: Institution) -> dict[str, Any]:
    connections = record.status.connections if record.status else None
    return {
        "id": record.id,
        "name": record.name or record.id,
        "industry": record.industry,
        "is_accessible": record.is_accessible,
        "priority": record.priority,
        "connection": connections.status if connections else None,
    }
