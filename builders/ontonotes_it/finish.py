"""Makes a corpus directory of the chain's shards: delta on top, the other datasets below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corefmill.builders.corpus.outputs import COUNTED, KEPT, versions, write_rejects
from corefmill.builders.ontonotes_it import card, parallel, stages
from corefmill.builders.ontonotes_it.english.parts import DATASETS
from corefmill.builders.ontonotes_it.english.source import SCHEMA
from corefmill.builders.ontonotes_it.gamma.gamma import PARSING, TRANSLATION
from corefmill.builders.ontonotes_it.survey import Survey
from corefmill.builders.runner import clock as clocks
from corefmill.builders.runner.clock import Spent
from corefmill.builders.runner.job import RunResult
from corefmill.builders.runner.workers import WRITING
from corefmill.corpora import jsonl, manifest
from corefmill.corpora.atomic import ensure_folder, replacing
from corefmill.corpora.formats import conll2012, ontocorefit
from corefmill.corpora.ownership import settle
from corefmill.corpora.records import Document

STAGES = "stages"
_LANGS = {"gamma": "it", "delta": "it"}
_ORDER = (
    "reading",
    "alpha",
    "readability of alpha",
    "parsing English",
    "beta1",
    "beta2",
    "beta3",
    "placeholders",
    TRANSLATION,
    PARSING,
    "classes",
    "resolving",
    "words and mentions",
    "delta rules",
    stages.RECORDS,
    WRITING,
    "corpus",
)
"""The stages that are timed."""
_FILES = {
    "{split}.jsonl": "delta: a part of a document a line, with all that is known of it",
    "{split}.conll": "CoNLL-2012",
    "{split}.json": "OntoCorefIT's JSON, with what the rules did to each utterance",
    "{split}.parallel.tsv": "English and Italian side by side, mentions aligned",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """What the corpus states besides what the shards hold; called once they are whole.

    `splits` are those that the source has; `facts` are rows of the card's first table.
    """

    name: str
    title: str
    mode: str
    out: Path
    seed: int
    splits: tuple[str, ...]
    facts: Mapping[str, str]
    limits: tuple[str, ...]
    licence: str
    attribution: str
    command: str
    pipeline: str

    @property
    def files(self) -> tuple[str, ...]:
        """All that may be written into `out`."""
        own = ("README.md", COUNTED, KEPT, clocks.FILE, manifest.NAME)
        return (*own, *self._delta(), *self._below())

    def _delta(self) -> list[str]:
        return [pattern.format(split=split) for pattern in _FILES for split in self.splits]

    def _below(self) -> list[str]:
        """The files of the datasets before delta."""
        names = [manifest.NAME, *(f"{split}.jsonl" for split in self.splits)]
        return [f"{STAGES}/{stage}/{name}" for stage in DATASETS[:-1] for name in names]

    def __call__(self, result: RunResult) -> None:
        """Writes the corpus into `out` and removes the shards."""
        survey = Survey(self.seed)
        clock = result.clock
        with clock.stage("corpus", card.size(result.counts, "delta", self.splits)[1]):
            documents = {name: self._stage(result, name) for name in DATASETS[:-1]}
            sizes = self._write(result, survey)
        rejects = by_stage(result.rejects)
        others = write_rejects(self.out, rejects, result, iter(()))
        warnings = [] if result.source_error is None else [f"{result.source_error}"]
        card.write(
            self.out,
            survey,
            title=self.title,
            facts={**self.facts, "Licence": self.licence, "Source": self.attribution},
            splits=self.splits,
            counts=result.counts,
            documents=documents["alpha"],
            rejects=rejects,
            files={
                **_FILES,
                f"{STAGES}/": "alpha, beta1, beta2, beta3 and gamma, a corpus each",
                clocks.FILE: "how many utterances or texts each step was given, and its seconds",
            },
            limits=self.limits,
            warnings=warnings,
            command=self.command,
        )
        names = [*self._delta(), "README.md", *others]
        made = self._manifest(result, sizes, names, self.out, "delta")
        made.counts["rejected"] = {stage: dict(sorted(c.items())) for stage, c in rejects.items()}
        made.warnings.extend(warnings)
        clocks.write(self.out / clocks.FILE, in_order(clock.spent))
        manifest.write(self.out, made)
        settle(self.out, (*self._below(), clocks.FILE, manifest.NAME, *made.files))

    def _stage(self, result: RunResult, name: str) -> dict[str, int]:
        """Writes one of the datasets before delta; gives the number of documents by split."""
        folder = self.out / STAGES / name
        ensure_folder(folder)
        sizes, documents = {}, {}
        for split in self.splits:
            path = folder / f"{split}.jsonl"
            sizes[split], documents[split] = _copied(result, name, split, path)
        names = [f"{split}.jsonl" for split in self.splits]
        manifest.write(folder, self._manifest(result, sizes, names, folder, name))
        return documents

    def _write(self, result: RunResult, survey: Survey) -> dict[str, int]:
        sizes = {}
        for split in self.splits:
            path = self.out / f"{split}.jsonl"
            sizes[split], _ = _copied(result, "delta", split, path)
            watched = survey.watch(jsonl.read(path, Document))
            conll2012.write(path.with_suffix(".conll"), watched)
            ontocorefit.write(path.with_suffix(".json"), jsonl.read(path, Document))
            parallel.write(path.with_suffix(".parallel.tsv"), jsonl.read(path, Document))
        return sizes

    def _manifest(
        self,
        result: RunResult,
        sizes: dict[str, int],
        names: Sequence[str],
        folder: Path,
        dataset: str,
    ) -> manifest.Manifest:
        counts = dict(sorted(result.counts.items()))
        if dataset != "delta":
            counts = {key: n for key, n in counts.items() if key.startswith(f"{dataset}.")}
        return manifest.Manifest(
            name=self.name if dataset == "delta" else f"{self.name}/{dataset}",
            schema=SCHEMA,
            lang=_LANGS.get(dataset, "en"),
            mode=self.mode,
            splits=sizes,
            counts={"read": counts},
            seed=self.seed,
            versions=versions(self.pipeline),
            build=result.build_record(),
            licence=self.licence,
            attribution=self.attribution,
            files={name: manifest.sha256(folder / name) for name in sorted(names)},
            warnings=[],
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


def in_order(spent: Mapping[str, Spent]) -> dict[str, Spent]:
    """What was spent, in the order of the chain; last all but the translation, by utterances."""
    ordered = {name: spent.get(name, Spent()) for name in _ORDER}
    whole = Spent(ordered["alpha"].items)
    for name, own in ordered.items():
        if name != TRANSLATION:
            whole.add(Spent(0, own.seconds, own.processor))
    return {**ordered, f"all but {TRANSLATION}": whole}


def by_stage(rejects: Mapping[str, int]) -> dict[str, Counter[str]]:
    """The counts of `stage.what.reason` by "stage what", in the order of the chain."""
    found: dict[str, Counter[str]] = {}
    for key, number in sorted(rejects.items(), key=lambda item: (_place(item[0]), item[0])):
        stage, what, reason = key.split(".")
        found.setdefault(f"{stage} {what}", Counter())[reason] += number
    return found


def _place(key: str) -> int:
    return DATASETS.index(key.partition(".")[0])
