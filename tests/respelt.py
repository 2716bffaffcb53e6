"""The sandbox as a deployment of its own spelling would answer: another word, prefix, versions, record names, clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from tests.scripted_service import Reply, ScriptedService, SentRequest, reply
from toolkit.sandbox.serve import Running
from toolkit.wire.endpoints import ENDPOINTS

CORE = tuple(row.path.split("{")[0] for row in ENDPOINTS if row.core)


@dataclass
class Deployment:
    """word: in the place of *platform*. core_prefix: the only one the core paths have. versions: not refused.

    altered: the body of every answer, changed at will. headers: added to every answer. states: answers, refusals among
    them, name word and version in a header; a request that does not name a version by it is refused.
    """

    sandbox: Running
    service: ScriptedService
    word: str = "platform"
    core_prefix: str = ""
    versions: tuple[str, ...] = ("v1", "v2", "v3")
    altered: Callable[[bytes], bytes] = lambda body: body
    headers: dict[str, str] = field(default_factory=dict)
    states: bool = False

    def __post_init__(self) -> None:
        self.service.answer = self.service.token = self.answer

    def answer(self, asked: SentRequest) -> Reply:
        status, headers, body = self._answered(asked)
        own = {f"x-{self.word}-version": self.versions[0]} if self.states else {}
        return status, {**own, **headers}, body

    def _answered(self, asked: SentRequest) -> Reply:
        version = asked.headers.get(f"x-{self.word}-version", "" if self.states else self.versions[0])
        if version not in self.versions:
            return reply({"id": "err_1", "name": "InvalidRequest", "message": f"no such version: {version}"}, 400)
        path = self._path(asked.path) if asked.method == "GET" else asked.path
        if path is None:
            return reply({"id": "err_1", "name": "not_found", "message": "no such path"}, 404)
        answer = self._forwarded(asked, path)
        body = answer.content.replace(self.sandbox.base_url.encode(), self.service.url.encode())
        body = self.altered(body.replace(b'"platform_id"', f'"{self.word}_id"'.encode()))
        return answer.status_code, {"content-type": answer.headers.get("content-type", ""), **self.headers}, body

    def _path(self, path: str) -> str | None:
        bare = path.removeprefix(self.core_prefix) if self.core_prefix else path
        is_core = bare.startswith(CORE) or path.removeprefix("/v1").startswith(CORE)
        if not is_core:
            return path
        return bare if path == self.core_prefix + bare and bare.startswith(CORE) else None

    def _forwarded(self, asked: SentRequest, path: str) -> httpx.Response:
        kept = {name: asked.headers[name] for name in ("authorization", "content-type") if name in asked.headers}
        return httpx.request(
            asked.method,
            self.sandbox.base_url + path,
            params=asked.query or None,
            headers=kept,
            content=asked.body,
            trust_env=False,
        )


def camel_keys(body: bytes) -> bytes:
    """Every key in camelCase, as some holders leak them; the envelope's links keep their names."""
    return re.sub(rb'"([a-z0-9_]+)"(\s*:)', lambda m: b'"%s"%s' % (_camel(m[1]), m[2]), body)


def _camel(name: bytes) -> bytes:
    return re.sub(rb"_([a-z0-9])", lambda m: m[1].upper(), name)
