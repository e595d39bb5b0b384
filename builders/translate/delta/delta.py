"""The dataset delta (section 4.3): the rules of the target language, and what they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from corefmill.builders.runner.stages import Context
from corefmill.builders.translate.delta.dropped import DroppedSubject, dropped
from corefmill.builders.translate.english.parts import ChainMention, SourceUtterance
from corefmill.builders.translate.gamma.gamma import TranslatedUtterance
from corefmill.rules.rule import Change, KeyedMention, Rule, Utterance

DELETION = "subject-deletion"


@dataclass(frozen=True, slots=True)
class Refined:
    """An utterance before the rules (gamma) and after them (delta), with what they did.

    `shifted` are the subjects that were deleted, by the keys of their mentions, which moved to the
    verb.
    """

    source: SourceUtterance
    gamma: Utterance
    delta: Utterance
    changes: tuple[Change, ...]
    shifted: Mapping[str, DroppedSubject]

    def mentions(self, utterance: Utterance) -> list[tuple[ChainMention, KeyedMention]]:
        """The mentions of gamma or delta in the order of the text, each with the source's."""
        english = {mention.key: mention for mention in self.source.mentions}
        ordered = sorted(utterance.mentions, key=lambda mention: (mention.start, mention.end))
        return [(english[mention.key], mention) for mention in ordered]

    def without(self, clusters: frozenset[int]) -> Refined:
        """The same without the mentions of some clusters."""
        gone = {mention.key for mention in self.source.mentions if mention.cluster in clusters}
        return replace(
            self,
            gamma=_without(self.gamma, gone),
            delta=_without(self.delta, gone),
            shifted={key: own for key, own in self.shifted.items() if key not in gone},
        )


def _without(utterance: Utterance, gone: set[str]) -> Utterance:
    return replace(utterance, mentions=tuple(m for m in utterance.mentions if m.key not in gone))


def refine(given: TranslatedUtterance, rules: Sequence[Rule]) -> Refined:
    """Applies the rules in order."""
    utterance, changes, shifted = given.words, list[Change](), dict[str, DroppedSubject]()
    for rule in rules:
        before = utterance
        utterance, made = rule.apply(before)
        changes += made
        if rule.name == DELETION:
            shifted |= dropped(before, utterance, made)
    return Refined(given.source, given.words, utterance, tuple(changes), shifted)


def without_alone(
    part: list[Refined], singletons: Container[int], context: Context
) -> list[Refined]:
    """The utterances without the mentions of clusters of which one is left.

    `singletons` are the clusters that have no more in the source.
    """
    left = Counter(source.cluster for one in part for source, _ in one.mentions(one.gamma))
    alone = frozenset(c for c, size in left.items() if size == 1 and c not in singletons)
    for one in part:
        for source, mention in one.mentions(one.gamma):
            if source.cluster in alone:
                words = [token.form for token in one.gamma.tokens[mention.start : mention.end]]
                record = {"text": one.source.text, "words": words}
                context.reject("gamma.clusters.one_left", record)
                context.reject("gamma.mentions.cluster_of_one_left", record)
    return [one.without(alone) for one in part] if alone else part


def count_changes(part: Sequence[Refined], context: Context) -> None:
    """Table 15: utterances refined, and what each rule changed, moved or kept."""
    for one in part:
        changed = [change for change in one.changes if not change.kept]
        context.count("refined.utterances", bool(changed))
        context.count("refined.mentions_shifted", len(one.shifted))
        for change in one.changes:
            context.count(f"{'kept' if change.kept else 'changed'}.{change.rule}")


def one_token_tags(part: Sequence[Refined]) -> Iterator[str]:
    """Table 9: the parts of speech of gamma's mentions of one word."""
    for one in part:
        for mention in one.gamma.mentions:
            if mention.end - mention.start == 1:
                yield one.gamma.tokens[mention.start].upos or "X"
