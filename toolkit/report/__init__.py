"""The page to hand over: one HTML file that needs no script and no network, from answers and charts."""

from __future__ import annotations

from toolkit.report.page import Section, Table, is_page, render

__all__ = ["Section", "Table", "is_page", "render"]
