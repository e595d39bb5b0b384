"""The record of a pronoun problem: its text with the persons renamed, and where it came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.builders.knowref.swap import digest, drawn, normalised, renamed
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.persons.table import Gender
from corefmill.builders.run.stages import Context, Out
from corefmill.builders.wiki.article import Article
from corefmill.corpora import jsonl
from corefmill.corpora.records import MaskedExample, Source, Span


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """A problem that passed: all offsets are those of `text`, the original sentence.

    `candidates` are the two persons, `mentions` say where they stand as (candidate, start, end).
    `inflected` says that other names would not fit in. `pattern` is clean mode's; `sentences` are
    given where the text is more than one. `place` is where the sentence stands in the page or file,
    if it has its words still. `label` is that of a mined pronoun.
    """

    article: Article
    paragraph: int
    start: int
    text: str
    candidates: tuple[str, str]
    mentions: tuple[tuple[int, int, int], ...]
    connective: Span
    pronoun: Span
    tokens: tuple[Span, ...]
    gender: Gender
    inflected: bool = False
    pattern: str | None = None
    sentences: tuple[Span, ...] = ()
    place: Span | tuple[None, None] = (None, None)
    label: int | None = None


def records(
    lang: str, table: KnowrefWords, found: Iterator[FoundProblem], context: Context, *, swap: bool
) -> Iterator[Out]:
    """The last stage: each problem's record, with other names where `swap`."""
    for problem in found:
        made = example(problem, lang, table, swap=swap, seed=context.seed)
        yield Out("examples", jsonl.as_json(made))


def example(
    found: FoundProblem, lang: str, table: KnowrefWords, *, swap: bool, seed: int
) -> MaskedExample:
    """The problem, with a label where it is mined, and else without.

    `meta["original"]` holds the sentence, the persons' own names and the digest that stands for
    the sentence in a release.
    """
    swap, mined = swap and not found.inflected, found.label is not None
    names = found.candidates
    if swap:
        names = drawn(found.text, found.gender, table, seed, found.mentions)
    spans = [(index, (start, end)) for index, start, end in found.mentions]
    keep = (found.pronoun, found.connective, *(found.sentences or ((0, len(found.text)),)))
    text, mentions, (pronoun, connective, *sentences) = renamed(found.text, spans, names, keep)
    meta: dict[str, Any] = {
        **({"pattern": found.pattern} if found.pattern else {}),
        **({} if mined else {"connective": text[slice(*connective)].lower()}),
        "gender": found.gender,
        "original": {
            "text": found.text,
            "candidates": list(found.candidates),
            "mentions": [list(mention) for mention in found.mentions],
            "target": list(found.pronoun),
            **({"sentences": [list(span) for span in found.sentences]} if found.sentences else {}),
            "sha224": digest(normalised(found.text)),
        },
        "tokens": _tokens(found, spans, names),
    }
    return MaskedExample(
        id=f"{found.article.key}-{found.paragraph}-{found.start + found.pronoun[0]}",
        lang=lang,
        text=text,
        sentences=tuple(sentences),
        target=pronoun,
        candidates=names,
        mentions=tuple(mentions),
        label=found.label,
        source=Source(found.article.title, found.article.page_id, found.paragraph, *found.place),
        meta=meta,
    )


def _tokens(
    found: FoundProblem, spans: Sequence[tuple[int, Span]], names: Sequence[str]
) -> list[list[int]]:
    """The tokens of the renamed text, a name being one where it replaced a person's own; cut where
    a name or the pronoun begins or ends within one."""
    cuts = sorted(
        {border for span in (found.pronoun, *(own for _, own in spans)) for border in span}
    )
    pieces = [piece for token in found.tokens for piece in _pieces(token, cuts)]
    outside = [
        piece
        for piece in pieces
        if not any(start <= piece[0] and piece[1] <= end for _, (start, end) in spans)
    ]
    _, mentions, kept = renamed(found.text, spans, names, outside)
    return sorted([*([start, end] for _, start, end in mentions), *map(list, kept)])


def _pieces(token: Span, cuts: Sequence[int]) -> Iterator[Span]:
    """The token, cut where a name begins or ends within it."""
    start, end = token
    for cut in cuts:
        if start < cut < end:
            yield start, cut
            start = cut
    yield start, end
