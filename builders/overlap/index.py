"""An index of sentences on disk, made by tantivy from the paragraphs of a run, resumable."""

from __future__ import annotations

import json
import shutil
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import accumulate, pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corefmill.builders.overlap.query import Query
from corefmill.builders.overlap.tokens import TokenFiles, TokenWriter
from corefmill.builders.overlap.words import ANALYZERS, Analyzer, forms
from corefmill.corpora import disk
from corefmill.corpora.atomic import ensure_folder, sync_files, write_whole
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.installation import install_command

if TYPE_CHECKING:
    import tantivy

CARD = "index.json"
_FOLDER = "tantivy"
_HEAP = 128 << 20  # bytes
_COMMIT = 500_000  # sentences
_FEW, _MORE = 1024, 16
_RARE = 100  # sentences with a word
_WORDS, _NUMBER = "words", "number"
_decoded = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of paragraphs, with the number of its sentences."""

    path: Path
    sentences: int


@dataclass(frozen=True, slots=True)
class IndexCard:
    """What an index states of itself; `words` are those of all its sentences."""

    mode: str
    sentences: int
    words: int


def need_tantivy() -> None:
    """Raises `UsageError` where tantivy is not installed."""
    if find_spec("tantivy") is None:
        raise UsageError(
            "the index needs tantivy, not installed here", remedy=install_command("overlap")
        )


def build(
    folder: Path, shards: Sequence[Shard], about: IndexCard, advance: Callable[[int], None]
) -> None:
    """Indexes the sentences of the shards, in their order; `advance` gets how many, as they come.

    What is committed ends where a shard ends, so that the size of an index whose making was
    killed says which shards it has; the card, written last, makes it whole.
    """
    import tantivy

    place = folder / _FOLDER
    borders = [0, *accumulate(shard.sentences for shard in shards)]
    done, tokens = _begun(folder, place, borders)
    analyzer = ANALYZERS[about.mode]
    committed, size = done, 0
    advance(done)
    with closing(tokens), disk.plain_names([place]) as (name,):
        writer = tantivy.Index(_schema(), path=name).writer(_HEAP, 1)
        for shard, (first, last) in zip(shards, pairwise(borders), strict=True):
            before, size = size, size + shard.path.stat().st_size
            if last <= done:
                continue
            _add(shard, analyzer, writer, tokens, first=first, begins=before)
            advance(last - first)
            if last - committed >= _COMMIT:
                tokens.flush()
                writer.commit()
                committed = last
        tokens.flush()
        writer.commit()
        writer.wait_merging_threads()
    sync_files(place)  # before the card is
    write_whole(folder / CARD, json.dumps(asdict(about)))


def _begun(folder: Path, place: Path, borders: Sequence[int]) -> tuple[int, TokenWriter]:
    """How many sentences are in the index already, and the writer of their tokens. What does not
    end at one of the borders, where a shard ends, is removed."""
    done = _committed(place)
    try:
        tokens = TokenWriter(folder, done if done in borders else 0)
    except ValueError:
        done, tokens = -1, TokenWriter(folder, 0)
    if done not in borders:
        shutil.rmtree(place)
        done = 0
    ensure_folder(place)
    return done, tokens


def _add(
    shard: Shard,
    analyzer: Analyzer,
    writer: tantivy.IndexWriter,
    tokens: TokenWriter,
    *,
    first: int,
    begins: int,
) -> None:
    """Indexes the sentences of a shard: `first` is the number of its first one, and `begins` how
    many bytes the shards before it have."""
    import tantivy

    number = first
    for offset, sentences in _paragraphs(shard.path):
        for inner, sentence in enumerate(sentences):
            words = forms(analyzer, sentence)
            document = tantivy.Document()
            document.add_text(_WORDS, " ".join(words))
            document.add_unsigned(_NUMBER, number)
            writer.add_document(document)
            tokens.add(words, begins + offset, inner)
            number += 1
    if number - first != shard.sentences:
        raise DataError(
            f"{number - first:,} sentences, and not {shard.sentences:,}",
            path=shard.path,
            remedy="remove that folder and start again",
        )


def _paragraphs(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Where each line of a shard begins, in bytes, and its sentences."""
    offset = 0
    with path.open("rb") as file:
        for line in file:
            yield offset, json.loads(line)["sentences"]
            offset += len(line)


def _committed(place: Path) -> int:
    """How many sentences an index has, -1 where there is something else."""
    import tantivy

    if not place.exists():
        return 0
    try:
        with disk.plain_names([place]) as (name,):
            if not tantivy.Index.exists(name):
                return -1
            return int(tantivy.Index.open(name).searcher().num_docs)
    except (ValueError, OSError):  # what tantivy says of files that are not whole
        return -1


def _schema() -> tantivy.Schema:
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_text_field(_WORDS, tokenizer_name="whitespace", index_option="position")
    schema.add_unsigned_field(_NUMBER, fast=True)
    return schema.build()


class SentenceIndex:
    """A finished index, for searching. Raises `DataError` where it is not whole."""

    def __init__(self, folder: Path, shards: Sequence[Shard]) -> None:
        """`shards` are those that it was made of; texts are read from them."""
        import tantivy

        about = card(folder)
        if about is None:
            raise DataError("no finished index here", path=folder)
        try:
            with disk.plain_names([folder / _FOLDER]) as (name,):
                index = tantivy.Index.open(name)
                self._searcher = index.searcher()
        except (ValueError, OSError) as error:
            raise _broken(folder, str(error)) from None
        self._schema = index.schema
        self._frequencies: dict[str, int] = {}
        self.about = about
        if self._searcher.num_docs != about.sentences:
            raise _broken(folder, f"{self._searcher.num_docs:,} sentences are here")
        self.tokens = TokenFiles.open(folder, about.sentences, about.words)
        self._shards = shards
        self._mapped: dict[int, mmap] = {}
        self._begins = [0, *accumulate(shard.path.stat().st_size for shard in shards)]

    @property
    def sentences(self) -> int:
        """How many there are."""
        return self.about.sentences

    @property
    def words(self) -> int:
        """How many they have together."""
        return self.about.words

    def frequency(self, word: str) -> int:
        """In how many sentences a word stands."""
        known = self._frequencies.get(word)
        if known is None:
            known = self._frequencies[word] = self._searcher.doc_freq(_WORDS, word)
        return known

    def candidates(self, query: Query) -> NDArray[np.int64]:
        """Sentences in which words of the phrase stand near the next, in either order.

        Tantivy's slop knows no order and counts moves; two words at most `slop` apart in the right
        order are within a slop of that. Order and distance are the caller's to check, and the rest
        of the query, too, where a word is so rare that more postings would take longer.
        """
        import tantivy

        rarest = min(query.phrase, key=self.frequency)
        most = self.frequency(rarest)
        if not most:
            return np.empty(0, dtype=np.int64)
        ask, must, should = tantivy.Query, tantivy.Occur.Must, tantivy.Occur.Should
        pairs = [pair for pair in dict.fromkeys(pairwise(query.phrase)) if pair[0] != pair[1]]
        if most <= _RARE:
            pairs = [pair for pair in pairs if rarest in pair][:1]
        parts = [
            ask.phrase_query(self._schema, _WORDS, [one, other], query.slop) for one, other in pairs
        ] or [self._term(query.phrase[0])]
        if most > _RARE and query.needs_content:
            content = [(should, self._term(word)) for word in query.content]
            parts.append(ask.boolean_query(content))
        asked = parts[0]
        if len(parts) > 1:
            asked = ask.boolean_query([(must, part) for part in parts])
        return np.array(self._numbers(asked, most), dtype=np.int64)

    def _term(self, word: str) -> tantivy.Query:
        import tantivy

        return tantivy.Query.term_query(self._schema, _WORDS, word)

    def _numbers(self, query: tantivy.Query, most: int) -> list[int]:
        """Of all sentences that tantivy finds, which are `most` at most."""
        limit = min(_FEW, most)
        while len(found := self._ordered(query, limit)) == limit < most:
            limit *= _MORE  # tantivy takes memory for the limit, not for what it finds
        return found

    def text(self, number: int) -> tuple[str, str]:
        """The title over a sentence, and the sentence. Raises `DataError` where it has gone."""
        offset, place = self.tokens.place(number)
        shard = bisect_right(self._begins, offset) - 1
        offset -= self._begins[shard]
        try:
            lines = self._lines(shard)
            record, _ = _decoded(str(lines[offset : lines.find(b"\n", offset)], "utf-8"))
            return record["title"], record["sentences"][place]
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise _broken(self._shards[shard].path, str(error)) from None

    def _lines(self, shard: int) -> mmap:
        """The bytes of a shard, mapped as long as the index is in use."""
        known = self._mapped.get(shard)
        if known is None:
            with self._shards[shard].path.open("rb") as file:
                known = self._mapped[shard] = mmap(file.fileno(), 0, access=ACCESS_READ)
        return known

    def _ordered(self, query: tantivy.Query, limit: int) -> list[int]:
        import tantivy

        found = self._searcher.search(
            query, limit=limit, count=False, order_by_field=_NUMBER, order=tantivy.Order.Asc
        )
        return [number for number, _ in found.hits]


def card(folder: Path) -> IndexCard | None:
    """What a finished index states of itself; None where there is none."""
    try:
        return IndexCard(**json.loads((folder / CARD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _broken(folder: Path, why: str) -> DataError:
    return DataError(
        f"this index is broken: {why}", path=folder, remedy="remove that folder and start again"
    )
