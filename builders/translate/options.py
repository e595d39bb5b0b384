"""What decides the translated corpus besides its source."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.gamma.language import has_realiser, target_of
from corefmill.builders.translate.source_side.selection import LONGEST, SHORTEST
from corefmill.corpora.files.errors import UsageError
from corefmill.rules.languages import LANGUAGES, load
from corefmill.rules.rule import ChosenRules, Rule

HELPS = {
    "persons": "names of persons, their gender, and nouns for people show the class of a mention",
    "names": "names of persons are copied, with the title before them in the target language",
    "tag-number": "where nothing else shows a noun's number, its own tag does",
    "rewording": "what stands around placeholders and marks is written as translators keep it",
    "any-utterance": "utterances of any length, and without a verb, are translated",
    "marks": "mentions that have no placeholder (nested, I and you) are carried by marks",
    "clusters": "clusters of one mention in the source, and of pronouns alone, are kept",
    "answers": "answers in another language, or of one word said again and again, are dropped",
    "one-left": "a cluster of which one mention is left after translation is dropped",
}
"""What clean mode adds to the chain before the rules, by name."""
Method: TypeAlias = Literal["placeholders", "marks"]


def default_method(source: str, target: str) -> Method:
    """The method of a pair where none is named: placeholders, if it has these."""
    return "placeholders" if has_realiser(source, target) else "marks"


def parses_source(method: Method, source: str, target: str) -> bool:
    """Whether the source needs a pipeline: for placeholders, and for them as marks' way out."""
    return method == "placeholders" or has_realiser(source, target)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslateOptions:
    """What the command line sets: the translator and its languages, a pipeline for each of the two,
    and how it is done.

    `nlp` parses the source, `nlp_to` the target; None where `parses_source` says so.
    `mode` paper is the published chain to the letter:
    classes by pronouns and translations alone, text around placeholders untouched, objects left
    where English has them, and the rules without refinements. Mode clean adds `HELPS`, clitics, and
    the refinements and further rules that `rules/` has for the target; `without` leaves any of
    these out by name. `shortest` and `longest` are what `least` and `most` say where they are None.
    Raises `UsageError` for what does not fit together.
    """

    mode: Literal["paper", "clean"]
    nlp: str | None
    nlp_to: str
    method: Method = "placeholders"
    without: tuple[str, ...] = ()
    shortest: int | None = None
    longest: int | None = None
    translator: TranslatorRequest = field(default_factory=TranslatorRequest)

    @property
    def source(self) -> str:
        """The language that is translated."""
        return self.translator.source

    @property
    def target(self) -> str:
        """The language of the corpus."""
        return self.translator.target

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise UsageError(f"{self.source!r} is both languages", remedy="--from is not --to")
        if self.least > self.most:
            raise UsageError(
                f"no utterance has at least {self.least} and at most {self.most} tokens",
                remedy="--shortest is not above --longest",
            )
        if self.mode == "paper" and self.method == "marks":
            raise UsageError("paper mode is the method of placeholders", remedy="--mode clean")
        if self.method == "placeholders":
            target_of(self.source, self.target)
        if self.mode == "paper" and (named := sorted(HELPS.keys() & set(self.without))):
            raise UsageError(f"paper mode has no {named[0]!r} to leave out")
        self.rules()

    def helps(self, name: str) -> bool:
        """Whether a help of clean mode is on."""
        return self.mode == "clean" and name not in self.without

    @property
    def least(self) -> int:
        """Tokens that an utterance must have: the paper's, in clean mode one."""
        short = self.method == "marks" or self.helps("any-utterance")
        return (1 if short else SHORTEST) if self.shortest is None else self.shortest

    @property
    def most(self) -> int:
        """Tokens that an utterance may have: the paper's, in clean mode any number."""
        any_length = sys.maxsize if self.helps("any-utterance") else LONGEST
        return any_length if self.longest is None else self.longest

    def rules(self) -> tuple[Rule, ...]:
        """The rules of the mode that are not left out; none for a language that has none."""
        if self.target in LANGUAGES:
            return load(self.target).rules(self.mode, self.without, others=HELPS)
        return ChosenRules({}, HELPS, self.mode, self.without).of(())

    def as_json(self) -> dict[str, Any]:
        """What decides the bytes but for the translator, which has a fingerprint of its own."""
        held = asdict(self)
        del held["translator"]
        return held
