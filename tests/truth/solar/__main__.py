"""Tables of how near `solar` comes to the truth: `python -m tests.truth.solar [--seeds N] [--others N] [--write]`.

Homes of seeds that were never used in tuning (`--tuning` uses those that were), made on the assumptions of the homes
that the estimate was fitted on, and on others. `--write` puts the tables into the reference; `--parts` makes some of
them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.truth.solar.clocks import MOST_HOURS, Clocks, clock_scores
from tests.truth.solar.homes import KINDS, SolarHome, home
from tests.truth.solar.others import OTHER_KINDS, other_home
from tests.truth.solar.score import Fault, Scored, fault_scores, scored, summary

TUNING, JUDGING = 3_100_000, 3_700_000
"""First seeds."""
STEADY = ("steady by day", "working from home")
"""Kinds with a use by day that export hides best."""
PARTS = ("bands", "faults", "clocks")
PAGE = Path(__file__).parents[3] / "toolkit" / "docs" / "reliability.md"


def main() -> None:
    """Print the tables, and write them."""
    reader = argparse.ArgumentParser(prog="python -m tests.truth.solar", description=__doc__)
    reader.add_argument("--seeds", type=int, default=8, metavar="N", help="homes of each kind")
    reader.add_argument("--steady", type=int, default=0, metavar="N", help=f"homes of {', '.join(STEADY)}, if more")
    reader.add_argument("--others", type=int, default=10, metavar="N", help="homes of each kind on other assumptions")
    reader.add_argument("--kinds", nargs="*", choices=[*KINDS, []], help="default: all")
    reader.add_argument("--parts", nargs="*", choices=PARTS, default=PARTS, help="default: all")
    reader.add_argument("--tuning", action="store_true", help="the seeds used in tuning")
    reader.add_argument("--write", action="store_true", help="write the tables into the reference")
    asked = reader.parse_args()
    first = TUNING if asked.tuning else JUDGING
    number = {kind: max(asked.seeds, asked.steady if kind in STEADY else 0) for kind in asked.kinds or KINDS}
    made = [home(kind, seed) for kind, homes in number.items() for seed in range(first, first + homes)]
    others = [other_home(kind, seed) for kind in OTHER_KINDS for seed in range(first, first + asked.others)]
    for part in asked.parts:
        lines = "\n".join(_lines(part, made, others, asked.seeds))
        print(lines, flush=True)
        if asked.write:
            before, _, rest = PAGE.read_text().partition(f"<!-- solar {part} -->\n")
            after = rest.partition(f"<!-- /solar {part} -->")[2]
            PAGE.write_text(f"{before}<!-- solar {part} -->\n{lines}\n<!-- /solar {part} -->{after}")


def _lines(part: str, made: Sequence[SolarHome], others: Sequence[SolarHome], seeds: int) -> Iterator[str]:
    if part == "bands":
        yield from _bands(scored(made, known=False), scored(made, known=True))
        yield from ("", "Made on other assumptions:", "")
        yield from _bands(scored(others, known=False), scored(others, known=True))
    elif part == "faults":
        yield from _faults(fault_scores([*made, *others]))
    else:
        yield from _clocks(clock_scores(made[:: max(1, seeds // 3)]))


def _bands(unknown: Sequence[Scored], known: Sequence[Scored]) -> Iterator[str]:
    yield "| homes | number | inside | half-width | generation off | inside, roof known | half-width | generation off |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for kind in (*dict.fromkeys(each.kind for each in unknown), None):
        one, other = summary(unknown, kind), summary(known, kind)
        yield (
            f"| {kind or '**all**'} | {one.homes} | {one.inside:.0%} | {one.half_width:.1f} | {one.off:.1%} "
            f"| {other.inside:.0%} | {other.half_width:.1f} | {other.off:.1%} |"
        )
    much = [each for each in known if each.export_share >= 1 / 3]
    share = summary(much, None)
    yield ""
    yield (
        f"Refused: {summary(unknown, None).refused:.0%} of the homes with unknown size, "
        f"{summary(known, None).refused:.0%} with a known roof. With a known roof and a third or more "
        f"of the generation exported ({share.homes} homes): half-width {share.half_width:.1f} points, "
        f"generation off by {share.off:.1%} "
        "(medians)."
    )


def _faults(faults: Sequence[Fault]) -> Iterator[str]:
    found = sum(each.found for each in faults) / len(faults)
    alarms = sum(each.false_alarms for each in faults) / len(faults)
    yield (
        f"A third to three fifths of the panels dead for 30 days outside June and July, at {len(faults)} homes that "
        f"export a third or more: found in {found:.0%}. False alarms at the same homes without a fault: {alarms:.2f} a "
        "home-year."
    )


def _clocks(found: Sequence[Clocks]) -> Iterator[str]:
    yield f"| clock of the file | files | warned of: two to {MOST_HOURS} hours off | warned of: off in summer |"
    yield "|---|--:|--:|--:|"
    for each in found:
        yield f"| {each.kind} | {each.files} | {each.hours} | {each.summer} |"


if __name__ == "__main__":
    main()
