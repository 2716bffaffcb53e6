"""What to look at after new data, and that it is fine: `rules review`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from toolkit.analytics.money.categorise import in_force
from toolkit.analytics.money.edits.review import OF_PAYEES, Reviewed, to_review
from toolkit.analytics.money.edits.settings import own_names
from toolkit.analytics.money.overrides import REVIEWED
from toolkit.answers.decisions import ReviewItem, ToReview
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.overrides import record
from toolkit.flows.money.spending import account_numbers, classified
from toolkit.flows.money.summary import own_people
from toolkit.store import Store
from toolkit.tables.schema.identity import HouseholdRow


def list_to_review(ctx: Context) -> ToReview:
    """List new payees, likely transfers and unusual amounts that nobody decided about, most money first."""
    with open_home(ctx) as (store, household):
        return _listed(store, household)


def mark_fine(ctx: Context, items: Sequence[ReviewItem] | None = None) -> ToReview:
    """Leave what is listed as it is: some items, or all; list what remains. One undo takes it back.

    Likely transfers are not left: they are listed until somebody says whether they are transfers. Raises UsageError
    where one of the items is not listed any more, as somebody has decided about it.
    """
    with open_home(ctx) as (store, household), store.transaction():
        if items is not None:
            check_listed(store, household, items)
        listed = _listed(store, household).items if items is None else items
        fine = [item for item in listed if item.kind != "transfer"]
        if fine:
            reviewed = Reviewed(
                payees=tuple(item.name.lower() for item in fine if item.kind in OF_PAYEES and item.name),
                transactions=tuple(
                    (row.id,) for item in fine if item.kind not in OF_PAYEES for row in item.transactions
                ),
            )
            record(store, household.household_id, REVIEWED, "", msgspec.json.encode(reviewed).decode())
        return _listed(store, household)


def decided_together(items: Sequence[ReviewItem]) -> tuple[tuple[ReviewItem, ...], ...]:
    """Return the items in groups, each of which takes one decision; the order is that of their first items."""
    groups: dict[str, tuple[ReviewItem, ...]] = {}
    seen: set[str] = set()
    for item in items:
        if (key := item_key(item)) not in seen:
            groups[key] = alike(items, item)
            seen |= {item_key(each) for each in groups[key]}
    return tuple(groups.values())


def alike(items: Sequence[ReviewItem], item: ReviewItem) -> tuple[ReviewItem, ...]:
    """Return the items that a decision about one is also about, that one first.

    Those are likely transfers between the same accounts with the same names on both sides; of other kinds it is alone.
    """
    others = [each for each in items if each is not item and item.kind == "transfer" and _sides(each) == _sides(item)]
    return item, *others


def _sides(item: ReviewItem) -> list[tuple[str, str]]:
    """Return account and name of each side of what may be a transfer, the outgoing one first."""
    legs = sorted(item.transactions, key=lambda row: row.amount)
    return [(leg.account_id, (leg.merchant or leg.description or "").casefold()) for leg in legs]


def check_listed(store: Store, household: HouseholdRow, items: Sequence[ReviewItem]) -> None:
    """Raise UsageError where one of the items is not to review any more. Runs in the transaction that decides."""
    listed = _listed(store, household)
    known = {(item_key(item), item.left) for item in (*listed.items, *listed.left)}
    if not {(item_key(item), item.left) for item in items} <= known:
        raise UsageError(
            "This was decided after the page was opened, in another tab or elsewhere. Nothing was changed."
        )


def item_key(item: ReviewItem) -> str:
    """Return what an item is about: a payee, or transactions."""
    ids = sorted(row.id for row in item.transactions)
    return f"{item.kind}-{item.name if item.kind in OF_PAYEES else '-'.join(ids)}"


def _listed(store: Store, household: HouseholdRow) -> ToReview:
    overrides = store.read("choices", household.household_id)
    numbers = account_numbers(store, household.household_id)
    people = own_people(store, household.household_id)
    money = classified(store, household)
    (items, more), left = to_review(money, overrides, numbers, people), tuple[ReviewItem, ...]()
    if in_force(overrides, REVIEWED):
        listed = {*map(item_key, items)}
        every, _ = to_review(money, overrides, numbers, people, again=True)
        left = tuple(replace(item, left=True) for item in every if item_key(item) not in listed)
    return ToReview(items=items, more=more, left=left, category_names=own_names(overrides))
