"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from corefmill.builders.nlp.backend import (
    WIKI,
    Analysis,
    Backend,
    Entity,
    PassagesBackend,
    SentenceWords,
    TreesBackend,
    WordsBackend,
    parsed,
    passage_names,
    read_around,
)
from corefmill.builders.nlp.catalogue import choose, load, of_wiki, with_trees

__all__ = [
    "WIKI",
    "Analysis",
    "Backend",
    "Entity",
    "PassagesBackend",
    "SentenceWords",
    "TreesBackend",
    "WordsBackend",
    "choose",
    "load",
    "of_wiki",
    "parsed",
    "passage_names",
    "read_around",
    "with_trees",
]
