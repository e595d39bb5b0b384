"""The Gun Violence Corpus as its makers give it: gold.conll, or verbose.conll with a column more.

1. A document opens with `#begin document (NAME);` and closes with `#end document`. A row between
   has tabs: the token's id, the token, its part (DCT, TITLE or BODY), the chain. verbose.conll has
   INCIDENT.EVENTTYPE.PARTICIPANT before the chain, `-` where there is nothing to say.
2. The id is `NAME.t1.2`: title or body, the sentence's number in it, the token's. The row of DCT is
   the day of publication, `meta["date"]`, and no word.
3. `NEWLINE` and tokens of white space are no words. The text is the whole document, its words with
   one space between; `meta["sentence"]` (from 0) with `meta["sentence_span"]` is the mention's.
4. The chain is `-`, `(12)`, or from `(12` to `12)`, with `12` on the words between, if anything.
   Several stand with `|` between. What closes without being open, or stays open: an error.
5. Chains hold across documents. Chain 0 says that a mention belongs to no chain, so that each is
   one of its own: `Singleton_` and its id, which is the document's name and the mention's number.
6. Of verbose.conll the mention's event type and `meta["topic"]`, the incident, are those that its
   first word says; the cell is kept as `meta["verbose"]`.
7. system_input.conll has no chains, and so no mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import EventMention, Meta, Source, Span

_BEGIN = re.compile(r"#begin document \((.*)\);\s*")
_END = re.compile(r"#end document\s*")
_ID = re.compile(r".+\.([a-z]+[0-9]+)\.[0-9]+")
_CHAIN = re.compile(r"(\()?([0-9]{1,18})(\))?")
_SUITS = re.compile(
    r"(?m)^#begin document \([^\n]*\);[ \r]*\n[^\t\n]+\t[^\t\n]*\t(DCT|TITLE|BODY)\t"
)
_PARTS = ("DCT", "TITLE", "BODY")


@dataclass
class _Named:
    """A mention as it is read: its chain, its line, its words [start, end), its verbose cell."""

    chain: str
    line: int
    verbose: str
    start: int
    end: int = -1


@dataclass
class _Document:
    """What has been read of a document; `bounds` has the span of each sentence by its id."""

    name: str
    line: int
    date: str = ""
    size: int = 0
    words: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    bounds: dict[str, Span] = field(default_factory=dict)
    mentions: list[_Named] = field(default_factory=list)

    def row(self, line: str, number: int) -> None:
        """Takes a row; raises `ValueError` by rules 1, 2 and 4."""
        cells = line.split("\t")
        if len(cells) not in (4, 5) or cells[2] not in _PARTS:
            raise ValueError(f"not an id, a token, DCT, TITLE or BODY, and a chain: {line[:40]!r}")
        if cells[2] == "DCT":
            self.date = cells[1]
            return
        word = " ".join(cells[1].split())
        before = len(self.words)
        if word and word != "NEWLINE":
            found = _ID.fullmatch(cells[0])
            if found is None:
                raise ValueError(f"the token's id is not as NAME.b1.2, but {cells[0][-40:]!r}")
            span = self.size, self.size + len(word)
            self.bounds[found[1]] = self.bounds.get(found[1], span)[0], span[1]
            self.words.append(word)
            self.spans.append(span)
            self.sentences.append(found[1])
            self.size = span[1] + 1
        if cells[-1].strip() != "-":
            verbose = cells[3] if len(cells) == 5 else ""
            for piece in cells[-1].strip().split("|"):
                self._bracket(piece, before, number, verbose)

    def _bracket(self, piece: str, before: int, number: int, verbose: str) -> None:
        found = _CHAIN.fullmatch(piece)
        if found is None:
            raise ValueError(f"{piece[:40]!r} is no chain")
        opens, chain, closes = found.groups()
        if opens:
            self.mentions.append(_Named(chain, number, verbose, before))
        for named in reversed(self.mentions):
            if named.chain == chain and named.end < 0:
                break
        else:
            raise ValueError(f"{piece} closes or goes on with what is not open")
        if closes:
            named.end = len(self.words)

    def records(self, lang: str, path: Path) -> Iterator[tuple[int, EventMention]]:
        """The mentions in the order in which they open."""
        order = {sentence: number for number, sentence in enumerate(self.bounds)}
        text = " ".join(self.words)
        for number, named in enumerate(self.mentions):
            if named.end <= named.start:
                what = "is not closed" if named.end < 0 else "has no words"
                raise DataError(f"({named.chain} {what}", path=path, line=named.line)
            sentence = self.sentences[named.start]
            meta: Meta = {
                "sentence": order[sentence],
                "sentence_span": list(self.bounds[sentence]),
            }
            if self.date:
                meta["date"] = self.date
            incident, _, rest = named.verbose.partition(".")
            if rest:
                meta |= {"topic": incident, "verbose": named.verbose}
            name = f"{self.name}_{number}"
            yield (
                named.line,
                EventMention(
                    id=name,
                    lang=lang,
                    text=text,
                    start=self.spans[named.start][0],
                    end=self.spans[named.end - 1][1],
                    cluster=f"Singleton_{name}" if int(named.chain) == 0 else named.chain,
                    cluster_title="",
                    event_type=rest.partition(".")[0],
                    infobox="",
                    source=Source(title=self.name, page_id=0),
                    meta=meta,
                ),
            )


def read(path: Path, lang: str = "en") -> Located:
    """Streams the mentions, a document in memory; raises `DataError` by rules 1, 2 and 4."""
    document: _Document | None = None
    for number, line in lines.read(path):
        begin = _BEGIN.fullmatch(line)
        if begin and document is None:
            document = _Document(begin[1], number)
        elif begin or not line.strip():
            if begin:
                raise DataError("a document begins in another", path=path, line=number)
        elif document is None:
            raise DataError(
                "a line outside a document",
                path=path,
                line=number,
                remedy="a line '#begin document (NAME);' opens one",
            )
        elif _END.fullmatch(line):
            yield from document.records(lang, path)
            document = None
        else:
            try:
                document.row(line, number)
            except ValueError as error:
                raise DataError(
                    str(error),
                    path=path,
                    line=number,
                    remedy="is it gold.conll or verbose.conll as it was downloaded?",
                ) from None
    if document is not None:
        raise DataError(
            f"cut off within document {document.name}",
            path=path,
            line=document.line,
            remedy="its '#end document' is missing; download the file again",
        )


FORMAT = Format(
    name="gvc",
    schema="event-mention/1",
    summary="the Gun Violence Corpus' gold.conll and verbose.conll",
    suffix=".gvc.conll",
    read=read,
    write=None,
    suits=lambda name, head: _SUITS.search(head) is not None,
)
