"""CoNLL-2012 for masked examples: one document an example, one cluster a candidate.

1. A document opens with `#begin document (ID); part 000` and closes with `#end document`. White
   space within an ID becomes `_`.
2. The comment `# masked RECORD` after it holds the record in the native JSON form, since columns
   have no place for white space, target and source. Scorers and readers of CoNLL skip comments.
3. Twelve columns separated by tabs: document, part, word number, form, and `-` for what a masked
   example does not have (part of speech, parse, lemma, frameset, sense, speaker), `*` for named
   entities, and the coreference brackets last.
4. The masked name stands in its place, in the cluster of the right candidate; a target without a
   label is a cluster of its own. A candidate named once is a cluster of one.
   Brackets cannot carry a span that is named twice, two mentions of one candidate that cross, or
   a mention that reaches over the end of a sentence: the writer raises.
5. An empty line closes a sentence. White space and NUL within a token become `_`.
6. The reader takes the record of rule 2 and checks the columns against it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.formats import brackets
from corefmill.corpora.formats.brackets import BracketError, begin_line
from corefmill.corpora.formats.form import Format, Located, naming_record, write_records
from corefmill.corpora.records import MaskedExample, Span
from corefmill.corpora.words import cut

_COMMENT = "# masked "
_NO_WORD = re.compile(r"[\s\0]")


def list_spans(example: MaskedExample) -> Iterator[tuple[int, Span]]:
    """List the mentions of an example, target included, each with its cluster's index."""
    for candidate, start, end in example.mentions:
        yield candidate, (start, end)
    own = len(example.candidates)
    yield own if example.label is None else example.label, example.target


def cut_words(example: MaskedExample) -> Sequence[Span]:
    """Return an example's own tokens, else its words and punctuation, cut at mentions' borders."""
    if "tokens" in example.meta:
        return example.tokens
    return cut(example.text, (border for _, span in list_spans(example) for border in span))


def _make_brackets(
    example: MaskedExample, tokens: Sequence[Span], sentence_of: Sequence[int]
) -> list[str]:
    """Make the bracket column. Raises `ValueError` for mentions it cannot carry (rule 4 above)."""
    starts = {start: number for number, (start, _) in enumerate(tokens)}
    ends = {end: number for number, (_, end) in enumerate(tokens)}
    mentions = []
    for cluster, (start, end) in list_spans(example):
        if start not in starts or end not in ends:
            raise ValueError(f"mention [{start}, {end}) splits a token")
        if sentence_of[starts[start]] != sentence_of[ends[end]]:
            raise ValueError(f"mention [{start}, {end}) reaches over the end of a sentence")
        mentions.append((str(cluster), starts[start], ends[end] + 1))
    try:
        return brackets.make(mentions, len(tokens))
    except BracketError as error:
        start, end = tokens[error.start][0], tokens[error.end - 1][1]
        raise ValueError(f"mention [{start}, {end}) {error.problem}") from None


def _lines(example: MaskedExample) -> list[str]:
    """Make the lines of the example's document between its comment and its end."""
    tokens = cut_words(example)
    sentence_ends = [end for _, end in example.sentences]
    sentence_of = [bisect_right(sentence_ends, start) for start, _ in tokens]
    # Each character stands for itself or for another one, so that offsets stay.
    name, text = _one_word(example.id), _one_word(example.text)
    found: list[str] = []
    number = 0
    cells = _make_brackets(example, tokens, sentence_of)
    before = sentence_of[0] if sentence_of else 0
    for (start, end), own, cell in zip(tokens, sentence_of, cells, strict=True):
        if own != before:
            found.append("")
            number, before = 0, own
        found.append(f"{name}\t0\t{number}\t{text[start:end]}\t-\t-\t-\t-\t-\t-\t*\t{cell}")
        number += 1
    found.append("")
    return found


def _one_word(text: str) -> str:
    return _NO_WORD.sub("_", text)


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Write the examples, whole or not at all, and return their number.

    Raises `DataError` for an example whose mentions brackets cannot carry (rule 4).
    """

    def encode(example: MaskedExample) -> bytes:
        made = "\n".join([*_lines(example), "#end document\n"])
        begin = f"{begin_line(_one_word(example.id), 0)}\n{_COMMENT}"
        return begin.encode() + jsonl.dumps(example) + b"\n" + made.encode()

    return write_records(path, examples, encode, None)


def read(path: Path, lang: str = "") -> Located:
    """Stream the examples with the lines of their documents; their language is their own.

    Raises `DataError` where the columns contradict rule 2.
    """
    expected: Iterator[str] = iter(())
    example: MaskedExample | None = None
    begin: str | None = None
    number = first = 0
    for number, line in disk.read_lines(path):
        if line.startswith("#begin document"):
            if begin is not None:
                raise DataError("a document opens in another", path=path, line=number)
            begin, first = line, number
        elif example is None:
            if begin is None or not line.startswith(_COMMENT):
                raise DataError(
                    "no '# masked' line at the document's begin: not a file of masked examples",
                    path=path,
                    line=number,
                )
            example = jsonl.loads(
                line.removeprefix(_COMMENT), MaskedExample, path=path, number=number
            )
            if begin != begin_line(_one_word(example.id), 0):
                raise DataError(
                    "the document's name is not that of its '# masked' line",
                    path=path,
                    line=number,
                )
            with naming_record(example, path, None, number):
                expected = iter(_lines(example))
        elif line == "#end document":
            if next(expected, None) is not None:
                raise DataError("the document ends too early", path=path, line=number)
            yield first, example
            example = begin = None
        elif line != next(expected, None):
            raise DataError(
                "the columns do not agree with the '# masked' line", path=path, line=number
            )
    if begin is not None:
        raise DataError("cut off within a document", path=path, line=number)


FORMAT = Format(
    name="masked-conll",
    schema="masked-example/1",
    summary="CoNLL-2012 with the masked example's record in a comment: nothing is lost",
    suffix=".conll",
    read=read,
    write=write,
    suits=lambda name, head: (
        head.startswith("#begin document") and head.partition("\n")[2].startswith(_COMMENT)
    ),
)
