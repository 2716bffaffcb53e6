"""The Households page: all households in a table; add, rename, merge, archive and delete them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st
from msgspec.structs import replace
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.households import Household
from toolkit.answers.insights import DeskHousehold
from toolkit.charts import style
from toolkit.errors import AuthenticationError
from toolkit.flows.consent.disconnect import withdraw
from toolkit.flows.desk.desk import desk, out_of_date
from toolkit.flows.desk.refresh import bring_up_to_date
from toolkit.flows.forget.forget import forget
from toolkit.flows.household.context import Context
from toolkit.flows.household.listed import add_home, homes
from toolkit.flows.household.merge import merge, undo_move
from toolkit.flows.household.settings import archive, set_home_by_field
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import MOST_NAMED, ask, explained, refused_below
from toolkit.pages.data import FILES, connecting, files
from toolkit.pages.server import background, visit
from toolkit.pages.text import plain, readable, sentence

DONE, OPENED = "households-done", "household-opened"
TABLE, BY_NAME, DRAWN = "table-households", "household-by-name", "households-drawn"
"""The table, the field to choose one by name, and the ids in the order in which the table was drawn last."""
MERGED = "households-merged"
"""Whether the last thing done in this visit was a merge, which can then be undone."""
ADDED, INTO, IS_OPEN = "households-added", "households-add-into", "households-add-open"
"""How often fields to add one were emptied, the household to choose in them at the next drawing, and if they stay."""
NEW = "households-new"
"""The household that was added just now without files: its accounts are connected once it is open."""
LINKS = {"sent": "Sent", "done": "Done", "expired": "Expired"}


def open_overview(household: str) -> None:
    """Put a household on screen, on its Overview unless another page is opened at once."""
    visit.open_home(household)
    st.session_state[OPENED] = st.session_state.get(visit.PAGE)


def render(ctx: Context) -> None:
    """Show every household with its stored figures, and what can be done with one."""
    ctx = replace(ctx, household=None, service_point=None)
    # Of fixed places: what follows would close, with what is typed in it, where something comes or goes before it.
    # The outcome is shown next to the button: above a table of hundreds nobody would see it.
    table, outcome, progress, one = (st.container() for _ in range(4))
    with outcome:
        if widgets.confirm(DONE) and (new := st.session_state.pop(NEW, None)) is not None:
            st.button("Open it, to connect its accounts", key="desk-open-new", on_click=open_overview, args=(new,))
        merged = st.session_state.get(MERGED)
        if merged and st.button("Undo the merge", key="desk-merge-undo"):
            with explained():
                undo_move(ctx, shown=merged)
                _finish("The merge is undone.")
        if (record := st.session_state.get(visit.RECORD)) is not None:
            st.download_button(
                "Download the record of the deletion", record, "deletion.html", "text/html", key="desk-record"
            )
    is_working = _is_working(ctx)  # before the figures are read: what is stored after that is not on this page
    answer = ask(desk, ctx)
    stored = homes(ctx).households
    with table:
        _to_follow_up(ctx, answer.households)
        chosen = _table(answer.households)
    if chosen is not None:
        with one:
            _one(ctx, chosen, answer.households, stored)
    left, right = st.columns(2)
    with left:
        _add(ctx, {home.id: home.name for home in stored})
    with right:
        _archived(ctx, [home for home in stored if home.archived_on is not None])
    # Last: to find out which figures are out of date takes longer than to show those of hundreds of households.
    if _refresh(ctx) or is_working:
        with progress:
            st.caption(WORKING)  # the page is not drawn again by itself: somebody may be typing in it
            st.button(SHOW_FIGURES, key="desk-show")


def _job(ctx: Context) -> str:
    """Return the key of the job that works figures out again."""
    return f"desk {ctx.db} {ctx.today}"


def _is_working(ctx: Context) -> bool:
    job = background.job(_job(ctx))
    return job is not None and not job.ended


def _refresh(ctx: Context) -> bool:
    """Begin to work out again, behind the page, the figures that are out of date; return whether that is going on."""
    if _is_working(ctx):
        return True
    job = background.job(_job(ctx))
    failed = job.answer if job is not None and isinstance(job.answer, frozenset) else frozenset()
    if set(ask(out_of_date, ctx)) - failed:
        background.start(_job(ctx), REFRESH, partial(_bring_up_to_date, ctx), stoppable=True)
        return True
    return False


def _bring_up_to_date(ctx: Context, job: background.Job) -> frozenset[str]:
    return bring_up_to_date(ctx, is_stopped=job.is_stopped)


REFRESH = "Working out figures that have changed"
"""Name of the background job."""
WORKING = "Figures that have changed are being worked out, one household at a time."
HOW_TO_CHOOSE = "Tick a household to open, rename, merge, archive or delete it."
SHOW_FIGURES = "Show the new figures"
DELETING = "Deleting, and rewriting the database so that nothing remains in it …"


def _to_follow_up(ctx: Context, rows: Sequence[DeskHousehold]) -> None:
    """Name the households whose day to follow up has come, the longest ago first."""
    due = sorted((row.follow_up, row.name) for row in rows if row.follow_up and row.follow_up <= ctx.today)
    if due:
        named = ", ".join(f"{name} ({style.day(day)})" for day, name in due[:MOST_NAMED])
        more = f" and {len(due) - MOST_NAMED} more" if len(due) > MOST_NAMED else ""
        st.markdown(plain(f"To follow up: {named}{more}."))


def _table(rows: Sequence[DeskHousehold]) -> DeskHousehold | None:
    """Show the table; return the household selected in it."""
    columns = {
        "name": widgets.words("Household"),  # not pinned: Streamlit writes pinned columns too pale to read
        "follow_up": widgets.day("Follow up"),  # what the adviser wrote comes first: figures are many
        "note": widgets.words("Note"),
        "data_to": widgets.day("Data to"),
        "next_bill": widgets.money("Next bill"),
        "saving": widgets.money("Saving a year"),
        "low": widgets.money("Lowest balance"),
        "low_on": widgets.day("On"),
        "differ": widgets.count("Bills that differ"),
        "link": widgets.words("Link"),
        "consent": widgets.day("Consent from"),
        "until": widgets.day("Consent until"),
        "purpose": widgets.words("Purpose"),
        "as_of": widgets.day("Figures of"),
    }
    if not rows:
        st.write("No households yet.")
        return None
    shown = [_row(row) for row in rows]
    days = {row.as_of for row in rows}
    one_day = next(iter(days)) if len(days) == 1 else None  # a column of it would push others out of sight
    if one_day:
        del columns["as_of"]
    ids = tuple(row.id for row in rows)
    chosen = _chosen(ids)
    widgets.table(shown, columns, name="households", selectable=True)
    st.caption(f"Figures of {style.day(one_day)}. {HOW_TO_CHOOSE}" if one_day else HOW_TO_CHOOSE)
    names = widgets.distinct({row.id: row.name for row in rows})
    st.session_state[BY_NAME] = chosen
    st.selectbox(
        "Or choose it by name",
        ids,
        None,
        format_func=names.__getitem__,
        placeholder="Household",
        key=BY_NAME,
        on_change=_chosen_by_name,
    )
    return None if chosen is None else rows[ids.index(chosen)]


def _chosen(ids: Sequence[str]) -> str | None:
    """Return the household selected in the table, and have the table select its row where others came or went.

    Streamlit knows a selected row by its place in the table as it was drawn last. The table stays the same one, as the
    browser keeps how a person sorted it.
    """
    drawn = widgets.last_drawn(ids, key=DRAWN)
    picked = [drawn[place] for place in widgets.selected(TABLE, "rows") if place < len(drawn)]
    chosen = next((home for home in picked if home in ids), None)
    if drawn != ids and picked:
        _select(ids, chosen)
    return chosen


def _select(ids: Sequence[str], chosen: str | None) -> None:
    """Select the row of a household in the table of those with these ids; no row where it is not among them."""
    rows = [ids.index(chosen)] if chosen in ids else []
    st.session_state[TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}


def _chosen_by_name() -> None:
    """Select in the table what was chosen in the field, which the keyboard reaches as it does not a row."""
    _select(st.session_state.get(DRAWN, ()), st.session_state[BY_NAME])


def _row(home: DeskHousehold) -> widgets.Row:
    low = home.low_point
    ends = [widgets.local_day(consent.ends_at) for consent in home.consents if consent.ends_at]
    return {
        "name": home.name,
        "data_to": home.data_to,
        "next_bill": home.next_bill,
        "saving": home.saving,
        "low": low.p50 if low else None,
        "low_on": low.date if low else None,
        "differ": home.bills_that_differ,
        "consent": min((consent.date for consent in home.consents if consent.date), default=None),
        "until": min(ends, default=None),
        "purpose": home.purpose,
        "link": ", ".join(
            f"{LINKS[link.state]} {style.day(widgets.local_day(link.sent_at))}" if link.sent_at else LINKS[link.state]
            for link in home.links
        ),
        "follow_up": home.follow_up,
        "note": home.note,
        "as_of": home.as_of,
    }


def _one(ctx: Context, home: DeskHousehold, others: Sequence[DeskHousehold], stored: Sequence[Household]) -> None:
    """What can be done with the household that is selected."""
    mine = replace(ctx, household=home.id)
    known = next(each for each in stored if each.id == home.id)
    with st.container(border=True):
        st.subheader(plain(home.name), anchor=False)
        with st.container(horizontal=True):
            st.button("Open", type="primary", key="desk-open", on_click=open_overview, args=(home.id,))
            if st.button("Archive", key="desk-archive", help="Its data stays, but no new data is fetched for it."):
                with explained():
                    archive(mine, archived=True)
                    _finish(f"{home.name} is archived.")
            _delete(mine, home.name)
        _words(mine, known)
        _merge(ctx, home, others)


def _words(ctx: Context, known: Household) -> None:
    """The household's name and the adviser's own words."""
    kept = f"desk-words-shown-{known.id}"
    shown = widgets.shown_by_form(known, key=kept, field=f"desk-note-{known.id}")
    with st.form(f"desk-words-{known.id}", border=False):
        left, right = st.columns(2)
        name = left.text_input("Name", known.name, key=f"desk-name-{known.id}")
        below = {"name": left.container()}
        follow_up = right.date_input(
            "Follow up on", known.follow_up, format="DD/MM/YYYY", key=f"desk-follow-up-{known.id}"
        )
        below["follow_up"] = right.container()
        purpose = left.text_input("What the client agreed to", known.purpose or "", key=f"desk-purpose-{known.id}")
        below["purpose"] = left.container()
        note = right.text_input("Note", known.note or "", key=f"desk-note-{known.id}")
        below["note"] = right.container()
        if st.form_submit_button("Save"):
            del st.session_state[kept]  # what is different is shown once
            with explained():
                words = {"note": note, "purpose": purpose, "follow_up": follow_up or ""}
                refused = set_home_by_field(ctx, shown=shown, name=name, persons=(), **words)
                for field, reason in refused.items():
                    below[field].warning(sentence(reason))
                if not refused:
                    _finish(f"{name} is saved.")
                if len(refused) < len(below):
                    st.success("Everything else is saved.")


def _merge(ctx: Context, home: DeskHousehold, others: Sequence[DeskHousehold]) -> None:
    names = {other.id: readable(other.name) for other in others if other.id != home.id}
    if not names:
        return
    with st.expander("Merge another household into this one"):
        st.write("Everything of the other household goes into this one. You can undo it until new data is fetched.")
        other = st.selectbox("Other household", list(names), None, format_func=names.__getitem__, key="desk-merge")
        if st.button("Merge", disabled=other is None, key="desk-merge-go") and other is not None:
            with explained():
                merge(ctx, home.id, other)
                if st.session_state.get(visit.SHOWN) == other:  # else the page would say that it is not stored
                    visit.leave_home()
                _finish(f"{names[other]} is merged into {home.name}.", merged=(other, home.id))


def _add(ctx: Context, stored: Mapping[str, str]) -> None:
    """A new household, with its first files where there are some; or files for one that is stored: id → name."""
    number = st.session_state.setdefault(ADDED, 0)  # new keys empty the fields, once what is in them is stored
    if INTO in st.session_state:
        st.session_state["desk-into"] = st.session_state.pop(INTO)
        st.session_state[IS_OPEN] = True  # the first one was added, and its files come next
    title = "Add a household, or files to one" if stored else "Add a household"
    with st.expander(title, expanded=not stored or IS_OPEN in st.session_state):
        # No form: it would be sent without files that the browser has not handed over yet.
        into = _chosen_to_add_to(stored) if stored else None
        name = st.text_input("Name of the new household", key=f"desk-name-{number}") if into is None else ""
        below = st.container()
        label = "Files (optional)" if into is None else "Files"
        uploaded = st.file_uploader(label, accept_multiple_files=True, key=f"desk-files-{number}")
        if st.button("Add", type="primary", disabled=into is not None and not uploaded, key="desk-add"):
            with refused_below({"Name": below}):
                home = into or _new_home(ctx, name, stored)
                if uploaded:
                    st.session_state[ADDED] += 1
                    st.session_state.pop(IS_OPEN, None)
                    _take_in(replace(ctx, household=home), uploaded)
                else:  # files that are still on their way are for this household
                    st.session_state[INTO] = st.session_state[NEW] = home
                _finish(f"{stored.get(home, name.strip())} is added.")


def _chosen_to_add_to(stored: Mapping[str, str]) -> str | None:
    """Return the household that files are added to; None for a new one."""
    return st.selectbox(
        "Household",
        [None, *stored],
        format_func=lambda home: readable(stored.get(home, "A new household")),
        key="desk-into",
    )


def _new_home(ctx: Context, name: str, stored: Mapping[str, str]) -> str:
    """Add a household and return its id. stored: id → name of those before it."""
    added = next(home.id for home in add_home(ctx, name).households if home.id not in stored)
    st.session_state[visit.SEVERAL] = True
    return added


def _take_in(ctx: Context, uploaded: Sequence[UploadedFile]) -> None:
    """Import files into a household and open its Data page, which shows the result of each and asks to check bills."""
    assert ctx.household is not None
    with st.spinner("Reading …"):
        taken = files.read_uploads(ctx, uploaded)
    visit.open_home(ctx.household)
    files.keep(ctx, taken)
    widgets.go_to("data", tab=FILES)


def _archived(ctx: Context, kept: Sequence[Household]) -> None:
    if not kept:
        return
    with st.expander(f"Archived ({len(kept)})"):
        for home in kept:
            with st.container(horizontal=True, vertical_alignment="center"):
                since = style.day(home.archived_on) if home.archived_on else ""
                st.markdown(plain(f"{home.name}, since {since}"), width="stretch")
                if st.button("Put back", key=f"unarchive-{home.id}"):
                    with explained():
                        archive(replace(ctx, household=home.id), archived=False)
                        _finish(f"{home.name} is back among the households.")
                _delete(replace(ctx, household=home.id), home.name)


def _delete(ctx: Context, name: str) -> None:
    """Delete a household for good, once its name is typed."""
    with st.popover("Delete …"):
        st.write(
            plain(
                f"Everything stored for {name} is deleted, also from backups, and sharing that is still on ends. "
                "You cannot undo this."
            )
        )
        with st.form(f"delete-{ctx.household}", border=False):
            typed = st.text_input(plain(f"Type {name} to confirm"), key=f"delete-name-{ctx.household}")
            reference = st.text_input("Your reference for the record (optional)")
            is_sure = st.form_submit_button("Delete", type="primary")
        if is_sure and typed.strip().casefold() != name.strip().casefold():
            st.warning(plain(f"Nothing was deleted. Type {name} to delete its data."))
        elif is_sure:
            with explained(), st.spinner(DELETING):
                _forget(ctx, name, reference.strip() or None)


def _forget(ctx: Context, name: str, reference: str | None) -> None:
    """Delete the household; keep the record without its data for this visit, to be downloaded."""
    background.stop_all()
    with tempfile.TemporaryDirectory(prefix="toolkit-record-") as folder:
        record = Path(folder) / "record.html"
        delete = partial(forget, ctx, household=ctx.household, record=record, reference=reference)
        try:
            with connecting.service() as client:
                answer = delete(withdraw=partial(withdraw, client))
        except AuthenticationError:  # no service is set up here: the data goes all the same
            record.unlink(missing_ok=True)
            answer = delete()
        made = record.read_bytes()
    visit.leave_home()
    _select((), None)  # the browser would go on showing a tick at the row that is in its place now
    background.clear_ended()
    st.cache_data.clear()
    st.session_state[visit.RECORD] = made
    rows = counted(sum(answer.deleted.values()), "row")
    done = f"{name} is deleted: {rows}. The record below states what was deleted, without any data."
    st.session_state[DONE] = plain(done)
    st.rerun()


def _finish(message: str, *, merged: tuple[str, str] | None = None) -> None:
    st.session_state[DONE], st.session_state[MERGED] = plain(message), merged
    st.rerun()
