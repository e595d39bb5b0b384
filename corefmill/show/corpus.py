"""Read the records of a corpus as a stream, filter them, and draw some at random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from corefmill.builders.corpus.corpus import COUNTED, KEPT
from corefmill.builders.run.stages import HashSample, make_random
from corefmill.corpora import find, manifest
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.formats import json_records, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import Record
from corefmill.corpora.splits import NAMES, make_relative, split_of
from corefmill.show.marks import RecordView
from corefmill.show.views import cluster_names, source_of, texts, view

T = TypeVar("T")


class ShownFile(NamedTuple):
    """A file of records; `split` is None if the file's name has none (the records may have)."""

    path: Path
    form: Format
    split: str | None


class PlacedRecord(NamedTuple):
    """A record with its split ("" if unknown), its file and line."""

    record: Record
    split: str
    path: Path
    line: int

    def view(self, longest: int) -> RecordView:
        """Make the view of the record; raise `DataError` with its place for malformed meta."""
        try:
            return view(self.record, self.split, longest)
        except DataError as error:
            raise DataError(error.message, path=self.path, line=self.line) from None


@dataclass(frozen=True, slots=True)
class ShownCorpus:
    """Files of records. A corpus that was built has a `folder` with a manifest."""

    name: str
    lang: str
    files: Sequence[ShownFile]
    folder: Path | None = None
    manifest: Manifest | None = None

    @property
    def schema(self) -> str:
        """The schema of the records; raises `UsageError` for files of several."""
        schemas = list(dict.fromkeys(one.form.schema for one in self.files))
        if len(schemas) > 1:
            raise UsageError(
                f"{self.name} holds records of several kinds: {', '.join(schemas)}",
                remedy="name a file or folder with records of one kind",
            )
        return schemas[0]

    @property
    def splits(self) -> list[str]:
        """The splits in the names of the files."""
        return list(dict.fromkeys(one.split for one in self.files if one.split))

    def built_folder(self) -> Path:
        """Return the folder of a built corpus; raise `UsageError` for another."""
        if self.folder is None:
            raise UsageError(
                f"{self.name} has no manifest of a build, so its rejected records are unknown",
                remedy="name the folder of a corpus that `build` made",
            )
        return self.folder

    def records(self) -> Iterator[PlacedRecord]:
        """Stream the records file by file; raise `DataError` for unreadable ones."""
        for path, form, split in self.files:
            for line, record in form.read(path, self.lang):
                own = record.meta.get("split") if split is None else split
                own = NAMES.get(own, own) if isinstance(own, str) else ""
                yield PlacedRecord(record, own, path, line)


def open_corpus(name: str, form: Format | None, lang: str | None, data_dir: Path) -> ShownCorpus:
    """Find the files of a corpus, given as a file, a folder, or a name as for `--corpus`.

    `form` None detects each file's format.
    """
    path = Path(name)
    if not path.exists():  # a name of the catalogue, of out/, or of corefmill's samples
        found = find.find_corpus(name, data_dir=data_dir, lang=lang)
        own = registry.get_format(found.format)
        if found.split_source == "records":
            paths = dict.fromkeys(path for files in found.splits.values() for path in files)
            return ShownCorpus(name, found.lang, [ShownFile(one, own, None) for one in paths])
        pairs = ((one, split) for split, files in found.splits.items() for one in files)
        shown = [ShownFile(one, own, None if split == "all" else split) for one, split in pairs]
        built = shown[0].path.parent
        return _find_built(name, built) or ShownCorpus(name, found.lang, shown)
    disk.require_path(path)
    title = disk.show_name(path.resolve().name)
    if built_corpus := _find_built(title, path):
        return built_corpus
    forms = registry.find_files([path], form)
    files = [
        ShownFile(one, own, None if one.is_dir() else split_of(make_relative(one, [path])))
        for one, own in forms.items()
    ]
    return ShownCorpus(title, lang or "en", files)


def _find_built(name: str, folder: Path) -> ShownCorpus | None:
    """Find the built corpus in a folder; None for a folder without a manifest."""
    if not (folder / manifest.NAME).exists():
        return None
    found = find.open_corpus(folder)
    own = registry.get_format(found.format)
    files = [ShownFile(one, own, split) for split, paths in found.splits.items() for one in paths]
    return ShownCorpus(name, found.lang, files, folder, manifest.read(folder))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """The conditions for a record to be shown; case is ignored.

    `split` and `ids` are whole; `cluster` is the whole id or title of an event, name of a
    candidate, or words of a mention; `source` and `search` are parts of the title and of the text.
    """

    split: str | None = None
    ids: tuple[str, ...] = ()
    cluster: str | None = None
    source: str | None = None
    search: str | None = None

    def check(self, corpus: ShownCorpus) -> None:
        """Raise `UsageError` for an unknown split."""
        there = corpus.splits
        if self.split and there and NAMES.get(self.split, self.split) not in there:
            raise UsageError(
                f"{corpus.name} has no {self.split} split", remedy=f"there are {', '.join(there)}"
            )

    def check_rejects(self) -> None:
        """Raise `UsageError` for conditions on fields without a value in rejected records."""
        for option, value in (("split", self.split), ("id", self.ids), ("cluster", self.cluster)):
            if value:
                raise UsageError(
                    f"--{option} does not work with --reason",
                    remedy="search rejected records by --source (title) and --search (text)",
                )

    def keeps(self, placed: PlacedRecord) -> bool:
        """Whether a record of the corpus is shown."""
        record = placed.record
        if self.split and NAMES.get(self.split, self.split) != placed.split:
            return False
        if self.ids and getattr(record, "id", getattr(record, "doc_id", "")) not in self.ids:
            return False
        if self.source and self.source.casefold() not in source_of(record).casefold():
            return False
        if self.cluster and not _matches(self.cluster, cluster_names(record), whole=True):
            return False
        return not self.search or _matches(self.search, texts(record), whole=False)

    def keeps_rejected(self, record: Any) -> bool:
        """Whether a rejected record is shown, by its title and by all its strings."""
        if self.source:
            title = record.get("title") if isinstance(record, dict) else None
            if not _matches(self.source, [title] if isinstance(title, str) else [], whole=False):
                return False
        return not self.search or _matches(self.search, iter_strings(record), whole=False)

    @property
    def description(self) -> str:
        """The conditions in words, for the page."""
        named = {
            "split": self.split,
            "id": ", ".join(self.ids),
            "cluster": self.cluster,
            "source": self.source,
            "search": self.search,
        }
        return "; ".join(f"{name} {value}" for name, value in named.items() if value)


def _matches(wanted: str, texts: Iterable[str], *, whole: bool) -> bool:
    """Whether a text equals one of the given texts, or is a part of one; case is ignored."""
    wanted = wanted.casefold()
    folded = (one.casefold() for one in texts)
    return any(one == wanted if whole else wanted in one for one in folded)


def choose(items: Iterable[T], limit: int, seed: int | None) -> Iterator[T]:
    """Take the first items, or draw `limit` items at random in their order, in one pass."""
    if seed is None:
        yield from islice(items, limit)
        return
    drawn = HashSample[int, tuple[int, T]](limit)
    for number, item in enumerate(items):
        drawn.offer(make_random(seed, "show", number).random(), number, (number, item))
    yield from (item for _, item in sorted(drawn.values(), key=lambda pair: pair[0]))


def count_rejects(folder: Path) -> dict[str, int]:
    """Count the rejected records by reason, the most frequent first.

    A translated corpus counts by dataset and unit (`beta2 mentions`), and its reasons begin with
    both. {} if the folder has no rejects.json; raises `DataError` for a malformed one.
    """
    path = folder / COUNTED
    if not path.exists():
        return {}
    stages = disk.read_json(path)
    total: dict[str, int] = {}
    for stage, reasons in (stages if isinstance(stages, dict) else {"": None}).items():
        before = f"{stage.replace(' ', '.')}." if " " in stage else ""
        if not isinstance(reasons, dict):
            raise DataError("the file holds no counts of reasons by stage", path=path)
        for reason, count in reasons.items():
            if type(count) is not int or count < 0:
                raise DataError(f"the count of {reason[:100]!r} is not a number", path=path)
            total[before + reason] = total.get(before + reason, 0) + count
    return dict(sorted(total.items(), key=lambda entry: (-entry[1], entry[0])))


def read_rejects(folder: Path, reason: str) -> Iterator[tuple[str, Any]]:
    """Stream the rejected records of one reason, each with this reason.

    Raises `UsageError` if the build kept no such rejects, `DataError` for a malformed line.
    """
    path = folder / KEPT
    if not path.is_file():
        raise UsageError(
            "the build did not keep the rejected records",
            path=path,
            remedy="build the corpus with --keep-rejects",
        )
    if (known := count_rejects(folder)) and reason not in known:
        listed = ", ".join(f"{name} {count:,}" for name, count in known.items())
        raise UsageError(
            f"the build rejected no record for {reason!r}",
            path=folder,
            remedy=f"the reasons are {listed}",
        )
    for number, line in disk.read_lines(path):
        made = json_records.loads(line, path, number)
        said = made.get("reason")
        if not isinstance(said, str) or "record" not in made:
            raise DataError("the line has no reason and record", path=path, line=number)
        if reason == said:
            yield said, made["record"]


def iter_strings(record: Any) -> Iterator[str]:
    """Yield all strings in a record, those in nested lists and objects as well."""
    waiting = [record]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
