"""`build knowref`: from a dump, text, comments or subtitles to a corpus of pronoun problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

from corefmill.builders.corpus.corpus import DEFAULT_FILTERS
from corefmill.builders.corpus.filters import describe_filters, idle_warnings
from corefmill.builders.corpus.masked import JudgedBuilder
from corefmill.builders.knowref import table
from corefmill.builders.knowref.assemble import KnowrefContents, MinedContents
from corefmill.builders.knowref.filters import FILTERS
from corefmill.builders.knowref.mined import MINED_FILTERS
from corefmill.builders.knowref.options import ON_CORPUS, KnowrefOptions
from corefmill.builders.knowref.stages import setup
from corefmill.builders.nlp import Backend, load
from corefmill.builders.persons import table as names_table
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.dump.locate import ShippedSample

_LIMITS = (
    "Names come from a recogniser and clauses from a parser, and are wrong where these are wrong.",
    "Whether a person is a man or a woman is told by the text's honorifics, given names and"
    " pronouns, and is wrong where these mislead.",
    "A person who is called by no name, but by a noun that the table does not list, is not seen.",
)
_DROPPED = (
    "The language leaves subjects unsaid: only pronouns that stand in the text are asked for, and"
    " these often mark a change of subject, so nothing is said of subjects left out."
)
_MINED_LIMITS = (
    "A label is right where the pronoun means one of the two persons at all; of some it means"
    " somebody named earlier in the text, whom the passage does not show.",
    "The text was written of a man and a woman: with both names of one gender a reader may find the"
    " pronoun ambiguous, or take it for the other.",
)
_PAPER_LIMITS = (
    "NLTK's splitter, its treebank sample, Stanford's tagger and CoreNLP are replaced by the"
    " pipeline; a sentence that made the published code fail is lost alone, not with its chunk.",
)


_TITLES = {False: "KnowRef, {}: pronoun problems", True: "Mined pronouns, {}"}
_METHODS = {
    False: "KnowRef-60K (Emami et al. 2020), section 5.2",
    True: "names swapped as in KnowRef (Emami et al. 2019), labels by the gender told before",
}
_LABELS = {
    False: "none: every label is null until people have answered (`corefmill annotate`)",
    True: "mined: the one of two persons before the pronoun who is of its gender",
}
"""By whether pronouns are mined."""


class Knowref(JudgedBuilder[KnowrefOptions]):
    """Pronoun problems: input, stages, splits and card."""

    name = "knowref"
    on_corpus = ON_CORPUS
    sample = ShippedSample.tales

    def __init__(self, options: KnowrefOptions, inputs: Sequence[Input] = ()) -> None:
        self.mined = options.mined
        self.title = _TITLES[self.mined]
        self.contents = MinedContents if self.mined else KnowrefContents
        super().__init__(options, inputs)
        self.words = table.load(self.lang)
        every = {**FILTERS, **MINED_FILTERS}
        self.idle = names_table.idle(self.options.filters, every, self.lang)

    @property
    def corpus_name(self) -> str:
        """The name of the corpus, by how its labels come."""
        return f"{'pronouns' if self.options.mined else 'knowref'}-{self.lang}"

    @cached_property
    def pipeline(self) -> Backend:
        """The pipeline for names and trees."""
        return load(self.options.pipeline, self.lang)

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        return partial(setup, self.given.reader, self.options)

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        options = self.options
        facts = {
            "Labels": _LABELS[self.mined],
            "Language": self.lang,
            "Mode": self.mode,
            "Method": _METHODS[self.mined],
            "Parsed by": self.pipeline.version,
            "Names": _describe_names(self.words),
            "Seed": str(options.seed),
        }
        if self.mode == "clean":
            facts |= describe_filters(options.filters, self.idle)
        return facts

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        dropped = (_DROPPED,) if self.words.drops_subjects else ()
        mined = _MINED_LIMITS if self.mined else ()
        return (*_LIMITS, *dropped, *mined, *(_PAPER_LIMITS if self.mode == "paper" else ()))

    def warnings(self) -> Sequence[str]:
        """Name the filters without effect here."""
        return idle_warnings(self.idle, self.lang)

    def filter_setting(self) -> str:
        """Return whether the filters are those of the mode, none left out."""
        options = self.options
        plain = KnowrefOptions(lang=self.lang, mode=options.mode)
        own = (options.filters, options.mined)
        return DEFAULT_FILTERS if own == (plain.filters, False) else ""


def _describe_names(words: table.KnowrefWords) -> str:
    """Where the names of a corpus whose persons are renamed come from."""
    said = "drawn anew, of the pronoun's gender"
    if not words.swapped_cases:
        return said
    cases = ", ".join(sorted(words.swapped_cases))
    return f"{said}; the text's own where one of them is in another case than {cases}"
