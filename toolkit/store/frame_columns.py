"""Frames kept column by column (table `frame_columns`), so that a question reads only the columns that it needs.

A million rows that are stored one by one take seconds to read; a column of them takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import polars as pl
import polars.selectors as cs

from toolkit.store.database import Store
from toolkit.tables.schema.journal import FrameColumnRow

MOST_DISTINCT = 0.5
"""Share of its rows up to which the distinct values of a text column are kept once each."""


def keep_frame(store: Store, household_id: str, name: str, frame: pl.DataFrame) -> None:
    """Keep a household's frame under a name, in place of an earlier one; only the columns that differ are written."""
    kept = {"household_id": household_id, "frame": name}
    gone = {column for (column,) in store.tuples("frame_columns", ("name",), where=kept)} - set(frame.columns)
    if gone:
        store.delete("frame_columns", {**kept, "name": sorted(gone)})
    keep_columns(store, household_id, name, frame)


def keep_columns(store: Store, household_id: str, name: str, frame: pl.DataFrame) -> None:
    """Keep some columns of a frame that is kept under a name; its other columns stay as they are."""
    rows = [FrameColumnRow(household_id, name, column.name, _encoded(column)) for column in frame.iter_columns()]
    store.upsert("frame_columns", rows)


def kept_frame(
    store: Store, household_id: str, name: str, columns: Sequence[str], *, enums: bool = False
) -> pl.DataFrame | None:
    """Return these columns of the frame that `keep_frame` kept under a name; None where one of them is not there.

    A text column with values that repeat is a Categorical, or, which is quicker, an Enum of its own values: that cannot
    be compared with others.
    """
    where = {"frame": name, "name": list(columns)}
    found = dict(store.tuples("frame_columns", ("name", "cells"), household_id, where=where))
    if len(found) < len(columns):
        return None
    frame = pl.concat([pl.read_ipc(BytesIO(found[column])) for column in columns], how="horizontal")
    return frame if enums else frame.cast({cs.enum(): pl.Categorical})


def drop_frames(store: Store, household_id: str) -> None:
    """Delete every frame that is kept for a household."""
    store.delete("frame_columns", {"household_id": household_id})


def _encoded(column: pl.Series) -> bytes:
    if column.dtype == pl.String and column.n_unique() <= MOST_DISTINCT * len(column):
        column = column.cast(
            pl.Enum(column.drop_nulls().unique().sort())
        )  # in order, so that equal frames are equal bytes
    file = BytesIO()
    column.to_frame().write_ipc(file, compression="lz4")
    return file.getvalue()
