"""Language pipelines behind one interface: sentences, names and trees as offsets into a text."""

from builders.nlp.analysis import Analysis, Entity
from builders.nlp.backend import Backend, SentencesBackend, Words, WordsBackend
from builders.nlp.resolve import choose, load
from builders.nlp.spacy_backend import SpacyPipeline
from builders.nlp.stanza_backend import StanzaPipeline

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
