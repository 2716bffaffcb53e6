"""The journeys of the architecture page stay short, and the page names the files that they pass."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.benchmarks.journeys import JOURNEYS, REFERENCE

MOST_FILES = 40


def test_each_journey_passes_at_most_forty_files_all_named_in_the_reference() -> None:
    # In a process of its own: what another test has cached would not run again.
    program = [sys.executable, "-m", "tests.benchmarks.journeys"]
    traced = subprocess.run(program, capture_output=True, text=True, check=True).stdout.strip().split("\n\n")
    listed = re.search(r"(?<=<!-- journeys -->\n).*?(?=\n<!-- /journeys -->)", REFERENCE.read_text(), re.DOTALL)
    assert listed is not None
    assert len(traced) == len(JOURNEYS)
    for journey, page in zip(traced, listed[0].split("\n\n"), strict=True):
        assert files(journey) == files(page), "run: python -m tests.benchmarks.journeys --write"
        assert 0 < len(files(journey)) <= MOST_FILES


def files(journey: str) -> set[str]:
    """The paths in a paragraph such as `store/` `a.py`, `b.py` → `api/` `client.py`."""
    steps = [re.findall(r"`([^`]+)`", step) for step in journey.split(" → ")]
    return {folder + name for folder, *names in steps for name in names}
