"""The page to hand over: one HTML file that needs no network, from frames and charts."""

from __future__ import annotations

from toolkit.report.page import Section, is_page, render

__all__ = ["Section", "is_page", "render"]
