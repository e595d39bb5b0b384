"""CoNLL-2012 for masked examples: one document an example, one cluster a candidate.

1. A document opens with `#begin document (ID); part 000` and closes with `#end document`.
2. The comment `# masked RECORD` after it holds the record in the native JSON form, since columns
   have no place for white space, target and source. Scorers and readers of CoNLL skip comments.
3. Twelve columns separated by tabs: document, part, word number, form, and `-` for what a masked
   example does not have (part of speech, parse, lemma, frameset, sense, speaker), `*` for named
   entities, and the coreference brackets last.
4. The masked name stands in its place, in the cluster of the right candidate; a target without a
   label is a cluster of its own. A candidate named once is a cluster of one.
5. An empty line closes a sentence. White space within a token becomes `_`.
6. The reader takes the record of rule 2 and checks the columns against it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from corpora import jsonl
from corpora.atomic import replacing
from corpora.errors import DataError
from corpora.records import MaskedExample, Span

_WORD = re.compile(r"\w+|[^\w\s]")
_COMMENT = "# masked "


def _spans(example: MaskedExample) -> Iterator[tuple[int, Span]]:
    """Each mention with its cluster's number, the target included."""
    for candidate, start, end in example.mentions:
        yield candidate, (start, end)
    own = len(example.candidates)
    yield own if example.label is None else example.label, example.target


def _tokens(example: MaskedExample) -> list[Span]:
    """The example's own tokens, else words and signs, cut where a mention begins or ends."""
    if "tokens" in example.meta:
        return [(start, end) for start, end in example.meta["tokens"]]
    borders = sorted({border for _, span in _spans(example) for border in span})
    cuts = [0, *borders, len(example.text)]
    return [
        (match.start() + left, match.end() + left)
        for left, right in pairwise(cuts)
        for match in _WORD.finditer(example.text[left:right])
    ]


def _rows(example: MaskedExample) -> Iterator[str]:
    """The lines of the example's document, without their newlines."""
    tokens = _tokens(example)
    opens, closes = defaultdict(list), defaultdict(list)
    starts = {start: number for number, (start, _) in enumerate(tokens)}
    ends = {end: number for number, (_, end) in enumerate(tokens)}
    # Longer mentions first, so that brackets nest.
    for cluster, (start, end) in sorted(
        _spans(example), key=lambda item: (item[1][0], -item[1][1])
    ):
        if start not in starts or end not in ends:
            raise DataError(f"example {example.id}: mention [{start}, {end}) splits a token")
        opens[starts[start]].append((cluster, ends[end]))
        closes[ends[end]].append((cluster, starts[start]))
    sentence_ends = iter([*(end for _, end in example.sentences), len(example.text) + 1])
    sentence_end, number = next(sentence_ends), 0
    for index, (start, end) in enumerate(tokens):
        while start >= sentence_end:
            sentence_end = next(sentence_ends)
            if number:
                yield ""
            number = 0
        brackets = [f"({c})" if last == index else f"({c}" for c, last in opens[index]]
        brackets += [f"{c})" for c, first in reversed(closes[index]) if first != index]
        form = re.sub(r"\s", "_", example.text[start:end])
        blank = ["-"] * 6
        yield "\t".join(
            [example.id, "0", str(number), form, *blank, "*", "|".join(brackets) or "-"]
        )
        number += 1
    yield ""


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the examples, whole or not at all, and returns how many there were."""
    count = 0
    with replacing(path) as out:
        for example in examples:
            out.write(f"#begin document ({example.id}); part 000\n{_COMMENT}".encode())
            out.write(jsonl.dumps(example) + b"\n")
            out.write("".join(f"{row}\n" for row in _rows(example)).encode())
            out.write(b"#end document\n")
            count += 1
    return count


def read(path: Path) -> Iterator[MaskedExample]:
    """Streams the examples of a file; raises `DataError` where the columns contradict rule 2."""
    expected: Iterator[str] = iter(())
    example: MaskedExample | None = None
    number = 0
    with path.open(encoding="utf-8", newline="\n") as lines:
        for number, raw in enumerate(lines, 1):
            line = raw.removesuffix("\n").removesuffix("\r")
            if line.startswith("#begin document"):
                if example is not None:
                    raise DataError("a document opens in another", path=path, line=number)
            elif line.startswith(_COMMENT):
                example = jsonl.loads(
                    line.removeprefix(_COMMENT), MaskedExample, path=path, number=number
                )
                expected = _rows(example)
            elif line == "#end document":
                if example is None or next(expected, None) is not None:
                    raise DataError("the document ends too early", path=path, line=number)
                yield example
                example = None
            elif example is None:
                raise DataError(
                    "no '# masked' line before the words: not a file of masked examples",
                    path=path,
                    line=number,
                )
            elif line != next(expected, None):
                raise DataError(
                    "the columns do not agree with the '# masked' line", path=path, line=number
                )
    if example is not None:
        raise DataError("cut off within a document", path=path, line=number)
