"""A model on a corpus: which split, by which protocol, and the rows that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corefmill.coref_model.evaluation import clusters, gap, masked, wnli
from corefmill.coref_model.evaluation.gap import Persons
from corefmill.coref_model.evaluation.rows import Row
from corefmill.coref_model.evaluation.wnli import Nouns
from corefmill.coref_model.events import baselines, sampling
from corefmill.coref_model.masked.answers import Answer
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.coref_model.training.checkpoint import MODEL
from corefmill.corpora import find as corpora_found
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.find import HOLDS, FoundCorpus
from corefmill.corpora.records import Document, EventMention, MaskedExample

GOLD_MENTIONS = "gold mentions"

Keep = Callable[[str, str, bool], None]
"""Told of the corpus, an item and whether it was answered right."""


@dataclass(frozen=True, slots=True)
class Options:
    """How corpora are evaluated.

    `split` None is test, else validation, else all, whichever is there first. `persons` and
    `nouns` come from a pipeline, and are asked for by GAP's and WNLI's protocols alone. `glue` is
    the file that WNLI's answers go to.
    """

    split: str | None = None
    seed: int = 0
    persons: Persons | None = None
    nouns: Nouns | None = None
    glue: Path | None = None
    keep: Keep | None = None


def evaluate(predictor: Predictor, corpus: FoundCorpus, options: Options) -> list[Row]:
    """The rows of one corpus.

    Raises `DataError` for a corpus that the model is not for, and for a split that is not there.
    """
    if corpus.kind != predictor.task:
        raise DataError(
            f"{corpus.name} holds {HOLDS[corpus.kind]}, and the model is for"
            f" {HOLDS[predictor.task]}",
            remedy="name a corpus of that kind, or another model",
        )
    corpus = as_trained(predictor, corpus)
    split = corpora_found.judged_split(corpus, options.split)
    corpora_found.count(corpus, split)
    return _EVALUATED[corpus.kind](predictor, corpus, split, options)


def as_trained(predictor: Predictor, corpus: FoundCorpus) -> FoundCorpus:
    """The corpus as the model knew it: what was held out of its training is held out again."""
    if predictor.checkpoint is None:
        return corpus
    told: Mapping[str, Any] = predictor.checkpoint.model.corpora.get(corpus.name, {})
    if "held_out" not in told:
        return corpus
    share, seed = told["held_out"], told.get("held_out_seed")
    if not isinstance(share, float) or not isinstance(seed, int):
        raise DataError(
            f"corpora.{corpus.name}: no share and seed of what was held out",
            path=predictor.checkpoint.path / MODEL,
            remedy="copy the whole folder again, or train the model again",
        )
    drawn = corpora_found.with_dev(corpus, share, seed)
    if corpora_found.fingerprint(drawn) != told.get("fingerprint"):
        raise DataError(
            f"{corpus.name} is not what the model was trained on, so that what was held out of it"
            " cannot be told",
            remedy="name the files that it was not trained on",
        )
    return drawn


def _masked(predictor: Predictor, corpus: FoundCorpus, split: str, options: Options) -> list[Row]:
    def examples() -> Iterator[tuple[Path, int, MaskedExample]]:
        for path, line, record in corpora_found.placed(corpus, split):
            assert isinstance(record, MaskedExample)
            yield path, line, record

    def kept(example: MaskedExample, answer: Answer) -> None:
        if options.keep is not None and example.label is not None:
            options.keep(corpus.name, example.id, answer.choice == example.label)

    def told(name: str, right: bool) -> None:
        if options.keep is not None:
            options.keep(corpus.name, name, right)

    common: dict[str, Any] = {"corpus": corpus.name, "split": split, "seed": options.seed}
    if corpus.format == "gap":
        found = gap.evaluate(predictor, examples(), keep=told, **common)
        if options.persons is not None:
            found += gap.evaluate(predictor, examples(), persons=options.persons, **common)
        return found
    if corpus.format == "wnli":
        if options.nouns is None:
            raise UsageError(
                "WNLI needs a pipeline that tells nouns", remedy="name one by --nlp NAME|DIR"
            )
        return wnli.evaluate(
            predictor, examples(), nouns=options.nouns, glue=options.glue, **common
        )
    return masked.evaluate(predictor, examples(), keep=kept, **common)


def _documents(
    predictor: Predictor, corpus: FoundCorpus, split: str, options: Options
) -> list[Row]:
    key = [one for one in corpora_found.records(corpus, split) if isinstance(one, Document)]
    bare = (replace(one, clusters=()) for one in key)
    response = [one for one in predictor.records(bare) if isinstance(one, Document)]
    return clusters.of_documents(
        key,
        response,
        corpus=corpus.name,
        split=split,
        protocol="predicted mentions",
        seed=options.seed,
        singletons="keep" if bool(predictor.model.singletons) else "drop",
    )


def _events(predictor: Predictor, corpus: FoundCorpus, split: str, options: Options) -> list[Row]:
    mentions = [
        one for one in corpora_found.records(corpus, split) if isinstance(one, EventMention)
    ]
    by_topic = predictor.settings.within == "topic"
    found = sampling.groups(mentions, by_topic=by_topic)
    told = [one.cluster for one in predictor.records(mentions) if isinstance(one, EventMention)]
    sides: list[tuple[str, Sequence[Any] | None]] = [
        ("the model", told),
        ("same head lemma", _plain(baselines.same_lemma(mentions, found))),
        ("same string", _plain(baselines.same_string(mentions, found))),
    ]
    several = by_topic and len({_topic(one, by_topic) for one in mentions}) > 1
    topics = "gold topics" if several else "all together"
    rows: list[Row] = []
    for who, labels in sides:
        if labels is None:
            continue
        rows += clusters.of_mentions(
            [(_topic(one, by_topic), one) for one in mentions],
            {one.id: label for one, label in zip(mentions, labels, strict=True)},
            corpus=corpus.name,
            split=split,
            protocol=f"{GOLD_MENTIONS}, {topics}, {who}",
            seed=options.seed,
        )
    return rows


def _plain(labels: Iterable[Any] | None) -> list[int] | None:
    return None if labels is None else [int(label) for label in labels]


def _topic(mention: EventMention, by_topic: bool) -> str:
    return str(mention.meta.get("topic", "")) if by_topic else ""


_EVALUATED: dict[str, Callable[[Predictor, FoundCorpus, str, Options], list[Row]]] = {
    "masked": _masked,
    "documents": _documents,
    "events": _events,
}
