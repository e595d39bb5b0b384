"""The datasets gamma and delta as words: parsed Italian, then the rules (section 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corefmill.builders.nlp import Analysis
from corefmill.builders.ontonotes_it.english.parts import Marked, Utterance
from corefmill.builders.ontonotes_it.gamma.gamma import Turned, name_of
from corefmill.builders.ontonotes_it.gamma.italian import tokens
from corefmill.builders.runner.stages import Context
from corefmill.rules import rule, surface
from corefmill.rules.rule import Rule, RuleChange

DELETION = "subject-deletion"


@dataclass(frozen=True, slots=True)
class Refined:
    """An utterance before the rules (gamma) and after them (delta), with what they did.

    The mentions of both are named by `gamma.name_of`; `shifted` are those whose pronoun was
    deleted, so that they moved to the verb.
    """

    source: Utterance
    gamma: rule.Utterance
    delta: rule.Utterance
    changes: tuple[RuleChange, ...]
    shifted: frozenset[str]

    @property
    def mentions(self) -> dict[str, Marked]:
        """The English mentions that are in gamma, by name."""
        there = {mention.key for mention in self.gamma.mentions}
        return {
            name: mention for mention in self.source.mentions if (name := name_of(mention)) in there
        }

    def without(self, clusters: frozenset[int]) -> Refined:
        """The same without the mentions of some clusters."""
        gone = {name for name, mention in self.mentions.items() if mention.cluster in clusters}
        if not gone:
            return self
        return Refined(
            self.source,
            _without(self.gamma, gone),
            _without(self.delta, gone),
            self.changes,
            self.shifted - gone,
        )


def _without(utterance: rule.Utterance, gone: set[str]) -> rule.Utterance:
    kept = tuple(mention for mention in utterance.mentions if mention.key not in gone)
    return rule.Utterance(utterance.tokens, kept, utterance.written)


def as_words(turned: Turned, analysis: Analysis, context: Context) -> rule.Utterance | None:
    """The parsed words of an utterance in Italian, with its mentions; None where it has no words.

    A mention that is of no word, or shares one with another, is counted and left out.
    """
    words, spans = tokens(analysis), analysis.words
    if not words:
        context.reject("gamma.utterances.no_words")
        for _ in turned.source.mentions:
            context.reject("gamma.mentions.utterance_lost")
        return None
    whole, pieces = surface.in_pieces(analysis.text, words, spans)
    found: list[rule.KeyedMention] = []
    for placed in turned.italian.spans:
        name = placed.cluster
        try:
            start = _last_word(analysis, placed.start, placed.end)
            one = surface.mention(name, start, placed.end, pieces)
        except ValueError:
            context.reject("gamma.mentions.no_words", {"text": analysis.text, "mention": name})
            continue
        if any(one.start < other.end and other.start < one.end for other in found):
            context.reject("gamma.mentions.same_word", {"text": analysis.text, "mention": name})
        else:
            found.append(one)
    return rule.Utterance(whole.tokens, tuple(found), whole.written)


def _last_word(analysis: Analysis, start: int, end: int) -> int:
    """Where a mention begins that begins within a token of several words: at its last character.

    It is an article in a preposition (`nella`: `in la`) or an enclitic (`vederlo`), which is the
    token's last word; how many letters of the token are whose is a matter of taste.
    """
    for left, right in analysis.words:
        if left < start < right <= end and analysis.words.count((left, right)) > 1:
            return right - 1
        if left >= start:
            break
    return start


def refine(source: Utterance, given: rule.Utterance, rules: Sequence[Rule]) -> Refined:
    """Applies the rules in order."""
    utterance, changes, shifted = given, list[RuleChange](), set[str]()
    for one in rules:
        before = utterance
        utterance, made = one.apply(before)
        changes += made
        deleted = {(change.start, change.end) for change in made if not change.after}
        if one.name == DELETION:
            shifted |= {m.key for m in before.mentions if (m.start, m.end) in deleted}
    return Refined(source, given, utterance, tuple(changes), frozenset(shifted))


def left_alone(part: Sequence[Refined]) -> frozenset[int]:
    """The clusters of which one mention is left."""
    sizes = Counter(mention.cluster for one in part for mention in one.mentions.values())
    return frozenset(cluster for cluster, size in sizes.items() if size == 1)


def without_alone(part: list[Refined], context: Context) -> list[Refined]:
    """The utterances without the mentions of clusters of which one is left."""
    alone = left_alone(part)
    for _ in range(len(alone)):
        context.reject("gamma.clusters.one_left")
        context.reject("gamma.mentions.cluster_of_one_left")
    return [one.without(alone) for one in part]


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
