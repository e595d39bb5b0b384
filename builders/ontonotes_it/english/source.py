"""The English documents that are translated, cut into units of whole documents."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from corefmill.builders.runner.clock import Clock
from corefmill.builders.runner.stages import Progress, Unit
from corefmill.corpora import catalogue, discover, disk, jsonl
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document

LANG = "en"
SCHEMA = "document/1"
SPLITS = ("train", "validation", "test")

SENTENCES = 500
"""Of a unit, about."""
_NAMES = {
    "train": "train",
    "dev": "validation",
    "development": "validation",
    "validation": "validation",
    "valid": "validation",
    "test": "test",
}
"""What a file's or folder's name says of the split, a word of it being one of these."""
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class File:
    """A file of documents: the split that it belongs to and its format."""

    path: Path
    split: str
    form: Format


class DocumentSource:
    """Documents with clusters, some `shard_size` sentences a unit.

    `files` are read split by split. Raises `DataError` while it is read: for what is malformed,
    and for a part that is there twice.
    """

    def __init__(self, files: Sequence[File], shard_size: int = SENTENCES) -> None:
        self.shard_size = shard_size
        self._files = sorted(files, key=lambda file: (SPLITS.index(file.split), file.path))
        self.paths = [file.path for file in self._files]
        self._sizes = [path.stat().st_size for path in self.paths]
        self._done = 0

    def progress(self) -> Progress:
        """Bytes of the files that were read to their end."""
        return Progress(self._done, sum(self._sizes), "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """The units; a payload is a tuple of splits with their documents."""
        self._done = index = size = 0
        pack: list[tuple[str, Document]] = []
        documents = self._documents()
        clock = Clock()
        while True:
            broken: DataError | None = None
            try:
                with clock.stage("reading"):
                    item = next(documents, None)
            except DataError as error:  # what was whole before it is used all the same
                item, broken = None, error
            if item is not None:
                pack.append(item)
                size += len(item[1].sentences)
            if pack and (item is None or size >= self.shard_size):
                with clock.stage("reading", size):
                    digest = _digest(pack)
                payload = None if index in skip else tuple(pack)
                yield Unit(index, payload, digest, spent=clock.spent)
                index, size, pack, clock = index + 1, 0, [], Clock()
            if broken is not None:
                raise broken
            if item is None:
                return

    def _documents(self) -> Iterator[tuple[str, Document]]:
        parts: set[tuple[str, str, int]] = set()
        names: set[tuple[str, str]] = set()
        last = ("", "")
        for file, size in zip(self._files, self._sizes, strict=True):
            for line, document in file.form.read(file.path, LANG):
                name = (file.split, document.doc_id)
                part = (*name, document.part)
                problem = None
                if part in parts:
                    problem = f"part {document.part} of {document.doc_id} is there twice"
                elif name in names and name != last:
                    problem = f"the parts of {document.doc_id} do not follow one another"
                elif document.lang != LANG:
                    problem = f"a document in language {document.lang!r}, not {LANG!r}"
                if problem is not None:
                    raise DataError(problem, path=file.path, line=line)
                parts.add(part)
                names.add(name)
                last = name
                yield file.split, document
            self._done += size


def _digest(pack: list[tuple[str, Document]]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for split, document in pack:
        digest.update(split.encode() + b"\0" + jsonl.dumps(document))
    return digest.hexdigest()


def sample() -> Path:
    """The English documents that ship with corefmill."""
    return Path(str(resources.files("corefmill.corpora").joinpath("sample", "documents")))


def find(place: Path) -> list[File]:
    """The documents at a path: a file, or a folder that holds a corpus.

    In a folder, a corpus of the catalogue is known by its files' names; else every file that holds
    documents is taken, and the words of its name and folders tell the split, train if they tell
    none. Raises `UsageError` where there is nothing, `DataError` where it cannot be read.
    """
    if not place.exists():
        raise UsageError("there is no such file or folder", path=place, remedy="--source names one")
    disk.need(place)
    if place.is_file():
        return [File(place, split_of(place.name), _documents(place, registry.of_file(place)))]
    known = catalogue.DataDir(place)
    for entry in catalogue.entries().values():
        if entry.kind == "documents" and entry.lang == LANG and (found := known.find(entry)):
            form = registry.named(entry.format)
            return [
                File(path, "train" if split == "all" else split, form)
                for split, paths in found.items()
                for path in paths
            ]
    found_here, _ = discover.files(place)
    files = [
        File(path, split_of(path.relative_to(place).as_posix()), form)
        for path, form in found_here.items()
        if form.schema == SCHEMA
    ]
    if not files:
        raise UsageError(
            "no documents with clusters here", path=place, remedy="--source takes CoNLL-2012 files"
        )
    return files


def _documents(path: Path, form: Format) -> Format:
    if form.schema != SCHEMA:
        raise UsageError(
            f"holds {form.schema} ({form.name}), not documents with clusters",
            path=path,
            remedy="--source takes CoNLL-2012 and other forms of documents",
        )
    return form


def split_of(name: str) -> str:
    """The split that a path's words tell, those of the file before those of its folders."""
    for piece in reversed(name.lower().split("/")):
        for word in _WORD.findall(piece):
            with suppress(KeyError):
                return _NAMES[word]
    return "train"
