"""Text without labels: the prose of a dump, and where the sentences of running text begin."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article
from corefmill.builders.wiki.articles import DumpSource, ReadDump
from tools.pipelines.clean import Words
from tools.pipelines.sources import Sample

_END = re.compile(r"[.!?…]+[\"”’)\]]*\s+(?=[\"“‘(\[]*[^\W_a-z])")
_UNCLEAR = re.compile(r"[!?…][\"”’]+\s+[^\W\d_a-z]")  # '"Go!" Ann said' or two sentences?
_SHORT = re.compile(r"[^\W\d_]|(?:[^\W\d_]\.)+[^\W\d_]")  # an initial, "U.S"


def dump_texts(dump: Path, lang: str) -> Iterator[str]:
    """The running text of a dump's articles, a paragraph at a time."""
    for article in ReadDump(lang)(DumpSource([dump], lang).chunks(), Context(0, 0)):
        if isinstance(article, Article):
            yield from (p.text for p in article.prose if len(p.text) > 60)


def sentence_starts(text: str, words: Words) -> list[int]:
    """The first character of each sentence, by stops before a capital that no short form ends."""
    starts = [0]
    for match in _END.finditer(text):
        stop = match.group().strip('"”’)] \n')
        before = re.split(r"[\s(\[\"“‘]", text[starts[-1] : match.start()])[-1]
        short = stop == "." and (
            bool(_SHORT.fullmatch(before))
            or f"{before}." in words.titles
            or f"{before}." in words.short_forms
        )
        if not short:
            starts.append(match.end())
    return starts


def sentences(text: str, words: Words) -> list[str]:
    """A paragraph cut at its sentences."""
    starts = [*sentence_starts(text, words), len(text)]
    cut = (text[a:b].strip() for a, b in pairwise(starts))
    return [sentence for sentence in cut if sentence]


def with_starts(sample: Sample, words: Words) -> Sample:
    """A sample with the starts of its sentences, unless speech makes that unclear."""
    if _UNCLEAR.search(sample.text):
        return sample
    return replace(sample, starts=tuple(sentence_starts(sample.text, words)))


def dump_paragraphs(
    dump: Path, lang: str, words: Words, rng: random.Random, without: Sequence[Sample]
) -> list[str]:
    """The dump's paragraphs, shuffled, without those that hold a sentence of `without`."""
    kept_out = {_squeezed(sample.text) for sample in without}
    paragraphs = [
        text
        for text in dump_texts(dump, lang)
        if len(text) < 1500
        and text[-1] in ".!?\"”'’)"
        and not any(_squeezed(s) in kept_out for s in sentences(text, words))
    ]
    rng.shuffle(paragraphs)
    return paragraphs


def _squeezed(text: str) -> str:
    return re.sub(r"\W", "", text).lower()
