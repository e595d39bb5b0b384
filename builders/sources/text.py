"""Read plain text and JSON Lines: novels, news, comments, anything that is not a dump.

1. A file whose name says .jsonl or .ndjson (perhaps packed: .gz .bz2 .xz .zst) holds one document a
   line: `text`, and if they are there `title` and `id`. Any other file is one document.
2. Lines end in LF, CR, CR LF, NEL (U+0085), U+2028 or U+2029; only in JSON Lines and comments LF
   alone ends a record. Paragraphs end at an empty line and at U+2029. Lines are joined by a blank,
   as in hard-wrapped books; a line longer than any wrapped one is a paragraph of its own.
   A record keeps the offset of its paragraph in the file (`Source.start`).
3. Comments (`TextKind.COMMENTS`) are JSON Lines whatever the file's name is, a comment a line as in
   Reddit's monthly files: `body` or `fullbody`, in Markdown, and `id`.
4. Subtitles (`TextKind.LINES`) have a paragraph a line, as in OpenSubtitles' monolingual files.
5. Text is UTF-8, with or without a mark; anything else is an error that names the line, or says
   that the file is UTF-16 or Parquet.
6. A file is unpacked if its first bytes say that it is packed, whatever its name.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import sys
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from corefmill.builders.run.stages import Context, Progress, Unit
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.dump.compression import open_lines
from corefmill.builders.wiki.dump.rows import is_parquet
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora import manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import private
from corefmill.corpora.files.remote import Place, RemoteFile, is_url, matching, without_query
from corefmill.corpora.languages import other_language
from corefmill.corpora.words import PARAGRAPH_END, split_lines

_WRAPPED = 160  # characters; no hard-wrapped line is longer
_LONGEST_LINE = 64 << 20  # bytes; a longer "line" is not text
_PACK = 1 << 20  # characters of whole documents in a unit
_CUT = 4 << 20  # characters at which a document is cut between two paragraphs
_LOOKED_AT = 20_000  # characters whose language is detected
_JSON = (".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


class TextKind(StrEnum):
    """The kind of text in the input files: plain text, comments or subtitles."""

    TEXT = "text"
    COMMENTS = "reddit"
    LINES = "subtitles"


class RawParagraph(NamedTuple):
    """A paragraph as written in its file, with its white space; `start` is its offset there."""

    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A document, or a part of a long one: its paragraphs from number `first` on."""

    number: int
    title: str
    first: int
    paragraphs: tuple[RawParagraph, ...]


class TextSource:
    """Documents packed into units of about a million characters, in the order of the paths."""

    shard_size = _PACK

    def __init__(self, names: Sequence[str], kind: TextKind = TextKind.TEXT) -> None:
        """Takes files, folders (each .txt and .jsonl below; of comments RC_*), patterns; sorted.
        URLs name files or patterns. Corpora in a folder are passed over: no build reads another's
        output as text, nor its own.

        Raises `UsageError` for a name that stands for no file, `DataError` for a FIFO or a device,
        `RemoteError` for a URL that cannot be read.
        """
        self.passed_over: list[Path] = []
        self.paths = _files(names, kind, self.passed_over)
        for path in self.paths:  # they are read twice, which a FIFO is not
            if not isinstance(path, RemoteFile):
                disk.require_path(path)
        self._kind = kind
        self._sizes = [path.stat().st_size for path in self.paths]
        self._done = 0

    @property
    def most_workers(self) -> int:
        """Return the largest number of workers with work: the largest number of units."""
        if any(path.name.endswith(_PACKED) for path in self.paths):
            return sys.maxsize
        return max(1, sum(self._sizes) // _PACK)

    def progress(self) -> Progress:
        """Count the bytes of files read to their end."""
        return Progress(self._done, sum(self._sizes), "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield the units of the run; raises `DataError` naming file and line of any other data."""
        index, size = 0, 0
        pack: list[Piece] = []
        for piece in self._pieces():
            pack.append(piece)
            size += sum(len(paragraph.text) for paragraph in piece.paragraphs)
            if size >= _PACK:
                yield _unit(index, pack, skip)
                index, size, pack = index + 1, 0, []
        if pack:
            yield _unit(index, pack, skip)

    def other_language(self, lang: str) -> str | None:
        """Detect the language of the middle of the first texts, if it is surely not `lang`."""
        first = next(copy(self).units(()), None)
        pieces = first.payload if first is not None else ()
        text = "\n".join(one.text for piece in pieces for one in piece.paragraphs)
        middle = max(0, len(text) - _LOOKED_AT) // 2  # what comes before may be a publisher's
        return other_language(text[middle : middle + _LOOKED_AT], lang)

    def _pieces(self) -> Iterator[Piece]:
        """Yield the documents of all files, long ones in pieces."""
        number = 0
        for path, size in zip(self.paths, self._sizes, strict=True):
            # Closed at once, since the file may have a decompressor's process behind it.
            with closing(_documents(path, self._kind)) as documents:
                for title, paragraphs in documents:
                    number += 1
                    yield from _cut(number, title, paragraphs)
            self._done += size


def read_text(payloads: Iterator[tuple[Piece, ...]], context: Context) -> Iterator[Article]:
    """Make an article of each document of the units: the first stage of a build from text."""
    for pieces in payloads:
        for piece in pieces:
            if piece.first == 0:
                context.count("documents")
            yield Article(
                key=f"text-{piece.number}",
                title=piece.title,
                page_id=piece.number,
                paragraphs=[
                    Paragraph(
                        text=" ".join(raw.text.split()),
                        kind="prose",
                        index=index,
                        section="",
                        links=[],
                        bold=[],
                        italic=[],
                        lost=[],
                        start=raw.start,
                        raw=raw.text,
                    )
                    for index, raw in enumerate(piece.paragraphs, piece.first)
                ],
            )


def _cut(number: int, title: str, paragraphs: Iterator[RawParagraph]) -> Iterator[Piece]:
    """Cut a document between paragraphs into pieces of some `_CUT` characters."""
    first, length = 0, 0
    held: list[RawParagraph] = []
    for paragraph in paragraphs:
        held.append(paragraph)
        length += len(paragraph.text)
        if length >= _CUT:
            yield Piece(number, title, first, tuple(held))
            first, length, held = first + len(held), 0, []
    if held:
        yield Piece(number, title, first, tuple(held))


def _unit(index: int, pieces: list[Piece], skip: Container[int]) -> Unit:
    """Make the unit of some pieces, with a hash of their texts; no payload where it is skipped."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in pieces:  # no text has NUL
        words = (f"{paragraph.start}\0{paragraph.text}" for paragraph in piece.paragraphs)
        said = "\0".join((str(piece.number), repr(piece.title), str(piece.first), *words, ""))
        digest.update(said.encode())
    return Unit(index, None if index in skip else tuple(pieces), digest.hexdigest())


def _files(names: Sequence[str], kind: TextKind, passed_over: list[Path]) -> list[Place]:
    """List the files of paths, folders, patterns and URLs; raises `UsageError` for none.

    Corpora within the folders are added to `passed_over`.
    """
    found: list[Place] = []
    for name in names:
        path = Path(name)
        inside: Sequence[Place]
        if is_url(name):
            inside = matching(name)
        elif path.is_dir():
            if _is_corpus(path):
                raise UsageError(
                    "the folder is a corpus that corefmill has built, not text",
                    path=path,
                    remedy="name another folder, or single files of it",
                )
            inside = [p for p in _list_outside_corpora(path, passed_over) if _holds(p, kind)]
        elif path.exists():
            inside = [path]
        else:
            inside = [p for p in disk.match_paths(name) if p.is_file()]
        if not inside:
            raise UsageError(
                "no text file found under this name",
                path=without_query(name),
                remedy=f"--{kind} takes files, folders holding {_ENDINGS[kind]}, and patterns",
            )
        found += inside
    return list(dict.fromkeys(found))


def _list_outside_corpora(top: Path, passed_over: list[Path]) -> list[Path]:
    """List the files below a folder, as `disk.list_below` does, without those of corpora."""
    files: list[Path] = []
    for _, folders, found in disk.walk(top):
        files += found
        corpora = [folder for folder in folders if _is_corpus(folder)]
        folders[:] = [folder for folder in folders if folder not in corpora]
        passed_over += corpora
    return sorted(files)


def _is_corpus(folder: Path) -> bool:
    """Tell whether a folder is a corpus, finished or begun."""
    if private(folder).is_dir():
        return True
    try:
        manifest.read(folder)
    except DataError:
        return False
    return True


_ENDINGS = {
    TextKind.TEXT: ".txt or .jsonl",
    TextKind.COMMENTS: "RC_* or .jsonl",
    TextKind.LINES: ".txt",
}


def _holds(path: Path, kind: TextKind) -> bool:
    """Check by the name whether a file of a folder holds text of the kind."""
    ending = _stem(path)[1]
    if kind is TextKind.COMMENTS:
        return ending in _JSON or path.name.startswith("RC_")
    return ending == ".txt" or (kind is TextKind.TEXT and ending in _JSON)


def _stem(path: Place) -> tuple[str, str]:
    """Split a name into its stem and the ending of its format."""
    name = PurePosixPath(path.name)
    bare = name.with_suffix("") if name.suffix.lower() in _PACKED else name
    return disk.show_name(bare.stem), bare.suffix.lower()


def _documents(path: Place, kind: TextKind) -> Generator[tuple[str, Iterator[RawParagraph]]]:
    """Yield title and paragraphs of each document of a file, to be read one after the other."""
    stem, ending = _stem(path)
    if path.is_file() and not path.stat().st_size:
        return
    with open_lines(path) as file:
        lines = _lines(file, path)
        if kind is TextKind.LINES:
            yield stem, _subtitles(_split(lines))
            return
        if kind is TextKind.TEXT and ending not in _JSON:
            yield stem, make_paragraphs(_split(lines))
            return
        fields = ("text",) if kind is TextKind.TEXT else ("body", "fullbody")
        for number, line in lines:
            if line.strip():
                title, text = _json_document(line, path, number, fields)
                found = (
                    make_paragraphs(text.splitlines(keepends=True))
                    if kind is TextKind.TEXT
                    else _comment(text)
                )
                yield title or f"{stem}:{number}", found


def _lines(file: BinaryIO, path: Place) -> Iterator[tuple[int, str]]:
    """Decode the numbered lines of a file; raises `DataError` for any data but UTF-8 text."""
    number = 0
    while raw := file.readline(_LONGEST_LINE):
        number += 1
        if number == 1:
            disk.refuse_utf_16(raw, path)
            if is_parquet(raw):
                raise DataError(
                    "the file is Parquet, but plain text or JSON Lines is expected",
                    path=path,
                    remedy="--dump takes articles as rows; make JSON Lines of any other",
                )
        if len(raw) == _LONGEST_LINE:
            raise DataError(
                f"the line is longer than {_LONGEST_LINE >> 20} MiB, so this is not a text file",
                path=path,
                line=number,
            )
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"the line is not UTF-8 at its byte {error.start + 1}",
                path=path,
                line=number,
                remedy="convert the file first, such as by iconv -f latin1 -t utf8",
            ) from None
        if "\0" in line:
            raise DataError(
                "the line contains NUL, so this is not a text file", path=path, line=number
            )
        yield number, line


def _split(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Split lines further at the ends that are not LF (rule 2)."""
    for _, line in lines:
        if len(line.splitlines()) < 2:  # nearly all lines
            yield line
        else:
            yield from split_lines(line)


def _json_document(line: str, path: Place, number: int, fields: Sequence[str]) -> tuple[str, str]:
    """Read title and text from a line of JSON; raises `DataError` for a line without text."""
    try:
        document: Any = json.loads(line)
    except (ValueError, RecursionError):  # a number of 5,000 digits does not raise JSONDecodeError
        raise DataError("the line is not valid JSON", path=path, line=number) from None
    text = title = None
    if isinstance(document, dict):
        text = next((document[field] for field in fields if field in document), None)
        title = document.get("title") or document.get("id") or ""
    if not isinstance(text, str):
        raise DataError(
            f'the line is not a JSON object with a string "{fields[0]}"', path=path, line=number
        )
    title = str(title)
    try:
        (title + text).encode()
    except UnicodeEncodeError:
        raise DataError(
            "a JSON escape is half of a surrogate pair", path=path, line=number
        ) from None
    if "\0" in text:
        raise DataError("the line contains NUL, so this is not a text file", path=path, line=number)
    return title, text


def make_paragraphs(lines: Iterable[str]) -> Iterator[RawParagraph]:
    """Gather lines into paragraphs, which end at an empty line or a line too long to be wrapped."""
    held: list[str] = []
    start = position = 0
    for line in lines:
        is_empty = not line or line.isspace()
        if is_empty or (len(line) > _WRAPPED and len(" ".join(line.split())) > _WRAPPED):
            if held:
                yield RawParagraph(start, "".join(held))
                held = []
            if not is_empty:
                yield RawParagraph(position, line)
        else:
            start = start if held else position
            held.append(line)
        position += len(line)
        if held and line.endswith(PARAGRAPH_END):
            yield RawParagraph(start, "".join(held))
            held = []
    if held:
        yield RawParagraph(start, "".join(held))


def _subtitles(lines: Iterable[str]) -> Iterator[RawParagraph]:
    """Make a paragraph of each line of subtitles, without its leading dash."""
    position = 0
    for line in lines:
        words = line.lstrip().removeprefix("-").lstrip()
        if words:
            yield RawParagraph(position + len(line) - len(words), words)
        position += len(line)


def _comment(body: str) -> Iterator[RawParagraph]:
    """Yield the paragraphs of a comment without Markdown; offsets count in the result's lines."""
    position = 0
    for words in comment_prose(body):
        yield RawParagraph(position, words)
        position += len(words) + 1


# The prose of a comment in Reddit's Markdown: no quotations, code, tables, lists or addresses.


_GONE = ("[deleted]", "[removed]")
_NO_PROSE = re.compile(r"(?:>|    |\t|\||#|[-*_]{3}|[-*+] |\d{1,3}[.)] )")
_COMMENT_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|(?<!\w)/?[ru]/\w+")
_MARKS = re.compile(
    r"\\(?P<kept>[\\`*_{}\[\]()#+.!^~>-])"  # escaped, so it is none
    r"|\*{1,3}|~~|`|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)"
)


def comment_prose(body: str) -> Iterator[str]:
    """Yield the prose paragraphs of a Reddit comment, each on one line; none of a deleted one."""
    if body.strip() in _GONE:
        return
    held: list[str] = []
    for line in (*html.unescape(body).splitlines(), ""):
        if not line.strip() or _NO_PROSE.match(line):
            if held:
                text = _ADDRESS.sub("", _COMMENT_LINK.sub(r"\1", " ".join(held)))
                yield " ".join(_MARKS.sub(lambda mark: mark["kept"] or "", text).split())
                held = []
        else:
            held.append(line)
