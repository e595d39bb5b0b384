"""Select utterances, mentions and clusters: datasets alpha to beta3 (the paper's 4.2.1-4.2.4)."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, compress
from typing import Any, TypeAlias

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.source_side.parts import (
    PRONOUNS,
    SPEAKERS,
    ChainMention,
    DocumentPart,
    SourceUtterance,
)
from corefmill.corpora.records import Document, Sentence, Token
from corefmill.rules import documents

_TRACE = re.compile(r"\*(?:[A-Z?]+\*)?(?:-\d+)+|\*[A-Z?]+\*|\*\?\*")
"""The Penn Treebank's signs for words that nobody says: *T*-1, *PRO*, *-2, *?*."""
_NO_TAG = ("", "_", "-")
"""The signs in files for a missing tag or name."""
Drop: TypeAlias = Callable[[str, ChainMention], None]
"""Function called with the reason and each mention that is dropped."""


def to_part(
    document: Document, split: str, context: Context, *, nested: bool = False
) -> DocumentPart:
    """Convert a document to a part of dataset alpha, counting dropped mentions by reason.

    Words that nobody says (traces) are dropped, and mentions of traces alone. Of overlapping
    mentions the shortest stays, of equally long ones the first (figure 3): the paper drops a
    mention that contains tokens of another. If mentions may be `nested`, only those are dropped
    that hold a part of another, and the text has the source's spacing, if known.
    """
    inside: list[list[ChainMention]] = [[] for _ in document.sentences]
    for cluster, members in enumerate(document.clusters):
        for given in members:
            if given.zero or given.parts:
                words = document.sentences[given.sentence].tokens[given.start : given.end]
                reason = "zero" if given.zero else "discontinuous"
                _reject_words(reason, document, given.sentence, words, context)
            else:
                own = ChainMention(cluster, given.start, given.end)
                inside[given.sentence].append(own)
    extras = document.meta.get("corefud", {}).get("sentences", {}) if nested else {}
    utterances = []
    for index, (sentence, mentions) in enumerate(zip(document.sentences, inside, strict=True)):
        pieces = _spell_tokens(sentence, extras.get(str(index), {})) if nested else None
        # Drop traces and move the offsets of mentions; drop mentions of traces alone.
        said = [t.xpos != "-NONE-" and not _TRACE.fullmatch(t.form) for t in sentence.tokens]
        tokens = [token for token, one in zip(sentence.tokens, said, strict=True) if one]
        if not all(said):
            context.count("traces", said.count(False))
            moved = [0, *accumulate(said)]
            for mention in mentions:
                if moved[mention.start] == moved[mention.end]:
                    words = sentence.tokens[mention.start : mention.end]
                    _reject_words("trace", document, index, words, context)
            mentions = [
                replace(mention, start=moved[mention.start], end=moved[mention.end])
                for mention in mentions
                if moved[mention.start] < moved[mention.end]
            ]

        def drop(reason: str, mention: ChainMention, at: int = index, own: Any = tokens) -> None:
            _reject_words(reason, document, at, own[mention.start : mention.end], context)

        # On one line; a sign for a missing name counts as no name.
        speaker = " ".join((sentence.speaker or "").split())
        utterances.append(
            SourceUtterance(
                index,
                tuple(token.form for token in tokens),
                tuple(None if token.xpos in _NO_TAG else token.xpos for token in tokens),
                keep_nested(mentions, drop) if nested else keep_innermost(mentions, drop),
                None if speaker in _NO_TAG else speaker,
                written=pieces and tuple(compress(pieces, said)),
            )
        )
    return DocumentPart(
        split,
        document.doc_id,
        document.part,
        tuple(utterances),
        document.lang,
        frozenset(n for n, mentions in enumerate(document.clusters) if len(mentions) == 1),
    )


def _reject_words(
    reason: str, document: Document, sentence: int, words: Sequence[Token], context: Context
) -> None:
    """Count a mention that is dropped from alpha, with its words."""
    record = {
        "part": f"{document.doc_id}#{document.part}",
        "sentence": sentence,
        "words": [token.form for token in words],
    }
    context.reject(f"alpha.mentions.{reason}", record)


def keep_innermost(mentions: list[ChainMention], drop: Drop) -> tuple[ChainMention, ...]:
    """Keep the mentions without a shorter one inside or across, in the order of the text."""
    kept: list[ChainMention] = []  # disjoint, in order
    for mention in sorted(mentions, key=lambda m: (m.length, m.start)):
        following = bisect_left(kept, mention.end, key=lambda m: m.start)
        # No kept mention is longer: if any overlaps this one, so does the last that begins in it.
        other = kept[following - 1] if following else None
        if other is None or other.end <= mention.start:
            insort(kept, mention, key=lambda m: m.start)
        elif mention.start <= other.start and other.end <= mention.end:
            same = mention.length == other.length
            drop("same_span" if same else "contains_another", mention)
        else:
            drop("crosses_another", mention)
    return tuple(kept)


def keep_nested(mentions: list[ChainMention], drop: Drop) -> tuple[ChainMention, ...]:
    """Keep mentions that are nested or apart, outer before inner, dropping partial overlaps.

    A mention that begins with an outer one of its own cluster is dropped: both look alike.
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
    """Split the written text of a sentence by tokens, each with the blank before it.

    `extra` is the sentence's entry in `meta["corefud"]`. A token of several words (du: de + le)
    belongs to the first word, so that a mention of the others begins behind it. Returns None if all
    tokens have a blank between them, since files without spacing look the same.
    """
    tokens = sentence.tokens
    together = documents.read_written(extra)
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


SHORTEST, LONGEST = 4, 25
"""Tokens of an utterance. The paper's table 3 is lost; both numbers fit its examples."""

_NOUNS = ("NN", "NNS", "NNP", "NNPS")


def is_verb(tag: str | None) -> bool:
    """Whether a Penn tag is a verb's or a modal's."""
    return tag is not None and (tag.startswith("VB") or tag == "MD")


def is_noun(tag: str | None) -> bool:
    """Whether a Penn tag is a noun's or a name's."""
    return tag in _NOUNS


def needs_tree(
    utterance: SourceUtterance, shortest: int, longest: int, *, marks: bool = False
) -> bool:
    """Tell whether the selection of an utterance or of its mentions needs a parse."""
    if _find_length_fault(utterance, shortest, longest):
        return False
    if None in utterance.tags or marks:
        return None in utterance.tags or bool(utterance.mentions)
    return any(map(is_verb, utterance.tags)) and any(
        mention.length > 1 and not any(map(is_verb, utterance.tags_of(mention)))
        for mention in utterance.mentions
    )


def _find_length_fault(utterance: SourceUtterance, shortest: int, longest: int) -> str | None:
    """Name the reason to drop an utterance by its length, None to keep it (table 3)."""
    if len(utterance.forms) < shortest:
        return "too_short"
    return "too_long" if len(utterance.forms) > longest else None


def beta1(
    part: DocumentPart, shortest: int, longest: int, context: Context, *, verbs: bool = True
) -> DocumentPart:
    """Keep utterances of a fit length and, if `verbs`, with a verb (table 3)."""
    kept = []
    for utterance in part.utterances:
        if utterance.tree is not None and None in utterance.tags:
            pairs = zip(utterance.tags, utterance.tree.tags, strict=True)
            utterance = replace(utterance, tags=tuple(own or guessed for own, guessed in pairs))
        reason = _find_length_fault(utterance, shortest, longest)
        if reason is None and verbs and not any(map(is_verb, utterance.tags)):
            reason = "no_verb"
        if reason is None:
            kept.append(utterance)
            continue
        words = list(utterance.forms)
        context.reject(f"beta1.utterances.{reason}", {"part": part.key, "words": words})
        for mention in utterance.mentions:
            context.reject(f"beta1.mentions.utterance_{reason}", part.record(utterance, mention))
    return part.with_utterances(kept)


def drop_left_over(before: DocumentPart, after: DocumentPart, context: Context) -> DocumentPart:
    """Drop the clusters of `after` that have one mention left and had more in `before`."""
    had, has = before.clusters(), after.clusters()
    dropped = {c for c, own in has.items() if len(own) == 1 < len(had[c])}
    for number, own in has.items():
        if number in dropped:
            _reject_cluster("beta1.clusters.one_left", after, own, context)
            for utterance, mention in own:
                context.reject(
                    "beta1.mentions.cluster_of_one_left", after.record(utterance, mention)
                )
    return after.with_mentions(lambda _, mention: None if mention.cluster in dropped else mention)


def beta2(part: DocumentPart, context: Context, *, marks: bool = False) -> DocumentPart:
    """Keep mentions of one word or without a verb whose root suits (table 4).

    With `marks`, other mentions and mentions that hold another are kept, too, and marked.
    """

    def check_root(utterance: SourceUtterance, mention: ChainMention) -> ChainMention | None:
        """Find the root of a mention, or count the mention as dropped and return None."""
        inside = any(
            mention.start <= other.start and other.end <= mention.end and other is not mention
            for other in utterance.mentions
        )
        has_verb = any(map(is_verb, utterance.tags_of(mention)))
        if marks or not has_verb:
            root = mention.start
            if mention.length > 1:
                assert utterance.tree is not None  # see `needs_tree`
                root = utterance.tree.root(mention.start, mention.end)
            mention = replace(mention, root=root)
        reason = "verb" if has_verb else _find_reason(utterance, mention)
        if marks:
            return replace(mention, marked=inside or reason is not None)
        if reason is None:
            return mention
        context.reject(f"beta2.mentions.{reason}", part.record(utterance, mention))
        return None

    return part.with_mentions(check_root)


def _find_reason(utterance: SourceUtterance, mention: ChainMention) -> str | None:
    """Name the reason to drop a mention by its root's tag and word, None to keep it."""
    tag, word = utterance.tags[mention.root], utterance.forms[mention.root].lower()
    if utterance.is_pronoun(mention):
        if word in PRONOUNS:
            return None
        return "first_or_second_person" if word in SPEAKERS else "other_pronoun"
    if tag == "DT" or is_noun(tag):
        return None
    return "number" if tag == "CD" else "other_root"


def _reject_cluster(
    reason: str,
    part: DocumentPart,
    cluster: Iterable[tuple[SourceUtterance, ChainMention]],
    context: Context,
) -> None:
    """Count a dropped cluster, with the words of its mentions."""
    words = [list(utterance.words(mention)) for utterance, mention in cluster]
    context.reject(reason, {"part": part.key, "mentions": words})


def beta3(part: DocumentPart, context: Context, *, every: bool = False) -> DocumentPart:
    """Keep clusters of two mentions or more with a noun or name among their roots (table 5).

    With `every`, clusters of pronouns alone are kept, too, and clusters of one mention unless the
    source had more.
    """
    dropped: set[int] = set()
    for number, cluster in part.clusters().items():
        reason = "one_mention" if len(cluster) < 2 else "no_noun"
        if every and (reason == "no_noun" or number in part.singletons):
            continue
        if reason == "no_noun" and any(is_noun(own.tags[m.root]) for own, m in cluster):
            continue
        dropped.add(number)
        _reject_cluster(f"beta3.clusters.{reason}", part, cluster, context)
        for utterance, mention in cluster:
            context.reject(f"beta3.mentions.cluster_of_{reason}", part.record(utterance, mention))
    return part.with_mentions(lambda _, mention: None if mention.cluster in dropped else mention)
