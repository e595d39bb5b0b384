"""Convert analysed texts and documents to utterances, and utterances to documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from corefmill.corpora import records
from corefmill.corpora.formats import ontocorefit
from corefmill.corpora.records import Document, Sentence, Span, Token
from corefmill.rules.rule import KeyedMention, Utterance, Written, text


def from_text(
    text: str, words: Sequence[Token], spans: Sequence[Span]
) -> tuple[Utterance, list[Span]]:
    """Make the utterance of a text, without mentions, and the offsets of its words.

    `spans` are the offsets of each word's written token. Several blanks between two tokens become
    one. `space_after` of the words is not read. Raises `ValueError` for spans that leave written
    characters out.
    """
    tokens: list[Token] = []
    written: list[Written] = []
    pieces: list[Span] = []
    position = 0
    last = len(text.rstrip())
    groups = groupby(zip(words, spans, strict=True), key=lambda pair: pair[1])
    for (start, end), pairs in groups:
        if start < position or text[position:start].strip() or not text[start:end].strip():
            raise ValueError(
                f"the token at [{start}, {end}) does not follow the text before offset {position}"
            )
        held = [word for word, _ in pairs]
        if len(held) > 1:
            written.append(Written(len(tokens), len(tokens) + len(held), text[start:end]))
            pieces += [(start + left, start + right) for left, right in _cut(text[start:end], held)]
        else:
            pieces.append((start, end))
        space = end < last and text[end].isspace()
        tokens += [_with_space(word, word.form, False) for word in held[:-1]]
        form = held[-1].form if len(held) > 1 else text[start:end]
        tokens.append(_with_space(held[-1], form, space))
        position = end
    if text[position:].strip():
        raise ValueError(f"no word holds the characters of the text from offset {position} on")
    if tokens:
        tokens[-1] = _with_space(tokens[-1], tokens[-1].form, True)
    return Utterance(tuple(tokens), (), tuple(written)), pieces


def _with_space(word: Token, form: str, space: bool) -> Token:
    if word.form == form and word.space_after == space:
        return word
    return replace(word, form=form, space_after=space)


def _cut(form: str, held: Sequence[Token]) -> list[Span]:
    """Divide the characters of a written token among its words: del is de + l.

    Each of the last words gets the characters that end both the token and its form, and the first
    word gets the rest. Every word has at least one character if there are enough.
    """
    size = len(form)
    ends = [size]
    for number in range(len(held) - 1, 0, -1):
        end = ends[0]
        word = held[number].form.casefold()
        shared = 0
        low = form[:end].casefold()
        while shared < len(word) and low.endswith(word[len(word) - shared - 1 :]):
            shared += 1
        ends.insert(0, max(end - max(shared, 1), min(number, end - 1), 0))
    return list(zip([0, *ends], ends, strict=False))


def mention(key: str, start: int, end: int, pieces: Sequence[Span]) -> KeyedMention:
    """Convert the character offsets of a mention to words; `pieces` are the words' offsets.

    A mention may begin or end within a token of several words: `l presidente` in `del presidente`
    leaves `di` out. Raises `ValueError` if the mention touches no word.
    """
    touched = [
        at for at, (left, right) in enumerate(pieces) if left < end and start < max(right, left + 1)
    ]
    if not touched or start >= end:
        raise ValueError(f"mention {key} at [{start}, {end}) touches no word")
    return KeyedMention(key, touched[0], touched[-1] + 1)


def utterances(document: Document) -> tuple[Utterance, ...]:
    """Make an utterance of each sentence; the key of a mention is its cluster's index.

    Raises `ValueError` for zero and discontinuous mentions, which rules cannot carry.
    """
    mentions: list[list[KeyedMention]] = [[] for _ in document.sentences]
    for number, cluster in enumerate(document.clusters):
        for mention in cluster:
            if mention.zero or mention.parts:
                raise ValueError("the rules cannot carry a zero or discontinuous mention")
            mentions[mention.sentence].append(KeyedMention(str(number), mention.start, mention.end))
    extras = document.meta.get("corefud", {}).get("sentences", {})
    return tuple(
        Utterance(sentence.tokens, tuple(found), read_written(extras.get(str(number), {})))
        for number, (sentence, found) in enumerate(zip(document.sentences, mentions, strict=True))
    )


def read_written(extra: dict[str, Any]) -> tuple[Written, ...]:
    """Read the multiword tokens of a sentence from `meta["corefud"]["sentences"]`."""
    found = []
    for name, columns in extra.get("multiword", {}).items():
        first, last = map(int, name.split("-"))
        found.append(Written(first - 1, last, str(columns).split("\t")[0]))
    return tuple(sorted(found, key=lambda token: token.start))


def read_texts(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the index and the written text of each sentence, with single blanks.

    The text is that of the record of figure 10, else of the tokens; a sentence without text is left
    out. Raises `ValueError` for a malformed record.
    """
    known = ontocorefit.read_records(document)
    for index, (sentence, record) in enumerate(zip(document.sentences, known, strict=True)):
        shown = record.modified_text if record is not None else None
        if shown is None:
            try:
                extra = document.meta.get("corefud", {}).get("sentences", {}).get(str(index), {})
                shown = text(Utterance(sentence.tokens, (), read_written(extra)))
            except (AttributeError, IndexError, TypeError, ValueError):
                raise ValueError(f"utterance {index}: meta.corefud is malformed") from None
        if own := " ".join(shown.split()):
            yield index, own


def document(old: Document, changed: Sequence[Utterance]) -> Document:
    """Make a document with the changed utterances for sentences and the old speakers.

    Changed sentences lose entries of `meta` by word: enhanced dependencies and MISC.
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
