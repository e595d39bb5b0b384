"""WNLI: a premise with a pronoun, and a hypothesis that says what the pronoun means.

1. The header is `index sentence1 sentence2 label`, parted by tabs; the test set has no label.
2. The text is sentence1, the premise. The id is the index, `meta["hypothesis"]` is sentence2.
3. The hypothesis is cut from the premise, with some words in the pronoun's place. These are its
   shortest run of one to five words such that the rest, with one word of the premise in its place,
   stands in the premise: `It fell. The cup fell.` has `The cup` in place of `It`. Upper and lower
   case are the same, and so are the signs , . ? !; of two runs as short the later is taken, and
   of two places in the premise the first.
4. The target is that word of the premise. Candidate 0 is the run, as the hypothesis has it;
   candidate 1 is the target itself, which says: another than candidate 0.
   Label 1 of the file is label 0, label 0 is label 1, and a file without labels has None.
5. Where rule 3 finds nothing, the target is the whole premise and candidate 0 the whole hypothesis;
   `meta["aligned"]` is false. The published reader takes such items for label 0 of the file.
   Where hypothesis or run is the target's own string, candidate 1 ends in ` (2)`.
6. The writer writes what rules 3 to 5 would read as the same example, and refuses the rest. Either
   all examples have a label or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from corpora.errors import DataError
from corpora.formats import tsv
from corpora.formats.candidates import distinct
from corpora.formats.form import Format, Located
from corpora.records import MaskedExample, Meta, Source, Span

HEADER = ("index", "sentence1", "sentence2", "label")

_LONGEST_RUN = 5
_WORD = re.compile(r"['’]s\b|\w+(?:['’](?!s\b)\w+)*|[^\w\s]", re.IGNORECASE)


def read(path: Path, lang: str = "en") -> Located:
    """Streams the items with their lines; raises `DataError` where a rule is broken."""
    rows = tsv.read(path, HEADER, HEADER[:3])
    next(rows)
    for number, (index, premise, hypothesis, *labels) in rows:
        try:
            yield number, _example(index, premise, hypothesis, labels, lang)
        except ValueError as error:
            raise DataError(str(error), path=path, line=number) from None


def _example(
    index: str, premise: str, hypothesis: str, labels: list[str], lang: str
) -> MaskedExample:
    if not premise.strip() or not hypothesis.strip():
        raise ValueError("a sentence is empty")
    if labels not in ([], ["0"], ["1"]):
        raise ValueError(f"label {labels[0][:20]!r} is neither 0 nor 1")
    meta: Meta = {"hypothesis": hypothesis}
    found = aligned(premise, hypothesis)
    if found is None:
        found, meta["aligned"] = ((0, len(premise)), (0, len(hypothesis))), False
    target, run = found
    return MaskedExample(
        id=index,
        lang=lang,
        text=premise,
        sentences=((0, len(premise)),),
        target=target,
        candidates=distinct((hypothesis[slice(*run)], premise[slice(*target)])),
        mentions=(),
        label=1 - int(labels[0]) if labels else None,
        source=Source(title="", page_id=0),
        meta=meta,
    )


def aligned(premise: str, hypothesis: str) -> tuple[Span, Span] | None:
    """Rule 3: the word of the premise and the run of the hypothesis in its place."""
    ours, theirs = _words(premise), _words(hypothesis)
    for length in range(1, min(_LONGEST_RUN, len(theirs)) + 1):
        for start in range(len(theirs) - length, -1, -1):
            before, after = theirs[:start], theirs[start + length :]
            place = _place(
                [word for word, _ in ours], [w for w, _ in before], [w for w, _ in after]
            )
            if place is not None:
                return ours[place][1], (theirs[start][1][0], theirs[start + length - 1][1][1])
    return None


def _words(text: str) -> list[tuple[str, Span]]:
    return [
        ("." if match[0] in ",?!" else match[0].casefold(), match.span())
        for match in _WORD.finditer(text)
    ]


def _place(words: list[str], before: list[str], after: list[str]) -> int | None:
    """The first word that has `before` right before it and `after` right behind it."""
    if not before and not after:
        return None  # any word would do
    for place in range(len(before), len(words) - len(after)):
        if (
            words[place - len(before) : place] == before
            and words[place + 1 : place + 1 + len(after)] == after
        ):
            return place
    return None


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the items and returns their number; raises `DataError` by rule 6."""
    rest = iter(examples)
    first = next(rest, None)
    labelled = first is None or first.label is not None
    whole = chain([] if first is None else [first], rest)
    return tsv.write(path, HEADER if labelled else HEADER[:3], _rows(path, whole, labelled))


def _rows(
    path: Path, examples: Iterable[MaskedExample], labelled: bool
) -> Iterator[tuple[str, list[str]]]:
    for example in examples:
        if (example.label is not None) != labelled:
            raise tsv.cannot_carry(example.id, "some have a label and some have none", path)
        hypothesis = example.meta.get("hypothesis")
        if not isinstance(hypothesis, str):
            raise tsv.cannot_carry(example.id, "its meta has no hypothesis", path)
        labels = [] if example.label is None else [str(1 - example.label)]
        try:
            again = _example(example.id, example.text, hypothesis, labels, example.lang)
        except ValueError as error:
            raise tsv.cannot_carry(example.id, str(error), path) from None
        if (again.target, again.candidates) != (example.target, example.candidates):
            why = "its hypothesis says another target or candidates"
            raise tsv.cannot_carry(example.id, why, path)
        yield example.id, [example.id, example.text, hypothesis, *labels]


FORMAT = Format(
    name="wnli",
    schema="masked-example/1",
    summary="WNLI's table: a premise, and a hypothesis with the pronoun replaced",
    suffix=".tsv",
    read=read,
    write=write,
    suits=lambda name, head: (
        head.partition("\n")[0].rstrip("\r") in ("\t".join(HEADER), "\t".join(HEADER[:3]))
    ),
)
