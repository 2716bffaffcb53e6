"""Answers about money."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from toolkit.answers.base import Answer, Note, Noted, Rows
from toolkit.answers.energy.invoices import BillCounted
from toolkit.problems import Problem

By = Literal["category", "merchant", "account", "tag", "person"]
Against = Literal["previous", "last-year"]
Per = Literal["week", "month", "year"]


class SpendingRow(msgspec.Struct, frozen=True):
    """Spending of one category, merchant, account, tag or person, in one month where months were asked for."""

    spent: Decimal
    """Money out less refunds; negative where more came back."""
    count: int
    """Transactions."""
    month: str | UnsetType | None = UNSET
    """`2026-07`; null for transactions without a date."""
    primary_category: str | UnsetType | None = UNSET
    """Code of the service's list, or a category of the household's own; null where none is known."""
    secondary_category: str | UnsetType | None = UNSET
    merchant: str | UnsetType | None = UNSET
    account_id: str | UnsetType = UNSET
    account_name: str | UnsetType | None = UNSET
    tag: str | UnsetType | None = UNSET
    """Null for rows without a tag."""
    person: str | UnsetType | None = UNSET
    """Owner of the account; null where nobody is known."""


class SpendingRows(Rows[SpendingRow]):
    """The rows of `spending`, most money first (in each month)."""

    row_type = SpendingRow


class OtherCurrency(msgspec.Struct, frozen=True):
    """Sums in a currency other than AUD, in that currency; they are in no other figure."""

    currency: str
    spent: Decimal
    income: Decimal
    transfers: Decimal
    pending: Decimal
    count: int


COMPARED_WITH_NOTHING = "compared_with_nothing"
COMPARED_WITH_A_PART = "compared_with_a_part"
COMPARED_WITHOUT_ACCOUNT = "compared_without_account"
COMPARED_BEFORE_ITS_END = "compared_before_its_end"
"""Codes of the notes on what a comparison lacks."""


DEPOSITS_WITHOUT_CATEGORY = "deposits_without_category"
"""Code of the note that money which came in has no category, so that it is no income."""


class Spending(Answer, Noted, frozen=True, kw_only=True):
    """Where the money went: what `spending` answers. Amounts in AUD."""

    from_: date | None = msgspec.field(name="from")
    """First day: the one asked for, else that of the first transaction; null without any."""
    to: date | None
    """Last day, inclusive."""
    by: By
    rows: SpendingRows
    spent: Decimal
    """Sum of the rows."""
    income: Decimal
    transfers: Decimal
    """Outgoing legs of transfers between the household's own accounts; they are in no row."""
    excluded: Decimal = Decimal("0.00")
    """Money out less money in of the rows that people left out of every sum."""
    pending: Decimal
    """Pending expenses, whether they are included in `spent` or not."""
    other_currencies: tuple[OtherCurrency, ...]
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""
    problems: tuple[Problem, ...] = ()
    category_names: dict[str, str] = msgspec.field(default_factory=dict)
    """Category code → the household's own name for it."""
    against: Spending | UnsetType = UNSET
    """The same for the period that it is compared with."""

    @property
    def before(self) -> Spending | None:
        """The period compared with, where anything of it can be known: no change is a figure without it."""
        return None if COMPARED_WITH_NOTHING in self.note_codes else self.against or None

    @property
    def wholly_known_before(self) -> Spending | None:
        """The period compared with, where all of it is known: only then is a difference a change."""
        partly = {COMPARED_WITH_A_PART, COMPARED_WITHOUT_ACCOUNT}
        return self.before if partly.isdisjoint(self.note_codes) else None

    @property
    def deposits_without_category(self) -> Note | None:
        """The note on money that came in without a category, where it is much."""
        return next((note for note in self.notes if note.code == DEPOSITS_WITHOUT_CATEGORY), None)

    @property
    def comparison_lacks(self) -> tuple[Note, ...]:
        """The notes on what the comparison lacks."""
        codes = (
            *(COMPARED_WITH_NOTHING, COMPARED_WITH_A_PART),
            *(COMPARED_WITHOUT_ACCOUNT, COMPARED_BEFORE_ITS_END),
        )
        return tuple(note for note in self.notes if note.code in codes)


class IncomeSource(msgspec.Struct, frozen=True):
    """Who paid income."""

    name: str | None
    amount: Decimal
    count: int
    """Transactions."""


class UnusualSpending(msgspec.Struct, frozen=True, kw_only=True):
    """Spending of a category that is far above the household's own usual month. AUD."""

    category: str
    """Primary category."""
    spent: Decimal
    usual: Decimal
    """Median of the months before, at most twelve."""
    merchant: str | None
    """Payee with the largest rise of spending."""
    merchant_more: Decimal
    """By how much it rose above its own median."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent in a category, and what was so far. AUD."""

    category: str
    """Primary or secondary category."""
    per: Per
    budget: Decimal
    from_: date = msgspec.field(name="from")
    to: date
    """Last day of this week, month or year."""
    spent: Decimal
    left: Decimal
    """Negative where more was spent."""
    pace: Decimal
    """What would be spent by `as_of` at an even pace."""
    state: Literal["ok", "fast", "over"]


class Budgets(Answer, frozen=True, kw_only=True):
    """Every budget by category, and what is unusual in the last 30 days: what `budget list|set|remove` answer."""

    as_of: date
    """Today, or the last day with a transaction where that is more than three days ago."""
    budgets: tuple[Budget, ...]
    """Of the week, month or year of `as_of`."""
    unusual: tuple[UnusualSpending, ...] = ()


class Review(Answer, frozen=True, kw_only=True):
    """A financial year: what `review` answers. Amounts in AUD."""

    year: int
    """The year of the June in which it ends."""
    from_: date = msgspec.field(name="from")
    to: date
    spending: Spending
    """By category; `against` is the year before."""
    income: tuple[IncomeSource, ...]
    largest: tuple[Transaction, ...]
    """The ten largest expenses."""


class Transaction(msgspec.Struct, frozen=True):
    """A posted or pending transaction."""

    id: str
    """The service's identity, or `file:` and a hash of the row's content; `ID#1`, `ID#2` … are parts of a split one."""
    date: date | None
    """Local day of the household; null where the bank gave none."""
    account_id: str
    """The account; a linked one under the id that it counts under."""
    amount: Decimal
    """In `currency`, with its decimals; money out is negative."""
    currency: str
    status: str
    """`POSTED` or `PENDING`."""
    description: str | None
    merchant: str | None
    """Who was paid or who paid; null where the row names nobody."""
    primary_category: str | None
    """Null where none is known, and for transfers between own accounts."""
    secondary_category: str | None
    category_source: str | None
    """`manual`, `rule`, `provider`, `bank`, `mcc`, `type` or `keyword`."""
    kind: str
    """`expense`, `income`, `transfer` or `excluded`."""
    category_confidence: str | None
    """As the service gives it, where its category is used; else null."""
    transfer_partner: str | None
    """Id of the other leg of a transfer between own accounts."""
    possible_partners: tuple[str, ...]
    """Ids of transactions that may be the other leg; nobody has accepted or rejected them."""
    tag: str | None = None
    note: str | None = None
    """The household's own words."""
    rule: int | None = None
    """Number of the rule that gave the category."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Sums of all transactions that meet what was asked, listed or not; in AUD, of posted ones."""

    count: int
    """Transactions, in any currency, pending ones too."""
    spent: Decimal
    """Money out less refunds."""
    income: Decimal
    transfers: Decimal
    """Outgoing legs of transfers between the household's own accounts."""


class Transactions(Answer, frozen=True, kw_only=True):
    """Transactions, newest first; those without a date come last: what `transactions` answers."""

    transactions: tuple[Transaction, ...]
    """Not columnar: the amounts have as many decimals as their currencies."""
    found: Found
    category_names: dict[str, str] = msgspec.field(default_factory=dict)
    """Category code → the household's own name for it."""
    problems: tuple[Problem, ...] = ()


class AmountRange(msgspec.Struct, frozen=True):
    """Amounts of recent payments of a series, in AUD: money out is negative."""

    low: Decimal
    usual: Decimal
    """Their median."""
    high: Decimal


class PriceChange(msgspec.Struct, frozen=True):
    """The first payment at a new price, and the price before."""

    paid_before: date
    """Day of the last payment at the price before."""
    date: date
    before: Decimal
    after: Decimal


class RecurringPayment(msgspec.Struct, frozen=True):
    """A payment, or income, that recurs. Amounts in AUD, money out negative."""

    name: str
    account_id: str | None
    cadence: str
    """`weekly`, `fortnightly`, `monthly`, `quarterly`, `half-yearly` or `yearly`."""
    amount: AmountRange
    last: date | None
    """Day of the last payment; null where there is none."""
    next: date | None
    """Next due day, today or later, on a business day where it keeps to these; null where it has ended."""
    yearly: Decimal
    """The usual amount times payments a year."""
    confidence: float
    """0 to 1."""
    source: str
    """`scheduled_payment`, `loan`, `direct_debit` or `detected`."""
    changes: tuple[PriceChange, ...]
    kind: str = "bill"
    """`subscription`, `bill`, `pay`, `loan`, `card`, or `payment` where its category shows none of these."""
    missed: tuple[date, ...] = ()
    """Due days that passed without a payment."""
    next_bill: NextEnergyBill | None = None
    """The energy bill that is expected in place of its next payment; null where the payment itself is."""


class NextEnergyBill(msgspec.Struct, frozen=True):
    """An energy bill in place of a regular payment, as the cash flow counts it."""

    date: date
    amount: Decimal
    """AUD, money out negative."""
    source: str
    """`issued_bill` for a bill that has come, `energy_bill` for a forecast one."""


class Upcoming(msgspec.Struct, frozen=True, kw_only=True):
    """A payment, or income, that is expected on a day."""

    overdue_since: date | None = None
    """Due day of a stored energy bill where that has passed: it is expected today."""
    date: date
    name: str
    amount: Decimal
    """AUD, money out negative."""
    account_id: str | None
    source: str
    """As in `recurring`; `card` for what is due on a card, `issued_bill` for an energy bill that has come,
    `energy_bill` for a forecast one."""
    kind: str

    @property
    def title(self) -> str:
        """Return the name, with what marks an energy bill: expected, or overdue."""
        return _title(self.name, self.source, self.overdue_since)


def _title(name: str, source: str, overdue_since: date | None) -> str:
    if overdue_since is not None:
        return f"{name} (overdue since {overdue_since.day} {overdue_since:%b %Y})"
    return f"{name} (expected)" if source == "energy_bill" else name


class Recurring(Answer, Noted, frozen=True, kw_only=True):
    """Payments and income that recur, dearest first: what `recurring` answers."""

    recurring: tuple[RecurringPayment, ...]
    ended: tuple[RecurringPayment, ...] = ()
    """Those that stopped within a year; `missed` has the due days since."""
    upcoming: tuple[Upcoming, ...] = ()
    """What is expected in the next 90 days, by day."""
    yearly_out: Decimal = Decimal("0.00")
    """Sum of `yearly` of what is paid, positive; payments of own cards are not in it, as purchases are spending."""
    yearly_in: Decimal = Decimal("0.00")
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""


class CashflowItem(msgspec.Struct, frozen=True):
    """A payment that is expected on a day."""

    name: str
    amount: Decimal
    """AUD, money out negative."""
    source: str
    """As in `recurring`; `card` for what is due on a card, `issued_bill` for an energy bill that has come,
    `energy_bill` for a forecast one, `transfer`."""
    overdue_since: date | None = None
    """Due day of a stored energy bill where that has passed: it is expected today."""

    @property
    def title(self) -> str:
        """Return the name, with what marks an energy bill: expected, or overdue."""
        return _title(self.name, self.source, self.overdue_since)


class CashflowDay(msgspec.Struct, frozen=True):
    """The balance at the end of a day, in AUD; null where it cannot be projected."""

    date: date
    p10: Decimal | None
    """In 1 of 10 projections the balance is lower."""
    p50: Decimal | None
    """In half of the projections the balance is lower."""
    p90: Decimal | None
    """In 9 of 10 projections the balance is lower."""
    items: tuple[CashflowItem, ...]
    """Expected payments of the day."""


class LowPoint(msgspec.Struct, frozen=True):
    """The day with the lowest balance: the first with the lowest p50."""

    date: date
    p10: Decimal | None
    p50: Decimal | None
    p90: Decimal | None = None
    cause: tuple[CashflowItem, ...] = ()
    """The largest payments of that day and the six before it."""


class AccountCashflow(msgspec.Struct, frozen=True, kw_only=True):
    """The balance of one account; transfers to and from other accounts count here."""

    account_id: str
    days: tuple[CashflowDay, ...]
    low_point: LowPoint | None
    start: Decimal | None = None
    """Balance on `start_day`, with pending transactions, in AUD."""
    start_day: date | None = None
    """Today, or the last day that the account's rows and balance show."""
    until_pay: UntilPay | None = None
    """Null without pay that comes regularly into this account."""


class UntilPay(msgspec.Struct, frozen=True, kw_only=True):
    """What is left on the day before the next pay, in AUD."""

    date: date
    """Day of the pay."""
    name: str
    amount: Decimal
    """Usual pay."""
    left: Decimal
    """Today's balance less the payments that are known to come before that day."""
    p10: Decimal | None
    """The same, less usual other spending."""
    p50: Decimal | None
    p90: Decimal | None


class CashflowBacktest(msgspec.Struct, frozen=True, kw_only=True):
    """How such projections fared on the household's own past."""

    origins: int
    """Past days from which the balance was projected."""
    checks: int
    """Projected days compared with the real balance: 7, 14, 30, 60 and 89 days ahead."""
    coverage: float
    """Share of the real balances between p10 and p90; the range is as wide as the other origins ask for."""
    mae: Decimal
    """Mean absolute error of p50, AUD."""


_STORED_BILLS = (
    *("energy_bill_issued", "energy_bill_issued_part", "energy_bill_overdue", "energy_bill_overdue_part"),
    "energy_bill_not_seen",
)


class Cashflow(Answer, Noted, frozen=True, kw_only=True):
    """Balance of everyday, savings and card accounts, together and each: what `cashflow` answers. Amounts in AUD."""

    from_: date = msgspec.field(name="from")
    """Today."""
    to: date
    """Last day, inclusive."""
    days: tuple[CashflowDay, ...]
    low_point: LowPoint | None
    """Null where no balance is stored."""
    start: Decimal | None = None
    """Balance on `start_day`, with pending transactions; null where none is stored."""
    start_day: date | None = None
    """Today, or the last day with a transaction where that is more than three days ago; null without a balance."""
    accounts: tuple[AccountCashflow, ...] = ()
    """Each account with a known balance."""
    until_pay: UntilPay | None = None
    """Null without a balance, or without pay that comes regularly."""
    backtest: CashflowBacktest | None = None
    """Null where the past is too short."""
    without_balance: tuple[str, ...] = ()
    """Ids of accounts that are left out because their balance is not known."""
    cards_elsewhere: tuple[str, ...] = ()
    """Payees of cards that are paid each month and are not among the accounts: what is owed on them is not known."""
    bills: tuple[BillCounted, ...] = ()
    """The stored energy bills not seen as paid that are taken off, by day."""
    notes: tuple[Note, ...]
    note_codes: tuple[str, ...] = ()
    """The code of each note."""

    @property
    def balances_missing(self) -> tuple[Note, ...]:
        """Return the notes on accounts that are left out because their balance is not known."""
        return tuple(note for note in self.notes if note.code == "balance_missing")

    @property
    def card_notes(self) -> tuple[Note, ...]:
        """Return the note on cards that are paid and are not among the accounts."""
        return tuple(note for note in self.notes if note.code == "card_elsewhere")

    @property
    def bill_notes(self) -> tuple[Note, ...]:
        """Return the notes on stored energy bills that are not seen as paid."""
        return tuple(note for note in self.notes if note.code in _STORED_BILLS)

    @property
    def range_notes(self) -> tuple[Note, ...]:
        """Return the notes on how the ranges of past projections fared."""
        return tuple(note for note in self.notes if note.code in ("range_checked", "range_not_checked"))


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A stored account."""

    id: str
    name: str | None
    """As the household named it, else as the bank does."""
    number: str | None
    """Masked by the bank or by the toolkit."""
    institution: str | None
    kind: str | None
    """`everyday`, `savings`, `offset`, `card`, `loan` or `term-deposit`; null where unknown."""
    source: str
    """`service` or `file`."""
    balance: Decimal | None
    """AUD, negative is owed; null where none is known."""
    balance_at: date | None
    """The day of the balance (at its end)."""
    linked_to: tuple[str, ...]
    """Ids of the accounts that count as one with it, the one that they count under first."""
    from_: date | None = msgspec.field(name="from")
    """First day with a posted transaction."""
    to: date | None
    """Last day with a posted transaction."""
    transactions: int
    """Stored rows, also those that a linked account has too."""
    person: str | None = None
    """Its owner, as people set it."""
    different_from: tuple[str, ...] = ()
    """Ids of the accounts that a person separated it from."""


class Accounts(Answer, frozen=True, kw_only=True):
    """Every stored account, by id: what `accounts list|link|unlink|set` answer."""

    accounts: tuple[Account, ...]
    problems: tuple[Problem, ...] = ()
    """Warnings name accounts that may be one."""
    may_be_one: tuple[tuple[str, ...], ...] = ()
    """Ids of the accounts of each of these warnings."""
    likely_cards: tuple[str, ...] = ()
    """Ids of accounts of unknown kind that look like a credit card: purchases, and payments received for them."""


class AccountBalance(msgspec.Struct, frozen=True):
    """The balance of an account at the end of a day."""

    account_id: str
    balance: Decimal
    """AUD, negative is owed."""


class NetWorthMonth(msgspec.Struct, frozen=True, kw_only=True):
    """What the household had and owed at the end of a month. AUD; null where the balance of an account is not known."""

    month: str
    """`2026-07`."""
    date: date
    """Last day of the month, or today."""
    assets: Decimal | None
    debts: Decimal | None
    """Positive: what is owed."""
    net: Decimal | None
    accounts: tuple[AccountBalance, ...]
    """Balances that are known, by account id."""
    missing: tuple[str, ...]
    """Ids of accounts with a balance that is known only later."""


class NetWorth(Answer, Noted, frozen=True, kw_only=True):
    """Net worth by month: what `networth` answers."""

    from_: date | None = msgspec.field(name="from")
    """First day on which a balance is known, or the one asked for."""
    to: date | None
    months: tuple[NetWorthMonth, ...]
    without_balance: tuple[str, ...]
    """Ids of accounts without any known balance; they are in no figure."""
    cards_elsewhere: tuple[str, ...] = ()
    """Payees of cards that are paid each month and are not among the accounts; what is owed on them is in no figure."""
    loans_elsewhere: tuple[str, ...] = ()
    """Payees of loans that are repaid each month and are not among the accounts."""
    notes: tuple[Note, ...] = ()
    note_codes: tuple[str, ...] = ()
    """The code of each note."""

    @property
    def debt_notes(self) -> tuple[Note, ...]:
        """Return the note on debts that are paid and are not among the accounts."""
        return tuple(note for note in self.notes if note.code == "debts_elsewhere")


class AccountFees(msgspec.Struct, frozen=True, kw_only=True):
    """Fees and interest of an account in a financial year. AUD."""

    year: int
    """The year of the June in which it ends."""
    account_id: str
    account_name: str | None
    fees: Decimal
    """Money out less refunds, without interest."""
    interest_charged: Decimal
    interest_earned: Decimal
    count: int
    """Transactions."""
    own_rate: float | None
    """Yearly rate on the account's record, as a share: 0.05 is 5 %."""
    published_rate: float | None
    """The lowest rate published for its product."""


class Fees(Answer, frozen=True, kw_only=True):
    """Fees and interest by account and financial year, the newest first: what `fees` answers."""

    accounts: tuple[AccountFees, ...]
