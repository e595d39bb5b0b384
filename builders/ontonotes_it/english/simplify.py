"""The datasets beta1, beta2 and beta3: which utterances, mentions and clusters are translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from corefmill.builders.ontonotes_it.english.class_words import PRONOUNS, SPEAKERS
from corefmill.builders.ontonotes_it.english.english import Parsed
from corefmill.builders.ontonotes_it.english.parts import Marked, Part, Utterance
from corefmill.builders.runner.stages import Context

SHORTEST, LONGEST = 4, 25
"""Tokens of an utterance. The paper's table 3 is lost; both are what its examples allow."""

_NOUNS = ("NN", "NNS", "NNP", "NNPS")

FindRoot = Callable[[Utterance, Marked], int]
"""The index, in the utterance, of a mention's root."""


def is_verb(tag: str | None) -> bool:
    """Whether a Penn tag is a verb's or a modal's."""
    return tag is not None and (tag.startswith("VB") or tag == "MD")


def is_noun(tag: str | None) -> bool:
    """Whether a Penn tag is a noun's or a name's."""
    return tag in _NOUNS


def fits(length: int, shortest: int, longest: int) -> str | None:
    """Why an utterance of so many tokens is dropped, or None (table 3)."""
    if length < shortest:
        return "too_short"
    return "too_long" if length > longest else None


def beta1(part: Part, shortest: int, longest: int, context: Context) -> Part:
    """The utterances with a verb and a fit length (table 3), and what their mentions are."""
    kept = []
    for utterance in part.utterances:
        reason = fits(len(utterance.forms), shortest, longest)
        if reason is None and not any(map(is_verb, utterance.tags)):
            reason = "no_verb"
        if reason is None:
            kept.append(utterance)
            continue
        context.reject(
            f"beta1.utterances.{reason}", {"part": part.key, "words": list(utterance.forms)}
        )
        for mention in utterance.mentions:
            context.reject(
                f"beta1.mentions.utterance_{reason}",
                {"part": part.key, "words": list(utterance.words(mention))},
            )
    return replace(part, utterances=tuple(kept))


def beta2(part: Part, root_of: FindRoot, context: Context) -> Part:
    """The mentions that are one word or have no verb, by their root (table 4)."""
    kept = []
    for utterance in part.utterances:
        mentions = []
        for mention in utterance.mentions:
            reason: str | None = "verb"
            if not any(map(is_verb, utterance.tags_of(mention))):
                mention = replace(mention, root=root_of(utterance, mention))
                reason = _unwanted(utterance, mention)
            if reason is None:
                mentions.append(mention)
            else:
                context.reject(
                    f"beta2.mentions.{reason}",
                    {"part": part.key, "words": list(utterance.words(mention))},
                )
        kept.append(replace(utterance, mentions=tuple(mentions)))
    return replace(part, utterances=tuple(kept))


def _unwanted(utterance: Utterance, mention: Marked) -> str | None:
    tag, word = utterance.tags[mention.root], utterance.forms[mention.root].lower()
    if tag in ("PRP", "PRP$"):
        if word in PRONOUNS:
            return None
        return "first_or_second_person" if word in SPEAKERS else "other_pronoun"
    if tag == "DT" or is_noun(tag):
        return None
    return "number" if tag == "CD" else "other_root"


def beta3(part: Part, context: Context) -> Part:
    """The clusters of two or more, one of them with a noun or a name for a root (table 5)."""
    dropped: dict[int, str] = {}
    for number, cluster in part.clusters().items():
        if len(cluster) < 2:
            dropped[number] = "one_mention"
        elif not any(is_noun(utterance.tags[mention.root]) for utterance, mention in cluster):
            dropped[number] = "no_noun"
        if number in dropped:
            context.reject(f"beta3.clusters.{dropped[number]}")
            for utterance, mention in cluster:
                context.reject(
                    f"beta3.mentions.cluster_of_{dropped[number]}",
                    {"part": part.key, "words": list(utterance.words(mention))},
                )
    return part.keep(lambda utterance, mention: mention.cluster not in dropped)


def roots(parsed: Mapping[int, Parsed]) -> FindRoot:
    """By the trees of the utterances, which stand under their numbers."""

    def find(utterance: Utterance, mention: Marked) -> int:
        if mention.length == 1:
            return mention.start
        return parsed[utterance.number].root(mention.start, mention.end)

    return find
