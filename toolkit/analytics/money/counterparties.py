"""Who stands at the other end of a movement, by the words of the bank and of the payer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from toolkit.analytics.money.people import Person, is_own_name, words_of
from toolkit.tables.reference.transfer_words import ACCOUNT_WORDS, CHANNELS, INSTITUTIONS, PAYMENT_WORDS

_NEUTRAL = frozenset((*PAYMENT_WORDS.split(), *ACCOUNT_WORDS.split()))
_DIRECTIONS = {"to": "to", "from": "from", "by": "from"}
_SPELT_OUT = {
    r"\b[em]-?banking\b": "banking",
    r"\ba/?c\b": "account",
    r"\bw/d\b": "withdrawal",
    r"&|\+": " and ",
    r"\bcommbank app\b": "app",
}
_DATE = r"\b\d{1,2}\s?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:\s?\d{2,4})?\b"
_BREAK = "|"
_ENDS_PARTY = re.compile(r"\s[-–]+\s|[;:()/]")


@dataclass(frozen=True, slots=True)
class Counterparty:
    """is_own: the other end is one of the household's own people, by name.

    third_party: words that name somebody else; empty where nobody is named. comment: words of the payer that are
    neither a name of the household nor usual for moving one's own money; empty where there are none.
    """

    is_own: bool = False
    third_party: str = ""
    comment: str = ""


@dataclass(frozen=True)
class OwnNames:
    """people: of the household. accounts: what its accounts are called."""

    people: tuple[Person, ...] = ()
    accounts: tuple[str, ...] = ()

    @cached_property
    def ignored(self) -> re.Pattern[str]:
        """Whole names of own accounts and of institutions, longest first; they name no third party."""
        accounts = [" ".join(words_of(name)) for name in self.accounts]
        phrases = sorted({*INSTITUTIONS, *(name for name in accounts if len(name) > 2)}, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(re.escape(phrase) for phrase in phrases)})\b")


def counterparty_of(row: Mapping[str, object], own: OwnNames) -> Counterparty:
    """The other end of a row of table `transactions` with `is_out`: whether its money went out.

    The payee (of money out) or payer (of money in) outranks the description; of a description, what follows `to` (of
    money out) or `from` (of money in) is the name. What follows a channel (`NetBank`, `Ref`) is a comment, as is a
    single word that follows none of these.
    """
    is_out = bool(row["is_out"])
    named = [_text(row, "payee" if is_out else "payer"), _text(row, "merchant_name"), _text(row, "biller_name")]
    given = [words for name in named if (words := _names(words_of(own.ignored.sub(" ", name.lower())), own))]
    if given and all(is_own_name(words, own.people) for words in given):
        return Counterparty(is_own=True)
    found = _by_description(_text(row, "description"), own, is_out=is_out)
    further = [_by_description(_text(row, name), own, is_out=is_out) for name in ("reference", "extended_description")]
    third = " ".join([*(" ".join(words) for words in given), found.third_party]).strip()
    is_own = found.is_own or (not third and any(more.is_own for more in further))
    if is_own:
        return Counterparty(is_own=not third, third_party=third)
    comment = " ".join([found.comment, *(f"{more.third_party} {more.comment}" for more in further)])
    return Counterparty(third_party=third, comment=" ".join(comment.split()))


def _text(row: Mapping[str, object], name: str) -> str:
    return str(row.get(name) or "")


def _by_description(text: str, own: OwnNames, *, is_out: bool) -> Counterparty:
    wanted = "to" if is_out else "from"
    is_own, third, comment = False, list[str](), list[str]()
    for kind, words in _segments(text, own):
        names = _names(words, own)
        if not names or (is_own and kind != "plain"):
            continue
        if is_own_name(names, own.people):
            is_own = is_own or kind in (wanted, "plain")
        elif kind == wanted or (kind == "plain" and len(names) > 1):
            third += names
        else:
            comment += names
    return Counterparty(is_own and not third, " ".join(third), "" if is_own else " ".join(comment))


def _segments(text: str, own: OwnNames) -> Iterable[tuple[str, list[str]]]:
    """(kind, words) in order; kind: `to`, `from`, `plain` (before either) or `comment`."""
    kind, words = "plain", list[str]()
    for word in _tokens(text, own):
        turned = _DIRECTIONS.get(word) or ("comment" if word in CHANNELS else None)
        if word == _BREAK:
            turned = "comment" if _names(words, own) else kind
        if turned is None:
            words.append(word)
            continue
        yield kind, words
        kind, words = turned, []
    yield kind, words


def _tokens(text: str, own: OwnNames) -> list[str]:
    plain = re.sub(_DATE, " ", text.lower())
    for written, meant in _SPELT_OUT.items():
        plain = re.sub(written, meant, plain)
    parts = [words_of(own.ignored.sub(" ", " ".join(words_of(part)))) for part in _ENDS_PARTY.split(plain)]
    tokens: list[str] = []
    for part in parts:
        tokens += [*part, _BREAK]
    return tokens[:-1]


def _names(words: list[str], own: OwnNames) -> list[str]:
    """The words that may name somebody: all where they are an own name, else those that mean no payment or account."""
    if is_own_name(words, own.people):
        return words
    left = [word for word in words if word not in _NEUTRAL]
    while left and left[0] == "and":
        left = left[1:]
    while left and left[-1] == "and":
        left = left[:-1]
    return left
