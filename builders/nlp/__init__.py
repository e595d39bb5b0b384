"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from corefmill.builders.nlp.backend import (
    WIKI,
    Analysis,
    Backend,
    Entity,
    SentenceWords,
    WordsBackend,
)
from corefmill.builders.nlp.catalogue import choose, load, of_wiki, with_trees

__all__ = [
    "WIKI",
    "Analysis",
    "Backend",
    "Entity",
    "SentenceWords",
    "WordsBackend",
    "choose",
    "load",
    "of_wiki",
    "with_trees",
]
