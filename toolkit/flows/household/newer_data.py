"""The accounts and meters of a household with their last day, and how newer data comes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from toolkit.answers.households import DataSource, HouseholdStatus
from toolkit.charts import style
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.holdings import account_labels, meter_labels
from toolkit.flows.household.service_points import service_points
from toolkit.flows.household.status import status
from toolkit.flows.money.accounts import list_accounts
from toolkit.flows.money.spending import accounts_as_set
from toolkit.tables.reference.newer_data import Steps, bank_steps, gas_steps, network_steps, steps_read
from toolkit.tables.reference.places import network_of_nmi

METER_FILES = {"nem12", "nem13", "usage-csv", "greenbutton"}


def data_sources(ctx: Context) -> tuple[DataSource, ...]:
    """Return each account and meter of the household, that with the oldest data first. Raises as `open_home`."""
    (stored,) = status(ctx).households
    found = [*_accounts(ctx), *_meters(ctx, stored)]
    return tuple(sorted(found, key=lambda source: (source.to or date.min, source.label)))


def _accounts(ctx: Context) -> Iterator[DataSource]:
    with open_home(ctx) as (store, household):
        layouts = {row.account_id: row.layout for row in accounts_as_set(store, household.household_id)}
    labels = account_labels(ctx)
    for account in list_accounts(ctx).accounts:
        label = labels.get(account.id, account.name or account.id)
        if account.source == "service":
            yield DataSource(label=label, to=account.to)
        else:
            yield _of_files(label, account.to, bank_steps(layouts.get(account.id) or label))


def _meters(ctx: Context, stored: HouseholdStatus) -> Iterator[DataSource]:
    from_files = any(file.kind in METER_FILES for file in stored.files)
    with open_home(ctx) as (store, household):
        networks = {
            point.id: household.network or point.network or network_of_nmi(point.national_metering_id or point.id)
            for point in service_points(store, household, fuel="ELECTRICITY")
        }
        # Of a meter that is read every few weeks, as gas's are; coverage is of the days of registers.
        read = store.tuples("meter_reads", ("service_point_id", "end_date"), household.household_id)
    labels = meter_labels(ctx)
    ends = {str(point): date.fromisoformat(str(last)) for point, last in sorted(read)}
    ends |= {meter.service_point_id: meter.to for meter in stored.meter_coverage}
    for point, last in sorted(ends.items()):
        label = labels.get(point, point)
        if from_files:
            steps = network_steps(networks[point] or "") if point in networks else gas_steps()
            yield _of_files(label, last, steps)
        else:
            yield DataSource(label=label, to=last)


def _of_files(label: str, last: date | None, known: Steps) -> DataSource:
    since = style.day(last) if last else "the first day"
    read = steps_read() if known.source else None
    return DataSource(label=label, to=last, steps=known.steps.format(since=since), page=known.source, read=read)
