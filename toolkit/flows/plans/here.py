"""`plans fetch --here`: the published plans that this home could have, of all retailers, and how old they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import msgspec

from toolkit.analytics.energy.compare.comparison import OLD_PRICES_DAYS
from toolkit.analytics.energy.plans.offers import USUAL_CUSTOMER, HomeFacts, PlanHeader, barriers
from toolkit.answers.base import Note
from toolkit.answers.energy.plans import PlanFetch
from toolkit.api.plan_register import Register
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, choose_household
from toolkit.flows.household.facts import checked_postcode
from toolkit.flows.household.service_points import checked_network, fuel_of, service_points
from toolkit.flows.plans.fetch import NOBODY, Run, Want, Watcher, every_retailer
from toolkit.flows.plans.register_lists import RESOURCE
from toolkit.remedies import Message, Remedy
from toolkit.store import Store, open_store
from toolkit.store.connection import is_stored
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Fuel, read_listed_plan
from toolkit.tables.rows.values import day_or_none
from toolkit.tables.schema.energy import PUBLISHED
from toolkit.tables.schema.journal import PositionRow
from toolkit.units import DEFAULT_ZONE
from toolkit.wire.plan_register import Summary

MOST_REQUESTS = 600
"""One run sends no more, retries included; the next one continues."""
NO_PLANS_HERE = "no_plans_here"
"""Code of the note that none of the published plans is for the home."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where plans are looked for, and for whom. None: as the household and its meters have it.

    network: the electricity distributor. customer: residential or business. fuels: of the home's meters; both without.
    """

    postcode: str | None = None
    network: str | None = None
    customer: str | None = None
    fuels: tuple[Fuel, ...] = ()


HOME = Place()


def fetch_here(
    ctx: Context,
    source: Register,
    place: Place = HOME,
    *,
    full: bool = False,
    watcher: Watcher = NOBODY,
    most_requests: int = MOST_REQUESTS,
) -> PlanFetch:
    """Download the plans that the home could have, of every retailer, with at most `most_requests` requests.

    The lists say where, for whom and for which fuel a plan is; only plans that fit are requested. Later runs request
    only what changed. Raises UsageError where neither postcode nor distributor is known, ChoiceRequiredError for an
    unknown distributor, else as `fetch`.
    """
    with open_store(ctx.db) as store:
        known = _known_place(ctx, store, place)
        if known.postcode is None and known.network is None:
            why = "Which plans can be had depends on where the home is. Enter its postcode"
            raise UsageError(Message(why, Remedy.GIVE_POSTCODE, "."))
        source.most_requests = most_requests
        codes, notes = every_retailer(source, watcher.say)
        key = f"{known.postcode}|{known.network}|{known.customer}|{'+'.join(known.fuels)}"
        run = Run(store, source, Want(_fits(known, ctx.today), key), full=full, watcher=watcher, named=False)
        run.sync(codes)
    answer = msgspec.structs.replace(run.answer(notes), postcode=known.postcode, network=known.network)
    return msgspec.structs.replace(answer, notes=(*_none_here(answer), *answer.notes))


def _none_here(answer: PlanFetch) -> list[Note]:
    """Return a note if no published plan is for this place, as where a postcode was mistyped; empty otherwise."""
    listed = sum(counts.listed for counts in answer.retailers)
    if not listed or listed > sum(counts.not_here for counts in answer.retailers):
        return []
    place = f"in {answer.postcode}" if answer.postcode else f"on the {answer.network} network"
    return [Note(NO_PLANS_HERE, count=listed, place=place)]


def _known_place(ctx: Context, store: Store, asked: Place) -> Place:
    """Return the place asked for, completed by what the household and its meters say."""
    home = choose_household(store, ctx) if ctx.household or store.count("households") else None
    points = service_points(store, home, ctx.service_point) if home else []
    metered = tuple(fuel for fuel in get_args(Fuel) if any(fuel_of(point) == fuel for point in points))
    postcodes = [asked.postcode, *(point.postcode for point in points), home.postcode if home else None]
    wires = [point for point in points if fuel_of(point) == "ELECTRICITY"]
    networks = [checked_network(asked.network, places.networks()) if asked.network else None]
    networks += [home.network if home else None, *(point.network for point in wires)]
    networks += [places.network_of_nmi(point.national_metering_id or point.id) for point in wires]
    postcode = next(filter(None, postcodes), None)
    customer = asked.customer or (home.customer_type if home else None) or USUAL_CUSTOMER
    return Place(
        postcode=checked_postcode(postcode) if postcode else None,
        network=None if asked.postcode and not asked.network else next(filter(None, networks), None),
        customer=customer.casefold(),
        fuels=asked.fuels or metered or get_args(Fuel),
    )


def _fits(place: Place, today: date) -> Callable[[Summary], bool]:
    """Return whether, by its entry in a list, the home could have a plan; an entry that leaves it open fits."""
    on_wires = HomeFacts(today, place.postcode, place.network, place.customer)
    on_gas = HomeFacts(today, place.postcode, None, place.customer)

    def fits(summary: Summary) -> bool:
        plan = read_listed_plan(json.loads(bytes(summary.given)))
        if plan.fuel_type not in (*place.fuels, "DUAL", None):
            return False
        return not any(barriers(PlanHeader.of(plan), None, on_gas if plan.fuel_type == "GAS" else on_wires))

    return fits


@dataclass(frozen=True, slots=True)
class PlanPrices:
    """What is stored of published plans.

    offered: how many plans are on offer. looked_up: the day on which they were last asked for; of plans from files the
    newest `lastUpdated`. old: whether that is more than `OLD_PRICES_DAYS` ago. postcode, network: of the home, None if
    unknown.
    """

    offered: int = 0
    looked_up: date | None = None
    old: bool = False
    postcode: str | None = None
    network: str | None = None

    @property
    def place_known(self) -> bool:
        """Whether it is known which plans the home can get: the households of a database share those stored."""
        return self.postcode is not None or self.network is not None


def plan_prices(ctx: Context) -> PlanPrices:
    """Return how many published plans are stored, when they were last looked up, and for where."""
    if not is_stored(ctx.db):
        return PlanPrices()
    with open_store(ctx.db) as store:
        place = _known_place(ctx, store, HOME)
        rows = store.tuples(
            "plans", ("plan_id", "last_updated"), where={"household_id": PUBLISHED, "vanished_at": None}
        )
        walked = [row.full_walk_at for row in store.load(PositionRow, where={"resource": RESOURCE}) if row.full_walk_at]
    zone = ZoneInfo(DEFAULT_ZONE)
    written = [updated[:10] for _, updated in rows if updated]
    looked_up = max(walked).astimezone(zone).date() if walked else day_or_none(max(written, default=""))
    old = bool(rows) and looked_up is not None and ctx.today - looked_up > timedelta(OLD_PRICES_DAYS)
    return PlanPrices(len({plan_id for plan_id, _ in rows}), looked_up, old, place.postcode, place.network)
