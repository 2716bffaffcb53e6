"""Who shares what, on the Data page: two households of an adviser, against the embedded service."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.json_answers import connect, sync
from tests.keys import keys_of
from tests.pages.seen import read
from tests.problems import names
from toolkit.flows.consent.sandbox import sandbox
from toolkit.flows.consent.service import service
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import homes
from toolkit.flows.money.accounts import list_accounts
from toolkit.pages.data import connecting, sharing
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server.launch import ENTRY
from toolkit.pages.server.launch_settings import Launch
from toolkit.settings import load

TODAY = date(2026, 6, 20)


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """Noor shares a bank (fetched), Olga was invited and has not agreed."""
    from toolkit.api.robot import walk_through

    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    with sandbox(seed=1, today=TODAY, households=2, years=1) as running:
        for name, value in keys_of(running).items():
            monkeypatch.setenv(name, value)
        with service(load({})) as client:
            noor = {"email": "noor@example.com", "name": "Noor New"}
            connect(ctx, client, **noor, institution="70001", open_browser=walk_through)
            sync(ctx, client)
            connect(ctx, client, email="olga@example.com", name="Olga Old", invite=True, open_browser=print)
        yield ctx
    launched.begin(None)


def visit(ctx: Context, household: str = "Noor New") -> AppTest:
    launched.begin(Launch(ctx.db, "secret", ctx.today))
    test = AppTest.from_file(str(ENTRY), default_timeout=60)
    test.query_params["token"] = "secret"
    chosen = next(home.id for home in homes(ctx).households if home.name == household)
    test.query_params["household"] = launched.in_address(chosen)
    test._page_hash = calc_hash("data")
    return test.run()


def of_noor(ctx: Context) -> Context:
    return replace(ctx, household=next(home.id for home in homes(ctx).households if home.name == "Noor New"))


def shared(test: AppTest) -> list[dict[str, Any]]:
    """The list of consents."""
    listed = next(frame.value for frame in test.dataframe if "person" in frame.value.columns)
    rows: list[dict[str, Any]] = listed.to_dict("records")
    return rows


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def test_what_the_household_on_screen_shares_is_listed_and_nothing_of_another(ctx: Context) -> None:
    (noor,) = shared(visit(ctx))
    assert (noor["person"], noor["institution"], noor["state"]) == ("Noor New", "Ironbark Bank", "Active")
    assert (noor["ends_in_days"], noor["health"]) == (365, "works")
    test = visit(ctx, "Olga Old")
    (olga,) = shared(test)
    assert (olga["person"], olga["state"], olga["reminder"]) == ("Olga Old", "Invited", sharing.NOT_AGREED)
    assert "Ironbark" not in read(test)


def test_an_account_that_two_consents_give_is_listed_once(ctx: Context) -> None:
    from toolkit.api.robot import walk_through

    before = [account.id for account in list_accounts(of_noor(ctx)).accounts]
    with service(load({})) as client:
        connect(ctx, client, email="noor@example.com", name="Noor New", institution="70001", open_browser=walk_through)
        answer = sync(ctx, client)
    assert any(names(str(problem), "Ironbark Bank", "under two consents") for problem in answer["problems"])
    assert [account.id for account in list_accounts(of_noor(ctx)).accounts] == before
    test = visit(ctx)
    assert not test.exception
    assert f"Accounts ({len(before)})" in [each.label for each in test.expander]


def test_a_consent_about_to_end_says_so(ctx: Context) -> None:
    late = visit(replace(ctx, today=TODAY + timedelta(355)))
    assert any(names(row.get("reminder"), "10 days") for row in shared(late))


def test_a_reminder_has_its_day_as_people_write_it(ctx: Context) -> None:
    (noor,) = shared(visit(replace(ctx, today=TODAY + timedelta(91))))
    assert names(noor["reminder"], "20 Jun 2026", "91 days")


def test_institutions_are_listed_with_their_health_before_connecting(ctx: Context) -> None:
    test = press(visit(ctx), "Show available banks and retailers")
    listed = next(frame.value for frame in test.dataframe if "open" in frame.value.columns)
    bilby = listed[listed["name"] == "Bilby Electric"].to_dict("records")
    assert [(row["health"], row["open"]) for row in bilby] == [(connecting.HEALTH["DEGRADED"], "not now")]
    choices = test.selectbox(key="connect-institution").options
    assert not [choice for choice in choices if "Bilby" in choice]
    assert [choice for choice in choices if "Currawong" in choice and connecting.HEALTH["DEGRADED"] in choice]


def test_somebody_who_sits_elsewhere_gets_a_link(ctx: Context) -> None:
    test = visit(ctx)
    test.selectbox(key="connect-who").select_index(1).run()
    test.text_input(key="connect-email").set_value("pia@example.com")
    test.text_input(key="connect-name").set_value("Pia Far").run()
    test.selectbox(key="connect-into").select("A new household").run()
    test.text_input(key="connect-household").set_value("The Fars").run()
    next(choice for choice in test.button_group if choice.key == "connect-how").set_value("Send a link").run()
    test = press(test, "Get the link")
    assert not test.exception
    assert [block.value.startswith("http://127.0.0.1:") for block in test.code] == [True]
    (far,) = shared(visit(ctx, "The Fars"))
    assert (far["person"], far["state"]) == ("Pia Far", "Invited")
