"""What a visit keeps from run to run: one household on screen, and nothing of the one before it."""

from __future__ import annotations

import streamlit as st

from toolkit.pages.answers import OTHER_DB
from toolkit.pages.server import launch_settings as launched

IN_ADDRESS = "household"
SHOWN = "shown-household"
"""The household that the kept state is about."""
ROUND = "household-round"
"""How often the household was changed: the field that chooses it is a new one each time, as the browser would otherwise
send the choice that it showed before."""
NAMES = "household-names"
"""The names that this field showed last."""
OPENED = "household-opened"
"""The page on which a household was opened, until the next one is drawn."""
PAGE = "page-shown"
"""The name of the page that was drawn last."""
ON_SCREEN = "household_id"
"""The household that this visit shows; None where it shows none."""
RECORD = "households-record"
NARROWED = "households-narrowed"
"""What the table of households is narrowed down to."""
SEVERAL = "households-several"
"""Whether this visit added a household on the page of several, which is then in the menu from the first one on."""
_KEPT = {"unlocked", OTHER_DB, OPENED, RECORD, NARROWED, SEVERAL, SHOWN, ROUND, NAMES, PAGE, ON_SCREEN}


def open_home(household: str) -> None:
    """Put a household on screen, on this page and those opened after it."""
    show_home(household)
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def open_overview(household: str) -> None:
    """Put a household on screen, on its Overview unless another page is opened at once."""
    open_home(household)
    st.session_state[OPENED] = st.session_state.get(PAGE)


def show_home(household: str) -> None:
    """Note which household is drawn; what was typed, chosen, read or made for another one is forgotten first."""
    if st.session_state.get(SHOWN) not in (None, household):
        forget_pages()
    st.session_state[SHOWN] = st.session_state[ON_SCREEN] = household


def leave_home() -> None:
    """Put no household on screen, and forget what was typed, chosen, read or made for the last one."""
    forget_pages()
    st.session_state.pop(SHOWN, None)
    st.session_state[ON_SCREEN] = None
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def asked_home() -> str | None:
    """Return the household that this visit shows; of a new visit that which the address names, None for none.

    An address of an earlier launch names none: the list of households is then shown.
    """
    if ON_SCREEN not in st.session_state:
        named = st.query_params.get(IN_ADDRESS)
        return None if named is None else launched.of_address(named)
    shown: str | None = st.session_state[ON_SCREEN]
    return shown


def note_in_address(household: str | None) -> None:
    """Write the household on screen into the address, so that a reload shows it; None: no household.

    Called while a page is drawn, never on a click: Streamlit ends what a click began at the first thing that it sends
    to the browser where the next click has come already, and the household would be half changed.
    """
    if household is not None:
        st.query_params[IN_ADDRESS] = launched.in_address(household)
    elif IN_ADDRESS in st.query_params:
        del st.query_params[IN_ADDRESS]


def note_names(names: tuple[str, ...]) -> None:
    """Have the field that chooses the household be a new one where households are called otherwise than before.

    The browser sends the name that it shows: one that no household has any more would name none.
    """
    if st.session_state.get(NAMES, names) != names:
        st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.session_state[NAMES] = names


def field_key() -> str:
    """Return the key of the field that chooses the household."""
    return f"household-{st.session_state.get(ROUND, 0)}"


def forget_pages() -> None:
    """Forget the contents of every field and what pages keep; who is let in and who is on screen stays."""
    for name in [str(name) for name in st.session_state if name not in _KEPT]:
        del st.session_state[name]
