"""Utterances of a document and back; the record of CoNLL-U keeps the written tokens in its meta.

The sentences of a `Document` that `corpora/formats/corefud.py` has read are utterances: its written
tokens stand in `meta["corefud"]["sentences"]`, as corefud.py explains. `document` writes changed
utterances into a document that the same format can write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corefmill.corpora import records
from corefmill.corpora.formats import ontocorefit
from corefmill.corpora.records import Document, Sentence
from corefmill.rules.rule import KeyedMention, Utterance, Written, text


def utterances(document: Document) -> tuple[Utterance, ...]:
    """One utterance a sentence; the key of a mention is the index of its cluster.

    Raises `ValueError` for zero and discontinuous mentions, which rules cannot carry.
    """
    mentions: list[list[KeyedMention]] = [[] for _ in document.sentences]
    for number, cluster in enumerate(document.clusters):
        for mention in cluster:
            if mention.zero or mention.parts:
                raise ValueError("a zero or discontinuous mention cannot be carried by the rules")
            mentions[mention.sentence].append(KeyedMention(str(number), mention.start, mention.end))
    extras = document.meta.get("corefud", {}).get("sentences", {})
    return tuple(
        Utterance(sentence.tokens, tuple(found), written(extras.get(str(number), {})))
        for number, (sentence, found) in enumerate(zip(document.sentences, mentions, strict=True))
    )


def written(extra: dict[str, Any]) -> tuple[Written, ...]:
    """The written tokens of a sentence by its entry in `meta["corefud"]["sentences"]`."""
    found = []
    for name, columns in extra.get("multiword", {}).items():
        first, last = map(int, name.split("-"))
        found.append(Written(first - 1, last, str(columns).split("\t")[0]))
    return tuple(sorted(found, key=lambda token: token.start))


def read_texts(document: Document) -> Iterator[tuple[int, str]]:
    """Read the utterances of a document by their index, as a reader sees them: blanks as one.

    The text is the record's of figure 10, else the tokens'; what has none is left out. Raises
    `ValueError` for a record that is none.
    """
    known = ontocorefit.records(document)
    for index, (sentence, record) in enumerate(zip(document.sentences, known, strict=True)):
        shown = record.modified_text if record is not None else None
        if shown is None:
            try:
                extra = document.meta.get("corefud", {}).get("sentences", {}).get(str(index), {})
                shown = text(Utterance(sentence.tokens, (), written(extra)))
            except (AttributeError, IndexError, TypeError, ValueError):
                raise ValueError(f"utterance {index}: meta.corefud is malformed") from None
        if own := " ".join(shown.split()):
            yield index, own


def document(old: Document, changed: Sequence[Utterance]) -> Document:
    """The document with these utterances instead of its sentences, speakers kept.

    Of `meta` stays what does not count words: enhanced dependencies and MISC of words are left
    out of sentences that changed.
    """
    clusters: list[list[records.Mention]] = [[] for _ in old.clusters]
    for number, utterance in enumerate(changed):
        for mention in utterance.mentions:
            clusters[int(mention.key)].append(records.Mention(number, mention.start, mention.end))
    before = utterances(old)
    corefud = dict(old.meta.get("corefud", {}))
    sentences = dict(corefud.get("sentences", {}))
    for number, utterance in enumerate(changed):
        if utterance != before[number]:
            kept = {"comments": sentences.get(str(number), {}).get("comments")}
            extra = {key: value for key, value in kept.items() if value is not None}
            if utterance.written:
                extra["multiword"] = {
                    f"{token.start + 1}-{token.end}": token.form for token in utterance.written
                }
            sentences[str(number)] = extra
    corefud["sentences"] = sentences
    return Document(
        doc_id=old.doc_id,
        part=old.part,
        lang=old.lang,
        sentences=tuple(
            Sentence(utterance.tokens, sentence.speaker)
            for utterance, sentence in zip(changed, old.sentences, strict=True)
        ),
        clusters=tuple(map(tuple, clusters)),
        meta={**old.meta, "corefud": corefud},
    )
