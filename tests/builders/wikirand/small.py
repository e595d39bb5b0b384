"""A corpus to be like, a text to draw from and a pipeline that loads at once."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import spacy

from corefmill.builders.corpus.options import Mode
from corefmill.builders.run.run import run
from corefmill.builders.sources.inputs import from_text
from corefmill.builders.wikirand.build import Wikirand
from corefmill.builders.wikirand.options import WikirandOptions
from corefmill.builders.wikirand.quotas import Cell
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.manifest import Manifest
from corefmill.corpora.records import MaskedExample, Source

WORDS = ["the", "old", "mill", "stood", "by", "a", "river", "and", "nobody", "knew", "it", "when"]


def pipeline(folder: Path) -> str:
    """The path of a pipeline without weights: sentences end at full stops, names are none."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler")
    nlp.to_disk(folder)
    return str(folder)


def sentence(rng: random.Random, tokens: int) -> str:
    """A sentence of so many tokens, its full stop among them."""
    return " ".join(rng.choices(WORDS, k=tokens - 1)).capitalize() + "."


def write_text(path: Path, lengths: list[int], *, per_paragraph: int = 5) -> Path:
    """Paragraphs of sentences with the given numbers of tokens."""
    rng = random.Random(7)
    sentences = [sentence(rng, tokens) for tokens in lengths]
    paragraphs = [
        " ".join(sentences[start : start + per_paragraph])
        for start in range(0, len(sentences), per_paragraph)
    ]
    path.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    return path


def write_corpus(directory: Path, sizes: Mapping[Cell, int], *, validation: int = 0) -> Path:
    """A finished corpus with so many examples of each size, the last ones for validation."""
    directory.mkdir()
    examples = []
    for cell, number in sizes.items():
        text = " ".join(["ab"] * cell.tokens)
        borders = [0, *(3 * n + 2 for n in range(1, cell.sentences)), len(text)]
        example = MaskedExample(
            id=f"{cell.sentences}-{cell.tokens}",
            lang="en",
            text=text,
            sentences=tuple(pairwise(borders)),
            target=(0, 2),
            candidates=("ab", "cd"),
            mentions=(),
            label=0,
            source=Source("Mill", 1, 0),
        )
        examples += [replace(example, id=f"{example.id}-{n}") for n in range(number)]
    cut = len(examples) - validation
    splits = {"train": examples[:cut], "validation": examples[cut:]}
    for name, chosen in splits.items():
        jsonl.write(directory / f"{name}.jsonl", chosen)
    manifest.write(
        directory,
        Manifest(
            name="wikicrem-en",
            schema="masked-example/1",
            lang="en",
            mode="clean",
            splits={name: len(chosen) for name, chosen in splits.items()},
            counts={},
            seed=0,
            versions={},
            build={},
            licence="CC0 1.0",
            attribution="nobody",
            files={},
        ),
    )
    return directory


def built(
    like: Path, texts: list[Path], nlp: str, out: Path, *, workers: int = 1, mode: str = "clean"
) -> list[MaskedExample]:
    """The control corpus in `out`, train before validation."""
    options = WikirandOptions(like=like, mode=Mode(mode), nlp=nlp, out=out, seed=3)
    job, assembly = Wikirand(options, [from_text([str(path) for path in texts])]).plan()
    with run(job, workers=workers, progress=False) as result:
        assembly(result)
    return [
        record
        for split in ("train", "validation")
        for record in jsonl.read(out / f"{split}.jsonl", MaskedExample)
    ]
