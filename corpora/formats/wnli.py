"""WNLI: a premise with a pronoun, and a hypothesis that says what the pronoun means.

1. The header is `index sentence1 sentence2 label`, separated by tabs; the test set has no label.
2. The text is sentence1, the premise. The id is the index, `meta["hypothesis"]` is sentence2.
3. The hypothesis is cut from the premise, with a run of one to five other words in the pronoun's
   place: `It fell. The cup fell.` has `The cup` for `It`. The rest of it stands in the premise with
   one word between; upper and lower case are the same, and so are , . ? !
   Of several such runs those count that take a pronoun's place, if there are any; of these the
   shortest, and of those the last (in the hypothesis, then in the premise). The published reader
   asks for no pronoun: in `He hit the jar, and it broke. The jar broke.` it has `jar broke` for
   the premise's `jar`, since a comma is a full stop.
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

from corefmill.corpora.formats import tsv
from corefmill.corpora.formats.candidates import distinct, masked_example
from corefmill.corpora.formats.form import Format, Located
from corefmill.corpora.records import MaskedExample, Meta, Span

HEADER = ("index", "sentence1", "sentence2", "label")

_LONGEST_RUN = 5
_PRONOUNS = frozenset(
    {"he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"}
    | {"they", "them", "their", "theirs"}
)
_WORD = re.compile(r"['’]s\b|\w+(?:['’](?!s\b)\w+)*|[^\w\s]", re.IGNORECASE)


def read(path: Path, lang: str = "en") -> Located:
    """Streams the items with their lines; raises `DataError` where a rule is broken."""
    return tsv.examples(path, lambda cells: _example(cells, lang), HEADER, HEADER[:3])


def _example(cells: list[str], lang: str) -> MaskedExample:
    index, premise, hypothesis, *labels = cells
    if not premise.strip() or not hypothesis.strip():
        raise ValueError("a sentence is empty")
    if labels not in ([], ["0"], ["1"]):
        raise ValueError(f"label {labels[0][:20]!r} is neither 0 nor 1")
    meta: Meta = {"hypothesis": hypothesis}
    found = aligned(premise, hypothesis)
    if found is None:
        found, meta["aligned"] = ((0, len(premise)), (0, len(hypothesis))), False
    target, run = found
    return masked_example(
        index,
        lang,
        premise,
        target,
        distinct((hypothesis[slice(*run)], premise[slice(*target)])),
        1 - int(labels[0]) if labels else None,
        meta=meta,
    )


def aligned(premise: str, hypothesis: str) -> tuple[Span, Span] | None:
    """Rule 3: the word of the premise and the run of the hypothesis in its place."""
    ours, theirs = _words(premise), _words(hypothesis)
    found = [
        (word not in _PRONOUNS, length, -start, -place)
        for length in range(1, min(_LONGEST_RUN, len(theirs)) + 1)
        for start in range(len(theirs) - length + 1)
        for place, word in _places(
            [word for word, _ in ours],
            [word for word, _ in theirs[:start]],
            [word for word, _ in theirs[start + length :]],
        )
    ]
    if not found:
        return None
    _, length, start, place = min(found)
    run = theirs[-start : length - start]
    return ours[-place][1], (run[0][1][0], run[-1][1][1])


def _words(text: str) -> list[tuple[str, Span]]:
    return [
        ("." if match[0] in ",?!" else match[0].casefold(), match.span())
        for match in _WORD.finditer(text)
    ]


def _places(words: list[str], before: list[str], after: list[str]) -> Iterator[tuple[int, str]]:
    """The words that have `before` right before them and `after` right behind them."""
    if before or after:  # without them any word would do
        for place in range(len(before), len(words) - len(after)):
            if (
                words[place - len(before) : place] == before
                and words[place + 1 : place + 1 + len(after)] == after
            ):
                yield place, words[place]


def write(path: Path, examples: Iterable[MaskedExample]) -> int:
    """Writes the items and returns their number; raises `DataError` by rule 6."""
    rest = iter(examples)
    first = next(rest, None)
    labelled = first is None or first.label is not None
    whole = chain([] if first is None else [first], rest)
    head = HEADER if labelled else HEADER[:3]
    return tsv.write(path, head, whole, lambda example: [_cells(example, labelled)])


def _cells(example: MaskedExample, labelled: bool) -> list[str]:
    if (example.label is not None) != labelled:
        raise ValueError("some have a label and some have none")
    hypothesis = example.meta.get("hypothesis")
    if not isinstance(hypothesis, str):
        raise ValueError("its meta has no hypothesis")
    labels = [] if example.label is None else [str(1 - example.label)]
    cells = [example.id, example.text, hypothesis, *labels]
    again = _example(cells, example.lang)
    if (again.target, again.candidates) != (example.target, example.candidates):
        raise ValueError("its hypothesis says another target or candidates")
    return cells


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
    by_line=True,
)
