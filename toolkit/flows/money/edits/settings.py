"""Decisions about single transactions and about categories: split, exclude, tag, note; own names and groups."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from toolkit.analytics.money.basis import CATEGORY, CategorySettings
from toolkit.analytics.money.edits.settings import (
    TRANSACTION,
    Part,
    TransactionSettings,
    category_settings,
    check_parts,
    own_codes,
    own_names,
    shown_name,
    transaction_settings,
)
from toolkit.analytics.money.overrides import category_code
from toolkit.analytics.money.sums.months import EXCLUDED
from toolkit.answers.decisions import Categories, Category, RuleAdded
from toolkit.answers.money import Transaction
from toolkit.errors import UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.rules import Decision, chosen_category, decide, decide_together, transaction_called
from toolkit.flows.money.spending import typed_minor
from toolkit.flows.wording import Shown, refuse_changed
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.reference.categories import OWN_ACCOUNT, category_names, code_named, primary_of, shown_as_one
from toolkit.tables.schema.banking import TransactionRow
from toolkit.tables.schema.identity import HouseholdRow

LONGEST_NAME = 60
LONGEST_NOTE = 500


def split(
    ctx: Context,
    transaction: str,
    parts: Sequence[tuple[Decimal | str, str]],
    *,
    new_category: bool = False,
    shown: Transaction | None = None,
) -> RuleAdded:
    """Split a transaction into parts, each an amount without its sign and a category, that sum to it.

    An amount with a minus is the other way: a refund within a purchase. Without parts the transaction is whole again.
    new_category: categories may be ones that nobody has used yet. shown: the transaction, or one of its parts, as a
    page showed it. Raises UsageError where parts do not sum to the amount, there is no such transaction or category, or
    it has been split or joined since it was shown.
    """

    def decision(store: Store, household: HouseholdRow) -> Decision:
        row = transaction_called(store, household.household_id, transaction)
        if shown is not None:
            _check_parts(_settings_of(store, row), row, shown)
        sign = -1 if row.amount_minor < 0 else 1
        made = tuple(
            Part(
                sign * typed_minor("AMOUNT", given, row.currency),
                chosen_category(store, household, category, is_new=new_category),
            )
            for given, category in parts
        )
        if made:
            check_parts(made, row.amount_minor, row.currency)
        return TRANSACTION, row.id, _changed(parts=made)

    return decide(ctx, decision)


def set_transaction(
    ctx: Context,
    transaction: str,
    *,
    note: str | None = None,
    tag: str | None = None,
    excluded: bool | None = None,
    shown: Transaction | None = None,
) -> RuleAdded:
    """Set the note or the tag of a transaction, or whether it is left out of every sum; None stays as it is.

    An empty text removes a note or a tag. shown: the transaction as a form showed it. Raises UsageError for too long a
    text, where there is no such transaction, or where something that is to change has changed since it was shown.
    """
    texts = _texts(note, tag)
    given: dict[str, str | bool] = {**texts, **({} if excluded is None else {"excluded": excluded})}
    if not given:
        raise UsageError("Nothing is set: a note or a tag is needed.")
    for refusal in wrong_texts(note, tag):
        raise refusal

    def decision(store: Store, household: HouseholdRow) -> Decision:
        row = transaction_called(store, household.household_id, transaction)
        if shown is not None:
            own = _settings_of(store, row)
            _check_parts(own, row, shown)
            now: dict[str, Shown] = {"note": own.note, "tag": own.tag, "excluded": own.excluded}
            words: dict[str, Shown] = {"note": shown.note or "", "tag": shown.tag or ""}
            before = {**words, "excluded": shown.kind == EXCLUDED}
            refuse_changed("transaction", before, {name: now[name] for name in given})
        return TRANSACTION, row.id, _changed(**given)

    return decide(ctx, decision)


def wrong_texts(note: str | None, tag: str | None) -> list[UsageError]:
    """Return why a note and a tag cannot be set, by option; None is not set."""
    texts = _texts(note, tag)
    return [
        UsageError(f"A {field} has at most {longest} characters.", option=field.upper())
        for field, longest in (("tag", LONGEST_NAME), ("note", LONGEST_NOTE))
        if len(texts.get(field, "")) > longest
    ]


def _texts(note: str | None, tag: str | None) -> dict[str, str]:
    """Return the words that are given, with single spaces."""
    return {name: " ".join(text.split()) for name, text in (("note", note), ("tag", tag)) if text is not None}


def _settings_of(store: Store, row: TransactionRow) -> TransactionSettings:
    settings = transaction_settings(store.read("choices", row.household_id, where={"kind": TRANSACTION}))
    return settings.get(row.id, TransactionSettings())


def _check_parts(own: TransactionSettings, row: TransactionRow, shown: Transaction) -> None:
    """Raise UsageError where the parts of a transaction are not those shown. shown: the whole, or one part."""
    _, _, number = shown.id.partition("#")
    is_split = sum(part.amount_minor for part in own.parts) == row.amount_minor  # else it is not applied
    sums = [amount(part.amount_minor, row.currency) for part in own.parts if is_split]
    is_same = sums[int(number) - 1 : int(number)] == [shown.amount] if number else not sums
    if not is_same:
        refuse_changed("transaction", {}, {"parts": ", ".join(map(str, sums)) or "none"}, repeat="Open it again")


def name_category(
    ctx: Context, category: str, *, name: str | None = None, group: str | None = None, shown: Category | None = None
) -> RuleAdded:
    """Give a category a name of the household's own, or put it into another group; an empty text takes that back.

    A group is another category, known or new, and becomes the primary category of its transactions. Codes that are
    shown as one category are named and moved together. shown: the category as a form showed it. Raises UsageError for
    an unknown category, a name that another category has, a group that is the category itself or in it, or where what
    is to change has changed since it was shown.
    """

    def decision(store: Store, household: HouseholdRow) -> list[Decision]:
        code = chosen_category(store, household, category)
        overrides = store.read("choices", household.household_id)
        settings = category_settings(overrides)
        if shown is not None:
            names, of = own_names(overrides), settings.get(code, CategorySettings()).group or primary_of(code)
            now = {"name": shown_name(code, names), "group": shown_name(of, names)}
            before = {"name": shown.name, "group": shown_name(shown.group, names)}
            asked = {field for field, value in (("name", name), ("group", group)) if value is not None}
            refuse_changed("category", before, {field: now[field] for field in asked})
        given = {}
        if group:
            _check_groups(code, group)
        if name is not None:
            given["name"] = _free_name(store, household.household_id, code, name)
        if group:
            given["group"] = chosen_category(store, household, group, is_new=True)
            if given["group"] in shown_as_one(code) or settings.get(given["group"], CategorySettings()).group:
                raise UsageError("A category cannot be in itself, or in one that is itself in a group.")
        elif group is not None:
            given["group"] = ""
        if not given:
            raise UsageError("Nothing is set: a name or a group is needed.")
        value = msgspec.json.encode(given).decode()
        return [(CATEGORY, each, value) for each in shown_as_one(code)]

    return decide_together(ctx, decision)


def add_category(ctx: Context, name: str, *, group: str = "") -> RuleAdded:
    """Add a category of the household's own, in a group where one is given; its code is made from its name.

    Raises UsageError where a category has that name.
    """

    def decision(store: Store, household: HouseholdRow) -> Decision:
        if not name.strip():
            raise UsageError("A category needs a name, such as Groceries.", option="NAME")
        code = category_code(name)
        shown = _free_name(store, household.household_id, code, name)
        overrides = store.read("choices", household.household_id)
        if code in category_names().keys() | own_codes(overrides):
            known = shown_name(code, own_names(overrides))
            raise UsageError(f"There is a category {known!r} already.", option="NAME")
        if group:
            _check_groups(code, group)
        in_group = chosen_category(store, household, group) if group else ""
        return CATEGORY, code, msgspec.json.encode(CategorySettings(shown, in_group)).decode()

    return decide(ctx, decision)


def list_categories(ctx: Context) -> Categories:
    """List every category with its name and group, those of the household's own included, by group and name."""
    with open_home(ctx) as (store, household):
        overrides = store.read("choices", household.household_id)
    settings, names = category_settings(overrides), own_names(overrides)
    codes = category_names().keys() | own_codes(overrides)

    def group_of(code: str) -> str:
        return settings.get(code, CategorySettings()).group or primary_of(code)

    def order(category: Category) -> tuple[str, bool, str]:
        return shown_name(category.group, names).casefold(), category.code != category.group, category.name.casefold()

    listed = [Category(code, shown_name(code, names), group_of(code), code not in category_names()) for code in codes]
    return Categories(categories=tuple(sorted(listed, key=order)))


def _check_groups(code: str, group: str) -> None:
    """Raise UsageError where transfers would be a group of spending, or in one."""
    if OWN_ACCOUNT in (code, category_code(group), code_named(group)):
        raise UsageError("Moves between your own accounts are not spending, so they are no group and in none.")


def _free_name(store: Store, household_id: str, code: str, wanted: str) -> str:
    """Return a name as it is stored. Raises UsageError where it is too long, or another category has it."""
    name = " ".join(wanted.split())
    if len(name) > LONGEST_NAME:
        raise UsageError(f"The name of a category has at most {LONGEST_NAME} characters.", option="NAME")
    overrides = store.read("choices", household_id)
    names = own_names(overrides)
    others = (category_names().keys() | own_codes(overrides)).difference(shown_as_one(code))
    if name and name.casefold() in {shown_name(other, names).casefold() for other in others}:
        raise UsageError(f"Another category is called {name!r}.", option="NAME")
    return name


def _changed(**fields: object) -> str:
    """Return the fields that a decision sets, as JSON. They are checked against `TransactionSettings`."""
    msgspec.convert(msgspec.to_builtins(fields), TransactionSettings)
    return msgspec.json.encode(fields).decode()
