"""Import by drag and drop, and where a person gets the files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from toolkit.answers.data import ImportedFile
from toolkit.errors import ImportFailedError
from toolkit.flows.household.context import Context
from toolkit.flows.imports.load import load
from toolkit.flows.wording import counted
from toolkit.pages import welcome
from toolkit.pages.answers import explained
from toolkit.pages.importing import bill_files, outcome, unrecognised
from toolkit.pages.importing.controlled_load import ask_about_channels

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
REFUSED = "import-refused"
IMPORTS = "imports"
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
                [None, *outcome.KINDS],
                format_func=lambda name: outcome.KINDS.get(name, "Recognise it"),
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
    bills = bill_files.to_check(ctx)
    is_added = outcome.show(bill_files.rows_of_unsaved(ctx))
    if is_added and bills:
        st.info(f"{counted(bills, 'bill')} to check and save below.")
    is_saved = bill_files.render(ctx)
    with explained():
        ask_about_channels(ctx)
    if is_added or is_saved:
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
    outcome.keep(())
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
        outcome.ask_for_columns(*asked)
    if len(asked) < count:  # others of them are no tables
        raise error


def keep_uploads(uploaded: Sequence[UploadedFile], taken: Sequence[ImportedFile]) -> None:
    """Keep for this page what came of uploaded files, and those that wait for the meaning of their columns."""
    outcome.keep(taken)
    unknown = {Path(file.path).name for file in taken if unrecognised.lacks_columns(file)}
    unrecognised.wait([upload for upload in uploaded if file_name(upload.name) in unknown])


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
