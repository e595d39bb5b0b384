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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path

from corefmill.corpora import find
from corefmill.corpora.files.errors import DataError, UsageError, naming
from corefmill.corpora.records import Document, Mention, Span

ZERO = "∅"
_PARTS = re.compile(r"parts( [1-9]\d{0,5}-[1-9]\d{0,5}){2,1000}")


@dataclass(frozen=True, slots=True)
class ToolMention:
    """A mention as pieces of the text, in characters; `label` as rule 3 has it.

    `where` is the line that it was read from, where the tool has lines.
    """

    pieces: tuple[Span, ...]
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
                pieces = tuple((self.units[a].start, self.units[b - 1].end) for a, b in places)
                label = " ".join(f"{start + 1}-{end}" for start, end in mention.parts)
                made.append(ToolMention(pieces, f"parts {label}" if len(pieces) > 1 else ""))
            clusters.append(made)
        return clusters

    def places(
        self, clusters: Iterable[Sequence[Mention]]
    ) -> Iterator[list[tuple[tuple[int, int], ...]]]:
        """Find the units of each mention, in half-open pieces; a zero mention takes the next ∅.

        Raises `ValueError` as `marked` does.
        """
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
                _check_parts(mention, parts)
                own = [
                    (tokens[mention.sentence, a], tokens[mention.sentence, b - 1]) for a, b in parts
                ]
                found.append(tuple((first, last + 1) for first, last in own))
            yield found

    def mention(self, marked: ToolMention) -> Mention:
        """Find the mention of a tool's span; raise `ValueError` as rule 4 says."""
        found = [self._covered_units(piece) for piece in marked.pieces]
        if len(found) == 1 and all(unit.zero for unit in found[0]):
            if len(found[0]) > 1:
                raise ValueError(f"it covers {len(found[0])} omitted words")
            (unit,) = found[0]
            return Mention(unit.sentence, unit.token, unit.token, zero=True)
        parts: list[Span] = []
        for covered in found:
            own = [unit.token for unit in covered if not unit.zero]
            if not own:
                raise ValueError("a piece of it covers omitted words only")
            parts.append((own[0], own[-1] + 1))
        sentence = found[0][0].sentence
        if any(covered[0].sentence != sentence for covered in found):
            raise ValueError("it reaches over the end of a sentence")
        parts.sort()
        if (label := marked.label).startswith("parts"):  # rule 3
            if not _PARTS.fullmatch(label):
                raise ValueError(
                    f"the label {label[:40]!r} is no parts 1-2 4-5: correct or clear it"
                )
            bounds = (one.split("-") for one in label.split()[1:])
            said = [(int(first) - 1, int(last)) for first, last in bounds]
            ends = parts[0][0], parts[-1][1]
            if (said[0][0], said[-1][1]) != ends or any(a >= b for a, b in said):
                raise ValueError(
                    f"the label {label[:40]!r} is not of these words: correct or clear it"
                )
            parts = said
        made = Mention(
            sentence,
            parts[0][0],
            parts[-1][1],
            parts=tuple(parts) if len(parts) > 1 else (),
        )
        _check_parts(made, parts)
        return made

    def _covered_units(self, piece: Span) -> list[TextUnit]:
        start, end = piece
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is empty or outside the text of {len(self.text)}")
        first = max(0, bisect_right(self.units, start, key=lambda unit: unit.start) - 1)
        found = []
        for unit in self.units[first:]:
            if unit.start >= end:
                break
            if unit.end <= start:
                continue
            if unit.start < start or unit.end > end:
                word = self.text[unit.start : unit.end]
                raise ValueError(f"it cuts the token {word[:40]!r}: mark whole tokens")
            found.append(unit)
        if not found:
            raise ValueError("it covers no token")
        if found[0].sentence != found[-1].sentence:
            raise ValueError("it reaches over the end of a sentence")
        return found


def _check_parts(mention: Mention, parts: Sequence[Span]) -> None:
    flat = [mention.start, *(place for part in parts for place in part), mention.end]
    apart = all(left[1] <= right[0] for left, right in pairwise(parts))
    if not apart or flat[0] != flat[1] or flat[-1] != flat[-2]:
        shown = list(map(list, parts))
        raise ValueError(f"the parts {shown} are not apart, or not the mention's")


@dataclass
class ReadChains:
    """One rater's chains of one document, as a tool's file has them.

    `left_out` counts by kind the annotations that are no chains and are not read.
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
        raise ValueError("a NUL or half a surrogate pair, which no tool can hold")
    return PlainDocument(number, split, document, text, tuple(units))


def read_documents(corpus: Path) -> Iterator[PlainDocument]:
    """Read the documents of a corpus, numbered over all splits; those without words are left out.

    Raises `UsageError` for a corpus of other records, `DataError` for a document that is no text.
    """
    found = find.at(corpus)
    if found.kind != "documents":
        raise UsageError(
            f"chains are of documents, and these are {found.holds}",
            path=corpus,
            remedy="without --chains or --task they are asked about by questions",
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
            f"its text is not that of document {own.number} of the corpus: at character {at + 1}"
            f" {read.text[at : at + 20]!r}, not {own.text[at : at + 20]!r}",
            path=path,
            remedy="was it exported from this very corpus, and its name kept?",
        )
    clusters = []
    for cluster in read.clusters:
        mentions = []
        for marked in cluster:
            try:
                mention = own.mention(marked)
            except ValueError as error:
                raise DataError(
                    f"the mention {marked.pieces[0]}: {error}", path=path, line=marked.where
                ) from None
            mentions.append(mention)
        clusters.append(tuple(mentions))
    return replace(own.document, clusters=tuple(clusters))


_NUMBER = re.compile(r"(\d{4,9})(?:\..*)?")


def parse_file_name(path: Path) -> tuple[int, str]:
    """Parse the document's number and the rater from the names of a file and its folder.

    `0007.tsv` is of document 7; so is `0007.tsv/ann.tsv`, INCEpTION's way, by the rater ann. Raises
    `DataError` for a name without a number.
    """
    if found := _NUMBER.fullmatch(path.name):
        return int(found[1]), ""
    if found := _NUMBER.fullmatch(path.absolute().parent.name):
        return int(found[1]), path.stem
    raise DataError(
        "its name does not say which document it is of",
        path=path,
        remedy="keep the names that export gave, such as 0007",
    )


def join_links(
    mentions: Mapping[str, ToolMention], links: Iterable[tuple[str, str]]
) -> list[list[ToolMention]]:
    """Join linked mentions into clusters, in the order of the mentions."""
    above = {name: name for name in mentions}

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for first, other in links:
        above[top(other)] = top(first)
    clusters: dict[str, list[ToolMention]] = {}
    for name, mention in mentions.items():
        clusters.setdefault(top(name), []).append(mention)
    return list(clusters.values())
