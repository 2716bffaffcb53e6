"""Retailers of the public plan register, by the last part of their address there."""

from __future__ import annotations

from functools import cache

from toolkit.tables.reference.packaged import PackagedTable, packaged


class _Retailers(PackagedTable, frozen=True):
    brands: dict[str, str]


@cache
def known_retailers() -> dict[str, str]:
    """Return code → brand. Brands come and go: other codes than these can be requested as well."""
    return packaged("retailers", _Retailers).brands


def retailer_code(name: str) -> str:
    """Return the code of a code or brand, whatever its case; another name becomes a code of its own."""
    wanted = " ".join(name.split()).casefold()
    by_brand = {brand.casefold(): code for code, brand in known_retailers().items()}
    return by_brand.get(wanted, wanted.replace(" ", "-"))
