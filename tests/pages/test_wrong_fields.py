"""Forms of which one field is wrong: the sentence stands beside it, the other fields keep what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.flows.energy.homes import NMI
from tests.flows.energy.invoices import read as read_meter
from tests.pages.seen import TODAY, beside, press
from tests.problems import names
from toolkit import settings
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.settings import set_home
from toolkit.flows.invoices.edit import list_invoices
from toolkit.flows.plans.typed import keep_typed_plan
from toolkit.pages.server import launch_settings as launched
from toolkit.pages.server import passphrase

Visit = Callable[..., AppTest]
WORDS, OTHER = "correct horse battery", "staple of the battery"


@pytest.fixture
def metered(tmp_path: Path) -> Context:
    """May 2026 at 24 kWh a day, on a typed plan with two prices of usage."""
    ctx = Context(tmp_path / "home.db", TODAY)
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    usage = (
        TypedRate(name="Peak", price=Decimal(40), hours="15:00-21:00"),
        TypedRate(name="Off-peak", price=Decimal(20)),
    )
    kept = keep_typed_plan(ctx, TypedPlan(name="My plan", fuel="electricity", supply=Decimal(110), usage=usage))
    set_home(ctx, plan_id=kept.plan_id, plan_since=date(2026, 1, 1))
    return ctx


@pytest.fixture
def guarded() -> Iterator[None]:
    """A passphrase, that nobody entered yet, and no wrong try."""
    launched.renew()  # it also takes back who entered one for the token, which all tests share
    passphrase.TRIES.wrong, passphrase.TRIES.next_at = 0, 0.0
    settings.save_choices({"TOOLKIT_PASSPHRASE": passphrase.hashed(WORDS)})
    yield
    passphrase.TRIES.wrong, passphrase.TRIES.next_at = 0, 0.0
    settings.save_choices({"TOOLKIT_PASSPHRASE": None})


def enter(test: AppTest, typed: Mapping[str, str]) -> None:
    """Type into fields. typed: label → text."""
    for label, text in typed.items():
        next(field for field in test.text_input if field.label == label).set_value(text)


def typed_in(test: AppTest, label: str) -> object:
    return next(field.value for field in test.text_input if field.label == label)


def with_messages(test: AppTest, *fields: str) -> list[str]:
    """Those of the fields, by label or key, that have a message beside them."""
    return [field for field in fields if beside(test, field)]


def opened(test: AppTest) -> AppTest:
    """The page behind the passphrase."""
    enter(test, {"Passphrase": WORDS})
    return press(test, "Open")


CHANGE = ("Current passphrase", "New passphrase (empty for none)", "New passphrase again")


@pytest.mark.usefixtures("guarded", "home")
def test_a_passphrase_that_is_not_changed_stays_in_its_fields(db: Path, visit: Visit) -> None:
    test = opened(visit(db, "settings"))
    now, new, again = CHANGE
    for typed, wrong in (
        ((WORDS, OTHER, OTHER + "!"), again),
        ((WORDS, "short", "short"), new),
        (("x", OTHER, OTHER), now),
    ):
        enter(test, dict(zip(CHANGE, typed, strict=True)))
        press(test, "Save passphrase")
        assert with_messages(test, *CHANGE) == [wrong]
        assert tuple(typed_in(test, label) for label in CHANGE) == typed
    assert passphrase.TRIES.wrong == 1  # only the one guess is a try
    enter(test, {now: WORDS})
    press(test, "Save passphrase")
    kept = settings.load().passphrase
    assert kept is not None
    assert passphrase.is_right(OTHER, kept.reveal())
    assert [typed_in(test, label) for label in CHANGE] == [""] * 3
    assert len(test.success) == 1


@pytest.mark.usefixtures("guarded", "home")
def test_a_slowed_try_says_so_where_the_passphrase_is_changed_too(db: Path, visit: Visit) -> None:
    test = opened(visit(db, "settings"))
    enter(test, dict(zip(CHANGE, ("wrong", OTHER, OTHER), strict=True)))
    for _ in range(3):
        press(test, "Save passphrase")
    wrong = beside(test, CHANGE[0])
    enter(test, {CHANGE[0]: WORDS})
    press(test, "Save passphrase")
    assert beside(test, CHANGE[0]) not in ([], wrong)  # it was not looked at, and that is another sentence


@pytest.mark.usefixtures("home")
def test_a_wrong_address_of_the_service_is_said_at_its_field(db: Path, visit: Visit) -> None:
    test = visit(db, "settings")
    labels = ("Address of the service", "Client ID", "Client secret")
    enter(test, {"Address of the service": "http://example.com", "Client ID": "mine", "Client secret": "hidden"})
    press(test, "Save")
    assert with_messages(test, *labels) == ["Address of the service"]
    assert [typed_in(test, label) for label in labels] == ["http://example.com", "mine", "hidden"]
    enter(test, {"Client ID": "mi\x07ne"})
    press(test, "Save")
    assert with_messages(test, *labels) == ["Address of the service", "Client ID"]


def test_a_taken_name_is_said_at_its_field_and_the_words_are_saved(tmp_path: Path, visit: Visit) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    for name in ("Wombats", "Quolls"):
        add_home(ctx, name)
    test = visit(ctx.db, "households")
    test.selectbox(key="household-by-name").select_index(0).run()
    enter(test, {"Name": "Wombats", "Note": "call in July"})
    press(test, "Save")
    assert with_messages(test, "Name", "Follow up on", "What the client agreed to") == ["Name"]
    assert typed_in(test, "Name") == "Wombats"
    assert {home.name: home.note for home in homes(ctx).households} == {"Quolls": "call in July", "Wombats": None}


def test_a_new_price_that_is_no_number_is_said_at_its_field(metered: Context, visit: Visit) -> None:
    test = visit(metered.db, "data")
    test.date_input(key="changed-from").set_value(date(2026, 7, 1))
    enter(test, {"Peak": "44", "Supply": "a lot", "Off-peak": "22"})
    press(test, "Save the new prices")
    assert with_messages(test, "New prices from", "Supply", "Peak", "Off-peak") == ["Supply"]
    assert [typed_in(test, label) for label in ("Supply", "Peak", "Off-peak")] == ["a lot", "44", "22"]


def test_a_paper_bill_says_what_it_lacks_at_each_field(metered: Context, visit: Visit) -> None:
    fields = ("paper-first", "paper-last", "paper-amount")
    test = visit(metered.db, "bills", tab="Are they correct?")
    test.date_input(key="paper-first").set_value(date(2026, 5, 20))
    press(test, "Check")
    assert with_messages(test, *fields) == ["paper-last", "paper-amount"]
    test.date_input(key="paper-last").set_value(date(2026, 5, 1))
    test.text_input(key="paper-amount").set_value("much")
    press(test, "Check")
    assert with_messages(test, *fields) == ["paper-last", "paper-amount"]
    assert test.text_input(key="paper-amount").value == "much"


@pytest.mark.usefixtures("home", "set_up_service")
def test_who_is_to_be_connected_is_asked_for_at_each_field(db: Path, visit: Visit) -> None:
    test = visit(db, "data", tab="Connected accounts")
    enter(test, {"Email": "kim@example.com"})
    press(test, "Connect")
    assert with_messages(test, "Email", "Name") == ["Name"]
    assert typed_in(test, "Email") == "kim@example.com"
    enter(test, {"Email": "kim at home"})
    press(test, "Connect")
    assert with_messages(test, "Email", "Name") == ["Email", "Name"]
    assert typed_in(test, "Email") == "kim at home"


def test_each_price_of_a_typed_plan_has_its_own_message(metered: Context, visit: Visit) -> None:
    test = visit(metered.db, "data")
    test.radio(key="typed-electricity-kind").set_value("Prices by time of day").run()
    for key, text in {
        "name": "Saver",
        "supply": "110",
        "hours-0": "3pm-9pm",
        "price-0": "forty",
        "price-1": "20",
    }.items():
        test.text_input(key=f"typed-electricity-{key}").set_value(text)
    press(test, "Save as my plan")
    last_of_peak, last_of_off_peak = (f"typed-electricity-hours-{row}" for row in range(2))
    assert with_messages(test, last_of_peak, last_of_off_peak) == [last_of_peak]
    assert test.text_input(key="typed-electricity-price-1").value == "20"


TOO_EARLY = date(1926, 7, 1)
"""The year that a slip of the finger makes of 2026."""


def test_a_day_to_follow_up_in_a_year_that_cannot_be_meant_is_refused_at_its_field(
    tmp_path: Path, visit: Visit
) -> None:
    ctx = Context(tmp_path / "home.db", TODAY)
    add_home(ctx, "Wombats")
    test = visit(ctx.db, "households")
    test.selectbox(key="household-by-name").select_index(0).run()
    enter(test, {"Note": "call in July"})
    follow_up = f"desk-follow-up-{homes(ctx).households[0].id}"
    test.date_input(key=follow_up).set_value(TOO_EARLY)
    press(test, "Save")
    (message,) = beside(test, "Follow up on")
    assert "The year 1926 cannot be right" in message
    assert [(home.note, home.follow_up) for home in homes(ctx).households] == [("call in July", None)]
    test.date_input(key=follow_up).set_value(date(2026, 7, 1))
    press(test, "Save")
    assert [home.follow_up for home in homes(ctx).households] == [date(2026, 7, 1)]
    assert names(test.success[0].value, "Wombats is saved", "Follow up on 1 Jul 2026")


@pytest.mark.parametrize(
    ("key", "button"),
    [
        ("changed-from", "Save the new prices"),
        ("typed-electricity-from", "Save as my plan"),
        ("typed-electricity-since", "Save as my plan"),
        ("concession-first", "Add this concession"),
        ("concession-last", "Add this concession"),
    ],
)
def test_years_that_cannot_be_meant_are_refused_at_their_fields(
    metered: Context, visit: Visit, key: str, button: str
) -> None:
    test = visit(metered.db, "data")
    if key.startswith("concession"):
        next(each for each in test.button_group if each.key == "concession-how").set_value("As on the bill").run()
    test.date_input(key=key).set_value(TOO_EARLY)
    press(test, button)
    assert [message for message in beside(test, key) if "The year 1926 cannot be right" in message]


def test_a_kept_bill_of_a_year_that_cannot_be_meant_is_refused_at_its_fields(metered: Context, visit: Visit) -> None:
    test = visit(metered.db, "bills", tab="Your bills")
    days = [f"new-bill-0-{name}" for name in ("first", "last", "issued", "due")]
    for key in days:
        test.date_input(key=key).set_value(TOO_EARLY)
    press(test, "Save this bill")
    assert with_messages(test, *days) == [days[0], days[2], days[3]]
    assert list_invoices(metered).invoices == ()
