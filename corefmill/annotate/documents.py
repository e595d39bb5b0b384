"""Convert documents to a text with marked spans, as annotation tools hold it, and back to tokens.

1. The text has a sentence a line; blanks stand between tokens as the document says. A sentence
   without tokens has no line.
2. A zero mention is shown as a character of its own, `∅`, before the token that it stands before,
   so that it can be marked and linked. What else covers a ∅ means the words beside it.
3. A mention in pieces is marked as one span where the tool has no pieces, with the label
   `parts 3-4 6-7`: its tokens in the sentence, from 1. Where somebody moves it, the label is wrong
   and has to be cleared.
4. What comes back has to cover whole tokens of one sentence; blanks at its ends do no harm.
5. Only the clusters come back. Sentences, tokens and all the rest are the corpus's own, so that
   nothing is lost that a tool cannot hold; what the corpus says of clusters beside them is not
   touched.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path

from corefmill.corpora import find
from corefmill.corpora.files.errors import DataError, UsageError, naming
from corefmill.corpora.records import Document, Mention

ZERO = "∅"
_PARTS = re.compile(r"parts( [1-9]\d{0,5}-[1-9]\d{0,5}){2,1000}")


@dataclass(frozen=True, slots=True)
class ToolMention:
    """A mention as a span of the text, in characters, with its label (rule 3).

    `where` is the line in the tool's file, None for a mention of the corpus.
    """

    start: int
    end: int
    label: str = ""
    where: int | None = None


@dataclass(frozen=True, slots=True)
class TextUnit:
    """A token, or the ∅ of a zero mention, in the text: `token` is its index in its sentence."""

    start: int
    end: int
    sentence: int
    token: int
    zero: bool = False


@dataclass(frozen=True)
class PlainDocument:
    """A document of a corpus with its text (rules 1 and 2); `number` counts in the corpus from 1.

    Files are named by the number, never by what the document is called.
    """

    number: int
    split: str
    document: Document
    text: str
    units: tuple[TextUnit, ...]

    @property
    def name(self) -> str:
        """The name of its files, without their ending."""
        return f"{self.number:04d}"

    @property
    def document_id(self) -> str:
        """The id of its item in a round."""
        return f"{self.document.doc_id}/{self.document.part}"

    @property
    def sentences(self) -> Iterator[tuple[TextUnit, ...]]:
        """The units of each sentence, without empty ones."""
        for _, units in groupby(self.units, lambda unit: unit.sentence):
            yield tuple(units)

    @cached_property
    def marked(self) -> list[list[ToolMention]]:
        """The clusters; raises `ValueError` for a mention with foreign pieces."""
        clusters = []
        own = self.document.clusters
        for cluster, found in zip(own, self.places(own), strict=True):
            made = []
            for mention, places in zip(cluster, found, strict=True):
                start, end = self.units[places[0][0]].start, self.units[places[-1][1] - 1].end
                label = " ".join(f"{first + 1}-{last}" for first, last in mention.parts)
                made.append(ToolMention(start, end, f"parts {label}" * (len(places) > 1)))
            clusters.append(made)
        return clusters

    def places(
        self, clusters: Iterable[Sequence[Mention]]
    ) -> Iterator[list[tuple[tuple[int, int], ...]]]:
        """Find the units of each mention, in half-open pieces; a zero mention takes the next ∅.

        Raises `ValueError` as `marked` does.
        """
        # The units by sentence and token; of several ∅ before one token each is taken once, in the
        # order in which `make_plain` wrote them.
        tokens: dict[tuple[int, int], int] = {}
        zeros: dict[tuple[int, int], list[int]] = {}
        for number, unit in enumerate(self.units):
            place = unit.sentence, unit.token
            if unit.zero:
                zeros.setdefault(place, []).append(number)
            else:
                tokens[place] = number
        for cluster in clusters:
            found: list[tuple[tuple[int, int], ...]] = []
            for mention in cluster:
                if mention.zero:
                    at = zeros[mention.sentence, mention.start].pop(0)
                    found.append(((at, at + 1),))
                    continue
                parts = mention.parts or ((mention.start, mention.end),)
                flat = [place for part in parts for place in part]
                apart = all(left[1] <= right[0] for left, right in pairwise(parts))
                if not apart or (flat[0], flat[-1]) != (mention.start, mention.end):
                    shown = list(map(list, parts))
                    raise ValueError(f"the parts {shown} overlap, or do not span the mention")
                own = [
                    (tokens[mention.sentence, a], tokens[mention.sentence, b - 1]) for a, b in parts
                ]
                found.append(tuple((first, last + 1) for first, last in own))
            yield found

    def find_mention(self, start: int, end: int, label: str = "") -> Mention:
        """Find the mention of a span with its label; raise `ValueError` as rules 3 and 4 say."""
        covered = self._covered_units(start, end)
        sentence = covered[0].sentence
        words = [unit.token for unit in covered if not unit.zero]
        if not words:
            if len(covered) > 1:
                raise ValueError(f"the mention covers {len(covered)} omitted words, not one")
            return Mention(sentence, covered[0].token, covered[0].token, zero=True)
        first, last = words[0], words[-1] + 1
        if not label.startswith("parts"):
            return Mention(sentence, first, last)
        if not _PARTS.fullmatch(label):
            raise ValueError(
                f"the label {label[:40]!r} is not of the form parts 1-2 4-5: correct or clear it"
            )
        bounds = (one.split("-") for one in label.split()[1:])
        parts = tuple((int(left) - 1, int(right)) for left, right in bounds)
        # A label outlives the border that a rater moved: its parts have to be this span's own.
        apart = all(left[1] <= right[0] for left, right in pairwise(parts))
        whole = all(left < right for left, right in parts)
        if not apart or not whole or (parts[0][0], parts[-1][1]) != (first, last):
            raise ValueError(
                f"the label {label[:40]!r} does not fit the mention's words: correct or clear it"
            )
        return Mention(sentence, first, last, parts=parts)

    def _covered_units(self, start: int, end: int) -> list[TextUnit]:
        """List the units of a span; raise `ValueError` as rule 4 says."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(
                f"the span [{start}, {end}) is empty or outside the text of {len(self.text)}"
            )
        # Of the units that begin before the span only the last can reach into it.
        first = max(0, bisect_right(self.units, start, key=lambda unit: unit.start) - 1)
        found = []
        for unit in self.units[first:]:
            if unit.start >= end:
                break
            if unit.end <= start:
                continue
            if unit.start < start or unit.end > end:
                word = self.text[unit.start : unit.end]
                raise ValueError(f"the mention cuts the token {word[:40]!r}: mark whole tokens")
            found.append(unit)
        if not found:
            raise ValueError("the mention covers no token")
        if found[0].sentence != found[-1].sentence:
            raise ValueError("the mention crosses the end of a sentence")
        return found


@dataclass
class ReadChains:
    """One rater's chains of one document, as a tool's file has them.

    `left_out` counts by kind the other annotations, which are not read.
    """

    number: int
    rater: str
    text: str
    clusters: list[list[ToolMention]]
    left_out: Counter[str] = field(default_factory=Counter)


def make_plain(number: int, split: str, document: Document) -> PlainDocument:
    """Write the text of a document; raise `ValueError` for an empty or unprintable token."""
    waiting: Counter[tuple[int, int]] = Counter(
        (mention.sentence, mention.start)
        for cluster in document.clusters
        for mention in cluster
        if mention.zero
    )
    pieces: list[str] = []
    units: list[TextUnit] = []
    at = 0
    for index, sentence in enumerate(document.sentences):
        count = len(sentence.tokens)
        line: list[tuple[str, bool, int, bool]] = []  # form, blank behind it, token, zero
        for place in range(count + 1):
            line += [(ZERO, True, place, True)] * waiting[index, place]
            if place < count:
                token = sentence.tokens[place]
                line.append((token.form, token.space_after, place, False))
        for number_in_line, (form, blank, place, zero) in enumerate(line):
            if not form:
                raise ValueError(f"token {place + 1} of sentence {index + 1} is empty")
            units.append(TextUnit(at, at + len(form), index, place, zero))
            last = number_in_line == len(line) - 1
            piece = form + ("\n" if last else " " * blank)
            pieces.append(piece)
            at += len(piece)
    text = "".join(pieces).removesuffix("\n")
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("a token holds a NUL or half a surrogate pair, which no tool can store")
    return PlainDocument(number, split, document, text, tuple(units))


def read_documents(corpus: Path) -> Iterator[PlainDocument]:
    """Read the documents of a corpus, numbered over all splits; those without words are left out.

    Raises `UsageError` for a corpus of other records, `DataError` for a document that is not text.
    """
    found = find.open_corpus(corpus)
    if found.kind != "documents":
        raise UsageError(
            f"clusters can be corrected only in documents; this corpus holds {found.holds}",
            path=corpus,
            remedy="ask questions about other records, without --chains or inception",
        )
    number = 0
    for split in found.splits:
        for path, line, record in find.read_placed(found, split):
            assert isinstance(record, Document)  # `kind` has said so
            number += 1
            with naming(path, line):
                made = make_plain(number, split, record)
                made.marked  # noqa: B018  # is made here, where its fault has a place
            if made.units:
                yield made


def apply_chains(own: PlainDocument, read: ReadChains, path: Path) -> Document:
    """Replace the clusters of a document; raise `DataError` with the file's line for bad ones."""
    if read.text != own.text:
        pairs = enumerate(zip(read.text, own.text, strict=False))
        shorter = min(len(read.text), len(own.text))
        at = next((place for place, (one, other) in pairs if one != other), shorter)
        raise DataError(
            f"the text differs from document {own.number} of the corpus: at character {at + 1}"
            f" {read.text[at : at + 20]!r}, not {own.text[at : at + 20]!r}",
            path=path,
            remedy="name the corpus of the export, and keep the names of its files",
        )
    clusters = []
    for cluster in read.clusters:
        mentions = []
        for marked in cluster:
            try:
                mention = own.find_mention(marked.start, marked.end, marked.label)
            except ValueError as error:
                span = marked.start, marked.end
                raise DataError(
                    f"the mention {span}: {error}", path=path, line=marked.where
                ) from None
            mentions.append(mention)
        clusters.append(tuple(mentions))
    return replace(own.document, clusters=tuple(clusters))
