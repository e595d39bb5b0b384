"""One pipeline of names for two languages beside one each: which reads better.

    python -m benchmarks.one_pipeline --data ../shared/data [--lang nl es] [--epochs 3]

Each is trained by the first phase of the recipe alone: WikiNEuRal and treebanks, no novels and no
pretrained encoder, as many passes over each language for both. A language's own pipeline has 96
units, the common one as many, then 144 with twice the rows of each table of hashes, which makes it
about as large as both together. Scored on the tenth of WikiNEuRal that the recipe keeps out.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Mapping
from pathlib import Path

from spacy.training import Example
from thinc.api import fix_random_seed

from corefmill.builders.nlp.spacy_backend import fast_products
from corefmill.corpora.tables import table
from tools.pipelines import augment, language, loop, pipeline, score, weights
from tools.pipelines.pipeline import Encoder
from tools.pipelines.sources import NameData

LARGE = Encoder(144, 4, 2, {name: 2 * rows for name, rows in language.NAMES.rows.items()})


def main() -> None:
    """Trains each and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lang", nargs="+", default=["nl", "es"])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    fast_products()
    data = {lang: language.name_data(lang, options.data, options.seed) for lang in options.lang}
    rows = []
    for name, langs, encoder in (
        *((f"{lang} alone", [lang], language.NAMES) for lang in data),
        ("together", list(data), language.NAMES),
        ("together, larger", list(data), LARGE),
    ):
        began = time.process_time()
        own = {lang: data[lang] for lang in langs}
        found = scores(own, options.data, encoder, options.epochs, options.seed)
        spent = f"{time.process_time() - began:.0f}"
        rows += [[name, lang, *cells, spent] for lang, cells in found.items()]
        head = ["pipeline", "language", "PER", "n", "all names", "n", "seconds"]
        print("\n".join(table(head, rows)), flush=True)


def scores(
    data: Mapping[str, NameData], folder: Path, encoder: Encoder, epochs: int, seed: int
) -> dict[str, list[str]]:
    """F1 of persons and of all names by language, of one pipeline trained on all of them."""
    blank = {lang: language.blank(lang, folder, folder, encoder) for lang in data}
    drawn = {lang: augment.gather(own.train["wikineural"]) for lang, own in data.items()}
    first = next(iter(blank.values()))

    def examples(epoch: int) -> list[Example]:
        return [
            loop.name_example(blank[lang], sample)
            for lang, own in data.items()
            for sample in augment.epoch(
                own, drawn[lang], language.FIRST, random.Random(f"{seed} {lang} {epoch}")
            )
        ]

    fix_random_seed(seed)
    plan = loop.Plan("names", epochs, words=800, rate=0.0015, drop=0.1)
    trained = weights.fit(first, pipeline.HOT, examples, plan, seed, lambda _: None)
    found = {}
    for lang, nlp in blank.items():
        weights.put(nlp, trained)
        (kept,) = data[lang].held_out.values()
        counts = score.span_counts(nlp, kept, language.LABELS)
        whole = [sum(column) for column in zip(*counts.values(), strict=True)]
        found[lang] = [
            cell
            for right, made, gold in (counts["PER"], whole)
            for cell in (f"{100 * score.f1(right, made, gold):.1f}", f"{gold:,}")
        ]
    return found


if __name__ == "__main__":
    main()
