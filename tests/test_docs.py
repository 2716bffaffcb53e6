"""The README is kept true by the code it describes."""

from __future__ import annotations

import re

import click
import pytest

from tests.readme import README, refreshed
from toolkit.cli.root import toolkit
from toolkit.settings import NAMES

TEXT = README.read_text()


def test_the_derived_parts_are_fresh() -> None:
    assert refreshed(TEXT) == TEXT, "run: python -m tests.readme"


@pytest.mark.parametrize("name", toolkit.commands)
def test_every_command_says_what_it_does(name: str) -> None:
    command = toolkit.commands[name]
    assert command.help
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    assert not [option.name for option in options if not option.help]


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_told(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_every_command_in_the_text_exists() -> None:
    named = set(re.findall(r"`?toolkit ([a-z]+)\b", TEXT)) - {"package"}
    assert named <= set(toolkit.commands)
