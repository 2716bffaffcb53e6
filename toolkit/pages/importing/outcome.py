"""What came of imported files: what each added, what was stored already, and what could not be used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import streamlit as st

from toolkit.answers.data import ImportedFile
from toolkit.answers.households import ImportedFile as StoredFile
from toolkit.flows.wording import counted
from toolkit.pages import widgets
from toolkit.pages.importing import unrecognised
from toolkit.pages.text import plain
from toolkit.problems import Problem, grouped

RESULT, SUMMARISED = "import-result", "import-summarised"
_ASKED = ("controlled_load_possible",)
"""Notes on what the page asks with a button."""
_UNNAMED = "account_of_earlier_files"
"""Note on a file that does not say which account it is of."""
KINDS = {
    "nem12": "Meter data (NEM12)",
    "nem13": "Meter data (NEM13)",
    "usage-csv": "Meter data (table)",
    "greenbutton": "Meter data (Green Button)",
    "inverter": "Solar generation (inverter)",
    "bank-csv": "Bank export (CSV)",
    "ofx": "Bank export (OFX)",
    "qif": "Bank export (QIF)",
    "plans": "Energy plans",
}
"""Kinds of files as people know them."""
_DAYS, _READS = ("day of meter data", "days of meter data"), ("meter read", "meter reads")
_TRANSACTIONS = ("transaction", "transactions")
MUCH = 10
"""A file of which one row in so many was left out is warned of."""
BY_THE_READ, HALF_HOURS = ("usage-csv", "greenbutton", "inverter"), 48
"""Kinds of which a row is mostly a read while what is used of them is counted in days, and the reads of a day."""
COUNTED = {
    **dict.fromkeys(("nem12", "usage-csv"), _DAYS),
    **dict.fromkeys(("nem13", "greenbutton"), _READS),
    **dict.fromkeys(("bank-csv", "ofx", "qif"), _TRANSACTIONS),
    "inverter": ("day of solar generation", "days of solar generation"),
    "plans": ("plan", "plans"),
}
"""What the rows of each kind of file are, one and several."""


def keep(files: Sequence[ImportedFile], *, is_summarised: bool = False) -> None:
    """Keep for this page what came of files. is_summarised: a sentence next to the folder already counts it."""
    st.session_state[RESULT] = files
    st.session_state[SUMMARISED] = is_summarised


def show(bills: Sequence[widgets.Row] = ()) -> bool:
    """Show what came of the files that were imported last; return whether there are any.

    bills: rows of those that wait to be checked, for the table of files.
    """
    files: Sequence[ImportedFile] = st.session_state.get(RESULT, ())
    if files:
        if not st.session_state.get(SUMMARISED, False):
            say(files, in_words(files))
        _show_each(files, bills)
    return bool(files)


def say(files: Sequence[ImportedFile], said: str) -> None:
    """Show what came of files in a sentence, as a warning where a good part of one was left out."""
    (st.warning if any(map(_is_much_left_out, files)) else st.success)(plain(said))


def _is_much_left_out(file: ImportedFile) -> bool:
    used = (file.added + file.updated + file.unchanged) * (HALF_HOURS if file.kind in BY_THE_READ else 1)
    return file.rejected > 0 and file.rejected * MUCH >= used + file.rejected


def _show_each(files: Sequence[ImportedFile], bills: Sequence[widgets.Row]) -> None:
    for file in files:
        name = Path(file.path).name
        if unrecognised.lacks_columns(file):
            ask_for_columns(name)
        elif file.kind is None:
            st.warning(plain(f"{name} could not be read. The reason is below."))
    columns = {
        "path": widgets.words("File"),
        "kind": widgets.words("Kind"),
        "added": widgets.words("Added or changed"),
        "stored": widgets.words("Already stored"),
        "rejected": widgets.count("Could not be used"),
    }
    widgets.table([*map(_row, files), *bills], columns, name="imported", download=False)
    for said in _notes(files):
        st.caption(plain(said))
    # the temporary folder that the uploads were written to is left out
    problems = [
        Problem(problem.where.rsplit("/", 1)[-1], problem.reason, problem.severity)
        for file in files
        for problem in file.problems
    ]
    widgets.problems(problems, key="import", is_open=len(grouped(problems)) <= widgets.FEW_PROBLEMS)


def ask_for_columns(*names: str) -> None:
    """Say that files are not recognised, and where their columns can be named if they are a bank's."""
    is_one = len(names) == 1
    unknown = f"{', '.join(names)} {'is' if is_one else 'are'} not recognised."
    whose = "it is a bank's, choose below what its" if is_one else "they are a bank's, choose below what their"
    st.warning(plain(f"{unknown} If {whose} columns hold, under “{unrecognised.LABEL}”."))


def contents(parts: Iterable[StoredFile]) -> str:
    """Return what a stored file holds: `423 days of meter data`, `78 transactions`; empty for plans."""
    known = list(parts)
    words = COUNTED.get(known[0].kind, ("row", "rows"))
    if words is _DAYS or words is _READS:
        words = _DAYS if all(map(_is_of_days, known)) else _READS
    number = sum(part.days if words not in (_READS, _TRANSACTIONS) else part.rows for part in known)
    return counted(number, *words) if number else ""


def _is_of_days(part: StoredFile) -> bool:
    """Return whether a meter's file has reads of most of its days; else each read is of weeks."""
    return part.from_ is None or part.to is None or part.days * 2 > (part.to - part.from_).days


def in_words(files: Sequence[ImportedFile], *, reasons: str = "below") -> str:
    """Say how much of what was added or changed, and what was stored already or could not be used.

    reasons: where on the page they stand.
    """
    added: Counter[tuple[str, str]] = Counter()
    stored: Counter[tuple[str, str]] = Counter()
    for file in files:
        if file.kind is not None:
            added[_what(file)] += _new(file)
            stored[_what(file)] += file.unchanged
    parts = [counted(number, *words) for words, number in added.items() if number]
    rejected = sum(file.rejected for file in files)
    is_change = any(file.updated for file in files) and not any(file.added for file in files)
    has_days = bool(added[_DAYS])
    of_days = stored.pop(_DAYS, 0) > 0  # counted for each register, which is no number of days
    again = "Days that are stored already, or in two files, count once."
    known_days = f" {again if has_days else 'All days of meter data were already stored.'}" if of_days else ""
    rows = [(number, counted(number, *words)) for words, number in stored.items() if number]
    verb = "was" if [number for number, _ in rows] == [1] else "were"
    known = f" {', '.join(text for _, text in rows)} {verb} already stored." if rows else ""
    unusable = f" {rejected:,} could not be used (the reasons are {reasons})." if rejected else ""
    return f"{'Changed' if is_change else 'Added'}: {', '.join(parts) or 'nothing new'}.{known}{known_days}{unusable}"


def _what(file: ImportedFile) -> tuple[str, str]:
    """Return what the rows of a file are, one and several."""
    words = COUNTED.get(file.kind or "", ("row", "rows"))
    return _DAYS if words is _READS and file.days else words  # Green Button with reads of parts of a day


def _new(file: ImportedFile) -> int:
    """Return how much a file added or changed: days of meter data, not those of each of its registers."""
    return file.days or file.added + file.updated


def _row(file: ImportedFile) -> widgets.Row:
    """Return the row of a file in the table of what came of each."""
    new = _new(file)
    if _what(file) is _DAYS:  # counted for each register, which is no number of days
        stored = ("some of its days" if new else "all of it") if file.unchanged else None
    else:
        stored = counted(file.unchanged, *_what(file)) if file.unchanged else None
    return {
        "path": Path(file.path).name,
        "kind": KINDS.get(file.kind or "", file.kind),
        "added": counted(new, *_what(file)) if new else "nothing new",
        "stored": stored,
        "rejected": file.rejected or None,
    }


def _notes(files: Sequence[ImportedFile]) -> Iterator[str]:
    """Word what was noted of the files, once for all that it is the same for."""
    noted = [(Path(file.path).name, note) for file in files for note in file.notes if note.code not in _ASKED]
    unnamed = [(name, note.figures["account"]) for name, note in noted if note.code == _UNNAMED]
    if len(unnamed) > 1:
        listed = "; ".join(f"{name} in {account}" for name, account in unnamed)
        yield f"{len(unnamed)} files do not say which account they are of. You can rename these on Accounts: {listed}."
        noted = [(name, note) for name, note in noted if note.code != _UNNAMED]
    names: dict[str, list[str]] = {}
    for name, note in noted:
        names.setdefault(note.page, []).append(name)
    yield from (f"{', '.join(of_files)}: {said}" for said, of_files in names.items())
