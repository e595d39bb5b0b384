"""gamma and delta as documents of records, with what OntoCorefIT's JSON has besides (figure 10).

A token is a word of the grammar, as Universal Dependencies cut them; what is written for several
(della: di + la) stands in `meta["corefud"]`, as the reader of CorefUD leaves it, and so do the
empty nodes of dropped subjects (`dropped.py`). delta's `meta`
has the source, by sentence, under the name of its language (`meta["english"]`): text, tokens, and
[cluster, start and end in the source, start and end in the target].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from corefmill.builders.translate.delta.delta import DELETION, Refined
from corefmill.builders.translate.delta.dropped import nodes
from corefmill.builders.translate.delta.readability import readability
from corefmill.builders.translate.english.parts import DocumentPart, origin
from corefmill.corpora import languages
from corefmill.corpora.records import Document, Mention, Sentence
from corefmill.rules import rule


def gamma(part: DocumentPart, refined: Sequence[Refined], lang: str) -> Document:
    """The part before the rules, in the language `lang`."""
    words = [one.gamma for one in refined]
    return _document(part, refined, words, [{} for _ in refined], lang, {})


def delta(part: DocumentPart, refined: Sequence[Refined], lang: str) -> Document:
    """The part after the rules, with their record."""
    numbers = _numbers(refined)
    shown = {str(at): _utterance_record(one, numbers, lang) for at, one in enumerate(refined)}
    given = [_given(one, numbers) for one in refined]
    return _document(
        part,
        refined,
        [one.delta for one in refined],
        [nodes(one.delta, one.shifted, lang) for one in refined],
        lang,
        {"ontocorefit": {"utterances": shown}, languages.key(part.lang): given},
    )


def _numbers(refined: Sequence[Refined]) -> dict[int, int]:
    """The source's clusters, numbered from 0 in the order of their first mention in the target."""
    found: dict[int, int] = {}
    for one in refined:
        for source, _ in one.mentions(one.delta):
            found.setdefault(source.cluster, len(found))
    return found


def _document(
    part: DocumentPart,
    refined: Sequence[Refined],
    utterances: Sequence[rule.Utterance],
    extras: Sequence[dict[str, Any]],
    lang: str,
    more: Mapping[str, Any],
) -> Document:
    clusters: dict[int, list[Mention]] = {number: [] for number in _numbers(refined)}
    written: dict[str, Any] = {}
    for at, (one, utterance, extra) in enumerate(zip(refined, utterances, extras, strict=True)):
        for source, mention in one.mentions(utterance):
            clusters[source.cluster].append(Mention(at, mention.start, mention.end))
        if utterance.written:
            multiword = {f"{w.start + 1}-{w.end}": w.form for w in utterance.written}
            extra = {"multiword": multiword, **extra}
        if extra:
            written[str(at)] = extra
    meta = origin([one.source.index for one in refined], list(clusters))
    if written:
        meta["corefud"] = {"sentences": written}
    return Document(
        part.doc_id,
        part.part,
        lang,
        tuple(
            Sentence(utterance.tokens, one.source.speaker)
            for one, utterance in zip(refined, utterances, strict=True)
        ),
        tuple(map(tuple, clusters.values())),
        {**meta, **more},
    )


def _utterance_record(one: Refined, numbers: Mapping[int, int], lang: str) -> dict[str, Any]:
    """What figure 10 shows of an utterance besides its tokens, speaker and mentions."""
    text = rule.text(one.delta)
    done = [change for change in one.changes if not change.kept]
    return {
        "original_text": rule.text(one.gamma),
        "modified_text": text,
        "tokens_old": [token.form for token in one.gamma.tokens],
        "corefs_old": [
            {"start": own.start, "end": own.end - 1, "label": numbers[source.cluster]}
            for source, own in one.mentions(one.gamma)
        ],
        "readability": readability(text, lang),
        "deleted": any(change.rule == DELETION for change in done),
        "rewritten": any(change.rule != DELETION for change in done),
        "shifted": bool(one.shifted),
        "changes": [asdict(change) for change in done],
    }


def _given(one: Refined, numbers: Mapping[int, int]) -> dict[str, Any]:
    """The utterance of the source and, for each mention, where it is in both languages."""
    pairs = [
        [numbers[source.cluster], source.start, source.end, own.start, own.end]
        for source, own in one.mentions(one.delta)
    ]
    return {
        "text": one.source.text,
        "tokens": list(one.source.forms),
        "mentions": sorted(pairs, key=lambda pair: pair[1:]),
    }
