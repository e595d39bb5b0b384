"""chrF (Popovic 2015): how alike two texts are by the character n-grams that they share."""

from __future__ import annotations

from collections import Counter

ORDER = 6
"""Characters of the longest n-grams."""
BETA = 2
"""How much more recall counts than precision."""


def chrf(text: str, reference: str) -> float:
    """The F score in [0, 1] of the mean precision and recall over n-grams of 1 to `ORDER`.

    Blanks do not count, capitals do. Orders for which either text is too short are left out, as in
    sacrebleu's default; 0 where all are.
    """
    ours, theirs = "".join(text.split()), "".join(reference.split())
    precisions, recalls = [], []
    for order in range(1, ORDER + 1):
        found, wanted = _grams(ours, order), _grams(theirs, order)
        if found and wanted:
            shared = (found & wanted).total()
            precisions.append(shared / found.total())
            recalls.append(shared / wanted.total())
    if not any(precisions):
        return 0.0
    precision, recall = (sum(values) / len(values) for values in (precisions, recalls))
    return (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)


def _grams(text: str, order: int) -> Counter[str]:
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))
