"""The answers of first steps."""

from __future__ import annotations

from toolkit.answers.base import Answer
from toolkit.answers.energy.forecast import Forecast
from toolkit.answers.energy.solar import Solar
from toolkit.answers.energy.usage import Usage
from toolkit.answers.money import Spending


class Shortcut(Answer, frozen=True, kw_only=True):
    """The icon that `app --shortcut` wrote."""

    path: str


class Demo(Answer, frozen=True, kw_only=True):
    """Four answers about an invented household: what `demo` answers."""

    db: str
    """Path of the database that holds the household."""
    spending: Spending
    forecast: Forecast
    usage: Usage
    solar: Solar
