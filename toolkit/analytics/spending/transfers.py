"""Moves between the household's own accounts: pairs for which there is evidence, and pairs that are only likely.

A pair is an outgoing and an incoming row of the same currency and amount in two own accounts, the outgoing one on the
same day or up to five days earlier (a long weekend). It is taken where one leg names the other's account by its number,
or where both legs speak of a transfer and nothing says otherwise; and only where neither leg has another such partner.
Several equal moves between the same two accounts are taken together, for it does not matter which leg meets which.
Posted legs are matched before pending ones. Everything else is a suggestion, for a person to accept or reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from toolkit.analytics.spending.categorise import active

WINDOW_DAYS = 5
"""Thursday before Easter to the Tuesday after it."""

PAIRS = {"out_id": pl.String, "in_id": pl.String, "day": pl.Date, "amount_minor": pl.Int64, "currency": pl.String}
_NO_END_TO_END = ("", "NOTPROVIDED")


def pair_transfers(rows: pl.DataFrame, choices: pl.DataFrame | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(transfers, suggestions), both with `out_id`, `in_id`, `day` of the outgoing leg, `amount_minor` > 0, `currency`.

    rows: with `day`, `account` and their evidence (see `evidence`). choices: kinds `transfer` (subject: outgoing id,
    value: incoming id) and `not_transfer` (the same; an empty value: no partner at all).
    """
    chosen = _chosen(rows, choices)
    candidates = _rejected_removed(_candidates(rows), choices)
    taken = [chosen]
    for rank in candidates["rank"].drop_nulls().unique().sort():
        candidates = _without_used(candidates, taken[-1])
        taken.append(_unambiguous(candidates.filter(pl.col("rank") == rank)))
    left = _without_used(candidates, taken[-1])
    return pl.concat(taken).sort("day", "out_id"), left.select(*PAIRS).sort("day", "out_id", "in_id")


def _candidates(rows: pl.DataFrame) -> pl.DataFrame:
    """Every pair that is worth a thought, with its `rank`: 0 and 1 strong, 2 and 3 weak, null for a suggestion only."""
    legs = rows.lazy().filter(pl.col("day").is_not_null() & ~pl.col("barred"))
    legs = legs.filter(~pl.col("against") | pl.col("names").is_not_null() | pl.col("end_to_end_id").is_not_null())
    outs = legs.filter(pl.col("amount_minor") < 0).select(*_leg("out_"), "currency", "amount_minor", "day")
    ins = legs.filter(pl.col("amount_minor") > 0).select(
        *_leg("in_"), "currency", -pl.col("amount_minor"), in_day="day"
    )
    reach = pl.date_ranges(pl.col("in_day") - pl.duration(days=WINDOW_DAYS), pl.col("in_day"))
    pairs = outs.join(ins.with_columns(day=reach).explode("day"), on=["currency", "amount_minor", "day"])
    pairs = pairs.filter(pl.col("out_account") != pl.col("in_account"), _agree("out_", "in_"), _agree("in_", "out_"))
    ranked = pairs.with_columns(rank=_rank(), amount_minor=-pl.col("amount_minor"))
    either = pl.col("out_speaks") | pl.col("in_speaks")
    return ranked.filter(pl.col("rank").is_not_null() | (either & ~_any("against"))).collect()


def _leg(side: str) -> Iterator[pl.Expr]:
    for name in ("id", "account", "names", "speaks", "against", "end_to_end_id", "status"):
        yield pl.col(name).alias(f"{side}{name}")


def _agree(side: str, other: str) -> pl.Expr:
    """A leg that names an account can only be a pair with that account's leg."""
    named = pl.col(f"{side}names")
    return named.is_null() | (named == pl.col(f"{other}account"))


def _any(name: str) -> pl.Expr:
    return pl.col(f"out_{name}") | pl.col(f"in_{name}")


def _rank() -> pl.Expr:
    same_id = (pl.col("out_end_to_end_id") == pl.col("in_end_to_end_id")).fill_null(False)
    same_id = same_id & ~pl.col("in_end_to_end_id").is_in(_NO_END_TO_END)
    strong = same_id | pl.col("out_names").is_not_null() | pl.col("in_names").is_not_null()
    weak = pl.col("out_speaks") & pl.col("in_speaks") & ~_any("against")
    pending = (pl.col("out_status") == "PENDING") | (pl.col("in_status") == "PENDING")
    return pl.when(strong).then(pending.cast(pl.Int8)).when(weak).then(pending.cast(pl.Int8) + 2)


def _chosen(rows: pl.DataFrame, choices: pl.DataFrame | None) -> pl.DataFrame:
    """The pairs a person accepted; the latest choice wins where a row was paired twice."""
    pairs: dict[str, str] = {}
    for choice in reversed(active(choices, "transfer")):
        used = {*pairs, *pairs.values()}
        if not {choice["subject"], choice["value"]} & used:
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
