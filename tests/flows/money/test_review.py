"""What is listed to be looked at, most money first, and that it is fine."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.money.homes import home
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.money import rules
from toolkit.flows.money.edits.review import alike, list_to_review, mark_fine
from toolkit.flows.money.overrides import record, undo
from toolkit.flows.money.spending import mark_all
from toolkit.flows.money.summary import spending
from toolkit.store import open_store

LAST = date(2026, 6, 30)


def back(days: int) -> str:
    return str(LAST - timedelta(days=days))


ROWS = (
    *(movement("-50.00", back(100 + 10 * number), "WOOLWORTHS 1") for number in range(5)),
    movement("-250.00", back(10), "WOOLWORTHS 1"),  # five times the usual
    movement("-99.00", back(20), "WOOLWORTHS 1"),  # $49 above: not unusual
    movement("-80.00", back(3), "CHEMIST WAREHOUSE"),  # new
    movement("-70.00", back(200), "ALDI 3"),  # known for long
    movement("-40.00", back(150), "ZZYZX HOLDINGS"),  # no category
    movement("-500.00", back(5), "Transfer to savings"),
    movement("500.00", back(4), "DEPOSIT", account_id="savings"),
)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "household.db", LAST)
    with home(ctx.db, *ROWS):
        return ctx


def listed(ctx: Context) -> list[tuple[str, str | None, str]]:
    return [(item.kind, item.name, str(item.amount)) for item in list_to_review(ctx).items]


def test_the_list_has_most_money_first(ctx: Context) -> None:
    assert [(kind, amount) for kind, _, amount in listed(ctx)] == [
        ("transfer", "500.00"),
        ("unusual", "250.00"),
        ("payee", "80.00"),
        ("payee", "40.00"),
    ]
    assert [name for _, name, _ in listed(ctx)[1:]] == ["Woolworths", "Chemist Warehouse", "Zzyzx Holdings"]
    (pair,) = [item for item in list_to_review(ctx).items if item.kind == "transfer"]
    assert {row.id for row in pair.transactions} == {"t10", "t11"}


def test_likely_transfers_of_the_same_accounts_and_names_are_decided_together(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "several.db", LAST)
    moves = [(500, 5, "savings"), (300, 15, "savings"), (700, 25, "holiday")]
    rows = [
        row
        for dollars, days, account in moves
        for row in (
            movement(f"-{dollars}.00", back(days), f"Transfer to {account}"),
            movement(f"{dollars}.00", back(days - 1), "DEPOSIT", account_id=account),
        )
    ]
    with home(ctx.db, *rows):
        pass
    items = [item for item in list_to_review(ctx).items if item.kind == "transfer"]
    by_amount = {str(item.amount): item for item in items}
    same = alike(items, by_amount["300.00"])
    assert [str(item.amount) for item in same] == ["300.00", "500.00"]
    rules.reject_transfers(ctx, same)
    assert [amount for kind, _, amount in listed(ctx) if kind == "transfer"] == ["700.00"]
    with pytest.raises(UsageError):
        rules.reject_transfers(ctx, same)
    later = [
        movement("-400.00", back(2), "Transfer to savings", id="later-out"),
        movement("400.00", back(1), "DEPOSIT", account_id="savings", id="later-in"),
    ]
    with open_store(ctx.db) as store, store.transaction():
        store.upsert("transactions", later)
        mark_all(store, "h")
    assert [amount for kind, _, amount in listed(ctx) if kind == "transfer"] == ["700.00"]  # nor like those to come
    with open_store(ctx.db) as store, store.transaction():
        store.delete("transactions", {"household_id": "h", "id": ["later-out", "later-in"]})
        mark_all(store, "h")
    undo(ctx)
    assert [amount for kind, _, amount in listed(ctx) if kind == "transfer"] == ["700.00", "500.00", "300.00"]


def test_all_fine_empties_the_list_and_undo_brings_it_back(ctx: Context) -> None:
    before = listed(ctx)
    assert [item.kind for item in mark_fine(ctx).items] == ["transfer"]  # counts twice until it is decided
    undo(ctx)
    assert listed(ctx) == before
    (unusual,) = [item for item in list_to_review(ctx).items if item.kind == "unusual"]
    without = [each for each in before if each[0] != "unusual"]
    assert [(item.kind, item.name, str(item.amount)) for item in mark_fine(ctx, [unusual]).items] == without


def test_what_comes_after_the_thirty_with_most_money_is_announced(tmp_path: Path) -> None:
    names = [f"ZZYZX {first}{second}" for first in "QWX" for second in "BCDFGHJKLMN"][:31]
    rows = [movement(f"-{60 + number}.00", back(40 + number), name) for number, name in enumerate(names)]
    ctx = Context(tmp_path / "many.db", LAST)
    with home(ctx.db, *rows):
        pass
    answer = list_to_review(ctx)
    assert (len(answer.items), answer.more, str(answer.items[-1].amount)) == (30, True, "61.00")
    rest = mark_fine(ctx)
    assert ([str(item.amount) for item in rest.items], rest.more) == (["60.00"], False)


def test_what_was_left_as_it_is_can_still_be_decided(ctx: Context) -> None:
    mark_fine(ctx)
    answer = list_to_review(ctx)
    left = [(item.kind, item.name) for item in answer.left]
    assert left == [("unusual", "Woolworths"), ("payee", "Chemist Warehouse"), ("payee", "Zzyzx Holdings")]
    rules.add_rule(ctx, "Zzyzx Holdings", "rent", payee=True, shown=answer.left[2])
    assert [item.name for item in list_to_review(ctx).left] == ["Woolworths", "Chemist Warehouse"]


def test_a_likely_transfer_that_an_earlier_version_left_is_listed_again(ctx: Context) -> None:
    with open_store(ctx.db) as store, store.transaction():
        record(store, "h", "reviewed", "", '{"payees": [], "transactions": [["t10", "t11"], ["t5"]]}')
    assert [kind for kind, _, _ in listed(ctx)] == ["transfer", "payee", "payee"]


def fortnightly(cents: str, text: str, *, first: int = 180, times: int = 12, **more: str) -> list[dict]:
    """Deposits each fortnight, the first so many days before the last day."""
    return [movement(cents, back(first - 14 * number), text, **more) for number in range(times)]


def test_a_payer_of_a_regular_salary_comes_first_and_is_pay_with_one_decision(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "pay.db", LAST)
    rows = [
        *fortnightly("1900.00", "DIRECT CREDIT 301500 ZZYZX"),
        *fortnightly("500.00", "DIRECT CREDIT 301500 J QUUX"),  # $250 a week: a housemate's rent, perhaps
        *fortnightly("1900.00", "Osko Deposit From S QUUX"),  # a person: a partner's share, perhaps
        *fortnightly("2000.00", "DIRECT CREDIT 301500 WIBBLE REFUND"),
        movement("-40000.00", back(30), "WOBBLE"),
    ]
    with home(ctx.db, *rows):
        pass
    answer = list_to_review(ctx)
    assert listed(ctx) == [
        ("pay", "Zzyzx", "22800.00"),  # 12 × $1,900
        ("payee", "Wobble", "40000.00"),
        ("payee", "Wibble Refund", "24000.00"),
        ("payee", "S Quux", "22800.00"),
        ("payee", "J Quux", "6000.00"),
    ]
    pay = answer.items[0]
    assert (str(pay.usual), pay.cadence, pay.count, str(pay.since)) == ("1900.00", "fortnightly", 12, back(180))
    assert spending(ctx).income == 0
    rules.add_rule(ctx, "Zzyzx", "INCOME_SALARY", payee=True, shown=pay)
    assert "Zzyzx" not in {name for _, name, _ in listed(ctx)}
    assert str(spending(ctx).income) == "22800.00"


def test_a_deposit_without_category_is_listed_however_old_it_is(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "old.db", LAST)
    rows = [
        movement("-90.00", back(900), "ZZYZX"),
        movement("300.00", back(800), "WIBBLE"),
        movement("200.00", back(700), "WIBBLE"),
        movement("70.00", back(600), ""),
        movement("-30.00", back(20), ""),
        movement("-35.00", back(700), ""),
        *(movement("-50.00", back(days), "WOOLWORTHS 1") for days in (10, 400)),
    ]
    with home(ctx.db, *rows):
        pass
    answer = list_to_review(ctx)
    assert [(item.kind, item.name, str(item.amount), item.count) for item in answer.items] == [
        ("payee", "Wibble", "500.00", 2),
        ("unnamed", None, "70.00", 1),
        ("unnamed", None, "30.00", 1),
    ]
    assert (str(answer.items[0].since), str(answer.items[0].date)) == (back(800), back(700))
    assert [item.name for item in mark_fine(ctx, answer.items[:1]).items] == [None, None]
    assert [str(item.amount) for item in mark_fine(ctx, answer.items[1:2]).items] == ["30.00"]
    (deposit,) = answer.items[1].transactions
    rules.set_categories(ctx, {deposit.id: "INCOME_OTHER_INCOME"}, shown=[deposit])
    assert str(spending(ctx).income) == "70.00"


def test_what_the_bank_calls_only_a_deposit_or_withdrawal_is_asked_about_one_by_one(tmp_path: Path) -> None:
    """Two deposits may come from two people; a number tells one account from another."""
    ctx = Context(tmp_path / "words.db", LAST)
    rows = [
        movement("60.00", back(40), "DEPOSIT"),
        movement("90.00", back(9), "DEPOSIT"),
        movement("-25.00", back(8), "EFTPOS PURCHASE"),
        movement("70.00", back(7), "DIRECT CREDIT"),
        movement("-11.00", back(6), "TRANSFER TO 062-000 12341234"),
        *(movement("-50.00", back(days), "WOOLWORTHS 1") for days in (10, 100)),
    ]
    with home(ctx.db, *rows):
        pass
    assert listed(ctx) == [
        ("unnamed", None, "90.00"),
        ("unnamed", None, "70.00"),
        ("unnamed", None, "60.00"),
        ("unnamed", None, "25.00"),
        ("own_account", "Transfer To …1234", "11.00"),
    ]
    (deposit,) = list_to_review(ctx).items[0].transactions
    rules.set_categories(ctx, {deposit.id: "INCOME_OTHER_INCOME"}, shown=[deposit])
    assert [amount for _, _, amount in listed(ctx)] == ["70.00", "60.00", "25.00", "11.00"]


def test_regular_pay_that_the_bank_calls_only_a_credit_is_asked_about_as_one(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "pay.db", LAST)
    with home(ctx.db, *(movement("1900.00", back(14 * back_), "DIRECT CREDIT") for back_ in range(14))):
        pass
    assert listed(ctx) == [("pay", "Direct Credit", "26600.00")]


def test_a_deposit_without_category_is_listed_though_another_of_its_payer_has_one(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "one.db", LAST)
    with home(ctx.db, *(movement(f"{dollars}.00", back(dollars), "ZZYZX") for dollars in (20, 30))):
        pass
    rules.set_category(ctx, "t0", "INCOME_OTHER_INCOME")
    assert listed(ctx) == [("payee", "Zzyzx", "50.00")]
    rules.set_category(ctx, "t1", "INCOME_OTHER_INCOME")
    assert listed(ctx) == []


def test_a_decision_takes_its_item_off_the_list(ctx: Context) -> None:
    rules.add_rule(ctx, "Zzyzx Holdings", "rent", payee=True)
    rules.accept_transfer(ctx, "t10", "t11")
    kinds = listed(ctx)
    assert "transfer" not in {kind for kind, _, _ in kinds}
    assert "Zzyzx Holdings" not in {name for _, name, _ in kinds}


def test_the_account_of_a_company_or_an_office_is_not_asked_to_be_an_own_one(tmp_path: Path) -> None:
    ctx = Context(tmp_path / "offices.db", LAST)
    texts = ("TRANSFER FROM DEPT OF EDUCATION 88271", "TRANSFER TO QUUX BUILDERS PTY LTD", "TRANSFER TO QUUX SAVER")
    with home(ctx.db, *(movement("-60.00", back(40 + number), text) for number, text in enumerate(texts))):
        assert sorted(kind for kind, _, _ in listed(ctx)) == ["own_account", "payee", "payee"]
