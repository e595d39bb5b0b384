"""Make the record of a pronoun problem, with other names for its two persons.

The new names are of the pronoun's gender and drawn with the seed. So both candidates fit the
pronoun by construction, and knowledge of public figures or of a novel's characters no longer helps.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.persons.table import Gender
from corefmill.builders.run.stages import Context, Out, make_random
from corefmill.builders.wiki.article import Article
from corefmill.corpora.files import jsonl
from corefmill.corpora.records import MaskedExample, Source, Span
from corefmill.corpora.words import cut_tokens

_TRIES = 100
"""Pairs of names that are drawn; if no pair fits, the last pair is taken."""
_LAST_WORD = re.compile(r"(?<!\w)(\w+) $")


def normalise(sentence: str) -> str:
    """Write a sentence for its hash: composed characters, single blanks, none at either end."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def digest(sentence: str) -> str:
    """Hash a sentence by SHA-224, in hexadecimal as the published sets (spec C1, S7)."""
    return hashlib.sha224(sentence.encode()).hexdigest()


def draw_names(
    sentence: str,
    gender: Gender,
    table: KnowrefWords,
    seed: int,
    mentions: Sequence[tuple[int, int, int]] = (),
) -> tuple[str, str]:
    """Draw two new names for a sentence's persons, fit for the words before the old names.

    `mentions` are (person, start, end) of the names to be replaced.

    The names depend on the sentence and the seed alone, so that equal sentences give one problem.
    """
    rng = make_random(seed, "names", digest(normalise(sentence)))
    free = [name for name in table.names_of(gender) if name not in sentence]
    # The word before each mention, one blank away; "" if more is between.
    last_words = ((person, _LAST_WORD.search(sentence[:start])) for person, start, _ in mentions)
    before = {(person, found[1].casefold() if found else "") for person, found in last_words}
    for _ in range(_TRIES):
        names = rng.sample(free, 2)
        if all(table.goes_behind(word, names[person]) for person, word in sorted(before)):
            break
    first, second = names
    return first, second


def rename_persons(
    text: str, spans: Sequence[tuple[int, Span, str]], keep: Sequence[Span]
) -> tuple[str, list[tuple[int, int, int]], list[Span]]:
    """Replace each span (person, span, new name) of a text, and shift other spans along.

    Returns the new text, the new spans, and the new places of the spans `keep`, whose borders must
    not lie in a replaced span.
    """
    made, position = "", 0
    moved: list[tuple[int, int, int]] = []
    shifts: list[tuple[int, int]] = []
    for index, (start, end), name in sorted(spans, key=lambda entry: entry[1]):
        made += text[position:start]
        moved.append((index, len(made), len(made) + len(name)))
        made += name
        position = end
        shifts.append((end, len(made) - end))
    made += text[position:]

    def shift(offset: int) -> int:
        return offset + next((by for end, by in reversed(shifts) if end <= offset), 0)

    return made, moved, [(shift(start), shift(end)) for start, end in keep]


@dataclass(frozen=True, slots=True)
class FoundProblem:
    """A problem after all filters; offsets are those of `text`, the original sentence.

    `candidates` are the two persons, `mentions` their places as (candidate, start, end).
    `inflected` says that other names would not fit. `pattern` is clean mode's; `sentences` is empty
    for a text of one sentence. `place` is the sentence's place in the page or file, if its words
    are unchanged. `label` is a mined pronoun's.
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


def make_records(
    lang: str, table: KnowrefWords, problems: Iterator[FoundProblem], context: Context
) -> Iterator[Out]:
    """Make a record of each problem: the last stage."""
    for problem in problems:
        made = make_example(problem, lang, table, seed=context.seed)
        yield Out("examples", jsonl.as_json(made))


def make_example(
    problem: FoundProblem, lang: str, table: KnowrefWords, *, seed: int
) -> MaskedExample:
    """Make the record of a problem: replace its persons' names by drawn ones of their gender.

    `meta["original"]` holds the sentence, the persons' own names and the digest that stands for
    the sentence in a release.
    """
    names = problem.candidates
    if not problem.inflected:  # another name would need another ending
        names = draw_names(problem.text, problem.gender, table, seed, problem.mentions)
    spans = [
        (index, (start, end), problem.text[start:end] if problem.inflected else names[index])
        for index, start, end in problem.mentions
    ]
    keep = (problem.pronoun, problem.connective, *(problem.sentences or ((0, len(problem.text)),)))
    text, mentions, (pronoun, connective, *sentences) = rename_persons(problem.text, spans, keep)
    meta: dict[str, Any] = {
        **({"pattern": problem.pattern} if problem.pattern else {}),
        **({} if problem.label is not None else {"connective": text[slice(*connective)].lower()}),
        "gender": problem.gender,
        "original": {
            "text": problem.text,
            "candidates": list(problem.candidates),
            "mentions": [list(mention) for mention in problem.mentions],
            "target": list(problem.pronoun),
            **(
                {"sentences": [list(span) for span in problem.sentences]}
                if problem.sentences
                else {}
            ),
            "sha224": digest(normalise(problem.text)),
        },
        "tokens": _tokens(problem, spans),
    }
    return MaskedExample(
        id=f"{problem.article.key}-{problem.paragraph}-{problem.start + problem.pronoun[0]}",
        lang=lang,
        text=text,
        sentences=tuple(sentences),
        target=pronoun,
        candidates=names,
        mentions=tuple(mentions),
        label=problem.label,
        source=Source(
            problem.article.title, problem.article.page_id, problem.paragraph, *problem.place
        ),
        meta=meta,
    )


def _tokens(problem: FoundProblem, spans: Sequence[tuple[int, Span, str]]) -> list[list[int]]:
    """List the spans of the renamed text's tokens, each name a token; cut where a name or pronoun
    begins or ends within one."""
    borders = (
        border for span in (problem.pronoun, *(own for _, own, _ in spans)) for border in span
    )
    outside = [
        piece
        for piece in cut_tokens(problem.tokens, borders)
        if not any(start <= piece[0] and piece[1] <= end for _, (start, end), _ in spans)
    ]
    _, mentions, kept = rename_persons(problem.text, spans, outside)
    return sorted([*([start, end] for _, start, end in mentions), *map(list, kept)])
