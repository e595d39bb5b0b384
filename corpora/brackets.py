"""A sentence as one line of text, its mentions in brackets."""

from __future__ import annotations

from collections import Counter

from corefmill.corpora.records import Document


def bracketed(document: Document, place: int) -> str:
    """The words of a sentence with its mentions in brackets, their clusters' numbers behind."""
    opens: Counter[int] = Counter()
    closes: dict[int, list[int]] = {}
    for number, cluster in enumerate(document.clusters):
        for mention in cluster:
            if mention.sentence == place:
                opens[mention.start] += 1
                closes.setdefault(mention.end, []).append(number)
    pieces = []
    for at, token in enumerate(document.sentences[place].tokens):
        after = "".join(f"]{number}" for number in closes.get(at + 1, []))
        pieces.append("[" * opens[at] + token.form + after)
    return " ".join(pieces)
