"""Small models for the tests of commands: trained for two steps, so that they know nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from corefmill.corpora.files import jsonl
from corefmill.corpora.records import (
    Document,
    EventMention,
    MaskedExample,
    Mention,
    Record,
    Sentence,
    Source,
    Token,
)
from tests.commands import called


def examples(count: int) -> list[MaskedExample]:
    """Masked examples of two candidates, each of an article of its own."""
    made = []
    for number in range(count):
        text = "Ann told Eve that she was late."
        names = ("Ann", "Eve") if number % 2 else ("Eve", "Ann")
        made.append(
            MaskedExample(
                f"e{number}", "en", text, (), (18, 21), names, (), number % 2, Source("p", number)
            )
        )
    return made


def mentions(count: int) -> list[EventMention]:
    """Mentions of two events by turns, two topics of them."""
    made = []
    for number in range(count):
        text = f"In {1900 + number} the quake struck the town."
        cluster = f"c{number % 2}-{number // 4 % 2}"
        topic = {"topic": str(number // 4 % 2 + 1)}
        source = Source(f"p{number}", number)
        made.append(
            EventMention(
                f"m{number}", "en", text, 12, 17, cluster, cluster, "E", "i", source, meta=topic
            )
        )
    return made


def documents(count: int) -> list[Document]:
    """Documents of two sentences whose subjects corefer."""
    made = []
    for number in range(count):
        first = Sentence(tuple(map(Token, ["Ann", "met", "the", "new", "baker", "."])))
        second = Sentence(tuple(map(Token, ["She", "liked", "him", "."])))
        clusters = ((Mention(0, 0, 1), Mention(1, 0, 1)), (Mention(0, 2, 5), Mention(1, 2, 3)))
        made.append(Document(f"d{number}", 0, "en", (first, second), clusters))
    return made


def replaced(document: Document) -> Document:
    """The document without its clusters."""
    return replace(document, clusters=())


def folder(path: Path, train_split: Iterable[Record], dev: Iterable[Record]) -> Path:
    """A corpus of two files."""
    path.mkdir()
    jsonl.write(path / "train.jsonl", train_split)
    jsonl.write(path / "dev.jsonl", dev)
    return path


def model(corpus: Path, out: Path) -> Path:
    """A model of the tiny encoder, trained on the corpus."""
    options = ["--encoder", "tiny", "--set", "max_steps=2", "--set", "evaluate_every=2", "-q"]
    assert called("train", "coref", "--corpus", corpus, *options, "--out", out)[0] == 0
    return out
