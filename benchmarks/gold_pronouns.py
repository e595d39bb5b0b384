"""Pronouns of documents with gold coreference as masked examples: which of the names near it.

    python -m benchmarks.gold_pronouns out/gold-en --corpus litbank,ontogum --data-dir data

Of the train split (of a corpus without one, all but `--held-out` of its documents) each English
third person singular pronoun is taken before which, in its sentence and up to three more, two or
more names stand of which one is meant. OUT/train.jsonl has the examples.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from corefmill.corpora import find
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, MaskedExample, Source, Span

PRONOUNS = frozenset(["he", "him", "his", "himself", "she", "her", "hers", "herself"])
_OTHERS = """
i me my mine myself you your yours yourself we us our ours ourselves they them their theirs
themselves it its itself who whom whose which that this one the a an there here some no nobody
everyone someone
"""
NO_NAMES = PRONOUNS.union(_OTHERS.split())
SENTENCES, WORDS, LONGEST = 3, 110, 160  # before the pronoun's; words of these, and of all
NAME = 4  # words of a name at most

Place = tuple[int, int, int]
"""Sentence, first word and the word behind the last."""


def main() -> None:
    """Writes the examples and says how many they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--corpus", default="litbank,ontogum")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--held-out", type=float, default=0.1875)
    options = parser.parse_args()
    found: list[MaskedExample] = []
    for name in options.corpus.split(","):
        corpus = find.find_corpus(name, data_dir=options.data_dir)
        before = len(found)
        for document in find.records(
            find.hold_out_validation(corpus, options.held_out, 0), "train"
        ):
            assert isinstance(document, Document)
            found += examples(document)
        print(f"{name}: {len(found) - before:,} examples", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    jsonl.write(options.out / "train.jsonl", found)


def examples(document: Document) -> Iterator[MaskedExample]:
    """Those of a document, in order."""
    words = [[token.form for token in sentence.tokens] for sentence in document.sentences]
    within: dict[int, list[tuple[Place, int]]] = defaultdict(list)
    for number, cluster in enumerate(document.clusters):
        for one in cluster:
            if not one.zero:
                within[one.sentence].append(((one.sentence, one.start, one.end), number))
    for at, own in enumerate(words):
        for place, meant in within[at]:
            if place[2] - place[1] != 1 or own[place[1]].lower() not in PRONOUNS:
                continue
            first = _first(words, at)
            if sum(map(len, words[first : at + 1])) > LONGEST:
                continue
            named: dict[int, list[Place]] = defaultdict(list)
            for sentence in range(first, at + 1):
                for other, number in within[sentence]:
                    if _is_name(words[sentence][other[1] : other[2]]):
                        named[number].append(other)
            if (made := _example(document, words, first, place, meant, named)) is not None:
                yield made


def _first(words: Sequence[Sequence[str]], at: int) -> int:
    """The sentence that a passage begins with whose pronoun stands in the sentence `at`."""
    first, size = at, len(words[at])
    while first > max(0, at - SENTENCES) and size + len(words[first - 1]) < WORDS:
        first -= 1
        size += len(words[first])
    return first


def _is_name(words: Sequence[str]) -> bool:
    return (
        len(words) <= NAME
        and words[0].lower() not in NO_NAMES
        and words[0][:1].isupper()
        and words[-1][:1].isupper()
    )


def _example(
    document: Document,
    words: Sequence[Sequence[str]],
    first: int,
    target: Place,
    meant: int,
    named: dict[int, list[Place]],
) -> MaskedExample | None:
    """None where there are no two names of different persons, or none of the right one."""
    text, spans, sentences = "", dict[tuple[int, int], Span](), []
    for number in range(first, target[0] + 1):
        start = len(text)
        for at, word in enumerate(words[number]):
            spans[number, at] = len(text), len(text) + len(word)
            text += f"{word} "
        sentences.append((start, len(text) - 1))
    names: dict[str, int] = {}
    for number, places in named.items():
        forms = [" ".join(words[at][start:end]) for at, start, end in places]
        names.setdefault(max(forms, key=len), number)
    if len(names) < 2 or meant not in names.values():
        return None
    owners = {number: index for index, number in enumerate(names.values())}
    taken = [spans[target[:2]]]
    mentions = []
    for number, index in owners.items():
        for at, start, end in named[number]:
            span = spans[at, start][0], spans[at, end - 1][1]
            if all(span[1] <= low or high <= span[0] for low, high in taken):
                taken.append(span)
                mentions.append((index, *span))
    if {index for index, *_ in mentions} != set(owners.values()):
        return None
    return MaskedExample(
        f"{document.doc_id}-{document.part}-{target[0]}-{target[1]}",
        document.lang,
        text[:-1],
        tuple(sentences),
        spans[target[:2]],
        tuple(names),
        tuple(sorted(mentions, key=lambda one: one[1:])),
        owners[meant],
        Source(document.doc_id, 0),
        {},
    )


if __name__ == "__main__":
    main()
