"""What comes again, and how the money will last."""

from __future__ import annotations

from toolkit.analytics.money.cash.flow import CashFlow, cash_flow
from toolkit.analytics.money.cash.recurring import Recurring, find_recurring

__all__ = ["CashFlow", "Recurring", "cash_flow", "find_recurring"]
