"""Credentials of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass

COMMANDS: tuple[click.Command, ...] = ()
