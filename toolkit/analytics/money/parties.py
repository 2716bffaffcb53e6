"""Who is on the other side of a transaction: the name to show, and whether it is one of the household's own people.

The name of a merchant or payee is as the bank gives it, else cleaned from the description. For transfers, the words of
the bank and of the payer name an own person or somebody else, or are a comment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import polars as pl

from toolkit.analytics.money.categorise import converted
from toolkit.tables.reference.categories import begins_locality, localities, merchants, transfer_words

NAMED_BY = ("description", "merchant_name", "biller_name", "payee", "payer", "amount_minor")
"""The columns that the name of a merchant comes from."""
_FEWEST_LETTERS = 5
"""Of a word of a place that is cut short, so that no other word is taken for one."""
_BEFORE_PLACE = ("of", "on", "at")
"""Behind these a place is a part of the name: University of Sydney, Bakehouse on Miller."""
_AGENCY = (["services", "australia"], ["ftb", "services", "australia"])
"""Pays Centrelink, family tax benefit and Medicare; the country is a part of its name."""
_SIGNS = "-,;.:/*#_~ "
"""What stands around a name in a bank's text; also the inside of a pattern's class, so the hyphen is first."""


# ---- the payee's name


def with_merchants(transactions: pl.LazyFrame) -> pl.LazyFrame:
    """Add `merchant`: merchant or biller as given, else the other party, else the cleaned description.

    Null where the row names nobody. The spelling of a given name is kept; account numbers are removed.
    """
    names = with_cleaned_names(transactions.select(pl.col("description").unique()).collect()).lazy()
    party = pl.when(pl.col("amount_minor") < 0).then("payee").otherwise("payer")
    # Banks put the account number behind the name. Signs go with it; others are the name's own.
    party = party.str.replace_all(rf"[{_SIGNS}]*\b\d[\d -]{{3,}}\d\b[{_SIGNS}]*", " ").str.replace_all(r"\s+", " ")
    party = pl.when(party.str.contains(r"[\pL\pN]")).then(party)
    given = [_text_or_null(pl.col("merchant_name")), _text_or_null(pl.col("biller_name")), _text_or_null(party)]
    joined = transactions.join(names, on="description", how="left", maintain_order="left")
    return joined.with_columns(merchant=pl.coalesce(*given, "_cleaned")).drop("_cleaned")


def with_cleaned_names(descriptions: pl.DataFrame) -> pl.DataFrame:
    """Add `_cleaned`: the merchant's name in `description`, an Australian bank's; null where nothing is left of it."""
    texts = merchants()
    operation = rf"^(?:{'|'.join(texts.operations)})(?:\s*[:\-]+\s*|\s+|$)"
    processor = rf"^(?:{'|'.join(texts.processors)})\s*\*\s*"
    aliases = "|".join(re.escape(name) for name in sorted(texts.aliases, key=len, reverse=True))
    name = plain = pl.col("_plain")
    for _ in range(3):  # "visa purchase eftpos …": operations are stacked up to three deep
        name = name.str.replace(operation, "")
    unpaid = name.str.replace(r"^pay\s+", "").str.replace(r"\s+pay(?:\s+[\d/-]+)*$", "")
    name = pl.when(name.str.contains(texts.pay_kept)).then(name).otherwise(unpaid)
    name = _without_noise(name.str.replace(processor, ""))
    name = _tidy(name.str.replace(r"^(?:to|from|fr)(?:\s+|$)", ""))
    brand = pl.col("_name").str.extract(rf"^({aliases})(?:'?s)?(?:\W|$)", 1)  # before its end goes: "service nsw"
    named = descriptions.with_columns(_plain=_tidy(pl.col("description").str.to_lowercase())).with_columns(
        _name=name, _to_person=plain.str.contains(texts.persons), _end=_end_of_number(plain).fill_null("")
    )
    brands = named.select(brand.replace_strict(texts.aliases, default=None, return_dtype=pl.String)).to_series()
    person, shop = named.select(
        _person=pl.when("_to_person").then("_name"), _shop=pl.when(~pl.col("_to_person")).then("_name")
    )
    alone = pl.coalesce(converted(person, _person_alone), converted(shop, _without_place))
    named = named.with_columns(_name=alone)
    named = named.with_columns(_name=pl.when(_names_nobody()).then(_unnamed(plain)).otherwise("_name"))
    cleaned = pl.coalesce(brands, converted(named["_name"], _capitalised))
    return named.select("description", _cleaned=_text_or_null(cleaned))


def _without_noise(text: pl.Expr) -> pl.Expr:
    """Remove numbers of accounts, and what stands around a name; in this order, as a part of a number is noise too."""
    texts = merchants()
    without = text.str.replace_all("|".join(texts.numbers), " ").str.replace_all("|".join(texts.noise), " ")
    starred = without.str.replace_all(r"([a-z])\s?\*\s?([a-z])", "$1 $2")  # uber *eats
    return _tidy(starred.str.replace_all(r"[*_~]{2,}", " "))


def _end_of_number(text: pl.Expr) -> pl.Expr:
    """Return the last four digits of the account that a text is about; null where it has no number of one."""
    masked, whole = r"[x*]{2,}[ -]?(\d{3,4})\b", r"^.*\b(?:\d[ -]?){2,}((?:\d[ -]?){3}\d)\b"
    end = pl.coalesce(text.str.extract(masked), text.str.extract(whole).str.replace_all("[ -]", ""))
    return pl.when(text.str.contains(merchants().numbered)).then(end)


def _names_nobody() -> pl.Expr:
    """Whether what is left of a text names nobody: next to nothing, or with an account's number the payer's comment."""
    is_comment = (
        pl.col("_to_person")
        & pl.col("_name").is_in([*merchants().comments, *merchants().billed])
        & (pl.col("_end") != "")
    )
    return (pl.col("_name").str.len_chars() < 2) | is_comment


def _unnamed(text: pl.Expr) -> pl.Expr:
    """Return the words of a text that names nobody, with the end of the account's number."""
    end = pl.when(pl.col("_end") != "").then(pl.concat_str([pl.lit(" …"), "_end"])).otherwise(pl.lit(""))
    return pl.concat_str([_without_noise(text), end]).str.strip_chars()


def _without_place(name: str) -> str:
    """Remove what stands behind a shop's name: what is billed, state, town or suburb (also cut), generic words."""
    texts = merchants()
    words = [word for word in (written.rstrip(",;") for written in name.split()) if word]
    for _ in range(2):  # "STRATHF STRATHFIELD NS"
        while len(words) > 1 and words[-1] in texts.states and words not in _AGENCY:
            words.pop()
        length = next((n for n in (3, 2, 1) if len(words) > n and _is_place(words[-n:])), 0)
        if length and words[len(words) - length - 1] in _BEFORE_PLACE:
            break
        place = words[len(words) - length :] if length else []
        words = words[: len(words) - length]
        if place and len(words) > 1 and (words[-1] in texts.directions or _is_cut(words[-1], place[0])):
            words.pop()
    while len(words) > 2 and words[-1] in texts.generic:
        words.pop()
    if len(words) > 2 and len(words[0]) == 1:  # "p nguyen room" is a person
        return " ".join(_without_last(words, (*texts.comments, *texts.billed), fewest=2))
    return " ".join(_without_last(words, texts.billed))


def _is_place(words: list[str]) -> bool:
    """Whether words are a town or suburb: written in full, with "mt" for "mount", or of two or more words and cut."""
    name = " ".join(words)
    if name in localities() or (words[0] == "mt" and " ".join(["mount", *words[1:]]) in localities()):
        return True
    return len(words) > 1 and len(words[-1]) >= _FEWEST_LETTERS and begins_locality(name)


def _is_cut(word: str, whole: str) -> bool:
    return len(word) >= _FEWEST_LETTERS and word != whole and whole.startswith(word)


def _person_alone(name: str) -> str:
    """Remove what a payer writes behind a person's name."""
    texts = merchants()
    return " ".join(_without_last(name.split(), (*texts.comments, *texts.billed)))


def _without_last(words: list[str], unwanted: Collection[str], *, fewest: int = 1) -> list[str]:
    while len(words) > fewest and words[-1] in unwanted:
        words = words[:-1]
    return words


def _capitalised(name: str) -> str:
    """Return a lower-case name with capitals; short forms (ATO, NSW) stay all capitals."""
    words = [re.sub(r"[^\W\d_]", lambda letter: letter[0].upper(), word, count=1) for word in name.split()]
    kept = {word.casefold(): word for word in merchants().short_forms}
    return " ".join(kept.get(word.casefold(), word) for word in words)


def _tidy(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(r"\s+", " ").str.strip_chars(_SIGNS)


def _text_or_null(text: pl.Expr) -> pl.Expr:
    stripped = text.str.strip_chars()
    return pl.when(stripped.str.len_chars() > 0).then(stripped)


# ---- own people, and others

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
