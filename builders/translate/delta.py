"""The dataset delta (section 4.3): the rules of the target language, what they did, the records.

The mention of a dropped subject is on the verb, as in the paper. `meta["corefud"]` also has an
empty node in the place of the pronoun, as CorefUD has for zero mentions. The node names the verb,
so that `corpora/formats/corefud.py` writes the mention at the node, and reads it back on the verb.

A token of a record is a grammatical word, as in Universal Dependencies. `meta["corefud"]` has the
written forms of several words (della: di + la), as the reader of CorefUD gives them. The `meta` of
delta also has the fields of OntoCorefIT's JSON (figure 10 of the paper) and the source, by
sentence, under the name of its language (`meta["english"]`): text, tokens, and [cluster, start and
end in the source, start and end in the target].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from corefmill.builders.run.stages import Context
from corefmill.builders.translate.gamma.gamma import TranslatedUtterance
from corefmill.builders.translate.readability import readability
from corefmill.builders.translate.source_side.parts import (
    ChainMention,
    DocumentPart,
    SourceUtterance,
    origin,
)
from corefmill.corpora import languages
from corefmill.corpora.records import Document, Mention, Sentence, Token
from corefmill.rules.languages import LANGUAGES
from corefmill.rules.rule import Change, KeyedMention, Rule, Utterance, text
from corefmill.rules.tree import is_relation, low, table


@dataclass(frozen=True, slots=True)
class DroppedSubject:
    """A deleted subject pronoun, and the number of words between its place and its verb.

    The number is negative if the pronoun stood behind the verb.
    """

    pronoun: Token
    distance: int


def find_dropped(
    before: Utterance, after: Utterance, changes: tuple[Change, ...]
) -> dict[str, DroppedSubject]:
    """Find the subject pronouns that rules deleted, by the keys of their mentions."""
    gone = {change.start for change in changes if not change.after}
    verbs = {mention.key: mention.start for mention in after.mentions}
    return {
        mention.key: DroppedSubject(
            before.tokens[mention.start],
            verbs[mention.key] - (mention.start - sum(at < mention.start for at in gone)),
        )
        for mention in before.mentions
        if mention.start in gone and mention.end == mention.start + 1
    }


def build_empty_nodes(
    utterance: Utterance, subjects: Mapping[str, DroppedSubject], lang: str
) -> dict[str, Any]:
    """Build the empty nodes of dropped subjects and the enhanced dependencies, for CorefUD.

    The dependencies are those of the tree. If one sentence of a treebank has an empty node, UD
    requires enhanced dependencies in all; only languages that never drop subjects have none.
    """
    # Lemma and features of the subject pronouns of a language that drops them.
    known = table(lang, "pronouns").get("dropped", {}) if lang in LANGUAGES else {}
    if not known:
        return {}
    empty: dict[str, str] = {}
    places: dict[int, int] = {}
    for mention in sorted(utterance.mentions, key=lambda mention: mention.start):
        subject = subjects.get(mention.key)
        if subject is None or mention.end > mention.start + 1:
            continue
        verb = mention.start
        place = min(max(verb - subject.distance, 0), len(utterance.tokens))
        places[place] = places.get(place, 0) + 1
        lemma, feats = known[low(subject.pronoun)]
        misc = f"Entity|OnVerb={verb + 1}"
        # The node hangs on the clause's head, which an auxiliary or copula is not.
        token = utterance.tokens[verb]
        head = token.head if token.head and is_relation(token, "aux", "cop") else verb + 1
        relation = subject.pronoun.deprel if is_relation(subject.pronoun, "nsubj") else None
        edge = f"{head}:{relation or 'nsubj'}"
        columns = ("_", lemma, "PRON", "_", feats, "_", "_", edge, misc)
        empty[f"{place}.{places[place]}"] = "\t".join(columns)
    deps = "\t".join("=" for _ in utterance.tokens)
    return {"empty": empty, "deps": deps} if empty else {"deps": deps}


DELETION = "subject-deletion"


@dataclass(frozen=True, slots=True)
class Refined:
    """An utterance before the rules (gamma) and after them (delta), with the changes.

    `shifted` are the deleted subjects, by the keys of their mentions; these moved to the verb.
    """

    source: SourceUtterance
    gamma: Utterance
    delta: Utterance
    changes: tuple[Change, ...]
    shifted: Mapping[str, DroppedSubject]

    def mentions(self, utterance: Utterance) -> list[tuple[ChainMention, KeyedMention]]:
        """Pair the source's mentions with those of gamma or delta, in the order of the text."""
        english = {mention.key: mention for mention in self.source.mentions}
        ordered = sorted(utterance.mentions, key=lambda mention: (mention.start, mention.end))
        return [(english[mention.key], mention) for mention in ordered]

    def without(self, clusters: frozenset[int]) -> Refined:
        """Return the utterance without the mentions of some clusters."""
        gone = {mention.key for mention in self.source.mentions if mention.cluster in clusters}
        return replace(
            self,
            gamma=_without(self.gamma, gone),
            delta=_without(self.delta, gone),
            shifted={key: own for key, own in self.shifted.items() if key not in gone},
        )


def _without(utterance: Utterance, deleted: set[str]) -> Utterance:
    return replace(utterance, mentions=tuple(m for m in utterance.mentions if m.key not in deleted))


def refine(given: TranslatedUtterance, rules: Sequence[Rule]) -> Refined:
    """Apply the language's rules to a translated utterance."""
    utterance, changes, shifted = given.words, list[Change](), dict[str, DroppedSubject]()
    for rule in rules:
        before = utterance
        utterance, made = rule.apply(before)
        changes += made
        if rule.name == DELETION:
            shifted |= find_dropped(before, utterance, made)
    return Refined(given.source, given.words, utterance, tuple(changes), shifted)


def drop_singletons(
    part: list[Refined], singletons: Container[int], context: Context
) -> list[Refined]:
    """Drop the mentions of clusters with one mention left after translation.

    `singletons` are the clusters with one mention in the source; they stay.
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
    """Count refined utterances, and the words that each rule changed, moved or kept (table 15)."""
    for one in part:
        changed = [change for change in one.changes if not change.is_kept]
        context.count("refined.utterances", bool(changed))
        context.count("refined.mentions_shifted", len(one.shifted))
        for change in one.changes:
            context.count(f"{'kept' if change.is_kept else 'changed'}.{change.rule}")


def build_documents(
    part: DocumentPart, refined: Sequence[Refined], lang: str
) -> tuple[Document, Document]:
    """Build the document before the rules (gamma) and after them (delta), with the changes.

    Both number the source's clusters in the order of their first mention in delta.
    """
    numbers: dict[int, int] = {}
    for one in refined:
        for source, _ in one.mentions(one.delta):
            numbers.setdefault(source.cluster, len(numbers))
    made: list[Document] = []
    for utterances in ([one.gamma for one in refined], [one.delta for one in refined]):
        is_delta = bool(made)
        clusters: dict[int, list[Mention]] = {number: [] for number in numbers}
        extras: dict[str, Any] = {}
        for at, (one, utterance) in enumerate(zip(refined, utterances, strict=True)):
            for source, mention in one.mentions(utterance):
                clusters[source.cluster].append(Mention(at, mention.start, mention.end))
            extra = {}
            if utterance.written:
                extra["multiword"] = {f"{w.start + 1}-{w.end}": w.form for w in utterance.written}
            if is_delta:
                extra |= build_empty_nodes(utterance, one.shifted, lang)
            if extra:
                extras[str(at)] = extra
        meta = origin([one.source.index for one in refined], list(clusters))
        if extras:
            meta["corefud"] = {"sentences": extras}
        if is_delta:
            shown = [_describe_changes(one, numbers, lang) for one in refined]
            meta["ontocorefit"] = {"utterances": {str(at): one for at, one in enumerate(shown)}}
            aligned = [_align_source(one, numbers) for one in refined]
            meta[languages.language_key(part.lang)] = aligned
        sentences = tuple(
            Sentence(utterance.tokens, one.source.speaker)
            for one, utterance in zip(refined, utterances, strict=True)
        )
        own = tuple(map(tuple, clusters.values()))
        made.append(Document(part.doc_id, part.part, lang, sentences, own, meta))
    gamma, delta = made
    return gamma, delta


def _describe_changes(one: Refined, numbers: Mapping[int, int], lang: str) -> dict[str, Any]:
    """Describe the changed utterance in the fields of OntoCorefIT (figure 10)."""
    modified = text(one.delta)
    done = [change for change in one.changes if not change.is_kept]
    return {
        "original_text": text(one.gamma),
        "modified_text": modified,
        "tokens_old": [token.form for token in one.gamma.tokens],
        "corefs_old": [
            {"start": own.start, "end": own.end - 1, "label": numbers[source.cluster]}
            for source, own in one.mentions(one.gamma)
        ],
        "readability": readability(modified, lang),
        "deleted": any(change.rule == DELETION for change in done),
        "rewritten": any(change.rule != DELETION for change in done),
        "shifted": bool(one.shifted),
        "changes": [asdict(change) for change in done],
    }


def _align_source(one: Refined, numbers: Mapping[int, int]) -> dict[str, Any]:
    """Describe the source: text, tokens and mentions, with cluster and place in the translation."""
    pairs = [
        [numbers[source.cluster], source.start, source.end, mention.start, mention.end]
        for source, mention in one.mentions(one.delta)
    ]
    return {
        "text": one.source.text,
        "tokens": list(one.source.forms),
        "mentions": sorted(pairs, key=lambda pair: pair[1:]),
    }
