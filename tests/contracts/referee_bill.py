"""The referee: section 4 of the contracts priced interval by interval with whole fractions, slow and plain.

Independent of the toolkit's engine on purpose: it reads the raw plan JSON itself, takes no import of the toolkit and
shares no method (no grids, no prefix sums, no band arrays).
"""

from __future__ import annotations

from calendar import monthrange
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

from tests.contracts.referee_length import periods_in
from tests.contracts.referee_meter import Read, Site, local
from tests.contracts.referee_plan import Band, Block, Demand, TariffPeriod
from tests.contracts.referee_terms import Controlled, Discount, FeedIn, Terms, read_terms

GST = Fraction(11, 10)
NANO = 10**9
FREE = Fraction(5, 10_000)


@dataclass
class Line:
    component: str
    label: str
    quantity: Fraction
    price: Fraction
    gst: str
    cents: int


@dataclass
class Answer:
    """unpriced: energy in 10^-9 kWh (MJ) that no price covers, by what it is and its day."""

    lines: list[Line]
    unpriced: dict[str, int]
    refused: list[str]

    @property
    def components(self) -> dict[str, int]:
        sums: dict[str, int] = defaultdict(int)
        for line in self.lines:
            sums[line.component] += line.cents
        return dict(sums)

    @property
    def total(self) -> int:
        return sum(line.cents for line in self.lines)

    @property
    def gst(self) -> int:
        return sum(half_away(Fraction(line.cents, 11)) for line in self.lines if line.gst != "none")


def half_away(value: Fraction) -> int:
    whole = int(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def line_of(component: str, label: str, quantity: Fraction, price: Fraction, gst: str) -> Line:
    dollars = quantity * price * (GST if gst == "added" else 1)
    return Line(component, label, quantity, price, gst, half_away(dollars * 100))


def referee(
    plan: Mapping[str, Any],
    fuel: str,
    site: Site,
    periods: Sequence[tuple[date, date]],
    *,
    blocks: str = "pooled",
    discounts: str = "guaranteed",
    feed_in: str | None = None,
    on: date | None = None,
) -> Answer | None:
    terms = read_terms(plan, fuel, feed_in, on)
    if terms is None:
        return None
    answer = Answer([], defaultdict(int), terms.refused)
    for first, last in periods:
        bill = Bill(terms, site, days_between(first, last), blocks, discounts, answer.unpriced)
        answer.lines += bill.lines()
    return answer


def days_between(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


@dataclass
class Bill:
    """One billing period."""

    terms: Terms
    site: Site
    days: list[date]
    blocks: str
    discounts: str
    unpriced: dict[str, int]
    used: dict[tuple[str, int], Fraction] = field(default_factory=dict)

    def lines(self) -> list[Line]:
        out = self.supply() + self.usage() + self.demand() + self.controlled() + self.export()
        return out + self.recurring() + self.discount(out)

    # Which tariff period holds a day (pricing rule 5)

    def period_on(self, day: date) -> int | None:
        energy = [n for n, period in enumerate(self.terms.periods) if period.energetic]
        return next((n for n in energy if self.terms.periods[n].season.holds(day)), None)

    def days_of(self, index: int) -> list[date]:
        return [day for day in self.days if self.period_on(day) == index]

    def supply(self) -> list[Line]:
        out = []
        for index, period in enumerate(self.terms.periods):
            days, price = self.days_of(index), self.daily(period)
            if days and price is not None:
                out.append(line_of("supply", period.label, Fraction(len(days)), price, "added"))
        return out

    def daily(self, period: TariffPeriod) -> Fraction | None:
        if not period.supply_bands:
            return period.supply
        left = self.yearly()
        for band in period.supply_bands:
            if band.width is None or left <= band.width:
                return band.price
            left -= band.width
        return None

    def yearly(self) -> Fraction:
        """Import of the 365 days up to the bill's last, scaled up where fewer were read."""
        if self.site.yearly is not None:
            return self.site.yearly
        last = self.days[-1]
        by_day: dict[date, int] = defaultdict(int)
        for register in ("general", "controlled"):
            for read in self.stream(register, self.terms.clock):
                if last - timedelta(365) < read.day <= last and read.interval.nano is not None:
                    by_day[read.day] += read.interval.nano
        return Fraction(sum(by_day.values()), NANO) * 365 / len(by_day) if by_day else Fraction()

    # Usage (rules 4, 6, 8)

    def usage(self) -> list[Line]:
        out = []
        for index, period in enumerate(self.terms.periods):
            if not period.energetic:
                continue
            days = set(self.days_of(index))
            stream = self.stream("general", period.clock) + self.loose(period.clock)
            sorted_in = self.sort(period.bands, stream, days, "usage")
            out += self.energy("usage", period.bands, sorted_in, sorted(days), credit=False)
        for day, nano in self.outside():
            self.unpriced[f"usage {day}"] += nano
        return out

    def outside(self) -> list[tuple[date, int]]:
        """Energy on days without a tariff period."""
        bare = {day for day in self.days if self.period_on(day) is None}
        reads = self.stream("general", self.terms.clock) + self.loose(self.terms.clock)
        return [(read.day, read.interval.nano) for read in reads if read.day in bare and read.interval.nano]

    def stream(self, register: str, clock: str) -> list[Read]:
        return self.site.at(register, clock, self.terms.clock)

    def loose(self, clock: str) -> list[Read]:
        """Controlled load that no published controlled load prices is usage (pricing rule 8)."""
        reads = self.stream("controlled", clock)
        priced = {day for day in {read.day for read in reads} if self.controlled_on(day) is not None}
        return [read for read in reads if read.day not in priced]

    def controlled_on(self, day: date) -> int | None:
        return next((n for n, each in enumerate(self.terms.controlled) if each.season.holds(day)), None)

    def sort(
        self, bands: list[Band], stream: Iterable[Read], days: Collection[date], what: str
    ) -> list[dict[date, int]]:
        """Energy per band and day."""
        found: dict[tuple[int, int, bool], int | None] = {}
        energy: list[dict[date, int]] = [defaultdict(int) for _ in bands]
        for day, own, minute, interval in stream:
            if day not in days or interval.nano is None:
                continue
            key = (own.weekday(), minute, own in self.site.holidays)
            if key not in found:
                found[key] = band_at(bands, *key)
            band = found[key]
            if band is None:
                self.unpriced[f"{what} {day}"] += interval.nano
            else:
                energy[band][day] += interval.nano
        return energy

    def energy(
        self, component: str, bands: list[Band], energy: list[dict[date, int]], days: list[date], *, credit: bool
    ) -> list[Line]:
        out = []
        for band, by_day in zip(bands, energy, strict=True):
            kwh = {day: Fraction(nano, NANO) for day, nano in by_day.items()}
            for block, quantity in zip(band.blocks, self.fill(band.blocks, kwh, days), strict=True):
                gst = "none" if credit else "included" if block.taxed else "added"
                line = line_of(component, band.label, quantity, -block.price if credit else block.price, gst)
                if quantity:
                    out.append(line)
        return out

    def fill(self, blocks: list[Block], energy: dict[date, Fraction], days: list[date]) -> list[Fraction]:
        """Energy in each block; those as far as the last free allowance start afresh each day (under `daily` all)."""
        filled = [Fraction() for _ in blocks]
        left = dict(energy)
        free = max((n for n, block in enumerate(blocks[:-1]) if block.width and block.price <= FREE), default=-1)
        for n, block in enumerate(blocks):
            width = block.width if n < len(blocks) - 1 else None
            share = periods_in(days, block.period)
            if width is None or share is None:
                filled[n] += sum(left.values(), Fraction())
                return filled
            if block.period == "P1D" and (self.blocks == "daily" or n <= free):
                filled[n], left = self.day_by_day(width, left)
            else:
                filled[n], left = in_turn(width * share, left)
        return filled

    @staticmethod
    def day_by_day(width: Fraction, left: dict[date, Fraction]) -> tuple[Fraction, dict[date, Fraction]]:
        taken = {day: min(width, energy) for day, energy in left.items()}
        return sum(taken.values(), Fraction()), {day: energy - taken[day] for day, energy in left.items()}

    # Demand (pricing rule 7)

    def demand(self) -> list[Line]:
        out = []
        for index, period in enumerate(self.terms.periods):
            days = self.days_of(index) if period.energetic else [day for day in self.days if period.season.holds(day)]
            for charge in period.demand:
                months = self.months(charge, period.clock, days)
                cents = sum((kw * charge.amount * share for kw, share in months), Fraction())
                if days:
                    out.append(line_of("demand", charge.label, Fraction(1), cents, "added"))
        return out

    def months(self, charge: Demand, clock: str, days: list[date]) -> list[tuple[Fraction, Fraction]]:
        """Chargeable kW, and what the amount is multiplied by, for each calendar month."""
        out = []
        for year, month in sorted({(day.year, day.month) for day in days}):
            here = {day for day in days if (day.year, day.month) == (year, month)}
            highest = self.highest(charge, clock, here)
            if highest is None:
                continue
            kw = max(highest, charge.least)
            kw = kw if charge.most is None else min(kw, charge.most)
            share = Fraction(len(here), monthrange(year, month)[1] if charge.amount > 2 else 1)
            out.append((kw, share))
        return out

    def highest(self, charge: Demand, clock: str, days: Collection[date]) -> Fraction | None:
        """The highest kW in the window; 0 where it never opens, None where it does and no half hour was read."""
        # a half hour with a gap has no half-hour mean
        read = [
            Fraction(nano, NANO) * 60 / minutes
            for half, (nano, minutes) in self.site.halves.items()
            if minutes >= 30 and self.in_window(charge, clock, days, half)
        ]
        if read:
            return max(read)
        first, last = ((day - date(1970, 1, 1)).days * 48 for day in (min(days), max(days)))
        around = range(first - 48, last + 96)  # time zones are less than a day apart
        return None if any(self.in_window(charge, clock, days, half) for half in around) else Fraction()

    def in_window(self, charge: Demand, clock: str, days: Collection[date], half: int) -> bool:
        """Whether a half hour since 1970 lies in the charge's window, on one of the days."""
        day, _ = local(half * 30, self.terms.clock, self.site.zone)
        own, minute = local(half * 30, clock, self.site.zone)
        return day in days and charge.window.holds(own.weekday(), minute, holiday=own in self.site.holidays)

    # Controlled load (pricing rule 8), feed-in (pricing rule 9)

    def controlled(self) -> list[Line]:
        if not self.site.has_controlled:
            return []
        out = []
        for index, tariff in enumerate(self.terms.controlled):
            days = [day for day in self.days if self.controlled_on(day) == index]
            out += self.controlled_lines(tariff, days)
        return out

    def controlled_lines(self, tariff: Controlled, days: list[date]) -> list[Line]:
        sorted_in = self.sort(tariff.bands, self.stream("controlled", self.terms.other_clock), set(days), "controlled")
        out = self.energy("controlled_load", tariff.bands, sorted_in, days, credit=False)
        if tariff.supply is not None and days:
            out.append(line_of("controlled_load", "supply", Fraction(len(days)), tariff.supply, "added"))
        return out

    def export(self) -> list[Line]:
        choice_of = cache(partial(chosen, self.terms.feed_in))
        by_choice: dict[tuple[int, ...], list[date]] = defaultdict(list)
        for day in self.days:
            in_force = tuple(n for n, each in enumerate(self.terms.feed_in) if each.season.holds(day))
            by_choice[choice_of(in_force)].append(day)
        out = []
        for choice, days in by_choice.items():
            if choice:
                bands = together([self.terms.feed_in[n] for n in choice])
                sorted_in = self.sort(bands, self.stream("export", self.terms.other_clock), set(days), "export")
                out += self.energy("feed_in", bands, sorted_in, days, credit=True)
        return out

    # What comes again, and discounts (rules 10, 11)

    def recurring(self) -> list[Line]:
        out = []
        for component, period, amount, gst in self.terms.recurring:
            share = periods_in(self.days, period)
            if share is not None:
                out.append(line_of(component, period, share, amount, gst))
        return out

    def discount(self, lines: list[Line]) -> list[Line]:
        rates: dict[str, Fraction] = defaultdict(Fraction)
        out = []
        for each in self.terms.discounts:
            if self.discounts == "none" or not (each.guaranteed or self.discounts == "all"):
                continue
            share = Fraction(sum(each.season.holds(day) for day in self.days), len(self.days))
            if each.method == "percent_over_threshold":
                out.append(self.over_threshold(each, lines, share))
            else:
                rates[each.method] += each.rate * share
        for method, rate in rates.items():
            out.append(line_of("discount", method, rate, -base(lines, method), "included"))
        return [line for line in out if line.cents]

    def over_threshold(self, discount: Discount, lines: list[Line], share: Fraction) -> Line:
        """Of the usage beyond the threshold, at what a kWh costs on average."""
        quantity = sum((line.quantity for line in lines if line.component == "usage"), Fraction())
        beyond = max(quantity - discount.threshold, Fraction()) / quantity if quantity else Fraction()
        rate = discount.rate * share * beyond
        return line_of("discount", discount.method, rate, -base(lines, discount.method), "included")


BASES = {
    "percent_of_bill": {"supply", "usage", "controlled_load", "demand"},
    "percent_of_use": {"usage", "controlled_load"},
    "percent_over_threshold": {"usage"},
}


def base(lines: list[Line], method: str) -> Fraction:
    """Dollars with GST that a percentage is taken of."""
    return sum((Fraction(line.cents, 100) for line in lines if line.component in BASES[method]), Fraction())


def in_turn(width: Fraction, left: dict[date, Fraction]) -> tuple[Fraction, dict[date, Fraction]]:
    """A block shared by all days takes what comes first."""
    room, rest = width, {}
    for day in sorted(left):
        taken = min(room, left[day])
        room -= taken
        rest[day] = left[day] - taken
    return width - room, rest


def band_at(bands: list[Band], weekday: int, minute: int, holiday: bool) -> int | None:
    """The band whose window holds the minute: fewest minutes a day first, then listed order (pricing rule 4)."""
    best: tuple[int, int] | None = None
    for n, band in enumerate(bands):
        if band.windows is None:
            return n
        for window in band.windows:
            if window.holds(weekday, minute, holiday=holiday) and (best is None or window.minutes < best[0]):
                best = (window.minutes, n)
    return best[1] if best else None


def chosen(entries: list[FeedIn], in_force: tuple[int, ...]) -> tuple[int, ...]:
    """Which feed-in entries apply together (pricing rule 9)."""
    if not in_force:
        return ()
    first = entries[in_force[0]]
    kin = [n for n in in_force if entries[n].single == first.single]
    if first.single:
        steps = all(entries[n].width_on_last for n in kin[:-1])
        return tuple(kin) if steps else (in_force[0],)
    fitting: list[int] = []  # where some of one name overlap: those that fit the first and each other
    for n in (n for n in kin if entries[n].name == first.name):
        if not any(overlapping(entries[m], entries[n]) for m in fitting):
            fitting.append(n)
    return tuple(fitting)


def overlapping(one: FeedIn, other: FeedIn) -> bool:
    """Whether both hold one moment of a week, public holidays in it or not."""
    moments = product(range(7), range(1440), (False, True))
    return any(holds(one, *moment) and holds(other, *moment) for moment in moments)


def holds(entry: FeedIn, day: int, minute: int, holiday: bool) -> bool:
    return any(
        band.windows is None or any(window.holds(day, minute, holiday=holiday) for window in band.windows)
        for band in entry.bands
    )


def together(entries: list[FeedIn]) -> list[Band]:
    if not entries[0].single:
        return [band for entry in entries for band in entry.bands]
    period = entries[0].bands[0].blocks[0].period  # the contract is silent on steps per different periods
    steps = [replace(block, period=period) for entry in entries for block in entry.bands[0].blocks]
    return [Band(entries[0].name, steps)]
