"""Which retailers a register has: by its own list of brands, else by the one that comes with this code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote

from toolkit.errors import ConnectionFailedError, ServiceError
from toolkit.flows.household.context import Progress
from toolkit.flows.plans.retailer_sync import Source
from toolkit.tables.reference.retailers import RETAILERS, retailer_code
from toolkit.wire.plan_register import Brand

_A_PLACE = re.compile(r"[a-z0-9-]+")


def named_retailers(source: Source, names: Iterable[str]) -> list[str]:
    """Their places in the register, each once: by the built-in brands, else by the name in the register's own list.

    That list is only asked for a name that could not be a place.
    """
    codes = {name: retailer_code(name) for name in names}
    unknown = [name for name, code in codes.items() if not _A_PLACE.fullmatch(code)]
    listed = _by_name(source) if unknown else {}
    return list(dict.fromkeys(listed.get(" ".join(name.split()).casefold(), code) for name, code in codes.items()))


def _by_name(source: Source) -> dict[str, str]:
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError):
        return {}
    places = {" ".join(brand.brand_name.split()).casefold(): _place_of(brand, source.base_url) for brand in brands}
    return {name: place for name, place in places.items() if place}


def every_retailer(source: Source, progress: Progress) -> tuple[list[str], list[str]]:
    """The places of all retailers below the register's address, in order, and what to say about them.

    Brands whose plans stand elsewhere are not asked there: only the register is. Where there are such, or no list can
    be read, the built-in places are asked as well.
    """
    progress("reading the register's list of brands")
    built_in = sorted(RETAILERS)
    try:
        brands = source.brands()
    except (ServiceError, ConnectionFailedError) as error:
        return built_in, [f"The register's list of brands was not read; those known here were asked for. {error}"]
    places = [_place_of(brand, source.base_url) for brand in brands]
    here, elsewhere = {place for place in places if place}, places.count(None)
    if here and not elsewhere:
        return sorted(here), []
    said = f"Of the {len(places)} brands in the register's list {elsewhere} have their plans at another address"
    said += ", or at none that can be read; those known here were asked for as well."
    return sorted(here | set(built_in)), [said]


def _place_of(brand: Brand, base: str) -> str | None:
    """The last part of its address, where that is right below the register's."""
    root = base.rstrip("/").casefold() + "/"
    for address in (brand.product_base_uri, brand.public_base_uri):
        text = (address or "").strip().rstrip("/")
        place = text[len(root) :]
        if text.casefold().startswith(root) and place and not set(place) & set("/?#"):
            return unquote(place)
    return None
