"""The hashed form in which problems are released where their text may not be (spec C1, S7).

A line a problem, JSON: the published keys (`original_sentence_hashed`, `candidate0`, `candidate1`,
`correct_candidate`, `annotation_strength`); then `id`, `split`, `mode`, `lang`, `source`, and of
the normalised original sentence `target`, `mentions`, and `sentences` where there are two. No word
of the text is in it but the pronoun's offsets and the names drawn for it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corefmill.builders.corpus.annotate import examples
from corefmill.builders.corpus.split import GROUP
from corefmill.builders.knowref.record import normalise
from corefmill.corpora import manifest
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.files.writing import replacing
from corefmill.corpora.records import MaskedExample


def write_hashed(corpus: Path, path: Path) -> int:
    """Write the corpus in the hashed form; return the number of problems.

    Raises `DataError` for a corpus that `build knowref` has not made.
    """
    made = manifest.read(corpus)
    count = 0
    with replacing(path) as out:
        for split, found in examples(corpus).items():
            for example in found:
                try:
                    line = _line(example, split, made.mode)
                except (KeyError, TypeError, ValueError):
                    raise DataError(
                        f"{example.id} has no original sentence",
                        path=corpus,
                        remedy="only what `build knowref` made can be released so",
                    ) from None
                out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
                count += 1
    return count


def _line(example: MaskedExample, split: str, mode: str) -> dict[str, Any]:
    original = example.meta["original"]
    text: str = original["text"]
    first, second = example.candidates
    strength = example.meta.get("annotation", {}).get("strength")
    kept = ("pattern", "connective", "gender", GROUP, "annotation")
    return {
        "original_sentence_hashed": original["sha224"],
        "candidate0": first,
        "candidate1": second,
        "correct_candidate": None if example.label is None else f"candidate_{example.label}",
        "annotation_strength": None if strength is None else str(strength),
        "id": example.id,
        "split": split,
        "mode": mode,
        "lang": example.lang,
        "target": [_moved(text, offset) for offset in original["target"]],
        "mentions": [
            [index, _moved(text, start), _moved(text, end)]
            for index, start, end in original["mentions"]
        ],
        "sentences": [
            [_moved(text, offset) for offset in span] for span in original.get("sentences", ())
        ],
        "source": example.source.as_json(),
        "meta": {key: example.meta[key] for key in kept if key in example.meta},
    }


def _moved(text: str, offset: int) -> int:
    """Where the border of a word stands in the normalised text."""
    before = normalise(text[:offset])
    return len(before) + bool(before and text[offset - 1].isspace())
