"""What the tests of a language's persons ask: names found and carried, and a document's persons."""

from __future__ import annotations

from corefmill.builders.persons.gender import Genders
from corefmill.builders.persons.names import with_article
from corefmill.builders.persons.persons import Persons
from corefmill.builders.persons.spread import spread
from corefmill.builders.persons.table import load
from corefmill.builders.persons.usage import Usage
from tests.builders.wikicrem.passages import analysed, article


def named(lang: str, *lines: str) -> list[str]:
    """The names of the last line of a document, whose names in [ ] the recogniser has found."""
    analyses = [analysed(line) for line in lines]
    return [name.text for name in spread(analyses, load(lang))[-1]]


def masked(lang: str, line: str) -> list[str]:
    """What a mask would hide of a line, name by name: an article may go with the name."""
    analysis, words = analysed(line), load(lang)
    names = (with_article(name, analysis.text, words) for name in spread([analysis], words)[0])
    return [analysis.text[name.start : name.end] for name in names]


def persons(lang: str, *texts: str) -> Persons:
    """What a document of these paragraphs says of its persons."""
    return Persons(Usage(article(*texts), []), Genders(lang, load(lang)))
