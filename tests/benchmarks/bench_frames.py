"""Frames of one's own: made into reads, and the usage of a hundred homes."""

from __future__ import annotations

from collections.abc import Iterator

import toolkit
from tests.benchmarks.harness import Result, exactly, seconds, summary
from toolkit.analytics.energy.usage import service_point_usage

ROWS, HOMES = 300_000, 100
READS_GOAL, USAGE_GOAL = 1.0, 3.0
REGISTERS = {"import": "import_kwh", "export": "export_kwh"}


def results(repeats: int) -> Iterator[Result]:
    frame = toolkit.sample("homes", homes=20)
    rows = frame.select("home", "time", kwh="import_kwh").head(ROWS)
    made = summary(
        [
            seconds(lambda: toolkit.reads(rows, time="time", energy="kwh", home="home", zone="AEST"))
            for _ in range(repeats)
        ]
    )
    yield Result(f"{ROWS:,} rows of a frame, checked and made into reads", made, exactly(READS_GOAL), "the goal", 1.0)
    some = toolkit.reads(frame, time="time", registers=REGISTERS, home="home", zone="AEST")
    homes = [own for _, own in some.group_by("service_point_id", maintain_order=True)] * (HOMES // 20)

    def used() -> None:
        for home in homes:
            toolkit.usage(home)

    used()
    profiles = summary([seconds(used) for _ in range(repeats)])
    what = f"`usage` of {HOMES} homes of half-hourly years, one after another"
    yield Result(what, profiles, exactly(USAGE_GOAL), "the goal", 1.0)
    unchecked = summary(
        [
            seconds(lambda: [service_point_usage(home, zone="Australia/Sydney") for home in homes])
            for _ in range(repeats)
        ]
    )
    yield Result(what, profiles, unchecked, "the same without the checks of the frame")
