"""The text of a PDF, extracted in a process of its own with limits on time and memory.

A PDF is a program for a page: a small hostile file can ask for gigabytes or hours. What the library's own limits miss,
the process's limits end (`pdf_program`), and the caller gets a sentence.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field

from toolkit.errors import ImportFailedError

LARGEST_BYTES = 20 * 2**20
"""Bills have 50 kB to 2 MB; those with pictures up to 10."""
MOST_PAGES = 40
"""Bills have 2 to 8 pages; those of a business with many meters up to 30."""
SECONDS = 20

IS_PDF = b"%PDF-"
IS_PICTURE = re.compile(
    rb"\xff\xd8\xff|\x89PNG|GIF8|II\*\x00|MM\x00\*|RIFF....WEBP|....ftyp(?:hei|avif|mif1)", re.DOTALL
)
"""How JPEG, PNG, GIF, TIFF, WebP, HEIC and AVIF begin: a photo of a bill."""
_TO_TYPE = "Type five things from the bill: fuel, first day, last day, amount and the energy used"
SCAN = f"has no text, so it is a scan or a photo. {_TO_TYPE}"
REASONS = {
    "protected": "is protected by a password. Open it, save a copy without the password, and use the copy",
    "pages": f"has more than {MOST_PAGES} pages, so it is not one bill. Save the bill's own pages as a PDF",
    "scan": SCAN,
    "picture": f"is a picture. {_TO_TYPE}",
    "damaged": "is damaged or not a PDF. Download the bill again",
    "limits": "takes too much time or memory to read. Type the bill instead",
}
"""Why a PDF gives no text, by the code that the program writes."""


@dataclass(frozen=True, slots=True)
class Extract:
    """What the program writes: the pages' text, or the code of the reason why there is none."""

    pages: list[str] = field(default_factory=list)
    reason: str | None = None


def pdf_pages(data: bytes, name: str) -> list[str]:
    """Return the text of the first pages of a PDF, columns kept apart by spaces.

    name: the file's, for messages. Raises ImportFailedError where it is too large, protected, damaged, a scan or a
    picture, or needs more time or memory than a bill does.
    """
    if len(data) > LARGEST_BYTES:
        raise ImportFailedError(name, f"is larger than {LARGEST_BYTES // 2**20} MB. Save a smaller copy of the bill")
    if IS_PICTURE.match(data):
        raise ImportFailedError(name, REASONS["picture"])
    if IS_PDF not in data[:1024]:
        raise ImportFailedError(name, REASONS["damaged"])
    # -P: no module of the folder that a person happens to be in is loaded
    command = [sys.executable, "-P", "-m", "toolkit.importers.bills.pdf_program"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=True)  # noqa: S603 our own file
        answer = Extract(**json.loads(done.stdout))
    except (subprocess.SubprocessError, ValueError) as error:
        raise ImportFailedError(name, REASONS["limits"]) from error
    if answer.reason:
        raise ImportFailedError(name, REASONS[answer.reason])
    return answer.pages
