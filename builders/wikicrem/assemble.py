"""What goes into a corpus of masked names once its run is whole."""

from __future__ import annotations

from collections.abc import Container, Sequence

from corefmill.builders.corpus.masked import CHANNEL, JudgedContents
from corefmill.builders.corpus.survey import ExampleTally
from corefmill.builders.persons.gender import GenderTally
from corefmill.builders.run.job import RunResult
from corefmill.builders.wikicrem.filters import SURFACE
from corefmill.builders.wikicrem.filters_syntax import SYNTAX
from corefmill.builders.wikicrem.kinds import not_persons


class WikicremContents(JudgedContents):
    """Examples none of whose names links to an article about a thing."""

    @staticmethod
    def banned(result: RunResult) -> Container[str]:
        """The linked articles that are about no person."""
        targets = {
            target
            for record in result.records(CHANNEL)
            for target in record["meta"].get("links", {}).values()
        }
        return not_persons(list(result.files("pages")), targets, scratch=result.folder)

    @staticmethod
    def reasons(mode: str) -> Container[str]:
        """What stops a draft."""
        return {*SURFACE, *SYNTAX, "name_not_expressible"}

    def tallies(self) -> Sequence[ExampleTally]:
        """Right candidates by gender."""
        return (GenderTally(self.corpus.lang, paper=self.corpus.mode == "paper"),)
