"""Compares translators with references, sentence by sentence, so that a user can choose one.

    python -m benchmarks.translation en_it.tsv [--sample 5000] [--argos FILE] [--model DIR ...]

The table has a header and the columns source, id, en, it, licence. Every engine that is installed
takes part, and those named. chrF and BLEU are sacrebleu's with its defaults (signature printed),
with 95 % intervals over sentences from 1,000 bootstrap samples. A sentence on which an engine fails
counts as an empty translation. Seconds are of the wall and of the
processor, programs of the engine included; its start counts.

English to Italian, all 20,101 sentences of Tatoeba, ParTUT and PUD, by Apertium 3.8.3 with eng-cat
1.0.1 and cat-ita 0.2.2: chrF 48.2 ± 0.3, BLEU 19.6 ± 0.3; of these Tatoeba (17,320) 49.7 and 23.7,
PUD (1,000) 48.1 and 15.8, ParTUT (1,781) 45.6 and 13.2. Its programs crash on two sentences.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.translation import apertium, argos
from corefmill.builders.translation.apertium import Apertium
from corefmill.builders.translation.argos import Argos
from corefmill.builders.translation.protocol import Translator
from corefmill.builders.translation.transformer import TransformerTranslator
from corefmill.corpora.errors import CorefmillError, DataError
from corefmill.corpora.formats import tsv

HEADER = ("source", "id", "en", "{lang}", "licence")
_AT_ONCE = 250


class Pair(NamedTuple):
    """A sentence, its reference and the collection it is from."""

    source: str
    english: str
    reference: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--sample", type=int, help="this many sentences, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0, help="of --sample")
    parser.add_argument("--bootstrap", type=int, default=1000, help="samples of it")
    parser.add_argument("--argos", type=Path, help="an .argosmodel file")
    parser.add_argument("--model", nargs="*", default=[], help="models of transformers")
    parser.add_argument("--json", type=Path, help="write the translations here too, a line each")
    options = parser.parse_args()
    try:
        pairs = read(options.table, options.sample, options.seed)
        print(f"{len(pairs):,} of {options.table.name}, by {os.cpu_count()} cores\n", flush=True)
        for start in engines(options.argos, options.model):
            measure(start(), pairs, options.bootstrap, options.json)
    except CorefmillError as error:
        sys.exit(str(error))


def read(table: Path, sample: int | None, seed: int, lang: str = "it") -> list[Pair]:
    """The pairs of the table, whose references are in the language, or so many, in its order."""
    rows = tsv.read(table, [name.format(lang=lang) for name in HEADER])
    next(rows)
    pairs = [Pair(cells[0], cells[2], cells[3]) for _, cells in rows]
    if sample is None or sample >= len(pairs):
        return pairs
    return [pairs[place] for place in sorted(random.Random(seed).sample(range(len(pairs)), sample))]


def engines(argos_file: Path | None, models: Sequence[str]) -> list[Callable[[], Translator]]:
    """What starts each engine that is installed or named."""
    found: list[Callable[[], Translator]] = []
    if apertium.route("en", "it", apertium.modes()):
        found.append(Apertium)
    if argos_file or (argos.is_installed() and argos.find("en", "it")):
        found.append(lambda: Argos(model=argos_file))
    found += [partial(TransformerTranslator, model) for model in models]
    if not found:
        raise DataError(
            "no translator from English to Italian is here",
            remedy=f"`{apertium.INSTALL}` or `{argos.INSTALL}`",
        )
    return found


def measure(
    translator: Translator, pairs: Sequence[Pair], bootstrap: int, out: Path | None
) -> None:
    """Translates and prints the engine's table, a row for each collection and one for all."""
    texts = [pair.english for pair in pairs]
    wall, processor = time.monotonic(), _processor()
    found: list[str] = []
    for first in range(0, len(texts), _AT_ONCE):
        found += _translated(translator, texts[first : first + _AT_ONCE])
        print(f"\r{translator.name}: {len(found):,}", end="", file=sys.stderr, flush=True)
    wall = time.monotonic() - wall
    print(file=sys.stderr)
    if isinstance(translator, Apertium):
        translator.close()
    processor = _processor() - processor
    print(translator.name)
    print(
        f"{wall:.0f} s, {processor:.0f} s of processor time, "
        f"{len(texts) / processor:.0f} sentences a second of processor time; "
        f"no translation of {found.count('')}"
    )
    print(f"{'':28} {'n':>6}  {'chrF':>12}  {'BLEU':>12}")
    for source in [*sorted({pair.source for pair in pairs}), None]:
        places = [at for at, pair in enumerate(pairs) if source in (None, pair.source)]
        made = scores(
            [found[at] for at in places], [pairs[at].reference for at in places], bootstrap
        )
        cells = "  ".join(
            f"{score['score']:5.1f} ± {score['confidence_var']:4.1f}" for score in made
        )
        print(f"{source or 'all':28} {len(places):6,}  {cells}", flush=True)
    print("\n".join(score["signature"] for score in made), end="\n\n")
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            for pair, text in zip(pairs, found, strict=True):
                line = {"engine": translator.name, **pair._asdict(), "translation": text}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _translated(translator: Translator, texts: Sequence[str]) -> list[str]:
    """The translations, "" for a text on which the engine fails."""
    try:
        return translator.translate(texts)
    except DataError:
        if len(texts) == 1:
            return [""]
    return [made for text in texts for made in _translated(translator, [text])]


def scores(found: Sequence[str], references: Sequence[str], bootstrap: int) -> list[Any]:
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ImportError:
        raise DataError("sacrebleu is not installed", remedy="pip install '.[bench]'") from None
    shown = []
    for metric in (CHRF(), BLEU()):
        score = metric.corpus_score(found, [references], n_bootstrap=bootstrap)
        shown.append(json.loads(score.format(is_json=True, signature=str(metric.get_signature()))))
        shown[-1]["signature"] = f"{shown[-1]['name']}|{metric.get_signature()}"
    return shown


def _processor() -> float:
    """Seconds of this process and of the programs that it has started and seen end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    main()
