"""Decisions about payees follow these where a new version of the program names them in another way."""

from __future__ import annotations

import tempfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.money import rules
from toolkit.flows.money.edits.review import list_to_review, mark_fine
from toolkit.flows.money.edits.rule_file import rules_text
from toolkit.flows.money.overrides import undo
from toolkit.flows.money.transactions import transactions
from toolkit.store import open_store
from toolkit.store.frames import keep_columns, kept_frame

ROWS = (
    movement("-10.00", "2026-03-01", "QUOKKA HOUSE"),
    movement("-20.00", "2026-03-02", "QUOKKA HOUSE"),
    movement("-30.00", "2026-03-03", "WOMBAT TOOLS"),
    movement("-40.00", "2026-03-04", "BILBY BOOKS"),
)
QUOKKA, WOMBAT = "Quokka House", "Wombat Tools"
"""What this version calls the payees of the first three rows."""


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "household.db", date(2026, 3, 31))
    with home(ctx.db, *ROWS):
        return ctx


def as_another_version(ctx: Context, called: dict[str, str]) -> None:
    """Leave the store as a version left it that calls the payees of transactions so: id → name."""
    with open_store(ctx.db) as store:
        kept = kept_frame(store, "h", "transactions", ("id", "merchant"))
        assert kept is not None
        names = kept.select("id", "merchant").cast(pl.String).rows()
        merchants = pl.Series("merchant", [called.get(id_, name) for id_, name in names], pl.String)
        keep_columns(store, "h", "transactions", merchants.to_frame())
        store.update("rollups", {"version": "1-00000000", "basis": "00000000"}, {"household_id": "h"})


def categories(ctx: Context) -> dict[str, str | None]:
    return {row.id: row.secondary_category or row.primary_category for row in transactions(ctx).transactions}


def subjects(ctx: Context) -> list[str]:
    return [rule.subject for rule in rules.list_rules(ctx).rules]


def test_the_names_are_those_of_this_version(ctx: Context) -> None:
    shown = {row.id: row.merchant for row in transactions(ctx).transactions}
    assert shown == {"t0": QUOKKA, "t1": QUOKKA, "t2": WOMBAT, "t3": "Bilby Books"}


def test_a_rule_follows_its_payee_to_a_new_name(ctx: Context) -> None:
    rules.add_rule(ctx, "Pay Quokka Pty", "PERSONAL_CARE", payee=True)
    rules.add_rule(ctx, "bilby", "MEDICAL")
    as_another_version(ctx, {"t0": "Pay Quokka Pty", "t1": "Pay Quokka Pty"})
    found = categories(ctx)
    assert (found["t0"], found["t1"], found["t3"]) == ("PERSONAL_CARE", "PERSONAL_CARE", "MEDICAL")
    assert subjects(ctx) == [QUOKKA, "bilby"]
    undo(ctx)  # the latest decision is still the one that the person made last
    assert subjects(ctx) == [QUOKKA]
    undo(ctx)
    assert categories(ctx)["t0"] != "PERSONAL_CARE"


def test_a_rule_for_one_payee_that_are_two_now_is_for_both(ctx: Context) -> None:
    rules.add_rule(ctx, "Animals", "PERSONAL_CARE", payee=True)
    rules.add_rule(ctx, "wombat", "MEDICAL")  # later, so it counts for the third row
    as_another_version(ctx, {"t0": "Animals", "t1": "Animals", "t2": "Animals"})
    found = categories(ctx)
    assert (found["t0"], found["t1"], found["t2"]) == ("PERSONAL_CARE", "PERSONAL_CARE", "MEDICAL")
    text, _ = rules_text(ctx)
    assert [line for line in text.splitlines() if line.startswith("Payee")] == [
        "Payee: Quokka House = Personal care",
        "Payee: Wombat Tools = Personal care",
    ]
    rules.remove_rule(ctx, 2)
    assert categories(ctx)["t2"] == "PERSONAL_CARE"
    as_another_version(ctx, {"t2": "Wombat"})  # and again at the next version
    assert categories(ctx)["t2"] == "PERSONAL_CARE"


def test_a_rule_that_was_taken_back_comes_back_with_the_new_name(ctx: Context) -> None:
    rules.add_rule(ctx, "Animals", "PERSONAL_CARE", payee=True)
    rules.remove_rule(ctx, 1)
    as_another_version(ctx, {"t2": "Animals"})
    assert categories(ctx)["t2"] != "PERSONAL_CARE"
    undo(ctx)
    assert categories(ctx)["t2"] == "PERSONAL_CARE"


def test_a_payee_that_is_fine_stays_so_under_a_new_name(ctx: Context) -> None:
    mark_fine(ctx)
    with open_store(ctx.db) as store:
        store.update("choices", {"value": '{"payees":["pay quokka","bilby books"],"transactions":[]}'}, {"number": 1})
    as_another_version(ctx, {"t0": "Pay Quokka", "t1": "Pay Quokka"})
    assert [item.name for item in list_to_review(ctx).items] == [WOMBAT]


def test_an_import_that_comes_before_any_question_loses_no_rule(ctx: Context, tmp_path: Path) -> None:
    rules.add_rule(ctx, "Pay Quokka Pty", "PERSONAL_CARE", payee=True)
    as_another_version(ctx, {"t0": "Pay Quokka Pty", "t1": "Pay Quokka Pty"})
    file = tmp_path / "bank.csv"
    file.write_text("Date,Amount,Description\n05/03/2026,-5.00,QUOKKA HOUSE\n")
    load(ctx, [file])
    found = categories(ctx)
    assert len(found) == 5
    assert sorted(id_ for id_, category in found.items() if category == "PERSONAL_CARE")[-2:] == ["t0", "t1"]
    assert list(found.values()).count("PERSONAL_CARE") == 3


def test_a_rule_without_a_payee_is_named(ctx: Context) -> None:
    rules.add_rule(ctx, QUOKKA, "PERSONAL_CARE", payee=True)
    assert rules.list_rules(ctx).note_codes == ()
    rules.add_rule(ctx, "Pay Quokka Pty", "PERSONAL_CARE", payee=True)
    (note,) = rules.list_rules(ctx).notes
    assert dict(note.figures) == {"payee": "Pay Quokka Pty"}
    assert str(note) == "Your rule for Pay Quokka Pty has no effect today: no transaction has that payee."


_WORDS = ("QUOKKA", "WOMBAT", "BILBY", "NUMBAT")
_DECISIONS = st.lists(
    st.one_of(
        st.tuples(st.just("payee"), st.sampled_from("AB")),
        st.tuples(st.just("text"), st.sampled_from(_WORDS)),
    ),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6), st.lists(st.sampled_from("AB"), min_size=4), _DECISIONS
)
def test_every_transaction_keeps_its_category_where_names_become_finer(
    words: list[str], old_of: list[str], decided: list[tuple[str, str]]
) -> None:
    """Each word is a payee now, and was a part of payee A or B; the newest rule that fits counts, before and after."""
    was = dict(zip(_WORDS, old_of, strict=False))
    expected: dict[str, str] = {}
    for number, (kind, what) in enumerate(decided):
        for row, word in enumerate(words):
            if (was[word] if kind == "payee" else word) == what:
                expected[f"t{row}"] = f"OWN_{number}"
    rows = [movement(f"-{row + 1}.00", "2026-03-01", word) for row, word in enumerate(words)]
    with tempfile.TemporaryDirectory() as folder:
        ctx = Context(Path(folder) / "household.db", date(2026, 3, 31))
        with home(ctx.db, *rows):
            pass
        for number, (kind, what) in enumerate(decided):
            rules.add_rule(ctx, what, f"OWN_{number}", payee=kind == "payee", new_category=True)
        as_another_version(ctx, {f"t{row}": was[word] for row, word in enumerate(words)})
        found = categories(ctx)
    assert {id_: category for id_, category in found.items() if (category or "").startswith("OWN_")} == expected
