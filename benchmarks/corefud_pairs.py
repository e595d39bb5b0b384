"""Random pairs of CoNLL-U with `Entity` that differ in mentions, heads and empty nodes."""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from corefmill.corpora.formats import corefud_entity
from corefmill.corpora.formats.corefud_entity import Span

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


def response_to(draw: random.Random, key: str) -> str:
    """A file of CoNLL-U with a tenth of its mentions gone, a fifth in another entity of the
    sentence, and a seventh without their last word."""
    header = corefud_entity.HEADER
    found = []
    for sentence in key.split("\n\n"):
        lines = sentence.split("\n")
        for line in lines:
            if line.startswith("# global.Entity = "):
                header = line.removeprefix("# global.Entity = ")
        at = corefud_entity.position(header)
        places = [
            number
            for number, line in enumerate(lines)
            if line[:1].isdigit() and "-" not in line.split("\t")[0]
        ]
        miscs = [lines[number].split("\t")[9].split("|") for number in places]
        entity = [
            next((one[7:] for one in misc if one.startswith("Entity=")), None) for misc in miscs
        ]
        spans = changed(draw, corefud_entity.parse(entity, at))
        for number, misc, cell in zip(places, miscs, cells(spans, len(places), at), strict=True):
            # What is left out beside would point at entities that are gone.
            rest = [one for one in misc if not re.match("Entity=|Bridge=|SplitAnte=|_$", one)]
            columns = lines[number].split("\t")[:9]
            said = [*([f"Entity={cell}"] if cell else []), *rest]
            lines[number] = "\t".join([*columns, "|".join(said) or "_"])
        found.append("\n".join(lines))
    return "\n\n".join(found)


def changed(draw: random.Random, spans: Sequence[Span]) -> Iterable[Span]:
    for span in spans:
        if draw.random() < 0.1:
            continue
        entity = span.entity if draw.random() < 0.8 else draw.choice(spans).entity
        start, end = span.parts[-1]
        parts = span.parts
        if end > start + 1 and draw.random() < 1 / 7:
            parts = (*parts[:-1], (start, end - 1))
        yield Span(entity, span.attributes, parts)
