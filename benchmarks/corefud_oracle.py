"""What corefud-scorer gives: run by the interpreter that has udapi, in corefud-scorer's folder.

The one thing changed: entities that zeros left out leave empty are gone (it divides by their size).
Takes a line of key and response, a tab between, and writes a line of JSON for it: by setting, such
as `head/dependent/drop`, recall and precision of every metric.
"""

import functools
import itertools
import json
import logging
import sys

from scorer.corefud.reader import CorefUDReader
from scorer.eval import evaluator

METRICS = {
    "muc": evaluator.muc,
    "bcub": evaluator.b_cubed,
    "ceafe": evaluator.ceafe,
    "ceafm": evaluator.ceafm,
    "blanc": [evaluator.blancc, evaluator.blancn],
    "lea": evaluator.lea,
    "mor": evaluator.mention_overlap,
    "zero": evaluator.als_zeros,  # last, as it sorts the mentions
}
MATCHES = {"exact": "exact", "head": "head", "partial": "partial-corefud"}
ZEROS = ("none", "linear", "dependent")


@functools.lru_cache(2)
def document(path):
    return CorefUDReader().load_conllu(path)


class Reader(CorefUDReader):
    """Theirs, without entities of no mention; a file is read once for all settings."""

    def load_conllu(self, path):
        return document(path)

    def process_clusters(self, clusters):
        kept, *counts = super().process_clusters(clusters)
        return [cluster for cluster in kept if cluster], *counts


def main() -> None:
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        key, response = line.rstrip("\n").split("\t")
        settings = map("/".join, itertools.product(MATCHES, ZEROS, ("keep", "drop")))
        found = {one: scores(key, response, *one.split("/")) for one in settings}
        print(json.dumps(found), flush=True)


def scores(key: str, response: str, match: str, zeros: str, kept: str) -> dict[str, list[float]]:
    reader = Reader(
        match=MATCHES[match],
        keep_zeros=zeros != "none",
        zero_match_method="linear" if zeros == "none" else zeros,
        keep_singletons=kept == "keep",
    )
    reader.get_coref_infos(key, response)
    return {
        name: list(evaluator.evaluate_documents(reader.doc_coref_infos, metric))[:2]
        for name, metric in METRICS.items()
    }


if __name__ == "__main__":
    main()
