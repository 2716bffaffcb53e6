"""Records of the service become rows of the tables."""

from __future__ import annotations

from toolkit.tables.rows.pages import AS_STORED, PageRows, Refusal, Scope, refusal, rows_of

__all__ = ["AS_STORED", "PageRows", "Refusal", "Scope", "refusal", "rows_of"]
