"""Find sentences with a possible pronoun problem in raw text, before any parser sees them.

The genders of a sentence's persons are decided by the names' words and by the article's use of the
names, which is quicker than a parser.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import TypeVar

from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prefilter import cut_raw_sentences, split_name_runs
from corefmill.builders.persons.prose import in_quotation, is_debris
from corefmill.builders.persons.table import Gender, PersonWords
from corefmill.builders.persons.usage import Usage
from corefmill.builders.run.stages import Context
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wiki.markup.records import Paragraph
from corefmill.corpora.records import Span
from corefmill.corpora.words import count_words


def _names(text: str, words: PersonWords) -> Iterator[tuple[str, str]]:
    """List a text's possible names once each, as pairs of honorifics and name."""
    titles = ""
    seen: set[str] = set()
    for run in split_name_runs(text, words.no_names):
        joined = " ".join(run)
        if words.titles.issuperset(run):
            titles = f"{titles}{joined} "
            continue
        title, titles = titles, ""
        if title + joined not in seen:
            seen.add(title + joined)
            yield title, joined


def _may_be(
    titles: str,
    name: str,
    genders: Container[Gender | None],
    persons: Persons,
    words: PersonWords,
) -> bool:
    """Tell whether a name, or its first or last word, may be of one of the `genders`.

    If names decline, each word that the name may be a form of counts ("Annie" is a form of Anna).
    """
    first, last = name.split()[0], name.split()[-1]
    bare = dict.fromkeys((name, *words.may_be(last), *words.may_be(first)))
    forms = [titles + name] if titles else bare
    return any(persons.find_gender(form).form in genders for form in forms)


_QUOTE = re.compile(r"[\"“”„«»]|(?<!\w)['‘]|(?<=[.,!?…—-])['’](?!\w)")
"""Apostrophes that open or close a quotation, not those of "James'" or "un po' di"."""

_NEAR = 20
"""Characters before a pronoun in which a close connective is looked for."""

SHORTEST, LONGEST = 7, 40
"""Words of a sentence; the published ones have 11 to 33 (spec C1, S1)."""
LONGEST_PAIR = 60
"""Words of two sentences together."""
LONGEST_MINED = 80
"""Words of a passage whose pronoun is mined, of one sentence or two."""

SURFACE = (
    "no_pronoun",
    "length",
    "no_connective",
    "pronoun_before",
    "too_few_names",
    "not_prose",
    "words_lost",
    "quoted",
    "too_few_of_gender",
)
"""Reasons of this stage in the order in which they are asked."""

MINED_SURFACE = (
    "no_pronoun",
    "length",
    "both_genders",
    "too_few_names",
    "not_prose",
    "words_lost",
    "quoted",
    "not_opposed",
)
"""The same for mined pronouns."""

_COUNTED = ("no_pronoun", "length", "no_connective")
"""Frequent reasons, whose rejects are counted without their text."""


@dataclass(frozen=True, slots=True)
class ProblemSpans:
    """Connective and pronoun of a problem: half-open offsets into the sentence's text.

    `pattern` is one of PATTERNS; between two sentences the connective is the first one's full stop.
    """

    connective: Span
    pronoun: Span
    pattern: str = "clause"
    earlier: tuple[ProblemSpans, ...] = ()
    """Earlier connectives of the sentence, the last one first."""
    later: tuple[ProblemSpans, ...] = ()
    """If this pronoun may be another word: the places of the pronouns behind it."""


PATTERNS = {
    "clause": "behind a connective of the sentence",
    "opener": "behind the comma of a clause whose connective begins the sentence",
    "close": "right behind a connective that counts there alone",
    "next_sentence": "at the head of the sentence that follows",
}
"""For each place of a pronoun: the place of the persons before it, and its words on the card."""

MINED_PATTERNS = {
    "mined": "in the sentence of both names",
    "mined_next": "in the sentence behind a name's",
}
"""The same for mined pronouns."""


@dataclass(frozen=True, slots=True)
class RawSentence:
    """One sentence, or two, of a paragraph, from the paragraph's offset `start`; `second` is the
    offset in the text of the second sentence, 0 for none."""

    article: Article
    paragraph: Paragraph
    start: int
    text: str
    spans: ProblemSpans
    usage: Usage
    persons: Persons
    second: int = 0

    @property
    def sentences(self) -> tuple[Span, ...]:
        """The spans of both sentences, empty for a single sentence."""
        if not self.second:
            return ()
        first = self.text[: self.second].rstrip()
        return (0, len(first)), (self.second, len(self.text))


AnySentence = TypeVar("AnySentence", RawSentence, Passage)


def find_sentences(
    table: KnowrefWords,
    genders: Genders,
    articles: Iterator[Article | Redirect],
    context: Context,
    *,
    known: bool = True,
    mined: bool = False,
) -> Iterator[RawSentence]:
    """Find sentences with two possible names, then a connective, then a pronoun.

    Two sentences may also form a problem, with the names in the first and the pronoun at the head
    of the second. The names must have the pronoun's gender or, unless `known`, an unknown gender.
    With `mined`, names of both genders stand before the first pronoun.
    """
    words = genders.words
    usage: Usage | None = None
    for article, paragraph in prose(articles, context):
        if usage is None or usage.article is not article:
            usage = Usage(article, (), words)
            persons = Persons(usage, genders)
        spans = [*cut_raw_sentences(paragraph.text, words.titles)]
        context.count("sentences", len(spans))
        if table.pronoun.search(paragraph.text) is None:  # then no sentence of it has one
            for _ in spans:
                context.reject("no_pronoun")
            continue
        for (start, end), (follows, ends) in pairwise((*spans, (0, 0))):
            # 1. By words alone: a sentence, or else the sentence with the next one.
            second, text = 0, paragraph.text[start:end]
            found = (find_mined if mined else find_spans)(text, table, words)
            if isinstance(found, str) and ends:
                find_two = find_mined_pair if mined else find_pair
                pair = find_two(text, paragraph.text[follows:ends], follows - start, table, words)
                if pair is not None:
                    found, second, text = pair, follows - start, paragraph.text[start:ends]
            # 2. By the paragraph, which may lack words. A passage of a mined pronoun may contain
            #    speech, but not around the pronoun.
            if isinstance(found, ProblemSpans):
                place = start + found.pronoun[0] if mined else start
                if paragraph.lacks_words(start, start + len(text)):
                    found = "words_lost"
                elif in_quotation(paragraph.text, place):
                    found = "quoted"
            # 3. By the genders of its names in the article, which cost the most.
            if isinstance(found, ProblemSpans):
                context.count("sentences_with_pattern")
                if mined:
                    names = [*_names(text[: found.pronoun[0]], words)]
                    men, women = (
                        [name for title, name in names if _may_be(title, name, g, persons, words)]
                        for g in (("male",), ("female",))
                    )
                    # One name that may be of either is not two persons.
                    others = {*women} - {*(men if len(men) == 1 else ())}
                    found = found if men and others else "not_opposed"
                else:
                    fit = _find_fitting_place(found, text, table, persons, words, known=known)
                    found = fit or "too_few_of_gender"
            if isinstance(found, ProblemSpans):
                yield RawSentence(article, paragraph, start, text, found, usage, persons, second)
            else:
                kept = None if found in _COUNTED else {"title": article.title, "text": text}
                context.reject(found, kept)


def _find_fitting_place(
    found: ProblemSpans,
    text: str,
    table: KnowrefWords,
    persons: Persons,
    words: PersonWords,
    *,
    known: bool,
) -> ProblemSpans | None:
    """Find the first place with two possible names of its pronoun's gender before it."""
    for tried, place in enumerate((found, *found.later)):
        gender = table.gender_of(text[slice(*place.pronoun)])
        wanted = (gender,) if known else (gender, None)
        names = [*_names(text[: place.connective[0]], words)]
        wrong = (name for name in names if not _may_be(*name, wanted, persons, words))
        # If all names but one are wrong, there are no two, and the last need not be checked.
        most = len(names) - 1
        if most > 0 and len([*islice(wrong, most)]) < most:
            return replace(place, later=found.later[tried:])
    return None


def find_spans(text: str, table: KnowrefWords, words: PersonWords) -> ProblemSpans | str:
    """Find connective and pronoun of a sentence, or the reason against a problem.

    The pronoun is the first of its gender, the connective the last one before it. If the only
    connective begins the sentence, the comma behind its clause is taken. If the pronoun may be
    another word, the pronouns behind it are found, too.
    """
    pronouns = table.find_first_pronouns(text)
    if not pronouns:
        return "no_pronoun"
    if not SHORTEST <= count_words(text) <= LONGEST:
        return "length"
    found = [_find_forms(text, pronoun, table) for pronoun in pronouns]
    places = [place for place in found if place is not None]
    if not places:
        later = table.connective.search(text, pronouns[0][1])
        return "no_connective" if later is None else "pronoun_before"
    places = [place for place in places if _has_two_names(text[: place.connective[0]], words)]
    if not places:
        return "too_few_names"
    if table.is_ambiguous(text[slice(*places[0].pronoun)]):
        places[0] = replace(places[0], later=tuple(places[1:]))
    return _find_style_fault(text) or places[0]


def find_pair(
    first: str, second: str, shift: int, table: KnowrefWords, words: PersonWords
) -> ProblemSpans | str | None:
    """Find the pronoun at the head of the second of two sentences, `shift` behind the first one.

    Returns None if the two sentences are not a problem, and a reason if only their style is against
    it.
    """
    pronoun = table.leading.match(second)
    if pronoun is None or not _has_two_names(first, words):
        return None
    if not SHORTEST <= count_words(first) + count_words(second) <= LONGEST_PAIR:
        return None
    span = pronoun.span("pronoun")
    gender = table.gender_of(second[slice(*span)])
    before = [first[slice(*found)] for found in table.find_first_pronouns(first)]
    if any(table.gender_of(form) == gender and not table.is_ambiguous(form) for form in before):
        return None
    end = len(first)
    place = ProblemSpans((end - 1, end), (span[0] + shift, span[1] + shift), "next_sentence")
    return _find_style_fault(first) or _find_style_fault(second) or place


def find_mined(text: str, table: KnowrefWords, words: PersonWords) -> ProblemSpans | str:
    """Find a sentence's first pronoun, behind two names and without one of the other gender, or the
    reason against a problem. The pronoun counts as its own connective."""
    pronoun = table.pronoun.search(text)
    if pronoun is None:
        return "no_pronoun"
    return _find_mined(text, pronoun.span(), "mined", table, words)


def find_mined_pair(
    first: str, second: str, shift: int, table: KnowrefWords, words: PersonWords
) -> ProblemSpans | str | None:
    """Find the first pronoun of two sentences in the second one, which begins `shift` behind the
    first; None if the first has a pronoun, or the second two names before its own."""
    pronoun = table.pronoun.search(second)
    if pronoun is None or table.collect_genders(first):
        return None
    if _has_two_names(second[: pronoun.start()], words):
        return None
    span = pronoun.start() + shift, pronoun.end() + shift
    text = f"{first}{' ' * (shift - len(first))}{second}"
    return _find_mined(text, span, "mined_next", table, words)


def _find_mined(
    text: str, pronoun: Span, pattern: str, table: KnowrefWords, words: PersonWords
) -> ProblemSpans | str:
    """Make the spans of a mined pronoun, or name the reason against one."""
    if not SHORTEST <= count_words(text) <= LONGEST_MINED:
        return "length"
    if len(table.collect_genders(text)) > 1:
        return "both_genders"
    if not _has_two_names(text[: pronoun[0]], words):
        return "too_few_names"
    return "not_prose" if is_debris(text) else ProblemSpans(pronoun, pronoun, pattern)


def _find_forms(text: str, pronoun: Span, table: KnowrefWords) -> ProblemSpans | None:
    """Find the connectives before a pronoun, the last one first; None for none."""
    if not pronoun[0]:
        return None
    spans = [match.span() for match in table.connective.finditer(text, 1, pronoun[0])]
    found = [ProblemSpans(span, pronoun) for span in reversed(spans)]
    if not found and table.opener.match(text):
        comma = text.find(",", 0, pronoun[0])
        if comma >= 0 and "," not in text[comma + 1 : pronoun[0]]:
            found = [ProblemSpans((comma, comma + 1), pronoun, "opener")]
    close = table.close.search(text, max(1, pronoun[0] - _NEAR), pronoun[0])
    if close is not None and close.end("connective") not in (end for _, end in spans):
        found.insert(0, ProblemSpans(close.span("connective"), pronoun, "close"))
    return replace(found[0], earlier=tuple(found[1:])) if found else None


def _has_two_names(text: str, words: PersonWords) -> bool:
    return len(set(split_name_runs(text, words.no_names_or_titles))) >= 2


def _find_style_fault(text: str) -> str | None:
    """Name the reason why a sentence is not plain prose (debris, a quotation), None for prose."""
    if is_debris(text):
        return "not_prose"
    return "quoted" if _QUOTE.search(text) else None


def parse_sentences(
    pipeline: Backend, sentences: Iterator[AnySentence], context: Context
) -> Iterator[tuple[AnySentence, Analysis]]:
    """Parse each sentence, and find its names."""
    unit = list(sentences)
    yield from zip(unit, pipeline.full(sentence.text for sentence in unit), strict=True)
