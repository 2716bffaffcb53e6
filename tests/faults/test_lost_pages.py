"""Zeroed pages and cut files: seen, or without any effect; and every command fails in words or answers as before."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.answers import answers, seen
from tests.faults.conftest import TODAY
from tests.faults.settings import count
from tests.json_answers import status
from toolkit.errors import StoreError
from toolkit.flows.data.export import export
from toolkit.flows.energy.usage import usage
from toolkit.flows.household.context import Context
from toolkit.flows.money.summary import spending
from toolkit.flows.money.transactions import transactions

ZEROED, TRUNCATED = count("ZEROED_PAGES", 30), count("TRUNCATIONS", 10)
ASKED_EVERY = 3
_LOST = 4096
QUESTIONS: tuple[Callable[[Context], object], ...] = (status, spending, transactions, usage)


def zeroed(whole: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(whole) // _LOST) * _LOST
    return whole[:place] + bytes(_LOST) + whole[place + _LOST :]


def truncated(whole: bytes, chance: random.Random) -> bytes:
    return whole[: chance.randrange(1, len(whole))]


@pytest.mark.parametrize(("harm", "times"), [(zeroed, ZEROED), (truncated, TRUNCATED)])
def test_no_loss_is_silent_and_no_command_crashes(
    filled: Path, tmp_path: Path, harm: Callable[[bytes, random.Random], bytes], times: int
) -> None:
    whole, before, chance, noticed = filled.read_bytes(), answers(filled), random.Random(5), 0
    for number in range(times):
        copy = tmp_path / f"harmed{number}" / "home.db"
        copy.parent.mkdir()
        broken = harm(whole, chance)
        copy.write_bytes(broken)
        if found := seen(copy):
            noticed += 1
        else:
            assert answers(copy) == before
        asked = (*QUESTIONS, exported) if number % ASKED_EVERY == 0 else ()
        failed = [error for ask in asked if (error := failure(ask, Context(copy, TODAY)))]
        assert all("toolkit doctor" in error or "toolkit restore" in error for error in failed), failed
        assert found or not failed
        assert copy.exists()
    print(f"{times} {harm.__name__}: {noticed} noticed, {times - noticed} without any effect, 0 silent, 0 crashes")


def exported(ctx: Context) -> object:
    return export(ctx, ctx.db.parent / "out")


def failure(ask: Callable[[Context], object], ctx: Context) -> str:
    """What a question of a damaged file is refused with; any failure but one in words ends the test."""
    try:
        ask(ctx)
    except StoreError as error:
        return str(error)
    return ""
