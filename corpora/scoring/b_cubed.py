"""B3 (Bagga and Baldwin 1998): for every mention, how much of its entity is right."""

from __future__ import annotations

from math import fsum

from corefmill.corpora.scoring.alignment import Alignment


def count(pair: Alignment) -> tuple[float, int, float, int]:
    """Summed recall of mentions, mentions of the key, summed precision, mentions of the response.

    Each of the n mentions that entities K and R share adds n/|K| to recall and n/|R| to precision.
    """
    cells, shared = pair.from_response
    recall = [own * pair.shared[k, r] / len(pair.key[k]) for (k, r), own in pair.cells.items()]
    precision = [own * shared[k, r] / len(pair.response[r]) for (k, r), own in cells.items()]
    in_key = sum(map(len, pair.key))
    return fsum(recall), in_key, fsum(precision), sum(map(len, pair.response))
