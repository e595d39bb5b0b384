"""Open, list and read files of unknown origin, within bounds.

1. Below a folder only regular files are read, including those that links lead to. FIFOs, devices
   and sockets are never opened: a FIFO would block without end. Links to folders are not followed,
   so that there are no loops. Skipped files are reported once.
2. A file that is read whole has at most `MOST` bytes, or the reader's own limit; lines, rows and
   sentences have limits, too.
3. A name that is not UTF-8 is written in records and tables as `show_name` returns it, and
   passed to libraries by the names of `plain_names`.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import refuse_url_read

if TYPE_CHECKING:
    from lxml import etree


MOST = 64 << 20
"""Bytes of a file that is read whole, unless its reader says otherwise."""

MOST_RECORD = 16 << 20
"""Bytes of a record of our own in a folder."""

MOST_TOML = 1 << 20
"""Bytes of a TOML file, which a person wrote."""

_MOST_DOTS = 1_000
"""Of a line of TOML: the time that a.a.a takes grows with the square of its dots."""
_DEEPEST = 50
"""Tables in tables and arrays in arrays; whoever goes through them calls himself for each."""

_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
_PLAIN = re.compile(r"[A-Za-z0-9_/.,+=@ -]+")
_KEY = re.compile(r"(?:[\w-]+=)+")
"""What stands before a file's name in an option such as `--infoboxes it=FILE`."""
_SECRET = re.compile(r"(?s)(?<=://)[^/?@]*@|(://[^?]*)\?.*")
"""A password in a URL, or its query, which may hold a key."""
_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def show_name(name: str | os.PathLike[str]) -> str:
    r"""Show a file's name in UTF-8: other bytes as `\xff`."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Tell whether a name is an open stream of this process, such as standard input."""
    return os.fspath(path).startswith(_STREAMS)


def strip_folders(value: str, *, command: bool = False) -> str:
    """Shorten local paths to their last name for public cards.

    Also behind `it=`, in each of several paths between commas, and in each word of a `command`.
    Other values stay as they are, but URLs lose passwords and queries.
    """
    if command and " " in value:
        return " ".join(map(strip_folders, value.split(" ")))
    value = _SECRET.sub(r"\1", value)  # before it is cut at a comma, which a key may hold
    if "," in value:
        return ",".join(map(strip_folders, value.split(",")))
    key = _KEY.match(value)
    before, path = (key[0], value[key.end() :]) if key else ("", value)
    here = path.startswith(("/", "./", "../", "~", "file:"))
    return before + ((Path(path).name if here else "") or path)


@contextmanager
def plain_names(paths: Iterable[Path]) -> Iterator[list[str]]:
    """Link files and folders to names without special characters, within the block.

    DuckDB interprets ?, *, [ and the like, and whatever precedes a colon, and cannot open names
    that are not UTF-8. Raises `OSError` for a path that does not exist.
    """
    with TemporaryDirectory() as scratch:

        def make_link(path: Path) -> str:
            if _PLAIN.fullmatch(str(path)):
                return str(path)
            link = Path(scratch, hashlib.sha256(os.fsencode(path)).hexdigest()[:16])
            if not link.is_symlink():
                link.symlink_to(path.resolve(strict=True))
            return str(link)

        names = []
        for path in map(Path.resolve, paths):
            # A file with a plain name may be replaced by the library: its folder is linked instead.
            keeps_name = _PLAIN.fullmatch(path.name)
            names.append(f"{make_link(path.parent)}/{path.name}" if keeps_name else make_link(path))
        yield names


def require_path(path: Path) -> None:
    """Raise `DataError` unless the path is a file or a folder, and `UsageError` for a URL."""
    try:
        kind = _special(path.stat().st_mode)
    except FileNotFoundError:
        refuse_url_read(path)
        raise DataError("there is no such file or folder", path=path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {_why(error)}", path=path) from None
    if kind:
        raise DataError(
            f"this is {kind}, not a file or folder",
            path=path,
            remedy="save its content to a file, which can be read more than once",
        )


def require_file(path: Path, most: int | None = None) -> None:
    """Raise `DataError` unless the path is a file, of at most `most` bytes."""
    require_path(path)
    if path.is_dir():
        raise DataError("this is a folder, where a file was expected", path=path)
    if most is not None and path.stat().st_size > most:
        raise _too_large(path, most)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file, or a stream of the shell such as <(zcat FILE).

    Raises `DataError` for what cannot be opened, and for any other FIFO, device or socket.
    """
    if not is_stream(path) and path.exists():
        require_path(path)
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"cannot be opened: {_why(error)}", path=path) from None


def walk(top: Path, *, strict: bool = True) -> Iterator[tuple[Path, list[Path], list[Path]]]:
    """Walk a folder: each folder with its folders and regular files, sorted, by rule 1.

    The folders that the caller takes out of the list are not entered. Raises `DataError` where a
    folder cannot be read; unless `strict`, one below `top` is passed over.
    """
    waiting = [top]
    while waiting:
        here = waiting.pop()
        try:
            folders, found = _list_entries(here)
        except DataError as error:
            if strict or here == top:
                raise
            _pass_over(here, error.message)
            continue
        yield here, folders, found
        waiting += reversed(folders)


def list_below(top: Path, endings: tuple[str, ...] = ("",)) -> list[Path]:
    """List the regular files below a folder by ending, in the order of their paths.

    Raises `DataError` where a folder cannot be read.
    """
    return sorted(path for *_, found in walk(top) for path in found if path.name.endswith(endings))


def files_of(paths: Iterable[Path]) -> list[Path]:
    """List the files of these paths, and all below folders. Raises as `list_below` does."""
    return [file for path in paths for file in (list_below(path) if path.is_dir() else [path])]


def match_paths(pattern: str) -> list[Path]:
    """List the paths matching a pattern such as `novels/*.txt`, sorted."""
    path = Path(pattern)
    root = Path(path.anchor) if path.anchor else Path()
    try:
        return sorted(root.glob(str(path.relative_to(path.anchor))))
    except ValueError:  # "**" beside other characters, or nothing at all
        return []


def list_folder(folder: Path) -> list[Path]:
    """List the regular files of a folder itself, by name. Raises `DataError` for any other path."""
    return _list_entries(folder)[1]


def read_bytes(path: Path, most: int = MOST) -> bytes:
    """Read a whole file. Raises `DataError` for more than `most` bytes, or what is no file."""
    with open_file(path) as file:
        try:
            content = file.read(most + 1)
        except OSError as error:  # a folder, a broken disk
            raise DataError(f"cannot be read: {_why(error)}", path=path) from None
    if len(content) > most:
        raise _too_large(path, most)
    return content


_LF = re.compile(rb"\n")
_CR = re.compile(rb"\r\n|\r(?!\Z)|\n")  # a CR at the end of a piece may be half of a CR LF
_OTHER_ENDS = re.compile(rb"%s|\xc2\x85|\xe2\x80[\xa8\xa9]" % _CR.pattern)


def _read_start(file: BufferedReader, size: int) -> tuple[bytes, re.Pattern[bytes]]:
    """Read the first `size` bytes or more, and find the pattern of a file's line ends.

    In a file without LF in its first megabyte also CR ends a line, and in text NEL, U+2028 and
    U+2029, which the strings of JSON may hold.
    """
    start = file.read1(size)  # of a pipe, the bytes that are there
    while b"\n" not in start and len(start) < _PIECE and (more := file.read1(_PIECE)):
        start += more
    if b"\n" in start or start.startswith(b"PAR1"):
        return start, _LF
    json = start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))
    ends = _CR if json else _OTHER_ENDS
    return start, ends if ends.search(start) else _LF


def read_head(path: Path, size: int) -> str:
    """Read the text of a file's first bytes, without invalid UTF-8, lines ending in LF.

    Raises as `open_file` does.
    """
    with open_file(path) as file:
        try:
            start, ends = _read_start(file, size)
            start = ends.sub(b"\n", start[:size]) if ends is not _LF else start[:size]
            return start.decode("utf-8-sig", errors="ignore")
        except OSError as error:  # a folder, a broken disk
            raise DataError(f"cannot be read: {_why(error)}", path=path) from None


def read_text(path: Path, most: int = MOST, *, own_line_ends: bool = False) -> str:
    """Read a whole file of UTF-8, line ends as LF unless `own_line_ends`.

    Raises `DataError` naming the line that is not UTF-8.
    """
    content = read_bytes(path, most)
    refuse_utf_16(content, path)
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            "not UTF-8", path=path, line=line, remedy="convert the file to UTF-8"
        ) from None
    return decoded if own_line_ends else decoded.replace("\r\n", "\n").replace("\r", "\n")


def refuse_utf_16(start: bytes, path: str | os.PathLike[str]) -> None:
    """Raise `DataError` where a file begins as UTF-16, the Unicode of Windows.

    Without a mark it is known by ASCII, of which every other byte is 0.
    """
    even, odd = any(start[:16:2]), any(start[1:16:2])
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        name = "UTF-16"
    elif len(start) >= 4 and even != odd:
        name = "UTF-16LE" if even else "UTF-16BE"
    else:
        return
    raise DataError(
        f"the file is {name}, not UTF-8",
        path=path,
        line=1,
        remedy=f"convert it, such as by iconv -f {name} -t UTF-8",
    )


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file. Raises `DataError` with the line of the fault."""
    source = read_text(path, MOST_TOML)
    try:
        return parse_toml(source)
    except DataError as error:
        raise DataError(error.message, path=path, line=error.line) from None


def parse_toml(source: str) -> dict[str, Any]:
    """Parse TOML within bounds. Raises `DataError`, with the line where it is known."""
    for number, line in enumerate(source.split("\n"), 1):
        if line.count(".") > _MOST_DOTS:
            raise DataError(f"a line has over {_MOST_DOTS:,} dots", line=number)
    try:
        table = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d{1,9}),", str(error))
        at = int(place[1]) if place else source.count("\n") + 1  # at the end of the document
        raise DataError(f"not TOML: {error}", line=at) from None
    except RecursionError:
        raise DataError("not TOML that can be read: too many nested brackets") from None
    except ValueError as error:  # a number of 5,000 digits, a day that there is not
        raise DataError(f"not TOML that can be read: {error}") from None
    level: list[Any] = [table]
    for _ in range(_DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    if level:
        raise DataError(f"tables are nested more than {_DEEPEST} deep")
    return table


def read_json(path: Path, most: int = MOST) -> Any:
    """Read a JSON file. Raises `DataError` with the line of the fault.

    NaN and Infinity, which Python reads, are not JSON.
    """

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a value of JSON")

    source = read_text(path, most)
    try:
        return json.loads(source, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg}", path=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        why = "too many nested brackets" if isinstance(error, RecursionError) else error
        raise DataError(f"not JSON that can be read: {why}", path=path) from None


def read_plain(path: Path, most: int = MOST_RECORD) -> bytes:
    """Read a record of our own from a folder that may have come from elsewhere.

    Raises `FileNotFoundError` where there is none, and `DataError` for a link, a FIFO or a device,
    and for more than `most` bytes.
    """
    try:  # neither does it wait for somebody who writes into a FIFO
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None
    except OSError as error:
        link = error.errno == errno.ELOOP
        why = "this is a link, not a file" if link else f"cannot be read: {_why(error)}"
        raise DataError(why, path=path) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DataError("this is not a regular file", path=path)
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise _too_large(path, most)
    return content


def read_record(path: Path, most: int = MOST_RECORD) -> Any:
    """Read a record of our own in JSON. Raises as `read_plain`, and `DataError` for no JSON."""
    content = read_plain(path, most)
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise DataError("not JSON that can be read", path=path) from None


def _list_entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """List the folders and the regular files in a folder, warning of any other paths."""
    folders: list[Path] = []
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:  # order: sorted here
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = folder / name
            try:
                mode = path.stat().st_mode
            except OSError:  # a link that leads nowhere, or to itself
                continue
            if stat.S_ISDIR(mode):
                if path.is_symlink():
                    _pass_over(path, "a link to a folder")
                else:
                    folders.append(path)
            elif kind := _special(mode):
                _pass_over(path, kind)
            else:
                found.append(path)
    except OSError as error:
        raise DataError(f"cannot be read: {_why(error)}", path=folder) from None
    return folders, found


def sha256(path: Path) -> str:
    """Hash a file by SHA-256. Raises `DataError` where it cannot be opened."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _too_large(path: Path, most: int) -> DataError:
    return DataError(f"larger than {most:,} bytes, the limit for such a file", path=path)


def _special(mode: int) -> str:
    """Name the kind of a FIFO, socket or device; empty for a file or folder."""
    return next((kind for test, kind in _KINDS if test(mode)), "")


@cache
def _pass_over(path: Path, kind: str) -> None:
    """Warn of a skipped path once, though a command may walk a folder several times."""
    name = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in show_name(path))
    logging.getLogger(__name__).warning("%s: %s, passed over", name, kind)


def _why(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


LONGEST_LINE = 64 * 1024 * 1024
"""Bytes a line may have at most, unless a reader says otherwise."""

MOST_CELLS = 100_000
"""Cells of a row: CoNLL-2012 has one for each predicate of a sentence, the widest."""

LONGEST_SENTENCE = 16 << 20
"""Characters of a sentence's rows together."""

_PIECE = 1 << 20


def read_raw_lines(path: Path, longest: int = LONGEST_LINE) -> Iterator[tuple[int, bytes]]:
    """Stream the lines of a file as bytes with their ends, each with its number from 1.

    In a file without LF also CR ends a line. Raises `DataError` for what cannot be read, and for a
    line of more than `longest` bytes.
    """
    with open_file(path) as file:
        number = 0
        while True:
            try:
                line = file.readline(longest + 1)
            except OSError as error:  # a folder, a broken disk
                raise DataError(f"cannot be read: {error.strerror}", path=path) from None
            if not line:
                return
            number += 1
            if len(line) > longest:
                raise _make_line_error(path, number, longest)
            if number == 1 and not line.endswith(b"\n"):  # the whole file
                parts = re.finditer(rb"[^\r]+\r?|\r", line)  # a list might fill the memory
                yield from enumerate((part[0] for part in parts), 1)
            else:
                yield number, line


def read_line_lists(path: Path, longest: int = LONGEST_LINE) -> Iterator[tuple[int, list[str]]]:
    """Stream the lines of a text file in lists, each with the number of its first line.

    A byte order mark and CR LF are taken off. Only LF ends a line, since the other ends that Python
    knows may stand in a text; but see `_read_start`. Raises `DataError` for a line that is no
    UTF-8, holds a NUL, or is longer than `longest` bytes.
    """
    number, rest = 1, b""
    ends: re.Pattern[bytes] | None = None
    with open_file(path) as file:
        while True:
            try:
                if ends is None:
                    chunk, ends = _read_start(file, _PIECE)
                else:
                    chunk = file.read1(_PIECE)
            except OSError as error:  # a broken disk
                raise DataError(f"cannot be read: {error.strerror}", path=path) from None
            held = rest + chunk
            held = held if ends is _LF else ends.sub(b"\n", held)
            whole, end, rest = held.rpartition(b"\n")
            if not chunk:
                if not rest:
                    return
                whole, end, rest = rest, b"\n", b""
            if end:
                # A piece is decoded at once, several times as fast as its lines. Only where
                # something is odd its lines come one by one, up to the one at fault: a reader
                # has its own say on those before it.
                fits = len(whole) < longest or max(map(len, whole.split(b"\n"))) < longest
                try:
                    if not fits or b"\0" in whole:
                        raise ValueError
                    lines = whole.decode("utf-8-sig" if number == 1 else "utf-8").split("\n")
                except ValueError:
                    for line in whole.split(b"\n"):
                        yield number, [_decode_line(line, path, number, longest)]
                        number += 1
                else:
                    if b"\r" in whole:
                        lines = [line.removesuffix("\r") for line in lines]
                    yield number, lines
                    number += len(lines)
            if len(rest) > longest:
                _decode_line(rest, path, number, longest)


def _decode_line(line: bytes, path: Path, number: int, longest: int) -> str:
    """Decode one line. Raises `DataError` with its fault."""
    if len(line) >= longest:
        raise _make_line_error(path, number, longest)
    if number == 1:
        refuse_utf_16(line, path)
    if b"\0" in line:
        raise DataError("a NUL byte: not a text file", path=path, line=number)
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not UTF-8 at byte {error.start + 1} of the line",
            path=path,
            line=number,
            remedy="convert the file to UTF-8",
        ) from None


def _make_line_error(path: Path, number: int, longest: int) -> DataError:
    """Make the error for a line longer than any record."""
    return DataError(
        f"a line of over {longest // 2**20} MiB",
        path=path,
        line=number,
        remedy="no record is that long: is this the right format?",
    )


def read_lines(
    path: Path, longest: int = LONGEST_LINE, *, sentences: bool = False
) -> Iterator[tuple[int, str]]:
    """Stream the lines of a text file without their ends, each with its number from 1.

    Raises as `read_line_lists` does.

    `sentences` is for CoNLL's tables, a token a row and an empty line after each sentence, whose
    size is bounded too.
    """
    size = 0
    for first, lines in read_line_lists(path, longest):
        for number, line in enumerate(lines, first):
            if sentences:
                if size + len(line) > MOST_CELLS:
                    check_sentence([line], path, number, size)
                size = 0 if not line or line.isspace() else size + len(line)
            yield number, line


def read_blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Stream the blocks of lines between empty lines, each with its first line's number.

    Bounds are those of `read_lines` with `sentences`.
    """
    start, held = 0, list[str]()
    for first, lines in read_line_lists(path):
        at = 0
        empty = [at for at, line in enumerate(lines) if not line or line.isspace()]
        for end in (*empty, len(lines)):
            if end > at:
                start = start if held else first + at
                held += lines[at:end]
            check_sentence(held, path, start)
            if held and end < len(lines):
                yield start, held
                held = []
            at = end + 1
    if held:
        yield start, held


def check_sentence(rows: Iterable[str], path: Path, number: int, before: int = 0) -> int:
    """Raise `DataError` for a row or a sentence longer than any in a corpus, else return its size.

    `before` is the size of the rows before these.
    """
    size = before + sum(map(len, rows))
    if size > MOST_CELLS:
        for at, row in enumerate(rows, number):
            check_row(row, path, at)
    if size <= LONGEST_SENTENCE:
        return size
    raise DataError(
        f"a sentence of over {LONGEST_SENTENCE >> 20} Mi characters",
        path=path,
        line=number,
        remedy="an empty line ends a sentence: is this the right format?",
    )


def check_row(line: str, path: Path, number: int) -> None:
    """Raise `DataError` for a row of more than `MOST_CELLS` cells.

    Called before a row is cut: a cell takes fifty bytes of memory, a tab one on the disk.
    """
    if len(line) > MOST_CELLS and line.count("\t") + line.count(" ") > MOST_CELLS:
        raise DataError(
            f"a row of over {MOST_CELLS:,} cells",
            path=path,
            line=number,
            remedy="no table is that wide: is this the right format?",
        )


_ZSTD_FRAME = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # or a skippable frame


class Packing(Enum):
    """How a file is compressed."""

    NONE = "none"
    BZ2 = "bz2"
    GZ = "gz"
    XZ = "xz"
    ZST = "zst"


def detect_packing(head: bytes) -> Packing:
    """Detect the compression of a file by its first bytes."""
    # The digit is the block size; what follows is a block's or an empty stream's magic.
    if re.match(rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90|.{0,5}\Z)", head, re.S):
        return Packing.BZ2
    if head.startswith(b"\x1f\x8b"):
        return Packing.GZ
    if head.startswith(b"\xfd7zXZ\0"):
        return Packing.XZ
    if _ZSTD_FRAME.match(head):
        return Packing.ZST
    return Packing.NONE


@cache
def read_package_table(module: str, name: str) -> dict[str, Any]:
    """Read the table NAME.toml in the folder of a module, whose `__file__` is given.

    It is read once and shared, so nobody changes it.
    """
    return tomllib.loads((Path(module).parent / f"{name}.toml").read_text("utf-8"))


def read_xml(path: Path, root: str) -> etree._Element:
    """Parse an XML file with the root element `root`, given with {its namespace} if any.

    Raises `DataError` for what is no XML, declares a document type (with which entities come), or
    nests deeper than the parser allows.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        # Handed over open: libxml2 takes some characters of a name for those of an address.
        with open_file(path) as file:
            tree = etree.parse(file, parser)
    except OSError as error:
        raise DataError(f"cannot be read: {error}", path=path) from None
    except etree.XMLSyntaxError as error:
        raise DataError(f"not XML: {error.msg}", path=path, line=error.lineno or None) from None
    if tree.docinfo.internalDTD is not None:
        raise DataError(
            "the file declares a document type", path=path, remedy="remove <!DOCTYPE ...>"
        )
    found = tree.getroot()
    if found.tag != root:
        raise DataError(f"the root element is {str(found.tag)[:40]}, not {root}", path=path, line=1)
    return found


_SOURCES = (".py", ".toml", ".txt", ".tsv", ".csv", ".json")


@cache
def code_version(*rooms: str) -> dict[str, str]:
    """Return corefmill's version; for a checkout also the SHA-256 of the rooms' code and tables."""
    from importlib.metadata import version  # takes a fifth of the time of a help

    found = version("corefmill")
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return {"version": found}
    total = hashlib.sha256()
    for room in rooms:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in _SOURCES:
                total.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes())
    return {"version": found, "source": total.hexdigest()}


def hash_folder(folder: Path) -> str:
    """Hash all files below a folder, but for caches of code and cards.

    Two trainings of a model share a version, but not their weights.
    """
    return hash_files(
        (show_name(path.relative_to(folder)), path)
        for path in list_below(folder)
        if path.suffix not in (".pyc", ".md")
    )


def hash_files(named: Iterable[tuple[str, Path]]) -> str:
    """Hash files together with their given names."""
    total = hashlib.blake2b(digest_size=8)
    for name, path in named:
        total.update(name.encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "blake2b").digest())
    return total.hexdigest()
