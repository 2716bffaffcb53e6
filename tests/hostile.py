"""Five hundred texts that would do something where they were read as more than text, and where they can come from.

Each holds a mark, `q17q`, and what stands before the mark (`lead`), which goes wherever the text is read as markup.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import count, islice, product
from pathlib import Path
from typing import NamedTuple

from tests.meters import flat_plan
from toolkit.answers.base import with_signs
from toolkit.flows.demo import demo
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load

COUNT = 500
_MARK = re.compile(r"q\d+q", re.IGNORECASE)
_BEFORE_A_PAYEE = " -,.:/*#_~"
"""Signs that stand before a payee in descriptions of banks: `SQ *CAFE`, `FEE__ACME`."""
_NUMBER = re.compile(r"#\d+")
"""Of a shop, in descriptions of banks: `CAFE #12`."""


class Hostile(NamedTuple):
    """A text, and what has to be seen right before its mark."""

    text: str
    lead: str
    mark: str


_LEADS = (
    *(
        "<b>",
        "<i>",
        "<h1>",
        "<marquee>",
        "<s>",
        "<u>",
        "<sub>",
        "<a href=https://evil.example>",
        "<style>*{display:none}",
    ),
    *("<script>window.pwned=1</script>", "<img src=x onerror=window.pwned=1>", "<svg onload=window.pwned=1>"),
    *("<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>", "<!--", "<![CDATA[", "&lt;b&gt;", "&#60;b&#62;"),
    *("<details open ontoggle=window.pwned=1>", "<video><source onerror=window.pwned=1>", "<br><br>", "<hr>", "</div>"),
    *(
        "<base href=https://evil.example>",
        "<meta http-equiv=refresh content=0>",
        "<link rel=stylesheet href=//evil.example>",
    ),
    *(
        "**",
        "__",
        "*",
        "_",
        "~~",
        "`",
        "```",
        "# ",
        "## ",
        "> ",
        "- ",
        "* ",
        "1. ",
        "| a | b |",
        "title\n---\n",
        "\\",
        "[^1]: ",
    ),
    *("[", "![", "[x](https://evil.example) ", "[x](javascript:window.pwned=1) ", "![x](https://evil.example/i.png) "),
    *(
        "<https://evil.example> ",
        "https://evil.example/",
        "www.evil.example/",
        "evil@evil.example ",
        "mailto:evil@evil.example ",
    ),
    *("$", "$$", "\\(", "\\[", "$\\href{https://evil.example}{", "$\\text{", "\\begin{matrix}", "$\\color{red}"),
    *(
        ":red[",
        ":blue-background[",
        ":small[",
        ":material/delete:",
        ":smile:",
        ":rainbow[",
        ":streamlit:",
        ":red-badge[",
    ),
    *("=", "+", "-", "@", "\t=", '=HYPERLINK("https://evil.example")', "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)"),
    *("{{7*7}}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "{%raw%}", "%s%n", "{0}", "%(x)s", "$(x)", "';--", '" OR 1=1 --'),
    *("\u202e", "\u202d", "\u2066", "\u2067", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\u2028", "\u00ad"),
    *("\x1b[31m", "\x1b]0;pwned\x07", "\x00", "\x07", "\x08\x08\x08", "\r\n\r\n", "\x7f", "\x9b31m", "\x0c", "\x1b[2J"),
    *(
        "C:\\",
        "../../",
        "/etc/",
        "file:///etc/",
        "data:text/html,",
        "javascript:",
        "vbscript:",
        "COM1.",
        "~/",
        "\\\\evil\\",
    ),
)
_BEHIND = ("", "</b>", "**", "](https://evil.example)", "$", "]", "`", "<!--", "\u202c", "-->", "\"'", "_*~", ">", "|")


def texts() -> list[Hostile]:
    """Return the texts, each with a mark of its own, always the same; some are very long."""
    numbers = count(1)
    made = [_text(lead, behind, next(numbers)) for behind, lead in islice(product(_BEHIND, _LEADS), COUNT - 3)]
    long = [_text(lead, "x" * 10_000, next(numbers)) for lead in ("<b>", "**", "W")]
    return [*made, *long]


def _text(lead: str, behind: str, number: int) -> Hostile:
    mark = f"q{number}q"
    return Hostile(f"{lead}{mark}{behind}", lead, mark)


MANY = {
    "transactions": (
        "description",
        "merchant_name",
        "reference",
        "payer",
        "payee",
        "extended_description",
        "biller_name",
    ),
    "plans": ("name", "retailer"),
    "products": ("name", "brand", "description"),
    "billing": ("description",),
    "direct_debits": ("description", "financial_institution"),
    "scheduled_payments": ("nickname", "payer_reference"),
}
"""Fields with many rows: each row has another text."""
FEW = {
    "households": ("name", "note", "purpose"),
    "end_users": ("name", "email"),
    "institutions": ("name",),
    "accounts": ("display_name", "nickname", "product_name", "masked_number"),
    "energy_accounts": ("display_name",),
    "account_plans": ("nickname", "display_name"),
    "concessions": ("display_name", "additional_info"),
    "invoices": ("invoice_number",),
    "files": ("name",),
    "runs": ("error",),
    "registers": ("time_of_day", "network_tariff_code"),
    "typed_invoices": ("retailer", "plan_name", "invoice_number"),
}
"""Fields that a household has once or a few times."""
_IN_JSON = {"displayName", "brandName", "brand", "description", "display_name", "brand_name"}


def filled(db: Path, today: date) -> Path:
    """Make the demo's database, with a hundred published plans."""
    ctx = Context(db, today)
    demo(ctx)
    plan = json.loads(flat_plan())
    plans = [
        plan
        | {"planId": f"P{number}", "displayName": "a plan", "brandName": "a retailer", "customerType": "RESIDENTIAL"}
        for number in range(100)
    ]
    (db.parent / "plans.json").write_text(json.dumps(plans))
    load(ctx, [db.parent / "plans.json"])
    return db


def infest(db: Path, chosen: Sequence[Hostile], *, together: int = 1) -> None:
    """Put the texts in every free field of a database, in the order of the rows' keys, and have all sums made anew.

    Not in the order stored: accounts are fetched side by side, so that differs from run to run.

    together: how many of them a field takes that a household has once or a few times.
    """
    one = [hostile.text for hostile in chosen]
    several = [" ".join(one[start : start + together]) for start in range(0, len(one), together)]
    with sqlite3.connect(db) as connection:
        for tables, texts_ in ((MANY, one), (FEW, several)):
            for table, columns in tables.items():
                there = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
                for column in columns:
                    _fill(connection, table, column, texts_, raw="raw" in there)
        for derived in ("rollups", "frame_columns", "spending_months"):
            connection.execute(f"DELETE FROM {derived}")


def stores(count_: int) -> Iterator[list[Hostile]]:
    """Yield the texts in as many orders, each beginning with others; the very long ones never before one of these."""
    every = texts()
    for first in range(count_):
        yield [hostile for shift in range(count_) for hostile in every[(first + shift) % count_ :: count_]]


def _fill(connection: sqlite3.Connection, table: str, column: str, chosen: Sequence[str], *, raw: bool) -> None:
    key = ", ".join(name for *_, name in connection.execute(f"PRAGMA index_info(key_{table})"))
    rows = [
        row for (row,) in connection.execute(f"SELECT rowid FROM {table} WHERE {column} IS NOT NULL ORDER BY {key}")
    ]
    given = [(chosen[place % len(chosen)], row) for place, row in enumerate(rows)]
    connection.executemany(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", given)
    if not raw or table not in ("plans", "products"):
        return
    for text, row in given:
        (stored,) = connection.execute(f"SELECT raw FROM {table} WHERE rowid = ?", (row,)).fetchone()
        if isinstance(stored, str):
            changed = json.dumps(_renamed(json.loads(stored), text))
            connection.execute(f"UPDATE {table} SET raw = ? WHERE rowid = ?", (changed, row))


def _renamed(value: object, text: str) -> object:
    """Return JSON with every name and description replaced."""
    if isinstance(value, dict):
        return {
            key: text if key in _IN_JSON and isinstance(one, str) else _renamed(one, text) for key, one in value.items()
        }
    return [_renamed(one, text) for one in value] if isinstance(value, list) else value


def marks(nodes: Sequence[str]) -> set[str]:
    """Return the marks in the text of the nodes of a page."""
    return {mark.casefold() for node in nodes for mark in _MARK.findall(node)}


def misread(
    nodes: Sequence[str], chosen: Sequence[Hostile], *, written: Callable[[str], str] = with_signs
) -> Iterator[str]:
    """Yield the nodes of a page in which a mark stands without its lead: there it was read as more than text.

    nodes: text of every node, cells of tables among them. written: how text is written in a node.
    """
    known = {hostile.mark: hostile for hostile in chosen}
    for node in nodes:
        for part in _MARK.finditer(node):
            hostile = known.get(part[0].casefold())
            if hostile is not None and not _is_whole(node[: part.end()], hostile, written):
                yield node[:200]


def _is_whole(shown: str, hostile: Hostile, written: Callable[[str], str]) -> bool:
    """Whether a text that ends with a mark has the lead before it, however it is spaced and capitalised.

    The name of a payee that is made from a bank's description has a capital, and neither signs before it nor numbers
    of shops; no other text may have lost these.
    """
    shown, whole = ("".join(text.split()) for text in (shown, written(hostile.lead) + hostile.mark))
    if shown.casefold().endswith(whole.casefold()):
        return True
    lead = _NUMBER.sub("", hostile.lead.lstrip(_BEFORE_A_PAYEE))
    name = "".join(written(lead).split()) + hostile.mark
    end = shown[-len(name) :]
    return end.casefold() == name.casefold() and re.sub("[^A-Za-z]", "", end)[:1].isupper()
