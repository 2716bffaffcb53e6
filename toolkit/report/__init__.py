"""The page to hand over: one HTML file that needs no network, from frames and charts."""

from __future__ import annotations

from toolkit.report.page import Section, render

__all__ = ["Section", "render"]
