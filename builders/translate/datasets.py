"""The datasets of the chain, as records: what each stage writes of a part of a document."""

from __future__ import annotations

from corefmill.builders.run.stages import Context, Out
from corefmill.builders.translate.source_side.parts import DocumentPart
from corefmill.corpora import jsonl
from corefmill.corpora.records import Document

DATASETS = ("alpha", "beta1", "beta2", "beta3", "gamma", "delta")
"""In the order of the paper's figure 1."""
BY_MARKS = ("alpha", "beta1", "gamma", "delta")
"""Those of the method of marks, which leaves no mention out for what it is."""
SCHEMA = "document/1"
SIZES = ("parts", "utterances", "tokens", "mentions", "clusters")


def count_sizes(name: str, split: str, document: Document, context: Context) -> None:
    """Counts the `SIZES` of a part of a document under `NAME.SPLIT.SIZE`."""
    sizes = (
        1,
        len(document.sentences),
        sum(len(sentence.tokens) for sentence in document.sentences),
        sum(map(len, document.clusters)),
        len(document.clusters),
    )
    for size, count in zip(SIZES, sizes, strict=True):
        context.count(f"{name}.{split}.{size}", count)


def record(name: str, split: str, document: Document, context: Context) -> Out:
    """A part of a dataset for its channel: the line of its file, counted."""
    count_sizes(name, split, document, context)
    line = jsonl.dumps(document).decode()
    return Out(name, {"split": split, "doc_id": document.doc_id, "line": line})


def write(name: str, part: DocumentPart, context: Context) -> DocumentPart:
    """Writes a part as it is now into a dataset, and returns it."""
    context.write(*record(name, part.split, part.document(), context))
    return part
