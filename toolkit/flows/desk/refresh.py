"""The job that brings the desk's stored figures up to date."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from toolkit.errors import StoreError, ToolkitError
from toolkit.flows.desk.desk import out_of_date
from toolkit.flows.desk.figures import current_figures
from toolkit.flows.household.context import Context, Progress, quiet
from toolkit.flows.wording import counted


def bring_up_to_date(
    ctx: Context, *, is_stopped: Callable[[], bool] = lambda: False, progress: Progress = quiet
) -> frozenset[str]:
    """Work out again the figures that are out of date, one household at a time.

    Returns the households with figures that could not be worked out, such as one that was deleted meanwhile. Those that
    change while others are worked out stay out of date. progress: called with how many of them are done.
    """
    failed = set()
    homes = out_of_date(ctx)
    for done, home in enumerate(homes):
        progress(f"{done:,} of {counted(len(homes), 'household')}")
        if is_stopped():
            break
        try:
            current_figures(replace(ctx, household=home, service_point=None))
        except StoreError:  # nor could the others be stored
            raise
        except ToolkitError:
            failed.add(home)
    return frozenset(failed)
