"""Households, the people in them, their consents, and the institutions these are with."""

import datetime as dt

from toolkit.tables.schema.columns import JSON, Annotated, Household, Raw, TableRow, Unit, table_row


@table_row("households", key=("household_id",))
class HouseholdRow(TableRow, frozen=True):
    """Households, with the facts about the home that no file contains."""

    household_id: Household
    name: Annotated[str, "what people call it; unique"]
    postcode: Annotated[str | None, "postcode of the home"]
    state: Annotated[str | None, "state or territory, such as NSW"]
    network: Annotated[str | None, "electricity distribution network, such as Ausgrid"]
    timezone: Annotated[str | None, "IANA zone of the home; null: from state or postcode"]
    customer_type: Annotated[str | None, "residential or business"]
    panels_kw: Annotated[float | None, "rated size of the solar panels", Unit("kW")]
    plan_id: Annotated[str | None, "plan in force, as chosen by the person"]
    plan_since: Annotated[dt.date | None, "first day of that plan"]
    billing: Annotated[str | None, "how often it is billed for energy: monthly, two-monthly or quarterly"]
    embedded_network: Annotated[bool | None, "whether the building sells the power to the home"]
    other_plans: Annotated[str | None, "plan of the other fuel, and earlier ones: [{plan_id, since}, …]", JSON] = None
    note: Annotated[str | None, "the adviser's own words"] = None
    follow_up: Annotated[dt.date | None, "when the adviser looks at it again"] = None
    purpose: Annotated[str | None, "what the client agreed to; the service states none"] = None
    archived_on: Annotated[dt.date | None, "since when it is kept, but neither pulled nor on the desk"] = None
    arrays: Annotated[str | None, "arrays of panels: [[kW, azimuth, tilt], …], degrees; null where not known", JSON] = (
        None
    )
    inverter_kw: Annotated[float | None, "rated output of the inverter", Unit("kW")] = None
    battery_kwh: Annotated[float | None, "capacity of the battery; 0: there is none", Unit("kWh")] = None
    folder: Annotated[str | None, "folder of this computer that its files come from"] = None
    general_channels: Annotated[
        str | None,
        "[[service point, meter, suffix], …]: channels that may be controlled load and, as the person says, are not",
        JSON,
    ] = None


@table_row("end_users", key=("household_id", "end_user_id"))
class EndUserRow(TableRow, frozen=True):
    """People of a household as the service knows them."""

    household_id: Household
    end_user_id: Annotated[str, "identity at the service"]
    name: Annotated[str | None, "name given at creation"]
    email: Annotated[str | None, "address given at creation"]
    phone: Annotated[str | None, "telephone given at creation"]
    state: Annotated[str, "`connected`, `invited` or `ended`"]
    invite_url: Annotated[str | None, "open consent link of an invited person"]
    invite_expires_at: Annotated[dt.datetime | None, "when that link ends"]
    invited_at: Annotated[dt.datetime | None, "when the latest link was made; kept after it was used"] = None


@table_row("persons", key=("household_id", "name"))
class PersonRow(TableRow, frozen=True):
    """People of a household other than its end users, so that transfers in their names are recognised as
    internal."""

    household_id: Household
    name: Annotated[str, "name as their banks write it"]


@table_row("consents", key=("household_id", "arrangement_id"), resource="consents")
class ConsentRow(TableRow, frozen=True):
    """Consent arrangements: what may be read, from where, until when."""

    household_id: Household
    arrangement_id: Annotated[str, "identity of the arrangement"]
    consent_id: Annotated[str | None, "identity the consent flow ended with"]
    end_user_id: Annotated[str, "who agreed; empty where several people may have"]
    institution_id: Annotated[str | None, "with which institution"]
    state: Annotated[str, "`active`, `expired`, `revoked` or another word of the service"]
    termination_reason: Annotated[
        str | None,
        "why it ended, in the service's words; `no longer listed` or `no more records` if it gave no reason",
    ]
    granted_at: Annotated[dt.datetime | None, "when it was given"]
    ends_at: Annotated[dt.datetime | None, "when it ends by itself"]
    ended_at: Annotated[
        dt.datetime | None,
        "when it was seen to have ended; of one no longer listed, when it was last seen",
    ]
    renews: Annotated[str | None, "arrangement that the consent flow was to renew, until the flow's first records come"]
    raw: Annotated[
        str | None,
        "the record as the service listed it; null if it is known only from records or a consent flow",
    ]


@table_row("institutions", key=("institution_id",), resource="institutions")
class InstitutionRow(TableRow, frozen=True):
    """Banks and retailers as the service's directory gives them."""

    institution_id: Annotated[str, "identity in the directory"]
    name: Annotated[str | None, "display name"]
    industry: Annotated[str | None, "banking or energy"]
    is_accessible: Annotated[bool | None, "whether it can be connected now"]
    priority: Annotated[int | None, "order in lists, lowest first"]
    connection_status: Annotated[str | None, "HEALTHY, DEGRADED, OUTAGE or another word"]
    raw: Raw


TABLES = (
    HouseholdRow.table,
    EndUserRow.table,
    PersonRow.table,
    ConsentRow.table,
    InstitutionRow.table,
)
