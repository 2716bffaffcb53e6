"""What a person sees on a page."""

from __future__ import annotations

import re
from datetime import date

from streamlit.testing.v1 import AppTest

TODAY = date(2026, 6, 20)


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def said(test: AppTest) -> str:
    """All sentences, as they are written in markdown."""
    kinds = (test.markdown, test.caption, test.info, test.success, test.warning, test.error, test.text, test.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def read(test: AppTest) -> str:
    """All sentences as they are shown: one backslash before a sign of markdown is not."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said(test)).replace("\u2060", "")
