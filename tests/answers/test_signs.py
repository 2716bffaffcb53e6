"""Text from outside is shown as it is, with signs for what cannot be seen."""

from __future__ import annotations

import pytest

from tests.hostile import COUNT, Hostile, misread, texts
from toolkit.answers.base import quoted, with_signs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Café Zürich 7 °C – 日本", "Café Zürich 7 °C – 日本"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("two\r\nlines\tand\u2028more", "two  lines and more"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_a_sign(text: str, shown: str) -> None:
    assert with_signs(text) == shown


def test_long_text_is_cut() -> None:
    assert with_signs("x" * 100_000, length=5) == "xxxx…"
    assert with_signs("abcde", length=5) == "abcde"


def test_a_name_in_quotation_marks_is_as_it_is() -> None:
    assert [quoted(name) for name in ("Saver", "Cloud's Saver", "a\\b\u202e")] == [
        "'Saver'",
        '"Cloud\'s Saver"',
        "'a\\b\u202e'",
    ]


def test_there_are_five_hundred_texts_with_marks_of_their_own() -> None:
    made = texts()
    assert len({text.mark for text in made}) == len({text.text for text in made}) == COUNT
    assert all(f"{text.lead}{text.mark}" in text.text for text in made)


def test_a_text_that_was_read_as_markup_is_found() -> None:
    bold, link = Hostile("**q1q**", "**", "q1q"), Hostile("[q2q](x)", "[", "q2q")
    assert list(misread(["**q1q**", "a [q2q](x)", "nothing"], [bold, link])) == []
    assert list(misread(["q1q"], [bold, link])) == ["q1q"]
    assert list(misread(["see q2q"], [bold, link])) == ["see q2q"]
