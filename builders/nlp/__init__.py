"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from corefmill.builders.nlp.analysis import Analysis, Entity
from corefmill.builders.nlp.backend import Backend, SentencesBackend, Words, WordsBackend
from corefmill.builders.nlp.resolve import choose, load
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.builders.nlp.stanza_backend import StanzaPipeline

__all__ = [
    "Analysis",
    "Backend",
    "Entity",
    "SentencesBackend",
    "SpacyPipeline",
    "StanzaPipeline",
    "Words",
    "WordsBackend",
    "choose",
    "load",
]
