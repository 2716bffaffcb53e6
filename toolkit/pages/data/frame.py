"""The service's link component on the page: its script opens the consent pages in a frame and reports how they ended.

The script comes from the configured service alone; the guard's policy lets no other in. Session and address reach it
as data, never as markup or code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

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


def opened(session: str) -> Mapping[str, Any] | None:
    """Show the consent flow. Once it has ended, return `consent` or `code`; `absent` where the service has none."""
    launch = launched.current()
    if launch is None or launch.service is None:
        return {"absent": True}
    data = {"script": f"{launch.service}/{SCRIPT}", "session": session, "timeout": TIMEOUT_MS}
    # Streamlit hands over a value only where there is a callback; the value itself arrives with the next run.
    ended = _component(key="link", data=data, on_ended_change=lambda: None).get("ended")
    return ended if isinstance(ended, Mapping) and ended.get("session") == session else None
