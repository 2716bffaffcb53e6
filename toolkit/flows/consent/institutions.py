"""List the banks and energy retailers of the service's directory."""

from __future__ import annotations

from typing import Any

from toolkit.api.client import Client
from toolkit.errors import Problem, RequestRejectedError
from toolkit.flows.consent.consents import NO_SUCH_PATH
from toolkit.sync.unparsed_fields import problems_of
from toolkit.wire.records import Institution


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
