"""`python -m benchmarks.brings KEY BY ...`: CoNLL F1 of a model of documents, and that of persons.

KEY is a file of documents; BY is a folder of `train coref`, or `rules` for the rules of `predict`.
Clusters of one are dropped. `persons` are the clusters, of key and response, with a pronoun that
tells a gender. `overt` leaves out unsaid subjects (meta.unsaid of the key), which are on the verb.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corefmill.builders.persons import reference_words
from corefmill.cli.person_rules import PersonPredictor
from corefmill.coref_model import load
from corefmill.coref_model.evaluation.documents import score_documents
from corefmill.coref_model.evaluation.rows import HEAD, ScoredSplit, format_rows
from corefmill.corpora import find
from corefmill.corpora.card_parts import columns
from corefmill.corpora.records import Document


def keep_persons(documents: Sequence[Document]) -> list[Document]:
    """Keep the clusters that have a pronoun of known gender."""
    made = []
    for one in documents:
        tells = reference_words.load(one.lang).gender_of
        words = [[token.form for token in sentence.tokens] for sentence in one.sentences]
        kept = [
            cluster
            for cluster in one.clusters
            if any(tells(" ".join(words[m.sentence][m.start : m.end])) for m in cluster)
        ]
        made.append(replace(one, clusters=tuple(kept)))
    return made


def keep_overt(documents: Sequence[Document], key: Sequence[Document]) -> list[Document]:
    """Drop the mentions that the key lists as unsaid subjects."""
    made = []
    for one, right in zip(documents, key, strict=True):
        unsaid = {tuple(place) for place in right.meta.get("unsaid", ())}
        kept = [
            tuple(m for m in cluster if (m.sentence, m.start, m.end) not in unsaid)
            for cluster in one.clusters
        ]
        made.append(replace(one, clusters=tuple(filter(None, kept))))
    return made


def main(path: Path, *names: str) -> None:
    """Print a row for each response and set of mentions."""
    corpus = find.open_corpus(path)
    key = [
        one for one in find.records(corpus, next(iter(corpus.splits))) if isinstance(one, Document)
    ]
    rows = []
    for name in names:
        model = PersonPredictor(key[0].lang) if name == "rules" else load(name)
        bare = (replace(one, clusters=(), meta={}) for one in key)
        found = [one for one in model.records(bare) if isinstance(one, Document)]
        sets = {"all": (key, found), "persons": (keep_persons(key), keep_persons(found))}
        if any("unsaid" in one.meta for one in key):
            sets["overt"] = keep_overt(key, key), keep_overt(found, key)
        for protocol, (right, response) in sets.items():
            scored = ScoredSplit(path.stem, "", 0, by=Path(name).name)
            rows += score_documents(right, response, scored, protocol, singletons="drop")
    print("\n".join(columns(HEAD, format_rows(rows))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
