"""Files become named text and records: folders walked, archives and sheets opened in limits, text decoded, CSV cut."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import struct
import zipfile
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Protocol

from toolkit.errors import ImportFailedError
from toolkit.importers.workbook import DAMAGED, IS_OLD_WORKBOOK, is_other_workbook, is_workbook, sheet_texts

LARGEST_BYTES = 128 * 2**20
"""A ten-year five-minute meter file of six registers has some 40 MB; the 2024 plan register has 55 MB."""
LARGEST_TABLE_BYTES = 512 * 2**20
"""Of a file that is not packed: long usage tables are read a piece at a time."""
HEAD_BYTES = 64 * 2**10
_TAIL = 16 * 2**10
LARGEST_RATIO = 60
"""The plan register packs 21:1, a bomb 1,000:1. Applied from `RATIO_FROM` bytes on: small files of zeros pack well."""
RATIO_FROM = 16 * 2**20
MOST_MEMBERS = 2_000
_CHUNK = 2**20
_IS_GZIP, _IS_ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
_PACKED = (_IS_GZIP, *_IS_ZIP, IS_OLD_WORKBOOK)
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes; none at the end."""
        ...


@dataclass(frozen=True)
class Source:
    """A file, or a member of an archive. name: as shown to people, without folders of this machine.

    failure: why a member could not be opened; there is no data then.
    """

    name: str
    data: bytes
    failure: ImportFailedError | None = None

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return len(self.data)

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of the bytes, hexadecimal."""
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def open(self) -> io.BufferedIOBase:
        """Return the bytes as a stream, from the first."""
        return io.BytesIO(self.data)

    @cached_property
    def head(self) -> Source:
        """Return the first lines, about 64 KiB, as a source of their own; a short one as it is."""
        if len(self.data) <= HEAD_BYTES:
            return self
        end = self.data.rfind(b"\n", 0, HEAD_BYTES) + 1
        return Source(self.name, self.data[: end or HEAD_BYTES])

    @cached_property
    def text(self) -> str:
        """Return the text: UTF-16 by its mark or its zero bytes, UTF-8 where valid, else Windows-1252. Never raises."""
        if self.data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return self.data.decode("utf-16", errors="replace")
        if wide := _wide_encoding(self.data[:1_000]):
            return self.data.decode(wide, errors="replace")
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.data.decode("cp1252", errors="replace")

    @cached_property
    def plain(self) -> bytes:
        """Return the text in UTF-8 without a mark: what byte-wise readers work on."""
        return self.text.encode("utf-8", errors="replace")

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines of the text without their ends (LF, CR LF or CR), as editors count them."""
        return _LINE_END.split(self.text)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def at(self, line: int) -> str:
        """Return `file:line`, as problems name a place; lines count from 1."""
        return f"{self.name}:{line}"

    def at_offset(self, offset: int) -> str:
        """Return `file:line` of a character of `text`, counted from 0."""
        return self.at(bisect_right(self._line_starts, offset))

    def at_end(self) -> str:
        """Return `file:line` of the last line that is not blank."""
        return self.at_offset(max(0, len(self.text.rstrip()) - 1))

    @property
    def tail(self) -> str:
        """Return the text of the last lines, about 16 KiB."""
        return self.text[-_TAIL:]


@dataclass(frozen=True)
class LargeSource(Source):
    """A file too large to be read into memory. data: its first bytes, for its head; `open` gives all of them."""

    path: Path = Path()

    @property
    def size(self) -> int:
        """Return the number of bytes in the file."""
        return self.path.stat().st_size

    def open(self) -> io.BufferedIOBase:
        """Return the file as a stream. Raises ImportFailedError where it cannot be opened any more."""
        return _opened(self.path)

    def at_end(self) -> str:
        """Return the name of the file: its lines are not counted."""
        return self.name

    @property
    def tail(self) -> str:
        """Return the text of the last lines, about 16 KiB. Raises ImportFailedError as `open`."""
        with self.open() as stream:
            stream.seek(max(0, self.size - _TAIL))
            return stream.read().decode(errors="replace")


def files_under(path: Path) -> list[Path]:
    """List the file itself, or all files of a folder and its folders, sorted; hidden ones left out."""
    if not path.is_dir():
        return [path]
    inside = (p for p in path.rglob("*") if p.is_file())
    return sorted(p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts))


def open_sources(path: Path) -> Iterator[Source]:
    """Yield the file's contents, unpacked; a member of a zip that cannot be opened comes with its failure.

    Raises ImportFailedError where the file is absent, unreadable, too large or a bomb.
    """
    with _opened(path) as file:
        size = path.stat().st_size
        if size > LARGEST_TABLE_BYTES:
            raise ImportFailedError(path.name, too_large(size))
        try:
            first = file.read(HEAD_BYTES)
            if size > LARGEST_BYTES and not first.startswith(_PACKED):
                yield LargeSource(path.name, first, path=path)
                return
            data = first + file.read()
        except OSError as error:
            raise _cannot_be_opened(path, error) from error
    yield from unpack(path.name, data)


def _opened(path: Path) -> io.BufferedIOBase:
    try:
        return path.open("rb")
    except OSError as error:
        raise _cannot_be_opened(path, error) from error


def _cannot_be_opened(path: Path, error: OSError) -> ImportFailedError:
    return ImportFailedError(str(path), f"cannot be opened: {error.strerror or error}")


def each_source(path: Path) -> Iterator[Source]:
    """Yield the files in `path`, unpacked, one after another. Raises ImportFailedError where one cannot be opened."""
    for file in files_under(path):
        for source in open_sources(file):
            if source.failure is not None:
                raise source.failure
            yield source


def unpack(name: str, data: bytes) -> Iterator[Source]:
    """Yield `data` itself, the content of a gzip, the members of a zip (names `archive.zip/member`), or sheets."""
    if data.startswith(_IS_GZIP):
        yield Source(name, _gunzipped(name, data))
    elif data.startswith(_IS_ZIP):
        yield from _unzipped(name, data)
    elif data.startswith(IS_OLD_WORKBOOK):
        raise ImportFailedError(name, "is an old or locked Excel file: save it as xlsx without a password, or as CSV")
    else:
        yield Source(name, data)


def _gunzipped(name: str, data: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _read_capped(name, stream, len(data), LARGEST_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise ImportFailedError(name, "is a damaged gzip file: copy or download it again") from error


_DAMAGED: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, OSError, EOFError, zlib.error),
    *(RuntimeError, ValueError, ArithmeticError, LookupError, struct.error),
)
"""What zipfile raises for what it cannot undo: RuntimeError (and its kinds) for a packing that it does not know,
ValueError and the rest for names, places and lengths that a flipped byte made impossible."""
with suppress(ImportError):  # Python may be built without lzma; zipfile raises RuntimeError then
    from lzma import LZMAError

    _DAMAGED += (LZMAError,)


def _unzipped(name: str, data: bytes, left: int = LARGEST_BYTES) -> Iterator[Source]:
    """Yield the members, or the sheets of a spreadsheet. One that cannot be opened comes with its failure; one that is
    too large ends the archive.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGED as error:
        raise ImportFailedError(name, "is a damaged zip file: copy or download it again") from error
    with archive:
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        _check_members(name, members)
        names = {member.filename for member in members}
        if is_workbook(names):
            yield from _sheets(name, data, archive, members, left)
        elif is_other_workbook(names):
            raise ImportFailedError(name, "is a spreadsheet of another kind than xlsx: save it as xlsx or CSV")
        else:
            yield from _members(name, archive, members)


def _sheets(
    name: str, data: bytes, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], left: int
) -> Iterator[Source]:
    """Yield the sheets of a spreadsheet as CSV, named `file.xlsx/sheet`. Raises ImportFailedError if none has rows."""
    parts = []
    for member in members:
        try:
            with archive.open(member) as stream:
                parts.append(_read_capped(name, stream, member.compress_size, left))
        except _DAMAGED as error:
            raise ImportFailedError(name, DAMAGED) from error
        left -= len(parts[-1])
    found = False
    for sheet, text in sheet_texts(name, data, parts):
        found = True
        yield Source(f"{name}/{sheet}", text)
    if not found:
        raise ImportFailedError(name, "is an empty spreadsheet")


def _members(name: str, archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> Iterator[Source]:
    left = LARGEST_BYTES
    for number, member in enumerate(members, start=1):
        try:
            for source in _member(name, archive, member, left):
                left -= len(source.data)
                yield source
        except ImportFailedError as failure:
            after = len(members) - number
            rest = f"; the {after} files after it in {name} were not read" if after else ""
            raise ImportFailedError(failure.where, failure.reason + rest) from failure


def _check_members(name: str, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_MEMBERS:
        raise ImportFailedError(name, f"holds {len(members):,} files; at most {MOST_MEMBERS:,} are opened")
    if not members:
        raise ImportFailedError(name, "is an empty zip file")


def _member(name: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, left: int) -> Iterator[Source]:
    """Open a member; a spreadsheet has several sources. Raises ImportFailedError if it is too large."""
    inside = f"{name}/{Path(member.filename).name}"
    if member.flag_bits & 1:
        yield _unopened(inside, "is locked with a password: unpack it first")
        return
    try:
        with archive.open(member) as stream:
            content = _read_capped(inside, stream, member.compress_size, left)
    except ImportFailedError:
        raise
    except _DAMAGED:
        yield _unopened(inside, "is damaged or packed in an unknown way: unpack it with another program")
        return
    if not content.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        yield Source(inside, content)
    elif b"xl/workbook.xml" in content:
        try:
            yield from _unzipped(inside, content, left)
        except ImportFailedError as failure:
            yield Source(failure.where, b"", failure)
    else:
        yield _unopened(inside, "is an archive inside an archive: unpack it first")


def _unopened(name: str, reason: str) -> Source:
    return Source(name, b"", ImportFailedError(name, reason))


def _wide_encoding(head: bytes) -> str | None:
    """Return the encoding of UTF-16 without a mark: nearly every other byte of Latin letters is zero; else None."""
    zeros = head[0::2].count(0), head[1::2].count(0)
    most = max(zeros)
    if most < 8 or most * 10 < len(head) // 2 * 9 or min(zeros) > most // 20:
        return None
    return "utf-16-be" if zeros[0] == most else "utf-16-le"


def _read_capped(name: str, stream: _Readable, packed: int, limit: int) -> bytes:
    """Read to the end, but never much past the limits: a bomb is refused while it is still small."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(_CHUNK):
        size += len(part)
        parts.append(part)
        if size > limit:
            raise ImportFailedError(name, too_large(size))
        if size > RATIO_FROM and size > LARGEST_RATIO * max(packed, 1):
            raise ImportFailedError(
                name, f"unpacks to more than {LARGEST_RATIO} times its size: refused as an archive bomb"
            )
    return b"".join(parts)


def too_large(size: int) -> str:
    """Say that a file has too many bytes to be read."""
    return f"has more than {min(size, LARGEST_BYTES) // 2**20} MB, the largest that is read: split it"


@dataclass(frozen=True, slots=True)
class Record:
    """One record. line: of the file, from 1, where it starts. raw: as it stands in the file."""

    line: int
    cells: list[str]
    raw: str


def records(source: Source, *, most: int | None = None, delimiter: str = ",") -> Iterator[Record]:
    """Yield the records of separated text, cells stripped; blank ones left out, at most `most` of them.

    A line that the CSV reader refuses (a cell of more than 128 KiB) comes with no cells at all.
    """
    lines = list(io.StringIO(source.text, newline=""))
    yield from islice(_records(lines, delimiter), most)


def _records(lines: list[str], delimiter: str) -> Iterator[Record]:
    start = 0
    while start < len(lines):
        cells, end = _cells(lines, start, delimiter)
        if cells is None or any(cells):
            yield Record(start + 1, cells or [], "".join(lines[start:end]).rstrip("\r\n"))
        start = end


def _cells(lines: list[str], start: int, delimiter: str) -> tuple[list[str] | None, int]:
    """Read the record that starts in a line; return it and where the next one does. None where the line is refused.

    A quote that is not closed as it should be ends with its line: else it would swallow the rows below.
    """
    if lines[start].count('"') % 2:
        below = csv.reader((lines[number] for number in range(start, len(lines))), strict=True, delimiter=delimiter)
        found = _next(below)
        if found is not None:
            return found, start + below.line_num
    return _next(csv.reader(lines[start : start + 1], delimiter=delimiter)), start + 1


def _next(reader: Iterator[list[str]]) -> list[str] | None:
    try:
        return [cell.strip() for cell in next(reader)]
    except csv.Error:
        return None
