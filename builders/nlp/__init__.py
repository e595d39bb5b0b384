"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from corefmill.builders.nlp.backend import (
    WIKI,
    Analysis,
    Backend,
    Entity,
    SentenceWords,
    WordsBackend,
)
from corefmill.builders.nlp.catalogue import (
    choose_pipeline,
    load_parser,
    load_pipeline,
    load_wiki_pipeline,
)

__all__ = [
    "WIKI",
    "Analysis",
    "Backend",
    "Entity",
    "SentenceWords",
    "WordsBackend",
    "choose_pipeline",
    "load_parser",
    "load_pipeline",
    "load_wiki_pipeline",
]
