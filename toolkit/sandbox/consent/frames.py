"""The consent pages in another page's frame, for the link component: who may frame them, and messages to that page."""

from __future__ import annotations

from html import escape
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toolkit.sandbox.consent import html
from toolkit.sandbox.service.consents import Session
from toolkit.wire import JsonObject

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
    """Return the routes of the component's scripts and of a page to try it on."""
    pages = {
        f"/{name}": Response((STATIC / name).read_bytes(), headers=SCRIPT_HEADERS, media_type="text/javascript")
        for name in SCRIPTS
    }
    policy = "script-src 'self'; frame-src 'self'"
    pages["/link/test"] = html.document("Try the link component", TEST_FORM, policy=policy)
    return [Route(path, page, methods=["GET"]) for path, page in pages.items()]


def parent_of(request: Request, session: Session | None) -> str | None:
    """Return the origin of the page around the flow; None if the query names none that may frame it.

    Allowed are the service's own origin, those of this machine, and those that the session redirects to.
    """
    parent = request.query_params.get("parent")
    if parent is None or parent != _origin(parent):
        return None
    allowed = [str(request.base_url), *((session.redirect_uri, session.cancel_uri) if session else ())]
    if any(parent == _origin(uri) for uri in allowed if uri):
        return parent
    host = urlsplit(parent).hostname or ""
    try:
        return parent if host == "localhost" or ip_address(host).is_loopback else None
    except ValueError:
        return None


def _origin(uri: str) -> str | None:
    """Return scheme, host and port; None unless the address is valid http or https."""
    try:
        parts = urlsplit(uri)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return None
    return f"{parts.scheme}://{parts.netloc}" if is_valid else None


def message_page(parent: str, title: str, text: str, message: JsonObject, status: int = 200) -> Response:
    """Return a last page, which posts the message to the page around it."""
    data = escape(msgspec.json.encode(message).decode())
    script = f'<script src="/link-end.js" data-parent="{escape(parent)}" data-message="{data}"></script>'
    return html.document(title, html.paragraph(text) + script, status=status, parent=parent, policy="script-src 'self'")
