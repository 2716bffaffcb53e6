"""Transfers between the household's own accounts: pairs for which there is evidence, and pairs that are only likely.

A pair is an outgoing and an incoming row of the same currency and amount in two own accounts, the outgoing one on the
same day or up to five days earlier (a long weekend). It is taken, and only where neither leg has another such partner,

- where one leg names the other's account by its number, or both have the same end-to-end id;
- where it continues the series of a pair that a person accepted: the same two accounts, the same words on both legs;
- where both legs speak of a transfer, or name one of the household's own people, and neither names anybody else. Of a
  payment into an own card or loan the incoming leg alone needs to speak of it (`BPAY WESTPAC CARDS` names nobody). A
  comment that is not usual for moving one's own money ("rent", "dinner") counts as naming somebody, unless both legs
  bear the same one; a row of a loan's category is never taken to name somebody.

A leg that names another account than its partner's makes no pair. Several equal transfers between the same two accounts
are taken together, for it does not matter which leg meets which. Posted legs are matched before pending ones. A pair of
which one leg hints at a transfer, or names an own person, and at most one names somebody else (or both the same), is a
suggestion, for a person to accept or reject.

The evidence of a row (columns `EVIDENCE`):

names             strong: the other own account that the row names by its number, or null
other_end         the last four digits of the account that its text gives as payee or payer, or null
account_end       the last four digits of its own account, or null
is_transfer_hint  weak: its type, category or words name a transfer, or it is money into an own card or loan account
is_repayment      it is money into an own card or loan account, by its words or category; into one of an unknown kind by
                  "payment … thank you"
mentions          its texts contain a word of an own person's name: worth a closer look (see `counterparty_of`)
is_spending_hint  a person, a rule, the service or a merchant code classifies it as spending or income
never_transfer    a person or a person's rule classifies it as spending or income
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import polars as pl

from toolkit.analytics.money.accounts import CARDS
from toolkit.analytics.money.accounts import LOANS as DEBTS
from toolkit.analytics.money.categorise import BY_PERSON, TEXTS, in_force, is_own_account
from toolkit.analytics.money.parties import Counterparty, OwnNames, Person, Texts, counterparty_of
from toolkit.tables.reference.categories import (
    CARD_PAYMENT,
    CASH,
    LOANS,
    OWN_ACCOUNT,
    TRANSFERS,
    keywords,
    primaries,
)
from toolkit.tables.schema.journal import OverrideRow

EVIDENCE = (
    *("names", "other_end", "account_end", "is_transfer_hint", "is_repayment", "mentions"),
    *("is_spending_hint", "never_transfer"),
)
"""The columns that `with_evidence` adds."""

_TRUSTED = (*BY_PERSON, "provider", "bank", "mcc")
_REPAID = r"\b(?:payment|repayment|repaid|paid|thank you|credit|deposit)\b"
_THANKED = r"\bpayment\b.*\bthank ?you\b"

WINDOW_DAYS = 5
"""Thursday before Easter to the Tuesday after it."""

PAIRS = {"out_id": pl.String, "in_id": pl.String, "day": pl.Date, "amount_minor": pl.Int64, "currency": pl.String}
_NO_END_TO_END = ("", "NOTPROVIDED")
_LEG = (
    *("id", "account", "words", "names", "other_end", "account_end"),
    *("is_transfer_hint", "is_repayment", "mentions", "is_spending_hint"),
    *("end_to_end_id", "status", "primary_category"),
)
_LEG_FACTS = ("is_out", "is_loan", "is_chosen")
_COUNTERPARTY = {"is_own": pl.Boolean, "third_party": pl.String, "comment": pl.String}
_SERIES = ("out_account", "out_words", "in_account", "in_words")


def with_evidence(rows: pl.LazyFrame, accounts: pl.DataFrame, people: Sequence[Person] = ()) -> pl.LazyFrame:
    """Add the columns of `EVIDENCE` to the rows.

    rows: with categories, `account` the account under its main id. accounts: table `accounts` with `account`.
    people: of the household.
    """
    texts = [pl.col(name) for name in (*TEXTS, "extended_description")]
    texted = rows.with_columns(_text=pl.concat_str(texts, separator=" ", ignore_nulls=True).str.to_lowercase())
    # The other account that the row's texts have the number of, or the masked end of the number.
    text, own = pl.col("_text"), pl.col("account")
    named = [
        pl.when(text.str.contains(pattern) & (own != account)).then(pl.lit(account))
        for account, pattern in _patterns(accounts)
    ]
    named_account = pl.coalesce(named) if named else pl.lit(None, pl.String)
    # Banks cut surnames short, and write them without accents and apostrophes.
    beginnings = {(person.surname or person.given[0])[:3] for person in people}
    plain = pl.col("_text").str.normalize("NFKD").str.replace_all(r"[^a-z0-9 ]", "")
    mentions = plain.str.contains("|".join(sorted(beginnings))) if beginnings else pl.lit(value=False)
    texted = texted.with_columns(
        names=named_account,
        other_end=other_end(pl.col("_text")),
        account_end=_account_end(accounts),
        is_transfer_hint=_is_transfer_hint(accounts),
        is_repayment=_is_repayment(accounts),
        mentions=mentions,
        is_spending_hint=_is_spending_hint(),
    )
    return texted.with_columns(
        never_transfer=pl.col("is_spending_hint") & pl.col("category_source").is_in(BY_PERSON)
    ).drop("_text")


def other_end(text: pl.Expr) -> pl.Expr:
    """Return the last four digits of the account that a text, lower case, says money went to or came from."""
    number = r"(?:account |acct |acc |a/c )?[x*•]+[ -]?(\d{4})\b"
    sent_to, came_from = (text.str.extract(rf"\b{word} {number}") for word in ("to", "from"))
    return pl.when(pl.col("amount_minor") < 0).then(sent_to).otherwise(came_from)


def _account_end(accounts: pl.DataFrame) -> pl.Expr:
    """Null where the account's number is not known, or two accounts that are one have different numbers."""
    known: dict[str, set[str]] = {}
    for account, number, masked in accounts.select("account", "account_number", "masked_number").iter_rows():
        if len(digits := _digits(number) or _digits(masked)) >= 4:
            known.setdefault(account, set()).add(digits[-4:])
    ends = {account: min(tails) for account, tails in known.items() if len(tails) == 1}
    return pl.col("account").replace_strict(ends, default=None, return_dtype=pl.String)


def _patterns(accounts: pl.DataFrame) -> list[tuple[str, str]]:
    numbers = accounts.select("account", "account_number", "masked_number").unique(maintain_order=True).sort("account")
    ends = [(account, _digits(number) or _digits(masked)) for account, number, masked in numbers.iter_rows()]
    tails = [digits[-4:] for _, digits in ends]
    return [
        (account, _pattern(digits, alone=tails.count(digits[-4:]) == 1)) for account, digits in ends if len(digits) >= 4
    ]


def _digits(number: str | None) -> str:
    return re.sub(r"\D", "", re.split(r"[xX*•]", number or "")[-1])


def _pattern(digits: str, *, alone: bool) -> str:
    """A whole number of six digits or more, spaced as people do; or its masked end, where no other account has it."""
    whole = rf"(?:^|\D){r'[ -]?'.join(digits)}(?:\D|$)" if len(digits) >= 6 else None
    masked = rf"(?:[x*•]+[ -]?|ending (?:in )?|a/c |acct |account ){digits[-4:]}(?:\D|$)" if alone else None
    return "|".join(pattern for pattern in (whole, masked) if pattern) or r"[^\s\S]"


def _is_transfer_hint(accounts: pl.DataFrame) -> pl.Expr:
    """Whether there is weak evidence of a transfer. Cash withdrawals and new debt are none."""
    primary, secondary, text = pl.col("primary_category"), pl.col("secondary_category"), pl.col("_text")
    by_category = primary.is_in([*TRANSFERS, OWN_ACCOUNT]) | (secondary == CARD_PAYMENT)
    by_loan = (pl.col("amount_minor") < 0) & (primary == LOANS) & pl.lit(bool(_owed(accounts)))
    hints = [names_transfer(text), by_category, _is_repayment(accounts), by_loan]
    return pl.any_horizontal([part.fill_null(False) for part in hints]) & ~secondary.is_in(CASH).fill_null(False)


def _owed(accounts: pl.DataFrame) -> list[str]:
    return accounts.filter(pl.col("product_category").is_in([*DEBTS, *CARDS]))["account"].to_list()


def _is_repayment(accounts: pl.DataFrame) -> pl.Expr:
    """Whether a row is money into an own card or loan account, by its words or category.

    Files of cards often have no balance that would show what they are; in accounts of an unknown kind the words by
    which lenders alone confirm a payment tell.
    """
    came_in, account, text = pl.col("amount_minor") > 0, pl.col("account"), pl.col("_text").str
    by_category = (pl.col("primary_category") == LOANS).fill_null(value=False)
    is_known = account.is_in(accounts.filter(pl.col("product_category").is_not_null())["account"].to_list())
    into_debt = account.is_in(_owed(accounts)) & (by_category | text.contains(_REPAID))
    return (came_in & (into_debt | (~is_known & text.contains(_THANKED)))).fill_null(value=False)


def names_transfer(text: pl.Expr) -> pl.Expr:
    """Whether a row's type or text, lower case, names a transfer."""
    by_type = pl.col("type").str.to_uppercase().str.contains(rf"^(?:{'|'.join(keywords().transfer_types)})")
    by_words = text.str.contains(rf"\b(?:{'|'.join(keywords().transfer_words)})\b")
    return by_type.fill_null(value=False) | by_words.fill_null(value=False)


def _is_spending_hint() -> pl.Expr:
    """Whether a trusted source names a purpose other than a transfer. The category of a repayment does not count."""
    primary = pl.col("primary_category")
    moving = primary.is_in([*TRANSFERS, LOANS, OWN_ACCOUNT]) & ~pl.col("secondary_category").is_in(CASH).fill_null(
        False
    )
    named = primary.is_in(primaries()) & pl.col("category_source").is_in(_TRUSTED)
    return (named & ~moving).fill_null(False)


NOT_TRANSFER, NO_SUCH_TRANSFERS = "not_transfer", "no_such_transfers"
"""Kinds of decisions that two transactions are not a transfer: this pair alone, or likely pairs like it as well."""
REJECTIONS = (NOT_TRANSFER, NO_SUCH_TRANSFERS)


def pair_transfers(
    rows: pl.DataFrame, overrides: pl.DataFrame | None = None, own: OwnNames | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return (transfers, suggestions), both with the columns of `PAIRS`.

    rows: with `day`, `account` and the columns of `EVIDENCE`. overrides: table `choices`, of which kinds `transfer`
    (subject: outgoing id, value: incoming id), `not_transfer` (the same; an empty value: no partner at all) and
    `no_such_transfers` (the same; pairs between these accounts with these words are not suggested again) count.
    own: names of the household's people and accounts.
    """
    worded = rows.with_columns(words=series_words())
    accepted = _accepted(worded, overrides)
    pairs = _rejected_removed(_pairs(worded, _series(worded, accepted)), overrides)
    candidates = _ranked(_with_counterparties(pairs, rows, own or OwnNames()))
    taken = [accepted]
    for rank in candidates["rank"].drop_nulls().unique().sort():
        candidates = _without_used(candidates, taken[-1])
        taken.append(_unambiguous(candidates.filter(pl.col("rank") == rank)))
    left = _without_used(candidates, taken[-1])
    unlikely = _series(worded, _pairs_of(in_force(overrides, NO_SUCH_TRANSFERS)))
    left = left.join(unlikely.with_columns(in_series=pl.lit(value=False)), on=[*_SERIES, "in_series"], how="anti")
    return pl.concat(taken).sort("day", "out_id"), left.select(*PAIRS).sort("day", "out_id", "in_id")


def series_words() -> pl.Expr:
    """Return what the rows of one series have in common: the description without its numbers."""
    text = pl.coalesce("description", "payee", "payer", pl.lit("")).str.to_lowercase()
    return text.str.replace_all(r"\S*\d\S*", "").str.replace_all(r"[^a-z]+", " ").str.strip_chars()


def _pairs_of(decisions: Sequence[OverrideRow]) -> pl.DataFrame:
    return pl.DataFrame(
        [(row.subject, row.value) for row in decisions], {"out_id": pl.String, "in_id": pl.String}, orient="row"
    )


def _series(rows: pl.DataFrame, decided: pl.DataFrame) -> pl.DataFrame:
    """Return accounts and words of both legs of the pairs that a person decided about; columns `_SERIES`."""
    legs = rows.select("id", "account", "words")
    pairs = decided.select("out_id", "in_id")
    for side in ("out_", "in_"):
        pairs = pairs.join(legs.rename({name: f"{side}{name}" for name in legs.columns}), on=f"{side}id")
    return pairs.select(_SERIES).unique()


def _pairs(rows: pl.DataFrame, series: pl.DataFrame) -> pl.DataFrame:
    """Return every pair that is worth a closer look; `in_series`: it is like one that a person accepted."""
    legs = rows.lazy().filter(pl.col("day").is_not_null() & ~pl.col("never_transfer"))
    legs = legs.filter(
        ~pl.col("is_spending_hint")
        | pl.col("names").is_not_null()
        | pl.col("end_to_end_id").is_not_null()
        | _is_leg_of(series)
    )
    outs = legs.filter(pl.col("amount_minor") < 0).select(*_leg("out_"), "currency", "amount_minor", "day")
    ins = legs.filter(pl.col("amount_minor") > 0).select(
        *_leg("in_"), "currency", -pl.col("amount_minor"), in_day="day"
    )
    reach = pl.date_ranges(pl.col("in_day") - pl.duration(days=WINDOW_DAYS), pl.col("in_day"))
    pairs = outs.join(ins.with_columns(day=reach).explode("day"), on=["currency", "amount_minor", "day"])
    pairs = pairs.filter(pl.col("out_account") != pl.col("in_account"), _agree("out_", "in_"), _agree("in_", "out_"))
    pairs = pairs.join(series.lazy().with_columns(in_series=pl.lit(value=True)), on=_SERIES, how="left")
    pairs = pairs.with_columns(pl.col("in_series").fill_null(value=False), amount_minor=-pl.col("amount_minor"))
    return pairs.filter(_is_strong() | pl.col("in_series") | _any("is_transfer_hint") | _any("mentions")).collect()


def _is_leg_of(series: pl.DataFrame) -> pl.Expr:
    legs = {(row["out_account"], row["out_words"]) for row in series.to_dicts()}
    legs |= {(row["in_account"], row["in_words"]) for row in series.to_dicts()}
    known = [(pl.col("account") == account) & (pl.col("words") == words) for account, words in sorted(legs)]
    return pl.any_horizontal(known) if known else pl.lit(value=False)


def _leg(side: str) -> Iterator[pl.Expr]:
    for name in _LEG:
        yield pl.col(name).alias(f"{side}{name}")


def _agree(side: str, other: str) -> pl.Expr:
    """Whether the leg `side` names no account, or that of the leg `other`."""
    named, end, ends = pl.col(f"{side}names"), pl.col(f"{side}other_end"), pl.col(f"{other}account_end")
    unlike = named.is_null() & (end != ends).fill_null(value=False)
    return (named.is_null() | (named == pl.col(f"{other}account"))) & ~unlike


def _any(name: str) -> pl.Expr:
    return pl.col(f"out_{name}") | pl.col(f"in_{name}")


def _is_strong() -> pl.Expr:
    same_id = (pl.col("out_end_to_end_id") == pl.col("in_end_to_end_id")).fill_null(value=False)
    same_id = same_id & ~pl.col("in_end_to_end_id").is_in(_NO_END_TO_END)
    return same_id | pl.col("out_names").is_not_null() | pl.col("in_names").is_not_null()


def _with_counterparties(pairs: pl.DataFrame, rows: pl.DataFrame, own: OwnNames) -> pl.DataFrame:
    """Add `out_is_own`, `out_third_party`, `out_comment` and the same of the incoming leg.

    A row of a loan's category names nobody: it is paid to whoever lent the money. The other party of a row that a
    person put into `OWN_ACCOUNT` is the household itself, whatever it is called. Texts that differ in their numbers
    alone are parsed once.
    """
    ids = pl.concat([pairs["out_id"], pairs["in_id"]]).unique()
    legs = rows.filter(pl.col("id").is_in(ids.implode())).select(
        "id",
        *(pl.col(name).str.replace_all(r"\d+", "0") for name in Texts._fields),
        is_out=pl.col("amount_minor") < 0,
        is_loan=(pl.col("primary_category") == LOANS).fill_null(value=False),
        is_chosen=is_own_account(),
    )
    alike = legs.drop("id").unique(maintain_order=True)
    parsed = [
        Counterparty(is_chosen) if is_loan or is_chosen else counterparty_of(Texts(*texts), own, is_out=is_out)
        for *texts, is_out, is_loan, is_chosen in alike.select(*Texts._fields, *_LEG_FACTS).iter_rows()
    ]
    counterparties = pl.DataFrame([asdict(entry) for entry in parsed], _COUNTERPARTY)
    known = legs.join(pl.concat([alike, counterparties], how="horizontal"), on=alike.columns, nulls_equal=True)
    known = known.select("id", *_COUNTERPARTY)
    for side in ("out_", "in_"):
        pairs = pairs.join(known.rename({name: f"{side}{name}" for name in known.columns}), on=f"{side}id", how="left")
    return pairs


def _ranked(pairs: pl.DataFrame) -> pl.DataFrame:
    """Add `rank`: the lower, the better the evidence; null for a suggestion. Other pairs are left out."""
    pending = ((pl.col("out_status") == "PENDING") | (pl.col("in_status") == "PENDING")).cast(pl.Int8)
    out_hint, in_hint = (pl.col(f"{side}is_transfer_hint") | pl.col(f"{side}is_own") for side in ("out_", "in_"))
    third = [pl.col(f"{side}third_party") for side in ("out_", "in_")]
    comments = [pl.col(f"{side}comment") for side in ("out_", "in_")]
    somebody_else = (third[0] != "") | (third[1] != "") | (comments[0] != comments[1])
    weak = (out_hint | pl.col("in_is_repayment")) & in_hint & ~_any("is_spending_hint") & ~somebody_else
    two_others = (third[0] != "") & (third[1] != "") & (third[0] != third[1])
    rank = pl.when(_is_strong()).then(pending).when(pl.col("in_series")).then(pending + 2).when(weak).then(pending + 4)
    possible = (out_hint | in_hint) & ~_any("is_spending_hint") & ~two_others
    return pairs.with_columns(rank=rank).filter(pl.col("rank").is_not_null() | possible)


def _accepted(rows: pl.DataFrame, overrides: pl.DataFrame | None) -> pl.DataFrame:
    """Return the pairs that a person accepted and did not reject later; the latest wins for a row paired twice."""
    pairs: dict[str, str] = {}
    rejected = in_force(overrides, *REJECTIONS)
    for override in reversed(in_force(overrides, "transfer")):
        pair, used = {override.subject, override.value}, {*pairs, *pairs.values()}
        later = [{entry.subject, entry.value} - {""} for entry in rejected if entry.number > override.number]
        if not pair & used and not any(apart <= pair for apart in later):
            pairs[override.subject] = override.value
    accepted = pl.DataFrame(
        {"out_id": list(pairs), "in_id": list(pairs.values())}, {"out_id": pl.String, "in_id": pl.String}
    )
    legs = rows.select("id", "day", "amount_minor", "currency")
    both = accepted.join(legs, left_on="out_id", right_on="id").join(legs.select("id"), left_on="in_id", right_on="id")
    return both.select("out_id", "in_id", "day", pl.col("amount_minor").abs(), "currency")


def _rejected_removed(pairs: pl.DataFrame, overrides: pl.DataFrame | None) -> pl.DataFrame:
    """Leave out the pairs that a person rejected, and all pairs of rows that a person marked as having no partner."""
    rejected = in_force(overrides, *REJECTIONS)
    alone = [override.subject for override in rejected if not override.value]
    apart = [sorted((override.subject, override.value)) for override in rejected if override.value]
    both = pl.DataFrame(apart, {"one": pl.String, "two": pl.String}, orient="row")
    kept = pairs.filter(~pl.col("out_id").is_in(alone), ~pl.col("in_id").is_in(alone))
    ordered = [pl.min_horizontal("out_id", "in_id"), pl.max_horizontal("out_id", "in_id")]
    return kept.join(both, left_on=ordered, right_on=["one", "two"], how="anti")


def _without_used(pairs: pl.DataFrame, taken: pl.DataFrame) -> pl.DataFrame:
    used = pl.concat([taken["out_id"], taken["in_id"]]).implode()
    return pairs.filter(~pl.col("out_id").is_in(used), ~pl.col("in_id").is_in(used))


def _unambiguous(pairs: pl.DataFrame) -> pl.DataFrame:
    alone = (pl.len().over("out_id") == 1) & (pl.len().over("in_id") == 1)
    marked = pairs.with_columns(_alone=alone)
    matched = [pair[: len(PAIRS)] for pair in _interchangeable(marked.filter(~pl.col("_alone")))]
    together = pl.DataFrame(matched, PAIRS, orient="row")
    return pl.concat([marked.filter("_alone").select(*PAIRS), together])


class _Pair(NamedTuple):
    """A possible transfer; `day` is that of the outgoing leg."""

    out_id: str
    in_id: str
    day: date
    amount_minor: int
    currency: str
    in_day: date
    out_account: str
    in_account: str


def _interchangeable(pairs: pl.DataFrame) -> Iterator[_Pair]:
    """Yield equal transfers between the same two accounts and no third, as many out as in, each in after its out."""
    ordered = pairs.sort("day", "in_day", "out_id", "in_id").select(_Pair._fields)
    for _, group in ordered.group_by(["currency", "amount_minor"], maintain_order=True):
        for cluster in _clusters([_Pair(*row) for row in group.iter_rows()]):
            if len({(pair.out_account, pair.in_account) for pair in cluster}) == 1:
                yield from _in_step(cluster)


def _clusters(pairs: list[_Pair]) -> Iterator[list[_Pair]]:
    """Group pairs that share legs, directly or through others; a group begins after all days of the one before."""
    numbered, cluster, last = [], 0, pairs[0].in_day
    for pair in pairs:
        cluster += pair.day > last
        last = max(last, pair.in_day)
        numbered.append((cluster, pair))
    for _, members in groupby(numbered, key=itemgetter(0)):
        yield [pair for _, pair in members]


def _in_step(cluster: list[_Pair]) -> list[_Pair]:
    """Match the first money out with the first money in, and so on; nothing where these are not all possible pairs."""
    possible = {(pair.out_id, pair.in_id): pair for pair in cluster}
    outs = sorted({(pair.day, pair.out_id) for pair in cluster})
    ins = sorted({(pair.in_day, pair.in_id) for pair in cluster})
    steps = [(out[1], into[1]) for out, into in zip(outs, ins, strict=False)]
    if len(outs) != len(ins) or not all(step in possible for step in steps):
        return []
    return [possible[step] for step in steps]
