"""The other party of a transaction: an own person, somebody else, or a comment, by the words of its texts.

Words are those of the bank and of the payer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from toolkit.tables.reference.categories import transfer_words

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
CUT_SHORT = 15
"""Banks cut names off after 16 or 18 letters; in a shorter text no name is cut."""
_SHORTEST_CUT = 3


@dataclass(frozen=True, slots=True)
class Person:
    """A person by name."""

    given: tuple[str, ...]
    """First and middle names."""
    surname: str
    """The last word; empty where only one word is known."""


def words_of(text: str) -> list[str]:
    """Return the words of a text, lower case, without accents, apostrophes and everything that holds a digit."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return [word for word in re.findall(r"[a-z0-9]+", re.sub(r"['’`]", "", plain)) if word.isalpha()]


def people_called(names: Iterable[str]) -> tuple[Person, ...]:
    """Return the people of these names; titles are left out, and names without a letter."""
    people = []
    for name in names:
        words = _without_titles(words_of(name))
        if len(words) > 1:
            people.append(Person(tuple(words[:-1]), words[-1]))
        elif words:
            people.append(Person((words[0],), ""))
    return tuple(dict.fromkeys(people))


def is_own_name(words: Sequence[str], people: Sequence[Person]) -> bool:
    """Whether the words are the name of one of the people, or of several of them (`K & L NGUYEN`), and nothing else.

    A first name may be an initial and the surname may come first; a first name alone is not enough, unless the person
    is known by one word. A name that the bank cut short counts where at least three letters of the surname are left.
    """
    parts = [part for part in _parts(words) if part]
    shared = parts[-1][-1] if parts else ""

    def is_known(name: Sequence[str]) -> bool:
        return any(_is_name_of(name, person) for person in people)

    return bool(parts) and all(is_known(part) or is_known([*part, shared]) for part in parts)


def _parts(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in _without_titles(words):
        if word == "and":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _without_titles(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in transfer_words().titles]


def _is_name_of(words: Sequence[str], person: Person) -> bool:
    if not person.surname:
        return tuple(words) == person.given
    if len(words) < 2:
        return False
    last = words[-1]
    may_be_cut = len(" ".join(words)) >= CUT_SHORT and len(last) >= _SHORTEST_CUT
    is_surname = last == person.surname or (may_be_cut and person.surname.startswith(last))
    in_order = is_surname and _are_given(words[:-1], person.given)
    return in_order or (words[0] == person.surname and _are_given(words[1:], person.given))


def _are_given(words: Sequence[str], given: Sequence[str]) -> bool:
    """First and middle names, each whole or as an initial; unknown middle names only behind the whole first name."""
    first, middle = words[0], words[1:]
    initials = "".join(name[0] for name in given)
    if len(first) > 1 and first != given[0]:
        return not middle and first == initials
    if first not in (given[0], initials[0]):
        return False
    known = {*given[1:], *initials[1:]}
    whole = first == given[0] and len(first) > 1
    return all(word in known or whole or (len(word) == 1 and len(given) == 1) for word in middle)


@dataclass(frozen=True, slots=True)
class Counterparty:
    """The other party of a transaction."""

    is_own: bool = False
    """It is one of the household's own people, by name."""
    third_party: str = ""
    """Words that name somebody else; empty where nobody is named."""
    comment: str = ""
    """Words of the payer that are neither an own name nor usual for moving one's own money; empty without any."""


@dataclass(frozen=True)
class OwnNames:
    """The names of a household's people and accounts."""

    people: tuple[Person, ...] = ()
    accounts: tuple[str, ...] = ()
    """What people and banks call its accounts."""

    @cached_property
    def ignored(self) -> re.Pattern[str]:
        """Matches whole names of own accounts and of institutions, longest first; they name no third party."""
        accounts = [" ".join(words_of(name)) for name in self.accounts]
        phrases = {*transfer_words().institutions, *(name for name in accounts if len(name) > 2)}
        longest_first = sorted(phrases, key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(re.escape(phrase) for phrase in longest_first)})\b")


class Texts(NamedTuple):
    """The texts of a transaction that may name the other party; columns of table `transactions`."""

    description: str | None
    reference: str | None
    extended_description: str | None
    merchant_name: str | None
    biller_name: str | None
    payee: str | None
    payer: str | None


def counterparty_of(texts: Texts, own: OwnNames, *, is_out: bool) -> Counterparty:
    """Find the other party of a transaction. is_out: whether its money went out.

    The payee (of money out) or payer (of money in) outranks the description; of a description, what follows `to` (of
    money out) or `from` (of money in) is the name. What follows a channel (`NetBank`, `Ref`) is a comment, as is a
    single word that follows none of these.
    """
    named = (texts.payee if is_out else texts.payer, texts.merchant_name, texts.biller_name)
    parsed = [_names(words_of(own.ignored.sub(" ", (name or "").lower())), own) for name in named]
    given = [words for words in parsed if words]
    if given and all(is_own_name(words, own.people) for words in given):
        return Counterparty(is_own=True)
    described, *further = (
        _by_description(text or "", own, is_out=is_out)
        for text in (texts.description, texts.reference, texts.extended_description)
    )
    third = " ".join([*(" ".join(words) for words in given), described.third_party]).strip()
    is_own = described.is_own or (not third and any(more.is_own for more in further))
    if is_own:
        return Counterparty(is_own=not third, third_party=third)
    comment = " ".join([described.comment, *(f"{more.third_party} {more.comment}" for more in further)])
    return Counterparty(third_party=third, comment=" ".join(comment.split()))


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
    """Yield (kind, words) in order; kind: `to`, `from`, `plain` (before either) or `comment`."""
    kind, words = "plain", list[str]()
    for word in _tokens(text, own):
        turned = _DIRECTIONS.get(word) or ("comment" if word in transfer_words().channels else None)
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
    """Return the words that may name somebody: all of an own name, else those that mean no payment or account."""
    if is_own_name(words, own.people):
        return words
    left = [word for word in words if word not in _neutral_words()]
    while left and left[0] == "and":
        left = left[1:]
    while left and left[-1] == "and":
        left = left[:-1]
    return left


@cache
def _neutral_words() -> frozenset[str]:
    return frozenset((*transfer_words().payments, *transfer_words().accounts))
