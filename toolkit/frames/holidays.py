"""Public holidays of a frame's home: of the state named, else of the plans' network, else of the time zone."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from toolkit.analytics.energy.bills import Period
from toolkit.analytics.energy.intervals.prepare import names_holidays, public_holidays
from toolkit.analytics.energy.rates import Rates
from toolkit.errors import FrameError, InputWarning
from toolkit.tables.reference import places
from toolkit.tables.rows.plans import Plan


def holidays_for(
    plans: Sequence[Plan],
    rates: Iterable[Rates],
    period: Period,
    *,
    state: str | None,
    zone: str,
    holidays: Collection[date] | None = None,
) -> frozenset[date]:
    """Return the days that count as public holidays in the years of a period, where a plan's windows name them.

    holidays: the days themselves, in place of the state's.
    """
    checked = checked_state(state)
    if holidays is not None:
        return frozenset(holidays)
    if not any(map(names_holidays, rates)):
        return frozenset()
    networks = {name for plan in plans for name in plan.distributors}
    return public_holidays(checked or state_of(networks, zone), range(period.first.year, period.last.year + 1))


def checked_state(state: str | None) -> str | None:
    """Return a state in capitals. Raises FrameError where it is none of Australia's."""
    if state is not None and state.upper() not in places.STATES:
        raise FrameError(f"state={state!r} is not one of {', '.join(places.STATES)}.")
    return state.upper() if state else None


def state_of(networks: Collection[str], zone: str) -> str | None:
    """Return the state that the networks are in, else that of the time zone, with a warning."""
    states = {
        state
        for state, own in places.networks_by_state().items()
        for network in networks
        if any(places.same_network(network, name) for name in own)
    }
    if len(states) == 1:
        return states.pop()
    state = places.state_of_zone(zone)
    assumed = f"those of {state}, by the time zone {zone}" if state else "the national ones"
    warnings.warn(f'Public holidays are {assumed}. Pass state="VIC" (or another state).', InputWarning, stacklevel=5)
    return state
