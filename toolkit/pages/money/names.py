"""Categories by the names that people see, for fields and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from toolkit.charts.spending import UNKNOWN
from toolkit.flows.household.context import Context
from toolkit.flows.money.edits.settings import list_categories
from toolkit.flows.wording import OWN_ACCOUNT, category_name, everyday_words, local_month
from toolkit.pages.answers import ask
from toolkit.pages.text import readable


@dataclass(frozen=True, slots=True)
class Names:
    """Names of categories. code_of: name → code, in the order of the list; of two codes of one name the first."""

    code_of: Mapping[str, str]
    own: Mapping[str, str]
    """Code → the household's own name."""

    @classmethod
    def of(cls, ctx: Context) -> Names:
        """Return the names of the household's categories."""
        listed = ask(list_categories, ctx).categories
        code_of: dict[str, str] = {}
        for category in listed:
            code_of.setdefault(readable(category.name), category.code)
        return cls(code_of, {category.code: category.name for category in listed})

    @property
    def choices(self) -> list[str]:
        """The names to choose from."""
        return list(self.code_of)

    @property
    def spending(self) -> list[str]:
        """The names of categories that are no moves between own accounts."""
        return [name for name, code in self.code_of.items() if code != OWN_ACCOUNT]

    def found_by(self, name: str) -> str:
        """Return the name of a category as a field of choices shows it: with what else people call it, to be found."""
        words = everyday_words(self.code_of.get(name, ""))
        return f"{name} ({', '.join(words)})" if words else name

    def name(self, code: str | None) -> str:
        """Return the name of a code as it is among the choices; without one that for rows without a category."""
        return UNKNOWN if not code else readable(self.own.get(code) or category_name(code))

    def of_column(self, codes: pl.Series) -> pl.Series:
        """Return the names of a column of codes; null stays null."""
        named = {code: self.name(code) for code in codes.drop_nulls().unique()}
        return codes.cast(pl.String).replace_strict(named, default=None, return_dtype=pl.String)


def months_between(months: tuple[str, ...]) -> str:
    """`("2026-01", "2026-03")` → `Jan 2026 to Mar 2026`."""
    ends = list(dict.fromkeys(local_month(month) for month in (*months[:1], *months[-1:])))
    return " to ".join(ends)
