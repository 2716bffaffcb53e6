"""Moves between the household's own accounts: pairs for which there is evidence, and pairs that are only likely.

A pair is an outgoing and an incoming row of the same currency and amount in two own accounts, the outgoing one on the
same day or up to five days earlier (a long weekend). It is taken, and only where neither leg has another such partner,

- where one leg names the other's account by its number, or both have the same end-to-end id;
- where it continues the series of a pair that a person accepted: the same two accounts, the same words on both legs;
- where both legs speak of a transfer, or name one of the household's own people, and neither names anybody else. A
  comment that is not usual for moving one's own money ("rent", "dinner") counts as naming somebody, unless both legs
  bear the same one; a row of a loan's category is never taken to name somebody.

A leg that names another account than its partner's makes no pair. Several equal moves between the same two accounts are
taken together, for it does not matter which leg meets which. Posted legs are matched before pending ones. A pair of
which one leg hints at a transfer, or names an own person, and at most one names somebody else (or both the same), is a
suggestion, for a person to accept or reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from toolkit.analytics.money.categorise import active
from toolkit.analytics.money.counterparties import Counterparty, OwnNames, counterparty_of
from toolkit.tables.reference.categories import LOANS

WINDOW_DAYS = 5
"""Thursday before Easter to the Tuesday after it."""

PAIRS = {"out_id": pl.String, "in_id": pl.String, "day": pl.Date, "amount_minor": pl.Int64, "currency": pl.String}
_NO_END_TO_END = ("", "NOTPROVIDED")
_LEG = (
    *(
        "id",
        "account",
        "words",
        "names",
        "other_end",
        "account_end",
        "is_transfer_hint",
        "mentions",
        "is_spending_hint",
    ),
    *("end_to_end_id", "status", "primary_category"),
)
_TEXTS = ("description", "reference", "extended_description", "merchant_name", "biller_name", "payee", "payer")
_COUNTERPARTY = {"is_own": pl.Boolean, "third_party": pl.String, "comment": pl.String}
_SERIES = ("out_account", "out_words", "in_account", "in_words")


def pair_transfers(
    rows: pl.DataFrame, choices: pl.DataFrame | None = None, own: OwnNames | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(transfers, suggestions), both with `out_id`, `in_id`, `day` of the outgoing leg, `amount_minor` > 0, `currency`.

    rows: with `day`, `account` and their evidence (see `evidence`). choices: kinds `transfer` (subject: outgoing id,
    value: incoming id) and `not_transfer` (the same; an empty value: no partner at all). own: names of the household's
    people and accounts.
    """
    worded = rows.with_columns(words=_words())
    chosen = _chosen(worded, choices)
    pairs = _rejected_removed(_pairs(worded, _series(worded, chosen)), choices)
    candidates = _ranked(_with_counterparties(pairs, rows, own or OwnNames()))
    taken = [chosen]
    for rank in candidates["rank"].drop_nulls().unique().sort():
        candidates = _without_used(candidates, taken[-1])
        taken.append(_unambiguous(candidates.filter(pl.col("rank") == rank)))
    left = _without_used(candidates, taken[-1])
    return pl.concat(taken).sort("day", "out_id"), left.select(*PAIRS).sort("day", "out_id", "in_id")


def _words() -> pl.Expr:
    """What the rows of one series have in common: the description without its numbers."""
    said = pl.coalesce("description", "payee", "payer", pl.lit("")).str.to_lowercase()
    return said.str.replace_all(r"\S*\d\S*", "").str.replace_all(r"[^a-z]+", " ").str.strip_chars()


def _series(rows: pl.DataFrame, chosen: pl.DataFrame) -> pl.DataFrame:
    """Accounts and words of both legs of the pairs that a person accepted."""
    legs = rows.select("id", "account", "words")
    found = chosen.select("out_id", "in_id")
    for side in ("out_", "in_"):
        found = found.join(legs.rename({name: f"{side}{name}" for name in legs.columns}), on=f"{side}id")
    return found.select(_SERIES).unique()


def _pairs(rows: pl.DataFrame, series: pl.DataFrame) -> pl.DataFrame:
    """Every pair that is worth a closer look; `in_series`: it is like one that a person accepted."""
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
    """A leg that names an account can only be a pair with that account's leg."""
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
    """The pairs with `out_is_own`, `out_third_party`, `out_comment` and the same of the incoming leg.

    A row of a loan's category names nobody: it is paid to whoever lent the money. Texts that differ in their numbers
    alone are read once.
    """
    ids = pl.concat([pairs["out_id"], pairs["in_id"]]).unique()
    legs = rows.filter(pl.col("id").is_in(ids.implode())).select(
        "id",
        *(pl.col(name).str.replace_all(r"\d+", "0") for name in _TEXTS),
        is_out=pl.col("amount_minor") < 0,
        is_loan=(pl.col("primary_category") == LOANS).fill_null(value=False),
    )
    alike = legs.drop("id").unique(maintain_order=True)
    read = [Counterparty() if row["is_loan"] else counterparty_of(row, own) for row in alike.iter_rows(named=True)]
    found = pl.DataFrame([asdict(entry) for entry in read], _COUNTERPARTY)
    known = legs.join(pl.concat([alike, found], how="horizontal"), on=alike.columns, nulls_equal=True)
    known = known.select("id", *_COUNTERPARTY)
    for side in ("out_", "in_"):
        pairs = pairs.join(known.rename({name: f"{side}{name}" for name in known.columns}), on=f"{side}id", how="left")
    return pairs


def _ranked(pairs: pl.DataFrame) -> pl.DataFrame:
    """Pairs with `rank`: the lower, the better the evidence; null for a suggestion. Others are left out."""
    pending = ((pl.col("out_status") == "PENDING") | (pl.col("in_status") == "PENDING")).cast(pl.Int8)
    out_hint, in_hint = (pl.col(f"{side}is_transfer_hint") | pl.col(f"{side}is_own") for side in ("out_", "in_"))
    third = [pl.col(f"{side}third_party") for side in ("out_", "in_")]
    comments = [pl.col(f"{side}comment") for side in ("out_", "in_")]
    somebody_else = (third[0] != "") | (third[1] != "") | (comments[0] != comments[1])
    weak = out_hint & in_hint & ~_any("is_spending_hint") & ~somebody_else
    two_others = (third[0] != "") & (third[1] != "") & (third[0] != third[1])
    rank = pl.when(_is_strong()).then(pending).when(pl.col("in_series")).then(pending + 2).when(weak).then(pending + 4)
    possible = (out_hint | in_hint) & ~_any("is_spending_hint") & ~two_others
    return pairs.with_columns(rank=rank).filter(pl.col("rank").is_not_null() | possible)


def _chosen(rows: pl.DataFrame, choices: pl.DataFrame | None) -> pl.DataFrame:
    """The pairs a person accepted and did not reject later; the latest choice wins where a row was paired twice."""
    pairs: dict[str, str] = {}
    rejected = active(choices, "not_transfer")
    for choice in reversed(active(choices, "transfer")):
        pair, used = {choice["subject"], choice["value"]}, {*pairs, *pairs.values()}
        later = [{entry["subject"], entry["value"]} - {""} for entry in rejected if entry["number"] > choice["number"]]
        if not pair & used and not any(apart <= pair for apart in later):
            pairs[choice["subject"]] = choice["value"]
    accepted = pl.DataFrame(
        {"out_id": list(pairs), "in_id": list(pairs.values())}, {"out_id": pl.String, "in_id": pl.String}
    )
    legs = rows.select("id", "day", "amount_minor", "currency")
    both = accepted.join(legs, left_on="out_id", right_on="id").join(legs.select("id"), left_on="in_id", right_on="id")
    return both.select("out_id", "in_id", "day", pl.col("amount_minor").abs(), "currency")


def _rejected_removed(pairs: pl.DataFrame, choices: pl.DataFrame | None) -> pl.DataFrame:
    rejected = active(choices, "not_transfer")
    alone = [choice["subject"] for choice in rejected if not choice["value"]]
    apart = [sorted((choice["subject"], choice["value"])) for choice in rejected if choice["value"]]
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
    together = pl.DataFrame(list(_interchangeable(marked.filter(~pl.col("_alone")))), PAIRS, orient="row")
    return pl.concat([marked.filter("_alone").select(*PAIRS), together])


def _interchangeable(pairs: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Equal moves between the same two accounts and no third, as many out as in, each in on or after its out."""
    ordered = pairs.sort("day", "in_day", "out_id", "in_id")
    for _, group in ordered.group_by(["currency", "amount_minor"], maintain_order=True):
        for cluster in _clusters(group.to_dicts()):
            if len({(pair["out_account"], pair["in_account"]) for pair in cluster}) == 1:
                yield from _in_step(cluster)


def _clusters(pairs: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Pairs that share legs, directly or through others; sorted by day, a new one begins after all days before it."""
    numbered, cluster, last = [], 0, pairs[0]["in_day"]
    for pair in pairs:
        cluster += pair["day"] > last
        last = max(last, pair["in_day"])
        numbered.append((cluster, pair))
    for _, members in groupby(numbered, key=itemgetter(0)):
        yield [pair for _, pair in members]


def _in_step(cluster: list[dict[str, Any]]) -> list[dict[str, Any]]:
    possible = {(pair["out_id"], pair["in_id"]): pair for pair in cluster}
    outs = sorted({(pair["day"], pair["out_id"]) for pair in cluster})
    ins = sorted({(pair["in_day"], pair["in_id"]) for pair in cluster})
    steps = [(out[1], into[1]) for out, into in zip(outs, ins, strict=False)]
    if len(outs) != len(ins) or not all(step in possible for step in steps):
        return []
    return [{name: possible[step][name] for name in PAIRS} for step in steps]
