"""What a worker does with one partition: a database of that household alone, and the flows of the single commands."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from toolkit.answers.data import FleetRow
from toolkit.errors import ToolkitError
from toolkit.flows.energy.bill import bill
from toolkit.flows.energy.compare import compare
from toolkit.flows.energy.forecast import forecast
from toolkit.flows.energy.solar import solar
from toolkit.flows.energy.usage import usage
from toolkit.flows.fleet.partitions import PLANS, home_of, rows_of
from toolkit.flows.household.context import Context, open_home
from toolkit.flows.household.service_points import NO_METER, fuel_of, service_points
from toolkit.flows.money.summary import spending
from toolkit.store import open_store

Analysis = Literal["spending", "usage", "bill", "compare", "forecast", "solar"]


def analyse(folder: Path, analysis: Analysis, today: date) -> list[FleetRow]:
    """Return the rows of one partition: one, or one for each service point where the analysis has these.

    What fails is a row with its reason; a worker that has no room left is such a failure too.
    """
    name = home_of(folder).name
    try:
        with tempfile.TemporaryDirectory(prefix="toolkit-fleet-") as place:
            db = Path(place) / "household.db"
            _load(folder, db)
            return list(_rows(Context(db, today), name, analysis))
    except (ToolkitError, OSError) as error:
        return [_failed(name, error)]
    except Exception as error:  # one household must not end the run of a thousand
        return [_failed(name, f"This failed unexpectedly ({type(error).__name__}).")]


def _load(folder: Path, db: Path) -> None:
    """Make the database of a partition, with the published plans next to it."""
    plans = folder.parent / PLANS
    if plans.exists():
        shutil.copyfile(plans, db)
    with open_store(db) as store, store.transaction():
        for path in sorted(folder.glob("*.parquet")):
            store.upsert(path.stem, rows_of(path))


def _rows(ctx: Context, name: str, analysis: Analysis) -> Iterator[FleetRow]:
    if analysis == "spending":
        yield _spending(ctx, name)
        return
    with open_home(ctx) as (store, household):
        points = service_points(store, household)
    if analysis == "solar":
        points = [point for point in points if fuel_of(point) == "ELECTRICITY"]
    if not points:
        yield _failed(name, str(NO_METER))
    for point in points:
        start = FleetRow(household=name, service_point_id=point.id, fuel=fuel_of(point))
        try:
            yield BY_POINT[analysis](replace(ctx, service_point=point.id), start)
        except ToolkitError as error:
            yield msgspec.structs.replace(start, reason=str(error), failed=True)


def _spending(ctx: Context, name: str) -> FleetRow:
    answer = spending(ctx)
    return FleetRow(household=name, from_=answer.from_, to=answer.to, spent=answer.spent, income=answer.income)


def _usage(ctx: Context, start: FleetRow) -> FleetRow:
    [point] = usage(ctx).service_points
    return msgspec.structs.replace(
        start,
        from_=point.from_,
        to=point.to,
        import_kwh=point.import_kwh,
        import_mj=point.import_mj,
        export_kwh=point.export_kwh,
        controlled_load_kwh=point.controlled_load_kwh,
        base_load_kw=point.base_load_kw,
        coverage=point.coverage,
    )


def _bill(ctx: Context, start: FleetRow) -> FleetRow:
    answer = bill(ctx)
    return msgspec.structs.replace(
        start, from_=answer.from_, to=answer.to, plan_id=answer.plan_id, total=answer.total, gst=answer.gst
    )


def _compare(ctx: Context, start: FleetRow) -> FleetRow:
    answer = compare(ctx)
    best, current = answer.headline, answer.current
    return msgspec.structs.replace(
        start,
        from_=answer.from_,
        to=answer.to,
        plan_id=current.plan_id if current else None,
        total=current.total if current else None,
        best_plan_id=best.plan_id if best else None,
        best_total=best.total if best else None,
        saving=best.saving if best else None,
        saving_days=best.saving_days if best else None,
        priced=answer.priced,
    )


def _forecast(ctx: Context, start: FleetRow) -> FleetRow:
    answer = forecast(ctx)
    return msgspec.structs.replace(
        start,
        from_=answer.period.from_,
        to=answer.period.to,
        plan_id=answer.plan_id,
        certain=answer.certain,
        p10=answer.p10,
        p50=answer.p50,
        p90=answer.p90,
        reason=str(answer.reason) if answer.reason else None,
    )


def _solar(ctx: Context, start: FleetRow) -> FleetRow:
    [point] = solar(ctx).service_points
    made = point.generation_kwh
    return msgspec.structs.replace(
        start,
        from_=point.from_,
        to=point.to,
        panels_kw=point.panels_kw,
        export_kwh=point.export_kwh,
        generation_low_kwh=made.low,
        generation_kwh=made.mid,
        generation_high_kwh=made.high,
        feed_in_value=point.feed_in_value,
        avoided_import_value=point.avoided_import_value,
        reason=str(point.reason) if point.reason else None,
    )


def _failed(name: str, why: object) -> FleetRow:
    return FleetRow(household=name, reason=str(why), failed=True)


BY_POINT: Mapping[Analysis, Callable[[Context, FleetRow], FleetRow]] = {
    "usage": _usage,
    "bill": _bill,
    "compare": _compare,
    "forecast": _forecast,
    "solar": _solar,
}
