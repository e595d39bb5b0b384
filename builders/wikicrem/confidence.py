"""Estimate how likely a reader takes a pronoun in the mask's place for the answer.

`PronounEvidence` measures features of a parsed draft; confidence.toml has a logistic regression of
them for all languages, fitted on passages that language models have read. Rivals are the other
persons named before the mask whom a pronoun of the answer's gender could mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp
from typing import Any

from corefmill.builders.corpus.options import needs_part
from corefmill.builders.nlp import Analysis
from corefmill.builders.nlp.backend import Backend
from corefmill.builders.persons import reference_words
from corefmill.builders.persons.drafts import DraftContext
from corefmill.builders.persons.names import Name
from corefmill.builders.wikicrem.reading import PronounReading
from corefmill.corpora import card_parts
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.records import MaskedExample

_OBJECTS = frozenset({"obj", "iobj", "dobj", "obl", "nmod", "pobj"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON"})
_JOINED = frozenset({"conj", "parataxis"})
_MOST = 3
"""Rivals are counted no further."""
_MOST_PERSONS = 5
_APOSTROPHES = frozenset("'’")


class PronounEvidence:
    """Measure the evidence of one parsed draft."""

    def __init__(self, view: DraftContext, analysis: Analysis, lang: str) -> None:
        self._view = view
        self._analysis = analysis
        self._reading = PronounReading(view, analysis)
        self._words = reference_words.load(lang)
        self._answer = view.draft.target.text

    def values(self) -> Mapping[str, float]:
        """Return each piece of evidence by its name, as confidence.toml explains it."""
        found = {**self._measure_persons(), **self._measure_mask()}
        return {name: float(value) for name, value in found.items()}

    def _measure_persons(self) -> dict[str, float]:
        """Measure the evidence of the other persons whom a pronoun could mean."""
        # A pronoun does not mean a rival named behind the mask in its clause: "[MASK] saw Eve".
        persons, reading = self._view.persons, self._reading
        last_rival = self._rivals[-1] if self._rivals else None
        rivals = {name.text for name in self._rivals}
        return {
            "open_rivals": min(_MOST, len(rivals - self._names_beside())),
            "rival_of_unknown_gender": any(
                persons.find_gender(name).form is None for name in rivals
            ),
            "persons_named": min(_MOST_PERSONS, len({n.text for n in self._view.draft.names})),
            "rival_in_sentence": last_rival is not None
            and self._sentence(last_rival.start) == self._sentence(self._target.start),
            "rival_last_subject": reading.last_subject == "rival",
            "answer_last_subject": reading.last_subject == "answer",
            "answer_of_pair": any(map(self._is_of_pair, self._answers)),
            "nobody_else": not (
                rivals or self._has_unnamed_pronoun() or self._has_noun_for_person()
            ),
        }

    def _measure_mask(self) -> dict[str, float]:
        """Measure the evidence of the mask's place in its clause and of the words beside."""
        view, reading, mask, read = self._view, self._reading, self._reading.mask, self._analysis
        own, role = reading.find_clause(mask), self._find_role(mask)
        begin, subject = reading.sentence_start(mask), reading.subjects.get(own)
        follows = view.next_words(1)
        # A pause before a clause's subject is that of the clause ("Ann sat, [MASK] stood"); it
        # sets the mask off where it is not a subject, or where the parser joins the clause.
        is_joined = read.deprel[own].partition(":")[0] in _JOINED
        return {
            "on_page": view.article.site is not None,
            "mask_no_argument": role == "",
            "mask_of_noun": read.deprel[mask].startswith("nmod"),
            "reflexive_follows": any(
                self._words.gender_of_reflexive(word.lower()) is not None for word in follows
            ),
            "pause_after": any(map(_is_pause, follows)),
            "set_off": any(map(_is_pause, view.last_words(1))) and (role != "subject" or is_joined),
            "answer_in_clause": any(
                reading.find_clause(reading.find_head(name)) == own for name in self._answers
            ),
            # "Eve saw [MASK]": a pronoun would not be Eve, which is the strongest help of all.
            "beside_rival_subject": role in ("object", "")
            and subject is not None
            and reading.name_heads.get(subject) == "rival",
            "rival_subject_in_sentence": any(
                word >= begin and person == "rival" and self._find_role(word) == "subject"
                for word, person in reading.name_heads.items()
            ),
            "pronoun_subject_in_clause": any(
                word >= begin
                and self._find_role(word) == "subject"
                and reading.find_clause(word) == own
                for word in self._pronouns
            ),
        }

    @property
    def _target(self) -> Name:
        return self._view.draft.target

    @cached_property
    def _answers(self) -> list[Name]:
        """The answer's mentions, in order."""
        return [name for name in self._before if name.text == self._answer]

    def _is_of_pair(self, answer: Name) -> bool:
        """Tell whether a mention is half of a pair or a member of a list with a rival.

        A pronoun for one of two that act together is odd: "Ann and Eve left. [MASK] ..."
        """
        read, word = self._analysis, self._reading.find_head(answer)
        others = {self._reading.find_head(n) for n in self._before if n.text != self._answer}
        rivals = {*self._rivals}
        return (
            (read.deprel[word] == "conj" and read.upos[read.head[word]] in _NOUNS)
            or any(read.deprel[one] == "conj" and read.head[one] == word for one in others)
            or any(
                answer in names and not rivals.isdisjoint(names)
                for names, _ in self._view.name_lists
            )
        )

    def _names_beside(self) -> set[str]:
        """List the names behind the mask in its clause: a pronoun there means none of them."""
        reading = self._reading
        own = reading.find_clause(reading.mask)
        behind = (name for name in self._view.draft.names if name.start >= self._target.end)
        return {name.text for name in behind if reading.find_clause(reading.find_head(name)) == own}

    @cached_property
    def _before(self) -> list[Name]:
        return [n for n in self._view.draft.names if n.end <= self._target.start]

    @cached_property
    def _rivals(self) -> list[Name]:
        """The mentions of rivals before the mask, in order."""
        persons, answer = self._view.persons, self._answer
        return [
            name
            for name in self._before
            if name.text != answer
            and not persons.are_same(name.text, answer)
            and not persons.are_opposed(name.text, answer)
        ]

    @cached_property
    def _pronouns(self) -> list[int]:
        """The possible pronouns for the answer before the mask."""
        forms = self._reading.forms[: self._place(self._target.start)]
        pronouns = self._view.pronouns
        return [i for i, form in enumerate(forms) if form in pronouns]

    def _has_unnamed_pronoun(self) -> bool:
        """Tell whether a pronoun of the answer's gender means somebody unnamed.

        It does if it stands before the answer is named, or is the subject over a mention of the
        answer ("she saw Ann").
        """
        reading = self._reading
        first = self._place(self._answers[0].end)
        places = [reading.find_head(name) for name in self._answers]
        return any(
            pronoun < first
            or (
                self._find_role(pronoun) == "subject"
                and any(
                    pronoun < word and reading.is_below(word, reading.find_clause(pronoun))
                    for word in places
                )
            )
            for pronoun in self._pronouns
        )

    def _has_noun_for_person(self) -> bool:
        """Tell whether a noun before the mask means a person of the answer's gender: "the girl".

        A noun that belongs to a name is not counted ("Captain Ann", "her sister Ann").
        """
        read = self._analysis
        gender = self._view.persons.find_gender(self._answer).form
        nouns = (
            (read.lemma or self._reading.forms)[word].lower()
            for word in range(self._place(self._target.start))
            if read.upos[word] == "NOUN" and read.upos[read.head[word]] != "PROPN"
        )
        return any(
            told and gender in (None, told) for told in map(self._words.gender_of_noun, nouns)
        )

    def _find_role(self, word: int) -> str:
        """Name a word's part in its clause: "subject", "possessor", "object", or ""."""
        if self._reading.relation(word) == "nsubj":
            return "subject"
        if "poss" in self._analysis.deprel[word]:
            return "possessor"
        return "object" if self._reading.relation(word) in _OBJECTS else ""

    def _place(self, offset: int) -> int:
        """Count the words ending before an offset of the paragraph."""
        shift = self._view.draft.span[0]
        return sum(end + shift <= offset for _, end in self._analysis.words)

    def _sentence(self, offset: int) -> int:
        """Number the passage's sentence around an offset of the paragraph."""
        return sum(start <= offset for start, _ in self._view.draft.sentences)


def _is_pause(word: str) -> bool:
    """Tell punctuation, but for apostrophes, from words."""
    return not word.isalnum() and word not in _APOSTROPHES


_TIGER = frozenset({"sb", "oa", "nk", "mo"})
"""Relations of spaCy's own German pipelines, where the evidence finds no subject and no object."""
_LARGEST = 50.0
"""Bound of the weighed sum, on both sides: beyond it `exp` would overflow."""

_STEPS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)
LEAST = 0.7
"""The confidence asked for by default: of examples above it, four of five readings call good."""


@dataclass(frozen=True)
class Weights:
    """The logistic regression of confidence.toml, one for all languages and kinds of text."""

    intercept: float
    weights: Mapping[str, float]

    def compute_chance(self, evidence: Mapping[str, float]) -> float:
        """Compute the probability that the regression gives to the evidence."""
        weighed = self.intercept
        weighed += sum(weight * evidence[name] for name, weight in self.weights.items())
        return 1 / (1 + exp(-max(min(weighed, _LARGEST), -_LARGEST)))


def load_weights() -> Weights:
    """Load the weights that ship."""
    return Weights(**disk.read_package_table(__file__, "confidence"))


def refuse_unfit_pipeline(pipeline: Backend) -> None:
    """Raise `UsageError` for a pipeline with other relations than those of the weights.

    A sentence with a subject, an object and a modifier shows which relations it has.
    """
    (analysis,) = pipeline.full(["Die alte Frau sah den Mann in dem Haus."])
    if _TIGER & {*analysis.deprel}:
        raise UsageError(
            "the confidence needs a parser with the relations of Universal Dependencies, and"
            f" --nlp {pipeline.name} has others",
            remedy="name another pipeline in --nlp, or give --without doubtful",
        )


def estimate_confidence(view: DraftContext) -> float | None:
    """Estimate the probability of a reader taking the pronoun for the answer.

    Returns None without a parse, for one with other relations than those of the weights, or in a
    language without a table of pronouns.
    """
    lang, analysis = view.table.lang, view.syntax
    if analysis is None or not analysis.head or _TIGER & {*analysis.deprel}:
        return None
    if not reference_words.has_table(lang):
        return None
    evidence = PronounEvidence(view, analysis, lang).values()
    return load_weights().compute_chance(evidence)


@needs_part("trees")
def doubtful(view: DraftContext, least: float = LEAST) -> bool:
    """Drop drafts whose confidence is too low: a reader may take a pronoun for somebody else, or
    find a pronoun odd."""
    sure = estimate_confidence(view)
    return sure is not None and sure < least


def other_gender(view: DraftContext) -> bool:
    """Drop drafts where gender alone tells the answer: that of all wrong candidates is the other
    one."""
    answer, *others = view.candidates
    return all(view.persons.are_opposed(answer, other) for other in others)


class ConfidenceTally:
    """Counts the examples by confidence, for the card and the manifest."""

    name = "confidence"

    def __init__(self) -> None:
        self._kept: Counter[float] = Counter()
        self._told: Counter[float] = Counter()

    def watch(self, example: MaskedExample) -> None:
        """Count one example at each step of confidence that it reaches."""
        for step in _STEPS:
            if example.meta.get("confidence", -1) >= step:
                self._kept[step] += 1
                self._told[step] += example.meta.get("other_gender", False)

    def counts(self) -> Mapping[str, Any]:
        """Count the examples by the confidence that they have at least."""
        return {f"{step:g}": count for step, count in self._kept.items()}

    def section(self) -> Sequence[str]:
        """Write the card's section, with the share of examples that gender alone decides."""
        if not self._kept:
            return ()
        rows = [
            (f"{step:g}", self._kept[step], f"{self._told[step] / self._kept[step]:.0%}")
            for step, above in pairwise((*_STEPS, 1.0))
            if self._kept[step] > self._kept[above]
        ]
        return [
            "## Confidence",
            "",
            "The probability that a reader takes a pronoun in the gap for the answer;"
            " `--min-confidence P` keeps what has P. It prefers wrong candidates of the other"
            " gender: `--same-gender` leaves out examples where all are.",
            "",
            *card_parts.table(("at least", "examples", "gender tells the answer"), rows),
        ]
