"""What the pointer learns of mined pronouns and of masked names, beside rules without learning.

    python -m benchmarks.pointer out/pointer --data-dir data --most 500 --seeds 0 1 2 \\
        --train mined=out/pronouns-en --train names=out/wikicrem-en \\
        --train both=out/pronouns-en,out/wikicrem-en

The encoder is frozen. Of each corpus the first `--most` examples of a shuffle by seed 0 are learnt
from, so that corpora compare at equal numbers; several numbers give a learning curve. With `--set
syntax=true` the corpora are what `corefmill parse` has made of them. The table, in OUT/results.md
too, has the mean over seeds, and of the first seed the 95 % interval over items. A tenth of the
examples, not learnt from, chooses the epoch: nothing is chosen by the sets of the table.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Sequence
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from corefmill.builders.nlp import load_pipeline
from corefmill.builders.nlp.roles import find_roles
from corefmill.coref_model.encoder import Encoder
from corefmill.coref_model.evaluation.masked import score_corpus
from corefmill.coref_model.evaluation.rows import (
    MODEL,
    EvaluationOptions,
    Parser,
    ScoreRow,
)
from corefmill.coref_model.masked.answers import BY_TEXT, score_by_role
from corefmill.coref_model.masked.pointer import KIND, PointerSettings
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.coref_model.training.config import resolve
from corefmill.coref_model.training.loop import seed_all, train
from corefmill.coref_model.training.task import load_encoder
from corefmill.corpora import find
from corefmill.corpora.card_parts import table
from corefmill.corpora.files.writing import write_whole
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import MaskedExample

SETS = "gap,winobias,dpr"


def main() -> None:
    """Trains and evaluates, and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", action="append", default=[], metavar="NAME=CORPUS[,CORPUS]")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    parser.add_argument("--corpus", default=SETS, help="what is evaluated on")
    parser.add_argument(
        "--most", type=int, nargs="+", default=[10**9], help="examples of each corpus"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="sets")
    parser.add_argument("--lang", default="en", help="language of what is evaluated on")
    options = parser.parse_args()
    nlp = f"{options.lang}_mini"
    options.out.mkdir(parents=True, exist_ok=True)
    sets = [find.find_corpus(name, data_dir=options.data_dir) for name in options.corpus.split(",")]
    found: dict[str, list[list[ScoreRow]]] = {}
    parsed = partial(find_roles, load_pipeline(nlp, options.lang, names=False))
    protocol = EvaluationOptions(parser=lambda _: Parser(nlp, parsed, iter))
    by_role = partial(score_by_role, parsed)
    for name, rule in {**BY_TEXT, f"same role, {nlp}": by_role}.items():
        found[name] = [scores(SimpleNamespace(answers=rule, settings=None), sets, protocol)]
        report(options.out, found)
    settings = resolve(PointerSettings, "pointer", presets=["cpu", "frozen"], sets=options.sets)
    encoder = load_encoder(settings)
    trainings = [one.partition("=")[::2] for one in options.train]
    for (name, corpora), most in product(trainings, options.most):
        splits = [drawn(Path(corpus), most) for corpus in corpora.split(",")]
        examples = [one for split in splits for one in split]
        random.Random(1).shuffle(examples)
        for seed in options.seeds:
            seed_all(seed)
            held = len(examples) // 10
            own = {"train": examples[held:], "validation": examples[:held]}
            task = KIND.make(encoder, settings, own, seed)
            if f"{name}, untrained" not in found:
                untrained = _predictor(task.model, encoder, settings)
                found[f"{name}, untrained"] = [scores(untrained, sets, protocol)]
            learnt = len(task.train)
            began = time.process_time()
            train(task, settings, options.out / f"{name}-{learnt}-{seed}", quiet=True)
            row = f"{name}, {learnt:,} learnt from"
            made = scores(_predictor(task.model, encoder, settings), sets, protocol)
            found.setdefault(row, []).append(made)
            print(f"{row}, seed {seed}: {time.process_time() - began:.0f} CPU seconds", flush=True)
            report(options.out, found)


def _predictor(model: Any, encoder: Encoder, settings: PointerSettings) -> Predictor:
    return Predictor("pointer", model.eval(), encoder, settings)


def drawn(corpus: Path, most: int) -> list[MaskedExample]:
    """At most so many examples of a corpus's training split, or of all, shuffled by seed 0."""
    found = find.open_corpus(corpus)
    there = list(find.records(found, "train" if "train" in found.splits else "all"))
    random.Random(0).shuffle(there)
    return [one for one in there[:most] if isinstance(one, MaskedExample)]


def scores(
    predictor: Any, sets: Sequence[FoundCorpus], options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of each set by its own protocol."""
    made: list[ScoreRow] = []
    for corpus in sets:
        split = find.choose_split(corpus, None)
        rows = score_corpus(predictor, corpus, split, options)
        made += [row for row in rows if row.by == MODEL]  # of the rules `evaluate` adds its own
    return made


def mean(values: Sequence[float], digits: int) -> str:
    """The mean, and behind +- the sample deviation (n - 1) of several; a dash where one is none."""
    if any(map(math.isnan, values)):
        return "-"
    spread = f" +- {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.{digits}f}{spread}"


def report(out: Path, found: dict[str, list[list[ScoreRow]]]) -> None:
    """Prints the table and writes it: of each row the mean over seeds, and an interval."""
    columns: dict[str, None] = {}
    rows = []
    for name, runs in found.items():
        cells = {"row": name, "seeds": str(len(runs))}
        for at, one in enumerate(runs[0] if runs else []):
            key = " ".join(filter(None, (one.corpus, one.group, f"{one.metric} ({one.n:,})")))
            values = [run[at].score for run in runs]
            cells[key] = mean(values, 2 if one.metric == "bias" else 1)
            if len(values) == 1 and one.low is not None and one.high is not None:
                cells[key] += f" ({one.low:.1f}-{one.high:.1f})"
        columns |= dict.fromkeys(cells)
        rows.append(cells)
    lines = table(list(columns), [[cells.get(key, "-") for key in columns] for cells in rows])
    write_whole(out / "results.md", "\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
