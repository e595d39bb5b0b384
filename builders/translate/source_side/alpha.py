"""The dataset alpha (section 4.2.1): mentions, speakers and parts of the source."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.corpora.records import Document, Sentence, Token
from corefmill.rules import documents

_TRACE = re.compile(r"\*(?:[A-Z?]+\*)?(?:-\d+)+|\*[A-Z?]+\*|\*\?\*")
"""What the Penn Treebank writes where nothing is said: *T*-1, *PRO*, *-2, *?*."""
_NO_TAG = ("", "_", "-")
"""What stands in files for a tag or a name that nobody gave."""
Drop: TypeAlias = Callable[[str, ChainMention], None]
"""What is told each mention that leaves, after the reason."""


def to_part(
    document: Document, split: str, context: Context, *, nested: bool = False
) -> DocumentPart:
    """The document as a part of alpha. What is dropped is counted by reason.

    Words that nobody says (traces) leave, and mentions of nothing else with them. Of mentions that
    overlap the shortest stays, of equally long ones the first (figure 3): the paper drops a mention
    that contains tokens of another. Where mentions may be `nested`, only those leave that hold a
    part of another, and the text is as the source has written it, if it says so.
    """
    inside: list[list[ChainMention]] = [[] for _ in document.sentences]
    for cluster, mentions in enumerate(document.clusters):
        for mention in mentions:
            if mention.zero or mention.parts:
                words = document.sentences[mention.sentence].tokens[mention.start : mention.end]
                reason = "zero" if mention.zero else "discontinuous"
                _reject(reason, document, mention.sentence, words, context)
            else:
                own = ChainMention(cluster, mention.start, mention.end)
                inside[mention.sentence].append(own)
    extras = document.meta.get("corefud", {}).get("sentences", {}) if nested else {}
    choose = laminar if nested else innermost
    return DocumentPart(
        split,
        document.doc_id,
        document.part,
        tuple(
            _utterance(
                index,
                sentence,
                own,
                context,
                document,
                choose,
                _spell_tokens(sentence, extras.get(str(index), {})) if nested else None,
            )
            for index, (sentence, own) in enumerate(zip(document.sentences, inside, strict=True))
        ),
        document.lang,
        frozenset(n for n, mentions in enumerate(document.clusters) if len(mentions) == 1),
    )


def _reject(
    reason: str, document: Document, sentence: int, words: Sequence[Token], context: Context
) -> None:
    record = {
        "part": f"{document.doc_id}#{document.part}",
        "sentence": sentence,
        "words": [token.form for token in words],
    }
    context.reject(f"alpha.mentions.{reason}", record)


def _utterance(
    index: int,
    sentence: Sentence,
    mentions: list[ChainMention],
    context: Context,
    document: Document,
    choose: Callable[[list[ChainMention], Drop], tuple[ChainMention, ...]],
    pieces: tuple[str, ...] | None,
) -> SourceUtterance:
    said = [not _is_trace(token.form, token.xpos) for token in sentence.tokens]
    if not all(said):
        context.count("traces", said.count(False))
        before = [0]
        for one in said:
            before.append(before[-1] + one)
        given = mentions
        moved = [replace(m, start=before[m.start], end=before[m.end]) for m in mentions]
        mentions = [mention for mention in moved if mention.length]
        for source, mention in zip(given, moved, strict=True):
            if not mention.length:
                words = sentence.tokens[source.start : source.end]
                _reject("trace", document, index, words, context)
    tokens = [token for token, one in zip(sentence.tokens, said, strict=True) if one]

    def drop(reason: str, mention: ChainMention) -> None:
        _reject(reason, document, index, tokens[mention.start : mention.end], context)

    return SourceUtterance(
        index,
        tuple(token.form for token in tokens),
        tuple(None if token.xpos in _NO_TAG else token.xpos for token in tokens),
        choose(mentions, drop),
        _speaker(sentence.speaker),
        written=None
        if pieces is None
        else tuple(piece for piece, one in zip(pieces, said, strict=True) if one),
    )


def _speaker(name: str | None) -> str | None:
    """The name on one line; what the formats of the output write for nobody is nobody."""
    found = " ".join((name or "").split())
    return None if found in _NO_TAG else found


def _is_trace(form: str, tag: str | None) -> bool:
    return tag == "-NONE-" or _TRACE.fullmatch(form) is not None


def innermost(mentions: list[ChainMention], drop: Drop) -> tuple[ChainMention, ...]:
    """The mentions that no shorter one overlaps, in the order of the text."""
    kept: list[ChainMention] = []  # disjoint, in order
    for mention in sorted(mentions, key=lambda m: (m.length, m.start)):
        following = bisect_left(kept, mention.end, key=lambda m: m.start)
        # None is longer than the mention: if any overlaps it, so does the last that begins in it.
        other = kept[following - 1] if following else None
        if other is None or other.end <= mention.start:
            insort(kept, mention, key=lambda m: m.start)
        elif mention.start <= other.start and other.end <= mention.end:
            same = mention.length == other.length
            drop("same_span" if same else "contains_another", mention)
        else:
            drop("crosses_another", mention)
    return tuple(kept)


def laminar(mentions: list[ChainMention], drop: Drop) -> tuple[ChainMention, ...]:
    """The mentions of which no two hold a part of each other, outer before inner.

    One that begins with an outer mention of its own cluster leaves too: nothing tells them apart.
    """
    kept: list[ChainMention] = []
    open_: list[ChainMention] = []
    keys: set[str] = set()
    for mention in sorted(mentions, key=lambda m: (m.start, -m.length)):
        while open_ and open_[-1].end <= mention.start:
            open_.pop()
        if open_ and open_[-1].end < mention.end:
            drop("crosses_another", mention)
        elif mention.key in keys:
            drop("begins_in_its_cluster", mention)
        else:
            keys.add(mention.key)
            kept.append(mention)
            open_.append(mention)
    return tuple(kept)


def _spell_tokens(sentence: Sentence, extra: dict[str, Any]) -> tuple[str, ...] | None:
    """What of the text each token is, with the blank before it.

    `extra` is the sentence's entry in `meta["corefud"]`. What is written for several words (du: de
    + le) is the first one's, so that a mention of the others begins behind it. None where nothing
    but blanks between all tokens is known, which is what files say that know nothing.
    """
    tokens = sentence.tokens
    together = documents.written(extra)
    if not together and all(token.space_after for token in tokens[:-1]):
        return None
    forms = [token.form for token in tokens]
    for one in together:
        forms[one.start : one.end] = [one.form, *[""] * (one.end - one.start - 1)]
    made: list[str] = []
    blank = False
    for token, form in zip(tokens, forms, strict=True):
        made.append(" " * blank + form if form else "")
        blank = token.space_after if form else blank or token.space_after
    # The blank behind a token of several words is the last one's to say.
    return tuple(made)
