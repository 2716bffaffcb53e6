"""What all records share. Strings are open and everything is optional but ids, because the service states neither."""

from __future__ import annotations

from decimal import Decimal

from msgspec import Struct

Number = Decimal
"""A JSON number, kept exactly as written: 0.10 stays 0.10."""


class Wire(Struct, omit_defaults=True, gc=False):
    """An object on the wire; unknown fields are passed over here and kept in the raw record."""


class EndUserRecord(Wire, kw_only=True):
    """A record of an end user. The consumer data standard's own records carry none of these three."""

    platform_id: str | None = None
    arrangement_id: str | None = None
    institution_id: str | None = None


class SimpleAddress(Wire):
    address_line1: str | None = None
    address_line2: str | None = None
    address_line3: str | None = None
    city: str | None = None
    country: str | None = None
    mailing_name: str | None = None
    postcode: str | None = None
    state: str | None = None


class PafAddress(Wire):
    """Australia Post's postal address file."""

    building_name_1: str | None = None
    building_name_2: str | None = None
    dpid: str | None = None
    flat_unit_number: str | None = None
    flat_unit_type: str | None = None
    floor_level_number: str | None = None
    floor_level_type: str | None = None
    locality_name: str | None = None
    lot_number: str | None = None
    postal_delivery_number: int | None = None
    postal_delivery_number_prefix: str | None = None
    postal_delivery_number_suffix: str | None = None
    postal_delivery_type: str | None = None
    postcode: str | None = None
    state: str | None = None
    street_name: str | None = None
    street_suffix: str | None = None
    street_type: str | None = None
    thoroughfare_number1: int | None = None
    thoroughfare_number1_suffix: str | None = None
    thoroughfare_number2: int | None = None
    thoroughfare_number2_suffix: str | None = None


class Address(Wire):
    address_u_type: str | None = None
    simple: SimpleAddress | None = None
    paf: PafAddress | None = None
