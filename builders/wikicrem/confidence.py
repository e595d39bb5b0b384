"""How likely a reader takes a pronoun in the mask's place for the answer, by weighed evidence.

confidence.toml has a logistic regression a language, fitted on passages that were read; what
evidence.py says of a draft goes into it. Languages may share their weights, not their intercepts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

from corefmill.builders.corpus.filters import reads
from corefmill.builders.nlp.backend import Backend
from corefmill.builders.persons.view import DraftView
from corefmill.builders.wikicrem.evidence import PronounEvidence
from corefmill.builders.wikicrem.reading import PronounReading
from corefmill.corpora import beside
from corefmill.corpora.errors import UsageError

_SHARED = "shared"
_TIGER = frozenset({"sb", "oa", "nk", "mo"})
"""Relations of spaCy's own German pipelines, in which the evidence finds no subject and no object:
weights fitted on Universal Dependencies would find nearly every draft doubtful."""
_LARGEST = 50.0
"""Of the weighed sum, either way: what is beyond is as good as sure, and would overflow."""


@dataclass(frozen=True)
class ReadingWeights:
    """A language's row of confidence.toml: the weights, and the confidence that is asked for, of
    novels and the like and of a wiki's pages."""

    intercept: float
    least: float
    least_on_page: float
    weights: Mapping[str, float]


def weights_of(lang: str) -> ReadingWeights | None:
    """The weights of a language, None where no passage of it was read for them."""
    rows = beside.table(__file__, "confidence")
    row = rows.get(lang)
    if row is None:
        return None
    named = row["weights"]
    weights = rows[_SHARED][named] if isinstance(named, str) else named
    return ReadingWeights(row["intercept"], row["least"], row["least_on_page"], weights)


def chance(intercept: float, weights: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    """The logistic function of the intercept and each weight times its evidence, in [0, 1]."""
    weighed = intercept + sum(weight * evidence[name] for name, weight in weights.items())
    return 1 / (1 + exp(-max(min(weighed, _LARGEST), -_LARGEST)))


def refuse_unfit(pipeline: Backend) -> None:
    """Raises `UsageError` for a pipeline without the relations that the weights were fitted on, by
    which nobody can be asked for a least confidence."""
    (analysis,) = pipeline.full(["Die alte Frau sah den Mann in dem Haus."])
    if _TIGER & {*analysis.deprel}:
        raise UsageError(
            "--min-confidence needs the relations of Universal Dependencies, and those of"
            f" --nlp {pipeline.name} are others: with them the rule rival_pronoun decides",
            remedy="leave --min-confidence out, or name another --nlp",
        )


def confidence(view: DraftView) -> float | None:
    """The chance that a reader takes the pronoun for the answer; None without weights, or without
    a parse by relations that they were fitted on."""
    weights, analysis = weights_of(view.table.lang), view.syntax
    if weights is None or analysis is None or not analysis.head or _TIGER & {*analysis.deprel}:
        return None
    evidence = PronounEvidence(view, analysis, view.table.lang).values()
    return chance(weights.intercept, weights.weights, evidence)


@reads("trees")
def doubtful(view: DraftView, least: float | None = None) -> bool:
    """A reader may well take a pronoun in the mask's place for somebody else, or find it odd.

    Asked where the language has weights (confidence.toml), in the place of `rival_pronoun`, which
    decides where a parse has relations that no weights were fitted on. `least` is the confidence
    asked for, where it is not the language's own.
    """
    weights, analysis = weights_of(view.table.lang), view.syntax
    if weights is None or analysis is None or not analysis.head:
        return False
    sure = confidence(view)
    if sure is None:
        return PronounReading(view, analysis).of_rival
    if least is None:
        least = weights.least if view.article.site is None else weights.least_on_page
    return sure < least
