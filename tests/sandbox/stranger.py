"""Somebody with credentials and plain HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from html.parser import HTMLParser
from typing import Any

import httpx

from toolkit.sandbox.serve import Running

TODAY = date(2026, 3, 10)


@dataclass
class Caller:
    """Real HTTP to a running sandbox with the full client's token."""

    sandbox: Running
    http: httpx.Client

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self.http.get(path, params=query)

    def every(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """All records of a list, following `links.next`."""
        answer = self.get(path, **{"page[size]": 1000, **query}).json()
        array = next(name for name in answer if name not in ("links", "meta"))
        records = list(answer[array])
        while following := answer["links"].get("next"):
            answer = self.http.get(following).json()
            records += answer[array]
        return records

    def user(self, persona: str) -> str:
        return next(end_user for _, end_user, known in self.sandbox.people if known == persona)

    def session(self, end_user_id: str, **more: Any) -> dict[str, Any]:
        answer = self.http.post("/v1/auth/session", json={"end_user_id": end_user_id, **more})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())


def signed_in(sandbox: Running, client_id: str, secret: str) -> httpx.Client:
    """A client with a token, to be opened by `with`."""
    body = {"client_id": client_id, "client_secret": secret}
    answer = httpx.post(f"{sandbox.base_url}/v1/token", json=body, trust_env=False)
    headers = {"authorization": f"Bearer {answer.json()['token']}"}
    return httpx.Client(base_url=sandbox.base_url, headers=headers, trust_env=False)


class Form(HTMLParser):
    """The fields of a page's form with the values that a browser would send untouched."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: list[tuple[str, str]] = []
        self.buttons: list[str] = []
        self._select = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "input" and (values.get("type") != "checkbox" or "checked" in values):
            self.fields.append((values["name"], values.get("value", "")))
        elif tag == "select":
            self._select = values["name"]
        elif tag == "option" and self._select:
            self.fields.append((self._select, values["value"]))
            self._select = ""
        elif tag == "button":
            self.buttons.append(values["name"])

    def filled(self, **changed: str) -> dict[str, list[str]]:
        data: dict[str, list[str]] = {}
        for name, value in self.fields:
            data.setdefault(name, []).append(value)
        return data | {name: [value] for name, value in changed.items()}
