"""Train a coreference model on corpora, and write it as a checkpoint.

`train coref` turns a `TrainingRequest` into a `CorefTraining` of checked, consistent parts, and
the `CorefTraining` into a `TrainedModel`.
"""

from __future__ import annotations

import json
import logging
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.training import checkpoint
from corefmill.coref_model.training.checkpoint import Checkpoint, describe_files, restore
from corefmill.coref_model.training.config import TaskSettings, choose_presets, resolve
from corefmill.coref_model.training.loop import broadcast, join_processes, seed_all, train
from corefmill.coref_model.training.resume import LOG, draw_curves
from corefmill.coref_model.training.task import TaskKind, load_encoder, load_kind
from corefmill.coref_model.training.trained_model import EarlierModel, TrainedModel
from corefmill.corpora import find, manifest, record_meta
from corefmill.corpora.catalogue import entries
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.ownership import claim_folder, lock_folder
from corefmill.corpora.files.terminal import progress_bar
from corefmill.corpora.find import FoundCorpus, Records
from corefmill.corpora.plain import learn_contractions
from corefmill.corpora.record_meta import WeightSummary
from corefmill.corpora.records import KINDS

_PACKAGES = ("corefmill", "torch", "transformers", "safetensors", "accelerate")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRequest:
    """The options of a training; `sets` are `key=value`, empty `presets` are chosen by machine."""

    corpora: Sequence[FoundCorpus]
    task: str = "auto"
    init_from: Path | None = None
    out: Path | None = None
    config: Path | None = None
    presets: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    overwrite: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class CorefTraining:
    """A training with checked, consistent parts.

    The records of `corpora` are in memory. `identity` is everything that determines the result,
    `made` the model if it was trained before; `first` says that this process writes.
    """

    request: TrainingRequest
    kind: TaskKind
    settings: TaskSettings
    encoder: Encoder
    corpora: Sequence[FoundCorpus]
    start: Checkpoint | None
    out: Path
    identity: Mapping[str, Any]
    made: TrainedModel | None
    first: bool

    def describe(self) -> Iterator[str]:
        """Describe the corpora, encoder, task and output folder in sentences for the user."""
        deltas = f"deltas of rank {self.encoder.lora}" if self.encoder.lora else "frozen"
        deltas = f"adapter {self.settings.adapter}" if self.settings.adapter else deltas
        encoder = f"{self.encoder.name}, {'trained' if self.encoder.trained else deltas}"
        if self.start:
            encoder += f", from {self.start.path}"
        for one in self.corpora:
            counts = ", ".join(f"{n:,} {split}" for split, n in _count_records(one).items())
            if drawn := one.held_out:
                part = "its single source" if drawn.single else "train by source"
                counts += f" (held out of {part}, seed {drawn.seed})"
            yield f"Corpus {one.name}, {one.found_in}: {counts}. Encoder {encoder}."
            if weights := _summarize_weights(one):
                yield (
                    f"Its {weights.sentences:,} sentences to train on count by their weights,"
                    f" {weights.mean:.3f} on average."
                )
        presets = choose_presets(self.request.presets, self.kind.name, self.request.config)
        how = " and ".join(presets) or "none"
        yield f"Task {self.kind.name}, preset {how}; the model goes to {self.out}."

    def run(self) -> TrainedModel:
        """Train or resume the model, or return the one trained before with the same settings."""
        if self.made:
            return self.made
        with lock_folder(self.out) if self.first else nullcontext():
            return self._train()

    def _train(self) -> TrainedModel:
        """Train from the corpora's splits, and write the checkpoint."""
        settings, start, quiet = self.settings, self.start, self.request.quiet
        # The development split of a single corpus is `validation`; several have it by their names.
        several = len(self.corpora) > 1
        train_splits = [find.records(one, "train") for one in self.corpora]
        splits: dict[str, Records] = {
            "train": [*chain.from_iterable(train_splits)] if several else train_splits[0]
        }
        for one in self.corpora:
            splits[one.name if several else "validation"] = find.records(one, "validation")
        seed_all(settings.seed)
        task = self.kind.make(self.encoder, settings, splits, settings.seed)
        if self.first and not quiet:
            for note in getattr(task, "notes", ()):  # what of the corpus it cannot learn from
                logging.getLogger(__name__).warning("%s", note)
        if start:
            restore(task.model, start.read_tensors(), start.path / checkpoint.WEIGHTS)
        if self.first:
            claim_folder(self.out, checkpoint.OWN_NAMES, overwrite=self.request.overwrite)
        done = train(task, settings, self.out, identity=self.identity, quiet=quiet)
        model: TrainedModel | None = None
        if self.first:
            draw_curves(self.out / LOG, self.out / checkpoint.CURVES, task.metric)
            began_with: tuple[EarlierModel, ...] = ()
            if start:
                before = start.model
                began_with = (EarlierModel(before.sha256, before.corpora), *before.began_with)
            described = {
                "task": self.kind.name,
                "corpus": ",".join(one.name for one in self.corpora),
                "identity": checkpoint.hash_identity(self.identity),
                "init_from": str(start.path) if start else "",
                "began_with": began_with,
                "settings": asdict(settings),
                "corpora": {
                    one.name: _describe_corpus(one, self.identity[f"corpus {one.name}"])
                    for one in self.corpora
                },
                "versions": {name: version(name) for name in _PACKAGES}
                | {"python": platform.python_version()},
                "metric": task.metric,
                "score": done.score,
                "steps": done.steps,
                "best_step": done.best_step,
                "ended_by": done.ended_by,
                "seconds": round(done.seconds, 1),
                "scores": done.scores
                | ({} if done.untrained is None else {"untrained": done.untrained}),
            }
            model = checkpoint.save(self.out, task.model, self.encoder, described)
        made: TrainedModel = broadcast(model)
        return made


def prepare(request: TrainingRequest) -> CorefTraining:
    """Read the corpora and encoder of a training, and check that they fit the task and --out.

    Each file of a corpus is read once, and its bytes once more for their checksum.
    """
    first = request.corpora[0]
    kind = load_kind(first.kind if request.task == "auto" else request.task)
    if kind.records != first.kind:
        raise UsageError(
            f"{first.name} holds {first.holds}, and the task {kind.name} learns from"
            f" {KINDS[kind.records].plural}",
            remedy=f"leave --task out, or say --task {first.kind}",
        )
    start = checkpoint.read(request.init_from) if request.init_from else None
    if start and start.model.task != kind.name:
        raise DataError(
            f"this model is of the task {start.model.task}, and the training is for {kind.name}",
            path=start.path,
            remedy=f"name a model of the task {kind.name}, or train with --task {start.model.task}",
        )
    settings = _resolve_settings(request, kind, start)
    encoder = load_encoder(settings)
    if start:
        start.check_encoder(encoder)

    # Whole splits are held in memory, without the fields that the task does not use.
    def watch(records: Iterable[Any]) -> Iterable[Any]:
        return progress_bar(records, unit=" records", hidden=request.quiet)

    corpora = [
        find.hold_out_validation(
            find.load_records(one, kind.lean, watch), settings.held_out, settings.held_out_seed
        )
        for one in request.corpora
    ]
    for one in corpora:
        _count_records(one)  # refuses a corpus without one of the splits
    identity = {
        "task": kind.name,
        "encoder": encoder.fingerprint,
        "adapter configuration": encoder.adapter_config,
        "init_from": start.model.sha256 if start else "",
        **{f"corpus {one.name}": find.fingerprint(one) for one in corpora},
        # Weights change a model's identity; without weights it stays as in older versions.
        **{f"weights {one.name}": True for one in corpora if _summarize_weights(one)},
        **{key: value for key, value in asdict(settings).items() if key != "save_every"},
    }
    out = request.out
    if out is None:
        names = "+".join(one.name for one in request.corpora)
        before = request.init_from and request.init_from.resolve().name
        name = f"{before}-{names}" if before else f"{names}-{Path(encoder.name).name}"
        out = Path("out") / "models" / name
    if request.init_from and out.resolve() == request.init_from.resolve():
        raise UsageError(
            "--out and --init-from are the same folder", path=out, remedy="name another --out"
        )
    is_first = join_processes().is_main_process
    if is_first and request.overwrite:
        with lock_folder(out):
            checkpoint.check_folder(out)
            checkpoint.remove_files(out)
    made = broadcast(checkpoint.read_finished(out, identity) if is_first else None)
    return CorefTraining(
        request, kind, settings, encoder, corpora, start, out, identity, made, is_first
    )


def _count_records(corpus: FoundCorpus) -> dict[str, int]:
    """Count the records of a corpus by split; `DataError` without train or validation."""
    return {split: find.count(corpus, split) for split in ("train", "validation")}


def _summarize_weights(corpus: FoundCorpus) -> WeightSummary | None:
    """Count and average the weights of the sentences to train on; None without weights."""
    return record_meta.summarize_weights(find.records(corpus, "train"))


def _resolve_settings(
    request: TrainingRequest, kind: TaskKind, start: Checkpoint | None
) -> TaskSettings:
    """Resolve the settings; those of the encoder come from the checkpoint of --init-from."""
    used: dict[str, Any] = {}
    if start:
        known = start.model.encoder
        used = {"encoder": known.name, "lora": known.lora, "trained": known.trained}
        used["adapter"] = start.find_adapter()
    settings = resolve(
        kind.Settings,
        kind.name,
        file=request.config,
        presets=choose_presets(request.presets, kind.name, request.config),
        sets=[*(f"{key}={json.dumps(value)}" for key, value in used.items()), *request.sets],
    )
    for key in ("trained", "lora", "adapter"):
        if used and getattr(settings, key) != used[key]:
            raise UsageError(
                f"the model of --init-from {request.init_from} was trained with {key}"
                f" {used[key]}, not {getattr(settings, key)}",
                remedy=f"leave {key} out: the checkpoint's value is used",
            )
    return settings


def _describe_corpus(corpus: FoundCorpus, fingerprint: str) -> dict[str, Any]:
    """Describe a training corpus for model.toml: format, language, licence, sizes, files."""
    first = next(iter(corpus.splits.values()))[0]
    known = entries().get(corpus.name)
    licence = ""
    if (first.parent / manifest.NAME).exists():
        licence = manifest.read(first.parent).licence
    elif known and known.format == corpus.format:
        licence = known.licence
    described = {
        "kind": corpus.kind,
        "format": corpus.format,
        "lang": corpus.lang,
        "source": corpus.source,
        "licence": licence,
        "fingerprint": fingerprint,
        **_count_records(corpus),
    }
    if corpus.held_out:
        described |= {"held_out": corpus.held_out.share, "held_out_seed": corpus.held_out.seed}
    described |= describe_files(corpus)
    if corpus.kind == "documents" and (split := learn_contractions(find.records(corpus, "train"))):
        described["contractions"] = split
    if weights := _summarize_weights(corpus):
        described |= {"weighted_sentences": weights.sentences, "mean_weight": weights.mean}
    return described
