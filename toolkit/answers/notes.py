"""Notes on an answer: what was assumed, left out or not measured, as values that are worded in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from string import Formatter
from types import MappingProxyType

Figure = str | int | float | Decimal | date | None
"""None is an open end of a range of days."""


class Note:
    """One remark on an answer: a code from `WORDING`, and the figures that its sentence names.

    Not a dataclass, so that the encoders of answers and of compiled plans decide how it is written. Treat as frozen.
    """

    __slots__ = ("_figures", "code")

    def __init__(self, code: str, /, **figures: Figure) -> None:
        self.code = code
        self._figures = tuple(sorted(figures.items()))

    @property
    def figures(self) -> Mapping[str, Figure]:
        """Return the values in the sentence by name."""
        return MappingProxyType(dict(self._figures))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and (self.code, self._figures) == (other.code, other._figures)

    def __hash__(self) -> int:
        return hash((self.code, self._figures))

    def __repr__(self) -> str:
        return f"Note({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self._figures)])})"

    def __str__(self) -> str:
        """Return the sentence with ISO dates, as in JSON."""
        return _Words(local=False).vformat(WORDING[self.code], (), self.figures)

    def local(self) -> str:
        """Return the sentence with dates as people in Australia write them: 1 Jul 2026."""
        return _Words(local=True).vformat(WORDING[self.code], (), self.figures)


def sentences(notes: Iterable[Note | str]) -> list[str]:
    """Return each sentence once, in order, with ISO dates."""
    return list(dict.fromkeys(map(str, notes)))


class _Words(Formatter):
    """Format figures: dates, months (`{month:month}`), counts with a noun (`{count:plan|plans}`), others as usual."""

    def __init__(self, *, local: bool) -> None:
        self._local = local

    def format_field(self, value: object, format_spec: str) -> str:
        if value is None:
            return "…"
        if isinstance(value, date):
            if format_spec == "month":
                return f"{value:%b %Y}" if self._local else f"{value:%Y-%m}"
            return f"{value.day} {value:%b %Y}" if self._local else value.isoformat()
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return f"{value:,} {singular if value == 1 else plural}"
        return format(value, format_spec)


WORDING: Mapping[str, str] = {
    # How a plan was read
    "prices_in_cents": (
        "Prices are taken as cents (the highest usage price is {price:f} per {unit}): usage, supply, demand, "
        "controlled load, feed-in and metering are divided by 100."
    ),
    "unusual_energy_price": "{label}: {price:f} AUD per {unit} is out of the usual range.",
    "unusual_supply_charge": "{label}: a supply charge of {price:f} AUD a day is out of the usual range.",
    "unusual_demand_charge": "{label}: {price:f} AUD per kW is out of the usual range.",
    "rising_block_volumes": "{label}: block volumes {volumes} rise, and are read as widths, not as thresholds.",
    "unreachable_blocks": "{label}: a block without a limit is not the last; those after it are never reached.",
    "block_period_missing": "{label}: a tiered rate has no period; its volumes are taken per {period}.",
    "block_period_unreadable": (
        "{label}: a tiered rate has an unreadable period {written}; its volumes are taken per {period}."
    ),
    "above_quota": "{label}: energy above the quota costs {price:f} AUD per {unit}, GST included.",
    "windows_overlap": "{label}: windows overlap; the one with fewer minutes a day counts.",
    "windows_leave_gaps": "{label}: no window covers {minutes} minutes of the week.",
    "several_time_zones": "Tariff periods name different time zones; dates are in the first.",
    "date_order": "{kind} dates are read as {order}.",
    "only_season_unreadable": (
        "{label}: dates {first} to {last} are unreadable; the only period is taken to hold all year."
    ),
    "seasons_leave_gaps": "The tariff periods leave out {days} days of the year.",
    "seasons_overlap": "Tariff periods overlap: on each day the first listed counts.",
    "dates_unreadable": "{label}: dates {first} to {last} are unreadable and taken as always.",
    "not_on_offer": "{label}: not included, as it is on offer only from {first} to {last}.",
    "on_offer": "{label}: on offer from {first} to {last}; it is priced on all days.",
    "demand_unit": "{label}: charged by {unit}, priced as kW.",
    "demand_monthly": "{label}: {price:f} AUD per kW is taken as a price per month.",
    "demand_rolling": "{label}: its text names the last twelve months; each month is priced by itself.",
    "controlled_loads_first": "{count} controlled loads are published; the first ({label}) is used.",
    "controlled_loads_by_day": "{count} controlled loads are published; on each day the first in force is used.",
    "several_daily_charges": "{label}: its bands name different daily charges; the first is used.",
    "feed_in_not_on_plan": (
        "The account is on the feed-in tariff {label!r}, which the plan does not carry: export earns nothing."
    ),
    "feed_in_closed": (
        "Its feed-in tariffs are government or premium schemes, closed to new customers: export earns nothing."
    ),
    "feed_in_alternatives": "{count} alternative feed-in tariffs are published; the first ({label}) is used.",
    "feed_in_block_periods": "{label}: its steps are per different periods; the first one's counts for all.",
    "fixed_discount": "{label}: a fixed discount of ${amount:f} is not included in the bill.",
    "occasional_fees": (
        "Not included: {count:fee that applies|fees that apply} only sometimes (card payment, late payment …)."
    ),
    "metering_not_billed": "{label}: a metering charge without a period or an amount is not billed.",
    "metering_range": "{label}: between {least:f} and {most:f} per {period}; the lower is billed.",
    "green_power_not_billed": "Green power on request, not billed: {names}.",
    "incentives_not_billed": "Incentives, not billed: {names}.",
    # How a bill was priced
    "controlled_load_as_usage": "Controlled load without a tariff of its own is billed as usage.",
    "export_without_feed_in": "{energy:.3f} {unit} of export earns nothing because no feed-in tariff covers it.",
    "no_supply_charge": "No daily supply charge is published for {days} days between {first} and {last}.",
    "supply_band_assumed": (
        "{label}: the supply charge depends on the year's energy, which is unknown; the first band is used."
    ),
    "supply_band": "{label}: the supply charge is that for {energy:.0f} {unit} a year.",
    "month_demand": "{label}: {kw:.3f} kW in {month:month}, {days:day|days}.",
    "condition_assumed": "{label}: its condition is assumed to be met.",
    "condition_not_met": "{label}: it is conditional and not included.",
    "discount_on_some_days": "{label}: applies on {days} of {period_days} days and counts in that proportion.",
    "concession_without_amount": "{label}: a concession without an amount or percentage is not in the bill.",
    "substituted_reads": "{substituted:,.3f} {unit} of {energy:,.3f} are substituted or estimated reads.",
    "missing_reads": "Reads are missing for {share:.1%} of the time; that energy is not included in this bill.",
    "no_whole_month": "No whole month was read yet: the days from {first} to {last} are billed.",
    # The home and its plan
    "place_unknown": (
        "The home's postcode is not known, so times are in Sydney's time zone. "
        "Set the postcode: `toolkit household set --postcode NNNN`."
    ),
    "prices_changed": "Plan or prices changed on {day}. Each day is priced at those in force.",
    "plan_assumed": (
        "No energy account shows which plan applied from {first} to {last}, so these days are priced at today's "
        "prices of {plan}."
    ),
    "plan_gap": "No plan of the account applies on {day}; the nearest one is used.",
    "plan_not_used": "The energy account shows the current plan, so {plan}, which was set for this home, is not used.",
    "plan_before_known": "The plan of this home is known from {day}; it is also used for earlier days.",
    "only_stored_plan": "This home has no plan set, so the only stored {fuel} plan is used.",
    # A comparison
    "network_gas": "Gas networks are not known here: plans of all gas networks are compared.",
    "network_not_known": "The stored network {network!r} is not a known one.",
    "network_of_meter": "The network {network} is taken from the meter number; set another with --network.",
    "network_missing": (
        "The home's distribution network is not known, so plans of all networks are listed, each with its networks: "
        "name yours with --network, or `toolkit household set --network NAME`."
    ),
    "place_missing": (
        "Savings are not shown, as plans depend on where the home is. Enter its postcode: --postcode NNNN, or "
        "`toolkit household set --postcode NNNN`."
    ),
    "postcode_mismatch": "The postcode and the network {network} do not fit: {why}. Check both.",
    "embedded_network": "This building sells its power to its residents, so most plans are not available here.",
    "choice_in_wa": (
        "Homes in Western Australia cannot choose their electricity retailer, and plans there are not published."
    ),
    "choice_in_nt": (
        "Homes in the Northern Territory have next to no choice of electricity retailer, and plans are not published."
    ),
    "choice_in_tas": "Homes in Tasmania can choose between a few electricity retailers only.",
    "choice_in_regional_qld": (
        "Homes in regional Queensland have next to no choice of electricity retailer: most are with Ergon."
    ),
    "customer_assumed": (
        "Plans for homes are compared, not those for businesses: set another with --customer, or "
        "`toolkit household set --customer business`."
    ),
    "prices_old": (
        "These prices date from {day} or earlier, {age} days ago. Get newer ones with `toolkit plans fetch`."
    ),
    "plans_expired": "{count:plan|plans} not included, as they have ended.",
    "plans_not_here": (
        "{count:plan|plans} not included, as they are not available to this home (postcode, kind of customer, solar or "
        "controlled load)."
    ),
    "plans_other_networks": "{count:plan|plans} not included, as they are for other networks.",
    "plans_left_out": "{count:plan|plans} not included by {filter}.",
    "current_plan_unknown": "Today's plan is not known, so savings are not: `toolkit household set --plan ID`.",
    "current_plan_incomplete": "Today's plan cannot be priced in full, so savings are not known: {reason}.",
    "current_plan_dated": (
        "Today's plan, as stored, has no {component} price on {day}, so no saving is shown. "
        "Compare the days that it covers with --from and --to, or store the plan's current version."
    ),
    "missing_reads_compared": "Reads are missing for {share} of the time; that energy is not included in any total.",
    "not_for_everyone": "Not for everyone: {condition}.",
}
"""The sentence of each code. A new code needs one entry here; a test checks that every use names the right figures."""
