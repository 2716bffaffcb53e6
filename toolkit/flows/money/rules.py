"""Categories and transfers by hand: `rules`. Every decision can be undone, and shows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from toolkit.analytics.money.categorise import is_valid_pattern
from toolkit.analytics.money.classify import newest_first
from toolkit.analytics.money.edits.renamed import rules_without_payee
from toolkit.analytics.money.edits.review import payees_of_same_account
from toolkit.analytics.money.edits.settings import PAYEE_RULE, own_names, shown_name
from toolkit.analytics.money.overrides import category_code, check_legs, known_category, override_of, same_override
from toolkit.analytics.money.transactions import matches_of, matching_rule, suggestions_of, with_masked_numbers
from toolkit.analytics.money.transfers import NO_SUCH_TRANSFERS, NOT_TRANSFER
from toolkit.answers.base import Note
from toolkit.answers.decisions import Override, ReviewItem, RuleAdded, RuleRemoved, Rules, RuleTest
from toolkit.answers.money import Transaction
from toolkit.errors import ChoiceRequiredError, UsageError
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.money.edits.review import check_listed
from toolkit.flows.money.overrides import in_force, record_all, take_back
from toolkit.flows.money.spending import account_numbers, classified, stored_categories
from toolkit.flows.wording import OWN_ACCOUNT, counted, payees_of, refuse_changed
from toolkit.remedies import Message, Remedy
from toolkit.store import Store
from toolkit.tables.money import amount
from toolkit.tables.schema.banking import TransactionRow
from toolkit.tables.schema.identity import HouseholdRow
from toolkit.units import HOME_CURRENCY

SHORTEST_END = 4
"""Characters of an id that a person types the end of."""
MOST_CHOICES = 10

Decision = tuple[str, str, str]
"""Kind, subject and value of an override."""


def list_rules(ctx: Context) -> Rules:
    """List the decisions in force, oldest first, and pairs of rows that may be transfers between own accounts.

    Notes name the rules for a payee that no transaction has.
    """
    with open_home(ctx) as (store, household):
        rules = tuple(override_of(row) for row in in_force(store, household.household_id))
        money = classified(store, household)
        unused = rules_without_payee(store.read("choices", household.household_id), money.rows)
        notes = tuple(Note("rule_without_payee", payee=payees_of(rule.subject)) for rule in unused)
        return Rules(rules=rules, suggestions=suggestions_of(money.suggestions), notes=notes)


def add_rule(
    ctx: Context,
    pattern: str,
    category: str,
    *,
    payee: bool = False,
    new_category: bool = False,
    shown: Sequence[Transaction] | ReviewItem | Rules = (),
) -> RuleAdded:
    """Put rows with texts that contain `pattern` (`/…/`: a regular expression) into `category`; the newest rule wins.

    payee: the pattern is the whole name of a payee instead. new_category: the category may be one that nobody has used
    yet. shown: what a page showed it for: transactions, something to review, or the rules. Raises UsageError for an
    invalid pattern, for an unknown category, with the nearest ones, and where one of those transactions has another
    category by now, the item was decided, or a rule of the same words has changed.
    """
    check_pattern(pattern, payee=payee)
    kind, subject = (PAYEE_RULE, " ".join(pattern.split())) if payee else ("rule", pattern)

    def decision(store: Store, household: HouseholdRow) -> Decision:
        if isinstance(shown, Rules):
            _check_rule(store, household, (kind, subject), shown)
        elif isinstance(shown, ReviewItem):
            _check_categories(store, household, shown.transactions)
            check_listed(store, household, [shown])
        else:
            _check_categories(store, household, shown)
        return kind, subject, chosen_category(store, household, category, is_new=new_category)

    return decide(ctx, decision)


def of_same_account(ctx: Context, payee: str) -> tuple[str, ...]:
    """Return the other payees without a category that are the same account, by the last digits of its number."""
    with open_home(ctx) as (store, household):
        return payees_of_same_account(classified(store, household).rows, payee)


def add_own_account(ctx: Context, payees: Sequence[str], *, shown: ReviewItem) -> RuleAdded:
    """Put all rows of payees into an account of the household's own; one undo takes all of it back.

    shown: what a page showed to be reviewed. Raises UsageError where it was decided since.
    """

    def decisions(store: Store, household: HouseholdRow) -> list[Decision]:
        _check_categories(store, household, shown.transactions)
        check_listed(store, household, [shown])
        return [(PAYEE_RULE, payee, OWN_ACCOUNT) for payee in payees]

    return decide_together(ctx, decisions)


def set_category(ctx: Context, transaction: str, category: str, *, new_category: bool = False) -> RuleAdded:
    """Put one transaction (its id, or the end of it) into a category, before any rule.

    new_category: as for `add_rule`. Raises UsageError where there is no such transaction or category,
    ChoiceRequiredError where several ids end so.
    """

    def decision(store: Store, household: HouseholdRow) -> Decision:
        code = chosen_category(store, household, category, is_new=new_category)
        return "category", transaction_called(store, household.household_id, transaction).id, code

    return decide(ctx, decision)


def set_categories(ctx: Context, chosen: Mapping[str, str], *, shown: Sequence[Transaction] = ()) -> None:
    """Put several transactions (id → category) into categories, before any rule; one undo takes all of it back.

    shown: them as a page showed them. Raises UsageError where there is no such transaction or category, or one of those
    shown has another category by now.
    """
    with open_home(ctx) as (store, household), store.transaction():
        _check_categories(store, household, shown)
        home = household.household_id
        codes = {category: chosen_category(store, household, category) for category in set(chosen.values())}
        rows = {id_: transaction_called(store, home, id_).id for id_ in chosen}
        record_all(store, home, [("category", rows[id_], codes[category]) for id_, category in chosen.items()])


def accept_transfer(ctx: Context, one: str, other: str, *, item: ReviewItem | None = None) -> RuleAdded:
    """Make two transactions, in any order, a transfer between own accounts, and with them the series they belong to.

    item: as a page showed them to be reviewed. Raises UsageError where they cannot be one, or the item was decided.
    """

    def decision(store: Store, household: HouseholdRow) -> Decision:
        outgoing, incoming = _legs(store, household.household_id, one, other)
        check_legs(outgoing, incoming)
        if item:
            check_listed(store, household, [item])
        return "transfer", outgoing.id, incoming.id

    return decide(ctx, decision)


def reject_transfer(
    ctx: Context, one: str, other: str = "", *, alike: bool = False, item: ReviewItem | None = None
) -> RuleAdded:
    """Decide that two transactions, in any order (or one, with any other), are not a transfer between own accounts.

    alike: nor are likely pairs with the same words in the same accounts, of today and of later files. item: as for
    `accept_transfer`.
    """

    def decision(store: Store, household: HouseholdRow) -> Decision:
        if not other:
            return NOT_TRANSFER, transaction_called(store, household.household_id, one).id, ""
        outgoing, incoming = _legs(store, household.household_id, one, other)
        if item:
            check_listed(store, household, [item])
        return NO_SUCH_TRANSFERS if alike else NOT_TRANSFER, outgoing.id, incoming.id

    return decide(ctx, decision)


def reject_transfers(ctx: Context, items: Sequence[ReviewItem]) -> None:
    """Decide that pairs to be reviewed are not transfers between own accounts; one undo takes all of it back.

    Likely pairs like them, with the same words in the same accounts, are not listed any more, also of later files.
    Raises UsageError where one of them was decided since it was shown.
    """
    with open_home(ctx) as (store, household), store.transaction():
        check_listed(store, household, items)
        legs = [sorted(item.transactions, key=lambda row: row.amount) for item in items]
        record_all(store, household.household_id, [(NO_SUCH_TRANSFERS, out.id, into.id) for out, into in legs])


def remove_rule(ctx: Context, number: int) -> RuleRemoved:
    """Take a decision back by its number. Raises UsageError where none of that number is in force."""
    with open_home(ctx) as (store, household), store.transaction():
        return RuleRemoved(removed=override_of(take_back(store, household.household_id, number)))


def try_rule(ctx: Context, pattern: str, category: str | None = None, *, payee: bool = False) -> RuleTest:
    """List what a rule would change: rows, newest first, with the category they have and the one they would get.

    payee: as for `add_rule`. Rows with a category chosen by hand keep it. Nothing is stored. Raises UsageError for an
    unknown category.
    """
    check_pattern(pattern, payee=payee)
    with open_home(ctx) as (store, household):
        code = category and chosen_category(store, household, category)
        rows = newest_first(matching_rule(classified(store, household).rows, pattern, payee=payee))
        shown = with_masked_numbers(rows, account_numbers(store, household.household_id))
    return RuleTest(
        pattern=pattern,
        category=code,
        transactions=matches_of(shown),
        count=rows.height,
        spent=amount(-int(rows.filter(pl.col("currency") == HOME_CURRENCY)["amount_minor"].sum())),
        months=tuple(rows["month"].drop_nulls().unique().sort()),
    )


def decide(ctx: Context, decision: Callable[[Store, HouseholdRow], Decision]) -> RuleAdded:
    """Record a decision, unless the same one is in force already: then that one is the answer."""
    return decide_together(ctx, lambda store, household: [decision(store, household)])


def decide_together(ctx: Context, decisions: Callable[[Store, HouseholdRow], Sequence[Decision]]) -> RuleAdded:
    """Record decisions that one undo takes back together, unless all are in force already; answer with the first."""
    with open_home(ctx) as (store, household), store.transaction():
        home = household.household_id
        made, known = decisions(store, household), in_force(store, home)
        same = [same_override(known, *decision) for decision in made]
        if same[0] and all(same):
            return RuleAdded(added=override_of(same[0]), notes=(Note("same_decision", number=same[0].number),))
        return RuleAdded(added=override_of(record_all(store, home, made)[0]))


def check_pattern(pattern: str, *, payee: bool = False) -> None:
    """Raise UsageError for a pattern without a word, or one that is not a valid regular expression."""
    if not is_valid_pattern("payee" if payee and pattern.strip() else pattern):
        raise UsageError(
            f"{pattern!r} is not a valid pattern. Give words to find, or /a regular expression/.", option="PATTERN"
        )


def chosen_category(store: Store, household: HouseholdRow, wanted: str, *, is_new: bool = False) -> str:
    """Return the code of a category. Raises UsageError for one that is not known, unless it may be new."""
    stored = stored_categories(store, household)
    try:
        return known_category(wanted, stored, in_force(store, household.household_id))
    except UsageError:
        if not is_new:
            raise
        return category_code(wanted)


def _check_categories(store: Store, household: HouseholdRow, shown: Sequence[Transaction]) -> None:
    """Raise UsageError where a transaction has another category by now than a page showed."""
    if not shown:
        return
    rows = classified(store, household, ("id", "primary_category", "secondary_category")).rows
    of_shown = rows.filter(pl.col("id").cast(pl.String).is_in([row.id for row in shown])).cast(pl.String)
    now = {id_: secondary or primary for id_, primary, secondary in of_shown.iter_rows()}
    names = own_names(store.read("choices", household.household_id))
    changed = {
        row.merchant or row.description or row.id: shown_name(code, names) if (code := now.get(row.id)) else "none"
        for row in shown
        if now.get(row.id) != (row.secondary_category or row.primary_category)
    }
    refuse_changed("transaction", {}, changed, repeat="Select it again")


def _check_rule(store: Store, household: HouseholdRow, about: tuple[str, str], shown: Rules) -> None:
    """Raise UsageError where the rule about these words, or this payee, has changed since rules were shown.

    about: kind and subject.
    """
    kind, subject = about
    now = [override_of(row) for row in in_force(store, household.household_id)]
    names = own_names(store.read("choices", household.household_id))

    def category(rules: Iterable[Override]) -> str:
        same = [rule for rule in rules if (rule.kind, rule.subject.casefold()) == (kind, subject.casefold())]
        return shown_name(same[-1].value, names) if same else "no category"

    refuse_changed("rule", {subject: category(shown.rules)}, {subject: category(now)})


def _legs(store: Store, home: str, one: str, other: str) -> tuple[TransactionRow, TransactionRow]:
    """Return the two transactions, the one with less money first: money out, then money in."""
    first, second = transaction_called(store, home, one), transaction_called(store, home, other)
    return (second, first) if first.amount_minor > second.amount_minor else (first, second)


def transaction_called(store: Store, home: str, wanted: str) -> TransactionRow:
    """Return the transaction with that id or end of an id. Raises UsageError, ChoiceRequiredError."""
    if row := store.first(TransactionRow, home, where={"id": wanted}):
        return row
    ids = [id_ for (id_,) in store.tuples("transactions", ("id",), home) if id_.endswith(wanted)]
    if len(wanted) < SHORTEST_END or not ids:
        raise UsageError(Message(Remedy.NO_SUCH_TRANSACTION.with_(wanted=wanted), "."))
    if len(ids) > 1:
        raise ChoiceRequiredError(f"{counted(len(ids), 'transaction')} end in {wanted}.", ids[:MOST_CHOICES])
    return store.load(TransactionRow, home, where={"id": ids[0]})[0]
