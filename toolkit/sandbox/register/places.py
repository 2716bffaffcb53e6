"""Retailers (invented), and the networks that their plans are for with some of the postcodes they supply."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retailer:
    """slug: its place in the register. brands: (brand, name), of which a register entry may hold several."""

    slug: str
    prefix: str
    brands: tuple[tuple[str, str], ...]


RETAILERS = (
    Retailer("lyrebird", "LYR", (("lyrebird", "Lyrebird Energy"),)),
    Retailer("quoll", "QUO", (("quoll", "Quoll Power & Gas"),)),
    Retailer("bilby", "BIL", (("bilby", "Bilby Electric"),)),
    Retailer("banksia", "BAN", (("banksia", "Banksia Energy"), ("banksia-direct", "Banksia Direct"))),
    Retailer("bandicoot", "BDC", (("bandicoot", "Bandicoot Power"),)),
    Retailer("cassowary", "CAS", (("cassowary", "Cassowary Electricity"),)),
    Retailer("dugong", "DUG", (("dugong", "Dugong Energy"),)),
    Retailer("galah", "GLH", (("galah", "Galah Gas & Power"),)),
    Retailer("jarrah", "JAR", (("jarrah", "Jarrah Retail"),)),
    Retailer("mulga", "MUL", (("mulga", "Mulga Energy"),)),
    Retailer("numbat", "NUM", (("numbat", "Numbat Power"),)),
    Retailer("potoroo", "POT", (("potoroo", "Potoroo Energy"),)),
    Retailer("waratah", "WAR", (("waratah", "Waratah Community Energy"),)),
    Retailer("yabby", "YAB", (("yabby", "Yabby Electric"),)),
)


@dataclass(frozen=True, slots=True)
class Network:
    """level: its prices against the dearest's."""

    name: str
    state: str
    postcodes: tuple[str, ...]
    level: float


ELECTRICITY = (
    Network("Ausgrid", "NSW", ("2000", "2010", "2042", "2204", "2260", "2300"), 0.90),
    Network("Endeavour", "NSW", ("2145", "2150", "2170", "2500", "2750"), 0.92),
    Network("Essential Energy", "NSW", ("2260", "2350", "2480", "2640", "2830"), 1.0),
    Network("Evoenergy", "ACT", ("2600", "2612", "2617", "2913"), 0.84),
    Network("Energex", "QLD", ("4000", "4032", "4101", "4215", "4305"), 0.88),
    Network("Ergon Energy", "QLD", ("4350", "4670", "4740", "4870"), 0.91),
    Network("SA Power Networks", "SA", ("5000", "5045", "5108", "5290"), 1.0),
    Network("TasNetworks", "TAS", ("7000", "7005", "7250", "7320"), 0.80),
    Network("CitiPower", "VIC", ("3000", "3011", "3056", "3121"), 0.78),
    Network("Powercor", "VIC", ("3011", "3030", "3215", "3350"), 0.80),
    Network("Jemena", "VIC", ("3011", "3044", "3056", "3073"), 0.79),
    Network("United Energy", "VIC", ("3121", "3162", "3199", "3910"), 0.77),
    Network("AusNet Services", "VIC", ("3073", "3134", "3690", "3825"), 0.86),
)
"""A postcode may belong to several."""

GAS = (
    Network("Jemena Gas Networks", "NSW", ("2000", "2150", "2204", "2300"), 1.0),
    Network("Multinet Gas", "VIC", ("3121", "3162", "3199"), 0.82),
    Network("Australian Gas Networks", "SA", ("5000", "5045", "5108", "3030"), 1.0),
    Network("AusNet Gas", "VIC", ("3011", "3030", "3350"), 0.80),
    Network("Evoenergy Gas", "ACT", ("2600", "2612", "2617"), 0.93),
)
