"""The service's link component on the page: its script opens the consent pages in a frame and reports how they ended.

The script comes from the configured service alone; the guard's policy lets no other in. Session and address reach it
as data, never as markup or code.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from msgspec import Struct, convert

from toolkit.pages.server import launch_settings as launched

SCRIPT = "link.js"
TIMEOUT_MS = 600_000
JS = """
export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector("div");
  if (place.dataset.session === data.session) return;
  place.dataset.session = data.session;
  place.replaceChildren();
  import(data.script).then(
    ({ link }) => link(data.session, { container: place, timeoutMs: data.timeout }).then(
      ({ consentID }) => setTriggerValue("ended", { session: data.session, consent: consentID }),
      ({ code }) => setTriggerValue("ended", { session: data.session, code: code ?? "LINK_INTERNAL_ERROR" }),
    ),
    () => setTriggerValue("ended", { session: data.session, absent: true }),
  );
}
"""

_component = st.components.v2.component("toolkit_link", html="<div></div>", js=JS)


def possible() -> bool:
    """Whether the guard lets the service's script and frame in."""
    launch = launched.current()
    return launch is not None and launch.service is not None


class Ended(Struct, frozen=True):
    """How the flow ended: with the id of a consent, with a code, or not at all, as the service has no component."""

    consent: str | None = None
    code: str | None = None
    absent: bool = False


def opened(session: str) -> Ended | None:
    """Show the consent flow. Return how it ended; None while it is open."""
    launch = launched.current()
    if launch is None or launch.service is None:
        return Ended(absent=True)
    data = {"script": f"{launch.service}/{SCRIPT}", "session": session, "timeout": TIMEOUT_MS}
    # Streamlit hands over a value only where there is a callback; the value itself arrives with the next run.
    ended = _component(key="link", data=data, on_ended_change=lambda: None).get("ended")
    return convert(ended, Ended) if isinstance(ended, Mapping) and ended.get("session") == session else None
