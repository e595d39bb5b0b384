"""Trees of the source, and by them class(id) of a mention: type, gender, number (section 4.2.5).

Step 1 takes the evidence of a mention's own words. Step 2, in gamma, takes its Italian translation.
Step 3, `classify`, takes a vote of the other mentions of its cluster on what is still unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from corefmill.builders.nlp import Analysis, Backend, SentenceWords, WordsBackend
from corefmill.builders.persons.gender import Genders
from corefmill.builders.translate.source_side.parts import (
    DEFAULTS,
    NOUN_WEIGHT,
    PRONOUN_WEIGHT,
    PRONOUNS,
    PUNCTUATION,
    TITLES,
    ChainMention,
    DocumentPart,
    EntityClass,
    SourceTree,
    SourceUtterance,
    is_person,
)
from corefmill.builders.translate.source_side.selection import is_noun
from corefmill.corpora.files.errors import UsageError


class SourceParser:
    """Pipeline for tokenised text. Raises `UsageError` for one without trees or token input."""

    def __init__(self, pipeline: Backend) -> None:
        if not isinstance(pipeline, WordsBackend):
            raise UsageError(
                f"the pipeline {pipeline.name!r} cannot parse tokenised text",
                remedy="name another pipeline by --nlp",
            )
        self._pipeline = pipeline

    def add_trees(
        self, parts: Sequence[DocumentPart], wanted: Callable[[SourceUtterance], bool]
    ) -> list[DocumentPart]:
        """Parse the utterances that `wanted` selects, in one batch, and add their trees."""
        asked = [
            utterance
            for part in parts
            for utterance in part.utterances
            if utterance.tree is None and wanted(utterance)
        ]
        trees = self.read([utterance.forms for utterance in asked])
        found = {id(utterance): tree for utterance, tree in zip(asked, trees, strict=True)}
        return [
            part.with_utterances(
                replace(one, tree=found[id(one)]) if id(one) in found else one
                for one in part.utterances
            )
            for part in parts
        ]

    def read(self, utterances: Sequence[Sequence[str]]) -> Iterator[SourceTree]:
        """Parse tokenised utterances, none of them empty, in one batch."""
        given = (
            # White space would divide a word; a word of nothing but white space would be lost.
            SentenceWords(
                [PUNCTUATION.get(form) or "".join(form.split()) or "_" for form in forms],
                [True] * len(forms),
            )
            for forms in utterances
        )
        for forms, analysis in zip(utterances, self._pipeline.on_words(given), strict=True):
            if not len(forms) == len(analysis.xpos) == len(analysis.head):
                raise UsageError(
                    f"the pipeline {self._pipeline.name!r} gives no Penn tags or no tree",
                    remedy="name a pipeline with tagger and parser by --nlp",
                )
            yield SourceTree(analysis.xpos, analysis.head, _label_words(analysis), analysis.deprel)


def _label_words(analysis: Analysis) -> tuple[str, ...]:
    """List for each word the label of the named entity around it, "" for none."""
    labels = [""] * len(analysis.words)
    if analysis.entities:
        starts = {start: index for index, (start, _) in enumerate(analysis.words)}
        for entity in analysis.entities:
            index = starts.get(entity.start, len(labels))
            while index < len(labels) and analysis.words[index][0] < entity.end:
                labels[index] = entity.label
                index += 1
    return tuple(labels)


_PEOPLE = ("PERSON", "NORP")
_GENDERS = {"male": "m", "mostly_male": "m", "female": "f", "mostly_female": "f"}
_PLURAL = ("NNS", "NNPS")
_FIELDS = EntityClass._fields


@dataclass(frozen=True, slots=True)
class ClassEvidence:
    """A mention's evidence of its entity's class, None for unknown, with its weight in a vote."""

    type: str | None = None
    gender: str | None = None
    number: str | None = None
    weight: int = NOUN_WEIGHT

    def fill(self, gender: str | None, number: str | None) -> ClassEvidence:
        """Fill missing gender and number."""
        return replace(self, gender=self.gender or gender, number=self.number or number)


EvidenceOf: TypeAlias = Callable[[SourceUtterance, ChainMention], ClassEvidence]


def read_pronoun_class(utterance: SourceUtterance, mention: ChainMention) -> ClassEvidence:
    """Read the class of an entity from a pronoun (table 6); nouns show nothing in paper mode."""
    known = PRONOUNS.get(utterance.forms[mention.root].lower())
    if utterance.is_pronoun(mention) and known is not None:
        return ClassEvidence(*known, weight=PRONOUN_WEIGHT)
    return ClassEvidence()


class PersonEvidence:
    """The evidence of clean mode: names of persons, nouns for people, coordinated pairs."""

    def __init__(self, genders: Genders) -> None:
        self._genders = genders

    def __call__(self, utterance: SourceUtterance, mention: ChainMention) -> ClassEvidence:
        """Decide from an utterance's tree if a mention is human, and its gender and number."""
        tree = utterance.tree
        if tree is None or not is_noun(utterance.tags[mention.root]):
            return read_pronoun_class(utterance, mention)
        inside = range(mention.start, mention.end)
        number = "p" if _is_pair(utterance, mention.root, inside, tree) else None
        if tree.names[mention.root] == "PERSON":
            if number:
                return ClassEvidence("human", None, number)
            titles = (TITLES.get(utterance.forms[word].lower()) for word in inside)
            first = next(word for word in inside if tree.names[word] == "PERSON")
            shown = next(filter(None, titles), None) or _GENDERS.get(
                self._genders.find_gender(utterance.forms[first])
            )
            return ClassEvidence("human", shown)
        common = utterance.tags[mention.root] in ("NN", "NNS")
        human = common and is_person(utterance.forms[mention.root])
        human = human or tree.names[mention.root] in _PEOPLE
        return ClassEvidence("human" if human else None, None, number)


def _is_pair(utterance: SourceUtterance, root: int, inside: range, tree: SourceTree) -> bool:
    """Tell whether "and" joins the root to another word of the mention."""
    for word in inside:
        if utterance.tags[word] == "CC" and utterance.forms[word].lower() in ("and", "&"):
            joined = tree.heads[word]
            if joined in inside and is_noun(utterance.tags[joined]):
                return tree.heads[joined] == root != joined
    return False


def read_tag_number(utterance: SourceUtterance, mention: ChainMention) -> str | None:
    """Read the number of a noun from its Penn tag, None for a pronoun."""
    tag = utterance.tags[mention.root]
    if not is_noun(tag):
        return None
    return "p" if tag in _PLURAL else "s"


def classify(part: DocumentPart, evidence_of: EvidenceOf) -> DocumentPart:
    """Fill in each mention's type, gender and number by a vote of its cluster.

    A mention keeps the values that its own words show. Any other value is the one with most votes,
    a pronoun's weighing more than a noun's; without votes or in a tie, the default (Minutolo et
    al., 2022, tables 7 and 8).
    """
    found: dict[tuple[int, str], EntityClass] = {}
    for cluster in part.clusters().values():
        shown = [evidence_of(utterance, mention) for utterance, mention in cluster]
        # A mention without a value has no vote, so all votes come from other mentions.
        winners = dict(DEFAULTS)
        for name in _FIELDS:
            votes: Counter[str] = Counter()
            for own in shown:
                if value := getattr(own, name):
                    votes[value] += own.weight
            best = votes.most_common(2)
            if best and (len(best) == 1 or best[0][1] > best[1][1]):
                winners[name] = best[0][0]
        for (utterance, mention), own in zip(cluster, shown, strict=True):
            values: list[Any] = [getattr(own, name) or winners[name] for name in _FIELDS]
            found[utterance.index, mention.key] = EntityClass(*values)
    return part.with_mentions(
        lambda utterance, mention: replace(mention, entity=found[utterance.index, mention.key])
    )
