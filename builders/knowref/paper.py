"""Follow the published chain of KnowRef-60K (Emami et al. 2020) to the letter, with other tools.

Splitter, tagger, recogniser and parser are the pipeline's instead of NLTK's, Stanford's and
CoreNLP's. So three rules differ:

1. Candidate words are those tagged as nouns, instead of those that NLTK's sample of the Penn
   Treebank never has with another tag.
2. A noun phrase is read off the dependency tree: all words below the topmost noun that is reached
   from its noun without a preposition or a clause.
3. A sentence without a connective that passes is rejected alone. The published code raised an error
   and dropped a thousand sentences with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from corefmill.builders.knowref.record import FoundProblem
from corefmill.builders.knowref.sentences import parse_sentences
from corefmill.builders.knowref.table import KnowrefWords
from corefmill.builders.nlp import Analysis, Backend
from corefmill.builders.persons.names import list_recognised
from corefmill.builders.run.stages import Context, Stage
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
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

# The comma and the semicolon match only between two letters without blanks, so hardly ever.
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
    """Tell whether a text has a connective with a pronoun behind it."""
    connective = _CONNECTIVE.search(text)
    return connective is not None and _PRONOUN.search(text, connective.end()) is not None


def find_surface_fault(sentence: str) -> str | None:
    """Name the surface rule of the paper that a sentence breaks, None for none."""
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
# never finds a noun that the first rule has left. A preposition or conjunction behind a noun
# becomes part of its phrase ("Ann because"), and a connective inside a phrase does not count:
# mostly connectives behind a comma remain.
_PHRASE = re.compile("D?J*N+I?D?J*N*")
_LETTER = {"DT": "D", "IN": "I"}
_WORD = re.compile(r"\w{3,}")
_MOST_PHRASES, _MOST_CONNECTIVES = 5, 2


def find_tags_fault(read: Analysis) -> str | None:
    """Name the rule on parts of speech that a sentence breaks, None for none."""
    forms, tags = read.forms, read.xpos
    # 1. A greedy match of two candidates, a connective and a pronoun: the last pronoun, the last
    #    connective before it, and of the nouns before that the last two.
    last = max((i for i, form in enumerate(forms) if form in PRONOUNS), default=0)
    joint = max((i for i in range(last) if forms[i] in CONNECTIVES), default=0)
    nouns = [i for i in range(joint) if tags[i].startswith("NN") and _WORD.fullmatch(forms[i])]
    if len(nouns) < 2:
        return "no_pattern"
    first, second = nouns[-2:]
    if any(form.lower() in PRONOUNS for form in forms[:second]):
        return "pronoun_before_candidate"
    if forms[first] == forms[second]:
        return "same_candidate"
    # 2. Few phrases, and few connectives outside; of two connectives in a row the first counts.
    letters = "".join(
        "J" if tag.startswith("JJ") else "N" if tag.startswith("NN") else _LETTER.get(tag, "x")
        for tag in tags
    )
    phrases = [match.span() for match in _PHRASE.finditer(letters)]
    if len(phrases) > _MOST_PHRASES:
        return "over_5_phrases"
    inside = {index for phrase in phrases for index in range(*phrase)}
    free = [i for i, form in enumerate(forms) if form in CONNECTIVES and i not in inside]
    connectives = [i for i in free if i - 1 not in free]
    if not connectives:
        return "no_free_connective"
    if len(connectives) > _MOST_CONNECTIVES:
        return "over_2_connectives"

    names = {
        phrase: "_".join(
            read.lemma[i] or forms[i] for i in range(*phrase) if letters[i] not in "DJ"
        )
        for phrase in phrases
    }
    details = {
        phrase: "_".join(forms[i] for i in range(*phrase) if letters[i] in "DJ")
        for phrase in phrases
    }
    # 3. One connective must have two phrases before it, none of which comes again behind it. With
    #    an adjective a phrase behind it counts only where one before has the same.
    fault = ""
    for connective in connectives:
        before = [phrase for phrase in phrases if phrase[1] <= connective]
        named = {names[phrase] for phrase in before}
        described = {details[phrase] for phrase in before}
        if len(named) < 2:
            fault = "under_2_phrases"
        elif any(
            names[phrase] in named
            and ("J" not in letters[slice(*phrase)] or details[phrase] in described)
            for phrase in phrases
            if phrase[0] > connective
        ):
            fault = "phrase_again"
        else:
            return None
    return fault


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


def choose_phrases(read: Analysis) -> tuple[Span, Span, int, int] | str:
    """Choose a sentence's two candidate phrases, connective and pronoun, as indexes of words.

    Returns the reject reason if a part is missing. Of several connectives the last one that passes
    counts; the pronoun is the sentence's first.
    """
    forms = read.forms
    if len(forms) < _FEWEST_WORDS:
        return "under_5_words"
    phrases = list_noun_phrases(read)
    inside = {index for phrase in phrases for index in range(*phrase)}
    listed = [index for index, form in enumerate(forms) if form in CONNECTIVES]
    pronoun = next((index for index, form in enumerate(forms) if form in PRONOUNS), -1)
    found = None
    for connective in listed:
        if connective - 1 in listed or connective in inside or pronoun < connective:
            continue
        before = [phrase for phrase in phrases if phrase[1] <= connective]
        # A phrase that holds another one is not a candidate: "the brother of Ann" holds "Ann".
        smallest = [
            p
            for p in before
            if not any(other != p and p[0] <= other[0] and other[1] <= p[1] for other in before)
        ]
        if len(smallest) == 2:
            found = smallest[0], smallest[1], connective, pronoun
    if found is None:
        return "no_connective_passes"
    if forms[pronoun] not in _PERSONAL:
        return "pronoun_not_person"
    persons = list_recognised(read)
    for _, behind in found[:2]:
        start, end = read.words[behind - 1]
        if not any(person.start <= start and end <= person.end for person in persons):
            return "candidate_not_person"
    return found


def list_noun_phrases(read: Analysis) -> list[Span]:
    """List the spans of the noun phrases in words, in order, each once."""
    tops: set[int] = set()
    for index, tag in enumerate(read.xpos):
        if not tag.startswith("N"):
            continue
        top, seen = index, set[int]()  # a parser may err in a ring
        while (
            top not in seen
            and read.deprel[top] in _WITHIN
            and read.xpos[read.head[top]].startswith("N")
        ):
            seen.add(top)
            top = read.head[top]
        tops.add(top)
    return sorted({_span_phrase(read, top) for top in tops})


def _span_phrase(read: Analysis, top: int) -> Span:
    """Find the span of a noun's phrase in the tree, without prepositions and conjunctions."""
    below: set[int] = set()
    more = {top}
    while more:
        below |= more
        more = {i for i, head in enumerate(read.head) if head in below} - below
    start, end = min(below), max(below) + 1
    while start < top and read.deprel[start] in _BINDING:
        start += 1
    return start, end


REASONS = (*SURFACE_REASONS, "over_30_tokens", *TAGS_REASONS, *TREES_REASONS, "swap_breaks")
"""Reject reasons in the order in which they are asked."""

_MOST_TOKENS = 30
_TOKEN = re.compile("[^ ]+")


def stages(table: KnowrefWords, pipeline: Backend) -> Sequence[Stage]:
    """List the stages from articles to problems."""
    return [
        select_paragraphs,
        partial(select_sentences, pipeline),
        partial(parse_sentences, pipeline),
        partial(select_problems, table),
    ]


def select_paragraphs(
    articles: Iterator[Article | Redirect], context: Context
) -> Iterator[Passage]:
    """Select the paragraphs with a possible problem, cleaned as the published scripts do."""
    for article, paragraph in prose(articles, context):
        text = clean_text(paragraph.text)
        if not text:
            context.reject("paragraph_quoted_or_empty")
        elif not may_hold(text):
            context.reject("paragraph_without_pattern")
        else:
            yield Passage(article, paragraph, 0, text)


def select_sentences(
    pipeline: Backend, passages: Iterator[Passage], context: Context
) -> Iterator[Passage]:
    """Select sentences by the surface rules; their offsets are those of the cleaned text."""
    unit = list(passages)
    analyses = pipeline.sentences(paragraph.text for paragraph in unit)
    for paragraph, read in zip(unit, analyses, strict=True):
        for start, end in read.sentences:
            context.count("sentences")
            text = read.text[start:end]
            fault = find_surface_fault(text)
            if fault is None:
                context.count("sentences_with_pattern")
                yield Passage(paragraph.article, paragraph.paragraph, start, text)
            else:
                context.reject(fault)


def select_problems(
    table: KnowrefWords, sentences: Iterator[tuple[Passage, Analysis]], context: Context
) -> Iterator[FoundProblem]:
    """Select problems by the rules on tags, trees and names."""
    for sentence, read in sentences:
        made = find_problem(table, sentence, read)
        if isinstance(made, FoundProblem):
            yield made
        else:
            context.reject(made, {"title": sentence.article.title, "text": read.text})


def find_problem(table: KnowrefWords, sentence: Passage, read: Analysis) -> FoundProblem | str:
    """Make the problem of a parsed sentence, or name the reason against one.

    The text of a problem are the sentence's tokens with blanks between them.
    """
    if len(read.forms) > _MOST_TOKENS:
        return "over_30_tokens"
    if fault := find_tags_fault(read):
        return fault
    chosen = choose_phrases(read)
    if isinstance(chosen, str):
        return chosen
    *phrases, connective, pronoun = chosen
    text = " ".join(read.forms)
    tokens = tuple(match.span() for match in _TOKEN.finditer(text))
    first, second = (text[tokens[s][0] : tokens[e - 1][1]] for s, e in phrases)
    if first == second:
        return "same_candidate"
    gender = table.gender_of(read.forms[pronoun])
    assert gender is not None  # `choose_phrases` passes only he, she and the like
    # The published swap replaces a candidate's letters wherever they stand.
    mentions = [
        (index, *match.span())
        for index, candidate in enumerate((first, second))
        for match in re.finditer(re.escape(candidate), text)
    ]
    spans = sorted([*((s, e) for _, s, e in mentions), tokens[pronoun], tokens[connective]])
    if any(left[1] > right[0] for left, right in pairwise(spans)):
        return "swap_breaks"
    return FoundProblem(
        article=sentence.article,
        paragraph=sentence.paragraph.index,
        start=sentence.start,
        text=text,
        candidates=(first, second),
        mentions=tuple(sorted(mentions, key=lambda mention: mention[1])),
        connective=tokens[connective],
        pronoun=tokens[pronoun],
        tokens=tokens,
        gender=gender,
    )
