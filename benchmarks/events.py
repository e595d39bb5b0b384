"""Events across documents: what the pair scorer gains over its baselines, on its corpus and others.

    corefmill parse data/ecbplus ecbplus.jsonl
    python -m benchmarks.events out/events --corpus ECB+=ecbplus.jsonl \\
        --corpus WEC=data/wec-eng/WEC-Eng_dev_half.json --ablate ECB+ --seeds 0 1 2

A corpus is what `train coref --corpus` takes. Its validation split is what models are tested on,
and is not looked at before; of a corpus without one whole clusters (topics, where it has some),
`--share` of the mentions, are the test. Of the rest `train coref` holds sources out again, to
choose the epoch and the threshold. A model is trained on each corpus with each seed, and tested on
the test of its own and on that and the whole of every other; with --ablate also without all
features of pairs, and without each. A seed changes the model's first weights and the order of the
pairs, not what is held out. Models and scores are kept in OUT, and a run that was stopped goes on
with what is missing; the tables go to OUT/results.md too.

Scores are F1 on gold mentions within gold topics, singletons kept, all topics as one document
(WEC, section 4.2), in percent: the mean over the seeds and, after +-, the standard deviation
(n - 1). The baselines need no training: clusters of one head lemma, and of one wording.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import torch

from benchmarks import seeds
from corefmill.coref_model import load
from corefmill.coref_model.events import baselines
from corefmill.coref_model.events.features import Feature
from corefmill.coref_model.events.model import EventModel
from corefmill.coref_model.events.sampling import Topics, groups
from corefmill.coref_model.events.task import clustered
from corefmill.coref_model.trainer import TrainingRequest, prepare
from corefmill.corpora import find as corpora_found
from corefmill.corpora import jsonl
from corefmill.corpora.atomic import write_whole
from corefmill.corpora.errors import CorefmillError, DataError
from corefmill.corpora.records import EventMention
from corefmill.corpora.tables import table

METRICS = {"conll": "CoNLL", "muc": "MUC", "bcub": "B3", "ceafe": "CEAFe"}

Scores = Mapping[str, float]
"""F1 by metric, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a corpus as they are used here; `whole` where its test was cut from it."""

    name: str
    train: Path
    test: Path
    whole: Path | None

    def tests(self, trained_on: str) -> list[Path]:
        """What a model is tested on: never what it was trained on."""
        cut = self.whole is not None and trained_on != self.name
        return [self.test, *([self.whole] if cut and self.whole else [])]


def main() -> None:
    """Trains and tests what is missing, then prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument(
        "--corpus", action="append", required=True, metavar="NAME=CORPUS", dest="corpora"
    )
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--ablate", metavar="NAME", help="the corpus whose features are left out")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "--set", action="append", default=[], metavar="[NAME:]KEY=VALUE", dest="sets"
    )
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        shown = "\n\n".join("\n".join(lines) for lines in tables(options)) + "\n"
    except CorefmillError as error:
        sys.exit(str(error))
    write_whole(options.out / "results.md", shown)
    print(shown, end="")


def tables(options: argparse.Namespace) -> Iterator[list[str]]:
    """The table of all models and baselines, and that of the features."""
    corpora = [_corpus(options, *text.partition("=")[::2]) for text in options.corpora]
    cells: dict[tuple[str, Path], list[Scores]] = {}
    tests = [path for one in corpora for path in (one.test, one.whole) if path]
    for path in tests:
        for who, scores in _baselines(path):
            cells[who, path] = [scores]
    left_out: dict[str, list[Scores]] = {}
    for seed in options.seeds:  # so that what is stopped early has each model once
        for one in corpora:
            for other in corpora:
                for path in other.tests(one.name):
                    found = _model(options, one, seed, path)
                    cells.setdefault((f"trained on {one.name}", path), []).append(found)
            if one.name == options.ablate:
                for what, kept in _left_out():
                    found = _model(options, one, seed, one.test, what, kept)
                    left_out.setdefault(what, []).append(found)
                everything = cells[f"trained on {one.name}", one.test]
                left_out["nothing"] = everything
    by_test = sorted(cells, key=lambda cell: tests.index(cell[1]))
    rows = {_row(path, who): cells[who, path] for who, path in by_test}
    yield _shown(("tested on", "mentions", "by"), rows)
    if left_out:
        yield _shown(("left out",), {(what,): scores for what, scores in left_out.items()})


def _left_out() -> Iterator[tuple[str, list[Feature]]]:
    names: Sequence[Feature] = get_args(Feature)
    yield "all", []
    for name in names:
        yield name, [one for one in names if one != name]


def _corpus(options: argparse.Namespace, name: str, where: str) -> Corpus:
    """The corpus cut into files of OUT."""
    if not name.replace("+", "").isalnum() or not where:
        sys.exit(f"--corpus {name!r} is not NAME=CORPUS, the name of letters and digits")
    found = corpora_found.found(where, data_dir=options.data_dir)
    if found.kind != "events":
        sys.exit(f"{where} holds {found.holds}")
    cut = corpora_found.with_dev(found, options.share, 0)
    files = [options.out / f"{name}-{part}.jsonl" for part in ("train", "test", "whole")]
    for path, split in zip(files, ("train", "validation"), strict=False):
        jsonl.write(path, corpora_found.records(cut, split))
    if cut.held_out is None:
        return Corpus(name, files[0], files[1], None)
    jsonl.write(files[2], (one for path in files[:2] for one in jsonl.read(path, EventMention)))
    return Corpus(name, *files)


def _model(
    options: argparse.Namespace,
    corpus: Corpus,
    seed: int,
    test: Path,
    left_out: str = "",
    kept: Sequence[Feature] = (),
) -> Scores:
    """The scores of a model on a test, both made unless they are there."""
    name = "-".join(filter(None, (corpus.name, left_out and f"without_{left_out}", str(seed))))
    scores: Path = options.out / f"{name}-on-{test.stem}.json"
    if scores.exists():
        read: Scores = json.loads(scores.read_text(encoding="utf-8"))
        return read
    found = corpora_found.found(str(corpus.train), data_dir=options.data_dir)
    (paths,) = found.splits.values()
    # The records may say that they are of a training split; the file is what counts.
    alone = replace(found, splits={"train": paths}, split_source="files", read={})
    features = [f"features={json.dumps(list(kept))}"] if left_out else []
    prepare(
        TrainingRequest(
            corpora=[alone],
            out=options.out / name,
            sets=(*_sets(options, corpus), *features, f"seed={seed}"),
            quiet=True,
        )
    ).run()
    model = load(options.out / name).model
    assert isinstance(model, EventModel)
    mentions, key = _gold(test)
    result = clustered(key.chains, model.clusters(mentions))
    write_whole(scores, json.dumps(result))
    return result


def _sets(options: argparse.Namespace, corpus: Corpus) -> Iterator[str]:
    """The settings for all corpora, then those that are for this one."""
    names = [text.partition("=")[0] for text in options.corpora]
    divided = [text.partition(":") for text in options.sets]
    for text, (name, _, _) in zip(options.sets, divided, strict=True):
        if name not in names:
            yield text
    yield from (own for name, _, own in divided if name == corpus.name)


def _baselines(path: Path) -> Iterator[tuple[str, Scores]]:
    mentions, key = _gold(path)
    lemma = baselines.same_lemma(mentions, key)
    if lemma is None:
        raise DataError(
            "mentions without a head lemma", path=path, remedy="`corefmill parse` finds them"
        )
    yield "same wording", clustered(key.chains, baselines.same_string(mentions, key))
    yield "same head lemma", clustered(key.chains, lemma)


def _gold(path: Path) -> tuple[list[EventMention], Topics]:
    mentions = list(jsonl.read(path, EventMention))
    return mentions, groups(mentions)


def _row(path: Path, who: str) -> tuple[str, ...]:
    return path.stem.replace("-", " "), f"{len(_gold(path)[0]):,}", who


def _shown(head: Sequence[str], rows: Mapping[tuple[str, ...], Sequence[Scores]]) -> list[str]:
    return table(
        [*head, "seeds", *METRICS.values()],
        (
            [*row, len(runs) if len(runs) > 1 else "", *(_mean(runs, one) for one in METRICS)]
            for row, runs in rows.items()
        ),
    )


def _mean(runs: Sequence[Scores], metric: str) -> str:
    return seeds.mean([100 * run[metric] for run in runs], digits=2)


if __name__ == "__main__":
    main()
