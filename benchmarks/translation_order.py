"""Shows that a translation depends on its text alone: two orders, several sizes of batches.

    python -m benchmarks.translation_order SOURCE [--texts 2000] [--translator apertium]

SOURCE is as `build ontonotes-it` takes it; sentences are drawn from it by --seed, none twice. They
are translated at once, then shuffled in batches of 64 and of 7, each time by programs that are new.
Ends with 1 where a text came out otherwise. Processor time includes that of the engine's programs.

Apertium 3.8.3 with eng-cat 1.0.1 and cat-ita 0.2.2, 1,530 sentences of OntoGUM's development part:
none differs, 15 to 18 ms of a processor each. When all programs ran on, 8 ms, and of 300 sentences
42 were tagged otherwise than alone; with all of them started for each text, 800 ms.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from corefmill.builders.translate.english import source
from corefmill.builders.translate.english.detokenise import detokenise
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.builders.translation.resolve import NAMES, resolve
from corefmill.corpora.errors import CorefmillError


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--texts", type=int, default=2000, help="how many sentences")
    parser.add_argument("--seed", type=int, default=0, help="of the draw and the orders")
    parser.add_argument("--translator", choices=NAMES)
    parser.add_argument("--model")
    options = parser.parse_args()
    try:
        texts = sentences(options.source, options.texts, options.seed)
        first = timed(texts, len(texts), options.translator, options.model)
        differ = 0
        for turn, size in enumerate((64, 7)):
            order = sorted(texts)
            Random(options.seed + turn).shuffle(order)
            other = timed(order, size, options.translator, options.model)
            for text in texts:
                if first[text] != other[text]:
                    differ += 1
                    print(f"{text!r}\n  {first[text]!r}\n  {other[text]!r}")
    except CorefmillError as error:
        sys.exit(str(error))
    print(f"{differ} of {len(texts):,} differ")
    sys.exit(differ > 0)


def sentences(path: Path, most: int, seed: int) -> list[str]:
    """So many different sentences of the documents, as they are written."""
    found = {
        detokenise([token.form for token in sentence.tokens])
        for file in source.find_files(path, "en")
        for _, document in file.form.read(file.path, "en")
        for sentence in document.sentences
    }
    return Random(seed).sample(sorted(found), min(most, len(found)))


def timed(texts: Sequence[str], size: int, name: str | None, model: str | None) -> dict[str, str]:
    """The translations, by a translator that is new, in batches; says what they cost."""
    translator = resolve(TranslatorRequest(name=name, model=model))
    wall, processor = time.perf_counter(), _processor()
    found: dict[str, str] = {}
    for first in range(0, len(texts), size):
        batch = texts[first : first + size]
        found |= zip(batch, translator.translate(batch), strict=True)
    del translator  # its programs end, and their time counts
    wall, processor = time.perf_counter() - wall, _processor() - processor
    print(
        f"{len(texts):,} texts in batches of {size:,}: {wall / len(texts) * 1000:.1f} ms a text, "
        f"processor {processor / len(texts) * 1000:.1f} ms",
        flush=True,
    )
    return found


def _processor() -> float:
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


if __name__ == "__main__":
    main()
