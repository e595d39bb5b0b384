"""The stages of the chain builder: from articles to documents, one unit at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.resolve import (
    FAULTS,
    NamedParagraph,
    PersonList,
    ReadSentence,
    Referent,
    ReferentKind,
    Resolver,
)
from corefmill.builders.nlp import WIKI, Analysis, Backend, load_wiki_pipeline
from corefmill.builders.nlp.backend import make_tokens
from corefmill.builders.persons import reference_words, table
from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.prose import is_debris
from corefmill.builders.persons.reference_words import ReferenceWords
from corefmill.builders.persons.spread import relabel_surnames, spread_names
from corefmill.builders.persons.usage import Usage
from corefmill.builders.run.stages import Context, Out, Stage
from corefmill.builders.wiki.article import Article, Passage, Redirect, prose
from corefmill.builders.wiki.markup.settings import without_qualifier
from corefmill.corpora import record_meta
from corefmill.corpora.files import disk, jsonl
from corefmill.corpora.formats.corefud import Comments
from corefmill.corpora.records import Document, Mention, Sentence, Source
from corefmill.corpora.words import count_words

LONGEST = 40
"""Most sentences of a passage; longer passages are cut."""

SENTENCE_FAULTS = ("words_lost", "not_prose", *FAULTS, "low_confidence", "within_word")
"""Reasons for which a sentence is left out."""
PASSAGE_FAULTS = ("no_chain", "too_short", "unknown_name")
"""Reasons for which a passage without a doubtful sentence is left out."""

EVIDENCE: Mapping[str, Mapping[str, Any]] = disk.read_package_table(__file__, "evidence")


# The cache serves the sentences of one paragraph, which are checked one after the other.
_is_debris = lru_cache(maxsize=1)(is_debris)


def find_fault(sentence: ReadSentence, least: float) -> str:
    """Name the reason to leave a sentence out, "" for none."""
    read = sentence.paragraph.read
    if sentence.paragraph.paragraph.lacks_words(*sentence.span):
        return "words_lost"
    if _is_debris(read.text):
        return "not_prose"
    for one in sentence.referents:
        if one.fault:
            return one.fault
        if one.evidence and EVIDENCE[one.evidence]["confidence"] < least:
            return "low_confidence"
        covered = read.words[one.words[0]][0], read.words[one.words[-1]][1]
        if covered != (one.start, one.end):
            return "within_word"
    return ""


def group_passages(clear: Sequence[ReadSentence | None]) -> Iterator[list[ReadSentence]]:
    """Group consecutive clear sentences into passages; None stands for a doubtful sentence."""
    run: list[ReadSentence] = []
    for sentence in (*clear, None):
        if sentence is not None:
            run.append(sentence)
        if run and (sentence is None or len(run) == LONGEST):
            yield run
            run = []


def sentences_to_parse(read: Sequence[ReadSentence], least: float) -> Iterator[ReadSentence]:
    """Choose the sentences that must be parsed, since their trees may change a document.

    `read` are the sentences of an article, resolved with `Resolver.names_alone`. Trees can only add
    doubts, so a run of clear sentences without a chain gives no document with trees, either.
    """
    end = 0
    for is_doubtful, group in groupby(read, key=lambda one: bool(find_fault(one, least))):
        run = list(group)
        begin, end = end, end + len(run)
        chained = () if is_doubtful else _list_chains(run)
        places = [place for place, one in _list_referents(run) if one.person in chained]
        if not places:
            continue
        # A document reaches from the first chained mention to the last; `passages` cuts a long run
        # by its length, so all of that counts.
        last = end if len(run) > LONGEST else begin + places[-1] + 1
        first = begin if len(run) > LONGEST else begin + places[0]
        # A pronoun's person depends on the nouns and doubts of the sentence before.
        while first and any(
            one.kind is ReferentKind.pronoun and one.person is not None
            for one in read[first].referents
        ):
            first -= 1
        yield from read[first:last]


def make_document(
    article: Article, run: Sequence[ReadSentence], people: PersonList, lang: str
) -> Document | str:
    """Make a document of a passage, cut to its chains, or name the reason against one."""
    chained = _list_chains(run)
    places = [place for place, one in _list_referents(run) if one.person in chained]
    if not places:
        return "no_chain"
    run = run[places[0] : places[-1] + 1]
    if len(run) < 2:
        return "too_short"
    if _has_unknown_name(run):
        return "unknown_name"
    sentences, numbers, corefud = _make_sentences(run)
    clusters, links, weights = _make_clusters(run, chained, numbers)
    paragraph = run[0].paragraph.paragraph
    begins = paragraph.place(*run[0].span)[0]
    ends = run[-1].paragraph.paragraph.place(*run[-1].span)[1]
    meta: dict[str, Any] = {
        "source": Source(article.title, article.page_id, paragraph.index, begins, ends).as_json(),
        "chains": {
            "genders": [people.found[person].gender for person in chained],
            "links": links,
        },
        "ontocorefit": {"utterances": {str(at): {"weight": one} for at, one in weights.items()}},
    }
    if corefud:
        meta["corefud"] = {"sentences": corefud}
    key = f"{article.key}-{paragraph.index}-{run[0].span[0]}"
    made = Document(key, 0, lang, sentences, clusters, meta)
    # CoNLL-U and CoNLL-2012 have the weights of sentences as comments.
    usual = Comments(made, "").list_usual
    comments = {at: [*usual(at), record_meta.weight_comment(one)] for at, one in weights.items()}
    for at, own in comments.items():
        corefud.setdefault(str(at), {})["comments"] = own
    meta["corefud"] = {"sentences": corefud}
    meta["conll"] = {"comments": [[at, own[-1]] for at, own in comments.items()]}
    return replace(made, meta=meta)


def _list_referents(run: Sequence[ReadSentence]) -> Iterator[tuple[int, Referent]]:
    """List the referents of all sentences, each with its sentence's place."""
    return ((place, one) for place, sentence in enumerate(run) for one in sentence.referents)


def _list_chains(run: Sequence[ReadSentence]) -> list[int]:
    """List the persons with at least two mentions, in the order of their first."""
    seen = Counter(one.person for _, one in _list_referents(run))
    return [person for person, times in seen.items() if person is not None and times > 1]


def _make_clusters(
    run: Sequence[ReadSentence], chained: Sequence[int], numbers: Sequence[Mapping[int, int]]
) -> tuple[tuple[tuple[Mention, ...], ...], list[list[Any]], dict[int, float]]:
    """Make the clusters of the chained persons, their links, and the sentences' weights.

    A link is [cluster, place in the cluster, evidence, confidence of the evidence]. The weight of a
    sentence is the least confidence of its links.
    """
    clusters: dict[int, list[Mention]] = {person: [] for person in chained}
    links: list[list[Any]] = []
    weights: dict[int, float] = {}
    for place, one in _list_referents(run):
        if one.person not in clusters:
            continue
        own = clusters[one.person]
        number = numbers[place]
        own.append(Mention(place, number[one.words[0]], number[one.words[-1]] + 1))
        if len(own) > 1:
            sure = EVIDENCE[one.evidence]["confidence"]
            links.append([chained.index(one.person), len(own) - 1, one.evidence, sure])
            weights[place] = min(sure, weights.get(place, 1.0))
    return tuple(map(tuple, clusters.values())), links, weights


def _has_unknown_name(run: Sequence[ReadSentence]) -> bool:
    """Tell whether a word tagged as a name, but in no entity, comes twice in a passage.

    It may be a person whose chain is missing.
    """
    seen: set[str] = set()
    for sentence in run:
        paragraph, (start, end) = sentence.paragraph, sentence.span
        known = [name.mention for name in paragraph.names]
        known += [(entity.start, entity.end) for entity in paragraph.read.entities]
        for (s, e), tag in zip(paragraph.read.words, paragraph.read.upos, strict=False):
            if tag != "PROPN" or s < start or end < e or any(a < e and s < b for a, b in known):
                continue
            if paragraph.read.text[s:e] in seen:
                return True
            seen.add(paragraph.read.text[s:e])
    return False


def _make_sentences(
    run: Sequence[ReadSentence],
) -> tuple[tuple[Sentence, ...], list[dict[int, int]], dict[str, Any]]:
    """Make a document's sentences, their word numbers by indexes in the analysis, and their
    multiword tokens as CorefUD's reader leaves them."""
    made: list[Sentence] = []
    numbers: list[dict[int, int]] = []
    corefud: dict[str, Any] = {}
    for place, sentence in enumerate(run):
        read, (start, end) = sentence.paragraph.read, sentence.span
        own = [i for i, (s, e) in enumerate(read.words) if start <= s and e <= end]
        made.append(Sentence(make_tokens(read, own)))
        numbers.append({index: number for number, index in enumerate(own)})
        written: dict[str, str] = {}
        for number, index in enumerate(own, 1):
            span = read.words[index]
            if number > 1 and read.words[own[number - 2]] == span:
                continue
            last = number + sum(read.words[i] == span for i in own[number:])
            if last > number:
                written[f"{number}-{last}"] = read.text[slice(*span)]
        if written:
            corefud[str(place)] = {"multiword": written}
    return tuple(made), numbers, corefud


CHANNEL = "documents"
LONGEST_PARAGRAPH = 20_000
"""Characters."""


class ReadArticle(NamedTuple):
    """An article with its persons and its sentences, resolved."""

    article: Article
    people: PersonList
    sentences: Sequence[ReadSentence]


def setup(read: Stage, options: ChainsOptions, persons: Path | None = None) -> Sequence[Stage]:
    """Make the stages for one worker process, from the input to records in `documents`.

    `persons` is the file with the wiki's persons, where names come from the wiki.
    """
    pipeline = load_wiki_pipeline(options.pipeline, options.lang, persons)
    genders = Genders(options.lang, table.load(options.lang))
    return [
        read,
        partial(analyse_paragraphs, pipeline),
        partial(link_articles, options, pipeline, genders, reference_words.load(options.lang)),
        partial(make_documents, options),
    ]


def analyse_paragraphs(
    pipeline: Backend,
    articles: Iterator[Article | Redirect],
    context: Context,
    longest: int | None = LONGEST_PARAGRAPH,
) -> Iterator[tuple[Passage, Analysis]]:
    """Find the names of paragraphs of running text, and parse them unless `chains` does."""
    unit: list[Passage] = []
    for article, paragraph in prose(articles, context, longest):
        unit.append(Passage(article, paragraph, 0, paragraph.text))
        context.count("words", count_words(paragraph.text))
    if pipeline.parses_apart or pipeline.name == WIKI:
        analyses = pipeline.on_passages(unit)
    else:
        analyses = pipeline.full(passage.text for passage in unit)
    yield from zip(unit, analyses, strict=True)


def link_articles(
    options: ChainsOptions,
    pipeline: Backend,
    genders: Genders,
    reference: ReferenceWords,
    found: Iterator[tuple[Passage, Analysis]],
    context: Context,
    accepted: Set[str] = frozenset(),
) -> Iterator[ReadArticle]:
    """Link the names and gendered pronouns of each article, as far as nothing is in doubt.

    `accepted` are the doubts to link in spite of, see `Resolver`.
    """
    words = genders.words
    for _, same in groupby(found, key=lambda one: id(one[0].article)):
        read = list(same)
        article = read[0][0].article
        analyses = relabel_surnames([analysis for _, analysis in read])
        named = spread_names(analyses, words)
        usage = Usage(article, analyses, words)
        people = PersonList(usage, Persons(usage, genders), words)
        called = [name.text for names in named for name in names]
        if article.is_person:
            called.append(without_qualifier(article.title))
        people.join_names(called)
        paragraphs = [
            NamedParagraph(passage.paragraph, analysis, names)
            for (passage, _), analysis, names in zip(read, analyses, named, strict=True)
        ]
        if pipeline.parses_apart:
            wanted = None
            # Only a tree tells whether an ambiguous word ("sie") is a pronoun: parse all.
            if not accepted | reference.also_plural | reference.also_other:
                by_names = Resolver(people, words, reference, names_alone=True).resolve_article(
                    paragraphs
                )
                chosen = sentences_to_parse(by_names, options.min_confidence)
                wanted = {one.paragraph.paragraph.index for one in chosen}
            paragraphs = list(_add_trees(pipeline, paragraphs, wanted))
        resolver = Resolver(people, words, reference, accepted=accepted)
        resolved = resolver.resolve_article(paragraphs)
        yield ReadArticle(article, people, resolved)


def _add_trees(
    pipeline: Backend, paragraphs: Sequence[NamedParagraph], wanted: Set[int] | None
) -> Iterator[NamedParagraph]:
    """Add trees to the paragraphs with the indexes `wanted`, or to all."""
    chosen = [one for one in paragraphs if wanted is None or one.paragraph.index in wanted]
    texts = ((one.read.text, one.read.sentences) for one in chosen)
    analyses = dict(zip(map(id, chosen), pipeline.trees(texts), strict=True))
    for one in paragraphs:
        tree = analyses.get(id(one))
        yield one if tree is None else replace(one, read=replace(tree, entities=one.read.entities))


def make_documents(
    options: ChainsOptions, articles: Iterator[ReadArticle], context: Context
) -> Iterator[Out]:
    """Make documents of the passages in which every name and pronoun is clear."""
    for article, people, sentences in articles:
        clear: list[ReadSentence | None] = []
        for sentence in sentences:
            context.count("sentences")
            reason = find_fault(sentence, options.min_confidence)
            clear.append(None if reason else sentence)
            if reason:
                text = sentence.paragraph.read.text[slice(*sentence.span)]
                context.reject(reason, {"title": article.title, "text": text})
        for run in group_passages(clear):
            made = make_document(article, run, people, options.lang)
            if isinstance(made, str):
                context.reject(made)
            else:
                context.count("tokens", sum(len(one.tokens) for one in made.sentences))
                yield Out(CHANNEL, jsonl.as_json(made))
