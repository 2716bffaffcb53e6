"""Windows to the minute, whatever the reads' length: counted minute by minute, nothing lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.energy.whatif.homes import homes, net
from tests.many_cases import examples
from toolkit.analytics.energy.rates.model import Window
from toolkit.analytics.energy.whatif import Profile, minutes_of, moved, overlap, vehicle

NANO = 10**9
TO_A_READ = 2 * 96 * 3
"""10^-9 kWh: energy is rounded down in each interval."""

minutes = st.integers(0, 1439)
windows = st.builds(Window, minutes, minutes).filter(lambda window: window.start != window.end)


def holds(window: Window, minute: int) -> bool:
    at = minute % 1440
    if window.start < window.end:
        return window.start <= at < window.end
    return at >= window.start or at < window.end


def one_by_one(home: Profile, window: Window) -> list[int]:
    spans = zip(home.minute.tolist(), home.minutes.tolist(), strict=True)
    return [sum(holds(window, minute) for minute in range(start, start + length)) for start, length in spans]


@settings(max_examples=examples(25))
@given(homes, windows)
def test_the_minutes_of_an_interval_in_a_window(home: Profile, window: Window):
    assert overlap(home, minutes_of(window)).tolist() == one_by_one(home, window)
    assert int(minutes_of(window).sum()) == window.minutes


@settings(max_examples=examples(40))
@given(homes, st.floats(0.01, 1.0), windows, windows)
def test_load_moves_between_any_windows_and_none_is_lost(home: Profile, share: float, window: Window, to: Window):
    done = moved(home, share, window, to)
    within, into = np.array(one_by_one(home, window)), np.array(one_by_one(home, to))
    assert net(done.profile) == net(home)
    assert (done.away <= home.bought * (within / home.minutes) * share + 1).all()
    assert (done.profile.bought >= 0).all()
    assert not (done.profile.bought > home.bought)[into == 0].any()
    shed = moved(home, share, window, None)
    assert net(home) - net(shed.profile) == shed.away.sum()
    assert abs(float(shed.away.sum()) - float((home.bought * within / home.minutes).sum()) * share) <= TO_A_READ


@settings(max_examples=examples(40))
@given(homes, st.floats(0.1, 5), windows)
def test_a_vehicle_charges_no_more_than_its_minutes_allow(home: Profile, kwh: float, window: Window):
    charging = vehicle(home, kwh, 7.0, window)
    within = np.array(one_by_one(home, window))
    added = charging.profile.bought - home.bought + home.sold - charging.profile.sold
    assert int(added.sum()) == charging.given.sum()
    assert (charging.given <= charging.wanted).all()
    assert (added * 60 <= within * 7 * NANO + 60).all()
    assert len(charging.day) == len(charging.given) == len(charging.share)
