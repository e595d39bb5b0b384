"""Phrases that stand for answers in evaluation: names of persons, and runs of nouns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from corefmill.builders.nlp.backend import Backend


def persons(pipeline: Backend, texts: Iterable[str]) -> Iterator[Sequence[str]]:
    """Of each text the names of persons, as GAP's evaluation with found candidates needs them."""
    for analysis in pipeline.names(texts):
        yield [
            analysis.text[one.start : one.end] for one in analysis.entities if one.label == "PERSON"
        ]


def nouns(pipeline: Backend, texts: Iterable[str]) -> Iterator[Sequence[str]]:
    """Of each text the longest runs of nouns and proper nouns, as WNLI's candidates are found."""
    for analysis in pipeline.full(texts):
        runs: list[list[int]] = []
        for index, tag in enumerate(analysis.upos):
            if tag not in ("NOUN", "PROPN"):
                continue
            if runs and runs[-1][-1] == index - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        spans = [(analysis.words[run[0]][0], analysis.words[run[-1]][1]) for run in runs]
        yield [analysis.text[start:end] for start, end in spans]
