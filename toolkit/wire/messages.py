"""Requests and single responses: query parameters, sessions and created end users."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from toolkit.errors import InvalidResponseError
from toolkit.wire.endpoints import Endpoint
from toolkit.wire.parameters import Parameter
from toolkit.wire.records import EndUserCreated, Session


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A consent flow that may be started once. expires_at: aware, None where the service does not say."""

    session_id: str
    auth_url: str | None
    expires_at: datetime | None


def read_session(answer: Session) -> OpenSession:
    """Read a session. Raises InvalidResponseError without a session id; the specification has two names for it."""
    session_id = answer.session_id or answer.auth_session_id
    if not session_id:
        raise InvalidResponseError("The response has no session identifier.")
    return OpenSession(session_id, answer.auth_url, _timestamp(answer.expires_at))


def _timestamp(stated: int | str | None) -> datetime | None:
    """Unix seconds, as a number or its digits, or an RFC 3339 text."""
    try:
        if isinstance(stated, int) or (stated and stated.isdigit()):
            return datetime.fromtimestamp(int(stated), UTC)
        timestamp = datetime.fromisoformat(stated) if stated else None
    except (ValueError, OverflowError, OSError):
        return None
    return timestamp.replace(tzinfo=timestamp.tzinfo or UTC) if timestamp else None


def read_created(answer: EndUserCreated) -> str:
    """Return the new end user's id. Raises InvalidResponseError without one."""
    created = answer.end_user_id or answer.id
    if not created:
        raise InvalidResponseError("The response has no end user id.")
    return created


def python_name(parameter: Parameter) -> str:
    """`from` is `from_`, `read_start_date.oldest` is `read_start_date_oldest`, `page[size]` is `page_size`."""
    name = parameter.name.replace(".", "_").replace("[", "_").replace("]", "").replace("-", "_").lower()
    return name + "_" if name == "from" else name


def query(row: Endpoint, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Build a request's query from values by Python name; None is left out.

    Raises TypeError for an unknown name or a missing required one.
    """
    known = {python_name(parameter): parameter for parameter in row.query()}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise TypeError(f"{row.name} has no parameter {', '.join(unknown)}; it has {', '.join(known)}")
    missing = sorted(name for name, p in known.items() if p.required and values.get(name) is None)
    if missing:
        raise TypeError(f"{row.name} needs {', '.join(missing)}")
    return [pair for name, value in values.items() for pair in _pairs(known[name], value)]


def _pairs(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    values = value if parameter.repeatable and not isinstance(value, str) else [value]
    names = [parameter.name, parameter.also] if parameter.also else [parameter.name]
    return [(name, text(each)) for each in _given(values) for name in names if name]


def _given(values: Any) -> Iterable[Any]:
    return [] if values is None else [value for value in values if value is not None]


def text(value: object) -> str:
    """A parameter's value as the service reads it. Raises ValueError for a date-time without a zone."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a date-time needs its zone")
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)
