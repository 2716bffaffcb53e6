"""Answers about plans: what every plan would cost, the stored plans, one plan's prices, and a fetch of plans."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec

from toolkit.answers.base import Answer, Note, Noted, Rows
from toolkit.answers.energy.bills import Fuel
from toolkit.problems import Problem


class PriceSummary(msgspec.Struct, frozen=True):
    """What tells a plan from others of its name, as a bill shows it. AUD with GST."""

    by_time: bool
    """Whether prices differ by time of day or week."""
    demand: bool
    """Whether the highest use of a month is charged."""
    controlled_load: bool
    supply: Decimal | None
    """A day; null where none is published."""
    usage: tuple[Decimal, Decimal] | None
    """Lowest and highest price of a kWh (MJ) of general use."""
    feed_in: Decimal | None
    """Highest price of an exported kWh; null without one."""
    dearest: str
    """When the highest price of general use holds, in the plan's time zone; empty at any time."""


class PlanCost(Noted, frozen=True, kw_only=True):
    """What a plan costs on the home's reads, and what explains its place."""

    plan_id: str
    name: str | None
    retailer: str | None
    customer_type: str | None
    plan_type: str | None
    networks: tuple[str, ...]
    """Networks of distributors; empty where the plan does not say."""
    eligibility: tuple[str, ...]
    """Types of the Consumer Data Standards that restrict who may take it."""
    open: bool
    """False where not everyone may take it, but for what the home has."""
    green_share: float | None
    """Share of green energy without paying more, 0 to 1; null where the plan does not say."""
    total: Decimal
    """Sum of the components."""
    components: dict[str, Decimal]
    """By component of a bill; those of zero are absent."""
    conditional: Decimal
    """What conditional discounts would take off; they are not in the total."""
    as_of: date | None
    """Date of the prices: when they were last updated, else the day since when they are in force."""
    ended: bool
    conditions: tuple[str, ...]
    """Why the home may not have the plan all the same."""
    variable: bool
    """Whether the wholesale market sets the prices, or they are an estimate."""
    exit_fee: Decimal | None
    """Highest fixed exit fee with GST; null where none is published."""
    term: str | None
    """How long it is agreed for, such as `1 year` or `ongoing`; null where none is published."""
    below_standing: float | None
    """Share by which its total is below the standing offer's, negative above; null without such an offer."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]
    """What of the plan cannot be priced."""
    prices: PriceSummary | None = None
    """Null only in answers of earlier versions."""


class SavingRange(msgspec.Struct, frozen=True):
    """The lowest and the highest saving of the years before."""

    low: Decimal
    high: Decimal


class ComparedPlan(PlanCost, frozen=True, kw_only=True):
    """A plan with what it saves against today's."""

    saving: Decimal | None
    """Today's total less this one; null where today's plan is not known, is not priced whole, or it is not known which
    plans are offered here. Of `open_networks` it is that of the plan, which the home may not be able to have."""
    saving_days: int | None
    """Days that the saving is for."""
    saving_range: SavingRange | None
    same_as: tuple[str, ...]
    """Ids of other plans with the same total."""


class CurrentPlan(PlanCost, frozen=True, kw_only=True):
    """Today's plan."""

    reason: str | None
    """Why `total` is not the whole of it; null where it is."""


class UnpricedPlan(msgspec.Struct, frozen=True):
    """A plan of which a part cannot be priced, and what the rest of it costs."""

    plan_id: str
    name: str | None
    retailer: str | None
    total: Decimal
    components: dict[str, Decimal]
    reason: str


class StandingOffer(msgspec.Struct, frozen=True):
    """The cheapest standing offer of today's kind of tariff."""

    plan_id: str
    total: Decimal


class SwitchStep(msgspec.Struct, frozen=True):
    """One step on the way to another plan."""

    text: str
    source: str
    """Where it was read."""


class NetworkPlans(msgspec.Struct, frozen=True):
    """The plans of one network, and the cheapest of them."""

    network: str
    priced: int
    """How many plans there are."""
    plan_id: str
    total: Decimal
    name: str | None
    """The cheapest plan's name."""
    retailer: str | None


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The plans in order of what they cost."""

    priced: int
    """How many plans are priced whole."""
    current: CurrentPlan | None
    """Null where today's plan is not known."""
    plans: tuple[ComparedPlan, ...]
    """Cheapest first, as many as were asked for."""
    headline: ComparedPlan | None
    """The cheapest plan without variable prices, conditions, or customers that it is meant for."""
    standing: StandingOffer | None
    """Among all stored plans, whatever is compared; null where today's plan or the network is not known."""
    by_network: tuple[NetworkPlans, ...]
    unpriced: tuple[UnpricedPlan, ...]


class Comparison(Ranking, Answer, Noted, frozen=True, kw_only=True):
    """Every plan that the home can have, on its own reads: what `compare` answers. Amounts in AUD with GST."""

    service_point_id: str
    fuel: Fuel
    network: str | None
    """The home's electricity distributor; null where it is not known, and for gas."""
    postcode: str | None
    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    as_of: date | None
    """The newest date among the plans' prices."""
    expired: int
    """Plans left out because they have ended."""
    not_here: int
    """Plans left out because the home cannot have them: postcode, kind of customer, solar or controlled load."""
    other_networks: int
    """Plans left out because they are for other networks."""
    yearly: bool
    """Whether a saving is that of a year."""
    missing_share: float | None
    """Share of the time without reads; that energy is not included in any total."""
    switching: tuple[SwitchStep, ...]
    """How to change to the headline; empty where it saves nothing."""
    left_out: dict[str, int]
    """How many plans each filter took out."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]
    open_networks: tuple[str, ...] = ()
    """The plans' distributors, where there are several and it is not known which supplies the home; empty otherwise."""

    @property
    def named_saving(self) -> Decimal | None:
        """Return what the headline saves, to be told to people: None while it is not known whether they can have it."""
        return None if self.headline is None or self.open_networks else self.headline.saving


class ListedPlan(msgspec.Struct, frozen=True):
    """A stored plan, its latest version."""

    plan_id: str
    name: str | None
    retailer: str | None
    fuel_type: str | None
    """ELECTRICITY, GAS or DUAL."""
    customer_type: str | None
    plan_type: str | None
    last_updated: str | None
    """As written."""
    distributors: tuple[str, ...]
    offered: bool
    """False for a published plan that the plan register no longer lists."""


class PlanList(Answer, frozen=True, kw_only=True):
    """The stored plans in order of id: what `plans list` answers."""

    plans: tuple[ListedPlan, ...]


class CardRate(msgspec.Struct, frozen=True):
    """One price of a plan."""

    component: str
    label: str
    season: str
    """`all year`, or days: `1 Dec to 28 Feb`."""
    window: str
    """`any time`, or hours in the plan's time zone: `Mon–Fri 15:00–21:00`."""
    block: str
    """`first 15 kWh a day`; empty where there is one price."""
    price: str
    """Decimal text without GST: AUD per `unit`; for a discount per cent."""
    price_with_gst: str | None
    """Null for a discount."""
    unit: str
    gst: Literal["added", "included", "none"]
    """How a bill treats it."""
    conditions: str


class CardRates(Rows[CardRate]):
    """The prices of a plan in the order of a bill's components."""

    row_type = CardRate


class PriceRun(msgspec.Struct, frozen=True):
    """Half-hours of a weekday that follow each other at one price."""

    weekday: int
    """0 is Monday."""
    from_: str = msgspec.field(name="from")
    """`15:00`, in the plan's time zone."""
    to: str
    price: str | None
    """Decimal text with GST: AUD per kWh or MJ; null where no window of the plan holds."""
    label: str | None


class PriceWeek(msgspec.Struct, frozen=True):
    """What a kWh (MJ) costs in every half-hour of a week of one season."""

    role: Literal["general", "controlled", "export"]
    season: str
    week: tuple[PriceRun, ...]


class PlanCondition(msgspec.Struct, frozen=True):
    """A condition or an incentive of a plan."""

    words: str
    """What it is, in short; empty where only the retailer's words say it."""
    text: str | None
    """The retailer's own words."""


class FuelTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What a contract states besides its prices; null or empty where it does not."""

    term: str | None
    """How long it is agreed for: `1 year`, `ongoing`."""
    benefit_period: str | None
    """How long its benefits last; this and the texts below are the retailer's own words."""
    on_expiry: str | None
    """What happens then."""
    exit_fee: Decimal | None
    """Highest fixed exit fee, AUD with GST."""
    bill_frequency: tuple[str, ...]
    """`every month`, `every three months`."""
    cooling_off_days: int | None
    payment_options: tuple[str, ...]
    meter_types: tuple[str, ...]
    eligibility: tuple[PlanCondition, ...]
    incentives: tuple[PlanCondition, ...]
    terms: str | None
    variation: str | None
    """How prices may change."""
    fee_information: str | None


class FreeHours(msgspec.Struct, frozen=True):
    """Hours in which general use costs nothing."""

    season: str
    window: str
    """In the plan's time zone."""
    allowance: str
    """`first 24 kWh a day` where only so much is free; empty where all is."""


class FreeUse(msgspec.Struct, frozen=True):
    """What this home used in the free hours of a plan."""

    from_: date = msgspec.field(name="from")
    to: date
    """Last day, inclusive."""
    used_kwh: float
    """In these hours."""
    free_kwh: float
    """Of it free, within the allowance."""
    share: float | None
    """Free energy as a share of all general use, 0 to 1."""


class PlanLink(msgspec.Struct, frozen=True):
    """A web address that the plan gives."""

    name: str
    address: str


class FuelCard(Noted, frozen=True, kw_only=True):
    """The prices of a plan for one fuel."""

    fuel: Fuel
    unit: str
    """Unit of energy: kWh or MJ."""
    clock: str
    """IANA time zone of the plan's windows, or AEST."""
    rates: CardRates
    weeks: tuple[PriceWeek, ...]
    terms: FuelTerms
    free_hours: tuple[FreeHours, ...]
    free_use: FreeUse | None
    """Null without such hours, or without meter data of the fuel."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]


class RateCard(Answer, Noted, frozen=True, kw_only=True):
    """One plan with every price and its week of prices: what `plans show` answers."""

    plan_id: str
    name: str | None
    retailer: str | None
    customer_type: str | None
    plan_type: str | None
    distributors: tuple[str, ...]
    effective_from: str | None
    """As written; so are the next two."""
    effective_to: str | None
    last_updated: str | None
    versions: int
    """How many versions of the plan are stored; 0 for a file."""
    offered: bool | None
    """False where the plan register no longer lists it; null for a file and for a plan of the home's own account."""
    description: str | None
    """The retailer's words."""
    phones: tuple[str, ...]
    """Service numbers in the retailer's words."""
    links: tuple[PlanLink, ...]
    fuels: tuple[FuelCard, ...]
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]


class RetailerCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Plans of one retailer: listed = added + updated + unchanged + rejected + not_here + to_go."""

    retailer: str
    listed: int
    fetched: int
    """Plans that were downloaded."""
    added: int
    updated: int
    unchanged: int
    rejected: int
    removed: int
    """Stored plans that the plan register no longer lists."""
    not_here: int
    """Not asked for: a home like this cannot have them."""
    to_go: int
    """Still to be read by another run: this one was stopped, failed or reached its limit."""


class FailedRetailer(msgspec.Struct, frozen=True):
    """A retailer with plans that could not be read to the end."""

    retailer: str
    reason: str


class PlanFetch(Answer, Noted, frozen=True, kw_only=True):
    """The published plans that were downloaded: what `plans fetch` answers."""

    retailers: tuple[RetailerCounts, ...]
    failed: tuple[FailedRetailer, ...]
    postcode: str | None = None
    """Of the home that the plans are for; null where whole retailers were asked for."""
    network: str | None = None
    """The home's electricity distributor, where it is known; likewise."""
    requests: int
    """How many requests were sent, retries included."""
    to_go: int
    """Plans still to be read by another run."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...]
    names: dict[str, str] = msgspec.field(default_factory=dict)
    """Plan id → name and retailer, as listed, of plans that could not be read."""
