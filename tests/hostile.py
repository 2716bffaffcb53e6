"""Five hundred texts that would do something where they were read as more than text.

Each holds a mark, `q17q`, and what stands before the mark (`lead`), which goes wherever the text is read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice, product
from typing import NamedTuple

from toolkit.answers.base import with_signs

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
    long = [_text(lead, "x" * 100_000, next(numbers)) for lead in ("<b>", "**", "W")]
    return [*made, *long]


def _text(lead: str, behind: str, number: int) -> Hostile:
    mark = f"q{number}q"
    return Hostile(f"{lead}{mark}{behind}", lead, mark)


def stores(count_: int) -> Iterator[list[Hostile]]:
    """Yield the texts in as many orders, each beginning with others; the very long ones never before one of these."""
    every = texts()
    for first in range(count_):
        yield [hostile for shift in range(count_) for hostile in every[(first + shift) % count_ :: count_]]


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
    of shops; no other text may have lost these. A code is shown with spaces for underscores.
    """
    shown, whole = ("".join(text.split()) for text in (shown, written(hostile.lead) + hostile.mark))
    if shown.casefold().endswith((whole.casefold(), whole.casefold().replace("_", ""))):
        return True
    lead = _NUMBER.sub("", hostile.lead.lstrip(_BEFORE_A_PAYEE))
    name = "".join(written(lead).split()) + hostile.mark
    end = shown[-len(name) :]
    return end.casefold() == name.casefold() and re.sub("[^A-Za-z]", "", end)[:1].isupper()
