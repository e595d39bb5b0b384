"""Documents, settings and models for the tests of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from corefmill.coref_model.documents.inputs import DocumentSettings
from corefmill.coref_model.documents.model import DocumentModel
from corefmill.coref_model.encoder import load
from corefmill.coref_model.training.config import resolve
from corefmill.corpora.formats import conll2012
from corefmill.corpora.records import Document, Mention, Sentence, Token

SAMPLE = Path(__file__).parents[3] / "corpora" / "sample" / "documents"


def settings(**own: Any) -> DocumentSettings:
    """The table's, small, with no chance in it."""
    small = {"encoder": "tiny", "hidden": 8, "dropout": 0.0, "max_width": 6} | own
    sets = [f"{key}={str(x).lower() if isinstance(x, bool) else x}" for key, x in small.items()]
    return resolve(DocumentSettings, "documents", sets=sets)


def model(**own: Any) -> DocumentModel:
    trained = bool(own.get("trained", False))
    made = load("tiny", trained=trained)
    torch.manual_seed(0)
    return DocumentModel(made, settings(**own)).eval()


def sample(split: str = "train") -> list[Document]:
    return [document for _, document in conll2012.read(SAMPLE / f"{split}.conll", "en")]


def document(*texts: str, clusters: Any = (), name: str = "nw/x") -> Document:
    """Sentences as `Speaker: words` or words; mentions as (sentence, start, end)."""
    sentences = []
    for text in texts:
        speaker, colon, words = text.rpartition(": ")
        tokens = tuple(Token(word) for word in words.split())
        sentences.append(Sentence(tokens, speaker if colon else None))
    own = (tuple(m if isinstance(m, Mention) else Mention(*m) for m in one) for one in clusters)
    return Document(name, 0, "en", tuple(sentences), tuple(own))
