"""The same analysis over many households: from a database, a folder of partitions or a frame, to rows or Parquet."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import get_args

import polars as pl

from toolkit.answers.data import Fleet, FleetRow
from toolkit.errors import UsageError
from toolkit.fleet import Cluster, run_all
from toolkit.flows.data.output_files import refuse_to_replace
from toolkit.flows.fleet.kernels import Analysis, analyse
from toolkit.flows.fleet.partitions import (
    home_of,
    partition_reads,
    partition_transactions,
    partitions_in,
    write_partitions,
)
from toolkit.flows.household.context import Context
from toolkit.frames.checks import FrameLike, polars_frame
from toolkit.problems import Problem
from toolkit.settings import data_dir
from toolkit.store.connection import replace_private
from toolkit.units import DEFAULT_ZONE

HERE = Cluster()
_PARQUET = b"PAR1"


@dataclass(frozen=True, slots=True)
class FleetQuestion:
    """What is asked. folder: partitions, as an earlier run kept them, in place of the database. out: Parquet file.

    keep: new folder for the partitions, kept afterwards; workers on other machines need to see it under this path.
    """

    analysis: Analysis = "spending"
    folder: Path | None = None
    out: Path | None = None
    keep: Path | None = None


def fleet(ctx: Context, question: FleetQuestion, cluster: Cluster = HERE) -> Fleet:
    """Answer an analysis for every household, or for each service point, as the single commands would.

    A household that fails is a row with its reason. Raises SettingsError without Dask, FleetError where no scheduler or
    worker is there, UsageError for an analysis or folder that is not one.
    """
    if question.analysis not in get_args(Analysis):
        raise UsageError(f"{question.analysis!r} is not an analysis: choose from {', '.join(get_args(Analysis))}.")
    if question.folder is not None and question.keep is not None:
        raise UsageError("Partitions are either read (--input) or written (--keep).")
    if question.out is not None:
        refuse_to_replace(question.out, ctx.db, earlier="an earlier Parquet file", is_earlier=_is_parquet)
    with _temporary() as root:
        folders = partitions_in(question.folder) if question.folder else write_partitions(ctx, question.keep or root)
        answer = _over(folders, question.analysis, ctx.today, cluster)
    return _written(answer, question.out)


def over_households(  # noqa: PLR0913  the command's options, each by name
    *,
    db: Path | str | None = None,
    folder: Path | str | None = None,
    frame: FrameLike | None = None,
    analysis: Analysis = "spending",
    keep: Path | str | None = None,
    today: date | None = None,
    home: str | None = None,
    zone: str = DEFAULT_ZONE,
    workers: int = 2,
    scheduler: str | None = None,
    tls: tuple[Path, Path, Path] | None = None,
) -> pl.DataFrame:
    """Work out an analysis for many households on Dask, and return a row for each, or for each service point.

    Name one of `db`, `folder` and `frame`. Workers are new processes, and so a script (not a notebook) calls this below
    `if __name__ == "__main__":`. How to size workers, and clusters: toolkit/docs/fleet.md

    Args:
        db: A database, as `toolkit fleet` has it.
        folder: Partitions that an earlier run kept.
        frame: Frame `reads` of many service points, for `usage` and `solar`; or table `transactions` with a column that
            names the home, for `spending`.
        analysis: What to work out.
        keep: New folder for the partitions of a database, which are kept; `folder` takes it next time.
        today: The day that "next" is counted from. Default: today.
        home: Column of a frame of transactions that names the home.
        zone: IANA time zone of the homes of a frame.
        workers: Processes of this machine, where there is no scheduler.
        scheduler: Address of a Dask scheduler.
        tls: Files of the authority, the certificate and the key (PEM), for a scheduler that asks for them.

    Returns:
        A row for each household or service point, with those columns below that the analysis gives a value to: AUD with
        GST, kWh, gas in MJ. A household that fails is a row with `failed` and its `reason`. Figures are those of the
        single functions and commands.

    Raises:
        UsageError: Not exactly one source is named, or the analysis cannot be worked out from a frame.
        FrameError: The frame cannot be used.
        SettingsError: Dask is not installed.
        FleetError: No scheduler or worker is there.

    Examples:
        >>> frame = toolkit.sample("homes", homes=2)
        >>> homes = toolkit.reads(frame, time="time", home="home", registers=registers, zone="AEST")
        >>> rows = toolkit.over_households(frame=homes, analysis="usage", workers=1)
        >>> rows.select("service_point_id", "import_kwh", "base_load_kw", "failed")
        shape: (2, 4)
        ┌──────────────────┬────────────┬──────────────┬────────┐
        │ service_point_id ┆ import_kwh ┆ base_load_kw ┆ failed │
        │ ---              ┆ ---        ┆ ---          ┆ ---    │
        │ str              ┆ f64        ┆ f64          ┆ bool   │
        ╞══════════════════╪════════════╪══════════════╪════════╡
        │ family           ┆ 6378.269   ┆ 0.266        ┆ false  │
        │ renter           ┆ 3093.427   ┆ 0.13         ┆ false  │
        └──────────────────┴────────────┴──────────────┴────────┘

        Each is what `toolkit.usage` answers for the home alone.

        >>> renter = homes.filter(pl.col("service_point_id") == "renter")
        >>> toolkit.usage(renter).import_kwh == rows.filter(pl.col("service_point_id") == "renter")["import_kwh"].item()
        True
    """
    if sum(source is not None for source in (db, folder, frame)) != 1:
        raise UsageError("Name one of db=, folder= and frame=.")
    ctx = Context(Path(db or data_dir()), today or datetime.now(UTC).date())
    ca, cert, key = tls or (None, None, None)
    cluster = Cluster(workers, scheduler, ca, cert, key)
    if frame is None:
        question = FleetQuestion(analysis, Path(folder) if folder else None, keep=Path(keep) if keep else None)
        return fleet(ctx, question, cluster).frame()
    if analysis not in ("spending", "usage", "solar"):
        raise UsageError(f"{analysis} needs plans and homes: put the data into a database, and pass db=.")
    with _temporary() as root:
        if analysis == "spending":
            folders = partition_transactions(polars_frame(frame), root, home=home, zone=zone)
        else:
            folders = partition_reads(frame, root, zone=zone)
        return _over(folders, analysis, ctx.today, cluster).frame()


def _over(folders: list[Path], analysis: Analysis, today: date, cluster: Cluster) -> Fleet:
    work = partial(analyse, analysis=analysis, today=today)
    results = run_all(work, folders, cluster, lost=_lost) if folders else []
    rows = [row for of_home in results for row in of_home]
    problems = tuple(
        Problem(row.service_point_id or row.household, row.reason or "", "rejected") for row in rows if row.failed
    )
    return Fleet(analysis=analysis, households=tuple(rows), problems=problems)


def _lost(folder: Path, reason: str) -> list[FleetRow]:
    return [FleetRow(household=home_of(folder).name, reason=reason, failed=True)]


def _written(answer: Fleet, out: Path | None) -> Fleet:
    if out is None:
        return answer
    replace_private(out, lambda path: answer.frame().write_parquet(path))
    return Fleet(analysis=answer.analysis, households=answer.households, out=str(out), problems=answer.problems)


@contextmanager
def _temporary() -> Iterator[Path]:
    """Give a folder for partitions that is its owner's alone, and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolkit-fleet-") as root:
        yield Path(root)


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET
