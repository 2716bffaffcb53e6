"""Import by drag and drop, and where a person gets the files."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from msgspec.structs import replace
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.data import ImportedFile
from toolkit.errors import Problem
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.wording import counted
from toolkit.pages import welcome, widgets
from toolkit.pages.answers import explained
from toolkit.pages.data import bill_files
from toolkit.pages.text import plain

ZONES = (
    *("Australia/Sydney", "Australia/Melbourne", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"),
    *("Australia/Hobart", "Australia/Darwin", "Australia/Lord_Howe"),
)
NO_FILE = "Choose at least one file first."
RESULT = "import-result"
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
- **Bank transactions:** in your bank's web site, open the account's transactions and choose *Export* or *Download*,
  as CSV. Take as long a period as it offers.
- **Your energy plan (what power costs):** every published plan has an id on its fact sheet, such as `ABC123456MRE`. The
  retailers publish all of them as data; the file of one plan (JSON) can be imported here.
"""


def render(ctx: Context) -> None:
    """Show the form to import files, and the result of the last import."""
    st.subheader("Add files")
    st.write(
        "Meter data, bank exports, energy plans, and energy bills as PDF. Each kind is recognised by its contents. All "
        "of it stays on this computer."
    )
    imports = st.session_state.setdefault(IMPORTS, 0)  # a new key empties a field, once its contents are imported
    with st.form("files", border=True):
        uploaded = st.file_uploader("Drop files here", accept_multiple_files=True, key=f"files-{imports}")
        with st.expander("More about these files (optional)"):
            account = st.text_input(
                "Name of the bank account", help="Only for bank exports that do not name it.", key=f"account-{imports}"
            )
            zone = st.selectbox(
                "Time zone",
                [None, *ZONES],
                format_func=lambda name: name or "Sydney time, unless known",
                key=f"zone-{imports}",
            )
            suffixes = st.text_input(
                "Controlled load (off-peak hot water, slab or pool) meter channel, for example E2",
                help="Separate several with commas.",
                key=f"suffixes-{imports}",
            )
        if st.form_submit_button("Import", type="primary"):
            with explained():
                _take(
                    ctx,
                    uploaded or [],
                    account=account.strip() or None,
                    timezone=zone,
                    controlled_load=tuple(re.findall(r"[^\s,;]+", suffixes)),
                )
    added = st.session_state.get(RESULT, ())
    _shown(added)
    bill_files.render(ctx)
    if added:
        welcome.next_step(ctx)
    with st.expander("Where do I get these files?"):
        st.markdown(HINTS)


def _take(
    ctx: Context,
    uploaded: list[UploadedFile],
    *,
    account: str | None,
    timezone: str | None,
    controlled_load: tuple[str, ...],
) -> None:
    st.session_state.pop(RESULT, None)
    if not uploaded:
        st.info(NO_FILE)
        return
    with st.spinner("Reading …"):
        taken = read_uploads(ctx, uploaded, account=account, timezone=timezone, controlled_load=controlled_load)
    keep(taken)
    st.session_state[IMPORTS] += 1
    st.rerun()


Taken = tuple[Sequence[ImportedFile], Sequence[bill_files.Draft]]
"""What came of each file, and what was read of bills."""


def read_uploads(
    ctx: Context,
    uploaded: Sequence[UploadedFile],
    *,
    account: str | None = None,
    timezone: str | None = None,
    controlled_load: tuple[str, ...] = (),
) -> Taken:
    """Import what was uploaded into the household, and read bills, which a person checks before they are stored."""
    with written(uploaded) as paths:
        pdfs = [path for path, upload in zip(paths, uploaded, strict=True) if bill_files.is_pdf(upload)]
        drafts = bill_files.read_drafts(pdfs)
        others = [path for path in paths if path not in pdfs]
        if not others:
            return (), drafts
        answer = load(ctx, others, account=account, timezone=timezone, controlled_load=controlled_load)
        return answer.files, drafts


def keep(taken: Taken) -> None:
    """Keep for this page what came of files."""
    st.session_state[RESULT], drafts = taken
    bill_files.keep_drafts(drafts)


@contextmanager
def written(uploaded: Iterable[UploadedFile]) -> Iterator[list[Path]]:
    """Write the uploads to files that only this user can read, gone afterwards."""
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


def _in_words(files: Sequence[ImportedFile]) -> str:
    """Say how much of what was added, and what was stored already or could not be used."""
    added: Counter[tuple[str, str]] = Counter()
    for file in files:
        if file.kind is not None:
            added[COUNTED.get(file.kind, ("row", "rows"))] += file.added + file.updated
    parts = [counted(number, *words) for words, number in added.items() if number]
    unchanged, rejected = sum(file.unchanged for file in files), sum(file.rejected for file in files)
    known = f" {unchanged:,} {'was' if unchanged == 1 else 'were'} already stored." if unchanged else ""
    unusable = f" {rejected:,} could not be used (the reasons are below)." if rejected else ""
    return f"Added: {', '.join(parts) or 'nothing new'}.{known}{unusable}"


def _shown(files: Sequence[ImportedFile]) -> None:
    if not files:
        return
    st.success(plain(_in_words(files)))
    for file in files:
        if file.kind is None:
            st.warning(plain(f"{Path(file.path).name} could not be read. The reason is below."))
    columns = {
        "path": widgets.words("File"),
        "kind": widgets.words("Kind"),
        **{name: widgets.number(name.capitalize(), "%d") for name in ("added", "updated", "unchanged", "rejected")},
    }
    named = [replace(file, path=Path(file.path).name, kind=KINDS.get(file.kind or "", file.kind)) for file in files]
    widgets.table(named, columns, name="imported", download=False)
    for file in files:
        for note in file.notes:
            st.caption(f"{plain(Path(file.path).name)}: {plain(note.page)}")
    # the temporary folder that the uploads were written to is left out
    problems = [
        Problem(problem.where.rsplit("/", 1)[-1], problem.reason, problem.severity)
        for file in files
        for problem in file.problems
    ]
    widgets.problems(problems, key="import")
