"""What a language model read of corpora like this one, for its card (readings.toml)."""

from __future__ import annotations

from corefmill.builders.corpus.corpus import Corpus
from corefmill.corpora.files import disk


def rows(corpus: Corpus) -> dict[str, str]:
    """Make the card's row on readings of corpora of this language, mode, pipeline and filters.

    There is none where no such corpus was read.
    """
    found = [
        f"{entry['n']} of {corpus.name} by {entry['pipeline']} with {entry['filters']}, in"
        f" {entry['of']}, {entry['date']}: {entry['share']}"
        for entry in disk.read_package_table(__file__, "readings")["reading"]
        if (entry["corpus"], entry["mode"], entry["filters"])
        == (corpus.name, corpus.mode, corpus.filters)
        and entry["pipeline"] in corpus.pipeline.split(", ")
    ]
    return {"Read by a language model": "; ".join(found)} if found else {}
