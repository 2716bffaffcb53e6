"""Two forms that showed the same are sent at the same time: one is stored, the other is told what changed."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from tests.analytics.money.built import movement
from tests.flows.energy.homes import NMI, flat_plan, import_plans
from tests.flows.energy.invoices import read as read_meter
from tests.flows.money.homes import home
from toolkit import settings
from toolkit.answers.decisions import ReviewItem
from toolkit.answers.energy.typed_plans import TypedPlan, TypedRate
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.merge import merge, undo_move
from toolkit.flows.household.settings import set_earlier_plan, set_home, set_home_by_field
from toolkit.flows.invoices.edit import add_invoice, edit_invoice, remove_invoice
from toolkit.flows.invoices.form import InvoiceForm
from toolkit.flows.money.accounts import link, list_accounts, set_account, unlink
from toolkit.flows.money.edits.review import list_to_review, mark_fine
from toolkit.flows.money.edits.settings import list_categories, name_category, set_transaction, split
from toolkit.flows.money.overrides import latest_decision, undo
from toolkit.flows.money.rules import (
    accept_transfer,
    add_rule,
    list_rules,
    reject_transfer,
    reject_transfers,
    remove_rule,
    set_categories,
)
from toolkit.flows.money.transactions import transactions
from toolkit.flows.money.years.budgets import list_budgets, remove_budget, set_budget
from toolkit.flows.plans.my_plan import my_plans
from toolkit.flows.plans.typed import keep_typed_plan, remove_typed_prices, typed_plan, typed_versions
from toolkit.store import Store, open_store

TODAY = date(2026, 6, 30)
GROCERIES = "FOOD_AND_DRINK_GROCERIES"
Write = Callable[[], object]
ROWS = (
    movement("-50.00", "2026-06-20", "ZZYZX HOLDINGS"),
    movement("-500.00", "2026-06-25", "Transfer to savings"),
    movement("500.00", "2026-06-26", "DEPOSIT", account_id="savings"),
)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    ctx = Context(tmp_path / "home.db", TODAY)
    with home(ctx.db, *ROWS):
        return ctx


def at_once(ctx: Context, *writes: Write) -> list[bool]:
    """Run each write in a thread of its own; all begin while somebody else writes. Returns which were stored."""
    stored = [False] * len(writes)

    def run(place: int) -> None:
        try:
            writes[place]()
            stored[place] = True
        except UsageError:
            pass

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(writes))]
    with open_store(ctx.db) as other, other.transaction():
        for thread in threads:
            thread.start()
        while not all(waits_to_write(thread) for thread in threads):
            time.sleep(0.01)
    for thread in threads:
        thread.join()
    return stored


def waits_to_write(thread: threading.Thread) -> bool:
    """Whether a thread has begun a transaction of the store and waits for the other writer, or has ended."""
    frame = sys._current_frames().get(thread.ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "transaction" and frame.f_code.co_filename == sys.modules[Store.__module__].__file__:
            return True
        frame = frame.f_back
    return not thread.is_alive()


def budgets(ctx: Context) -> Sequence[Write]:
    shown = list_budgets(ctx)
    return [
        lambda: set_budget(ctx, GROCERIES, "400", shown=shown),
        lambda: set_budget(ctx, GROCERIES, "600", shown=shown),
    ]


def removed_budgets(ctx: Context) -> Sequence[Write]:
    shown = set_budget(ctx, GROCERIES, "400")
    return [lambda: remove_budget(ctx, GROCERIES, shown=shown), lambda: set_budget(ctx, GROCERIES, "600", shown=shown)]


def categories_of_a_row(ctx: Context) -> Sequence[Write]:
    rows = [row for row in transactions(ctx).transactions if row.id == "t0"]
    return [
        lambda: set_categories(ctx, {"t0": "Fuel"}, shown=rows),
        lambda: add_rule(ctx, "Zzyzx Holdings", "Groceries", payee=True, shown=rows),
    ]


def names_of_a_category(ctx: Context) -> Sequence[Write]:
    (shown,) = [each for each in list_categories(ctx).categories if each.code == GROCERIES]
    return [lambda name=name: name_category(ctx, GROCERIES, name=name, shown=shown) for name in ("Food", "Supermarket")]


def groups_of_a_category(ctx: Context) -> Sequence[Write]:
    (shown,) = [each for each in list_categories(ctx).categories if each.code == GROCERIES]
    return [lambda name=name: name_category(ctx, GROCERIES, group=name, shown=shown) for name in ("Health", "Holiday")]


def notes(ctx: Context) -> Sequence[Write]:
    (shown,) = [row for row in transactions(ctx).transactions if row.id == "t0"]
    return [lambda note=note: set_transaction(ctx, "t0", note=note, shown=shown) for note in ("Tyres", "Present")]


def tags(ctx: Context) -> Sequence[Write]:
    (shown,) = [row for row in transactions(ctx).transactions if row.id == "t0"]
    return [lambda tag=tag: set_transaction(ctx, "t0", tag=tag, shown=shown) for tag in ("trip", "work")]


def splits(ctx: Context) -> Sequence[Write]:
    (shown,) = [row for row in transactions(ctx).transactions if row.id == "t0"]
    parts = [[("10", "Fuel"), ("40", "Groceries")], [("20", "Fuel"), ("30", "Groceries")]]
    return [lambda given=given: split(ctx, "t0", given, shown=shown) for given in parts]


def transfers(ctx: Context) -> Sequence[Write]:
    item = to_review(ctx, "transfer")
    return [
        lambda: accept_transfer(ctx, "t1", "t2", item=item),
        lambda: reject_transfer(ctx, "t1", "t2", item=item),
        lambda: reject_transfers(ctx, [item]),
    ]


def reviewed(ctx: Context) -> Sequence[Write]:
    items = [to_review(ctx, "payee")]
    return [lambda: mark_fine(ctx, items)] * 2


def reviewed_in_two_ways(ctx: Context) -> Sequence[Write]:
    item = to_review(ctx, "payee")
    return [
        lambda: mark_fine(ctx, [item]),
        lambda: add_rule(ctx, item.name or "", "Fuel", payee=True, shown=item),
        lambda: add_rule(ctx, item.name or "", "Groceries", payee=True, shown=item),
    ]


def to_review(ctx: Context, kind: str) -> ReviewItem:
    (item,) = [item for item in list_to_review(ctx).items if item.kind == kind]
    return item


def new_rules(ctx: Context) -> Sequence[Write]:
    shown = list_rules(ctx)
    return [lambda name=name: add_rule(ctx, "zzyzx", name, shown=shown) for name in ("Fuel", "Groceries")]


def changed_rules(ctx: Context) -> Sequence[Write]:
    add_rule(ctx, "zzyzx", "Fuel")
    shown = list_rules(ctx)
    return [
        lambda: add_rule(ctx, "Zzyzx", "Groceries", shown=shown),
        lambda: add_rule(ctx, "zzyzx", "Health", shown=shown),
    ]


def removed_rules(ctx: Context) -> Sequence[Write]:
    number = add_rule(ctx, "zzyzx", "Fuel").added.number
    return [lambda: remove_rule(ctx, number)] * 2


def account_names(ctx: Context) -> Sequence[Write]:
    shown = list_accounts(ctx).accounts[0]
    return [lambda name=name: set_account(ctx, shown.id, name=name, shown=shown) for name in ("Ours", "Joint")]


def account_balances(ctx: Context) -> Sequence[Write]:
    shown = list_accounts(ctx).accounts[0]
    return [lambda text=text: set_account(ctx, shown.id, balance=text, shown=shown) for text in ("100", "200")]


def joined_accounts(ctx: Context) -> Sequence[Write]:
    shown = list_accounts(ctx)
    ids = [account.id for account in shown.accounts]
    return [lambda: link(ctx, ids, shown=shown)] * 2


def joined_or_separated_accounts(ctx: Context) -> Sequence[Write]:
    shown = list_accounts(ctx)
    ids = [account.id for account in shown.accounts]
    return [lambda: link(ctx, ids, shown=shown), lambda: unlink(ctx, ids, shown=shown)]


def undone(ctx: Context) -> Sequence[Write]:
    add_rule(ctx, "one", "Fuel")
    add_rule(ctx, "two", "Fuel")
    latest = latest_decision(ctx)
    return [lambda: undo(ctx, shown=latest)] * 2


def facts_of_the_home(ctx: Context) -> Sequence[Write]:
    (shown,) = homes(ctx).households

    def postcode(text: str) -> None:
        if set_home_by_field(ctx, shown=shown, name=shown.name, persons=(), postcode=text):
            raise UsageError(text)

    return [lambda: postcode("2000"), lambda: postcode("3000")]


def merged_households(ctx: Context) -> Sequence[Write]:
    for name in ("Second", "Third"):
        add_home(ctx, name)
    first = next(each.name for each in homes(ctx).households if each.name not in ("Second", "Third"))
    return [lambda into=into: merge(ctx, into, "Second") for into in (first, "Third")]


def bills(ctx: Context) -> Sequence[Write]:
    form = InvoiceForm(fuel="GAS", from_=date(2026, 4, 1), to=date(2026, 4, 30), billed="80")
    (shown,) = add_invoice(ctx, form).invoices
    return [
        lambda: edit_invoice(ctx, shown.id, InvoiceForm(billed="90"), shown=shown),
        lambda: edit_invoice(ctx, shown.id, InvoiceForm(billed="95"), shown=shown),
        lambda: remove_invoice(ctx, shown.id, shown=shown),
    ]


def plans_of_the_home(ctx: Context) -> Sequence[Write]:
    read_meter(ctx, NMI, date(2026, 5, 1), 31, "0.5")
    import_plans(ctx, ctx.db.parent, *(flat_plan(name, "30") for name in ("A1", "B1", "C1")))
    set_home(ctx, plan_id="A1", plan_since=date(2026, 5, 1))
    shown = my_plans(ctx)
    return [
        lambda: set_home(ctx, plan_id="B1", plan_since=date(2026, 6, 1), plans_shown=shown),
        lambda: set_home(ctx, plan_id="C1", plan_since=date(2026, 6, 1), plans_shown=shown),
        lambda: set_earlier_plan(ctx, "C1", fuel="ELECTRICITY", shown=shown),
    ]


def with_price(price: str, first: date) -> TypedPlan:
    usage = (TypedRate(price=Decimal(price)),)
    return TypedPlan(name="Flat", fuel="electricity", supply=Decimal(110), usage=usage, from_=first)


def prices(ctx: Context) -> Sequence[Write]:
    plan_id = keep_typed_plan(ctx, with_price("33", date(2026, 1, 1))).plan_id
    shown = typed_plan(ctx, plan_id)
    return [
        lambda: keep_typed_plan(ctx, with_price("35", date(2026, 6, 1)), shown=shown),
        lambda: keep_typed_plan(ctx, with_price("36", date(2026, 6, 1)), shown=shown),
    ]


FORMS = (
    budgets,
    removed_budgets,
    categories_of_a_row,
    names_of_a_category,
    groups_of_a_category,
    notes,
    tags,
    splits,
    transfers,
    reviewed,
    reviewed_in_two_ways,
    new_rules,
    changed_rules,
    removed_rules,
    account_names,
    account_balances,
    joined_accounts,
    joined_or_separated_accounts,
    merged_households,
    undone,
    facts_of_the_home,
    bills,
    plans_of_the_home,
    prices,
)


@pytest.mark.parametrize("forms", FORMS)
def test_of_forms_sent_at_once_one_is_stored(ctx: Context, forms: Callable[[Context], Sequence[Write]]) -> None:
    assert at_once(ctx, *forms(ctx)).count(True) == 1


def test_a_merge_is_undone_where_it_is_the_latest_one(ctx: Context) -> None:
    for name in ("Second", "Third"):
        add_home(ctx, name)
    ids = {each.name: each.id for each in homes(ctx).households}
    (first,) = ids.keys() - {"Second", "Third"}
    for name in ("Second", "Third"):
        merge(ctx, first, name)
    with pytest.raises(UsageError):
        undo_move(ctx, shown=(ids["Second"], ids[first]))
    undo_move(ctx, shown=(ids["Third"], ids[first]))
    assert {each.name for each in homes(ctx).households} == {first, "Third"}


def test_what_has_a_category_meanwhile_is_not_left_as_it_is(ctx: Context) -> None:
    items = [item for item in list_to_review(ctx).items if item.kind == "payee"]
    add_rule(ctx, "Zzyzx Holdings", "Fuel", payee=True)
    with pytest.raises(UsageError):
        mark_fine(ctx, items)
    assert [rule.kind for rule in list_rules(ctx).rules] == ["payee"]


def test_of_two_versions_of_prices_removed_at_once_one_stays(ctx: Context) -> None:
    first, second = date(2026, 1, 1), date(2026, 6, 1)
    for price, day in (("33", first), ("35", second)):
        plan_id = keep_typed_plan(ctx, with_price(price, day)).plan_id
    removed = [lambda day=day: remove_typed_prices(ctx, plan_id, day) for day in (first, second)]
    assert at_once(ctx, *removed).count(True) == 1
    assert len(typed_versions(ctx, plan_id)) == 1


def test_of_addresses_of_the_service_saved_at_once_one_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLKIT_DATA_DIR", str(tmp_path))
    shown = {"TOOLKIT_BASE_URL": "", "TOOLKIT_CLIENT_ID": ""}
    stored: list[str] = []
    start = threading.Barrier(4)

    def save(name: str, value: str) -> None:
        start.wait()
        try:
            settings.save_credentials({name: value}, shown=shown)
        except UsageError:
            return
        stored.append(value)

    values = [("TOOLKIT_BASE_URL", f"https://{name}.example.com") for name in ("one", "two", "three")]
    threads = [threading.Thread(target=save, args=each) for each in (*values, ("TOOLKIT_CLIENT_ID", "abc"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = settings.load()
    assert sorted([known.base_url or "", known.client_id or ""]) == sorted(stored)
