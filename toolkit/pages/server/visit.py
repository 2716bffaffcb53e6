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
PAGE = "page-shown"
"""The name of the page that was drawn last."""
_OF_HOME = ("household_id", "household_name")
RECORD = "households-record"
SEVERAL = "households-several"
"""Whether this visit added a household on the page of several, which is then in the menu from the first one on."""
_KEPT = {"unlocked", OTHER_DB, "household-opened", RECORD, SEVERAL, SHOWN, ROUND, PAGE, *_OF_HOME}


def open_home(household: str) -> None:
    """Put a household on screen, on this page and those opened after it."""
    show_home(household)
    st.query_params[IN_ADDRESS] = launched.in_address(household)
    st.session_state["household_id"] = household
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def show_home(household: str) -> None:
    """Note which household is drawn; what was typed, chosen, read or made for another one is forgotten first."""
    if st.session_state.get(SHOWN) not in (None, household):
        forget_pages()
    st.session_state[SHOWN] = household


def leave_home() -> None:
    """Put no household on screen, and forget what was typed, chosen, read or made for the last one."""
    forget_pages()
    for name in (SHOWN, *_OF_HOME):
        st.session_state.pop(name, None)
    st.query_params.pop(IN_ADDRESS, None)
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def field_key() -> str:
    """Return the key of the field that chooses the household."""
    return f"household-{st.session_state.get(ROUND, 0)}"


def forget_pages() -> None:
    """Forget the contents of every field and what pages keep; who is let in and who is on screen stays."""
    for name in [str(name) for name in st.session_state if name not in _KEPT]:
        del st.session_state[name]
