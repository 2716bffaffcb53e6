"""Import by drag and drop, and where a person gets the files."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.data import ImportedFile
from toolkit.answers.energy.invoice_list import InvoiceDraft
from toolkit.answers.households import ImportedFile as StoredFile
from toolkit.errors import ImportFailedError, ToolkitError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.folder import files_in, keep_folder, kept_folder, usual_folders
from toolkit.flows.imports.load import load
from toolkit.flows.wording import counted
from toolkit.pages import welcome, widgets
from toolkit.pages.answers import ask, explained
from toolkit.pages.data import bill_files, unrecognised
from toolkit.pages.energy import kept_bills
from toolkit.pages.text import message, plain, readable, sentence
from toolkit.problems import Problem

ZONES = {
    "Australia/Sydney": "Sydney (NSW, ACT)",
    "Australia/Melbourne": "Melbourne (Victoria)",
    "Australia/Brisbane": "Brisbane (Queensland)",
    "Australia/Adelaide": "Adelaide (South Australia)",
    "Australia/Perth": "Perth (Western Australia)",
    "Australia/Hobart": "Hobart (Tasmania)",
    "Australia/Darwin": "Darwin (Northern Territory)",
    "Australia/Lord_Howe": "Lord Howe Island",
}
"""Time zones as people know them."""
RESULT, REFUSED = "import-result", "import-refused"
_FEW_PROBLEMS = 6
"""So many reasons are in sight without a click."""
_UNNAMED = "account_of_earlier_files"
"""Note on a file that does not say which account it is of."""
IMPORTS = "imports"
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
LOOK, AGAIN = "Look in this folder", "Look again in this folder"
NOTHING_NEW = "There is nothing new in this folder."
FOLDER_DONE, SUMMARISED, LEFT = "folder-done", "folder-summarised", "folder-left"
NOT_A_BILL = "is not an energy bill with text that can be read"
LeftAlone = tuple[str, str]
"""Name of a file, and why nothing of it was taken."""
_DAYS, _READS = ("day of meter data", "days of meter data"), ("meter read", "meter reads")
_TRANSACTIONS = ("transaction", "transactions")
COUNTED = {
    **dict.fromkeys(("nem12", "usage-csv"), _DAYS),
    **dict.fromkeys(("nem13", "greenbutton"), _READS),
    **dict.fromkeys(("bank-csv", "ofx", "qif"), _TRANSACTIONS),
    "inverter": ("day of solar generation", "days of solar generation"),
    "plans": ("plan", "plans"),
}
"""What the rows of each kind of file are, one and several."""
HINTS = """
- **Meter data (when you used power):** ask your energy retailer or your network (the company that owns the poles and
  wires) for your *interval meter data*; both must give it to you free of charge. Many have it in their web portal under
  “usage” or “my data”. The usual form is a *NEM12* file, ending in `.csv`.
- **Solar generation (what your panels made):** your inverter's app or web portal (Fronius Solar.web, SolarEdge,
  Enphase, Sungrow iSolarCloud, Sigenergy and others) exports it as CSV. A row a day is enough.
- **Bank transactions:** on your bank's website, open the account's transactions and choose *Export* or *Download*,
  as CSV. Take as long a period as it offers.
- **Your energy plan (what power costs):** nothing to bring. Get the plans for your address on the page *Plans*, then
  choose yours on *Energy bills*, or type its prices from a bill there.
"""


def render(ctx: Context) -> None:
    """Show the form to import files, and the result of the last import."""
    st.subheader("Add files")
    st.write(
        "Meter data, bank exports, energy bills as PDF and energy plans. Each file is recognised by what is in it, and "
        "all of it stays on this computer."
    )
    imports = st.session_state.setdefault(IMPORTS, 0)  # a new key empties a field, once its contents are imported
    with st.container(border=True):  # no form: it would be sent without files that the browser has not handed over yet
        uploaded = st.file_uploader("Drop files here", accept_multiple_files=True, key=f"files-{imports}")
        with st.expander("More about these files (optional)"):
            kind = st.selectbox(
                "Kind of file",
                [None, *KINDS],
                format_func=lambda name: KINDS.get(name, "Recognise it"),
                help="Choose it only where a file is not recognised, such as a table of times and watts.",
                key=f"kind-{imports}",
            )
            account = st.text_input(
                "Name of the bank account", help="Only for bank exports that do not name it.", key=f"account-{imports}"
            )
            zone = st.selectbox(
                "Time zone",
                [None, *ZONES],
                format_func=lambda zone: ZONES.get(zone, "Sydney time, unless the file says"),
                key=f"zone-{imports}",
            )
            suffixes = st.text_input(
                "Controlled load (off-peak hot water, slab or pool) meter channel, for example E2",
                help="Separate several with commas.",
                key=f"suffixes-{imports}",
            )
        if st.button("Import", type="primary", disabled=not uploaded, key="import-files"):
            with explained():
                _take(
                    ctx,
                    uploaded,
                    kind=kind,
                    account=account.strip() or None,
                    timezone=zone,
                    controlled_load=tuple(re.findall(r"[^\s,;]+", suffixes)),
                )
    with explained():
        _refusal()
    added = st.session_state.get(RESULT, ())
    _shown(added, is_summarised=SUMMARISED in st.session_state)
    is_saved = bill_files.render(ctx)
    if added or is_saved:
        welcome.next_step(ctx)
    with st.expander("Where do I get these files?"):
        st.markdown(HINTS)


def _take(
    ctx: Context,
    uploaded: list[UploadedFile],
    *,
    kind: str | None,
    account: str | None,
    timezone: str | None,
    controlled_load: tuple[str, ...],
) -> None:
    st.session_state.pop(RESULT, None)
    try:
        with st.spinner("Reading …"):
            taken = read_uploads(
                ctx, uploaded, kind=kind, account=account, timezone=timezone, controlled_load=controlled_load
            )
    except ImportFailedError as error:
        refuse(uploaded, error, kind=kind)
        return
    keep_uploads(uploaded, taken)
    st.session_state[IMPORTS] += 1
    st.rerun()


def read_uploads(
    ctx: Context,
    uploaded: Sequence[UploadedFile],
    *,
    kind: str | None = None,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: tuple[str, ...] = (),
) -> Sequence[ImportedFile]:
    """Import what was uploaded into the household, and read bills, which a person checks before they are stored."""
    with written(uploaded) as paths:
        pdfs = [path for path, upload in zip(paths, uploaded, strict=True) if bill_files.may_be_a_bill(upload)]
        bill_files.add_drafts(ctx, bill_files.read_drafts(pdfs))
        others = [path for path in paths if path not in pdfs]
        if not others:
            return ()
        answer = load(ctx, others, kind=kind, account=account, timezone=timezone, controlled_load=controlled_load)
        return answer.files


def refuse(uploaded: Sequence[UploadedFile], error: ImportFailedError, *, kind: str | None = None) -> None:
    """Keep for this page why nothing could be read of any of the files but bills; some may be a bank's."""
    unrecognised.wait(uploaded if unrecognised.may_be_a_banks(error) and not kind else ())
    st.session_state[REFUSED] = error, sum(not bill_files.may_be_a_bill(upload) for upload in uploaded)


def _refusal() -> None:
    """Say once why nothing could be read."""
    if REFUSED not in st.session_state:
        return
    error, count = st.session_state.pop(REFUSED)
    asked = [file_name(file.name) for file in unrecognised.waiting()]
    if asked:
        _ask_for_columns(*asked)
    if len(asked) < count:  # others of them are no tables
        raise error


def keep_uploads(uploaded: Sequence[UploadedFile], taken: Sequence[ImportedFile]) -> None:
    """Keep for this page what came of uploaded files, and those that wait for the meaning of their columns."""
    keep(taken)
    unknown = {Path(file.path).name for file in taken if unrecognised.lacks_columns(file)}
    unrecognised.wait([upload for upload in uploaded if file_name(upload.name) in unknown])


def keep(taken: Sequence[ImportedFile]) -> None:
    """Keep for this page what came of files."""
    st.session_state.pop(SUMMARISED, None)
    st.session_state[RESULT] = taken


@contextmanager
def written(uploaded: Iterable[unrecognised.GivenFile]) -> Iterator[list[Path]]:
    """Write what was given to files that only this user can read, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolkit-import-") as folder:
        paths = []
        for number, upload in enumerate(uploaded):
            place = Path(folder) / str(number)
            place.mkdir(mode=0o700)
            paths.append(place / file_name(upload.name))
            paths[-1].touch(mode=0o600)
            paths[-1].write_bytes(upload.getbuffer())
        yield paths


def file_name(given: str) -> str:
    """Return the last part of a name that a browser sent, without anything a file system could trip over."""
    name = re.sub(r"[^\w.\- ()]", "_", given.replace("\\", "/").rsplit("/", 1)[-1])[-120:].lstrip(".")
    return name or "upload"


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


def _in_words(files: Sequence[ImportedFile]) -> str:
    """Say how much of what was added or changed, and what was stored already or could not be used."""
    added: Counter[tuple[str, str]] = Counter()
    stored: Counter[tuple[str, str]] = Counter()
    for file in files:
        if file.kind is not None:
            added[_what(file)] += _new(file)
            stored[_what(file)] += file.unchanged
    parts = [counted(number, *words) for words, number in added.items() if number]
    rejected = sum(file.rejected for file in files)
    is_change = any(file.updated for file in files) and not any(file.added for file in files)
    other_days = " Other days of meter data were already stored." if stored.pop(_DAYS, 0) else ""
    rows = [(number, counted(number, *words)) for words, number in stored.items() if number]
    verb = "was" if [number for number, _ in rows] == [1] else "were"
    known = f" {', '.join(text for _, text in rows)} {verb} already stored." if rows else ""
    unusable = f" {rejected:,} could not be used (the reasons are below)." if rejected else ""
    return f"{'Changed' if is_change else 'Added'}: {', '.join(parts) or 'nothing new'}.{known}{other_days}{unusable}"


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
        stored = ("the other days" if new else "all of it") if file.unchanged else None
    else:
        stored = counted(file.unchanged, *_what(file)) if file.unchanged else None
    return {
        "path": Path(file.path).name,
        "kind": KINDS.get(file.kind or "", file.kind),
        "added": counted(new, *_what(file)) if new else "nothing new",
        "stored": stored,
        "rejected": file.rejected or None,
    }


def _shown(files: Sequence[ImportedFile], *, is_summarised: bool) -> None:
    """Show what came of each file. is_summarised: a sentence next to the folder already counts it."""
    if not files:
        return
    if not is_summarised:
        st.success(plain(_in_words(files)))
    for file in files:
        name = Path(file.path).name
        if unrecognised.lacks_columns(file):
            _ask_for_columns(name)
        elif file.kind is None:
            st.warning(plain(f"{name} could not be read. The reason is below."))
    columns = {
        "path": widgets.words("File"),
        "kind": widgets.words("Kind"),
        "added": widgets.words("Added or changed"),
        "stored": widgets.words("Already stored"),
        "rejected": widgets.count("Could not be used"),
    }
    widgets.table([_row(file) for file in files], columns, name="imported", download=False)
    for said in _notes(files):
        st.caption(plain(said))
    # the temporary folder that the uploads were written to is left out
    problems = [
        Problem(problem.where.rsplit("/", 1)[-1], problem.reason, problem.severity)
        for file in files
        for problem in file.problems
    ]
    widgets.problems(problems, key="import", is_open=len(problems) <= _FEW_PROBLEMS)


def _ask_for_columns(*names: str) -> None:
    is_one = len(names) == 1
    unknown = f"{', '.join(names)} {'is' if is_one else 'are'} not recognised."
    whose = "it is a bank's, choose below what its" if is_one else "they are a bank's, choose below what their"
    st.warning(plain(f"{unknown} If {whose} columns hold, under “{unrecognised.LABEL}”."))


def _notes(files: Sequence[ImportedFile]) -> Iterator[str]:
    """Word what was noted of the files, once for all that it is the same for."""
    noted = [(Path(file.path).name, note) for file in files for note in file.notes]
    unnamed = [(name, note.figures["account"]) for name, note in noted if note.code == _UNNAMED]
    if len(unnamed) > 1:
        listed = "; ".join(f"{name} in {account}" for name, account in unnamed)
        yield f"{len(unnamed)} files do not say which account they are of. You can rename these on Accounts: {listed}."
        noted = [(name, note) for name, note in noted if note.code != _UNNAMED]
    names: dict[str, list[str]] = {}
    for name, note in noted:
        names.setdefault(note.page, []).append(name)
    yield from (f"{', '.join(of_files)}: {said}" for said, of_files in names.items())


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
        if isinstance(draft[2], InvoiceDraft) and _is_bill(draft[2]) and not kept_bills.is_kept(ctx, draft[2])
    ]
    left = [(Path(file.path).name, _why(file)) for file in read if file.kind is None]
    unrecognised.wait(unrecognised.FileInFolder(Path(file.path)) for file in read if unrecognised.lacks_columns(file))
    left += [(draft[1], reason) for draft in drafts if (reason := _left_reason(draft))]
    bill_files.add_drafts(ctx, bills)
    keep(new)
    st.session_state[LEFT] = left
    st.session_state[SUMMARISED] = True
    st.session_state[FOLDER_DONE] = _outcome(new, len(bills))
    st.rerun()


def _outcome(new: Sequence[ImportedFile], bills: int) -> str:
    """Return the result of looking, shown next to the button: the bills above may be scrolled out of sight."""
    parts = [_in_words(new)] if new else []
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
