"""Read the documents to translate, in units of whole documents."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from corefmill.builders.run.stages import Progress, Unit
from corefmill.corpora import find, splits
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import Document
from corefmill.corpora.splits import SPLITS

SCHEMA = "document/1"
Payload: TypeAlias = tuple[tuple[str, Document], ...]
"""Documents of a unit, each with its split."""

SENTENCES = 500
"""Sentences of a unit, about."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of documents, with its format and the split of its documents."""

    path: Path
    split: str
    form: Format


class DocumentSource:
    """Reads documents in units of about `shard_size` sentences.

    `files`, in the language `lang`, are read split by split. Reading raises `DataError` for a
    malformed file and for a part that occurs twice.
    """

    def __init__(self, files: Sequence[File], lang: str, shard_size: int = SENTENCES) -> None:
        self.shard_size = shard_size
        self._lang = lang
        self._files = sorted(files, key=lambda file: (SPLITS.index(file.split), file.path))
        self.paths = [file.path for file in self._files]
        self._sizes = [path.stat().st_size for path in self.paths]
        self._done = 0

    @property
    def most_workers(self) -> int:
        """Any number of workers: translating takes long, and files may be packed."""
        return sys.maxsize

    def progress(self) -> Progress:
        """Bytes of the finished files."""
        return Progress(self._done, sum(self._sizes), "B")

    def units(self, skip: Container[int]) -> Iterator[Unit]:
        """Yield units of whole documents, skipping those already done."""
        self._done = index = size = 0
        pack: list[tuple[str, Document]] = []
        documents = self._documents()
        while True:
            broken: DataError | None = None
            try:
                item = next(documents, None)
            except DataError as error:  # the whole documents before the error are used
                item, broken = None, error
            if item is not None:
                pack.append(item)
                size += len(item[1].sentences)
            if pack and (item is None or size >= self.shard_size):
                digest = hashlib.blake2b(digest_size=16)
                for split, document in pack:
                    digest.update(split.encode() + b"\0" + jsonl.dumps(document))
                payload = None if index in skip else tuple(pack)
                yield Unit(index, payload, digest.hexdigest())
                index, size, pack = index + 1, 0, []
            if broken is not None:
                raise broken
            if item is None:
                return

    def _documents(self) -> Iterator[tuple[str, Document]]:
        """Read all documents with their splits, refusing duplicates and scattered parts."""
        parts: set[tuple[str, str, int]] = set()
        names: set[tuple[str, str]] = set()
        last = ("", "")
        for file, size in zip(self._files, self._sizes, strict=True):
            for line, document in file.form.read(file.path, self._lang):
                name = (file.split, document.doc_id)
                part = (*name, document.part)
                problem = None
                if part in parts:
                    problem = f"part {document.part} of {document.doc_id} occurs twice"
                elif name in names and name != last:
                    problem = f"the parts of {document.doc_id} do not stand together"
                elif document.lang != self._lang:
                    problem = (
                        f"a document in language {document.lang!r}, not {self._lang!r} (--from)"
                    )
                if problem is not None:
                    raise DataError(problem, path=file.path, line=line)
                parts.add(part)
                names.add(name)
                last = name
                yield file.split, document
            self._done += size


def sample() -> Path:
    """Locate the folder of the shipped English documents."""
    return Path(str(resources.files("corefmill.corpora").joinpath("sample", "documents")))


def find_all(names: Sequence[str], lang: str) -> list[File]:
    """Find the documents at several paths or patterns, each file once; see `find_files`."""
    found = {file.path: file for place in _expand_paths(names) for file in find_files(place, lang)}
    return list(found.values())


def list_unread(names: Sequence[str], files: Sequence[File]) -> list[Path]:
    """List files of documents in the given folders that are not among the files to read."""
    read = [file.path for file in files]
    found = (
        registry.other_files(top, read, SCHEMA) for top in _expand_paths(names) if top.is_dir()
    )
    return list(dict.fromkeys(path for paths in found for path in paths))


def _expand_paths(names: Sequence[str]) -> list[Path]:
    """Expand paths and patterns; a pattern without a match is taken for a path."""
    return [
        path.absolute()
        for name in names
        for path in (
            [Path(name)] if Path(name).exists() else disk.match_paths(name) or [Path(name)]
        )
    ]


def find_files(place: Path, lang: str) -> list[File]:
    """Find the files of documents in a language: one file, or a folder with a corpus.

    Files without a split in their name are training data. Raises `UsageError` for a missing path or
    one without documents, `DataError` for a file that cannot be read.
    """
    if not place.exists():
        raise UsageError(
            "there is no such file or folder", path=place, remedy="name documents by --source"
        )
    corpus = find.open_corpus(place, lang)
    form = registry.get_format(corpus.format)
    if form.schema != SCHEMA:
        raise UsageError(
            f"holds {form.schema} ({form.name}), not documents with clusters",
            path=place,
            remedy="name CoNLL-2012 files or other documents by --source",
        )
    if place.is_file():
        return [File(place, splits.split_of(Path(place.name)) or "train", form)]
    return [
        File(path, split if split in SPLITS else "train", form)
        for split, paths in corpus.splits.items()
        for path in paths
    ]
