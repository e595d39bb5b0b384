"""One training from a corpus's name to a checkpoint."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from tqdm import tqdm

from corefmill.coref_model import tasks
from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.training import checkpoint, curves, owned, place
from corefmill.coref_model.training.checkpoint import Checkpoint
from corefmill.coref_model.training.config import TaskSettings, resolve
from corefmill.coref_model.training.kept import put_back
from corefmill.coref_model.training.log import LOG
from corefmill.coref_model.training.loop import seed_all, train
from corefmill.coref_model.training.presets import suited
from corefmill.coref_model.training.processes import Processes
from corefmill.corpora import find as corpora_found
from corefmill.corpora.errors import UsageError
from corefmill.corpora.find import FoundCorpus, Records
from corefmill.corpora.lock import locked
from corefmill.corpora.records import Record

_PACKAGES = ("corefmill", "torch", "transformers", "safetensors", "accelerate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked for; `sets` are `key=value`, `presets` empty for what suits the machine."""

    corpora: Sequence[FoundCorpus]
    task: str = "auto"
    init_from: Path | None = None
    out: Path | None = None
    config: Path | None = None
    presets: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    download: bool = False
    overwrite: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A training that can be done: all that was asked for fits together.

    `identity` is all that decides the result, `made` the model if it was trained before.
    """

    wanted: Wanted
    kind: tasks.TaskKind
    settings: TaskSettings
    encoder: Encoder
    corpora: Sequence[FoundCorpus]
    counts: Mapping[str, Mapping[str, int]]
    start: Checkpoint | None
    out: Path
    identity: Mapping[str, Any]
    processes: Processes
    made: checkpoint.Model | None

    def says(self) -> Iterator[str]:
        """The corpora, where they were found, records a split, the encoder; then the settings."""
        for one in self.corpora:
            counts = ", ".join(f"{n:,} {split}" for split, n in self.counts[one.name].items())
            held = one.held_out
            drawn = f" (held out of train by source, seed {held.seed})" if held else ""
            yield f"Corpus {one.name}, {one.source}: {counts}{drawn}. {self._encoder()}."
        how = f" {' and '.join(_presets(self.wanted, self.kind))}".rstrip()
        yield f"Task {self.kind.name}, preset{how or ' none'}; the model goes to {self.out}."

    def _encoder(self) -> str:
        lora = f"deltas of rank {self.encoder.lora}" if self.encoder.lora else "frozen"
        start = f", from {self.start.path}" if self.start else ""
        return f"Encoder {self.encoder.name}, {'trained' if self.encoder.trained else lora}{start}"


def plan(wanted: Wanted) -> Plan:
    """Settles all of it; raises `UsageError` or `DataError` where something does not fit."""
    kind = _kind(wanted)
    start = checkpoint.read(wanted.init_from) if wanted.init_from else None
    if start:
        start.check_task(kind.name)
    settings = _settings(wanted, kind, start)
    encoder = load(
        settings.encoder,
        trained=settings.trained,
        lora=settings.lora,
        checkpointing=settings.checkpointing,
        seed=settings.seed,
        download=wanted.download,
    )
    if start:
        start.check_encoder(encoder)
    watch = _Watch(wanted.quiet)
    corpora = [
        corpora_found.with_dev(
            corpora_found.in_memory(one, kind.lean, watch),
            settings.held_out,
            settings.held_out_seed,
        )
        for one in wanted.corpora
    ]
    counts = {
        one.name: {split: corpora_found.count(one, split) for split in ("train", "validation")}
        for one in corpora
    }
    identity = {
        "task": kind.name,
        "encoder": encoder.fingerprint,
        "init_from": start.model.sha256 if start else "",
        **{f"corpus {one.name}": corpora_found.fingerprint(one) for one in corpora},
        **{key: value for key, value in asdict(settings).items() if key != "save_every"},
    }
    out = wanted.out or _out(wanted, encoder)
    if wanted.init_from and out.resolve() == wanted.init_from.resolve():
        raise UsageError("--out and --init-from are the same folder", path=out)
    processes = Processes()
    made = None
    if processes.first:
        if wanted.overwrite:
            with locked(out):
                place.clear(out)
        made = place.finished(out, identity)
    return Plan(
        wanted=wanted,
        kind=kind,
        settings=settings,
        encoder=encoder,
        corpora=corpora,
        counts=counts,
        start=start,
        out=out,
        identity=identity,
        processes=processes,
        made=processes.agreed(made),
    )


def carry_out(plan: Plan) -> checkpoint.Model:
    """Trains, goes on with a training that was killed, or tells of the model that is there."""
    if plan.made:
        return plan.made
    settings, start, out = plan.settings, plan.start, plan.out
    seed_all(settings.seed)
    task = plan.kind.make(plan.encoder, settings, _splits(plan.corpora), settings.seed)
    if plan.processes.first and not plan.wanted.quiet:
        for note in getattr(task, "notes", ()):  # what of the corpus it cannot learn from
            print(note, file=sys.stderr, flush=True)
    if start:
        put_back(task.model, start.tensors(), start.path / checkpoint.WEIGHTS)
    if plan.processes.first:
        owned.claim(out, owned.COREF, overwrite=plan.wanted.overwrite)
    done = train(task, settings, out, identity=plan.identity, quiet=plan.wanted.quiet)
    names = ",".join(one.name for one in plan.corpora)
    model: checkpoint.Model | None = None
    if plan.processes.first:
        curves.draw(out / LOG, out / checkpoint.CURVES, task.metric)
        model = checkpoint.save(
            out,
            task.model,
            plan.encoder,
            {
                "task": plan.kind.name,
                "corpus": names,
                "metric": task.metric,
                "score": done.score,
                "steps": done.steps,
                "best_step": done.best_step,
                "ended_by": done.why,
                "seconds": round(done.seconds, 1),
                "identity": place.digest(plan.identity),
                "init_from": str(start.path) if start else "",
                "scores": done.scores,
                "settings": asdict(settings),
                "corpora": {
                    one.name: _told(one, plan.counts[one.name], plan.identity[f"corpus {one.name}"])
                    for one in plan.corpora
                },
                "versions": {name: version(name) for name in _PACKAGES}
                | {"python": platform.python_version()},
            },
        )
    made: checkpoint.Model = plan.processes.agreed(model)
    return made


@dataclass(frozen=True, slots=True)
class _Watch:
    """Shows how many records were read, where that takes a while."""

    quiet: bool

    def __call__(self, records: Iterable[Any]) -> Iterable[Any]:
        hidden = True if self.quiet else None
        return tqdm(records, unit=" records", delay=2, disable=hidden, leave=False)


@dataclass(frozen=True, slots=True)
class _Joined:
    """The records of one stream after those of another."""

    parts: Sequence[Records]

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self.parts)


def _splits(corpora: Sequence[FoundCorpus]) -> dict[str, Records]:
    if len(corpora) == 1:
        names = ("train", "validation")
        return {split: corpora_found.records(corpora[0], split) for split in names}
    train = _Joined([corpora_found.records(one, "train") for one in corpora])
    return {
        "train": train,
        **{one.name: corpora_found.records(one, "validation") for one in corpora},
    }


def _kind(wanted: Wanted) -> tasks.TaskKind:
    one = wanted.corpora[0]
    name = one.kind if wanted.task == "auto" else wanted.task
    if name != one.kind:
        raise UsageError(
            f"{one.name} holds {corpora_found.HOLDS[one.kind]}, and the task {name} learns from"
            f" {corpora_found.HOLDS[name]}",
            remedy=f"leave --task out, or say --task {one.kind}",
        )
    return tasks.kind(name)


def _presets(wanted: Wanted, kind: tasks.TaskKind) -> list[str]:
    return suited(wanted.presets, kind.name, wanted.config)


def _settings(wanted: Wanted, kind: tasks.TaskKind, start: Checkpoint | None) -> TaskSettings:
    """The settings; what the encoder is comes from the checkpoint that is begun with."""
    own: list[str] = []
    if start:
        used = start.model.encoder
        own = [f"encoder={json.dumps(used.name)}", f"lora={used.lora}"]
        own.append(f"trained={json.dumps(used.trained)}")
    settings = resolve(
        kind.Settings,
        kind.name,
        file=wanted.config,
        presets=_presets(wanted, kind),
        sets=[*own, *wanted.sets],
    )
    if start:
        used = start.model.encoder
        now = {"trained": settings.trained, "lora": settings.lora}
        for key, value in now.items():
            if value != getattr(used, key):
                raise UsageError(
                    f"--init-from {start.path} has {key} {getattr(used, key)}, not {value}",
                    remedy=f"leave {key} out: it is the checkpoint's",
                )
    return settings


def _out(wanted: Wanted, encoder: Encoder) -> Path:
    names = "+".join(one.name for one in wanted.corpora)
    before = wanted.init_from.resolve().name if wanted.init_from else None
    name = f"{before}-{names}" if before else f"{names}-{Path(encoder.name).name}"
    return Path("out") / "models" / name


def _told(corpus: FoundCorpus, counts: Mapping[str, int], fingerprint: str) -> dict[str, Any]:
    """What model.toml says of a corpus."""
    told = {
        "kind": corpus.kind,
        "format": corpus.format,
        "lang": corpus.lang,
        "source": corpus.source,
        "fingerprint": fingerprint,
        **counts,
    }
    if corpus.held_out:
        told |= {"held_out": corpus.held_out.share, "held_out_seed": corpus.held_out.seed}
    return told
