"""The README and the reference pages are kept true by the code that they describe."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import click
import pytest

from tests.meters import flat_plan, level
from tests.readme import README, all_commands, pages, refreshed
from toolkit.settings import NAMES

COMMANDS = all_commands()
PAGES = {page.relative_to(README.parent): page.read_text() for page in pages()}
TEXT = "\n".join(PAGES.values())


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_generated_parts_are_fresh(page: Path) -> None:
    assert refreshed(PAGES[page]) == PAGES[page], "run: python -m tests.readme"


def test_the_readme_is_short() -> None:
    assert len(PAGES[Path("README.md")].splitlines()) <= 250


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", PAGES[page])
    assert not [link for link in links if not (README.parent / page).parent.joinpath(link).exists()]


def test_every_file_of_the_journeys_exists() -> None:
    """Where one was moved: python -m tests.benchmarks.journeys --write"""
    (part,) = re.findall(r"<!-- journeys -->(.*?)<!-- /journeys -->", TEXT, re.DOTALL)
    steps = [step.split("`")[1::2] for step in re.split(r" → |: ", part) if "`" in step]
    files = [Path(folder, name) for folder, *names in steps for name in names]
    assert len(files) > 60
    assert not [file for file in files if not (README.parent / "toolkit" / file).exists()]


def test_the_python_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGES[Path("README.md")], re.DOTALL)
    (tmp_path / "meter.csv").write_text(level("4103000001", date(2026, 4, 1), 91))
    (tmp_path / "plan.json").write_text(flat_plan())
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(example, names)
    # 91 days × $1.00 and 91 × 48 × 0.25 kWh × $0.30, each with 10 % GST
    assert names["bill"].total_minor == 10010 + 36036


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert not [option.name for option in options if not option.help]


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_told(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_every_command_in_the_text_exists() -> None:
    named = set(re.findall(r"(?:`|^\$? ?|bin/)toolkit ([a-z]+(?:-[a-z]+)*)\b", TEXT, re.MULTILINE))
    assert len(named) > 20
    assert named <= set(COMMANDS)
