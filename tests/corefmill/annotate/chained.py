"""Documents and states in a notation with brackets, as tests of chains want them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from corefmill.annotate import documents
from corefmill.annotate.chain_state import ChainState
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, Mention, Sentence, Token

TEXT = "[1 Ann ] met [2 Bea ] .\n[3 She ] saw [2 her ] .\n[1 Ann ] waved and it rained ."


def parse_notation(text: str) -> Document:
    """A document of a sentence a line: [2 begins a mention of cluster 2, ] ends the last begun."""
    sentences = []
    clusters: dict[str, list[Mention]] = {}
    for number, line in enumerate(text.strip().splitlines()):
        words: list[str] = []
        begun: list[tuple[str, int]] = []
        for piece in line.split():
            if piece.startswith("["):
                begun.append((piece[1:], len(words)))
            elif piece == "]":
                cluster, start = begun.pop()
                clusters.setdefault(cluster, []).append(Mention(number, start, len(words)))
            else:
                words.append(piece)
        glued = [word in (".", ",", "?", "'s") for word in [*words[1:], ""]]
        tokens = (Token(word, space_after=not no) for word, no in zip(words, glued, strict=True))
        sentences.append(Sentence(tuple(tokens)))
    found = tuple(tuple(clusters[key]) for key in sorted(clusters))
    return Document("exercise", 0, "en", tuple(sentences), found)


def bracket(state: ChainState) -> str:
    """The text with each mention in brackets and the number of its cluster behind them."""
    before: defaultdict[int, str] = defaultdict(str)
    behind: defaultdict[int, str] = defaultdict(str)
    numbers = {cluster: place for place, cluster in enumerate(state.members(), 1)}
    for number in state.order:
        for start, end in state.mentions[number].pieces:
            before[start] += "["
            behind[end - 1] = f"]{numbers[state.cluster[number]]}{behind[end - 1]}"
    made, done = [], 0
    for place, unit in enumerate(state.own.units):
        made += [state.own.text[done : unit.start], before[place]]
        made += [state.own.text[unit.start : unit.end], behind[place]]
        done = unit.end
    return "".join(made)


def begun(text: str = TEXT) -> ChainState:
    return ChainState(documents.make_plain(1, "all", parse_notation(text)))


def after(*acts: str, text: str = TEXT) -> ChainState:
    state = begun(text)
    for act in acts:
        state.do(act)
    return state


def corpus(path: Path, *texts: str) -> Path:
    made = [replace(parse_notation(text), doc_id=f"news/{n}") for n, text in enumerate(texts, 1)]
    jsonl.write(path, made)
    return path
