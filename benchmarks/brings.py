"""`python -m benchmarks.brings KEY BY ...`: CoNLL F1 of models of documents, and that of persons.

KEY is a file of documents. BY is a folder of `train coref`, `rules` for the rules of `predict`, or
`strings`, which joins the mentions of the key by their words. Clusters of one are dropped.
`persons` are the clusters, of key and response, with a pronoun that tells a gender. `overt` leaves
out the unsaid subjects that the key lists (meta.unsaid), which stand on the verb.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from corefmill.builders.persons import reference_words
from corefmill.cli.person_rules import PersonPredictor
from corefmill.coref_model import load
from corefmill.coref_model.evaluation.documents import join_strings, score_documents
from corefmill.coref_model.evaluation.rows import HEAD, ScoredSplit, format_rows
from corefmill.corpora import find
from corefmill.corpora.card_parts import columns
from corefmill.corpora.records import Document, Mention


def keep_persons(one: Document) -> Document:
    """Keep the clusters that have a pronoun of known gender."""
    tells = reference_words.load(one.lang).gender_of

    def is_person(cluster: tuple[Mention, ...]) -> bool:
        spans = (one.sentences[m.sentence].tokens[m.start : m.end] for m in cluster)
        return any(len(span) == 1 and tells(span[0].form) for span in spans)

    return replace(one, clusters=tuple(filter(is_person, one.clusters)))


def keep_overt(one: Document, key: Document) -> Document:
    """Drop the mentions that the key lists as unsaid subjects."""
    unsaid = {tuple(place) for place in key.meta.get("unsaid", ())}
    kept = [
        tuple(m for m in cluster if (m.sentence, m.start, m.end) not in unsaid)
        for cluster in one.clusters
    ]
    return replace(one, clusters=tuple(filter(None, kept)))


def main() -> None:
    """Print the scores of each answerer, over all mentions and over those of persons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("key", type=Path)
    parser.add_argument("by", nargs="+")
    options = parser.parse_args()
    corpus = find.open_corpus(options.key)
    key = [
        one for one in find.records(corpus, next(iter(corpus.splits))) if isinstance(one, Document)
    ]
    rows = []
    for name in options.by:
        if name == "strings":
            found = join_strings(key)
        else:
            model = PersonPredictor(key[0].lang) if name == "rules" else load(name)
            bare = (replace(one, clusters=(), meta={}) for one in key)
            found = [one for one in model.records(bare) if isinstance(one, Document)]
        sets = {"all": (key, found)}
        sets["persons"] = [*map(keep_persons, key)], [*map(keep_persons, found)]
        if any("unsaid" in one.meta for one in key):
            sets["overt"] = [*map(keep_overt, key, key)], [*map(keep_overt, found, key)]
        for protocol, pair in sets.items():
            scored = ScoredSplit(options.key.stem, "", 0, by=Path(name).name)
            rows += score_documents(*pair, scored, protocol, singletons="drop")
    print("\n".join(columns(HEAD, format_rows(rows))))


if __name__ == "__main__":
    main()
