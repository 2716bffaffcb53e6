"""A second pricing engine: slow, interval by interval, in decimals, from the plan's JSON straight to amounts.

It shares no code with the toolkit's: where both agree, the rules of docs/pricing-rules.md were read alike twice.
Plans are taken in the service's shape (snake_case), in dollars or cents, with dates as month-day or full dates.
A month-day date that ends on 28 February reaches to the 29th; none begins on the 29th.
"""

from __future__ import annotations

import calendar
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from zoneinfo import ZoneInfo

DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
AEST = timezone(timedelta(hours=10))


@dataclass(frozen=True)
class Read:
    """One interval. role: general, controlled or export. kwh None is flagged missing."""

    start: datetime
    minutes: int
    role: str
    kwh: Decimal | None


@dataclass
class Home:
    reads: list[Read]
    zone: str = "Australia/Sydney"
    holidays: frozenset[date] = frozenset()
    blocks: str = "pooled"
    discounts: str = "guaranteed"
    amounts: list[tuple[str, Decimal]] = field(default_factory=list)
    unpriced: Decimal = Decimal(0)


def price(contract: dict, home: Home, periods: list[tuple[date, date]], metering: list[dict] = ()) -> Home:
    """Fills `home.amounts` with (component, AUD to the cent), zero-energy lines left out."""
    clock = ZoneInfo(home.zone) if contract.get("time_zone") == "LOCAL" else AEST
    cents = highest_price(contract) > 3
    by_day = defaultdict(list)
    for read in home.reads:
        local = read.start.astimezone(clock)
        by_day[local.date()].append((local, read))
    for first, last in periods:
        days = [first + timedelta(n) for n in range((last - first).days + 1)]
        scale = Fraction(1, 100) if cents else Fraction(1)
        bill_period(Scene(contract, home, days, {day: by_day[day] for day in days}, scale), metering)
    return home


def highest_price(contract):
    rates = []
    for period in contract["tariff_period"]:
        holders = [period["single_rate"]] if period.get("single_rate") else period.get("time_of_use_rates") or []
        rates += [Decimal(str(r["unit_price"])) for h in holders for r in h["rates"]]
    return max(rates, default=Decimal(0))


@dataclass(frozen=True)
class Scene:
    """One billing period: its days, the reads of each, and AUD per written price."""

    contract: dict
    home: Home
    days: list[date]
    reads: dict[date, list]
    scale: Fraction

    @property
    def loads(self) -> list[dict]:
        return self.contract.get("controlled_load") or []

    @property
    def energy_periods(self) -> list[dict]:
        return [p for p in self.contract["tariff_period"] if p.get("single_rate") or p.get("time_of_use_rates")]

    def own_days(self, tariffs, number):
        """The days on which that tariff is the first to hold."""
        return [d for d in self.days if next((m for m, t in enumerate(tariffs) if holds(t, d)), None) == number]

    def is_usage(self, role, day):
        return role == "general" or (role == "controlled" and not any(holds(load, day) for load in self.loads))


def bill_period(scene: Scene, metering) -> None:
    charged = [*supplies(scene), *usages(scene), *demands(scene), *controlled(scene)]
    others = [*recurring(scene, metering), *discounts(scene, charged), *feed_in(scene)]
    scene.home.amounts += charged + others


def supplies(scene):
    for n, period in enumerate(scene.energy_periods):
        days = scene.own_days(scene.energy_periods, n)
        if days:
            daily = Fraction(period["daily_supply_charge"]) * scene.scale
            yield "supply", dollars(daily * len(days) * Fraction(11, 10))


def usages(scene):
    for n, period in enumerate(scene.energy_periods):
        days = scene.own_days(scene.energy_periods, n)
        yield from energy_charges("usage", period, days, scene.is_usage, scene, ("P1D", "P1M"))
    for day in scene.days:
        if not any(holds(p, day) for p in scene.energy_periods):
            scene.home.unpriced += sum(r.kwh or 0 for _, r in scene.reads[day] if scene.is_usage(r.role, day))


def demands(scene):
    for period in scene.contract["tariff_period"]:
        for charge in period.get("demand_charges") or []:
            amount = demand(charge, [d for d in scene.days if holds(period, d)], scene)
            if amount is not None:
                yield "demand", amount


def controlled(scene):
    if not any(read.role == "controlled" for read in scene.home.reads):
        return
    for n, load in enumerate(scene.loads):
        days = scene.own_days(scene.loads, n)
        yield from energy_charges(
            "controlled_load", load, days, lambda role, _: role == "controlled", scene, ("P1M", "P1M")
        )
        holders = [load["single_rate"]] if load.get("single_rate") else load["time_of_use_rates"]
        daily = next((Fraction(h["daily_supply_charge"]) for h in holders if h.get("daily_supply_charge")), 0)
        if daily and days:
            yield "controlled_load", dollars(daily * scene.scale * len(days) * Fraction(11, 10))


FEE_PERIODS = {"ANNUAL": "P1Y", "FIXED": "P1Y", "MONTHLY": "P1M", "WEEKLY": "P1W", "DAILY": "P1D"}


def recurring(scene, metering):
    for fee in scene.contract.get("fees") or []:
        if fee["term"] != "FIXED" or fee["type"] == "MEMBERSHIP":
            yield "fee", dollars(Fraction(fee["amount"]) * periods_in(FEE_PERIODS[fee["term"]], scene.days))
    for charge in metering:
        each = Fraction(charge["minimum_value"]) * scene.scale
        yield "metering", dollars(each * periods_in(charge["period"], scene.days) * Fraction(11, 10))


def energy_charges(component, tariff, days, counted, scene, defaults):
    """Amounts per band and block of one tariff over its days. defaults: block period of single and varying rates."""
    if not days:
        return []
    reads, home = scene.reads, scene.home
    single = tariff.get("single_rate")
    bands = [single] if single else tariff["time_of_use_rates"]
    default = defaults[0] if single else defaults[1]
    used = [defaultdict(Fraction) for _ in bands]
    for day in days:
        for local, read in reads[day]:
            if read.kwh is None or not counted(read.role, day):
                continue
            band = 0 if single else band_of(bands, local, home, "time_of_use")
            if band is None:
                home.unpriced += read.kwh
            else:
                used[band][day] += Fraction(read.kwh)
    out = []
    for band, by_day in zip(bands, used, strict=True):
        for energy, price in blocks(band, by_day, days, scene, default):
            if energy:
                out.append((component, dollars(energy * price * Fraction(11, 10))))
    return out


def blocks(band, by_day, days, scene, default):
    """(energy, AUD per kWh) of each block."""
    rates = [(Fraction(str(r["unit_price"])) * scene.scale, Fraction(str(r.get("volume") or 0))) for r in band["rates"]]
    rates[-1] = (rates[-1][0], Fraction(0))
    period = band.get("period") or default
    totals = [Fraction(0)] * len(rates)
    finite_free = [n for n, (price, width) in enumerate(rates) if width and price <= Fraction("0.0005")]
    if period != "P1D":
        fresh = 0
    elif scene.home.blocks == "daily":
        fresh = len(rates)
    else:
        fresh = max(finite_free) + 1 if finite_free else 0
    rest = Fraction(0)
    for day in days:
        left = by_day.get(day, Fraction(0))
        for n in range(fresh):
            width = rates[n][1]
            taken = min(left, width) if width else left
            totals[n] += taken
            left -= taken
        rest += left
    for n in range(fresh, len(rates)):
        width = rates[n][1] * periods_in(period, days)
        taken = min(rest, width) if rates[n][1] else rest
        totals[n] += taken
        rest -= taken
    return [(energy, price) for energy, (price, _) in zip(totals, rates, strict=True)]


def periods_in(period, days):
    """How many such durations the days are."""
    number, unit = int(period[1:-1]), period[-1]
    if unit == "M":
        return sum(Fraction(1, calendar.monthrange(d.year, d.month)[1]) for d in days) / number
    return Fraction(len(days), number * {"D": 1, "W": 7, "Y": 365}[unit])


def holds(entry, day):
    first, last = entry.get("start_date"), entry.get("end_date")
    if first is None and last is None:
        return True
    if len(first or last) == 10:
        return (first is None or date.fromisoformat(first) <= day) and (last is None or day <= date.fromisoformat(last))
    first, last = first or "01-01", last or "12-31"
    if (day.month, day.day) == (2, 29) and "02-29" not in (first, last):
        day = day.replace(day=28)
    text = f"{day:%m-%d}"
    return first <= text <= last if first <= last else (text >= first or text <= last)


def band_of(bands, local, home, key):
    """Index of the band of the shortest window that holds the minute; the first listed among equals."""
    best = None
    for n, band in enumerate(bands):
        for window in band[key]:
            length = contains(window, local, home)
            if length and (best is None or length < best[0]):
                best = (length, n)
    return None if best is None else best[1]


def contains(window, local, home):
    """Minutes a day of the window where it holds the moment, else 0."""
    start, end = minutes(window["start_time"]), minutes(window["end_time"])
    if end % 60 == 59:
        end += 1
    if end == 0:
        end = 1440
    now = local.hour * 60 + local.minute
    inside = start <= now < end if start < end else (now >= start or now < end)
    return (end - start) % 1440 or 1440 if inside and on_day(window.get("days"), local, home) else 0


def on_day(names, local, home):
    if not names:
        return True
    if names == ["PUBLIC_HOLIDAYS"]:
        return local.date() in home.holidays
    if "BUSINESS_DAYS" in names and local.weekday() < 5:
        return True
    return DAYS[local.weekday()] in names


def minutes(text):
    text = text.removeprefix("T")
    if ":" in text:
        hour, minute = text.split(":")[:2]
        return int(hour) * 60 + int(minute)
    return int(text) // 100 * 60 + int(text) % 100


def demand(charge, days, scene):
    """The amount of a demand charge; None where it has no window or no days."""
    no_window = minutes(charge["start_time"]) == minutes(charge["end_time"]) == 0 and not charge.get("days")
    if not days or no_window:
        return None
    reads, home = scene.reads, scene.home
    price = Fraction(charge["amount"]) * scene.scale
    total = Fraction(0)
    for month in sorted({(d.year, d.month) for d in days}):
        own = [d for d in days if (d.year, d.month) == month]
        halves = defaultdict(lambda: [Fraction(0), 0, None])
        for day in own:
            for local, read in reads[day]:
                if read.role == "general" and read.kwh is not None:
                    key = int(read.start.timestamp()) // 1800
                    half = halves[key]
                    half[0] += Fraction(read.kwh)
                    half[1] += read.minutes
                    half[2] = min(half[2], local) if half[2] else local
        whole = [(kwh * 2, at) for kwh, minutes_read, at in halves.values() if minutes_read == 30]
        inside = [kw for kw, at in whole if contains(charge, at, home)]
        possible = any(
            contains(charge, datetime.combine(day, time(n // 2, n % 2 * 30)), home) for day in own for n in range(48)
        )
        if not inside and possible:
            continue
        kw = max(inside, default=Fraction(0))
        if charge.get("min_demand"):
            kw = max(kw, Fraction(charge["min_demand"]))
        if charge.get("max_demand"):
            kw = min(kw, Fraction(charge["max_demand"]))
        share = Fraction(len(own), calendar.monthrange(*month)[1]) if price > 2 else len(own)
        total += kw * share
    return dollars(total * price * Fraction(11, 10))


def feed_in(scene):
    """Credits of what is in force each day: the first tariff; entries with a width join the next single rate."""
    entries = scene.contract.get("solar_feed_in_tariff") or []
    open_to_all = [e for e in entries if e.get("payer_type") != "GOVERNMENT" and e.get("scheme") != "PREMIUM"]
    days_of = defaultdict(list)
    for day in scene.days:
        days_of[used_together([(n, e) for n, e in enumerate(open_to_all) if holds(e, day)])].append(day)
    for used, days in days_of.items():
        if used:
            yield from feed_in_credits([open_to_all[n] for n in used], days, scene)


def used_together(in_force):
    """Which of the numbered entries make up one tariff: the first, or all single rates where they are steps."""
    if not in_force or not in_force[0][1].get("single_tariff"):
        return tuple(n for n, _ in in_force[:1])
    singles = [(n, e["single_tariff"]) for n, e in in_force if e.get("single_tariff")]
    stepped = all(rate.get("volume") for _, single in singles[:-1] for rate in single["rates"])
    return tuple(n for n, _ in (singles if stepped else singles[:1]))


def feed_in_credits(entries, days, scene):
    reads, home = scene.reads, scene.home
    first = entries[0]
    if first.get("single_tariff"):
        rates = [rate for entry in entries for rate in entry["single_tariff"]["rates"]]
        bands = [{"rates": rates, "period": first["single_tariff"].get("period")}]
    else:
        bands = first["time_varying_tariffs"]
    used = [defaultdict(Fraction) for _ in bands]
    for day in days:
        for local, read in reads[day]:
            if read.role == "export" and read.kwh is not None:
                band = 0 if first.get("single_tariff") else band_of(bands, local, home, "time_variations")
                if band is None:
                    home.unpriced += read.kwh
                else:
                    used[band][day] += Fraction(read.kwh)
    out = []
    for band, by_day in zip(bands, used, strict=True):
        out += [("feed_in", dollars(-e * p)) for e, p in blocks(band, by_day, days, scene, "P1D") if e]
    return out


def discounts(scene, charged):
    if scene.home.discounts == "none":
        return
    offered = scene.contract.get("discounts") or []
    taken = [d for d in offered if scene.home.discounts == "all" or d["type"] == "GUARANTEED"]
    for key, names in (
        ("percent_of_bill", ("supply", "usage", "controlled_load", "demand")),
        ("percent_of_use", ("usage", "controlled_load")),
    ):
        share = sum(percentage(d[key]["rate"]) * days_share(d, scene.days) for d in taken if d.get(key))
        base = sum(Fraction(amount) for name, amount in charged if name in names)
        if share and base:
            yield "discount", dollars(-share * base)


def days_share(entry, days):
    return Fraction(sum(holds(entry, day) for day in days), len(days))


def percentage(text):
    rate = Fraction(text)
    return rate / 100 if rate >= 1 else rate


def dollars(exact: Fraction) -> Decimal:
    """To the cent, half away from zero."""
    with localcontext() as context:
        context.prec = 80
        value = Decimal(exact.numerator) / Decimal(exact.denominator)
        return value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
