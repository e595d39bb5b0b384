"""Cuts an article into passages in which nothing is in doubt, and makes documents of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from corefmill.builders.chains.entities import PersonList
from corefmill.builders.chains.resolve import FAULTS, ReadSentence, Referent, ReferentKind
from corefmill.builders.nlp.record_tokens import tokens
from corefmill.builders.persons import prose
from corefmill.builders.wiki.article import Article
from corefmill.corpora import beside, sentence_weights
from corefmill.corpora.formats.corefud import Comments
from corefmill.corpora.records import Document, Mention, Sentence, Source

LONGEST = 40
"""Sentences of a passage; what is longer is cut."""
SHORTEST = 2
LEAST = 0.85
"""The confidence that a link must have, unless --min-confidence says another."""

SENTENCE_FAULTS = ("not_prose", *FAULTS, "low_confidence", "within_word")
"""Reasons for which a sentence is left out."""
PASSAGE_FAULTS = ("no_chain", "too_short", "unknown_name")
"""Reasons for which a passage without a doubtful sentence is left out."""

EVIDENCE: Mapping[str, Mapping[str, Any]] = beside.table(__file__, "evidence")


def confidence(evidence: str) -> float:
    """The share of links by this evidence that are right."""
    share: float = EVIDENCE[evidence]["confidence"]
    return share


# The sentences of a paragraph are asked one after the other.
_is_debris = lru_cache(maxsize=1)(prose.is_debris)


def fault(sentence: ReadSentence, least: float) -> str:
    """Why a sentence is left out, "" for no reason."""
    read = sentence.paragraph.read
    if _is_debris(read.text):
        return "not_prose"
    for one in sentence.referents:
        if one.fault:
            return one.fault
        if one.evidence and confidence(one.evidence) < least:
            return "low_confidence"
        covered = read.words[one.words[0]][0], read.words[one.words[-1]][1]
        if covered != (one.start, one.end):
            return "within_word"
    return ""


def passages(clear: Sequence[ReadSentence | None]) -> Iterator[list[ReadSentence]]:
    """The runs of sentences without a doubt between those that have one, which are None."""
    run: list[ReadSentence] = []
    for sentence in (*clear, None):
        if sentence is not None:
            run.append(sentence)
        if run and (sentence is None or len(run) == LONGEST):
            yield run
            run = []


def sentences_to_parse(read: Sequence[ReadSentence], least: float) -> Iterator[ReadSentence]:
    """Choose the sentences whose trees can change a document.

    `read` are the sentences of an article as `Resolver.names_alone` resolves them. Trees can only
    add doubts to these, so a run of clear sentences without a chain gives no document with trees.
    """
    end = 0
    for is_doubtful, group in groupby(read, key=lambda one: bool(fault(one, least))):
        run = list(group)
        begin, end = end, end + len(run)
        chained = () if is_doubtful else _chains(run)
        places = [place for place, one in _referents(run) if one.person in chained]
        if not places:
            continue
        # A document reaches from the first chained mention to the last; `passages` cuts a long run
        # by its length, so all of that counts.
        last = end if len(run) > LONGEST else begin + places[-1] + 1
        first = begin if len(run) > LONGEST else begin + places[0]
        # Whom a pronoun means depends on the nouns, and the doubts, of the sentence before it.
        while first and _links_pronoun(read[first]):
            first -= 1
        yield from read[first:last]


def _links_pronoun(sentence: ReadSentence) -> bool:
    return any(
        one.kind is ReferentKind.pronoun and one.person is not None for one in sentence.referents
    )


def document(
    article: Article, run: Sequence[ReadSentence], people: PersonList, lang: str
) -> Document | str:
    """The passage from the first sentence with a chain to the last one, or why there is none."""
    chained = _chains(run)
    places = [place for place, one in _referents(run) if one.person in chained]
    if not places:
        return "no_chain"
    run = run[places[0] : places[-1] + 1]
    if len(run) < SHORTEST:
        return "too_short"
    chained = _chains(run)
    if not chained:
        return "no_chain"
    if _has_unknown_name(run):
        return "unknown_name"
    sentences, numbers, corefud = _sentences(run)
    clusters, links, weights = _clusters(run, chained, numbers)
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
    made = Document(
        f"{article.key}-{paragraph.index}-{run[0].span[0]}",
        0,
        lang,
        sentences,
        clusters,
        meta,
    )
    return _with_comments(made, weights)


def _with_comments(document: Document, weights: Mapping[int, float]) -> Document:
    """Add the weights of sentences, by their places, as comments for CoNLL-U and CoNLL-2012.

    OntoCorefIT's JSON has them in what it keeps of an utterance.
    """
    if not weights:
        return document
    corefud = document.meta.get("corefud", {})
    sentences = dict(corefud.get("sentences", {}))
    usual = Comments(document, None, False, "").usual
    for at, weight in weights.items():
        comments = [*usual(at), sentence_weights.comment(weight)]
        sentences[str(at)] = {**sentences.get(str(at), {}), "comments": comments}
    own = {
        "corefud": {**corefud, "sentences": sentences},
        "conll": {"comments": [[at, sentence_weights.comment(one)] for at, one in weights.items()]},
    }
    return replace(document, meta={**document.meta, **own})


def _referents(run: Sequence[ReadSentence]) -> Iterator[tuple[int, Referent]]:
    """The referents of all sentences, each with its sentence's place."""
    return ((place, one) for place, sentence in enumerate(run) for one in sentence.referents)


def _chains(run: Sequence[ReadSentence]) -> list[int]:
    """The persons with at least two mentions, in the order of their first."""
    seen: dict[int, int] = {}
    for _, one in _referents(run):
        if one.person is not None:
            seen[one.person] = seen.get(one.person, 0) + 1
    return [person for person, times in seen.items() if times > 1]


def _clusters(
    run: Sequence[ReadSentence], chained: Sequence[int], numbers: Sequence[Mapping[int, int]]
) -> tuple[tuple[tuple[Mention, ...], ...], list[list[Any]], dict[int, float]]:
    """The mentions of each chained person; of each link its cluster, its place there, its evidence
    and how sure that is; and how sure the least sure link of each sentence is."""
    clusters: dict[int, list[Mention]] = {person: [] for person in chained}
    links: list[list[Any]] = []
    weights: dict[int, float] = {}
    for place, one in _referents(run):
        if one.person not in clusters:
            continue
        own = clusters[one.person]
        number = numbers[place]
        own.append(Mention(place, number[one.words[0]], number[one.words[-1]] + 1))
        if len(own) > 1:
            sure = confidence(one.evidence)
            links.append([chained.index(one.person), len(own) - 1, one.evidence, sure])
            weights[place] = min(sure, weights.get(place, 1.0))
    return tuple(map(tuple, clusters.values())), links, weights


def _has_unknown_name(run: Sequence[ReadSentence]) -> bool:
    """Whether a word that is tagged as a name comes twice, and the recogniser knows it as nothing:
    it may be a person whose chain is missing."""
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


def _sentences(
    run: Sequence[ReadSentence],
) -> tuple[tuple[Sentence, ...], list[dict[int, int]], dict[str, Any]]:
    """The sentences; of each the places of its words by their indexes in the analysis; and what is
    written for several words, as CorefUD's reader leaves it."""
    made: list[Sentence] = []
    numbers: list[dict[int, int]] = []
    corefud: dict[str, Any] = {}
    for place, sentence in enumerate(run):
        read, (start, end) = sentence.paragraph.read, sentence.span
        own = [i for i, (s, e) in enumerate(read.words) if start <= s and e <= end]
        made.append(Sentence(tokens(read, own)))
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
