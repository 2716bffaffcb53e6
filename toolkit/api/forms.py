"""Reads the forms of a plain HTML page, as a browser without script would fill and send them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

Attributes = Mapping[str, str]

CANCELLING = ("cancel", "deny")
_UNSENT = ("submit", "button", "image", "reset", "file")


@dataclass(slots=True)
class Button:
    name: str
    value: str
    action: str | None = None

    @property
    def cancels(self) -> bool:
        return self.name.lower() in CANCELLING or self.value.lower() in CANCELLING


@dataclass(slots=True)
class Form:
    """fields: name and value pairs as they stand when the page opens."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)

    def filled(self, answers: Mapping[str, str], press: str | None) -> tuple[str, list[tuple[str, str]]] | None:
        """Where to send it and what, with `answers` in place of the values given; None without such a button.

        press: name of the button, None for the first that does not cancel.
        """
        wanted = [b for b in self.buttons if (b.name == press if press else not b.cancels)]
        if not wanted:
            return None
        button = wanted[0]
        sent = [(name, answers.get(name, value)) for name, value in self.fields]
        pressed = [(button.name, button.value)] if button.name else []
        return button.action or self.action, sent + pressed


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []
        self._area: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").upper())
            self.forms.append(self._form)
        elif self._form is not None and "disabled" not in given:
            self._control(self._form, tag, given)

    def _control(self, form: Form, tag: str, given: Attributes) -> None:
        if tag == "input":
            self._input(form, given)
        elif tag == "button" and given.get("type", "submit") == "submit":
            form.buttons.append(_button(given))
        elif tag == "select":
            self._select, self._options = given.get("name"), []
        elif tag == "option" and self._select:
            self._options.append((given.get("value", ""), "selected" in given))
        elif tag == "textarea":
            self._area, self._text = given.get("name"), ""

    def _input(self, form: Form, given: Attributes) -> None:
        kind = given.get("type", "text").lower()
        if kind == "submit":
            form.buttons.append(_button(given))
        elif kind in ("checkbox", "radio"):
            if "checked" in given and given.get("name"):
                form.fields.append((given["name"], given.get("value", "on")))
        elif kind not in _UNSENT and given.get("name"):
            form.fields.append((given["name"], given.get("value", "")))

    def handle_data(self, data: str) -> None:
        if self._area:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._form is None:
            return
        if tag == "form":
            self._form = None
        elif tag == "select" and self._select and self._options:
            chosen = [value for value, selected in self._options if selected] or [self._options[0][0]]
            self._form.fields.append((self._select, chosen[0]))
            self._select = None
        elif tag == "textarea" and self._area:
            self._form.fields.append((self._area, self._text.removeprefix("\n")))
            self._area = None


def _button(given: Attributes) -> Button:
    return Button(given.get("name", ""), given.get("value", ""), given.get("formaction"))


def read_forms(page: str) -> list[Form]:
    """The forms of a page, in order."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.forms
