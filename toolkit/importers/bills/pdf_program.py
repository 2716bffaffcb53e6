"""The program that `extract` runs: it reads a PDF from standard input and writes its pages' text as JSON."""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import suppress
from dataclasses import asdict

from pypdf import PasswordType, PdfReader, overwrite_configuration
from pypdf.errors import LimitReachedError

if sys.platform != "win32":
    import resource

from toolkit.importers.bills.extract import LARGEST_BYTES, MOST_PAGES, SECONDS, Extract

_READ_PAGES = 12
_MOST_LETTERS = 200_000
_MEMORY = 1024 * 2**20
_LARGEST_STREAM = 16 * 2**20
_MOST_OPERATIONS = 400_000
"""A page of text has some thousand, one with drawn logos and charts up to a hundred thousand."""


def main() -> None:
    """Read a PDF from standard input and write `Extract` as JSON."""
    _limit_memory()
    logging.disable(logging.CRITICAL)
    extract = _extracted(sys.stdin.buffer.read(LARGEST_BYTES + 1))
    sys.stdout.write(json.dumps(asdict(extract)))  # PDFs have lone surrogates, which only this encoder writes


def _limit_memory() -> None:
    if sys.platform == "win32":  # it has no such limit; the time limit holds there
        return
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def _extracted(data: bytes) -> Extract:
    """Return the pages' text, or the reason why there is none."""
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
            return Extract(reason="protected")
        if len(reader.pages) > MOST_PAGES:
            return Extract(reason="pages")
        pages, left = [], _MOST_LETTERS
        for page in reader.pages[:_READ_PAGES]:
            text = page.extract_text(extraction_mode="layout", layout_mode_space_vertically=False)[:left]
            pages.append(text)
            left -= len(text)
    except (LimitReachedError, MemoryError, RecursionError):
        return Extract(reason="limits")
    except Exception:  # what a damaged file makes the library raise has no common class
        return Extract(reason="damaged")
    return Extract(pages) if any(page.strip() for page in pages) else Extract(reason="scan")


if __name__ == "__main__":
    main()
