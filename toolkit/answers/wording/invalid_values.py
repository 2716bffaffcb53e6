"""What is wrong with a value that somebody typed, worded from msgspec's message."""

from __future__ import annotations

import re

import msgspec

_PLACE = re.compile(r" - at `\$\.?(?P<place>[^`]*)`$")
_TYPES = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `[^`]*`")
_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "date": "a date (YYYY-MM-DD)",
    "array": "a list",
    "object": "a table of names and values",
}
"""By msgspec's name of a type; in the order in which alternatives are listed."""
_OTHERS = (
    (re.compile(r"Object contains unknown field `([^`]*)`"), r"'\1' is not one of the names that can stand here"),
    (re.compile(r"Object missing required field `([^`]*)`"), r"'\1' is missing"),
    (re.compile(r"Invalid decimal string"), "must be a number"),
    (re.compile(r"Invalid RFC3339 encoded date"), "must be a date (YYYY-MM-DD)"),
    (re.compile(r"Invalid enum value (.*)"), r"\1 is not one of the values that can stand here"),
)


def invalid_value(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return where the value stands, such as `usage[0].price` ("" for the whole), and a reason without full stop."""
    message = str(error)
    at = _PLACE.search(message)
    reason = _PLACE.sub("", message)
    if types := _TYPES.fullmatch(reason):
        wanted = set(types["wanted"].split(" | "))
        kinds = dict.fromkeys(words for name, words in _KINDS.items() if name in wanted)
        reason = f"must be {' or '.join(kinds)}" if kinds else reason
    for pattern, words in _OTHERS:
        reason = pattern.sub(words, reason)
    return at["place"] if at else "", reason
