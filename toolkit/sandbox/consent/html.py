"""HTML of the consent pages; every text goes through `escape`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from starlette.responses import HTMLResponse

STYLE = """
:root { color-scheme: light dark; --line: #8a8f98; --accent: #1f6f5c; }
* { box-sizing: border-box }
body { margin: 0; font: 17px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText }
main { max-width: 27rem; margin: 6vh auto; padding: 0 1.2rem }
.who { opacity: .75; font-size: .9rem; margin: 0 }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .2rem 0 1rem }
label { display: block; margin: .9rem 0 .25rem; font-weight: 600 }
fieldset { border: 1px solid var(--line); border-radius: .5rem; padding: .4rem 1rem .9rem; margin: 0 }
fieldset label { font-weight: 400; margin: .5rem 0 0 }
input:not([type=checkbox]), select { width: 100%; padding: .6rem; font: inherit; border: 1px solid var(--line); \
border-radius: .4rem; background: Field; color: FieldText }
.buttons { display: flex; gap: .8rem; margin-top: 1.4rem }
button { font: inherit; padding: .6rem 1.1rem; border-radius: .4rem; border: 1px solid var(--accent); cursor: pointer; \
background: transparent; color: inherit }
button[name=go] { background: var(--accent); color: #fff }
:focus-visible { outline: 3px solid #e0a100; outline-offset: 2px }
[role=alert] { border-left: 4px solid #c0392b; padding: .3rem .8rem }
"""
HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors {parent}"


def document(
    title: str,
    content: str,
    *,
    who: str = "Sandbox",
    status: int = 200,
    parent: str | None = None,
    policy: str = "",
) -> HTMLResponse:
    """Return a whole page.

    content is markup; title and who (the institution) are text. parent: the only origin that may frame the page.
    policy: additions to the content security policy.
    """
    text = (
        f'<!doctype html><html lang="en-AU"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f'<body><main><p class="who">{escape(who)}</p><h1>{escape(title)}</h1>{content}</main></body></html>'
    )
    limits = "; ".join(part for part in (POLICY.format(parent=parent or "'none'"), policy) if part)
    return HTMLResponse(text, status, headers={**HEADERS, "content-security-policy": limits})


def form(step: str, fields: str, *, go: str, stop: str, error: str = "") -> str:
    """Return a form with two buttons: `go`, which Enter presses, and `stop`, the name of the one that ends the flow."""
    alert = f'<p role="alert">{escape(error)}</p>' if error else ""
    return (
        f'{alert}<form method="post"><input type="hidden" name="step" value="{escape(step)}">{fields}'
        f'<div class="buttons"><button type="submit" name="go" value="{escape(step)}">{escape(go)}</button>'
        f'<button type="submit" name="{escape(stop)}" value="1" formnovalidate>Cancel</button></div></form>'
    )


def choice(name: str, label: str, options: Iterable[tuple[str, str]]) -> str:
    """Return a drop-down of (value, text); the first is chosen."""
    listed = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options)
    key = escape(name)
    return f'<label for="{key}">{escape(label)}</label><select id="{key}" name="{key}">{listed}</select>'


def entry(name: str, label: str, value: str, kind: str = "text") -> str:
    """Return an input with its label."""
    return (
        f'<label for="{escape(name)}">{escape(label)}</label><input id="{escape(name)}" name="{escape(name)}" '
        f'type="{escape(kind)}" value="{escape(value)}" autocomplete="off" required>'
    )


def checkboxes(name: str, legend: str, options: Iterable[tuple[str, str]]) -> str:
    """Return checkboxes of (value, text), all ticked."""
    boxes = "".join(
        f'<label><input type="checkbox" name="{escape(name)}" value="{escape(value)}" checked> {escape(text)}</label>'
        for value, text in options
    )
    return f"<fieldset><legend>{escape(legend)}</legend>{boxes}</fieldset>"


def paragraph(text: str) -> str:
    """Return a paragraph of text."""
    return f"<p>{escape(text)}</p>"
