"""The key and response files of the event scorers: a line for each mention, and no words.

1. One document: `#begin document (ECB+/ecbplus_all); part 000`, then the mentions, `#end document`.
2. A mention is the document's name, a tab and its cluster's number in brackets: `(12)`. Nothing
   says where it stands; the mentions of a key and a response are those of the same place.
3. Clusters are numbered from 0 as they first appear. The reader takes any whole number.
4. Several documents may follow each other; an empty line means nothing. The published files have
   no newline after the last `#end document`, and neither has ours.
   `a<TAB>12`, `a<TAB>(12`, `a<TAB>(1)|(2)` and `a<TAB>-` are errors.
5. Read, a mention is a sentence of one token `_`. The writer takes any document's mentions in the
   order of the text, the longer one first, and leaves its words out.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path

from corefmill.corpora import lines
from corefmill.corpora.atomic import replacing
from corefmill.corpora.errors import DataError
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import Document, Mention, Sentence, Token

_BEGIN = re.compile(r"#begin document \((.*)\); part ([0-9]{1,9})")
_MENTION = re.compile(r"(\S+)\t\(([0-9]+)\)")
_WORD = Sentence((Token("_"),))


def read(path: Path, lang: str) -> Located:
    """Streams the documents; raises `DataError` where a line is none of rules 1, 2 and 4."""
    begin: re.Match[str] | None = None
    first = mentions = number = 0
    clusters: dict[str, list[Mention]] = {}
    for number, line in lines.read(path):
        bare = line.rstrip()
        if opening := _BEGIN.fullmatch(bare):
            if begin:
                raise DataError("a document opens in another", path=path, line=number)
            begin, first, mentions, clusters = opening, number, 0, {}
        elif not bare:
            continue
        elif begin is None:
            raise DataError(
                "'#begin document (NAME); part 000' was expected", path=path, line=number
            )
        elif bare == "#end document":
            sentences, found = (_WORD,) * mentions, tuple(map(tuple, clusters.values()))
            yield first, Document(begin[1], int(begin[2]), lang, sentences, found)
            begin = None
        elif mention := _MENTION.fullmatch(bare):
            clusters.setdefault(mention[2].lstrip("0"), []).append(Mention(mentions, 0, 1))
            mentions += 1
        else:
            raise DataError(
                f"not a name, a tab and a cluster such as (12), but {line[:40]!r}",
                path=path,
                line=number,
            )
    if begin:
        raise DataError("cut off within a document", path=path, line=number)


def write(path: Path, documents: Iterable[Document]) -> int:
    """Writes the mentions of the documents; an id with white space gets `_` for it."""
    count = 0
    with replacing(path) as out:
        for document in documents:
            name = re.sub(r"\s", "_", document.doc_id) or "_"
            if "\0" in name:
                raise DataError(f"document {name!r}: a NUL byte in its name", path=path)
            rows = sorted(
                (mention.sentence, mention.start, -mention.end, number)
                for number, cluster in enumerate(document.clusters)
                for mention in cluster
            )
            out.write(b"\n" * bool(count))
            out.writelines(_lines(name, document.part, (cluster for *_, cluster in rows)))
            count += 1
    return count


def write_clusters(path: Path, name: str, clusters: Iterable[Hashable]) -> None:
    """Writes a document of this name, which has no white space: its mentions' clusters in order."""
    with replacing(path) as out:
        out.writelines(_lines(name, 0, clusters))


def _lines(name: str, part: int, clusters: Iterable[Hashable]) -> Iterator[bytes]:
    numbers: dict[Hashable, int] = {}
    yield f"#begin document ({name}); part {part:03}\n".encode()
    for cluster in clusters:
        yield f"{name}\t({numbers.setdefault(cluster, len(numbers))})\n".encode()
    yield b"#end document"


def _suits(name: str, head: str) -> bool:
    begin, _, rest = head.partition("\n")
    opened = _BEGIN.fullmatch(begin.rstrip())
    first = _MENTION.fullmatch(rest.partition("\n")[0].rstrip())
    # Any word may stand in the first of two columns of CoNLL.
    return opened is not None and first is not None and opened[1] == first[1]


FORMAT = Format(
    name="event-key",
    schema="document/1",
    summary="key or response of the event scorers: a cluster number a mention, and no words",
    suffix=".conll",
    read=read,
    write=write,
    suits=_suits,
)
