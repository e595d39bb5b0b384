"""Source and target side by side: a line an utterance, mentions aligned.

1. The first line names the columns: `doc`, `part`, `utterance` (its number in the source), the
   two languages by name (`english`, `italian`: tokens, blanks between; those of the target as
   grammar cuts them), `mentions`.
2. `mentions` is JSON: [cluster, start and end in the source, start and end in the target],
   half-open, in tokens; the cluster is numbered as in the other files.
3. White space within a token or name is written as `_`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from corefmill.corpora import languages
from corefmill.corpora.atomic import replacing
from corefmill.corpora.records import Document


def write(path: Path, documents: Iterable[Document], source: str, target: str) -> None:
    """Writes the documents of delta, whole or not at all."""
    columns = ("doc", "part", "utterance", languages.key(source), languages.key(target), "mentions")
    with replacing(path) as out:
        out.write("\t".join(columns).encode() + b"\n")
        for document in documents:
            numbers = document.meta["source"]["sentences"]
            for sentence, own, number in zip(
                document.sentences, document.meta[languages.key(source)], numbers, strict=True
            ):
                cells = (
                    _whole(document.doc_id),
                    str(document.part),
                    str(number),
                    " ".join(map(_whole, own["tokens"])),
                    " ".join(_whole(token.form) for token in sentence.tokens),
                    json.dumps(own["mentions"]),
                )
                out.write("\t".join(cells).encode() + b"\n")


def _whole(text: str) -> str:
    return "_".join(text.split()) or "_"
