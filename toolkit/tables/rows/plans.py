"""Read energy plans: any published or account spelling becomes one `Plan`. No IO.

Accepted shapes: the public register's plan detail (camelCase; bare or under `data`), the service's `plan_detail`
(snake_case; bare, or inside an energy account's plan with `plan_overview`), and the older forms of both.

Contracts get one canonical shape, the service's (snake_case), with older forms folded into today's:
`daily_supply_charges` → `daily_supply_charge`; a controlled load with `rates` and `daily_charge` → `single_rate`;
`single_tariff.amount` → one rate; `time_varying_tariffs` (object, array or `_v2`) → one list; days given as an object
of booleans → a list. Lists have objects only: anything else in them is a Problem.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

from toolkit.errors import PricingError
from toolkit.problems import Problem
from toolkit.tables.rows.contracts import Contract, MeteringCharge
from toolkit.tables.schema import Row
from toolkit.units import AEST

T = TypeVar("T")

Fuel = Literal["ELECTRICITY", "GAS"]
JsonObject = dict[str, Any]
"""A JSON object of the service, of a plan register or of a file."""

REGISTER = "register"
"""Source of plans that the plan register gave."""
UNNAMED = "?"
"""The plan id in the error about a plan without one."""
_BRAND_MARK = "~"
"""Between a retailer's plan id and its brand, where another retailer has the same id."""
_CONTRACTS = ("electricity_contract", "gas_contract")
_CONTRACT_LISTS = ("discounts", "fees", "green_power_charges", "eligibility", "incentives")
_HEADER = {"plan_detail", "plan_overview", "data", *_CONTRACTS}


@dataclass(frozen=True, slots=True)
class Plan:
    """One version of one energy plan.

    Header fields are those of table `plans`. Contracts are in the canonical shape, prices as written (text or number,
    dollars or cents: see the rates). version: content hash; independent of spacing and key order. given: the object as
    it came. problems: parts of the contracts that could not be read.
    """

    plan_id: str
    version: str
    name: str | None
    retailer: str | None
    fuel_type: str | None
    customer_type: str | None
    plan_type: str | None
    distributors: tuple[str, ...]
    included_postcodes: tuple[str, ...]
    excluded_postcodes: tuple[str, ...]
    effective_from: str | None
    effective_to: str | None
    last_updated: str | None
    electricity_contract: Contract | None
    gas_contract: Contract | None
    metering_charges: tuple[MeteringCharge, ...]
    given: JsonObject
    problems: tuple[Problem, ...]

    @property
    def first_day(self) -> date | None:
        """The day from which its prices hold (AEST): its `effective_from`; None where that is absent or unreadable."""
        try:
            begins = datetime.fromisoformat(self.effective_from or "")
        except ValueError:
            return None
        return (begins if begins.tzinfo is None else begins.astimezone(AEST)).date()

    @property
    def title(self) -> str:
        """What people call it: its name, else its id."""
        return self.name or self.plan_id

    def contract(self, fuel: Fuel) -> Contract | None:
        """Return the contract for a fuel, in the canonical shape; None without one."""
        return self.electricity_contract if fuel == "ELECTRICITY" else self.gas_contract

    @property
    def fuels(self) -> tuple[Fuel, ...]:
        """The fuels it has a contract for."""
        return tuple(fuel for fuel in get_args(Fuel) if self.contract(fuel) is not None)


@dataclass(frozen=True, slots=True)
class AccountPlan:
    """A plan as an energy account of the service carries it. Dates are as written; the end is None while it lasts."""

    account_id: str
    plan: Plan
    nickname: str | None
    display_name: str | None
    service_point_ids: tuple[str, ...]
    start_date: str | None
    end_date: str | None


def looks_like_plan(obj: object) -> bool:
    """Whether a JSON value is one energy plan in any accepted shape."""
    return isinstance(obj, dict) and any(contract in _detail(obj) for contract in _CONTRACTS)


def read_plan(obj: object, *, plan_id: str | None = None, version: str | None = None) -> Plan:
    """Read one plan from a JSON object of any accepted shape.

    plan_id: identity to use where the object names none (a file's stem); else `plan:` and a piece of the hash.
    version: its content hash where that is known already.
    Raises PricingError if the object has neither an electricity nor a gas contract.
    """
    if not isinstance(obj, dict):
        raise PricingError(plan_id or UNNAMED, "a plan is a JSON object")
    plan = _read(obj, plan_id, version)
    if not plan.fuels:
        raise PricingError(plan.plan_id, "it holds no electricity and no gas contract")
    return plan


def read_listed_plan(obj: JsonObject) -> Plan:
    """Read an entry of a plan register's list, which has no contract."""
    return _read(obj, UNNAMED, "listed")


def _read(obj: JsonObject, plan_id: str | None, version: str | None) -> Plan:
    header, detail = _header(obj), _detail(obj)
    version = version or hashlib.sha256(canonical_json(obj).encode("utf-8", "surrogatepass")).hexdigest()
    identity = _text(header, "plan_id") or plan_id or f"plan:{version[:12]}"
    shapers = {key: Shaper(f"{identity}.{key}") for key in (*_CONTRACTS, "metering_charges")}
    given = {key: shapers[key].objects(detail, key) for key in _CONTRACTS}
    charges = shapers["metering_charges"].objects(detail, "metering_charges")
    contracts = {key: shapers[key].contract(objects[0]) if objects else None for key, objects in given.items()}
    return Plan(
        plan_id=identity,
        version=version,
        **_described(header),
        electricity_contract=contracts["electricity_contract"],
        gas_contract=contracts["gas_contract"],
        metering_charges=tuple(cast("MeteringCharge", snake_keys(charge)) for charge in charges),
        given=obj,
        problems=tuple(problem for shaper in shapers.values() for problem in shaper.problems),
    )


def read_account_plan(account_id: str, obj: object) -> AccountPlan:
    """Read one entry of an energy account's `plans`.

    The service names no plan id: it is `account_id:start_date:fuel`, so that a changed price keeps the identity
    (a new version) and the next plan of the account gets its own. Raises PricingError where it holds no contract.
    """
    if not isinstance(obj, dict):
        raise PricingError(account_id, "a plan is a JSON object")
    shaped = _top(obj)
    given = shaped.get("plan_overview")
    overview = snake_keys(given) if isinstance(given, dict) else {}
    start = _text(overview, "start_date")
    detail = _detail(obj)
    fuel = (_text(detail, "fuel_type") or "-".join(key[:-9] for key in _CONTRACTS if detail.get(key))).lower()
    identity = _text(shaped, "plan_id") or f"{account_id}:{start or ''}:{fuel}"
    return AccountPlan(
        account_id=account_id,
        plan=read_plan(obj, plan_id=identity),
        nickname=_text(shaped, "nickname"),
        display_name=_text(overview, "display_name"),
        service_point_ids=_texts(shaped.get("service_point_ids")),
        start_date=start,
        end_date=_text(overview, "end_date"),
    )


def plan_row(
    plan: Plan,
    *,
    source: str,
    household_id: str = "",
    sequence: int = 0,
    arrangement_id: str | None = None,
) -> Row:
    """Return the row of table `plans`. household_id: empty for published plans. sequence: order of arrival."""
    return {
        "household_id": household_id,
        "plan_id": plan.plan_id,
        "version": plan.version,
        "sequence": sequence,
        "source": source,
        "name": plan.name,
        "retailer": plan.retailer,
        "fuel_type": plan.fuel_type,
        "customer_type": plan.customer_type,
        "plan_type": plan.plan_type,
        "distributors": canonical_json(plan.distributors),
        "included_postcodes": canonical_json(plan.included_postcodes),
        "excluded_postcodes": canonical_json(plan.excluded_postcodes),
        "effective_from": plan.effective_from,
        "effective_to": plan.effective_to,
        "last_updated": plan.last_updated,
        "file_id": None,
        "arrangement_id": arrangement_id,
        "raw": canonical_json(plan.given),
    }


def account_plan_row(
    entry: AccountPlan, *, household_id: str, is_current: bool = True, arrangement_id: str | None = None
) -> Row:
    """Return the row of table `account_plans`; its plan's own row comes from `plan_row`. Dates `YYYY-MM-DD` as text."""
    return {
        "household_id": household_id,
        "account_id": entry.account_id,
        "plan_id": entry.plan.plan_id,
        "version": entry.plan.version,
        "nickname": entry.nickname,
        "display_name": entry.display_name,
        "service_point_ids": canonical_json(entry.service_point_ids),
        "start_date": entry.start_date[:10] if entry.start_date else None,
        "end_date": entry.end_date[:10] if entry.end_date else None,
        "is_current": is_current,
        "arrangement_id": arrangement_id,
    }


def canonical_json(value: object) -> str:
    """Encode JSON that depends on the content alone: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)


def _top(obj: JsonObject) -> JsonObject:
    """The outermost object with its own keys in snake_case; what stands below is left alone."""
    shaped = {snake(str(key)): value for key, value in obj.items()}
    data = shaped.get("data")
    return _top(data) if isinstance(data, dict) else shaped


def _detail(obj: JsonObject) -> JsonObject:
    """The object that holds the contracts."""
    detail = _top(obj).get("plan_detail")
    return _top(detail if isinstance(detail, dict) else obj)


def _header(obj: JsonObject) -> JsonObject:
    """Return the fields of the plan as a whole; the outer object outranks `plan_detail` and `plan_overview`."""
    outer = _top(obj)
    overview = outer.get("plan_overview")
    parts = (overview if isinstance(overview, dict) else {}, _detail(obj), outer)
    return {snake(str(k)): v for part in parts for k, v in part.items() if k not in _HEADER and v is not None}


def _described(header: JsonObject) -> JsonObject:
    geography = header.get("geography")
    place = {snake(str(k)): v for k, v in geography.items()} if isinstance(geography, dict) else {}
    codes = {key: code.upper() for key in ("fuel_type", "customer_type", "type") if (code := _text(header, key))}
    return {
        "name": _text(header, "display_name") or _text(header, "nickname"),
        "retailer": _text(header, "brand_name") or _text(header, "brand"),
        "fuel_type": codes.get("fuel_type"),
        "customer_type": codes.get("customer_type"),
        "plan_type": codes.get("type"),
        "distributors": _texts(place.get("distributors")),
        "included_postcodes": _texts(place.get("included_postcodes") or place.get("include_postcodes")),
        "excluded_postcodes": _texts(place.get("excluded_postcodes") or place.get("exclude_postcodes")),
        "effective_from": _text(header, "effective_from") or _text(header, "start_date"),
        "effective_to": _text(header, "effective_to") or _text(header, "end_date"),
        "last_updated": _text(header, "last_updated"),
    }


def _text(holder: JsonObject, key: str) -> str | None:
    value = holder.get(key)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    return str(value).strip() or None


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        return ()
    if all(type(entry) is str for entry in value):  # thousands of postcodes: no look at each
        return tuple(value)
    return tuple(str(entry) for entry in value if isinstance(entry, (str, int)) and not isinstance(entry, bool))


# ---- contracts in one shape, whatever the spelling they were published in

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_FLAGGED = {"weekdays": ("MON", "TUE", "WED", "THU", "FRI"), "saturday": ("SAT",), "sunday": ("SUN",)}


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """`rateBlockUType` → `rate_block_u_type`; snake_case stays as it is."""
    return _WORD_START.sub("_", key).lower()


def snake_keys(given: JsonObject) -> JsonObject:
    """Return the same JSON object with every key in it, at any depth, in snake_case."""
    return {snake(key): _snake_inside(inner) for key, inner in given.items()}


def _snake_inside(value: object) -> object:
    if isinstance(value, list):
        return [_snake_inside(inner) for inner in value]
    return snake_keys(value) if isinstance(value, dict) else value


class Shaper:
    """Fold one contract into the canonical shape and remember what could not be read (`problems`).

    where: prefix of the problems' place, such as `PLAN1.electricity_contract`.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def contract(self, given: JsonObject) -> Contract:
        """Return the contract in the canonical shape."""
        shaped = snake_keys(given)
        shaped["tariff_period"] = [self._period(p) for p in self.objects(shaped, "tariff_period")]
        shaped["controlled_load"] = [self._controlled_load(c) for c in self.objects(shaped, "controlled_load")]
        shaped["solar_feed_in_tariff"] = [self._feed_in(f) for f in self.objects(shaped, "solar_feed_in_tariff")]
        return cast("Contract", shaped | {key: self.objects(shaped, key) for key in _CONTRACT_LISTS})

    def objects(self, parent: JsonObject, key: str) -> list[JsonObject]:
        """Return the objects under `key`: a list's, or the only one; [] where absent."""
        value = parent.get(key)
        entries = value if isinstance(value, list) else [value]
        for entry in entries:
            if not isinstance(entry, dict | None):
                self._refuse(key, "an object was expected", entry)
        return [entry for entry in entries if isinstance(entry, dict)]

    def _refuse(self, key: str, reason: str, value: object) -> None:
        self.problems.append(Problem(f"{self.where}.{key}", f"{reason}, not {str(value)[:40]!r}"))

    def _period(self, period: JsonObject) -> JsonObject:
        supply = period.get("daily_supply_charge")
        return {
            **period,
            "daily_supply_charge": supply if supply is not None else period.get("daily_supply_charges"),
            "banded_daily_supply_charges": self.objects(period, "banded_daily_supply_charges"),
            "single_rate": self._rated(self.objects(period, "single_rate")),
            "time_of_use_rates": self._bands(period),
            "demand_charges": [self._with_days(d) for d in self.objects(period, "demand_charges")],
        }

    def _bands(self, parent: JsonObject) -> list[JsonObject]:
        return [
            {
                **self._with_rates(band),
                "display_name": band.get("display_name") or band.get("name"),
                "time_of_use": [self._with_days(window) for window in self.objects(band, "time_of_use")],
            }
            for band in self.objects(parent, "time_of_use_rates")
        ]

    def _rated(self, objects: list[JsonObject]) -> JsonObject | None:
        return self._with_rates(objects[0]) if objects else None

    def _with_rates(self, holder: JsonObject) -> JsonObject:
        """The holder with a list of rates; an older bare `amount` is one rate."""
        rates = self.objects(holder, "rates")
        if not rates and holder.get("amount") is not None:
            rates = [{"unit_price": holder["amount"]}]
        return {**holder, "rates": rates}

    def _with_days(self, window: JsonObject) -> JsonObject:
        given = window.get("days")
        if isinstance(given, dict):
            # the old form: {weekdays, saturday, sunday}, each true or false
            for name, flag in given.items():
                if name not in _FLAGGED or not isinstance(flag, bool | None):
                    self._refuse("days", "weekdays, saturday and sunday as true or false were expected", {name: flag})
            given = [day for name, days in _FLAGGED.items() if given.get(name) is True for day in days]
        days = given if isinstance(given, list) else [] if given is None else [given]
        for day in days:
            if not isinstance(day, str):
                self._refuse("days", "a day's name was expected", day)
        return {**window, "days": [day.strip().upper() for day in days if isinstance(day, str)]}

    def _controlled_load(self, load: JsonObject) -> JsonObject:
        single = self.objects(load, "single_rate")
        if not single and "rates" in load:  # the older form: charge and rates on the load itself
            single = [
                {
                    "display_name": load.get("display_name"),
                    "daily_supply_charge": load.get("daily_charge"),
                    "period": load.get("period"),
                    "rates": load.get("rates"),
                }
            ]
        return {**load, "single_rate": self._rated(single), "time_of_use_rates": self._bands(load)}

    def _feed_in(self, tariff: JsonObject) -> JsonObject:
        varying = self.objects(tariff, "time_varying_tariffs_v2") or self.objects(tariff, "time_varying_tariffs")
        return {
            **tariff,
            "single_tariff": self._rated(self.objects(tariff, "single_tariff")),
            "time_varying_tariffs": [
                {
                    **self._with_rates(entry),
                    "time_variations": [self._with_days(window) for window in self.objects(entry, "time_variations")],
                }
                for entry in varying
            ],
        }


class PlanIds:
    """Ids of plans: the same id from two retailers is two plans, the later one's with its brand behind it.

    known: stored id and retailer of plans in order of arrival. A plan that names no retailer is that of any.
    """

    def __init__(self, known: Iterable[tuple[str, str | None]] = ()) -> None:
        self._first_brands: dict[str, str] = {}
        self._kept_apart: dict[tuple[str, str], str] = {}
        for plan_id, retailer in known:
            given_id, mark, _ = plan_id.partition(_BRAND_MARK)
            if mark:  # stays apart also where the first retailer's plan is deleted
                self._kept_apart[given_id, _brand(retailer)] = plan_id
            else:
                self.id_of(plan_id, retailer)

    def id_of(self, plan_id: str, retailer: str | None) -> str:
        """Return the id of the plan that this retailer calls `plan_id`, which is that retailer's from then on."""
        brand, known = _brand(retailer), self.known_id(plan_id, retailer)
        if known is None and plan_id in self._first_brands:
            known = self._kept_apart[plan_id, brand] = f"{plan_id}{_BRAND_MARK}{brand}"
        if known is not None and known != plan_id:
            return known
        self._first_brands[plan_id] = self._first_brands.get(plan_id) or brand
        return plan_id

    def known_id(self, plan_id: str, retailer: str | None) -> str | None:
        """Return the id of the plan that this retailer calls `plan_id`; None where no plan of it is known."""
        brand, first = _brand(retailer), self._first_brands.get(plan_id)
        if first is not None and (not first or not brand or first == brand):
            return plan_id
        return self._kept_apart.get((plan_id, brand))

    def warning(self, plan_id: str, retailer: str | None) -> str | None:
        """Return the warning about a plan with an id that another retailer has already; None where none has."""
        own = self.id_of(plan_id, retailer)
        if own == plan_id or plan_id not in self._first_brands:
            return None
        return f"another retailer has a plan of the same id, so that of {retailer} is kept apart"


def _brand(retailer: str | None) -> str:
    """Return a retailer's name as it is compared: letters and digits alone, in lower case."""
    return re.sub(r"[^a-z0-9]+", "", (retailer or "").casefold())


def stored_plan(raw: str, plan_id: str, version: str | None = None) -> Plan:
    """Read a plan from its stored text. plan_id: of its row, which may add the brand to the retailer's own id."""
    plan = read_plan(json.loads(raw), plan_id=plan_id, version=version)
    return plan if plan.plan_id == plan_id else replace(plan, plan_id=plan_id)


def latest_versions(versions: Iterable[T], dated: Callable[[T], tuple[str, str | None]]) -> dict[str, T]:
    """Return the latest version of each plan by plan id: the last updated one, of several the one that arrived last.

    versions: in order of arrival. dated: returns plan id and `last_updated` of a version.
    """
    latest: dict[str, tuple[str, T]] = {}
    for version in versions:
        plan_id, updated = dated(version)
        if plan_id not in latest or (updated or "") >= latest[plan_id][0]:
            latest[plan_id] = updated or "", version
    return {plan_id: version for plan_id, (_, version) in latest.items()}


class Arrival(NamedTuple):
    """What decides which stored version of a plan is the latest."""

    plan_id: str
    last_updated: str | None
    sequence: int
    source: str


def versions_in_order(versions: Iterable[T], arrival: Callable[[T], Arrival]) -> list[T]:
    """Return stored versions with the latest of each plan last: the last updated one, of several the last to arrive.

    What the plan register gives now is in force, though it be dated before what it gave earlier: its earlier versions
    count as no younger than the ones that it gave after them.
    """
    by_plan: dict[str, list[tuple[Arrival, T]]] = {}
    for version in versions:
        known = arrival(version)
        by_plan.setdefault(known.plan_id, []).append((known, version))
    ordered: list[tuple[str, int, T]] = []
    for known_versions in by_plan.values():
        cap: str | None = None
        for known, version in sorted(known_versions, key=lambda pair: -pair[0].sequence):
            dated = known.last_updated or ""
            if known.source == REGISTER:
                dated = cap = dated if cap is None else min(dated, cap)
            ordered.append((dated, known.sequence, version))
    return [version for _, _, version in sorted(ordered, key=lambda entry: entry[:2])]
