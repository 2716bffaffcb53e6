"""A folder of this computer from which everything is taken, and looked through again for what is new."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from toolkit.answers.data import ImportedFile
from toolkit.answers.energy.invoice_list import InvoiceDraft
from toolkit.errors import ImportFailedError, ToolkitError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.folder import files_in, keep_folder, kept_folder, usual_folders
from toolkit.flows.imports.load import load
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.energy import kept_bills
from toolkit.pages.importing import bill_files, outcome, unrecognised
from toolkit.pages.text import message, plain, readable, sentence
from toolkit.problems import Problem

LOOK, AGAIN = "Look in this folder", "Look again in this folder"
NOTHING_NEW = "There is nothing new in this folder."
FOLDER_DONE, LEFT = "folder-done", "folder-left"
NOT_A_BILL = "is not an energy bill with text that can be read"
LeftAlone = tuple[str, str]
"""Name of a file, and why nothing of it was taken."""


def look_again(ctx: Context) -> None:
    """Show the folder that was chosen, with the button to look again, and what came of it; nothing without one."""
    with explained():
        kept = ask(kept_folder, ctx)
        if kept is None:
            return
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"Your folder: **{plain(_label(kept))}**", width="stretch")
            if st.button(AGAIN, key="folder-again", type="primary"):
                _look(ctx, kept)
            with st.popover("Another folder"):
                _choose(ctx, kept)
        if done := st.session_state.pop(FOLDER_DONE, None):
            st.info(plain(done))
        _left_alone()


def choose_folder(ctx: Context) -> None:
    """Offer to take everything from a folder, where none is chosen yet."""
    with explained():
        if ask(kept_folder, ctx) is None:
            with st.expander("Or take everything from a folder on this computer"):
                st.write("Choose the folder once. When you have saved newer files there, look again.")
                _choose(ctx, None)


def _choose(ctx: Context, kept: Path | None) -> None:
    usual = {str(each): _label(each) for each in usual_folders(Path.home())}
    with st.form(f"folder-{kept}", border=False):
        chosen = st.selectbox(
            "Folder",
            list(usual),
            None,
            format_func=lambda each: readable(usual[each]),
            placeholder="Choose one",
            key=f"folder-usual-{kept}",
        )
        typed = st.text_input("Or type where it is", key=f"folder-typed-{kept}").strip()
        below = st.container()
        is_sent = st.form_submit_button(LOOK)
    if is_sent and not (typed or chosen):
        below.info("Choose a folder, or type where it is.")
    elif is_sent:
        place = Path(typed or chosen or "").expanduser()
        try:
            files_in(place)  # what is no folder is refused, and not kept
        except ToolkitError as error:
            below.warning(sentence(error))
            return
        keep_folder(ctx, place)
        _look(ctx, place)


def _label(place: Path) -> str:
    """Return a folder as people see it: without the part that is the same for all of their own."""
    return str(place.relative_to(Path.home())) if place.is_relative_to(Path.home()) else str(place)


def _look(ctx: Context, place: Path) -> None:
    """Import what the folder holds; what is stored already is not counted again, and bills are shown to be checked."""
    with st.spinner("Reading …"):
        found = files_in(place)
        read = _loaded(ctx, found.files)
        drafts = bill_files.read_drafts(found.bills)
    new = [file for file in read if file.kind and (file.added or file.updated or file.rejected)]
    bills = [
        draft
        for draft in drafts
        if isinstance(draft[2], InvoiceDraft)
        and _is_bill(draft[2])
        and kept_bills.already_stored(ctx, draft[2]) is None
    ]
    left = [(Path(file.path).name, _why(file)) for file in read if file.kind is None]
    unrecognised.wait(unrecognised.FileInFolder(Path(file.path)) for file in read if unrecognised.lacks_columns(file))
    left += [(draft[1], reason) for draft in drafts if (reason := _left_reason(draft))]
    bill_files.add_drafts(ctx, bills)
    outcome.keep(new, is_summarised=True)
    st.session_state[LEFT] = left
    st.session_state[FOLDER_DONE] = _in_words(new, len(bills))
    st.rerun()


def _in_words(new: Sequence[ImportedFile], bills: int) -> str:
    """Return the result of looking, shown next to the button: the bills above may be scrolled out of sight."""
    parts = [outcome.in_words(new, reasons="above")] if new else []
    if bills:
        parts.append(f"{counted(bills, 'bill')} to check and save: see above.")
    return " ".join(parts) or NOTHING_NEW


def _loaded(ctx: Context, paths: Sequence[Path]) -> Sequence[ImportedFile]:
    """Import files; those that are not of a known kind have none."""
    try:
        return load(ctx, paths).files if paths else ()
    except ImportFailedError as error:  # nothing could be read of any of them
        if len(paths) > 1:
            return [file for path in paths for file in _loaded(ctx, [path])]
        return [ImportedFile(path=str(paths[0]), problems=(Problem(error.where, error.reason, "rejected"),))]


def _why(file: ImportedFile) -> str:
    return message(file.problems[0].reason) if file.problems else "is not a kind of file that can be read"


def _left_reason(draft: bill_files.Draft) -> str | None:
    """Return why a PDF is not taken for a bill; None where it is."""
    read = draft[2]
    if isinstance(read, str):
        return message(read)
    return None if _is_bill(read) else NOT_A_BILL


def _is_bill(read: InvoiceDraft) -> bool:
    """Return whether an amount or a day was read of a PDF: other papers in the folder have neither."""
    return read.billed is not None or read.from_ is not None


def _left_alone() -> None:
    left: Sequence[LeftAlone] = st.session_state.get(LEFT, ())
    if not left:
        return
    with st.expander(f"{counted(len(left), 'file')} not used"):
        columns = {"name": widgets.words("File"), "why": widgets.words("Why")}
        rows = [{"name": name, "why": why} for name, why in left]
        widgets.table(rows, columns, name="left-alone", download=False)
