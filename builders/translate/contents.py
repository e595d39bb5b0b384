"""What the translated corpus holds: delta on top with its forms, the datasets before it below."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from corefmill.builders.corpus.corpus import Corpus
from corefmill.builders.run.job import RunResult
from corefmill.builders.translate import card
from corefmill.builders.translate.card import UtteranceSurvey
from corefmill.builders.translate.datasets import DATASETS, SCHEMA
from corefmill.corpora import jsonl, languages, manifest
from corefmill.corpora.atomic import ensure_folder, replacing
from corefmill.corpora.formats import conll2012, ontocorefit
from corefmill.corpora.records import Document

BELOW = "stages"
"""The folder of the datasets before delta."""


def data_files(splits: Sequence[str]) -> tuple[str, ...]:
    """The files of delta."""
    return tuple(pattern.format(split=split) for pattern in card.FORMS for split in splits)


def other_files(datasets: Sequence[str], splits: Sequence[str]) -> tuple[str, ...]:
    """The files of the `datasets` before delta, which have manifests of their own."""
    names = [manifest.NAME, *(f"{split}.jsonl" for split in splits)]
    return tuple(f"{BELOW}/{dataset}/{name}" for dataset in datasets[:-1] for name in names)


class TranslatedContents:
    """See `corefmill.builders.corpus.builder.Contents`; `splits` are those that the source
    has, `source` is its language, and `datasets` what the method makes of it."""

    def __init__(
        self,
        corpus: Corpus,
        result: RunResult,
        splits: Sequence[str],
        source: str,
        datasets: Sequence[str],
    ) -> None:
        self.result = result
        self.warnings: Sequence[str] = ()
        self.rejects: Mapping[str, Counter[str]] = by_stage(result.rejects)
        self._corpus = corpus
        self._splits = splits
        self._source = source
        self._datasets = datasets
        self._survey = UtteranceSurvey(corpus.seed, source)
        self._documents: Mapping[str, int] = {}

    @classmethod
    @contextmanager
    def chosen(
        cls,
        corpus: Corpus,
        result: RunResult,
        *,
        splits: Sequence[str],
        source: str,
        datasets: Sequence[str],
    ) -> Iterator[Self]:
        """All that the chain has made."""
        yield cls(corpus, result, splits, source, datasets)

    @property
    def summary(self) -> list[str]:
        """How much of the source is kept, and what the rest was lost to."""
        return card.summary(self.result.counts, self._splits, self.rejects)

    def rejected(self) -> Iterator[dict[str, Any]]:
        """Nothing is left out after the run."""
        return iter(())

    def write(self, out: Path) -> Mapping[str, int]:
        """Writes all datasets; returns the number of parts of delta by split."""
        documents = {name: self._write_below(out, name) for name in self._datasets[:-1]}
        self._documents = documents["alpha"]
        sizes = {}
        for split in self._splits:
            path = out / f"{split}.jsonl"
            sizes[split], _ = _copied(self.result, self._datasets[-1], split, path)
            read = self._survey.watch(jsonl.read(path, Document))
            if self._corpus.mode == "clean":
                read = map(_tagged, read)
            conll2012.write(path.with_suffix(".conll"), read)
            ontocorefit.write(path.with_suffix(".json"), jsonl.read(path, Document))
            write_parallel(
                path.with_suffix(".parallel.tsv"),
                jsonl.read(path, Document),
                self._source,
                self._corpus.lang,
            )
        return sizes

    def _write_below(self, out: Path, name: str) -> dict[str, int]:
        """Writes one of the datasets before delta; returns the number of documents by split."""
        folder = out / BELOW / name
        ensure_folder(folder)
        sizes, documents = {}, {}
        for split in self._splits:
            path = folder / f"{split}.jsonl"
            sizes[split], documents[split] = _copied(self.result, name, split, path)
        corpus = replace(
            self._corpus,
            name=f"{self._corpus.name}/{name}",
            lang=self._corpus.lang if name == "gamma" else self._source,
            out=folder,
        )
        counts = sorted(self.result.counts.items())
        made = corpus.manifest(
            self.result,
            schema=SCHEMA,
            splits=sizes,
            counts={"read": {key: n for key, n in counts if key.startswith(f"{name}.")}},
            files=[f"{split}.jsonl" for split in self._splits],
        )
        manifest.write(folder, made)
        return documents

    def sections(self) -> list[str]:
        """The lines of the card between its facts and its limits."""
        return card.sections(
            self._survey,
            languages=(self._source, self._corpus.lang),
            datasets=self._datasets,
            splits=self._splits,
            counts=self.result.counts,
            documents=self._documents,
            rejects=self.rejects,
        )

    def counts(self) -> Mapping[str, Any]:
        """What was left out, by dataset."""
        return {
            "rejected": {stage: dict(sorted(own.items())) for stage, own in self.rejects.items()}
        }


def _tagged(document: Document) -> Document:
    """The document with UPOS as the tag of words that have none of their own, for CoNLL-2012."""
    return replace(
        document,
        sentences=tuple(
            replace(
                sentence,
                tokens=tuple(
                    replace(word, xpos=word.xpos or word.upos) for word in sentence.tokens
                ),
            )
            for sentence in document.sentences
        ),
    )


def _copied(result: RunResult, channel: str, split: str, path: Path) -> tuple[int, int]:
    """Writes parts of documents as the shards have them; how many, and of how many documents."""
    parts = documents = 0
    last = None
    with replacing(path) as out:
        for record in result.records(channel):
            if record["split"] == split:
                out.write(record["line"].encode() + b"\n")
                parts += 1
                documents += record["doc_id"] != last
                last = record["doc_id"]
    return parts, documents


def by_stage(rejects: Mapping[str, int]) -> dict[str, Counter[str]]:
    """The counts of `stage.what.reason` by "stage what", in the order of the chain."""
    found: dict[str, Counter[str]] = {}
    for key in sorted(rejects, key=lambda key: (DATASETS.index(key.partition(".")[0]), key)):
        stage, what, reason = key.split(".")
        found.setdefault(f"{stage} {what}", Counter())[reason] += rejects[key]
    return found


def write_parallel(path: Path, documents: Iterable[Document], source: str, target: str) -> None:
    """Write the documents of delta side by side with their source: a line an utterance.

    The first line names the columns: `doc`, `part`, `utterance` (its number in the source), the two
    languages by name (`english`, `italian`: tokens, blanks between; those of the target as grammar
    cuts them), `mentions`. That is JSON: [cluster, start and end in the source, start and end in
    the target], half-open, in tokens; the cluster is numbered as in the other files. White space
    within a token or name is written as `_`.
    """
    columns = ("doc", "part", "utterance", languages.key(source), languages.key(target), "mentions")
    with replacing(path) as out:
        out.write("\t".join(columns).encode() + b"\n")
        for document in documents:
            numbers = document.meta["source"]["sentences"]
            for sentence, own, number in zip(
                document.sentences, document.meta[languages.key(source)], numbers, strict=True
            ):
                cells = (
                    _whole(document.doc_id),
                    str(document.part),
                    str(number),
                    " ".join(map(_whole, own["tokens"])),
                    " ".join(_whole(token.form) for token in sentence.tokens),
                    json.dumps(own["mentions"]),
                )
                out.write("\t".join(cells).encode() + b"\n")


def _whole(text: str) -> str:
    return "_".join(text.split()) or "_"
