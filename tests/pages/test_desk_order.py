"""The table of households: who needs something today comes first, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from msgspec.structs import replace
from streamlit.testing.v1 import AppTest

from tests.pages.seen import TODAY
from toolkit.flows.desk.refresh import bring_up_to_date
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home
from toolkit.flows.household.settings import set_home
from toolkit.flows.imports.load import load


def test_who_needs_something_comes_first_with_the_reason(tmp_path: Path, visit: Callable[..., AppTest]) -> None:
    """Quolls: $900.00 on 1 June, less a rent of $950.00 on 1 July, on 3 August and on 1 September is −$1,950.00."""
    ctx = Context(tmp_path / "home" / "household.db", TODAY)
    for name in ("Bilbies", "Echidnas", "Koalas", "Quolls", "Wombats"):
        add_home(ctx, name)
    months = [date(2026, month, 1) for month in range(1, 7)]
    files = {
        "Quolls": [f'{day:%d/%m/%Y},"-950.00","RENT SMITH REALTY","900.00"' for day in months],
        "Bilbies": ['01/04/2026,"-30.00","GYM",""'],
        "Echidnas": ['19/06/2026,"-30.00","GYM",""'],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
        load(replace(ctx, household=name), [tmp_path / f"{name}.csv"])
    for name, day in (("Koalas", 15), ("Bilbies", 10), ("Echidnas", 21)):
        set_home(replace(ctx, household=name), follow_up=date(2026, 6, day))
    bring_up_to_date(ctx)
    needs = {
        "Bilbies": "Follow up since 10 Jun 2026; Data to 1 Apr 2026 only",
        "Koalas": "Follow up since 15 Jun 2026; No data",
        "Quolls": "Lowest balance −$1,950 on 1 Sep 2026",
        "Wombats": "No data",
        "Echidnas": "",
    }
    test = visit(ctx.db, "households")
    table = test.dataframe[0].value
    assert list(table.columns)[:2] == ["name", "need"]
    assert list(zip(table["name"], table["need"].fillna(""), strict=True)) == list(needs.items())
    assert test.selectbox(key="household-by-name").options == sorted(needs)  # a list of names is read by name
    set_home(replace(ctx, household="Wombats"), follow_up=TODAY - timedelta(30))
    assert test.run().dataframe[0].value["name"].to_list()[0] == "Wombats"
