"""What decides the Italian corpus besides its source."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from corefmill.builders.ontonotes_it.english.simplify import LONGEST, SHORTEST
from corefmill.builders.translation.request import TranslatorRequest
from corefmill.corpora.errors import UsageError
from corefmill.rules.languages import load
from corefmill.rules.rule import Rule

HELPS = {
    "persons": "names of persons, their gender, and nouns for people show the class of a mention",
    "tag-number": "where nothing else shows a noun's number, its own tag does",
    "rewording": "what stands around a placeholder is written as translators keep it",
    "one-left": "a cluster of which one mention is left after translation is dropped",
}
"""What clean mode adds to the chain before the rules, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OntoNotesOptions:
    """What the command line sets; `nlp` parses English, `nlp_it` Italian.

    `mode` paper is the published chain to the letter: classes by pronouns and translations alone,
    text around placeholders untouched, objects left where English has them, and the rules without
    refinements. Mode clean adds `HELPS`, clitics, and the refinements and further rules of
    `rules/it/`; `without` leaves any of these out by name. `translator` is as
    `resolve` takes it. Raises `UsageError` for what does not fit together.
    """

    mode: Literal["paper", "clean"]
    nlp: str
    nlp_it: str
    without: tuple[str, ...] = ()
    shortest: int = SHORTEST
    longest: int = LONGEST
    translator: TranslatorRequest = field(default_factory=TranslatorRequest)

    def __post_init__(self) -> None:
        if self.shortest > self.longest:
            raise UsageError(
                f"no utterance has at least {self.shortest} and at most {self.longest} tokens",
                remedy="--shortest is not above --longest",
            )
        if self.mode == "paper" and (named := sorted(HELPS.keys() & set(self.without))):
            raise UsageError(f"paper mode has no {named[0]!r} to leave out")
        self.rules()

    def helps(self, name: str) -> bool:
        """Whether a help of clean mode is on."""
        return self.mode == "clean" and name not in self.without

    def rules(self) -> tuple[Rule, ...]:
        """The rules of the mode that are not left out."""
        return load("it").rules(self.mode, self.without, others=HELPS)

    def as_json(self) -> dict[str, Any]:
        """What decides the bytes but for the translator, which has a fingerprint of its own."""
        held = asdict(self)
        del held["translator"]
        return held
