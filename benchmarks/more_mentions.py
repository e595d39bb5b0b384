"""A corpus to learn documents from, with mentions that its own annotation leaves out.

    python -m benchmarks.more_mentions out/ontogum-gum gum/dep --data-dir data

OntoGUM names no mention that corefers with none, GUM names all of the same documents: `gum/dep`, a
folder of GUM's CoNLL-U (https://github.com/amir-zeldes/gum). To each document of the train split
its mentions that are none of the corpus are added as clusters of one; the other splits stay as
they are. A document whose words are others there gets none, and is counted.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from corefmill.corpora import convert, find, jsonl
from corefmill.corpora.atomic import new_folder
from corefmill.corpora.records import Document


def main() -> None:
    """Writes the corpus, and says what was added."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("other", type=Path, help="folder with the other annotation")
    parser.add_argument("--corpus", default="ontogum")
    parser.add_argument("--data-dir", type=Path, default=Path("data"))
    options = parser.parse_args()
    corpus = find.found(options.corpus, data_dir=options.data_dir)
    known = (
        record
        for path, form in convert.sources(options.other).items()
        for _, record in form.read(path, "en")
    )
    others = {one.doc_id: one for one in known if isinstance(one, Document)}
    counts: Counter[str] = Counter()
    with new_folder(options.out) as folder:
        for split in corpus.splits:
            read = find.records(corpus, split)
            documents: Iterable[Document] = (one for one in read if isinstance(one, Document))
            if split == "train":
                documents = added(documents, others, counts)
            jsonl.write(folder / f"{split}.jsonl", documents)
    print(", ".join(f"{number:,} {what}" for what, number in counts.items()))


def added(
    documents: Iterable[Document], others: Mapping[str, Document], counts: Counter[str]
) -> Iterator[Document]:
    """The documents with the mentions of those of `others` that have the same name and words."""
    for document in documents:
        other = others.get(document.doc_id)
        if other is None or _words(other) != _words(document):
            counts["documents without more"] += 1
            yield document
            continue
        known = {one for own in document.clusters for one in own}
        every = dict.fromkeys(one for own in other.clusters for one in own if not one.zero)
        more = tuple((one,) for one in every if one not in known)
        counts["documents with more"] += 1
        counts["mentions added"] += len(more)
        yield replace(document, clusters=(*document.clusters, *more))


def _words(document: Document) -> list[list[str]]:
    return [[token.form for token in one.tokens] for one in document.sentences]


if __name__ == "__main__":
    main()
