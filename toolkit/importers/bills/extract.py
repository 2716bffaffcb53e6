"""The text of a PDF, extracted in a process of its own with limits on time and memory.

A PDF is a program for a page: a small hostile file can ask for gigabytes or hours. What the library's own limits miss,
the process's limits end, and the caller gets a sentence. Run as a program this module reads a PDF from standard input
and writes JSON.
"""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from toolkit.errors import ImportFailedError

LARGEST_BYTES = 20 * 2**20
"""Bills have 50 kB to 2 MB; those with pictures up to 10."""
MOST_PAGES = 40
"""Bills have 2 to 8 pages; those of a business with many meters up to 30."""
READ_PAGES = 12
MOST_LETTERS = 200_000
SECONDS = 20
_MEMORY = 1024 * 2**20
_LARGEST_STREAM = 16 * 2**20
_MOST_OPERATIONS = 400_000
"""A page of text has some thousand, one with drawn logos and charts up to a hundred thousand."""

IS_PDF = b"%PDF-"
SCAN = (
    "has no text, so it is a scan or a photo. Type five things from the bill: fuel, first day, last day, amount and "
    "the energy used"
)
REASONS = {
    "protected": "is protected by a password. Open it, save a copy without the password, and use the copy",
    "pages": f"has more than {MOST_PAGES} pages, so it is not one bill. Save the bill's own pages as a PDF",
    "scan": SCAN,
    "damaged": "is damaged or not a PDF. Download the bill again",
    "limits": "takes too much time or memory to read. Type the bill instead",
}
"""Why a PDF gives no text, by the code that the program writes."""


@dataclass(frozen=True, slots=True)
class _Extract:
    """What the program writes: the pages' text, or the code of the reason why there is none."""

    pages: list[str] = field(default_factory=list)
    reason: str | None = None


def pdf_pages(data: bytes, name: str) -> list[str]:
    """Return the text of the first pages of a PDF, columns kept apart by spaces.

    name: the file's, for messages. Raises ImportFailedError where it is too large, protected, damaged, a scan, or needs
    more time or memory than a bill does.
    """
    if len(data) > LARGEST_BYTES:
        raise ImportFailedError(name, f"is larger than {LARGEST_BYTES // 2**20} MB. Save a smaller copy of the bill")
    if IS_PDF not in data[:1024]:
        raise ImportFailedError(name, REASONS["damaged"])
    # -P: no module of the folder that a person happens to be in is loaded
    command = [sys.executable, "-P", "-m", "toolkit.importers.bills.extract"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=True)  # noqa: S603 our own file
        answer = _Extract(**json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        raise ImportFailedError(name, REASONS["limits"]) from error
    if answer.reason:
        raise ImportFailedError(name, REASONS[answer.reason])
    return answer.pages


def main() -> None:
    """Read a PDF from standard input and write `_Extract` as JSON."""
    _limit_memory()
    logging.disable(logging.CRITICAL)
    extract = _extracted(sys.stdin.buffer.read(LARGEST_BYTES + 1))
    sys.stdout.write(json.dumps(asdict(extract)))  # PDFs have lone surrogates, which only this encoder writes


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit; the time limit holds there
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def _extracted(data: bytes) -> _Extract:
    """Return the pages' text, or the reason why there is none."""
    from pypdf import PasswordType, PdfReader, overwrite_configuration
    from pypdf.errors import LimitReachedError

    overwrite_configuration(
        zlib_maximum_output_length=_LARGEST_STREAM,
        lzw_maximum_output_length=_LARGEST_STREAM,
        run_length_maximum_output_length=_LARGEST_STREAM,
        stream_decoding_work_maximum_length=4 * _LARGEST_STREAM,
        stream_parsing_work_maximum_count=_MOST_OPERATIONS,
    )
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            return _Extract(reason="protected")
        if len(reader.pages) > MOST_PAGES:
            return _Extract(reason="pages")
        pages, left = [], MOST_LETTERS
        for page in reader.pages[:READ_PAGES]:
            text = page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False)[:left]
            pages.append(text)
            left -= len(text)
    except (LimitReachedError, MemoryError, RecursionError):
        return _Extract(reason="limits")
    except Exception:  # what a damaged file makes the library raise has no common class
        return _Extract(reason="damaged")
    return _Extract(pages) if any(page.strip() for page in pages) else _Extract(reason="scan")


if __name__ == "__main__":
    main()
