"""The options of `build translate` and its preset `build ontonotes-it`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from corefmill.builders.corpus.options import INPUT, Mode, Option, RunOptions, check_language
from corefmill.builders.translate.engines.protocol import TranslatorRequest
from corefmill.builders.translate.engines.resolve import NAMES, anchor, what_is
from corefmill.builders.translate.gamma.language import PAIRS, has_realiser, target_of
from corefmill.builders.translate.source_side.selection import LONGEST, SHORTEST
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.ownership import private
from corefmill.rules.languages import LANGUAGES, load
from corefmill.rules.rule import ChosenRules, Rule

FILTERS = {
    "persons": "names of persons and nouns for people show that a mention is human, and its gender",
    "names": "names of persons are copied, with their titles in the target language",
    "tag-number": "the tag of a noun shows its number where nothing else does",
    "rewording": "text around placeholders and marks is reworded so that translators keep it",
    "any-utterance": "utterances of any length, and without a verb, are translated",
    "marks": "mentions without placeholders (nested, I and you) are carried by marks",
    "clusters": "clusters of one mention in the source or of pronouns alone are kept",
    "answers": "translations in another language or that repeat a word are dropped",
    "one-left": "clusters with one mention left after the translation are dropped",
}
"""What clean mode adds to the chain before the rules, by name."""

TRANSLATOR = "Translator"
"""A section of the help."""
_TRANSLATOR = ("model", "url", "command", "list_texts", "allow_missing")


class MentionsBy(StrEnum):
    """The method that carries mentions through the translation."""

    placeholders = "placeholders"
    marks = "marks"


@dataclass(frozen=True, kw_only=True)
class TranslatorOptions(RunOptions):
    """Options in common of `build translate` and its preset `build ontonotes-it`.

    `mode` paper is the published chain to the letter: classes by pronouns and translations alone,
    text around placeholders untouched, objects left where English has them, and the rules without
    refinements. Mode clean adds `FILTERS`, clitics, and the refinements and further rules that
    `rules/` has for the target; `without` leaves any of these out by name. Raises `UsageError` for
    options that do not fit together.
    """

    from_lang: ClassVar[str]
    to_lang: ClassVar[str]
    method: ClassVar[MentionsBy | None]
    nlp_to: ClassVar[str | None]

    source: Annotated[
        tuple[str, ...],
        Option(
            help="Documents to translate: a file, a pattern, or a folder with OntoNotes, OntoGUM,"
            " LitBank or other CoNLL-2012 files. Repeatable.",
            default="corefmill's English sample",
            panel=INPUT,
        ),
    ] = ()
    nlp: Annotated[
        str | None,
        Option(
            help="Pipeline that parses the source documents and finds their names.",
            default="ours if it is here, else spaCy's largest installed",
            panel=INPUT,
        ),
    ] = None
    mode: Annotated[
        Mode,
        Option(help="How to translate: paper by published rules, clean by more rules and filters."),
    ] = Mode.clean
    without: Annotated[
        tuple[str, ...],
        Option(
            help="Leave out an addition of clean mode (listed below), a rule such as"
            " subject-deletion, or a refinement such as subject-deletion/focus. Repeatable."
        ),
    ] = ()
    translator: Annotated[
        str | None,
        Option(
            panel=TRANSLATOR,
            help=f"Translator of the texts: {', '.join(NAMES)}.",
            default="argos or apertium, if installed; else sample, for corefmill's sample",
        ),
    ] = None
    model: Annotated[
        str | None, Option(panel=TRANSLATOR, help=f"Model for {what_is('model')}.")
    ] = None
    url: Annotated[str | None, Option(panel=TRANSLATOR, help=f"Translator {what_is('url')}.")] = (
        None
    )
    command: Annotated[
        str | None, Option(panel=TRANSLATOR, help=f"Translator {what_is('command')}.")
    ] = None
    table: Annotated[
        tuple[Path, ...],
        Option(panel=TRANSLATOR, help=f"Translator {what_is('table')}. Repeatable."),
    ] = ()
    list_texts: Annotated[
        Path | None,
        Option(decides_nothing=True, panel=TRANSLATOR, help=f"Translator {what_is('list_texts')}."),
    ] = None
    allow_missing: Annotated[
        bool, Option(panel=TRANSLATOR, help=f"Translator {what_is('allow_missing')}.")
    ] = False
    cache: Annotated[
        Path | None,
        Option(
            decides_nothing=True,
            panel=TRANSLATOR,
            help="Folder that keeps translations for later builds.",
            default="one that is removed at the end",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Check that languages, mode, method and rules fit together."""
        source, target = self.from_lang, self.to_lang
        if source == target:
            raise UsageError(f"--from and --to are both {source!r}", remedy="name two languages")
        if self.mode is Mode.paper and self.by_marks:
            raise UsageError("--method marks needs --mode clean", remedy="give --mode clean")
        if not self.by_marks:
            target_of(source, target)
        if self.mode is Mode.paper and (named := sorted(FILTERS.keys() & set(self.without))):
            raise UsageError(f"--mode paper has no {named[0]!r}, so --without cannot leave it out")
        self.rules()

    @property
    def by_marks(self) -> bool:
        """Whether marks carry the mentions, by default for pairs without placeholders."""
        if self.method is None:
            return not has_realiser(self.from_lang, self.to_lang)
        return self.method is MentionsBy.marks

    @property
    def method_name(self) -> str:
        """The name of the method, as a value of --method."""
        return "marks" if self.by_marks else "placeholders"

    def helps(self, name: str) -> bool:
        """Tell whether an addition of clean mode is active."""
        return self.mode is Mode.clean and name not in self.without

    @property
    def least(self) -> int:
        """The minimum of tokens in an utterance: the paper's, in clean mode one."""
        return 1 if self.by_marks or self.helps("any-utterance") else SHORTEST

    @property
    def most(self) -> int:
        """The maximum of tokens in an utterance: the paper's, in clean mode none."""
        return sys.maxsize if self.helps("any-utterance") else LONGEST

    def rules(self) -> tuple[Rule, ...]:
        """Make the active rules of the target language, none for a language without rules."""
        if self.to_lang in LANGUAGES:
            return load(self.to_lang).rules(self.mode.value, self.without, others=FILTERS)
        return ChosenRules({}, FILTERS, self.mode.value, self.without).of(())

    def choose_pipelines(self) -> tuple[str | None, str]:
        """Choose the pipelines of the source (None for marks) and of the target.

        The target's is Stanza, which has the best trees, if its model is installed.
        """
        from corefmill.builders.nlp import catalogue, choose_pipeline

        source = None if self.by_marks else self.nlp or choose_pipeline(self.from_lang)
        if self.nlp_to:
            return source, self.nlp_to
        stanza = any(
            offer.name == "stanza" and offer.how.startswith("--nlp") and "trees" in offer.does
            for offer in catalogue.list_offers(self.to_lang)
        )
        return source, "stanza" if stanza else choose_pipeline(self.to_lang)

    def translator_request(self, out: Path) -> TranslatorRequest:
        """Make the request for the translator of a corpus in the folder `out`.

        Raises `UsageError` for an unknown translator or a missing device.
        """
        work = private(out) / "translations"
        return anchor(
            TranslatorRequest(
                source=self.from_lang,
                target=self.to_lang,
                sample=not self.source,
                name=self.translator,
                cache=(self.cache or work).absolute(),
                missing=(work / "missing").absolute(),
                table=self.table,
                **{name: getattr(self, name) for name in _TRANSLATOR},
            )
        )


_PARSED_BY = "Stanza's model if it is here, else ours, else spaCy's largest installed"


@dataclass(frozen=True, kw_only=True)
class TranslateRequest(TranslatorOptions):
    """Build documents with clusters in another language: translated with their mentions.

    After Minutolo et al. (2022): mentions give way to placeholders or marks, the text is
    translated, and rules refine it.

    Examples:
        build translate --to it
        build translate --from en --to it --source ontogum.train.conll --translator apertium
    """

    from_lang: Annotated[  # type: ignore[misc]
        str,
        Option("--from", metavar="LANG", help="Language of the source documents.", panel=INPUT),
    ] = "en"
    to_lang: Annotated[  # type: ignore[misc]
        str,
        Option("--to", metavar="LANG", help="Language of the translated corpus.", panel=INPUT),
    ]
    method: Annotated[  # type: ignore[misc]
        MentionsBy | None,
        Option(
            help="How to carry mentions through the translation: placeholders puts a name in place"
            " of each mention, and the translated mention in place of the name; marks puts a"
            " numbered bracket around each mention, in any pair of languages.",
            default=f"placeholders where the pair has them: {PAIRS}",
        ),
    ] = None
    nlp_to: Annotated[  # type: ignore[misc]
        str | None,
        Option(help="Pipeline that parses the translations.", default=_PARSED_BY, panel=INPUT),
    ] = None

    def __post_init__(self) -> None:
        check_language(self.from_lang, "--from")
        check_language(self.to_lang, "--to")
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class OntonotesItRequest(TranslatorOptions):
    """Build OntoNotes in Italian: mentions give way to placeholders, rules refine the translation.

    After Minutolo et al. (2022); the same as `build translate --from en --to it`.

    Examples:
        build ontonotes-it --source conll-2012/v4/data --workers 8
        build ontonotes-it --translator argos --model en_it.argosmodel
    """

    from_lang: ClassVar[str] = "en"
    to_lang: ClassVar[str] = "it"
    method: ClassVar[MentionsBy | None] = MentionsBy.placeholders
    nlp_to: Annotated[  # type: ignore[misc]
        str | None,
        Option(
            help="Pipeline that parses the Italian translations.",
            default=_PARSED_BY,
            panel=INPUT,
        ),
    ] = None
