"""The datasets beta1, beta2 and beta3: which utterances, mentions and clusters are translated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.source_side.parts import (
    PRONOUNS,
    SPEAKERS,
    ChainMention,
    DocumentPart,
    SourceUtterance,
)

SHORTEST, LONGEST = 4, 25
"""Tokens of an utterance. The paper's table 3 is lost; both are what its examples allow."""

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
    """Whether beta1 needs the tags of an utterance, or beta2 the root of one of its mentions; where
    `marks` carry mentions, that of each."""
    if _unfit(utterance, shortest, longest):
        return False
    if None in utterance.tags or marks:
        return None in utterance.tags or bool(utterance.mentions)
    return any(map(is_verb, utterance.tags)) and any(
        mention.length > 1 and not any(map(is_verb, utterance.tags_of(mention)))
        for mention in utterance.mentions
    )


def _unfit(utterance: SourceUtterance, shortest: int, longest: int) -> str | None:
    """Why an utterance of its length is dropped, or None (table 3)."""
    if len(utterance.forms) < shortest:
        return "too_short"
    return "too_long" if len(utterance.forms) > longest else None


def beta1(
    part: DocumentPart, shortest: int, longest: int, context: Context, *, verbs: bool = True
) -> DocumentPart:
    """The utterances of a fit length, and unless `verbs` is False with a verb (table 3), tagged by
    their tree where the source has no tags."""
    kept = []
    for given in part.utterances:
        utterance = _tagged(given)
        reason = _unfit(utterance, shortest, longest)
        if reason is None and verbs and not any(map(is_verb, utterance.tags)):
            reason = "no_verb"
        if reason is None:
            kept.append(utterance)
            continue
        words = list(utterance.forms)
        context.reject(f"beta1.utterances.{reason}", {"part": part.key, "words": words})
        for mention in utterance.mentions:
            _reject(f"beta1.mentions.utterance_{reason}", part, utterance, mention, context)
    return part.with_utterances(kept)


def without_left_over(before: DocumentPart, after: DocumentPart, context: Context) -> DocumentPart:
    """The part `after` some utterances left, without the clusters of which one mention is left."""
    had, has = before.clusters(), after.clusters()
    dropped = {c for c, own in has.items() if len(own) == 1 < len(had[c])}
    for number, own in has.items():
        if number in dropped:
            _reject_cluster("beta1.clusters.one_left", after, own, context)
            for utterance, mention in own:
                _reject("beta1.mentions.cluster_of_one_left", after, utterance, mention, context)
    return after.with_mentions(lambda _, mention: None if mention.cluster in dropped else mention)


def _tagged(utterance: SourceUtterance) -> SourceUtterance:
    if utterance.tree is None or None not in utterance.tags:
        return utterance
    pairs = zip(utterance.tags, utterance.tree.tags, strict=True)
    return replace(utterance, tags=tuple(own or guessed for own, guessed in pairs))


def _reject(
    reason: str,
    part: DocumentPart,
    utterance: SourceUtterance,
    mention: ChainMention,
    context: Context,
) -> None:
    context.reject(reason, {"part": part.key, "words": list(utterance.words(mention))})


def beta2(part: DocumentPart, context: Context, *, marks: bool = False) -> DocumentPart:
    """The mentions that are one word or have no verb, with their root, judged by it (table 4).

    With `marks` the others are kept, too, and those that hold another mention: they are marked.
    """

    def judged(utterance: SourceUtterance, mention: ChainMention) -> ChainMention | None:
        inside = any(
            mention.start <= other.start and other.end <= mention.end and other is not mention
            for other in utterance.mentions
        )
        has_verb = any(map(is_verb, utterance.tags_of(mention)))
        if marks or not has_verb:
            mention = replace(mention, root=_root(utterance, mention))
        reason = "verb" if has_verb else _unwanted(utterance, mention)
        if marks:
            return replace(mention, marked=inside or reason is not None)
        if reason is None:
            return mention
        _reject(f"beta2.mentions.{reason}", part, utterance, mention, context)
        return None

    return part.with_mentions(judged)


def _root(utterance: SourceUtterance, mention: ChainMention) -> int:
    if mention.length == 1:
        return mention.start
    assert utterance.tree is not None  # see `needs_tree`
    return utterance.tree.root(mention.start, mention.end)


def _unwanted(utterance: SourceUtterance, mention: ChainMention) -> str | None:
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
    words = [list(utterance.words(mention)) for utterance, mention in cluster]
    context.reject(reason, {"part": part.key, "mentions": words})


def beta3(part: DocumentPart, context: Context, *, every: bool = False) -> DocumentPart:
    """The clusters of two or more, one of them with a noun or a name for a root (table 5).

    With `every` those of pronouns alone and of one mention are kept, unless the source had more.
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
            _reject(f"beta3.mentions.cluster_of_{reason}", part, utterance, mention, context)
    return part.with_mentions(lambda _, mention: None if mention.cluster in dropped else mention)
