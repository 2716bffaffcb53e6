"""The first run, and data that is updated when the app is opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.keys import keys_of
from tests.pages.seen import TODAY, read
from toolkit.api.robot import walk_through
from toolkit.flows.consent.connect import connect
from toolkit.flows.consent.sandbox import sandbox
from toolkit.flows.consent.service import service
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.imports.load import load as load_files
from toolkit.flows.sync.due import is_update_due
from toolkit.pages.server import background
from toolkit.settings import load
from toolkit.store import open_store

Visit = Callable[..., AppTest]


def test_the_demo_family_has_a_place_of_its_own_and_one_button_back(
    tmp_path: Path, visit: Visit, isolated_from_this_machine: Path
) -> None:
    demo = isolated_from_this_machine / "demo" / "demo.db"
    add_home(Context(demo, TODAY), "The demo family")
    own = tmp_path / "own" / "household.db"
    test = visit(own, "overview")
    next(button for button in test.button if button.label == "Open the demo family").click().run()
    test.run()
    assert "The demo family" in read(test)
    next(button for button in test.button if button.label == "Back to my own data").click().run()
    assert "The demo family" not in read(test)
    assert not own.exists()


def test_connected_data_older_than_a_day_is_updated_when_the_app_is_opened(
    tmp_path: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    with sandbox(seed=1, today=TODAY, households=1, years=1) as running:
        for name, value in keys_of(running).items():
            monkeypatch.setenv(name, value)
        with service(load({})) as client:
            noor = {"email": "noor@example.com", "name": "Noor New"}
            connect(ctx, client, **noor, institution="70001", open_browser=walk_through)
        (home,) = homes(ctx).households
        assert is_update_due(ctx)
        monkeypatch.setenv("TOOLKIT_AUTO_UPDATE", "no")
        visit(ctx.db, "data")
        assert background.job(f"sync {ctx.db} {home.id}") is None
        monkeypatch.delenv("TOOLKIT_AUTO_UPDATE")
        visit(ctx.db, "data")
        job = background.job(f"sync {ctx.db} {home.id}")
        assert job is not None
        assert job.wait(120)
        assert job.error is None
    assert not is_update_due(ctx)
    with open_store(ctx.db) as store:
        assert store.count("transactions") > 0


def test_what_is_left_to_set_up_stands_above_the_figures_until_it_is_done(tmp_path: Path, visit: Visit) -> None:
    """A bank file is the first of four steps: the other three are asked for, and the one that is done is not."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    (tmp_path / "bank.csv").write_text('01/06/2026,"-10.00","TEA ROOM",""\n')
    load_files(ctx, [tmp_path / "bank.csv"])
    drawn = [
        element.proto.label if element.type == "page_link" else element.type
        for element in visit(ctx.db, "overview").main
        if element.type in ("page_link", "metric")
    ]
    steps = drawn[: drawn.index("metric")]
    assert [word for step in steps for word in ("bank", "meter", "postcode", "plan") if f" {word}" in step.lower()] == [
        *("meter", "postcode", "plan", "plan"),
    ]
