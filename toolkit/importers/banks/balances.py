"""Whether running balances follow from the amounts: finds turned signs, lost and doubled rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from toolkit.importers.banks.entries import Entry

_LISTED = 5


def balance_gaps(entries: Sequence[Entry]) -> Iterator[tuple[int, str]]:
    """Line and reason of each place where an account's balance does not follow; one summary where most do not."""
    with_balance = sorted((e for e in entries if e.balance is not None and not e.pending), key=_account_then_line)
    for _, group in groupby(with_balance, key=lambda entry: entry.account.account_id):
        yield from _gaps_of_account(list(group))


def _account_then_line(entry: Entry) -> tuple[str, int]:
    return entry.account.account_id, entry.line


def _gaps_of_account(entries: list[Entry]) -> Iterator[tuple[int, str]]:
    if len({entry.balance for entry in entries}) <= 1:
        return  # cards of some banks carry 0.00 in every row
    gaps = min(_broken(entries), _broken(entries[::-1]), key=len)
    if len(gaps) * 2 > len(entries):
        yield entries[0].line, "the balances do not follow from the amounts: look at the signs"
        return
    for entry in gaps[:_LISTED]:
        yield entry.line, "the balance does not follow from the row before: rows may be missing or doubled"
    if len(gaps) > _LISTED:
        yield gaps[_LISTED].line, f"{len(gaps) - _LISTED} more balances do not follow from the row before"


def _broken(oldest_first: list[Entry]) -> list[Entry]:
    pairs = pairwise(oldest_first)
    return [later for one, later in pairs if (one.balance or 0) + later.amount != later.balance]
