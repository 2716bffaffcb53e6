"""The demo: one call, four answers, over real HTTP and a real database."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.references import broken_references
from toolkit.errors import StoreError
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home


def test_the_demo_answers_four_questions_and_repeats_itself(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "demo.db", date(2026, 3, 10))
    messages: list[str] = []
    answer = demo(ctx, progress=messages.append)
    assert answer.spending.problems == ()
    assert answer.spending.income > answer.spending.spent > 0
    assert (answer.forecast.p10 or 0) < (answer.forecast.p50 or 0) < (answer.forecast.p90 or 0)
    [point] = answer.usage.service_points
    assert point.coverage > 0.99
    assert answer.solar.service_points[0].panels_kw == 6.6
    assert messages
    assert broken_references(ctx.db) == []
    kept = ctx.db.with_name("demo.db.format3-0a1b2c3d.bak")  # as opening it with a newer version leaves it
    kept.write_bytes(ctx.db.read_bytes())
    assert demo(ctx) == answer
    assert not kept.exists()


def test_the_demo_leaves_a_database_with_other_data_alone(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "own.db", date(2026, 3, 10))
    add_home(ctx, "Mine")
    add_home(ctx, "Theirs")
    before = ctx.db.read_bytes()
    with pytest.raises(StoreError, match=r"own\.db"):
        demo(ctx)
    assert ctx.db.read_bytes() == before
