"""The flow inside another page's frame, for the link component: who may frame it, and the messages to that page."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolkit.sandbox.consent import html
from toolkit.sandbox.service.consents import Session

STATIC = Path(__file__).parent / "static"
SCRIPTS = ("link.js", "link-end.js", "link-test.js")
SCRIPT_HEADERS = {
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
}
TEST_FORM = (
    '<form><label for="sess_id">Session</label><input id="sess_id" name="sess_id" required>'
    '<label for="timeout">Seconds at most</label><input id="timeout" name="timeout" type="number" min="0" step="any">'
    '<label for="container">Selector of the place (none: over the page)</label>'
    '<input id="container" name="container" value="#here"><div class="buttons">'
    '<button name="go">Open the flow</button><button type="button" id="close">Close it</button></div></form>'
    '<p>It ended with: <output aria-live="polite">not yet</output></p><div id="here"></div>'
    '<script type="module" src="/link-test.js"></script>'
)


def link_routes() -> list[Route]:
    """The component's script, the end page's, and a page to try it on."""
    return [
        *(Route(f"/{name}", _script(name), methods=["GET"]) for name in SCRIPTS),
        Route("/link/test", _test_page, methods=["GET"]),
    ]


def _script(name: str) -> Response:
    return Response((STATIC / name).read_bytes(), headers=SCRIPT_HEADERS, media_type="text/javascript")


async def _test_page(_request: Request) -> Response:
    return html.document("Try the link component", TEST_FORM, policy="script-src 'self'; frame-src 'self'")


def parent_of(request: Request, session: Session | None) -> str | None:
    """The origin of the page around the flow, where the query names one that may frame it.

    Those are the service's own, this machine's, and the origins that the session redirects to.
    """
    stated = request.query_params.get("parent")
    parts = _split(stated or "")
    if stated is None or parts is None or stated != _origin(parts):
        return None
    known = [str(request.base_url), *((session.redirect_uri, session.cancel_uri) if session else ())]
    own = [_origin(found) for uri in known if uri and (found := _split(uri))]
    return stated if stated in own or _on_this_machine(parts) else None


def _split(uri: str) -> SplitResult | None:
    try:
        parts = urlsplit(uri)
        return parts if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _origin(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}"


def _on_this_machine(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def message_page(parent: str, title: str, words: str, message: Mapping[str, object], status: int = 200) -> Response:
    """A last page, which posts the message to the page around it."""
    data = escape(msgspec.json.encode(message).decode())
    script = f'<script src="/link-end.js" data-parent="{escape(parent)}" data-message="{data}"></script>'
    return html.document(
        title, html.paragraph(words) + script, status=status, parent=parent, policy="script-src 'self'"
    )
