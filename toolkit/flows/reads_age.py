"""How old a service point's reads are, by the rule of contract section 6."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from toolkit.flows.billing import days_read, invoice_periods
from toolkit.flows.service_points import ServicePoint

if TYPE_CHECKING:
    from toolkit.analytics.energy.reads_age import ReadsAge
    from toolkit.store import Store


def reads_age(store: Store, household: Mapping[str, Any], point: ServicePoint, today: date) -> ReadsAge:
    """The age of the point's reads on `today`, with the length of its next billing period.

    Raises StoreError where the point has no reads.
    """
    from toolkit.analytics.energy.forecast import next_period
    from toolkit.analytics.energy.reads_age import ReadsAge

    home = str(household["household_id"])
    last = min(days_read(store, home, point)[1], today)
    invoiced = [period for period in invoice_periods(store, home, point) if period.last <= today]
    period, _source = next_period(invoiced, last + timedelta(1))
    return ReadsAge(last, today, period.days)
