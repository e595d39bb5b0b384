"""Scores of coreference within documents, and what each part of the model is worth.

    python -m benchmarks.documents ontogum litbank [--rows full plain ...] [--seeds 0 1 2]
        [--data-dir data] [--set epochs=8 ...] [--limit N] [--out FOLDER]

Every row is a training on a corpus's train split, as `train coref --corpus NAME --preset cpu` with
the row's settings is, and is scored on its development split: CoNLL F1 over exact spans, mentions
predicted. LitBank, which is not split, is divided into 65 documents and 15 by a hash of their names
(held_out=0.1875, held_out_seed=0). The encoder's vectors are made once, and kept in half precision
in FOLDER for all rows of the same segments. Trainings run one after the other; one that was killed
goes on, one that is done is not done again. The table of all that FOLDER has comes out in Markdown.

A score is that of the model after the last epoch: the split that is scored chooses nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from corefmill.coref_model.documents.task import KIND, DocumentTask
from corefmill.coref_model.encoder import Encoder, load
from corefmill.coref_model.encoder.kept import EncodingCache
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import seed_all, train
from corefmill.corpora import find as corpora_found
from corefmill.corpora import tables
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import CorefmillError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import Document
from corefmill.corpora.scoring.table import derived

ROWS: dict[str, tuple[str, ...]] = {
    "full": (),
    "plain": ("surface=false", "missed=0.0"),
    "no-words": ("surface=false",),
    "no-cost": ("missed=0.0",),
    "no-head-attention": ("head_attention=false",),
    "no-mention-loss": ("mention_loss=0.0", "singletons=drop"),
    "no-genre": ('genre=""',),
    "fewer-spans": ("ratio=0.15",),
    "more-spans": ("ratio=0.4",),
    "fewer-antecedents": ("antecedents=5",),
    "short-segments": ("segment=126", "overlap=0"),
    "trained": ("trained=true", "segment=126", "overlap=0", "max_width=20", "lr_encoder=1e-4"),
    "singletons-dropped": ("singletons=drop",),
    "singletons-kept": ("singletons=keep",),
}
"""Settings of each row over those that all rows share."""

CORPORA: dict[str, tuple[str, ...]] = {
    "ontogum": ("genre=GUM_([a-z]+)_",),
    "litbank": ('genre=""', "held_out=0.1875"),
}
"""Settings that a corpus asks for."""

_ONCE = ("patience=0", f"evaluate_every={10**9}")
"""The development split is scored when the training has ended, and never before."""

_ROOM = 1 << 40
"""Bytes of encodings: whatever there is."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the rows that are asked for and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=["full"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--set", dest="sets", nargs="+", default=[], help="key=value of all rows")
    parser.add_argument("--limit", type=int, help="documents of each split")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/documents"))
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    try:
        for name in options.corpora:
            corpus = corpora_found.found(name, data_dir=options.data_dir)
            for row in options.rows:
                for seed in options.seeds:
                    done = one(corpus, row, seed, options)
                    print(f"{name} {row} {seed}: {done['conll']:.2f}", file=sys.stderr, flush=True)
    except CorefmillError as error:
        sys.exit(str(error))
    found = [json.loads(path.read_text("utf-8")) for path in sorted(options.out.glob("*.json"))]
    print(table(found))


def one(corpus: FoundCorpus, row: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """The result of one training, done now or before."""
    own = (*_ONCE, f"seed={seed}", *CORPORA.get(corpus.name, ()), *ROWS[row])
    settings = resolve(KIND.Settings, "documents", presets=["cpu"], sets=[*options.sets, *own])
    name = f"{corpus.name}-{row}-{seed}"
    path = options.out / f"{name}.json"
    asked = json.loads(json.dumps({"settings": asdict(settings), "limit": options.limit}))
    if path.exists():
        done: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if done["asked"] == asked:
            return done
        sys.exit(f"{path} was made with other settings: name another folder with --out")
    began = time.process_time()
    corpus = corpora_found.with_dev(corpus, settings.held_out, settings.held_out_seed)
    splits = {
        split: list(corpora_found.records(corpus, split))[: options.limit]
        for split in ("train", "validation")
    }
    encoder = load(settings.encoder, trained=settings.trained, lora=settings.lora, seed=seed)
    seed_all(seed)
    task = KIND.make(encoder, settings, splits, seed)
    if encoder.frozen:
        task.encodings = encodings(task, corpus.name, options.out)
    ready = time.process_time()
    identity = {"corpus": corpora_found.fingerprint(corpus), "encoder": encoder.fingerprint}
    trained = train(task, settings, options.out / name, identity=identity | asked, quiet=True)
    task.model.eval()
    (counted,) = task.tables().values()
    scores = counted.scores(counted.totals())
    dev = [record for record in splits["validation"] if isinstance(record, Document)]
    done = {
        "asked": asked,
        "corpus": corpus.name,
        "row": row,
        "seed": seed,
        "encoder": described(encoder),
        "epochs": settings.epochs,
        "steps": trained.steps,
        "trained_on": len(splits["train"]),
        "documents": len(dev),
        "gold": sum(len(cluster) for document in dev for cluster in document.clusters),
        "singletons": "kept" if bool(task.model.singletons) else "dropped",
        "conll": 100 * float(derived(scores)["conll"]),
        **{metric: [100 * float(x) for x in values] for metric, values in scores.items()},
        "cpu_seconds": {"encoding": ready - began, "training": time.process_time() - ready},
    }
    write_whole(path, json.dumps(done, indent=1))
    return done


def encodings(task: DocumentTask, corpus: str, out: Path) -> EncodingCache:
    """What the frozen encoder makes of the task's documents, from a file or made for it."""
    settings = task.settings
    name = f"{corpus}-{task.model.encoder.fingerprint[:8]}-{settings.segment}-{settings.overlap}"
    path = out / f"{name}.safetensors"
    known = load_file(path) if path.exists() else {}
    inputs = {EncodingCache.key(each): each for each in task.inputs()}
    if missing := inputs.keys() - known.keys():
        with torch.no_grad():
            known |= {key: task.model.encoded(inputs[key]).half() for key in sorted(missing)}
        out.mkdir(parents=True, exist_ok=True)
        save_file(known, path)
    found = EncodingCache(_ROOM)
    for key, each in inputs.items():
        vectors = known[key].float()
        found.of(each, lambda _, vectors=vectors: vectors)  # type: ignore[misc]
    return found


def described(encoder: Encoder) -> str:
    """The encoder and what of it is trained."""
    if encoder.trained:
        return f"{encoder.name}, trained"
    return f"{encoder.name}, LoRA {encoder.lora}" if encoder.lora else f"{encoder.name}, frozen"


def table(found: Iterable[dict[str, Any]]) -> str:
    """The results in Markdown: recall, precision and F1 of mentions, F1 of the rest."""
    head = (
        *("corpus", "row", "seed", "encoder", "epochs", "train docs", "docs", "mentions"),
        *("singletons", "CoNLL", "MUC", "B3", "CEAFe", "mentions R / P / F1", "cpu s"),
    )
    order = list(ROWS)
    found = sorted(found, key=lambda one: (one["corpus"], order.index(one["row"]), one["seed"]))
    rows = (
        [
            *(one["corpus"], one["row"], str(one["seed"]), one["encoder"], str(one["epochs"])),
            *(str(one["trained_on"]), str(one["documents"]), f"{one['gold']:,}"),
            *(one["singletons"], f"{one['conll']:.1f}"),
            *(f"{one[metric][2]:.1f}" for metric in ("muc", "bcub", "ceafe")),
            " / ".join(f"{value:.1f}" for value in one["mentions"]),
            f"{one['cpu_seconds']['training']:.0f}",
        ]
        for one in found
    )
    return "\n".join(tables.table(head, rows))


if __name__ == "__main__":
    main()
