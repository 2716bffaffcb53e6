"""Whether a name as a bank writes it is that of one of the household's own people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toolkit.tables.reference.transfer_words import TITLES

CUT_SHORT = 15
"""Banks cut names off after 16 or 18 letters; in a shorter text no name is cut."""
_SHORTEST_CUT = 3


@dataclass(frozen=True, slots=True)
class Person:
    """given: first and middle names; surname: the last word, empty where one word is all that is known."""

    given: tuple[str, ...]
    surname: str


def words_of(text: str) -> list[str]:
    """The words of a text, lower case, without accents, apostrophes and everything that holds a digit."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return [word for word in re.findall(r"[a-z0-9]+", re.sub(r"['’`]", "", plain)) if word.isalpha()]


def people_called(names: Iterable[str]) -> tuple[Person, ...]:
    """The people of these names; titles are left out, and names without a letter."""
    found = []
    for name in names:
        words = _without_titles(words_of(name))
        if len(words) > 1:
            found.append(Person(tuple(words[:-1]), words[-1]))
        elif words:
            found.append(Person((words[0],), ""))
    return tuple(dict.fromkeys(found))


def is_own_name(words: Sequence[str], people: Sequence[Person]) -> bool:
    """Whether the words are the name of one of the people, or of several of them (`K & L NGUYEN`), and nothing else.

    A first name may be an initial and the surname may come first; a first name alone is not enough, unless the person
    is known by one word. A name that the bank cut short counts where at least three letters of the surname are left.
    """
    parts = [part for part in _parts(words) if part]
    shared = parts[-1][-1] if parts else ""
    return bool(parts) and all(_is_one_of(part, people) or _is_one_of([*part, shared], people) for part in parts)


def _parts(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in _without_titles(words):
        if word == "and":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _without_titles(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in TITLES]


def _is_one_of(words: Sequence[str], people: Sequence[Person]) -> bool:
    return any(_is_name_of(words, person) for person in people)


def _is_name_of(words: Sequence[str], person: Person) -> bool:
    if not person.surname:
        return tuple(words) == person.given
    if len(words) < 2:
        return False
    last_written = _is_surname(words[-1], person.surname, cut=len(" ".join(words)) >= CUT_SHORT)
    in_order = last_written and _are_given(words[:-1], person.given)
    return in_order or (words[0] == person.surname and _are_given(words[1:], person.given))


def _is_surname(word: str, surname: str, *, cut: bool) -> bool:
    return word == surname or (cut and len(word) >= _SHORTEST_CUT and surname.startswith(word))


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
