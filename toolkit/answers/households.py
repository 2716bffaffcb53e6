"""Answers about households: the facts known of them, and what is stored for them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Noted
from toolkit.answers.consents import Consent
from toolkit.answers.named_plan import NamedPlan
from toolkit.answers.sync import ResourceCounts
from toolkit.problems import Problem

Shape = Literal["yearly", "percent_above", "percent_of_usage"]
"""How a concession is worked out."""


class HomeConcession(msgspec.Struct, frozen=True, kw_only=True):
    """A concession that the home holds, as typed from a bill or chosen from the packaged list."""

    id: str
    name: str
    fuel: Literal["ELECTRICITY", "GAS"]
    shape: Shape
    """`yearly`: `amount` a year by days. `percent_above`: `percent` of usage and supply after discounts and solar
    credits, above `amount` a year. `percent_of_usage`: `percent` of usage."""
    amount: Decimal | None
    percent: Decimal | None
    from_: date | None = msgspec.field(name="from")
    to: date | None
    """Last day, inclusive; null where no end is known."""
    listed: str | None
    """Its id in the packaged list; null where it was typed."""


class PackagedConcession(msgspec.Struct, frozen=True, kw_only=True):
    """A concession of a state or territory, as its source states it."""

    id: str
    state: str
    fuel: Literal["ELECTRICITY", "GAS"]
    name: str
    who: str
    """Who may hold it."""
    shape: Shape
    amount: Decimal | None
    percent: Decimal | None
    from_: date | None = msgspec.field(name="from")
    to: date | None
    source: str
    read: date
    """The day on which the source was read."""
    secondary: bool
    """Whether the source is somebody else's account of the figures, not a page of the government."""
    lapsed: bool
    """Whether its figures are known to an earlier day than today only."""


class PackagedConcessions(Answer, frozen=True, kw_only=True):
    """The packaged concessions: what `household concessions` answers."""

    concessions: tuple[PackagedConcession, ...]


class PanelArray(msgspec.Struct, frozen=True):
    """Panels that face one way; null where it is not known."""

    kw: float | None
    """Rated size."""
    azimuth: float | None
    """Degrees clockwise from north that they face."""
    tilt: float | None
    """Degrees from level."""


class Household(msgspec.Struct, frozen=True, kw_only=True):
    """A household and the facts about its home that no file contains; null where not set."""

    id: str
    name: str
    postcode: str | None
    state: str | None
    """ACT, NSW, NT, QLD, SA, TAS, VIC or WA."""
    network: str | None
    """Electricity distribution network, such as Ausgrid."""
    timezone: str | None
    """IANA time zone of the home; null: that of its state or postcode."""
    customer_type: str | None
    """`residential` or `business`."""
    panels_kw: float | None
    """Rated size of the solar panels [kW]."""
    plan_id: str | None
    """Energy plan in force, as set here; electricity's where the home has both fuels."""
    plan_since: date | None
    """First day of that plan."""
    other_plans: tuple[NamedPlan, ...] = ()
    """The plan of the other fuel, and earlier ones, in order of their days."""
    billing: str | None
    """How often energy is billed: `monthly`, `two-monthly` or `quarterly`."""
    embedded_network: bool | None
    """Whether the building sells the power to the home."""
    note: str | None = None
    """The adviser's own words."""
    follow_up: date | None = None
    """When the adviser looks at it again."""
    purpose: str | None = None
    """What the client agreed to, as typed here; the service states none."""
    archived_on: date | None = None
    """Since when it is archived: kept, but neither pulled nor on the desk."""
    arrays: tuple[PanelArray, ...] = ()
    """Arrays of panels, as set here."""
    inverter_kw: float | None = None
    """Rated output of the solar inverter [kW]."""
    battery_kwh: float | None = None
    """Capacity of the battery [kWh]; 0: there is none."""
    persons: tuple[str, ...]
    """People added by name; transfers with them are the household's own."""
    concessions: tuple[HomeConcession, ...] = ()


class Households(Answer, Noted, frozen=True, kw_only=True):
    """Every household by name: what `household list`, `add`, `set` and `merge` answer."""

    households: tuple[Household, ...]
    moved: dict[str, int] | UnsetType = UNSET
    """Rows moved by a merge, by table."""
    notes: tuple[Note, ...] | UnsetType = UNSET
    """Rows that both merged households had."""
    note_codes: tuple[str, ...] | UnsetType = UNSET
    """The code of each note."""


class EndUser(msgspec.Struct, frozen=True, kw_only=True):
    """A person of a household as the service knows them."""

    id: str
    name: str | None
    email: str | None
    state: str
    """`connected`, `invited` or `ended`."""
    invite_url: str | UnsetType = UNSET
    """Open consent link of an invited person."""
    invite_expires_at: datetime | UnsetType | None = UNSET


class MeterCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a service point's meter data is stored; energy imported and exported only."""

    service_point_id: str
    from_: date = msgspec.field(name="from")
    """First meter day."""
    to: date
    """Last meter day, inclusive."""
    coverage: float
    """Share of intervals present, 0 to 1; each register counts from its own first to its own last day."""


class ImportedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was imported; one entry for each account where it holds several."""

    id: str
    name: str
    kind: str
    """As `import` names it: `bank-csv`, `ofx`, `nem12` …"""
    account_id: str | None
    """Bank account of its rows; null for meter data and plans."""
    from_: date | None = msgspec.field(name="from")
    """First day of its rows, as written; null where it holds none."""
    to: date | None
    rows: int
    """Transactions, meter days (of each register) or reads that it gave, also those that another file gave too."""
    days: int = 0
    """Days that have these rows, however many registers a meter has."""
    imported_at: datetime


class LastRun(msgspec.Struct, frozen=True, kw_only=True):
    """The latest sync that stored pages for a household."""

    run: str
    started_at: datetime
    finished_at: datetime | None
    state: str
    resources: tuple[ResourceCounts, ...]


class HouseholdStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored for one household."""

    id: str
    name: str
    end_users: tuple[EndUser, ...]
    consents: tuple[Consent, ...]
    freshness: dict[str, datetime]
    """Resource → when it was last read to its end; of several people, the one read longest ago."""
    meter_coverage: tuple[MeterCoverage, ...]
    last_run: LastRun | None
    files: tuple[ImportedFile, ...] = ()
    """Imported files by name."""


class DataSource(msgspec.Struct, frozen=True, kw_only=True):
    """An account or meter, and how newer data of it comes."""

    label: str
    to: date | None
    """Last stored day."""
    steps: str | None = None
    """What to do at the bank or distributor; null where the service brings newer data."""
    page: str | None = None
    """Where the steps of this bank or distributor were read; null where they are those of any."""
    read: date | None = None


class Status(Answer, frozen=True, kw_only=True):
    """Households, consents and how fresh the data is: what `status` answers."""

    households: tuple[HouseholdStatus, ...]
    problems: tuple[Problem, ...] = ()
    """Records that could not be read, and consents that have ended."""
