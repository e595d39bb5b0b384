"""`build chains`: from a dump or plain text to a corpus of silver coreference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from corefmill.builders.chains.contents import DATA_FILES, SCHEMA, ChainsContents
from corefmill.builders.chains.options import ChainsOptions
from corefmill.builders.chains.stages import CHANNEL, setup
from corefmill.builders.corpus.builder import Builder, Choose
from corefmill.builders.nlp import WIKI
from corefmill.builders.persons import reference_words
from corefmill.builders.run.run import Runner
from corefmill.builders.run.stages import Setup
from corefmill.builders.sources.inputs import Input
from corefmill.builders.wiki.known_persons import dump_of, file_of, first_pass

_LIMITS = (
    "Silver: nobody has annotated it. Names come from a recogniser and genders from names,"
    " honorifics and pronouns, and are wrong where these are wrong.",
    "Only persons have chains, by their names and by the pronouns that tell their gender: no noun"
    ' ("the doctor"), no "I", "you" or "they", no place, no thing. What is trained on it'
    " alone finds no others.",
    'A mention is the name with its honorific, without what belongs to it besides ("Ann, the'
    ' baker"); a person who is mentioned once in a passage has no cluster.',
    "Two persons of one name are taken for one.",
    "Passages in which nothing is in doubt are easier than others, and have fewer persons.",
    "A link's confidence was measured in English novels, and is an estimate for all else.",
)
_DROPPED = "Subjects that the language leaves unsaid have no mention, and break no chain."


class Chains(Builder[ChainsOptions]):
    """Silver coreference of persons: input, stages, splits and card."""

    name = "chains"
    title = "Chains, {}: silver coreference of persons"
    schema = SCHEMA
    channels = (CHANNEL,)
    data_files = DATA_FILES

    def __init__(self, options: ChainsOptions, inputs: Sequence[Input] = ()) -> None:
        super().__init__(options, inputs)
        self.by_wiki = self.options.nlp == WIKI
        if self.by_wiki:
            dump_of(self.source)
        self.reference = reference_words.load(self.lang)

    def first_pass(self, do: Runner) -> None:
        """Find the persons of a wiki, where names come from the wiki itself."""
        first_pass(self.options.pipeline, self.lang, self.source, self.out, None, do)

    def stages(self) -> Setup:
        """Return the maker of a worker's stages."""
        persons = file_of(self.out) if self.by_wiki else None
        return partial(setup, self.given.reader, self.options, persons)

    def choose(self) -> Choose:
        """Return the choice of documents: repeats and the validation split."""
        return partial(ChainsContents.chosen, validation=self.options.validation)

    def facts(self) -> dict[str, str]:
        """Return the rows of the card's first table."""
        names_by = "the wiki's own titles and links" if self.by_wiki else self.pipeline.version
        return {
            "Labels": "silver: by rules, where nothing is in doubt",
            "Language": self.lang,
            "Names by": names_by,
            "Least confidence of a link": f"{self.options.min_confidence:g}",
            "Seed": str(self.options.seed),
        }

    def limits(self) -> Sequence[str]:
        """Return the known weaknesses of the method."""
        return (*_LIMITS, _DROPPED) if self.reference.drops_subjects else _LIMITS
