"""Where the data comes from: files, the home itself, connected accounts; and how fresh it is."""

from toolkit.pages.sources.page import render

__all__ = ["render"]
