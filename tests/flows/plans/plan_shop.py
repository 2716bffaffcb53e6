"""A plan register on a real socket, written for these tests: two retailers, pages of two plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import astuple

from tests.scripted_service import Reply, ScriptedService, SentRequest, reply
from toolkit.answers.energy.plans import PlanFetch
from toolkit.flows.household.context import Context
from toolkit.store import open_store

BRANDS = "cdr-register/v1/energy/data-holders/brands/summary"
LISTED = ("planId", "lastUpdated", "fuelType", "customerType", "geography", "effectiveTo")
BEFORE, LATER = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


def plan(plan_id: str, price: str = "0.30", updated: str = BEFORE) -> dict[str, object]:
    period = {"startDate": "01-01", "endDate": "12-31", "singleRate": {"rates": [{"unitPrice": price}]}}
    return {
        "planId": plan_id,
        "brandName": "Example Energy",
        "fuelType": "ELECTRICITY",
        "lastUpdated": updated,
        "electricityContract": {"tariffPeriod": [period]},
    }


@dataclass
class Shop:
    """A register: plans of each retailer by id.

    tagged: whether its lists carry tags. failing: path → replies first. meta: what lists state instead of the truth.
    links: what the link to a next page begins with; empty for none. broken_page: fails. after_list: called with the
    page that was sent. listed: what a list states of each plan.
    """

    plans: dict[str, dict[str, dict[str, object]]]
    brands: list[dict[str, object]] | None = None
    tagged: bool = True
    failing: dict[str, list[Reply]] = field(default_factory=dict)
    largest_page: int = 1000
    broken_page: str = ""
    meta: dict[str, object] = field(default_factory=dict)
    links: str = ""
    after_list: Callable[[int], object] | None = None
    listed: tuple[str, ...] = LISTED

    def answer(self, asked: SentRequest) -> Reply:
        if self.failing.get(asked.path):
            return self.failing[asked.path].pop(0)
        if asked.path == f"/{BRANDS}":
            assert (asked.headers["x-v"], asked.headers["x-min-v"]) == ("2", "1")
            return reply({}, 404) if self.brands is None else reply({"data": self.brands, "links": {}, "meta": {}})
        retailer, _, rest = asked.path.removeprefix("/").partition("/cds-au/v1/energy/plans")
        if retailer not in self.plans:
            return reply({"errors": [{"code": "urn", "title": "Resource Not Found", "detail": retailer}]}, 404)
        return self._detail(asked, self.plans[retailer], rest[1:]) if rest else self._list(asked, retailer)

    def _detail(self, asked: SentRequest, plans: dict[str, dict[str, object]], plan_id: str) -> Reply:
        assert (asked.headers["x-v"], asked.headers["x-min-v"]) == ("3", "1")
        return reply({"data": plans[plan_id], "links": {}, "meta": {}}) if plan_id in plans else reply({}, 404)

    def _list(self, asked: SentRequest, retailer: str) -> Reply:
        assert asked.headers["x-v"] == "1"
        plans = list(self.plans[retailer].values())
        page, size = int(asked.value("page") or 0), int(asked.value("page-size") or 0)
        if asked.value("page") == self.broken_page:
            return reply({}, 500)
        if size > self.largest_page:
            return reply({"errors": [{"code": "urn", "title": "Invalid Page Size", "detail": str(size)}]}, 400)
        shown = [{key: row[key] for key in self.listed if key in row} for row in plans[(page - 1) * size : page * size]]
        pages = max(1, -(-len(plans) // size))
        if page > pages:
            return reply({"errors": [{"code": "urn", "title": "Invalid Page", "detail": str(page)}]}, 422)
        meta = {"totalRecords": len(plans), "totalPages": pages} | self.meta
        links = {"next": f"{self.links}{page + 1}"} if self.links and page < pages else {}
        tag = f'"{hash(json.dumps([shown, meta]))}"'
        if self.tagged and asked.headers.get("if-none-match") == tag:
            return reply(b"", 304, etag=tag)
        body = {"data": {"plans": shown}, "links": links, "meta": meta}
        if self.after_list is not None:
            self.after_list(page)
        return reply(body, **({"etag": tag} if self.tagged else {}))


def counts(answer: PlanFetch) -> list[tuple[object, ...]]:
    """Retailer, listed, fetched, added, updated, unchanged, rejected, removed."""
    return [astuple(row)[:8] for row in answer.retailers]


def stored(ctx: Context) -> dict[str, tuple[int, bool]]:
    """Plan id → versions stored, and whether it is no longer listed."""
    with open_store(ctx.db) as store:
        rows = store.rows("plans")
    ids = [row["plan_id"] for row in rows]
    return {row["plan_id"]: (ids.count(row["plan_id"]), row["vanished_at"] is not None) for row in rows}


def asked_for(service: ScriptedService) -> list[str]:
    """Paths of lists and plans asked for since the last look."""
    paths = [asked.path.removeprefix("/") for asked in service.asked]
    service.asked.clear()
    return sorted(path.replace("/cds-au/v1/energy/plans", "") for path in paths if path != BRANDS)


def listed(name: str, address: str, **more: object) -> dict[str, object]:
    return {"dataHolderBrandId": name, "brandName": name, "publicBaseUri": address, "industries": ["energy"], **more}
