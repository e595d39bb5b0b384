"""Find the corpus of `--corpus NAME|DIR` or `--source`: its files, splits and records.

Training, evaluation, the overlap and the builder of ontonotes-it ask here, so that they agree.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from corefmill.corpora import manifest
from corefmill.corpora.catalogue import CatalogueEntry, DataDir, entries, entry
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import refuse_url_read
from corefmill.corpora.formats import native, registry
from corefmill.corpora.formats.form import Format
from corefmill.corpora.records import (
    BY_SCHEMA,
    KINDS,
    Document,
    EventMention,
    MaskedExample,
    Record,
)
from corefmill.corpora.splits import NAMES, SPLITS, group_by_split, split_of


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The held-out `sources` (see `source_of`), with `share` of the records or more.

    Of a `single` source examples are held out, or clusters.
    """

    share: float
    seed: int
    sources: frozenset[str]
    single: bool

    def has(self, record: Record) -> bool:
        """Tell whether the record is held out."""
        return source_of(record, single=self.single) in self.sources


def _count_sources(records: Iterable[Record], *, single: bool) -> dict[str, Counter[str]]:
    """Count the records of each source, grouped into sources to be kept together.

    Such are articles with near-duplicates of each other, whose examples share a `meta.group`, and
    clusters with the same commonest head lemma (else wording), unless all are: they are as hard to
    tell apart as unseen ones.
    """
    counted: Counter[str] = Counter()
    joined: dict[str, str] = {}  # a source, or a group, with one that it was joined to
    lemmas: dict[str, Counter[str]] = {}

    def find_first(source: str) -> str:
        while (other := joined[source]) != source:
            source = other
        return source

    for record in records:
        source = source_of(record, single=single)
        counted[source] += 1
        joined.setdefault(source, source)
        if isinstance(record, MaskedExample) and "group" in record.meta:
            group = joined.setdefault(f"group {record.meta['group']}", source)
            joined[find_first(source)] = find_first(group)
        elif isinstance(record, EventMention) and not (single or record.meta.get("topic")):
            lemma = (record.lemma or record.text[record.start : record.end]).casefold()
            lemmas.setdefault(source, Counter())[lemma] += 1
    for source, own in lemmas.items():
        [(lemma, _)] = own.most_common(1)
        joined[source] = joined.setdefault(f"lemma {lemma}", source)
    together: dict[str, Counter[str]] = {}
    for source, size in counted.items():
        together.setdefault(find_first(source), Counter())[source] = size
    return together


def source_of(record: Record, *, single: bool = False) -> str:
    """Return the key of a record's source: a document, an event with its topic, an article.

    Masked examples that name no article are kept with those of the same candidates, as the twins
    of a Winograd schema have them. Those of a `single` source are kept with near-duplicates alone.
    """
    if isinstance(record, Document):
        return record.doc_id
    if isinstance(record, EventMention):
        topic = str(record.meta.get("topic", ""))
        number = topic[: len(topic) - len(topic.lstrip("0123456789"))]
        return f"topic {number or topic}" if topic else f"cluster {record.cluster}"
    if single:
        return f"example {record.meta.get('group', record.id)}"
    if record.source.title or record.source.page_id:
        return f"article {record.source.page_id} {record.source.title}"
    return "candidates " + "\t".join(sorted(record.candidates))


Records = Iterable[Record]
"""Records that can be gone through any number of times; those of a corpus stream from its files."""

Placed = tuple[Path, int, Record]
"""A record with the file and the line (from 1) that it begins at."""

Watch = Callable[[Iterable[Any]], Iterable[Any]]
"""Shows progress while records pass through."""

BUILT = ("wikicrem", "wikirand", "wec", "knowref")
"""Corpora made by `build` as `out/NAME-LANG`, whatever the catalogue has of that name."""

SAMPLES = Path(__file__).with_name("sample")
"""The folder of the corpora that ship, each in a folder of its own."""

_STANDS_FOR = {"ontonotes": "documents"}
"""Corpora that are not free, with the sample that is written in their columns and scheme."""


@dataclass(frozen=True, slots=True)
class FoundCorpus:
    """A corpus on this machine.

    `splits` maps train, validation, test, or `all` where it is unsplit, to files; `source` names
    its place. `split_source` is the origin of a record's split: the names of the files, or the
    records themselves, which the files then hold together. `read` are the splits with records in
    memory already. `folder` is one that may hold other corpora, too.
    """

    name: str
    kind: str
    splits: dict[str, list[Path]]
    format: str
    lang: str
    source: str
    split_source: Literal["files", "records"] = "files"
    held_out: HeldOut | None = None
    read: Mapping[str, Sequence[Record]] = field(default_factory=dict, compare=False, repr=False)
    folder: Path | None = field(default=None, compare=False)

    @property
    def found_in(self) -> str:
        """The place of the corpus, with the number of unread files there."""
        own = (file for paths in self.splits.values() for file in paths)
        rest = (
            registry.other_files(self.folder, own, KINDS[self.kind].schema) if self.folder else []
        )
        return self.source + (f" (files there that are not read: {len(rest):,})" if rest else "")

    @property
    def holds(self) -> str:
        """The plural name of the corpus's records, such as `masked examples`."""
        return KINDS[self.kind].plural


@dataclass(frozen=True, slots=True)
class _FileRecords:
    """The records of one split, read from its files anew each time."""

    corpus: FoundCorpus
    split: str

    def __iter__(self) -> Iterator[Record]:
        return (record for *_, record in read_placed(self.corpus, self.split))


def find_corpus(
    name: str, *, data_dir: Path, lang: str | None = None, out: Path = Path("out")
) -> FoundCorpus:
    """Find a corpus by its name or its path.

    That is a file or folder; what `build` made as `out/NAME`, or `out/NAME-LANG` of a name that no
    other corpus has; a corpus of the catalogue below `data_dir`; or one that ships. Raises
    `UsageError` that says how to get it, `DataError` where its files cannot be read.
    """
    path = Path(name)
    if path.exists():
        return open_corpus(path, lang)
    if built := _find_built(out, name, lang):
        return _open_build(built, name, str(built))
    if name in entries() and data_dir.is_dir():
        wanted = entries()[name]
        if files := DataDir(data_dir).find(wanted):
            return _open_catalogued(wanted, files, data_dir)
    ships = SAMPLES / _STANDS_FOR.get(name, name)
    if Path(name).name == name and ships.is_dir():
        said = "the small sample that ships with corefmill"
        return replace(_open_folder(ships, lang), name=name, source=said)
    raise _make_missing_error(name, data_dir, lang)


def open_corpus(path: Path, lang: str | None = None) -> FoundCorpus:
    """Open a file or a folder as a corpus, detecting its format and its splits.

    In a folder a manifest says the splits, else the catalogue where it knows the files, else the
    names of the files and of their folders. Raises what `find_corpus` raises.
    """
    disk.require_path(path)
    if path.is_dir():
        return _open_folder(path, lang)
    if not path.stat().st_size:
        raise DataError("this file is empty", path=path)
    name = disk.show_name(path.stem)
    return _read_unsplit(name, [path], registry.detect_format(path), lang or "en", str(path))


def records(corpus: FoundCorpus, split: str) -> Records:
    """Return the records of a split, to be gone through any number of times.

    Raises `DataError` where the corpus has no such split.
    """
    _require_split(corpus, split)
    return corpus.read[split] if split in corpus.read else _FileRecords(corpus, split)


def read_placed(corpus: FoundCorpus, split: str) -> Iterator[Placed]:
    """Stream the records of a split of a corpus once, each with its file and line."""
    _require_split(corpus, split)
    form, drawn = registry.get_format(corpus.format), corpus.held_out
    for path in corpus.splits[split]:
        for line, record in form.read(path, corpus.lang):
            if corpus.split_source == "records" and _own_split(record) != split:
                continue
            held = split == "validation"
            if drawn and (held or split == "train") and drawn.has(record) != held:
                continue
            yield path, line, record


def load_records(
    corpus: FoundCorpus, keep: Callable[[Record], Record], watch: Watch = iter
) -> FoundCorpus:
    """Load the training and validation records into memory, each reduced by `keep`."""
    wanted = ("train" if "train" in corpus.splits else "all", "validation")
    learnt = [split for split in wanted if split in corpus.splits]
    read = {split: [keep(record) for record in watch(records(corpus, split))] for split in learnt}
    return replace(corpus, read=read)


def _require_split(corpus: FoundCorpus, split: str) -> None:
    """Raise `DataError` where the corpus has no such split."""
    if split not in corpus.splits:
        raise DataError(
            f"{corpus.name} has no {split} split, only {', '.join(corpus.splits)}",
            remedy="to use all records of one file, name that file as the corpus",
        )


def _own_split(record: Record) -> str | None:
    """Return the split named in the meta of a record, as in records of ECB+."""
    own = record.meta.get("split")
    return NAMES.get(own) if isinstance(own, str) else None


def choose_split(corpus: FoundCorpus, wanted: str | None) -> str:
    """Choose the split to evaluate a model on: `wanted`, else test, validation, all or train.

    Raises `UsageError` for one that is not there, and where there is none of these.
    """
    named = (wanted, NAMES.get(wanted)) if wanted else ("test", "validation", "all", "train")
    for split in filter(None, named):
        if split in corpus.splits:
            return split
    raise UsageError(
        f"{corpus.name} has no {wanted or 'test, validation or train'} split",
        remedy=f"choose one with --split {'|'.join(corpus.splits)}",
    )


def count(corpus: FoundCorpus, split: str) -> int:
    """Count the records of a split of a corpus. Raises `DataError` for an empty split."""
    number = sum(1 for _ in records(corpus, split))
    if not number:
        raise DataError(
            f"the {split} split of {corpus.name} is empty", path=corpus.splits[split][0]
        )
    return number


def hold_out_validation(corpus: FoundCorpus, share: float, seed: int) -> FoundCorpus:
    """Give a corpus a train and a validation split, holding sources out where needed.

    Where it has no validation split, whole sources are held out of its train split (or of all,
    where it is unsplit) until they have the share: of a single source, examples or clusters. Raises
    `DataError` where there is no train split, or too little in it.
    """
    if "train" in corpus.splits and "validation" in corpus.splits:
        return corpus
    split = next((name for name in ("train", "all") if name in corpus.splits), None)
    if split is None:
        raise DataError(
            f"{corpus.name} has no train split, only {', '.join(corpus.splits)}",
            remedy="to train on one of its files, name that file as the corpus",
        )
    for single in (False, True):
        sources = _count_sources(records(corpus, split), single=single)
        if len(sources) > 1:
            break
    paths = corpus.splits[split]
    if len(sources) < 2:
        count(corpus, split)  # refuses an empty split
        raise DataError(
            f"{corpus.name} needs a validation split: all its records are from a single source",
            path=paths[0],
            remedy="build it from several texts, or put a validation file beside this one",
        )
    # A hash gives the order, so that one more source moves no other one. The last of the order is
    # left to train on.
    left = share * sum(own.total() for own in sources.values())
    order = sorted(sources, key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())
    taken: set[str] = set()
    for first in order[:-1]:
        if left <= 0:
            break
        taken.update(sources[first])
        left -= sources[first].total()
    drawn = HeldOut(share, seed, frozenset(taken), single)
    splits = {"train": paths, "validation": paths} | {
        name: files for name, files in corpus.splits.items() if name not in ("train", "all")
    }
    read = dict(corpus.read)
    if rows := read.pop(split, None):
        for name, held in (("train", False), ("validation", True)):
            read[name] = [record for record in rows if drawn.has(record) == held]
    return replace(corpus, splits=splits, held_out=drawn, read=read)


def fingerprint(corpus: FoundCorpus) -> str:
    """Hash a corpus: the bytes of its files, its format, its language and its splits."""
    digest = hashlib.sha256(f"{corpus.format} {corpus.lang} {corpus.split_source}".encode())
    for split, paths in sorted(corpus.splits.items()):
        for file in disk.files_of(paths):
            digest.update(f"\n{split} {disk.show_name(file.name)} {manifest.sha256(file)}".encode())
    if corpus.held_out:
        by = " lemma" if corpus.kind == "events" else ""
        digest.update(f"\n{corpus.held_out.share} {corpus.held_out.seed}{by}".encode())
    return digest.hexdigest()


def _open_folder(path: Path, lang: str | None) -> FoundCorpus:
    """Open a folder as a corpus: by manifest, by the catalogue, or by the names of its files."""
    name = disk.show_name(path.resolve().name)
    if (path / manifest.NAME).exists():
        return _open_build(path, name, str(path))
    whole = registry.candidates(path)
    if len(whole) == 1:
        inner = (one for one in sorted(path.iterdir()) if one.is_dir())
        if len(said := sorted({split_of(Path(one.name)) or "" for one in inner} - {""})) > 1:
            raise UsageError(
                f"the folder holds several splits of a {whole[0].name} corpus: {', '.join(said)}",
                path=path,
                remedy="name one of the folders",
            )
        return _read_unsplit(name, [path], whole[0], lang or "en", str(path))
    top = DataDir(path)
    known = {one.name: files for one in entries().values() if (files := top.find(one))}
    if len(known) == 1:
        [(of, files)] = known.items()
        return replace(_open_catalogued(entries()[of], files, path), folder=path)
    if known:
        raise UsageError(
            f"the folder holds several corpora: {', '.join(known)}",
            path=path,
            remedy=f"name one of them, with --data-dir {path}",
        )
    forms, _ = registry.files_below(path)
    if not forms:
        raise registry.make_format_error(path, DataError)
    named = {form.name for form in forms.values()}
    if len(named) > 1:
        raise UsageError(
            f"the folder holds files of several formats: {', '.join(sorted(named))}",
            path=path,
            remedy="name one of the files, or a folder of one format",
        )
    form = next(iter(forms.values()))
    kind, splits = BY_SCHEMA[form.schema].name, group_by_split(forms, path)
    return FoundCorpus(name, kind, splits, form.name, lang or "en", str(path))


def _open_build(path: Path, name: str, source: str) -> FoundCorpus:
    """Open a folder made by a builder, by its manifest."""
    made = manifest.read(path)
    splits = {
        NAMES.get(split, split): [path / f"{split}.jsonl"]
        for split, number in made.splits.items()
        if number
    }
    if not splits:
        raise DataError("this corpus is empty", path=path)
    form = native.BY_SCHEMA[made.schema]
    return FoundCorpus(name, BY_SCHEMA[made.schema].name, splits, form.name, made.lang, source)


def _open_catalogued(one: CatalogueEntry, files: dict[str, list[Path]], top: Path) -> FoundCorpus:
    """Open a corpus of the catalogue, given its files by split."""
    first = next(iter(files.values()))[0]
    suits, form = registry.candidates(first), registry.get_format(one.format)
    if suits and form not in suits:
        form = registry.detect_format(first)
    if "all" in files:
        above = os.path.commonpath([file.parent for file in files["all"]])
        splits = group_by_split(files["all"], Path(above))
        if "all" in splits:
            return _read_unsplit(one.name, files["all"], form, one.lang, f"below {top}")
        files = splits
    return FoundCorpus(one.name, one.kind, files, form.name, one.lang, f"below {top}")


def _read_unsplit(
    name: str, paths: list[Path], form: Format, lang: str, source: str
) -> FoundCorpus:
    """Open files without split names as one corpus; event mentions may name their splits."""
    kind = BY_SCHEMA[form.schema].name
    whole = FoundCorpus(name, kind, {"all": paths}, form.name, lang, source)
    if kind != "events":
        return whole
    rows = list(records(whole, "all"))
    found_here: dict[str | None, list[Record]] = {}
    for record in rows:
        found_here.setdefault(_own_split(record), []).append(record)
    rest = found_here.pop(None, [])
    if not found_here:
        return replace(whole, read={"all": rows})
    if rest:
        raise DataError(
            f"{len(rest):,} of {len(rows):,} mentions name no split, others name"
            f" {' and '.join(found_here)}",  # type: ignore[arg-type]
            path=paths[0],
            remedy="name the split of all of them, or of none",
        )
    read = {split: found_here[split] for split in SPLITS if split in found_here}
    return replace(whole, splits=dict.fromkeys(read, paths), split_source="records", read=read)


def _find_built(top: Path, name: str, lang: str | None) -> Path | None:
    """Find a corpus with a manifest, `name` or `name-LANG`, in a folder."""
    if not top.is_dir() or Path(name).name != name:
        return None
    free = name in BUILT or name not in entries()  # ontonotes-it is no ontonotes
    wanted = sorted(top.glob(f"{name}-{lang or '??'}")) if free else []
    there = [path for path in (top / name, *wanted) if (path / manifest.NAME).exists()]
    if len(there) > 1 and there[0] != top / name:
        raise UsageError(
            f"{name} was built in several languages: {', '.join(path.name for path in there)}",
            path=top,
            remedy="choose one with --lang",
        )
    return there[0] if there else None


def _make_missing_error(name: str, data_dir: Path, lang: str | None) -> UsageError:
    """Make the error for an unknown or missing corpus, with the way to get the corpus."""
    if name in BUILT:
        return UsageError(
            f"the corpus {name} is not in out/",
            remedy=f"build {name} --lang {lang or 'en'} makes it from the sample",
        )
    if Path(name).name != name:
        refuse_url_read(name)
        return UsageError(f"there is no file or folder {name}")
    one = entry(name)
    return UsageError(
        f"the corpus {name} is not in the folder {data_dir}: {one.get} {one.url}",
        remedy="name the folder that holds it with --data-dir",
    )


def find_corpora(
    names: str, *, data_dir: Path, lang: str | None = None, out: Path = Path("out")
) -> Sequence[FoundCorpus]:
    """Find the corpora of a comma-separated list. Raises `UsageError` for several kinds."""
    parts = [part.strip() for part in names.split(",") if part.strip()]
    if not parts:
        raise UsageError("no corpus is named", remedy="give a name or a path")
    all_of_them = [find_corpus(part, data_dir=data_dir, lang=lang, out=out) for part in parts]
    first, *more = all_of_them
    for other in more:
        if other.kind != first.kind:
            raise UsageError(
                f"{first.name} holds {first.holds}, but {other.name} holds {other.holds}",
                remedy="train on corpora of one kind at a time",
            )
        if [one.name for one in all_of_them].count(other.name) > 1:
            raise UsageError(f"two corpora are named {other.name}", path=other.source)
    return all_of_them
