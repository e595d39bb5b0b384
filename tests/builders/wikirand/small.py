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
from corefmill.corpora.records import MaskedExample
from tests.builders.corpus.finished import example

WORDS = ["the", "old", "mill", "stood", "by", "a", "river", "and", "nobody", "knew", "it", "when"]


def pipeline(folder: Path) -> str:
    """The path of a pipeline without weights: sentences end at full stops, names are none."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler")
    nlp.to_disk(folder)
    return str(folder)


def write_text(path: Path, lengths: list[int]) -> Path:
    """Paragraphs of five sentences with the given numbers of tokens."""
    rng = random.Random(7)
    sentences = [
        " ".join(rng.choices(WORDS, k=tokens - 1)).capitalize() + "." for tokens in lengths
    ]
    paragraphs = [" ".join(sentences[at : at + 5]) for at in range(0, len(sentences), 5)]
    path.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    return path


def write_corpus(directory: Path, sizes: Mapping[Cell, int], *, validation: int = 0) -> Path:
    """A finished corpus with so many examples of each size, the last ones for validation."""
    directory.mkdir()
    examples = []
    for cell, number in sizes.items():
        text = " ".join(["ab"] * cell.tokens)
        borders = [0, *(3 * n + 2 for n in range(1, cell.sentences)), len(text)]
        sentences = tuple(pairwise(borders))
        one = replace(example(), text=text, sentences=sentences, target=(0, 2), mentions=())
        examples += [replace(one, id=f"{cell.sentences}-{cell.tokens}-{n}") for n in range(number)]
    cut = len(examples) - validation
    splits = {"train": examples[:cut], "validation": examples[cut:]}
    for name, chosen in splits.items():
        jsonl.write(directory / f"{name}.jsonl", chosen)
    made = Manifest(
        name="wikicrem-en",
        schema="masked-example/1",
        lang="en",
        mode="clean",
        splits={name: len(chosen) for name, chosen in splits.items()},
        seed=0,
        licence="CC0 1.0",
        attribution="nobody",
        **{key: {} for key in ("counts", "versions", "build", "files")},
    )
    manifest.write(directory, made)
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
