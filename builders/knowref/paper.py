"""The published chain to the letter (spec C1), as far as its tools can be had.

Splitter, tagger, recogniser and parser are the pipeline's instead of NLTK's, Stanford's and
CoreNLP's, and with them three rules that ask them are asked otherwise:

1. Candidate words are those tagged as nouns, instead of those that NLTK's sample of the Penn
   Treebank never has with another tag.
2. A noun phrase is read off the dependency tree: a noun's, with all that hangs on the topmost noun
   above it that is reached without a preposition or a clause.
3. A sentence in which no connective passes is rejected alone. The published code raised an error
   there and dropped the thousand sentences around it with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from corefmill.builders.knowref.record import FoundProblem
from corefmill.builders.knowref.sentences import PaperSentence, parses
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.names import as_found
from corefmill.builders.run.stages import Context, Stage
from corefmill.builders.wiki.article import Article, Redirect, prose
from corefmill.corpora.records import Span

PRONOUNS = (
    "he",
    "she",
    "it",
    "they",
    "him",
    "her",
    "them",
    "their",
    "his",
    "hers",
    "these",
    "those",
)
CONNECTIVES = (
    ",", ";", "or", "since", "but", "because", "although", "even though", "though", "after", "so",
    "if", "whether", "until", "where", "when",
)  # fmt: skip

SURFACE_REASONS = (
    "paragraph_quoted_or_empty",
    "paragraph_without_pattern",
    "no_connective",
    "no_end",
    "no_capital",
    "spaces",
    "signs",
    "no_pronoun",
)

# The comma and the semicolon match where they are glued between two letters, so hardly ever.
_CONNECTIVE = re.compile(rf"\b(?:{'|'.join(map(re.escape, CONNECTIVES))})\b")
_PRONOUN = re.compile(rf"\b(?:{'|'.join(PRONOUNS)})\b")
_SIGNS = re.compile(r"[+=<\d]")
_FEWEST_SPACES, _MOST_SPACES = 10, 32

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}\}?")
_BRACES = re.compile(r"\{([^{}]*)\}")
_BREAK = re.compile(r"<br ?/?>")
_PARENTHESES = re.compile(r"\([^()]*\)")
_HEADING = re.compile(r"^(?:=.*|\*.*)$", re.MULTILINE)
_ARTICLE = re.compile(r"\bart\. \d")
_LINK = re.compile(r"\[\[([^\[\]|]*)(?:\|[^\[\]]*)?\]\]")
_COLON = re.compile(r":\d+")
_LINE = re.compile(r"^[\d*=~#:].*$", re.MULTILINE)
_BLANKS = re.compile(r"\s+")


def clean_text(text: str) -> str:
    """Strip markup and everything but ASCII; "" for a text with a quote."""
    text = _BREAK.sub(" ", _BRACES.sub(r"\1", _TEMPLATE.sub("", text)))
    text = _HEADING.sub("", _PARENTHESES.sub("", _NOT_ASCII.sub("", text)))
    if '"' in text or _ARTICLE.search(text):
        return ""
    text = _LINK.sub(r"\1", text.replace(" M.A. ", " MA "))
    text = _LINE.sub("", _COLON.sub("", text))
    return _BLANKS.sub(" ", text).strip()


def may_hold(text: str) -> bool:
    """Whether a text has a connective with a pronoun behind it at all."""
    connective = _CONNECTIVE.search(text)
    return connective is not None and _PRONOUN.search(text, connective.end()) is not None


def surface_fault(sentence: str) -> str | None:
    """The reason why a sentence is not kept, None if it is."""
    connective = _CONNECTIVE.search(sentence)
    if connective is None:
        return "no_connective"
    if sentence[-1] not in ".!?;,":
        return "no_end"
    if not "A" <= sentence[0] <= "Z":
        return "no_capital"
    if not _FEWEST_SPACES <= sentence.count(" ") <= _MOST_SPACES:
        return "spaces"
    if _SIGNS.search(sentence):
        return "signs"
    return None if _PRONOUN.search(sentence, connective.end()) else "no_pronoun"


TAGS_REASONS = (
    "no_pattern",
    "pronoun_before_candidate",
    "same_candidate",
    "over_5_phrases",
    "no_free_connective",
    "over_2_connectives",
    "under_2_phrases",
    "phrase_again",
)

# DT? JJ* NN+ IN? DT? JJ* NN*, in one letter a tag. The grammar's second rule, with a conjunction,
# never finds a noun that the first has left. A preposition or conjunction behind a noun goes into
# its phrase ("Ann because"), and a connective that is inside a phrase is none: the rule keeps
# mostly those behind a comma.
_PHRASE = re.compile("D?J*N+I?D?J*N*")
_LETTER = {"DT": "D", "IN": "I"}
_WORD = re.compile(r"\w{3,}")
_MOST_PHRASES, _MOST_CONNECTIVES = 5, 2


@dataclass(frozen=True, slots=True)
class _Phrase:
    start: int
    end: int
    key: str
    """The lemmas without articles and adjectives."""
    described: str
    """The articles and adjectives."""
    has_adjective: bool


def tags_fault(forms: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> str | None:
    """The reason why a tagged sentence is not kept, None if it is."""
    return _pattern_fault(forms, tags) or _phrases_fault(forms, tags, lemmas)


def _pattern_fault(forms: Sequence[str], tags: Sequence[str]) -> str | None:
    """Check for two candidates, a connective and a pronoun in this order, greedily matched."""
    pronouns = [index for index, form in enumerate(forms) if form in PRONOUNS]
    last = pronouns[-1] if pronouns else 0
    connectives = [i for i in range(last) if forms[i] in CONNECTIVES]
    nouns = [
        index
        for index in range(connectives[-1] if connectives else 0)
        if tags[index].startswith("NN") and _WORD.fullmatch(forms[index])
    ]
    if len(nouns) < 2:
        return "no_pattern"
    first, second = nouns[-2:]  # greedy: the last two
    if any(form.lower() in PRONOUNS for form in forms[:second]):
        return "pronoun_before_candidate"
    return "same_candidate" if forms[first] == forms[second] else None


def _phrases_fault(forms: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]) -> str | None:
    letters = "".join(
        "J" if tag.startswith("JJ") else "N" if tag.startswith("NN") else _LETTER.get(tag, "x")
        for tag in tags
    )
    phrases = [
        _phrase(*match.span(), letters, forms, lemmas) for match in _PHRASE.finditer(letters)
    ]
    if len(phrases) > _MOST_PHRASES:
        return "over_5_phrases"
    inside = {index for phrase in phrases for index in range(phrase.start, phrase.end)}
    free = [i for i, form in enumerate(forms) if form in CONNECTIVES and i not in inside]
    connectives = [i for i in free if i - 1 not in free]
    if not connectives:
        return "no_free_connective"
    if len(connectives) > _MOST_CONNECTIVES:
        return "over_2_connectives"
    faults = [_connective_fault(phrases, connective) for connective in connectives]
    return None if None in faults else faults[-1]


def _connective_fault(phrases: Sequence[_Phrase], connective: int) -> str | None:
    before = [phrase for phrase in phrases if phrase.end <= connective]
    if len({phrase.key for phrase in before}) < 2:
        return "under_2_phrases"
    described = {phrase.described for phrase in before}
    after = {
        phrase.key
        for phrase in phrases
        if phrase.start > connective and (not phrase.has_adjective or phrase.described in described)
    }
    return "phrase_again" if after & {phrase.key for phrase in before} else None


def _phrase(
    start: int, end: int, letters: str, forms: Sequence[str], lemmas: Sequence[str]
) -> _Phrase:
    words = range(start, end)
    return _Phrase(
        start,
        end,
        "_".join(lemmas[index] or forms[index] for index in words if letters[index] not in "DJ"),
        "_".join(forms[index] for index in words if letters[index] in "DJ"),
        "J" in letters[start:end],
    )


TREES_REASONS = (
    "under_5_words",
    "no_connective_passes",
    "pronoun_not_person",
    "candidate_not_person",
)

_PERSONAL = ("he", "she", "her", "his", "hers", "him")
_WITHIN = ("compound", "flat", "nmod:poss", "nmod:desc", "appos", "conj", "amod", "nummod", "det")
_BINDING = ("case", "cc", "mark", "punct")
_FEWEST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Chosen:
    """Word indexes: the two phrases, the connective behind them, the pronoun."""

    phrases: tuple[Span, Span]
    connective: int
    pronoun: int


def choose(
    forms: Sequence[str],
    tags: Sequence[str],
    relations: Sequence[str],
    heads: Sequence[int],
    is_person: Sequence[bool],
) -> Chosen | str:
    """The problem, or the reason why there is none.

    Of several connectives the last one that passes counts; the pronoun is the sentence's first.
    """
    if len(forms) < _FEWEST_WORDS:
        return "under_5_words"
    phrases = noun_phrases(tags, relations, heads)
    pronouns = [index for index, form in enumerate(forms) if form in PRONOUNS]
    inside = {index for start, end in phrases for index in range(start, end)}
    listed = [index for index, form in enumerate(forms) if form in CONNECTIVES]
    found = None
    for connective in listed:
        if connective - 1 in listed or connective in inside:
            continue
        before = [phrase for phrase in phrases if phrase[1] <= connective]
        smallest = [
            p
            for p in before
            if not any(other != p and p[0] <= other[0] and other[1] <= p[1] for other in before)
        ]
        if len(smallest) == 2 and pronouns and pronouns[0] > connective:
            found = Chosen((smallest[0], smallest[1]), connective, pronouns[0])
    if found is None:
        return "no_connective_passes"
    if forms[found.pronoun] not in _PERSONAL:
        return "pronoun_not_person"
    if not all(is_person[end - 1] for _, end in found.phrases):
        return "candidate_not_person"
    return found


def noun_phrases(tags: Sequence[str], relations: Sequence[str], heads: Sequence[int]) -> list[Span]:
    """The spans of the noun phrases, in order, each once."""
    spans = {
        _span(_top(index, tags, relations, heads), relations, heads)
        for index, tag in enumerate(tags)
        if tag.startswith("N")
    }
    return sorted(spans)


def _top(index: int, tags: Sequence[str], relations: Sequence[str], heads: Sequence[int]) -> int:
    seen = {index}
    while relations[index] in _WITHIN and tags[heads[index]].startswith("N"):
        index = heads[index]
        if index in seen:  # a parser may err in a ring
            break
        seen.add(index)
    return index


def _span(top: int, relations: Sequence[str], heads: Sequence[int]) -> Span:
    """Span the words below `top`, without those binding the phrase to its clause."""
    below = {top}
    grew = True
    while grew:
        more = {i for i, head in enumerate(heads) if head in below and i not in below}
        below |= more
        grew = bool(more)
    start, end = min(below), max(below) + 1
    while start < top and relations[start] in _BINDING:
        start += 1
    return start, end


REASONS = (*SURFACE_REASONS, "over_30_tokens", *TAGS_REASONS, *TREES_REASONS, "swap_breaks")
"""Reject reasons in the order in which they are asked."""

_MOST_TOKENS = 30


@dataclass(frozen=True, slots=True)
class PaperParagraph:
    """A paragraph's index in its article, and its text as the published scripts clean it."""

    article: Article
    index: int
    text: str


def stages(table: KnowrefWords, pipeline: Backend) -> Sequence[Stage]:
    """List the stages from articles to problems."""
    return [
        paragraphs,
        partial(sentences, pipeline),
        partial(parses, pipeline),
        partial(problems, table),
    ]


def paragraphs(
    articles: Iterator[Article | Redirect], context: Context
) -> Iterator[PaperParagraph]:
    """Select the paragraphs with a possible problem."""
    for article, paragraph in prose(articles, context):
        text = clean_text(paragraph.text)
        if not text:
            context.reject("paragraph_quoted_or_empty")
        elif not may_hold(text):
            context.reject("paragraph_without_pattern")
        else:
            yield PaperParagraph(article, paragraph.index, text)


def sentences(
    pipeline: Backend, found: Iterator[PaperParagraph], context: Context
) -> Iterator[PaperSentence]:
    """Select sentences by the surface rules."""
    unit = list(found)
    analyses = pipeline.sentences(paragraph.text for paragraph in unit)
    for paragraph, read in zip(unit, analyses, strict=True):
        for start, end in read.sentences:
            context.count("sentences")
            text = read.text[start:end]
            fault = surface_fault(text)
            if fault is None:
                context.count("sentences_with_pattern")
                yield PaperSentence(paragraph.article, paragraph.index, start, text)
            else:
                context.reject(fault)


def problems(
    table: KnowrefWords, found: Iterator[tuple[PaperSentence, Analysis]], context: Context
) -> Iterator[FoundProblem]:
    """Select problems by the rules on tags, trees and names."""
    for sentence, read in found:
        made = _problem(read)
        if isinstance(made, str):
            context.reject(made, {"title": sentence.article.title, "text": read.text})
            continue
        text, candidates, connective, pronoun = made
        gender = table.gender_of(text[slice(*pronoun)])
        assert gender is not None  # the last gate lets through none but he, she and their like
        mentions = _wherever(candidates, text)
        spans = sorted([*((s, e) for _, s, e in mentions), pronoun, connective])
        if any(left[1] > right[0] for left, right in pairwise(spans)):
            context.reject("swap_breaks", {"title": sentence.article.title, "text": text})
            continue
        yield FoundProblem(
            article=sentence.article,
            paragraph=sentence.paragraph,
            start=sentence.start,
            text=text,
            candidates=candidates,
            mentions=tuple(sorted(mentions, key=lambda mention: mention[1])),
            connective=connective,
            pronoun=pronoun,
            tokens=_split(text),
            gender=gender,
        )


def _wherever(candidates: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """Find the candidates' letters wherever the published swap replaces them."""
    mentions = []
    for index, candidate in enumerate(candidates):
        position = text.find(candidate)
        while position >= 0:
            mentions.append((index, position, position + len(candidate)))
            position = text.find(candidate, position + len(candidate))
    return mentions


_Made = tuple[str, tuple[str, str], Span, Span]


def _problem(read: Analysis) -> _Made | str:
    """Text of tokens, candidates, connective and pronoun, or the reason why there is none."""
    forms = read.forms
    if len(forms) > _MOST_TOKENS:
        return "over_30_tokens"
    fault = tags_fault(forms, read.xpos, read.lemma)
    if fault is not None:
        return fault
    persons = as_found(read)
    is_person = [any(p.start <= s and e <= p.end for p in persons) for s, e in read.words]
    chosen = choose(forms, read.xpos, read.deprel, read.head, is_person)
    if isinstance(chosen, str):
        return chosen
    text = " ".join(forms)
    spans = _split(text)
    first, second = (text[spans[s][0] : spans[e - 1][1]] for s, e in chosen.phrases)
    if first == second:
        return "same_candidate"
    return text, (first, second), spans[chosen.connective], spans[chosen.pronoun]


def _split(text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    position = 0
    for word in text.split(" "):
        spans.append((position, position + len(word)))
        position += len(word) + 1
    return tuple(spans)
