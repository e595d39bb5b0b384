"""Makes `en_small`, the model of documents that ships, of LitBank, and says what it is worth.

    python -m tools.small_documents divide DATA DIVIDED
    train coref --corpus DIVIDED --out MODEL --preset cpu --set ...   (as its card has it)
    python -m tools.small_documents pack MODEL FOLDER
    corefmill evaluate --model FOLDER --corpus DIVIDED --split test
    python -m tools.small_documents rule DIVIDED

`divide` takes whole novels for a test split, by a hash of their names; `train coref` holds the
development split out of the rest. `pack` keeps the weights in half precision. `rule` scores the
simplest rule on the test split: pronouns and runs of capitalised words corefer if they read alike.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path

import tomli_w

from corefmill.coref_model.encoder import tensors
from corefmill.coref_model.training import checkpoint
from corefmill.corpora import find, manifest, statistics
from corefmill.corpora.atomic import new_folder
from corefmill.corpora.formats import registry
from corefmill.corpora.records import Document, Mention
from corefmill.corpora.scoring import coreference
from corefmill.corpora.scoring.metrics import CONLL, METRICS
from corefmill.corpora.scoring.sources import text_of
from corefmill.corpora.scoring.table import derived

SHARE, SEED = 0.1875, 0
"""Of the novels that are the test split: 15 of 80, those of benchmarks/documents.py."""

DEMONSTRATIVE = {"this", "that", "these", "those", "who", "whom", "whose"}
"""Pronouns that are mostly no mentions in LitBank."""


def divide(data: Path, out: Path) -> None:
    """Copies LitBank's files below `data` into `out`/train and `out`/test."""
    corpus = find.found("litbank", data_dir=data)
    drawn = find.with_dev(corpus, SHARE, SEED).held_out
    assert drawn is not None
    form = registry.named(corpus.format)
    with new_folder(out) as folder:
        for path in corpus.splits["all"]:
            [held] = {drawn.has(record) for _, record in form.read(path, corpus.lang)}
            target = folder / ("test" if held else "train")
            target.mkdir(exist_ok=True)
            shutil.copy(path, target)


def pack(model: Path, out: Path) -> None:
    """Writes the model in half precision, without the files that only its training needed."""
    found = checkpoint.read(model)
    with new_folder(out) as folder:
        halved = {
            name: tensor.half() if tensor.is_floating_point() else tensor
            for name, tensor in found.tensors().items()
        }
        tensors.save(halved, folder / checkpoint.WEIGHTS)
        corpora = {
            name: {key: value for key, value in one.items() if key != "source"}
            for name, one in found.model.corpora.items()
        }
        made = replace(
            found.model, sha256=manifest.sha256(folder / checkpoint.WEIGHTS), corpora=corpora
        )
        (folder / checkpoint.MODEL).write_text(tomli_w.dumps(asdict(made)), encoding="utf-8")


def by_rule(document: Document) -> Document:
    """The document with the clusters of the rule for its own."""
    pronouns = statistics.pronouns("en") - DEMONSTRATIVE
    found: dict[str, list[Mention]] = defaultdict(list)
    for number, sentence in enumerate(document.sentences):
        forms = [token.form for token in sentence.tokens]
        kinds = ["p" if f.lower() in pronouns else "n" if f[:1].isupper() else "" for f in forms]
        for kind, run in groupby(range(len(forms)), key=lambda at: kinds[at]):
            places = list(run)
            spans = (
                [(at, at + 1) for at in places] if kind == "p" else [(places[0], places[-1] + 1)]
            )
            for start, end in spans if kind else ():
                found[" ".join(forms[start:end]).lower()].append(Mention(number, start, end))
    return replace(document, clusters=tuple(map(tuple, found.values())))


def rule(divided: Path) -> dict[str, float]:
    """CoNLL F1, in percent, of the rule on the test split, clusters of one kept; and its parts."""
    corpus = find.found(str(divided), data_dir=divided)
    key = [one for one in find.records(corpus, "test") if isinstance(one, Document)]
    metrics = [METRICS[name] for name in CONLL]
    table = coreference.count(map(text_of, key), map(text_of, map(by_rule, key)), metrics)
    scores = table.scores(table.totals())
    return {
        "documents": len(key),
        "conll": 100 * float(derived(scores)["conll"]),
        **{name: 100 * float(values[2]) for name, values in scores.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Does one of the steps above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("step", choices=("divide", "pack", "rule"))
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args(arguments)
    if given.step == "rule":
        print(json.dumps(rule(*given.folders)))
    else:
        {"divide": divide, "pack": pack}[given.step](*given.folders)


if __name__ == "__main__":
    main()
