"""A component of spaCy's pipelines: `nlp.add_pipe("corefmill")` puts clusters into `doc.spans`.

The keys are those of spacy-experimental: coref_clusters_1, coref_clusters_2, ... Sentences are the
pipeline's where it finds any, else those of `corpora/plain.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spacy.language import Language
from spacy.tokens import Doc
from spacy.tokens import Token as Word

from corefmill.coref_model import SMALL, load
from corefmill.corpora.plain import split_sentences
from corefmill.corpora.records import Document, Sentence, Token

if TYPE_CHECKING:
    from corefmill.cli.person_rules import PersonPredictor
    from corefmill.coref_model.prediction.predictor import Predictor


class CorefComponent:
    """Predicts the clusters of each document: persons by rules where no model of `lang` ships."""

    def __init__(self, lang: str, model: str, prefix: str, device: str | None) -> None:
        if model == SMALL and lang != "en":
            from corefmill.cli.person_rules import PersonPredictor

            self.predictor: Predictor | PersonPredictor = PersonPredictor(lang)
        else:
            self.predictor = load(model, device=device)
            self.predictor.refuse_text()
        self.prefix = prefix

    def __call__(self, doc: Doc) -> Doc:
        """Fill `doc.spans`, a key for each cluster, numbered from 1."""
        own = re.compile(rf"{re.escape(self.prefix)}_\d+")  # of an earlier call
        for key in [key for key in doc.spans if own.fullmatch(key)]:
            del doc.spans[key]
        words = find_sentences(doc)
        found = tuple(
            Sentence(tuple(Token(word.text, space_after=bool(word.whitespace_)) for word in own))
            for own in words
        )
        document = Document("doc", 0, doc.lang_, found, ())
        (answer,) = self.predictor.records([document])
        assert isinstance(answer, Document)
        for number, cluster in enumerate(answer.clusters, 1):
            doc.spans[f"{self.prefix}_{number}"] = [
                doc[words[one.sentence][one.start].i : words[one.sentence][one.end - 1].i + 1]
                for one in cluster
            ]
        return doc


def find_sentences(doc: Doc) -> list[list[Word]]:
    """Find the words of each sentence of a document: spaCy's sentences, else our own."""
    if doc.has_annotation("SENT_START"):
        return [[word for word in sentence if not word.is_space] for sentence in doc.sents]
    paragraphs: list[list[Word]] = [[]]
    for word in doc:
        if not word.is_space:
            paragraphs[-1].append(word)
        elif word.text.count("\n") > 1:
            paragraphs.append([])
    found = []
    for words in paragraphs:
        rest = iter(words)
        spans = [(word.idx, word.idx + len(word)) for word in words]
        found += [[next(rest) for _ in sentence] for sentence in split_sentences(doc.text, spans)]
    return found


@Language.factory(
    "corefmill",
    assigns=["doc.spans"],
    default_config={"model": SMALL, "prefix": "coref_clusters", "device": None},
)
def make_component(
    nlp: Language, name: str, model: str, prefix: str, device: str | None
) -> CorefComponent:
    """Make the component of a pipeline; `model` is a folder of `train coref`, or a name."""
    return CorefComponent(nlp.lang or "", model, prefix, device)
