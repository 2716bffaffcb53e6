"""The parts of Streamlit's browser code that the first page draws with.

Streamlit's browser code asks for each part when something is drawn with it for the first time. Named in a header of
the document, they come while Python still imports what the page needs, so that figures and charts wait for nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit

PARTS = ("PlotlyChart", "Metric", "PageLink", "Html", "Button")
"""File names up to the first dot; what follows changes with every version of Streamlit."""


@cache
def link_header() -> str:
    """Return the value of the `Link` header of a document.

    A part that the installed Streamlit does not have is left out: it then comes when it is drawn.
    """
    scripts = Path(streamlit.__file__).parent / "static" / "static" / "js"
    found = [file.name for part in PARTS for file in scripts.glob(f"{part}.*.js")]
    return ", ".join(f"</static/js/{name}>; rel=modulepreload" for name in found)
