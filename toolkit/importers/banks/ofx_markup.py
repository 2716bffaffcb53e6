"""OFX markup, SGML or XML, as a tree with the line number of each element. ofxtools parses it.

CDATA sections become escaped text and comments become blanks before that: ofxtools knows neither where an end tag is
left out. Line ends stay where they are, so that a place in the markup is a place in the file.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.sax.saxutils import escape

from ofxtools.Parser import ParseError, TreeBuilder

from toolkit.errors import ImportFailedError
from toolkit.importers.source import Source

_PLACE = "place"
_DEEPEST = 64
_SECTION = re.compile(r"<!\[CDATA\[(?P<text>.*?)\]\]>|<!--.*?-->", re.DOTALL)
_OPEN_SECTION = re.compile(r"<!\[CDATA\[|<!--")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_LINE_END = re.compile(r"\s*[\r\n]\s*")
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_ELEMENTS = (
    "TRNTYPE|DTPOSTED|DTUSER|DTAVAIL|TRNAMT|FITID|CORRECTFITID|CORRECTACTION|SRVRTID|CHECKNUM|REFNUM|SIC|PAYEEID|NAME|MEMO|"
    "BANKID|BRANCHID|ACCTID|ACCTTYPE|ACCTKEY|CURDEF|DTSTART|DTEND|BALAMT|DTASOF|LANGUAGE|ORG|FID|DTSERVER|TRNUID|"
    r"MESSAGE|INTU\.[A-Z]+"
)
_LEFT_EMPTY = re.compile(rf"<({_ELEMENTS})>(?=\s*<(?!/\1>))")
"""Elements that some banks leave empty and open, which SGML allows and the parser takes for groups."""
_BROKEN = (SyntaxError, ValueError, AssertionError, AttributeError, IndexError, TypeError)
"""What ofxtools and the tree builder raise for elements that do not match."""


class _Builder(TreeBuilder):
    """ofxtools' builder that notes each element's place and gives up on nesting that no statement has."""

    place = ""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def feed_from(self, source: Source, start: int) -> None:
        """Build the tree of the markup from character `start` of the source."""
        for match in self.regex.finditer(source.text, start):
            self.place = source.at_offset(match.start())
            if (match["tail"] or "").strip():
                raise ParseError("text between elements")
            self._feedmatch(match["tag"], (match["text"] or "").strip() or None, match["closetag"])

    def start(self, tag: str, attrs: dict[str, str]) -> Any:
        self.open.append(tag)
        if len(self.open) > _DEEPEST:
            raise ParseError("elements are nested too deeply")
        return super().start(tag, {**attrs, _PLACE: self.place})

    def end(self, tag: str) -> Any:
        if self.open[-1:] != [tag]:
            raise ParseError("the end of an element that is not open")
        self.open.pop()
        return super().end(tag)


def ofx_tree(source: Source) -> Any:
    """The element tree. Headers vary and carry nothing that is needed: parsing begins at `<OFX>`.

    Raises ImportFailedError with the line where the markup breaks.
    """
    plain = _without_sections(source)
    start = re.search(r"<OFX>", plain.text, re.IGNORECASE)
    if start is None:
        raise ImportFailedError(source.at(1), "is an OFX file without an <OFX> element")
    builder = _Builder()
    try:
        builder.feed_from(plain, start.start())
    except _BROKEN as error:
        raise ImportFailedError(builder.place, "the OFX file is broken here: its elements do not match") from error
    if builder.open:
        raise ImportFailedError(source.at_end(), "the OFX file is broken: it ends before its elements do")
    return builder.close()


def place_of(node: Any) -> str:
    """`file:line` of an element's start."""
    return str(node.get(_PLACE))


def text_of(node: Any, tag: str) -> str:
    """The text of the element `tag` below `node` on one line, entities replaced; empty where there is none."""
    written = _LINE_END.sub(" ", (node.findtext(tag) or "").strip())
    return _ENTITY.sub(lambda match: html.unescape(match[0]), written).strip()


def _without_sections(source: Source) -> Source:
    """The same lines with CDATA as escaped text, comments blank, and elements that are left empty taken out."""
    text = _SECTION.sub(_unwrapped, source.text)
    plain = Source(source.name, _LEFT_EMPTY.sub("", text).encode())
    if unclosed := _OPEN_SECTION.search(plain.text):
        where = plain.at_offset(unclosed.start())
        raise ImportFailedError(where, "the OFX file is broken here: a CDATA section or comment has no end")
    return plain


def _unwrapped(section: re.Match[str]) -> str:
    return _NOT_LINE_END.sub(" ", section[0]) if section["text"] is None else escape(section["text"])
