"""A service whose lists the test writes itself: real pages through the real reader, no network."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolkit.wire.decoding.lenient import Spelling
from toolkit.wire.decoding.pages import Listing, Page, listed, read_alone, read_page
from toolkit.wire.endpoints import endpoint
from toolkit.wire.records import ConsentRecord, EndUser, Institution


class WrittenService:
    """Answers from `lists`; `breaks[resource]` is raised after so many pages of it."""

    def __init__(self) -> None:
        self.lists: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.consent_records: list[Any] = [{"arrangement_id": "arr", "institution_id": "bank", "active": True}]
        self.people: list[Any] = [{"id": "eu", "name": "Alex", "email": "alex@example.com"}]
        self.directory: dict[str, Any] = {"name": "Example Bank", "industry": "banking"}
        self.page_size = 1000
        self.indent: int | None = None
        self.spelling = Spelling()
        self.breaks: dict[str, tuple[int, BaseException]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.pages_asked: list[tuple[str, int]] = []

    def pages(self, resource: str, *, start: str | None = None, **parameters: str) -> Iterator[Page]:
        """A cursor is the number of the page, from 0."""
        self.asked.append((resource, parameters))
        records = [record for record in self.lists[resource] if _meant(record, parameters)]
        chunks = [records[at : at + self.page_size] for at in range(0, len(records), self.page_size)] or [[]]
        for number in range(int(start or 0), len(chunks)):
            self._break(resource, number)
            self.pages_asked.append((resource, number))
            links = {"next": f"?page[after]={number + 1}"} if number + 1 < len(chunks) else {}
            row = endpoint(resource)
            body = json.dumps({row.array: chunks[number], "links": links}, indent=self.indent).encode()
            page = read_page(row, body, self.spelling)
            yield replace(page, cursor=str(number) if number else None)
        self._break(resource, len(chunks))

    def _break(self, resource: str, number: int) -> None:
        after, error = self.breaks.get(resource, (-1, None))
        if error is not None and number == after:
            raise error

    def consents(self, end_user_id: str) -> Listing[ConsentRecord]:
        whose = {"end_user_id": end_user_id}
        given = [{**whose, **record} if isinstance(record, dict) else record for record in self.consent_records]
        return listing("consents.list", {"consents": given})

    def end_users(self, email: str | None = None) -> Listing[EndUser]:
        return listing("end_users.list", {"end_users": self.people})

    def institution(self, institution_id: str) -> Listing[Institution]:
        body = json.dumps({"id": institution_id, **self.directory}).encode()
        return listed([read_alone(endpoint("institutions.get"), body)])

    def withdraw(self, arrangement_id: str) -> None:
        self.consent_records = [c for c in self.consent_records if c["arrangement_id"] != arrangement_id]


def listing(name: str, answer: dict[str, Any]) -> Listing[Any]:
    """What the client makes of an answer that is one page."""
    return listed([read_page(endpoint(name), json.dumps(answer).encode())])


def _meant(record: dict[str, Any], parameters: dict[str, str]) -> bool:
    """The service's own filters, as its specification words them."""
    for name in ("account_id", "service_point_id", "status"):
        if name in parameters and record.get(name) != parameters[name]:
            return False
    booked = record.get("posting_date_time") or record.get("execution_date_time")
    if "from_" in parameters and (booked is None or booked < parameters["from_"]):
        return False
    return not (
        "read_start_date_oldest" in parameters and record["read_start_date"] < parameters["read_start_date_oldest"]
    )


def purchase(number: int, amount: str = "-4.50", **changes: Any) -> dict[str, Any]:
    return {
        "platform_id": f"t{number}", "arrangement_id": "arr", "institution_id": "bank", "account_id": "a1",
        "transaction_id": f"bank-{number}", "amount": amount, "currency": "AUD", "status": "POSTED",
        "description": "COFFEE", "posting_date_time": "2026-03-10T00:00:00Z", **changes,
    }  # fmt: skip


def register_day(day: str, value: float = 0.5, **changes: Any) -> dict[str, Any]:
    interval = {"aggregate_value": 48 * value, "interval_reads": [value] * 48, "read_interval_length": 30}
    return {
        "platform_id": f"u-{day}", "arrangement_id": "arr", "institution_id": "bank", "service_point_id": "sp",
        "register_suffix": "E1", "unit_of_measure": "KWH", "read_start_date": day, "read_u_type": "intervalRead",
        "interval_read": interval, **changes,
    }  # fmt: skip
