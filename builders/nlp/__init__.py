"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from corefmill.builders.nlp.analysis import Analysis, Entity
from corefmill.builders.nlp.backend import Backend, SentencesBackend, SentenceWords, WordsBackend
from corefmill.builders.nlp.resolve import choose, load

__all__ = [
    "Analysis",
    "Backend",
    "Entity",
    "SentenceWords",
    "SentencesBackend",
    "WordsBackend",
    "choose",
    "load",
]
