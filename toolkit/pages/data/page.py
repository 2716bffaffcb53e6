"""The page: files first, because they need no account anywhere."""

from __future__ import annotations

from toolkit.flows.household.context import Context
from toolkit.pages import keeping, widgets
from toolkit.pages.data import (
    CONNECTED_ACCOUNTS,
    DATA_TABS,
    ENERGY_PLAN,
    FILES,
    STORED_DATA,
    YOUR_HOME,
    accounts,
    concessions,
    home,
    stored,
)
from toolkit.pages.energy import my_plan
from toolkit.pages.importing import bank_columns, folder, upload

TABS = (FILES, YOUR_HOME, ENERGY_PLAN, CONNECTED_ACCOUNTS, STORED_DATA)


def render(ctx: Context) -> None:
    """Show the Data page."""
    of_files, of_home, of_plan, of_accounts, of_stored = widgets.tabs(TABS, key=DATA_TABS)
    with of_files:
        upload.render(ctx)
        folder.look_again(ctx)
        keeping.sources(ctx)
        folder.choose_folder(ctx)
        bank_columns.render(ctx)
    with of_home:
        home.render(ctx)
        concessions.render(ctx)
    with of_plan:
        my_plan.render(ctx)
    with of_accounts:
        accounts.render(ctx)
    with of_stored:
        stored.render(ctx)
        keeping.render(ctx)
