"""Compares scores by nodes with corefud-scorer's on random documents.

    python -m benchmarks.corefud --scorer DIR --python DIR/bin/python [--pairs 2000] [--seed 1]

corefud-scorer lies in DIR, with an interpreter of its own. Draws pairs of small documents with
zeros, discontinuous, nested and repeated mentions, and compares recall and precision of all metrics
under all 18 settings: three matches, three ways with zeros, singletons kept or dropped.

Where two mentions of a side have the same first and last node and number of nodes, and are not the
same, corefud-scorer has no order of them: its figures then depend on Python's hash seed. Such pairs
are counted apart.
"""

import argparse
import json
import random
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_entity import Span
from corefmill.corpora.scoring import sources
from corefmill.corpora.scoring.alignment import NodeMention
from corefmill.corpora.scoring.score import score
from corefmill.corpora.scoring.sources import Source, Texts

Paths = tuple[Path, Path]

Node = tuple[int, int]
"""A word's number, and that of an empty node after it, 0 for the word."""


@dataclass
class Sentence:
    """Words, empty nodes with their DEPS, and mentions as (entity, nodes, head)."""

    words: int
    empty: dict[Node, str] = field(default_factory=dict)
    mentions: list[tuple[str, tuple[Node, ...], Node]] = field(default_factory=list)

    @property
    def nodes(self) -> list[Node]:
        return sorted([*((word, 0) for word in range(1, self.words + 1)), *self.empty])


def pair(draw: random.Random) -> tuple[str, str]:
    """Key and response: one or two documents of one to four sentences."""
    sides: tuple[list[str], list[str]] = ([], [])
    for document in range(draw.choice((1, 1, 2))):
        heading = [f"# newdoc id = {document}", "# global.Entity = eid-etype-head-other"]
        entities = [f"d{document}e{number}" for number in range(draw.randint(2, 5))]
        for number in range(draw.randint(1, 4)):
            comments = [*heading, f"# sent_id = {document}-{number}"]
            key = of_key(draw, entities)
            for side, sentence in zip(sides, (key, answer(draw, key, entities)), strict=True):
                side += [*comments, *rows(sentence), ""]
            heading = []
    return "\n".join([*sides[0], ""]), "\n".join([*sides[1], ""])


def of_key(draw: random.Random, entities: Sequence[str]) -> Sentence:
    sentence = Sentence(draw.randint(3, 9))
    for _ in range(draw.choice((0, 0, 1, 2, 3))):
        sentence.empty[free(draw, sentence)] = deps(draw, sentence.words)
    for _ in range(draw.randint(0, 6)):
        sentence.mentions.append(mention(draw, sentence, entities))
    return sentence


def free(draw: random.Random, sentence: Sentence) -> Node:
    """The next empty node after a random word: they count without gaps."""
    word = draw.randint(0, sentence.words)
    return word, 1 + max((n for after, n in sentence.empty if after == word), default=0)


def deps(draw: random.Random, words: int) -> str:
    parents = draw.sample(range(1, words + 1), draw.choice((1, 1, 2)))
    return "|".join(f"{one}:{draw.choice(('nsubj', 'obj', 'dep'))}" for one in sorted(parents))


def mention(
    draw: random.Random, sentence: Sentence, entities: Sequence[str]
) -> tuple[str, tuple[Node, ...], Node]:
    """A zero, a part of another mention, a piece of the sentence, or one with gaps."""
    nodes = sentence.nodes
    kind = draw.random()
    if sentence.empty and kind < 0.25:
        chosen = [draw.choice(sorted(sentence.empty))]
    elif sentence.mentions and kind < 0.45:
        outer = draw.choice(sentence.mentions)[1]
        chosen = piece(draw, outer)
    elif kind < 0.6:
        chosen = sorted(draw.sample(nodes, min(len(nodes), draw.randint(2, 4))))
    else:
        chosen = piece(draw, nodes)
    return draw.choice(entities), tuple(chosen), draw.choice(chosen)


def piece(draw: random.Random, nodes: Sequence[Node]) -> list[Node]:
    start = draw.randrange(len(nodes))
    return list(nodes[start : start + draw.choice((1, 1, 2, 3, 4))])


def answer(draw: random.Random, key: Sentence, entities: Sequence[str]) -> Sentence:
    """The sentence as a system may have it."""
    found = Sentence(key.words)
    moved: dict[Node, Node] = {}
    for node, said in key.empty.items():
        if draw.random() < 0.8:
            moved[node] = node if draw.random() < 0.6 else free(draw, found)
            if moved[node] in found.empty or (
                moved[node][1] > 1 and (node[0], moved[node][1] - 1) not in found.empty
            ):
                moved[node] = free(draw, found)
            found.empty[moved[node]] = said if draw.random() < 0.7 else deps(draw, key.words)
    if draw.random() < 0.2:
        found.empty[free(draw, found)] = deps(draw, key.words)
    said_of(draw, key, entities, moved, found)
    if draw.random() < 0.3:
        found.mentions.append(mention(draw, found, entities))
    return found


def said_of(
    draw: random.Random,
    key: Sentence,
    entities: Sequence[str],
    moved: Mapping[Node, Node],
    found: Sentence,
) -> None:
    """Adds the key's mentions: of some other nodes, others with another entity or head."""
    for entity, nodes, head in key.mentions:
        chosen = [moved.get(node, node) for node in nodes if not node[1] or node in moved]
        if not chosen or draw.random() < 0.1:
            continue
        if len(chosen) > 1 and draw.random() < 0.25:
            chosen = piece(draw, sorted(chosen))
        elif draw.random() < 0.15:
            chosen = [*chosen, draw.choice(found.nodes)]
        own = moved.get(head, head)
        kept = own in chosen and draw.random() < 0.85
        chosen = sorted(dict.fromkeys(chosen))
        found.mentions.append(
            (
                entity if draw.random() < 0.75 else draw.choice(entities),
                tuple(chosen),
                own if kept else draw.choice(chosen),
            )
        )


def rows(sentence: Sentence) -> list[str]:
    nodes = sentence.nodes
    spans = []
    for entity, chosen, head in sentence.mentions:
        places = [nodes.index(node) for node in chosen]
        breaks = [0, *(n for n in range(1, len(places)) if places[n] > places[n - 1] + 1)]
        parts = tuple(
            (places[start], places[end - 1] + 1)
            for start, end in zip(breaks, [*breaks[1:], len(places)], strict=True)
        )
        spans.append(Span(entity, f"--{chosen.index(head) + 1}", parts))
    found = []
    for (word, empty), cell in zip(nodes, cells(spans, len(nodes)), strict=True):
        name = f"{word}.{empty}" if empty else str(word)
        said = sentence.empty.get((word, empty), "_")
        misc = f"Entity={cell}" if cell else "_"
        found.append("\t".join([name, "w", *"____", "_" if empty else "0", "_", said, misc]))
    return found


def cells(spans: Iterable[Span], length: int, at: int = 0) -> list[str]:
    """The values of `Entity`, without mentions that no brackets can say.

    Two entities may have the same mention, which the writer of the project refuses.
    """
    by_entity: dict[str, list[Span]] = {}
    for span in spans:
        own = by_entity.setdefault(span.entity, [])
        # Of two discontinuous ones, readers disagree on whose the parts are.
        if len(span.parts) > 1 and any(len(other.parts) > 1 for other in own):
            continue
        try:
            corefud_entity.make([*own, span], length, at)
        except ValueError:
            continue
        own.append(span)
    found = [""] * length
    for own in by_entity.values():
        for node, cell in enumerate(corefud_entity.make(own, length, at)):
            closing = re.match(r"[^(]*", cell or "")[0]
            # A closing bracket after an opening one of another entity would close it.
            found[node] = closing + found[node] + (cell or "")[len(closing) :]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scorer", required=True, type=Path, help="the folder of corefud-scorer")
    parser.add_argument("--python", required=True, help="an interpreter that has udapi")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        texts = (pair(draw) for _ in range(options.pairs))
        compared(options, list(written(Path(folder), texts)))


def written(folder: Path, texts: Iterator[tuple[str, str]]) -> Iterator[Paths]:
    for number, sides in enumerate(texts):
        paths = folder / f"{number}.key.conllu", folder / f"{number}.response.conllu"
        for path, text in zip(paths, sides, strict=True):
            path.write_text(text, encoding="utf-8")
        yield paths


def compared(options: argparse.Namespace, files: Sequence[Paths]) -> None:
    """Prints what is not equal, and how many were."""
    oracle_file = Path(__file__).with_name("corefud_oracle.py").resolve()
    oracle = subprocess.Popen(
        [options.python, str(oracle_file)],
        cwd=options.scorer,
        env={"PYTHONPATH": str(options.scorer.resolve()), "PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert oracle.stdin is not None and oracle.stdout is not None
    figures = unequal = 0
    pairs, unordered = [0, 0], [0, 0]  # all, and those with other figures
    for paths in files:
        print(*paths, sep="\t", file=oracle.stdin, flush=True)
        theirs = json.loads(oracle.stdout.readline())
        sides = [sources.load(path, nodes=True) for path in paths]
        ours = {setting: own(sides, setting) for setting in theirs}
        wrong = [
            f"{setting} {metric}: {ours[setting][metric]}, and theirs {scores}"
            for setting, found in theirs.items()
            for metric, scores in found.items()
            if any(abs(a - b) > 1e-9 for a, b in zip(ours[setting][metric], scores, strict=True))
        ]
        figures += sum(map(len, theirs.values()))
        unequal += len(wrong)
        counts = unordered if any(map(without_order, sides)) else pairs
        counts[0] += 1
        counts[1] += bool(wrong)
        for line in wrong[:3]:
            print(f"{paths[0].name}: {line}{' (no order)' * (counts is unordered)}", flush=True)
    oracle.stdin.close()
    oracle.wait(60)
    print(f"{figures:,} recalls with precisions, {unequal:,} of them other than theirs")
    for counts, which in ((pairs, "with an order"), (unordered, "without one")):
        print(f"{counts[0]:,} pairs of mentions {which}, {counts[1]:,} with other figures")


def own(sides: Sequence[Source], setting: str) -> dict[str, list[float]]:
    how, zeros, singletons = setting.split("/")
    table = score(*sides, singletons=singletons, match=how, zeros=zeros)
    return {name: list(found[:2]) for name, found in table.scores(table.totals()).items()}


def without_order(side: Source) -> bool:
    assert isinstance(side, Texts)
    for document in side.texts:
        seen: dict[tuple[int, int, int], set[tuple[tuple[int, ...], int]]] = {}
        for mention in (one for entity in document.clusters for one in entity):
            assert isinstance(mention, NodeMention)
            seen.setdefault(mention.order, set()).add((mention.words, mention.head))
        if any(len(same) > 1 for same in seen.values()):
            return True
    return False


if __name__ == "__main__":
    main()
